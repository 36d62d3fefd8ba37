"""Functions traced for arguments, as they are called eagerly."""

from __future__ import annotations

import gc

import pytest

import headrace as tf
from headrace.core.eager import eager_mode


def _traced():
    @tf.function
    def body(value):
        return tf.square(value) + 1.0

    return body.get_concrete_function(tf.TensorSpec([2]))


def test_a_function_outlives_one_that_is_equal():
    """Equal bodies have equal names, and the library of eager calls keeps neither alive."""
    with eager_mode():
        first = _traced()
        first(tf.zeros([2]))
        second = _traced()
        assert second.name == first.name
        second.add_to_graph()
        del first
        gc.collect()
        assert tf.get_default_graph()._functions[second.function.name] is second.function
        assert second(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 5.0]


def test_values_that_a_signature_cannot_take_are_told():
    with eager_mode():
        doubled = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
        with pytest.raises(ValueError, match=r"incompatible with input_signature.*'a'"):
            doubled("a")


def test_what_cannot_be_called_is_no_function():
    with pytest.raises(TypeError, match="3, which cannot be called"):
        tf.function(3)


@pytest.mark.parametrize("function", [lambda _: 1 + _, lambda _x: 1 + _x, lambda é: 1 + é])
def test_parameters_whose_names_no_operation_may_have(function):
    """1.15.5 calls what stands for such an argument "placeholder"."""
    with eager_mode():
        traced = tf.function(function)
        assert traced(tf.constant(1)).numpy() == 2
        concrete = traced.get_concrete_function(tf.TensorSpec([], tf.int32))
        assert [tensor.name for tensor in concrete.inputs] == ["placeholder:0"]
        assert concrete(tf.constant(4)).numpy() == 5


def test_what_a_function_returns_is_described_by_its_parts():
    """1.15.5's shapes and types of composite tensors are lists, those of an IndexedSlices a tuple; None has no type."""
    with eager_mode():

        @tf.function
        def several(value):
            sparse = tf.SparseTensor([[0], [1]], value, [2])
            return None, [sparse], {"s": tf.IndexedSlices(value, tf.constant([0, 1]))}

        concrete = several.get_concrete_function(tf.TensorSpec([2]))
        assert concrete.output_dtypes == (
            None,
            [[tf.int64, tf.float32, tf.int64]],
            {"s": (tf.float32, tf.int32)},
        )
        nothing, [sparse], slices = concrete.output_shapes
        assert nothing.rank is None
        assert [shape.as_list() for shape in sparse] == [[2, 1], [2], [1]]
        assert [shape.as_list() for shape in slices["s"]] == [[2], [2]]


def test_ragged_results_are_described_by_values_and_splits():
    with eager_mode():
        concrete = tf.function(lambda: tf.ragged.constant([[[1], [2]], [[2, 3]]])).get_concrete_function()
        assert concrete.output_dtypes == [tf.int32, tf.int64, tf.int64]
        assert [shape.as_list() for shape in concrete.output_shapes] == [[4], [3], [4]]


def test_a_function_that_returns_nothing_has_no_outputs():
    with eager_mode():
        concrete = tf.function(lambda value: None).get_concrete_function(tf.TensorSpec([2]))
        assert concrete.structured_outputs is None
        assert concrete.output_dtypes is None
        assert concrete.output_shapes.rank is None
