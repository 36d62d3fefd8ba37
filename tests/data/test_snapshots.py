"""Snapshots: elements of every kind come back, passes that end early leave nothing, and damaged files are told."""

from __future__ import annotations

import gzip
import os
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core import errors
from headrace.core.dtypes import as_dtype
from headrace.core.file_effects import find_writer
from headrace.data.tuning import snapshot
from headrace.files.checkpoint import wire
from headrace.files.records import TFRecordWriter, tf_record_iterator
from headrace.files.tensor_messages import tensor_message
from headrace.ops.data import snapshots

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS.parent / "tools" / "oracle"))

from make_caches import CASES, elements, opened  # noqa: E402  the path to it is made one line above

Dataset = tf.data.Dataset
COMPRESSIONS = [None, "GZIP"]


def shown(values):
    """Fetched values as text that tells types and shapes apart."""
    return repr([np.asarray(value) if isinstance(value, np.generic) else value for value in values])


def kept(path, make=lambda: Dataset.range(4), after=lambda dataset: dataset, **options):
    """The elements of a dataset with a snapshot, and the name of the error that ended them, if one did."""
    found, error = elements(tf, lambda: after(make().apply(snapshot(str(path), **options))))
    return shown(found), error


def integers(*values):
    return shown([np.int64(value) for value in values])


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("name", sorted(set(CASES) - {"datasets"}))
def test_elements_of_every_kind_come_back(tmp_path, name, compression):
    expected = elements(tf, lambda: opened(tf, name, CASES[name](tf)))
    assert expected[1] is None

    def read(make):
        return kept(tmp_path, make, lambda dataset: opened(tf, name, dataset), compression=compression)

    assert read(lambda: CASES[name](tf)) == (shown(expected[0]), None)
    # Nothing of it comes from the pipeline.
    assert read(lambda: CASES[name](tf).take(0)) == (shown(expected[0]), None)
    assert len(files(tmp_path)) == (1 if name == "nothing" else 2)


def test_a_dataset_in_a_snapshot_is_an_error_in_its_place(tmp_path):
    def windows():
        return kept(
            tmp_path, lambda: Dataset.range(4).window(2), lambda dataset: dataset.flat_map(lambda window: window)
        )

    assert windows() == (integers(0, 1, 2, 3), None)
    assert windows() == ("[]", "InternalError")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_large_snapshots_are_several_files(tmp_path, compression):
    noise = np.random.RandomState(0).rand(7, 100_000).astype(np.float32)
    make = lambda: Dataset.from_tensor_slices(noise)  # noqa: E731
    first = kept(tmp_path, make, compression=compression, shard_size_bytes=1 << 20)
    # The third of 400 kB is the one that fills a file of a MiB.
    assert [name.split("/")[1] for name in files(tmp_path)[:-1]] == [f"{i:08d}.snapshot" for i in range(3)]
    assert kept(tmp_path, lambda: make().take(0)) == first


def test_records_are_tensorflows_messages(tmp_path):
    from headrace.messages.protos import TensorProto
    from headrace.messages.tensor_proto import MakeNdarray

    kept(tmp_path, lambda: Dataset.from_tensor_slices(([1.5, 2.5], ["a", "bc"])))
    (path,) = tmp_path.glob("*/00000000.snapshot")
    found = []
    for record in tf_record_iterator(str(path)):
        assert [number for number, _, _ in wire.fields(record)] == [1, 1]
        found.append([MakeNdarray(TensorProto.FromString(value)).item() for _, _, value in wire.fields(record)])
    assert found == [[1.5, b"a"], [2.5, b"bc"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compression": "ZLIB"}, "compression must be either '' or 'GZIP'"),
        ({"shard_size_bytes": 1}, "shard_size_bytes must be at least 1 MiB"),
        ({"pending_snapshot_expiry_seconds": 0}, "pending_snapshot_expiry_seconds must be at least 1 second"),
    ],
)
def test_options_that_are_refused(tmp_path, options, message):
    iterator = Dataset.range(1).apply(snapshot(str(tmp_path), **options)).make_initializable_iterator()
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match=message):
        session.run(iterator.initializer)


def test_snapshots_count_as_written():
    kept_dataset = Dataset.range(3).apply(snapshot("/tmp/s"))
    assert find_writer([kept_dataset.make_initializable_iterator().initializer]) is not None


# ---- passes that end early ----


