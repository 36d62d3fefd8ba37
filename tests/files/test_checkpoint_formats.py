"""The checkpoint formats: files of TensorFlow 1.15.5 read and written to the byte, damage, and the order of renames."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headrace.core import errors
from headrace.core.dtypes import as_dtype
from headrace.files.checkpoint import atomic, bundle, bundle_writer, slices, wire
from headrace.files.checkpoint.bundle import BundleReader
from headrace.files.checkpoint.bundle_writer import BundleWriter
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.checkpoint.slice_table import SliceTableWriter
from headrace.files.checkpoint.snappy import decompress
from headrace.files.checkpoint.table import Table, TableWriter

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures" / "checkpoints"
sys.path.insert(0, str(TESTS.parent / "tools" / "oracle"))

from make_checkpoints import NOT_IN_V1, values  # noqa: E402  the path to it is made one line above

VALUES = values(lambda name: np.dtype(as_dtype(name).as_numpy_dtype))
IN_V1 = {name: value for name, value in VALUES.items() if name.split("/")[-1] not in NOT_IN_V1}
REFUSALS = (
    errors.DataLossError,
    errors.OutOfRangeError,
    errors.InvalidArgumentError,
    errors.NotFoundError,
    errors.UnimplementedError,
)


def same(got, expected):
    got = np.asarray(got, object if expected.dtype == object else None)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes() if got.dtype != object else np.array_equal(got, expected)


def written(prefix, arrays):
    with BundleWriter(str(prefix)) as writer:
        for name in sorted(arrays):
            writer.add(name, as_dtype(arrays[name].dtype), arrays[name])
        writer.finish()


# ---- TensorFlow's files ----


@pytest.mark.parametrize("name", sorted(VALUES))
def test_every_type_of_a_bundle_is_read(name):
    same(CheckpointReader(FIXTURES / "types").get_tensor(name), VALUES[name])


@pytest.mark.parametrize("name", sorted(IN_V1))
def test_every_type_of_the_older_format_is_read(name):
    same(CheckpointReader(FIXTURES / "types_v1").get_tensor(name), VALUES[name])


def test_a_bundle_is_written_to_the_byte(tmp_path):
    written(tmp_path / "types", VALUES)
    for suffix in (".index", ".data-00000-of-00001"):
        assert (tmp_path / f"types{suffix}").read_bytes() == (FIXTURES / f"types{suffix}").read_bytes()
    assert len(os.listdir(tmp_path)) == 2


def test_the_older_format_is_written_to_the_byte(tmp_path):
    writer = SliceTableWriter(str(tmp_path / "types_v1"))
    for name in sorted(IN_V1):
        array = IN_V1[name]
        writer.add(name, array.shape, slices.everything(array.ndim), as_dtype(array.dtype), array)
    writer.finish()
    # The order of the tensors in the list of them is that of a hash table there: only what they are is compared.
    ours, theirs = Table(str(tmp_path / "types_v1")), Table(str(FIXTURES / "types_v1"))
    assert {key: bytes(value) for key, value in ours if key} == {key: bytes(value) for key, value in theirs if key}
    assert CheckpointReader(tmp_path / "types_v1").get_variable_to_shape_map() == {
        name: list(array.shape) for name, array in IN_V1.items()
    }


@pytest.mark.parametrize("prefix", ["sharded", "sharded_v1-?????-of-00002"])
def test_parts_of_variables_are_joined(prefix):
    reader, expected = CheckpointReader(FIXTURES / prefix), np.load(FIXTURES / "sharded.npz")
    for name in ("rows", "columns"):
        same(reader.get_tensor(f"parts/{name}"), expected[name])
    same(reader.get_tensor("whole"), expected["whole"])
    assert reader.get_variable_to_shape_map()["parts/rows/Adam"] == [7, 2]


@pytest.mark.parametrize("part", [((0, 7), (0, 2)), ((2, 3), (1, 1)), ((6, 1), (0, -1)), ((0, -1), (0, -1))])
@pytest.mark.parametrize("prefix", ["sharded", "sharded_v1-?????-of-00002"])
def test_slices_are_cut_out_of_parts(prefix, part):
    source = CheckpointReader(FIXTURES / prefix)._source
    expected = np.load(FIXTURES / "sharded.npz")["rows"]
    same(source.tensor("parts/rows", source.entry("parts/rows"), part), expected[slices.index(part)].copy())


def test_many_names_with_long_common_beginnings():
    reader = CheckpointReader(FIXTURES / "many")
    assert len(reader.get_variable_to_shape_map()) == 300
    same(reader.get_tensor("layer_217/weights_of_the_layer"), np.array([217, 217], np.float32))


# ---- tables ----


def test_snappy_blocks_are_read(tmp_path):
    # Literal "abcd", a copy of 8 from 4 back (it overlaps itself), a copy of 5 from 12 back.
    block = bytes([17, 3 << 2]) + b"abcd" + bytes([(8 - 4) << 2 | 1, 4]) + bytes([(5 - 1) << 2 | 2, 12, 0])
    assert decompress(block) == b"abcdabcdabcdabcda"
    for damaged in (block[:-1], b"\xff" + block, block[:1], bytes([17, 3 << 2]) + b"abc"):
        with pytest.raises(wire.Damaged):
            decompress(damaged)
    with pytest.raises(wire.Damaged, match="claim"):
        decompress(wire.varint(1 << 40) + b"\0")


@given(st.dictionaries(st.binary(max_size=30), st.binary(max_size=2000), max_size=60))
@settings(max_examples=30, deadline=None)
def test_tables_hold_what_was_put_in(entries):
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"headrace_table_{os.getpid()}"
    try:
        with path.open("wb") as file:
            writer = TableWriter(file)
            for key in sorted(entries):
                writer.add(key, entries[key])
            writer.finish()
        table = Table(str(path))
        assert {key: bytes(value) for key, value in table} == entries
        for key in [*entries, b"\xff" * 31]:
            found = table.find(key)
            assert (None if found is None else bytes(found[0])) == entries.get(key)
    finally:
        path.unlink()


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_packed_numbers_come_back(numbers):
    array = np.array(numbers, np.uint64)
    assert np.array_equal(wire.unpack_varints(wire.pack_varints(array)), array)
    assert wire.pack_varints(array) == b"".join(map(wire.varint, numbers))


# ---- writing over a checkpoint ----


def crash_points(overwrite):
    """Runs `overwrite` again and again, ending the process at its first, second, … change to the disk."""
    point = 0
    while True:
        point += 1
        child = os.fork()
        if child == 0:
            left = [point]

            def killing(function, left=left):
                def call(*args, **kwargs):
                    left[0] -= 1
                    if left[0] == 0:
                        os._exit(9)
                    return function(*args, **kwargs)

                return call

            for name in ("replace", "link", "unlink", "fsync"):
                setattr(os, name, killing(getattr(os, name)))
            try:
                overwrite()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        yield point
        if os.waitstatus_to_exitcode(status) == 0:
            return


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("shards", [1, 2])
def test_a_checkpoint_written_over_is_the_old_or_the_new_one(tmp_path, shards):
    prefix = str(tmp_path / "model")

    def save(value):
        parts = []
        for shard in range(shards):
            parts.append(f"{prefix}_temp/part-{shard}")
            written(parts[-1], {f"v{shard}": np.full([3], value, np.float32)})
        bundle_writer.merge(parts, prefix)

    save(0.0)
    value = 0.0
    for _ in crash_points(lambda: save(value + 1)):  # noqa: B023  the value of now is what is meant
        reader = CheckpointReader(prefix)
        seen = {float(x) for shard in range(shards) for x in reader.get_tensor(f"v{shard}")}
        assert seen in ({value}, {value + 1})
        value += 1
        save(value)
        assert {float(x) for x in CheckpointReader(prefix).get_tensor("v0")} == {value}
        files = sorted(name for name in os.listdir(tmp_path) if name.startswith("model.") and "tempstate" not in name)
        assert files == [*(f"model.data-0000{i}-of-0000{shards}" for i in range(shards)), "model.index"]


def test_without_hard_links_a_checkpoint_can_be_written_over(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    for value in range(4):
        written(tmp_path / "model", {"v": np.array(float(value))})
        assert CheckpointReader(tmp_path / "model").get_tensor("v") == value
        assert len(os.listdir(tmp_path)) == 2


def test_what_cannot_be_finished_leaves_nothing(tmp_path):
    def twice():
        with BundleWriter(str(tmp_path / "m")) as writer:
            for _ in range(2):
                writer.add("a", as_dtype("float32"), np.zeros(3, np.float32))

    with pytest.raises(errors.InvalidArgumentError, match="duplicate key: a"):
        twice()
    assert os.listdir(tmp_path) == []


# ---- damage ----


def read_everything(prefix):
    reader = CheckpointReader(prefix)
    reader.debug_string()
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def refusal_of(prefix):
    try:
        read_everything(prefix)
    except REFUSALS as error:
        return error
    return None


def copied(tmp_path, names):
    for name in names:
        (tmp_path / name).write_bytes((FIXTURES / name).read_bytes())


CHECKPOINTS = {
    "types": ["types.index", "types.data-00000-of-00001"],
    "types_v1": ["types_v1"],
    "sharded": ["sharded.index", "sharded.data-00000-of-00002", "sharded.data-00001-of-00002"],
    "sharded_v1-?????-of-00002": ["sharded_v1-00000-of-00002", "sharded_v1-00001-of-00002"],
}


@pytest.mark.parametrize("prefix", sorted(CHECKPOINTS))
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_refused_by_name(tmp_path, prefix, data):
    copied(tmp_path, CHECKPOINTS[prefix])
    file = tmp_path / data.draw(st.sampled_from(CHECKPOINTS[prefix]))
    content = bytearray(file.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    file.write_bytes(content)
    refused = refusal_of(tmp_path / prefix)
    if refused is None:
        # Padding of the footer is checked by nothing, there or here.
        assert len(content) - 48 <= at < len(content) - 8
    elif isinstance(refused, errors.DataLossError | errors.OutOfRangeError):
        assert str(tmp_path) in refused.message
        assert "byte" in refused.message


def hostile(tmp_path, entries, data=b"12345678"):
    """A bundle with right checksums and the given entries."""
    with (tmp_path / "bad.index").open("wb") as file:
        writer = TableWriter(file)
        for key in sorted(entries):
            writer.add(key, entries[key])
        writer.finish()
    (tmp_path / "bad.data-00000-of-00001").write_bytes(data)
    return tmp_path / "bad"


HEADER = wire.number_field(1, 1)
FLOAT = as_dtype("float32")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (bundle.Entry(FLOAT, (1 << 40,), size=8), "do not fit its shape"),
        (bundle.Entry(FLOAT, (2,), offset=1 << 50, size=8), "it ends before byte"),
        (bundle.Entry(FLOAT, (2,), offset=1, size=8), "it ends before byte"),
        (bundle.Entry(FLOAT, (2,), shard=7, size=8), "data file 7 of 1"),
        (bundle.Entry(FLOAT, (2,), size=8, crc=1), "Checksum does not match"),
        (bundle.Entry(as_dtype("string"), (1 << 40,), size=8), "too short"),
        (bundle.Entry(FLOAT, (4,), slices=[((2, 9),)]), "lies outside"),
        (bundle.Entry(FLOAT, (4,), slices=[((0, 4),)]), "is missing"),
        (bundle.Entry(FLOAT, (1 << 40, 1 << 40), size=8), "cannot be"),
    ],
)
def test_hostile_entries_are_refused(tmp_path, entry, words):
    # A file that is too short for its index is what 1.15 calls out of range.
    kind = errors.OutOfRangeError if words == "it ends before byte" else errors.DataLossError
    with pytest.raises(kind, match=words) as caught:
        CheckpointReader(hostile(tmp_path, {b"": HEADER, b"v": entry.message()})).get_tensor("v")
    assert str(tmp_path / "bad") in caught.value.message


def test_names_that_are_no_text_are_read(tmp_path):
    """What was written is there under the bytes of its name, as paths of the system are."""
    entry = wire.number_field(1, FLOAT.as_datatype_enum) + wire.number_field(5, 8)
    prefix = hostile(tmp_path, {b"": HEADER, b"\xff\xfe": entry})
    reader = CheckpointReader(str(prefix))
    assert reader.get_variable_to_shape_map() == {"\udcff\udcfe": []}
    assert reader.debug_string() == b"\xff\xfe (DT_FLOAT) []\n"


def test_slices_that_do_not_cover_a_tensor_are_no_damage(tmp_path):
    # TensorFlow 1.15.5 raises InvalidArgumentError: slots of divided variables are saved under the names of the parts.
    entry = bundle.Entry(FLOAT, (1 << 20, 1 << 20), slices=[((0, 1), (0, 1))])
    reader = CheckpointReader(hostile(tmp_path, {b"": HEADER, b"v": entry.message()}))
    with pytest.raises(errors.InvalidArgumentError, match="of v do not cover"):
        reader.get_tensor("v")


@given(st.binary(max_size=60), st.binary(max_size=60))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_as_entries_are_refused_or_read(tmp_path, header, entry):
    for entries in ({b"": header, b"v": entry}, {b"": HEADER, b"v": entry}):
        refusal_of(hostile(tmp_path, entries))
    old = tmp_path / "old"
    with old.open("wb") as file:
        writer = TableWriter(file)
        meta = wire.bytes_field(1, wire.bytes_field(1, entry))
        writer.add(b"", header if entry.startswith(b"\0") else meta)
        writer.add(slices.slice_key("v", ((0, -1),)), entry)
        writer.finish()
    refusal_of(old)


def test_a_later_version_is_refused(tmp_path):
    header = HEADER + wire.bytes_field(3, wire.number_field(1, 9) + wire.number_field(2, 9))
    with pytest.raises(errors.InvalidArgumentError, match="version 9"):
        CheckpointReader(hostile(tmp_path, {b"": header}))


def test_a_big_endian_bundle_is_refused(tmp_path):
    with pytest.raises(errors.UnimplementedError, match="big-endian"):
        BundleReader(str(hostile(tmp_path, {b"": HEADER + wire.number_field(2, 1)})))


def test_other_file_systems_are_refused():
    with pytest.raises(errors.UnimplementedError, match=r"tf\.gfile\.Copy"):
        CheckpointReader("memory://somewhere/model")


def gone_process():
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.mark.parametrize("write", ["bundle", "table"])
def test_what_killed_writers_left_is_taken_away(tmp_path, write):
    gone = gone_process()
    left = [
        tmp_path / f"model.data-00000-of-00001.tempstate{gone}_0123456789ab",
        tmp_path / f"a.tempstate{gone}_aaaaaaaaaaaa",
    ]
    locked = tmp_path / f"b.tempstate{gone}_bbbbbbbbbbbb"
    kept = [
        tmp_path / f"c.tempstate{os.getpid()}_0123456789ab",
        tmp_path / "d.tempstate_mine",
        tmp_path / f"e{gone}_0123456789ab",
    ]
    for path in [*left, *kept]:
        path.write_bytes(b"part")
    # A writer on another machine, whose process is not known here.
    with atomic.open_temporary(str(locked)):
        if write == "bundle":
            with bundle_writer.BundleWriter(str(tmp_path / "model")) as writer:
                writer.add("v", FLOAT, np.zeros(3, np.float32))
                writer.finish()
        else:
            writer = SliceTableWriter(str(tmp_path / "model"))
            writer.add("v", (3,), ((0, -1),), FLOAT, np.zeros(3, np.float32))
            writer.finish()
        assert locked.exists()
    assert [path.exists() for path in left] == [False, False]
    assert all(path.exists() for path in kept)
    assert len([path for path in tmp_path.iterdir() if ".tempstate" in path.name]) == 3


def test_a_reader_of_what_is_not_there(tmp_path):
    """The classes are those of 1.15.5."""
    with pytest.raises(errors.NotFoundError, match="any matching files"):
        CheckpointReader(str(tmp_path / "model"))
    with pytest.raises(errors.InvalidArgumentError, match="no folder"):
        CheckpointReader(str(tmp_path / "none" / "model"))
