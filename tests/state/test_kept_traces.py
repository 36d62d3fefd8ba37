"""What traced functions tell of their traces by 1.x's own attributes."""

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.python.eager import function


@pytest.fixture(autouse=True)
def _eager():
    with eager_mode():
        yield


def test_a_trace_for_each_size():
    traced = function.defun(lambda x: x + 1.0)
    for size in (1, 2, 1):
        traced(tf.ones([size]))
    assert len(traced._function_cache.primary) == 2
    assert not traced._function_cache.arg_relaxed


def test_one_trace_for_sizes_that_differ():
    traced = function.defun(lambda x: x + 1.0, experimental_relax_shapes=True)
    counts = []
    for size in (1, 2, 3, 4, 2):
        traced(tf.ones([size]))
        counts.append([len(traced._function_cache.primary), len(traced._function_cache.arg_relaxed)])
    assert counts == [[1, 0], [1, 1], [1, 1], [1, 1], [1, 1]]
    (wide,) = traced._function_cache.arg_relaxed.values()
    assert [shape.as_list() for shape in wide._output_shapes] == [[None]]
    assert wide._num_outputs == 1


def test_traces_for_arguments_and_all_of_them():
    scale = tf.Variable(2.0)

    @tf.function
    def scaled(x):
        return x * scale

    scaled(tf.constant(1.0))
    found = scaled._get_concrete_function_internal_garbage_collected(tf.constant(3.0))
    assert scaled._get_concrete_function_internal(tf.constant(4.0)) is found
    assert scaled._list_all_concrete_functions_for_serialization() == [found]
    assert found._func_graph is found.graph
    assert len(found._captured_inputs) == 1


def test_signatures_are_traced_without_arguments():
    traced = tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert [shape.as_list() for shape in traced._get_concrete_function_internal()._output_shapes] == [[None]]


def test_graphs_know_what_they_were_traced_for_and_wrong_types_are_told():
    concrete = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([], tf.float32))
    assert concrete.graph.structured_input_signature == ((tf.TensorSpec([], tf.float32, name="x"),), {})
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor but is a int32 tensor"):
        concrete(tf.constant(1))
