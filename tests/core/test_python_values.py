"""What TensorFlow's Python code knows of tensors while a graph is built: the values that TensorFlow 1.15.5 gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import find, raw

KNOWN = ("Cast", "Concat", "ConcatV2", "Const", "Equal", "Fill", "NotEqual", "Pack", "Range", "Rank", "Shape", "Size")


def _scalar() -> tf.Tensor:
    return tf.placeholder(tf.int32, [])


def _matrix(*dims: int | None) -> tf.Tensor:
    return tf.placeholder(tf.float32, dims)


CASES: dict[str, tuple[Callable[[], tf.Tensor], np.ndarray | np.integer | None]] = {
    "a constant": (lambda: tf.constant([1, 2]), np.array([1, 2], np.int32)),
    "a shape": (lambda: raw.Shape(_matrix(2, 3), out_type=tf.int64), np.array([2, 3], np.int64)),
    "a shape known in part": (lambda: raw.Shape(_matrix(2, None)), None),
    "a size of 64 bits": (lambda: raw.Size(_matrix(2, 3), out_type=tf.int64), np.int32(6)),
    "a size known in part": (lambda: raw.Size(_matrix(2, None)), None),
    "a rank": (lambda: raw.Rank(_matrix(2, None)), np.array(2, np.int32)),
    "a range": (lambda: tf.range(tf.constant(1), tf.constant(9), tf.constant(3)), np.array([1, 4, 7], np.int32)),
    "a range to what is not known": (lambda: tf.range(_scalar()), None),
    "a cast": (lambda: tf.cast(tf.constant([1.7, -1.7]), tf.int32), np.array([1, -1], np.int32)),
    "parts joined": (lambda: raw.Concat(0, [tf.constant([1]), tf.constant([2, 3])]), np.array([1, 2, 3], np.int32)),
    "columns joined": (lambda: tf.concat([tf.constant([[1]]), tf.constant([[2]])], 1), np.array([[1, 2]], np.int32)),
    "a part not known": (lambda: raw.ConcatV2([tf.constant([1]), tf.reshape(_scalar(), [1])], 0), None),
    "a stack": (lambda: tf.stack([tf.constant(1), tf.constant(2)]), np.array([1, 2], np.int32)),
    "a stack along another axis": (lambda: tf.stack([tf.constant([1]), tf.constant([2])], axis=1), None),
    "a stack of what is not known": (lambda: tf.stack([tf.constant(1), _scalar()]), None),
    "copies": (lambda: raw.Fill([2], tf.constant(7)), np.array([7, 7], np.int32)),
    "as many copies as is not known": (lambda: raw.Fill(tf.reshape(_scalar(), [1]), tf.constant(7)), None),
    "copies of what is not known": (lambda: raw.Fill([2], _scalar()), None),
    "equal ones": (lambda: tf.equal(tf.constant([1, 2]), tf.constant([1, 3])), np.array([True, False])),
    "different ones": (lambda: tf.not_equal(tf.constant([1, 2]), tf.constant([1, 3])), np.array([False, True])),
    "a sum": (lambda: tf.add(tf.constant(1), tf.constant(2)), None),
    "an identity": (lambda: tf.identity(tf.constant(1)), None),
    "offsets": (lambda: raw.ConcatOffset(tf.constant(0), [tf.constant([1]), tf.constant([2])])[0], None),
    "a default": (lambda: tf.placeholder_with_default(tf.constant(1), []), None),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_known_is_what_tensorflow_knows(case):
    made, expected = CASES[case]
    with tf.Graph().as_default():
        value = tf.get_static_value(made())
    if expected is None:
        assert value is None
    else:
        assert value.dtype == expected.dtype
        np.testing.assert_array_equal(value, expected)


def test_a_stack_may_be_known_in_part():
    with tf.Graph().as_default():
        value = tf.get_static_value(tf.stack([tf.constant(1), _scalar()]), partial=True)
    assert value.tolist() == [1, None]


def test_what_was_read_can_be_fed_no_more_and_what_was_not_can():
    with tf.Graph().as_default() as graph:
        filled = raw.Fill(tf.constant([2]), tf.constant(7))
        tf.get_static_value(filled)
        assert [graph.is_feedable(tensor) for tensor in (filled, *filled.op.inputs)] == [False, True, False]


def test_ops_of_which_it_is_declared_are_those_of_tensorflow():
    cases = {made().op.type for made, _ in map(CASES.__getitem__, CASES)}
    assert set(KNOWN) == {op_type for op_type in cases if find(op_type).python_value_rule is not None}
