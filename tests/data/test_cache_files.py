"""Caches in files: TensorFlow 1.15.5's read here and ours there, and passes that end early."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kept_caches import cached, numbers, plain, written

import headrace as tf
from headrace.core import errors
from headrace.core.dtypes import as_dtype
from headrace.files.checkpoint.bundle import BundleReader, read_entry
from headrace.files.checkpoint.bundle_writer import BundleWriter
from headrace.ops.data import caching

TESTS = Path(__file__).resolve().parent.parent
FIXTURES = TESTS / "fixtures" / "caches"
sys.path.insert(0, str(TESTS.parent / "tools" / "oracle"))

from make_caches import CASES, elements, opened  # noqa: E402  the path to it is made one line above
from make_goldens import oracle_python  # noqa: E402  likewise

Dataset = tf.data.Dataset
KEPT = sorted(set(CASES) - {"datasets"})


# ---- TensorFlow's files ----


@pytest.mark.parametrize("name", KEPT)
def test_what_tensorflow_cached_is_read(name):
    expected, _ = elements(tf, lambda: opened(tf, name, CASES[name](tf)))
    # Nothing of it comes from the pipeline.
    got, error = elements(tf, lambda: opened(tf, name, CASES[name](tf).take(0).cache(str(FIXTURES / name))))
    assert error is None
    assert plain(got) == plain(expected)


def test_a_dataset_in_a_cache_is_an_error_in_its_place(tmp_path):
    def windows(path):
        return cached(path, lambda: Dataset.range(4).window(2), lambda dataset: dataset.flat_map(lambda window: window))

    assert windows(FIXTURES / "datasets") == ([], "InternalError")
    # As there, the pass that writes it goes through.
    assert windows(tmp_path / "c") == (numbers(0, 1, 2, 3), None)
    assert windows(tmp_path / "c") == ([], "InternalError")


@pytest.mark.parametrize("name", sorted(set(CASES) - {"counted"}))
def test_what_is_written_here_has_tensorflows_entries(tmp_path, name):
    elements(tf, lambda: opened(tf, name, CASES[name](tf).cache(str(tmp_path / name))))

    def described(folder):
        reader = BundleReader(str(folder / name))
        found = [(key, read_entry(message, "", 0)) for key, message, _ in reader.placed()]
        return [(key, entry.dtype, entry.dims, entry.shard) for key, entry in found]

    assert described(tmp_path) == described(FIXTURES)
    if name in ("numbers", "quantized", "strings", "unknown_sizes", "nothing", "datasets"):
        # Where no message is inside, to the byte.
        for path in FIXTURES.glob(name + ".*"):
            assert (tmp_path / path.name).read_bytes() == path.read_bytes()
        assert len(os.listdir(tmp_path)) == len(list(FIXTURES.glob(name + ".*")))


READING = """
import sys
sys.path.insert(0, {tools!r})
import tensorflow as tf
from make_caches import CASES, elements, opened
for name in sorted(set(CASES) - {{"datasets"}}):
    expected = elements(tf, lambda: opened(tf, name, CASES[name](tf)))
    got = elements(tf, lambda: opened(tf, name, CASES[name](tf).take(0).cache({folder!r} + "/" + name)))
    assert expected[1] is None and repr(got) == repr(expected), (name, got, expected)
    print(name)
"""


@pytest.mark.oracle
@pytest.mark.skipif(oracle_python() is None, reason="TensorFlow 1.15.5 is not installed: make oracle")
def test_tensorflow_reads_what_is_written_here(tmp_path):
    for name in KEPT:
        elements(tf, lambda name=name: opened(tf, name, CASES[name](tf).cache(str(tmp_path / name))))
    text = READING.format(tools=str(TESTS.parent / "tools" / "oracle"), folder=str(tmp_path))
    done = subprocess.run(
        [str(oracle_python()), "-W", "ignore", "-c", text],
        env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == KEPT, done.stderr[-2000:]


@pytest.mark.oracle
@pytest.mark.skipif(oracle_python() is None, reason="TensorFlow 1.15.5 is not installed: make oracle")
def test_fixtures_are_what_tensorflow_writes(tmp_path):
    script = TESTS.parent / "tools" / "oracle" / "make_caches.py"
    subprocess.run([str(oracle_python()), str(script), str(tmp_path / "caches")], check=True, capture_output=True)
    assert sorted(os.listdir(tmp_path / "caches")) == sorted(os.listdir(FIXTURES))
    for path in FIXTURES.iterdir():
        assert (tmp_path / "caches" / path.name).read_bytes() == path.read_bytes()


# ---- every type and shape ----

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
         "complex64", "complex128", "bfloat16", "string"]  # fmt: skip


@st.composite
def rows(draw):
    """An array of a type's elements, at least one row, whose bits are any."""
    dtype = as_dtype(draw(st.sampled_from(TYPES)))
    shape = (draw(st.integers(1, 3)), *draw(st.lists(st.integers(0, 3), max_size=3)))
    count = int(np.prod(shape))
    if dtype.name == "string":
        flat = np.empty(count, object)
        flat[:] = draw(st.lists(st.binary(max_size=200), min_size=count, max_size=count))
        return flat.reshape(shape)
    if dtype.name == "bool":
        return np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool).reshape(shape)
    kind = np.dtype(dtype.as_numpy_dtype)
    raw = draw(st.binary(min_size=count * kind.itemsize, max_size=count * kind.itemsize))
    return np.frombuffer(raw, kind).reshape(shape)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows(), min_size=1, max_size=3))
