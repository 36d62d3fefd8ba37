"""Helpers of 1.15's `eager.backprop`; kinds of attributes and sums are those of 1.15.5."""

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.python.eager import backprop


@pytest.fixture(autouse=True)
def _eager():
    with eager_mode():
        yield


@pytest.mark.parametrize(
    ("op_type", "attr", "kind"),
    [
        ("Add", "T", 4),
        ("MaxPool", "ksize", [1]),
        ("Conv2D", "data_format", 0),
        ("Placeholder", "shape", 5),
        ("Const", "value", 6),
        ("If", "then_branch", 8),
        ("ParseExample", "dense_shapes", [5]),
        ("MatMul", "transpose_a", 3),
        ("LRN", "alpha", 2),
    ],
)
def test_kinds_of_attributes(op_type, attr, kind):
    assert backprop.op_attr_type(op_type, attr) == kind


def test_attributes_that_there_are_not():
    with pytest.raises(tf.errors.NotFoundError):
        backprop.op_attr_type("Adddd", "T")
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not exist"):
        backprop.op_attr_type("Add", "nothing")


def test_values_of_attributes():
    assert backprop.make_attr(4, 1) == tf.float32
    assert backprop.make_attr([4], [1, 3]) == [tf.float32, tf.int32]
    assert backprop.make_attr(5, [None, 2]) == tf.TensorShape([None, 2]).as_proto()
    assert backprop.make_attr([5], [None])[0].unknown_rank
    assert backprop.make_attr(1, 7) == 7


def _slices(values, indices, dtype=tf.int32):
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices, dtype), tf.constant([4, 2]))


def test_sums_of_rows():
    first, second = _slices([[1.0, 2.0]], [3]), _slices([[5.0, 2.0]], [1], tf.int64)
    assert backprop.aggregate_indexed_slices_gradients([]) is None
    assert backprop.aggregate_indexed_slices_gradients([None, first]) is first
    total = backprop.aggregate_indexed_slices_gradients([first, None, second])
    assert total.indices.numpy().tolist() == [3, 1]
    assert total.indices.dtype == tf.int64
    assert total.values.numpy().tolist() == [[1.0, 2.0], [5.0, 2.0]]


def test_rows_and_tensors_make_a_tensor():
    total = backprop.aggregate_indexed_slices_gradients([tf.ones([4, 2]), _slices([[5.0, 2.0]], [1])])
    assert total.numpy().tolist() == [[1.0, 1.0], [6.0, 3.0], [1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(TypeError, match="Not a Tensor or IndexedSlices"):
        backprop.aggregate_indexed_slices_gradients([1.0, 2.0])
