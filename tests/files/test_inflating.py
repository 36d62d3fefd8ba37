"""Compressed files and texts that stand for more than a machine can hold end in an error, not in its memory."""

import gzip
import struct
import zlib

import pytest
from dataset_elements import elements

import headrace as tf
from headrace.files import inflating
from headrace.files.records import masked_crc32c

MOST = 1 << 20


@pytest.fixture(autouse=True)
def _small_machine(monkeypatch):
    monkeypatch.setattr(inflating, "most_held", lambda: MOST)
    monkeypatch.setattr("headrace.files.records._LARGEST_READ", MOST // 4)


@pytest.mark.parametrize("packed", [zlib.compress, gzip.compress])
def test_a_compressed_text(packed):
    kind = "ZLIB" if packed is zlib.compress else "GZIP"
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string)
        plain = tf.io.decode_compressed(text, kind)
        assert session.run(plain, {text: packed(b"a" * MOST)}) == b"a" * MOST
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"decode_compressed: what .* bytes decompress to"):
            session.run(plain, {text: packed(b"a" * (MOST + 1))})


def record(data, length):
    head = struct.pack("<Q", length)
    parts = head, struct.pack("<I", masked_crc32c(head)), data, struct.pack("<I", masked_crc32c(data))
    return b"".join(parts)


@pytest.mark.parametrize(
    ("plain", "dataset"),
    [
        (record(b"\0" * (4 * MOST), 1 << 40), tf.data.TFRecordDataset),
        (b"a" * (4 * MOST), tf.data.TextLineDataset),
        (b"a" * (4 * MOST), lambda path, kind: tf.data.experimental.CsvDataset(path, [tf.string], kind)),
    ],
)
def test_a_compressed_file(tmp_path, plain, dataset):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(plain))
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"bomb\.gz"):
        elements(lambda: dataset(str(path), "GZIP"))


def test_long_lines_and_records_that_fit(tmp_path):
    lines = [b"a" * 600_000, b"", b"b" * 300_000, b"c" * 1_000_000]
    (tmp_path / "lines.gz").write_bytes(gzip.compress(b"\r\n".join(lines)))
    assert elements(lambda: tf.data.TextLineDataset(str(tmp_path / "lines.gz"), "GZIP")) == lines
    (tmp_path / "records.gz").write_bytes(gzip.compress(b"".join(record(line, len(line)) for line in lines)))
    assert elements(lambda: tf.data.TFRecordDataset(str(tmp_path / "records.gz"), "GZIP")) == lines


def test_a_reader_of_records_of_fixed_length(tmp_path):
    path = tmp_path / "bomb"
    path.write_bytes(zlib.compress(b"a" * (MOST + 1)))
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.train.string_input_producer([str(path)], shuffle=False)
        _, value = tf.FixedLengthRecordReader(4, encoding="ZLIB").read(queue)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="bomb: what it decompresses to"):
            session.run(value)
        coordinator.request_stop()
        coordinator.join(threads)
