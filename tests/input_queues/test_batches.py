"""Input by queues: every example comes as often as epochs say, in order or shuffled, whole batches and the rest."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

drawn = settings(max_examples=10, deadline=None)


def all_batches(tensors):
    """Every batch until the input ends."""
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(tensors))
        coordinator.request_stop()
        coordinator.join(threads)
    return found


@drawn
@given(count=st.integers(1, 7), epochs=st.integers(1, 3), size=st.integers(1, 4), rest=st.booleans())
def test_batches_in_order(count, epochs, size, rest):
    with tf.Graph().as_default():
        one = tf.train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()
        batches = all_batches(tf.train.batch([one], size, allow_smaller_final_batch=rest))
    expected = list(range(count)) * epochs
    whole = len(expected) // size * size
    assert [x for batch in batches for x in batch] == (expected if rest else expected[:whole])
    assert [len(batch) for batch in batches[: whole // size]] == [size] * (whole // size)


@drawn
@given(count=st.integers(2, 8), size=st.integers(1, 3), seed=st.integers(1, 99))
def test_shuffled_batches_hold_each_example_once(count, size, seed):
    with tf.Graph().as_default():
        values = np.arange(count) * 10
        one, other = tf.train.slice_input_producer([values, -values], num_epochs=1, shuffle=True, seed=seed)
        pairs = tf.train.shuffle_batch([one, other], size, 20, 4, seed=seed, allow_smaller_final_batch=True)
        batches = all_batches(pairs)
    ones, others = (np.concatenate(column) for column in zip(*batches, strict=True))
    assert sorted(ones) == values.tolist()
    assert (ones == -others).all()


def test_batches_of_several_sources_and_of_uneven_rows():
    sources = [[tf.fill(tf.placeholder_with_default([k], [1]), k)] for k in (1, 2, 3)]
    padded = tf.train.batch_join(sources, 3, dynamic_pad=True)
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        rows = session.run(padded)
        coordinator.request_stop()
        session.close()
        coordinator.join(threads, ignore_live_threads=True)
    for row in rows:
        kept = row[row != 0]
        assert len(kept) == kept[0]


@drawn
@given(keep=st.lists(st.booleans(), min_size=1, max_size=8))
def test_examples_that_are_left_out(keep):
    with tf.Graph().as_default():
        flag, number = tf.train.slice_input_producer([keep, np.arange(len(keep))], num_epochs=1, shuffle=False)
        batches = all_batches(tf.train.maybe_batch([number], flag, 1))
    assert [x for batch in batches for x in batch] == [i for i, kept in enumerate(keep) if kept]


def test_files_by_name_and_readers(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    assert [x.decode() for x in all_batches(line)] == ["a1", "a2", "b1", "b2"] * 2


def test_an_empty_list_of_files_is_refused():
    with pytest.raises(ValueError, match="string_input_producer requires a non-null input tensor"):
        tf.train.string_input_producer([])