def test_elements_come_back_as_they_were(tmp_path, arrays):
    folder = tmp_path / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    count = min(len(array) for array in arrays)

    def make():
        given_rows = tuple(tf.constant(array[:count], as_dtype(array.dtype)) for array in arrays)
        return Dataset.from_tensor_slices(given_rows)

    first, again = cached(folder / "c", make), cached(folder / "c", make)
    assert first == again
    assert len(first[0]) == count
    assert first[0][0] == [plain(array[0]) for array in arrays]


def test_large_elements_and_many_small_ones(tmp_path):
    large = np.arange(300_000, dtype=np.float32)

    def make():
        return Dataset.from_tensors((large, "x" * 300_000)).repeat(2)

    assert cached(tmp_path / "large", make) == cached(tmp_path / "large", make)
    assert cached(tmp_path / "many", lambda: Dataset.range(30_000))[0] == numbers(*range(30_000))
    # More than one block of the index, and more than one piece of the data.
    assert os.path.getsize(tmp_path / "many.index") > 1 << 18
    assert cached(tmp_path / "many", lambda: Dataset.range(0))[0] == numbers(*range(30_000))


def test_what_is_read_may_be_written_to(tmp_path):
    def make():
        return Dataset.from_tensors(np.zeros(3, np.float32))

    written(tmp_path / "c", make)
    (array,), _ = elements(tf, lambda: make().cache(str(tmp_path / "c")))
    array += 1
    assert array.tolist() == [1, 1, 1]


def test_resources_are_refused(tmp_path):
    def make():
        return Dataset.range(2).map(lambda i: tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[]))

    # TensorFlow ends the process.
    assert cached(tmp_path / "c", make, lambda dataset: dataset.map(lambda handle: 1)) == ([], "UnimplementedError")
    assert os.listdir(tmp_path) == []


# ---- passes that end early ----


def taken(session, following, count):
    return [int(session.run(following)) for _ in range(count)]


def files(folder):
    return sorted(name for name in os.listdir(folder) if "tempstate" not in name)


def test_a_cache_exists_when_the_last_element_was_taken(tmp_path):
    following = Dataset.range(2).cache(str(tmp_path / "c")).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert files(tmp_path) == []
        for _ in range(2):
            session.run(following)
            assert files(tmp_path) == ["c_0.lockfile"]
        assert (tmp_path / "c_0.lockfile").read_text().startswith("Created at: ")
        with pytest.raises(errors.OutOfRangeError):
            session.run(following)
        assert sorted(os.listdir(tmp_path)) == ["c.data-00000-of-00001", "c.index"]


def test_a_pass_that_is_given_up_leaves_nothing(tmp_path):
    following = Dataset.range(5).cache(str(tmp_path / "c")).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert taken(session, following, 3) == [0, 1, 2]
    assert os.listdir(tmp_path) == []
    assert cached(tmp_path / "c", lambda: Dataset.range(2)) == (numbers(0, 1), None)


def test_an_iterator_that_begins_anew_begins_the_cache_anew(tmp_path):
    iterator = Dataset.range(4).cache(str(tmp_path / "c")).make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert taken(session, following, 2) == [0, 1]
        session.run(iterator.initializer)
        assert os.listdir(tmp_path) == []
        assert taken(session, following, 4) == [0, 1, 2, 3]
        with pytest.raises(errors.OutOfRangeError):
            session.run(following)
    assert cached(tmp_path / "c", lambda: Dataset.range(0))[0] == numbers(0, 1, 2, 3)


@pytest.mark.parametrize("prefetched", [False, True])
def test_a_part_that_is_repeated_never_completes_a_cache(tmp_path, prefetched):
    kept = Dataset.range(4).cache(str(tmp_path / "c")).take(2)
    following = (kept.prefetch(1) if prefetched else kept).repeat().make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert taken(session, following, 7) == [0, 1, 0, 1, 0, 1, 0]
    assert os.listdir(tmp_path) == []


