"""Properties of ragged tensors: what goes in as nested lists comes out of every form unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.functions.ragged import layout
from headrace.functions.ragged.defaulting import batch_gather_with_default
from headrace.functions.ragged.selecting import where

ROWS = st.lists(st.lists(st.integers(-9, 9), max_size=4), min_size=1, max_size=5)


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def fed(rows, dtype=np.int32):
    """A ragged placeholder and what to feed for it."""
    given = tf.ragged.placeholder(dtype, 1, value_shape=[])
    splits = np.cumsum([0, *map(len, rows)])
    return given, {given: tf.ragged.RaggedTensorValue(np.array([item for row in rows for item in row], dtype), splits)}


@settings(max_examples=8, deadline=None)
@given(ROWS)
def test_forms_hold_the_same_rows(rows):
    with tf.Graph().as_default():
        ragged, feed = fed(rows)
        made = {
            "lengths": tf.RaggedTensor.from_row_lengths(ragged.values, ragged.row_lengths()),
            "starts": tf.RaggedTensor.from_row_starts(ragged.values, ragged.row_starts()),
            "limits": tf.RaggedTensor.from_row_limits(ragged.values, ragged.row_limits()),
            "rowids": tf.RaggedTensor.from_value_rowids(ragged.values, ragged.value_rowids(), ragged.nrows()),
            "sparse": tf.RaggedTensor.from_sparse(ragged.to_sparse()),
            "tensor": tf.RaggedTensor.from_tensor(ragged.to_tensor(), ragged.row_lengths()),
            "gathered": tf.gather(ragged, tf.range(ragged.nrows())),
            "stacked": tf.stack([ragged, ragged])[0],
            "indexed": ragged[:],
        }
        got = run(made, feed)
        assert {name: value.to_list() for name, value in got.items()} == dict.fromkeys(made, rows)


@settings(max_examples=8, deadline=None)
@given(ROWS, st.integers(-5, 5), st.integers(-5, 5), st.sampled_from([1, 2]))
def test_slices_are_those_of_lists(rows, begin, end, step):
    with tf.Graph().as_default():
        ragged, feed = fed(rows)
        outer, inner = ragged[begin:end:step], ragged[:, begin : end or None : step]
        got = run([outer, inner], feed)
        assert got[0].to_list() == rows[begin:end:step]
        assert got[1].to_list() == [row[begin : end or None : step] for row in rows]


@settings(max_examples=8, deadline=None)
@given(ROWS, st.integers(0, 3), st.integers(0, 3))
def test_tiles_and_joins_are_those_of_lists(rows, outer, inner):
    with tf.Graph().as_default():
        ragged, feed = fed(rows)
        got = run(
            [tf.tile(ragged, [outer, inner]), tf.concat([ragged, ragged], 1), tf.concat([ragged, ragged], 0)], feed
        )
        assert got[0].to_list() == [row * inner for row in rows] * outer
        assert got[1].to_list() == [row * 2 for row in rows]
        assert got[2].to_list() == rows * 2


@settings(max_examples=8, deadline=None)
@given(ROWS)
def test_reductions_are_those_of_lists(rows):
    with tf.Graph().as_default():
        ragged, feed = fed(rows)
        got = run([tf.reduce_sum(ragged, 1), tf.reduce_sum(ragged, 0), tf.reduce_any(ragged > 3, 1)], feed)
        assert got[0].tolist() == [sum(row) for row in rows]
        longest = max(map(len, rows))
        assert got[1].tolist() == [sum(row[i] for row in rows if i < len(row)) for i in range(longest)]
        assert got[2].tolist() == [any(x > 3 for x in row) for row in rows]


def test_wrong_rows_are_refused_when_run():
    ragged, feed = fed([[1, 2], [3]])
    (value,) = feed.values()
    bad = tf.ragged.RaggedTensorValue(value.values, np.array([0, 2, 4]))
    checked = tf.RaggedTensor.from_row_splits(ragged.values, ragged.row_splits)
    with pytest.raises(tf.errors.InvalidArgumentError, match="valid RaggedTensor"):
        run(checked, {ragged: bad})


def test_rows_that_differ_do_not_add_up():
    left, feed_left = fed([[1, 2], [3]])
    right, feed_right = fed([[1, 5], [2], [7]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
        run(left + right, {**feed_left, **feed_right})


def test_a_tensor_on_the_left_adds_too():
    ragged, feed = fed([[1, 2], [3]])
    assert run(tf.constant([[10], [20]]) + ragged, feed).to_list() == [[11, 12], [23]]


def test_functions_of_tensors_say_what_to_do():
    ragged, _ = fed([[1, 2], [3]])
    with pytest.raises(TypeError, match="to_tensor"):
        tf.reshape(ragged, [-1])


def test_public_functions_stay_one_object_under_all_spellings():
    assert tf.add is tf.math.add
    assert tf.add.__name__ == "add"


# One before the first is refused by the operation that looks for it, as in 1.15.5.
@pytest.mark.parametrize(("row", "error"), [(2, IndexError), (9, IndexError), (-3, tf.errors.InvalidArgumentError)])
def test_executed_eagerly_a_row_that_is_not_there_is_an_error(row, error):
    with eager_mode():
        ragged = tf.ragged.constant([[1, 2], [3]])
        assert [part.numpy().tolist() for part in ragged] == [[1, 2], [3]]
        assert ragged[-2].numpy().tolist() == [1, 2]
        with pytest.raises(error, match="out of bounds"):
            ragged[row]


LETTERS = [["a", "b", "c"], ["d"], [], ["e"]]


@pytest.mark.parametrize("eagerly", [False, True])
@pytest.mark.parametrize(
    ("params", "indices", "default", "wanted"),
    [
        (LETTERS, [[2, -1], [0, 9], [0], []], "-", [["c", "-"], ["d", "-"], ["-"], []]),
        (
            [[["a", "b"], ["c"]], [], [["d"]]],
            [[1, 0, -1], [7], [0]],
            "-",
            [[["c"], ["a", "b"], ["-"]], [["-"]], [["d"]]],
        ),
        ([[["a", "b"], ["c"]], [], [["d"]]], [[[1], [-1]], [], [[7, 0]]], "-", [[["b"], ["-"]], [], [["-", "d"]]]),
    ],
)
def test_numbers_that_no_value_of_a_row_has_give_the_default(params, indices, default, wanted, eagerly):
    context = eager_mode() if eagerly else tf.Graph().as_default()
    with context:
        rows = tf.ragged.constant(params), tf.ragged.constant(indices)
        found = batch_gather_with_default(*rows, default)
        found = found if eagerly else run(found)
    assert found.to_list() == tf.ragged.constant_value(wanted, dtype="S1").to_list()


@pytest.mark.parametrize(
    ("params", "indices", "default", "wanted"),
    [
        (["a", "b"], [0, -1, 9], "-", ["a", "-", "-"]),
        ([["a", "b"], ["c", "d"]], [[0, -1], [9, 1]], "-", [["a", "-"], ["-", "d"]]),
        ([["a", "b"], ["c", "d"]], [1, -1], ["x", "y"], [["c", "d"], ["x", "y"]]),
    ],
)
def test_so_do_those_of_dense_rows(params, indices, default, wanted):
    found = run(batch_gather_with_default(params, indices, default))
    np.testing.assert_array_equal(found, np.array(wanted, "S1").astype(object))


def test_a_default_is_a_scalar_or_a_vector():
    with pytest.raises(ValueError, match="scalar or vector"):
        batch_gather_with_default(tf.ragged.constant([[1], [2, 3]]), [[0], [0]], [[1]])


def test_ragged_functions_of_dense_tensors():
    assert run([layout.rank([[1, 2]]), layout.size([[1, 2]]), layout.size([[1]], out_type=tf.int64)]) == [2, 2, 1]
    np.testing.assert_array_equal(run(where([[True, False]], [[1, 2]], [[3, 4]])), [[1, 4]])