def following(path, **options):
    return Dataset.range(4).apply(snapshot(str(path), **options)).make_one_shot_iterator().get_next()


def taken(session, tensor, count):
    return [int(session.run(tensor)) for _ in range(count)]


def test_a_pass_that_is_given_up_leaves_nothing(tmp_path):
    tensor = following(tmp_path)
    with tf.Session() as session:
        assert taken(session, tensor, 2) == [0, 1]
        assert "pending" in files(tmp_path)
        assert "snapshot.metadata" not in files(tmp_path)
    assert os.listdir(tmp_path) == []
    assert kept(tmp_path, lambda: Dataset.range(2)) == (integers(0, 1), None)


def test_only_one_writes_and_the_others_pass(tmp_path):
    one, other = following(tmp_path), following(tmp_path)
    with tf.Session() as session:
        assert taken(session, one, 2) == [0, 1]
        assert taken(session, other, 4) == [0, 1, 2, 3]
        with pytest.raises(errors.OutOfRangeError):
            session.run(other)
        assert "snapshot.metadata" not in files(tmp_path)
        assert taken(session, one, 2) == [2, 3]
        with pytest.raises(errors.OutOfRangeError):
            session.run(one)
    assert kept(tmp_path, lambda: Dataset.range(0)) == (integers(0, 1, 2, 3), None)


def test_a_run_that_was_given_up_on_does_not_come_back(tmp_path):
    one = following(tmp_path)
    with tf.Session() as session:
        assert taken(session, one, 2) == [0, 1]
        os.utime(tmp_path / "pending", (0, 0))
        assert kept(tmp_path, lambda: Dataset.range(2)) == (integers(0, 1), None)
        whole = files(tmp_path)
        # The first goes on, and what it has is not taken for the snapshot.
        assert taken(session, one, 2) == [2, 3]
        with pytest.raises(errors.OutOfRangeError):
            session.run(one)
        assert files(tmp_path) == whole
    assert kept(tmp_path, lambda: Dataset.range(0)) == (integers(0, 1), None)


@pytest.mark.parametrize("content", [b"", b"../../etc", b"x" * 16, b"\xff" * 16])
def test_a_strange_pending_file_leads_nowhere(tmp_path, content):
    (tmp_path / "s").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "s" / "pending").write_bytes(content)
    os.utime(tmp_path / "s" / "pending", (0, 0))
    assert kept(tmp_path / "s", lambda: Dataset.range(2)) == (integers(0, 1), None)
    assert (tmp_path / "other").exists()


def test_a_part_that_is_repeated_never_completes_a_snapshot(tmp_path):
    kept_part = Dataset.range(4).apply(snapshot(str(tmp_path))).take(2).repeat()
    tensor = kept_part.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert taken(session, tensor, 5) == [0, 1, 0, 1, 0]
    assert os.listdir(tmp_path) == []


# ---- files that are not what they say ----


class Bomb:
    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("compressed", [False, True])
def test_earlier_snapshots_are_refused_and_do_not_run(tmp_path, compressed):
    target = tmp_path / "ran"
    folder = tmp_path / "s"
    folder.mkdir()
    payload = pickle.dumps((Bomb(target),), pickle.HIGHEST_PROTOCOL)
    (folder / "00000000.part").write_bytes(gzip.compress(payload) if compressed else payload)
    (folder / "snapshot.headrace").write_text(f"{'gzip' if compressed else 'plain'}\n00000000.part")
    iterator = Dataset.range(2).apply(snapshot(str(folder))).make_initializable_iterator()
    with (
        tf.Session() as session,
        pytest.raises(errors.DataLossError, match=r"earlier version.*can run code\. Delete it"),
    ):
        session.run(iterator.initializer)
    (folder / "snapshot.metadata").write_bytes(payload)
    (folder / "snapshot.headrace").unlink()
    element = following(folder)
    with (
        tf.Session() as session,
        pytest.raises(errors.DataLossError, match=r"earlier version.*can run code\. Delete it"),
    ):
        session.run(element)
    assert not target.exists()


def outcomes(path, make=lambda: Dataset.range(4), steps=8):
    """What each step gives: an element, the name of an error, or "end"."""
    found = []
    with tf.Graph().as_default():
        tensor = make().apply(snapshot(str(path))).make_one_shot_iterator().get_next()
        with tf.Session() as session:
            for _ in range(steps):
                try:
                    found.append(repr(session.run(tensor)))
                except errors.OutOfRangeError:
                    return [*found, "end"]
                except errors.OpError as error:
                    found.append(type(error).__name__)
    return found