def test_only_one_writes(tmp_path):
    both = Dataset.zip((Dataset.range(2).cache(str(tmp_path / "c")), Dataset.range(2).cache(str(tmp_path / "c"))))
    following = both.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(errors.AlreadyExistsError, match=r"concurrent caching iterator.*Created at: \d+"):
                session.run(following)


def test_a_lock_that_somebody_left_stays(tmp_path):
    (tmp_path / "c_0.lockfile").write_text("mine")
    assert cached(tmp_path / "c") == ([], "AlreadyExistsError")
    assert (tmp_path / "c_0.lockfile").read_text() == "mine"
    # A cache that is complete is read whatever there is.
    shutil.copy(FIXTURES / "nothing.index", tmp_path / "c.index")
    assert cached(tmp_path / "c") == ([], None)


def test_two_caches_of_which_the_second_finds_it_finished(tmp_path):
    first, second = (Dataset.range(2).cache(str(tmp_path / "c")).make_initializable_iterator() for _ in range(2))
    one, other = first.get_next(), second.get_next()
    with tf.Session() as session:
        session.run([first.initializer, second.initializer])
        for following in (one, other):
            assert taken(session, following, 2) == [0, 1]
            with pytest.raises(errors.OutOfRangeError):
                session.run(following)


def test_a_folder_that_is_not_there(tmp_path):
    assert cached(tmp_path / "no" / "c") == ([], "NotFoundError")


def test_an_element_that_fails_is_left_out(tmp_path):
    def make():
        slices_ = Dataset.from_tensor_slices([1.0, float("nan"), 2.0])
        return slices_.map(lambda x: tf.check_numerics(x, "bad")).cache(str(tmp_path / "c"))

    following = make().make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(following) == 1
        with pytest.raises(errors.InvalidArgumentError, match="bad"):
            session.run(following)
        assert session.run(following) == 2
        with pytest.raises(errors.OutOfRangeError):
            session.run(following)
    assert elements(tf, make) == ([1, 2], None)


def test_a_pass_that_cannot_be_written_is_no_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(caching, "_MAX_ELEMENTS", 3)
    following = Dataset.range(5).cache(str(tmp_path / "c")).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert taken(session, following, 3) == [0, 1, 2]
        for _ in range(3):
            with pytest.raises(errors.InvalidArgumentError, match="more than 3 items"):
                session.run(following)
    assert os.listdir(tmp_path) == []


def test_a_place_in_a_pass_is_saved_and_gone_on_from(tmp_path):
    def part(restored):
        with tf.Graph().as_default():
            iterator = Dataset.range(5).cache(str(tmp_path / "c")).make_initializable_iterator()
            following = iterator.get_next()
            saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
            with tf.Session() as session:
                session.run(iterator.initializer)
                if not restored:
                    assert taken(session, following, 2) == [0, 1]
                    saver.save(session, str(tmp_path / "place"))
                    return
                saver.restore(session, str(tmp_path / "place"))
                assert taken(session, following, 3) == [2, 3, 4]
                with pytest.raises(errors.OutOfRangeError):
                    session.run(following)

    part(False)
    assert not (tmp_path / "c.index").exists()
    part(True)
    assert cached(tmp_path / "c", lambda: Dataset.range(0))[0] == numbers(*range(5))
    part(True)


def test_a_place_beyond_the_end_is_the_end(tmp_path):
    iterator = Dataset.range(3).make_initializable_iterator()
    following = iterator.get_next()
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    name = saveable.specs[0].name
    with BundleWriter(str(tmp_path / "place")) as writer:
        writer.add(name, as_dtype("int64"), np.array(2**62))
        writer.finish()
    with tf.Session() as session:
        session.run(iterator.initializer)
        tf.train.Saver([saveable]).restore(session, str(tmp_path / "place"))
        with pytest.raises(errors.OutOfRangeError):
            session.run(following)


ENDING = """
import os, sys
import headrace as tf
following = tf.data.Dataset.range(5).cache(sys.argv[1] + "/c").make_one_shot_iterator().get_next()
session = tf.Session()
session.run(following)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), 9)
"""


def test_a_program_that_ends_takes_its_part_of_a_cache_away(tmp_path):
    subprocess.run([sys.executable, "-W", "ignore", "-c", ENDING, str(tmp_path), "ends"], check=True)
    assert os.listdir(tmp_path) == []
    subprocess.run([sys.executable, "-W", "ignore", "-c", ENDING, str(tmp_path), "killed"], check=False)
    assert files(tmp_path) == ["c_0.lockfile"]
    assert cached(tmp_path / "c") == ([], "AlreadyExistsError")
    (tmp_path / "c_0.lockfile").unlink()
    assert cached(tmp_path / "c") == (numbers(0, 1, 2, 3), None)
    # What the other left is gone, too.
    assert sorted(os.listdir(tmp_path)) == ["c.data-00000-of-00001", "c.index"]
