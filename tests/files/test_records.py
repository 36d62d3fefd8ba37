"""TFRecord files: round trips, damage, hostile lengths."""

from __future__ import annotations

import struct
import subprocess
import sys
import textwrap
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.core import errors
from headrace.files import records as records_module
from headrace.files.events import summary_iterator
from headrace.files.records import TFRecordOptions, TFRecordWriter, masked_crc32c, tf_record_iterator

KINDS = ["", "GZIP", "ZLIB"]


def written(path, contents, options=None):
    with TFRecordWriter(path, options) as writer:
        for record in contents:
            writer.write(record)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("piece", [16, 100, 1 << 18])
def test_records_come_back_whatever_the_size_of_a_read(tmp_path, monkeypatch, kind, piece):
    monkeypatch.setattr(records_module, "_CHUNK_SIZE", piece)
    contents = [bytes([i % 256]) * (i * 7 % 300) for i in range(200)]
    path = written(tmp_path / "records", contents, kind)
    assert list(tf_record_iterator(path, kind)) == contents


def test_long_and_short_records_in_turns(tmp_path):
    contents = [b"a" * n for n in (3, 1 << 19, 5, (1 << 18) - 3, (1 << 18) + 1, 0, 1 << 20, 7)]
    assert list(tf_record_iterator(written(tmp_path / "records", contents))) == contents


@settings(deadline=None, max_examples=60)
@given(st.lists(st.binary(max_size=50), max_size=6), st.data(), st.sampled_from(KINDS))
def test_damage_is_a_data_loss_with_a_place_or_the_end(tmp_path_factory, contents, data, kind):
    path = written(tmp_path_factory.mktemp("damage") / "records", contents, kind)
    whole = path.read_bytes()
    if not whole:
        return
    damaged = bytearray(whole)
    if data.draw(st.booleans()):
        damaged[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    else:
        damaged = damaged[: data.draw(st.integers(0, len(whole) - 1))]
    path.write_bytes(bytes(damaged))
    found, said = [], str(path)
    try:
        for record in tf_record_iterator(path, kind):
            found.append(record)
    except errors.DataLossError as error:
        said = error.message
    assert str(path) in said
    # Nothing that was not written is ever handed out.
    assert found == contents[: len(found)]


def test_a_record_that_claims_to_be_huge_takes_no_memory(tmp_path):
    length = struct.pack("<Q", 1 << 60)
    path = tmp_path / "hostile"
    path.write_bytes(length + struct.pack("<I", masked_crc32c(length)) + b"x" * 100)
    with pytest.raises(errors.DataLossError, match="truncated record at 0"):
        list(tf_record_iterator(path))


def test_a_small_file_that_inflates_without_end_is_read_in_bounded_chunks(tmp_path, monkeypatch):
    path = tmp_path / "bomb"
    path.write_bytes(zlib.compress(bytes(1 << 26)))
    asked = []
    real = records_module._extended
    monkeypatch.setattr(records_module, "_extended", lambda *args: asked.append(len(args[0])) or real(*args))
    with pytest.raises(errors.DataLossError):
        list(tf_record_iterator(path, "ZLIB"))
    assert max(asked) <= 1 << 18


def test_what_two_members_of_a_gzip_file_hold_is_read(tmp_path):
    one = written(tmp_path / "one", [b"1", b"2"], "GZIP").read_bytes()
    (tmp_path / "two").write_bytes(one + one)
    assert list(tf_record_iterator(tmp_path / "two", "GZIP")) == [b"1", b"2"] * 2


def test_zlib_settings_are_used(tmp_path):
    contents = [b"abc" * 1000] * 20
    sizes = []
    for level in (0, 1, 9):
        options = TFRecordOptions("ZLIB", compression_level=level, mem_level=8, window_bits=12, compression_strategy=0)
        path = written(tmp_path / str(level), contents, options)
        assert list(tf_record_iterator(path, options)) == contents
        sizes.append(path.stat().st_size)
    assert sizes[0] > sizes[1] >= sizes[2]


def test_urls_of_fsspec_are_read_and_written():
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").store.clear()
    written("memory://records/a", [b"one", b"two"])
    assert list(tf_record_iterator("memory://records/a")) == [b"one", b"two"]


def test_what_the_interpreter_still_holds_at_its_end_is_written(tmp_path):
    program = """
        import headrace as tf
        from headrace.files.records import TFRecordWriter
        writer = tf.summary.FileWriterCache.get("logs")
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 7)
        writer.packed = TFRecordWriter("packed", "GZIP")
        writer.packed.write(b"a record")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, check=True)
    (path,) = (tmp_path / "logs").iterdir()
    assert [event.step for event in summary_iterator(str(path))][-1] == 7
    assert list(tf_record_iterator(tmp_path / "packed", "GZIP")) == [b"a record"]