def everything():
    """Elements with a component of each kind that is stored in its own way."""
    return Dataset.range(3).map(
        lambda i: (
            i,
            tf.cast([i, 2], tf.bfloat16),
            tf.equal([i, 1], 1),
            tf.as_string([i, 300]),
            tf.SparseTensor([[i]], [tf.as_string(i)], [4]),
            tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3]),
        )
    )


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), st.booleans(), st.data())
def test_any_damage_is_reported(tmp_path, compressed, metadata, data):
    whole = tmp_path / f"whole{compressed}"
    if not whole.exists():
        kept(whole, everything, compression="GZIP" if compressed else None)
    expected = outcomes(whole, everything)
    assert len(expected) == 4
    damaged = tmp_path / "damaged"
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(whole, damaged)
    path = next(damaged.glob("snapshot.metadata" if metadata else "*/00000000.snapshot"))
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    got = outcomes(damaged, everything)
    told = [element for element in got if element in ("DataLossError", "UnimplementedError", "InvalidArgumentError")]
    assert told or got == expected
    assert all(element in expected for element in got if element not in told)


def test_a_file_with_fewer_elements_than_there_were(tmp_path):
    kept(tmp_path)
    (path,) = tmp_path.glob("*/00000000.snapshot")
    records = list(tf_record_iterator(str(path)))
    with TFRecordWriter(str(path)) as writer:
        for record in records[:2]:
            writer.write(record)
    assert outcomes(tmp_path) == [repr(np.int64(0)), repr(np.int64(1)), "DataLossError", "end"]


def test_a_file_that_is_gone(tmp_path):
    kept(tmp_path)
    (path,) = tmp_path.glob("*/00000000.snapshot")
    path.unlink()
    assert outcomes(tmp_path) == ["NotFoundError", "end"]


def with_record(folder, *fields):
    """A snapshot of one record of fields: (number, bytes)."""
    kept(folder, lambda: Dataset.range(1))
    (path,) = folder.glob("*/00000000.snapshot")
    with TFRecordWriter(str(path)) as writer:
        writer.write(b"".join(wire.bytes_field(*field) for field in fields))


def message(values, dtype="int64"):
    return tensor_message(as_dtype(dtype), np.array(values, dtype))


HUGE = wire.number_field(1, 9) + wire.bytes_field(2, wire.bytes_field(2, wire.number_field(1, 1 << 40)))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ([], "DataLossError"),
        ([(1, message(3)), (1, message(3))], "DataLossError"),
        ([(2, message(3))], "DataLossError"),
        ([(1, b"")], "DataLossError"),
        ([(1, b"\x08")], "DataLossError"),
        ([(1, HUGE)], "DataLossError"),
        ([(1, HUGE + wire.bytes_field(4, b"12345678"))], "DataLossError"),
        ([(1, HUGE + wire.bytes_field(10, b"\x01"))], "DataLossError"),
        ([(1, message(3)[:2] + wire.bytes_field(4, b"1234"))], "DataLossError"),
        ([(1, message(3.0, "float32"))], "InternalError"),
        ([(1, message([3]))], "InvalidArgumentError"),
    ],
)
def test_crafted_records_are_refused(tmp_path, fields, error):
    with_record(tmp_path, *fields)
    assert outcomes(tmp_path) == [error, "end"]


def metadata(folder, *fields):
    with TFRecordWriter(str(folder / "snapshot.metadata")) as writer:
        writer.write(b"".join(wire.bytes_field(*field) for field in fields))


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [(2, b"../../../etc/xxx")],
        [(2, b"/etc/etc/etc/etc")],
        [(2, b"0123456789abcde\n"), (5, b"\x01")],
        [(2, b"0123456789abcdef"), (4, b"LZ4"), (5, b"\x01")],
        [(2, b"0123456789abcdef"), (5, b"\xff")],
    ],
)
def test_crafted_metadata_leads_nowhere(tmp_path, fields):
    metadata(tmp_path, *fields)
    assert outcomes(tmp_path)[0] == "DataLossError"


def test_old_and_new_names_are_what_they_were():
    # A folder of the earlier format is known by the first, and one of this by the second.
    assert (snapshots._DONE_EARLIER, snapshots._DONE) == ("snapshot.headrace", "snapshot.metadata")
