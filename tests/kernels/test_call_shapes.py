"""The shapes of calls where functions call one another at will: something is known of them, or nothing, and soon."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core.registry import raw
from headrace.messages import protos
from headrace.state.defun import Defun

CALL = """
  node_def {{
    name: "{name}" op: "PartitionedCall" input: "{source}"
    attr {{ key: "f" value {{ func {{ name: "{function}" }} }} }}
    attr {{ key: "Tin" value {{ list {{ type: DT_FLOAT }} }} }}
    attr {{ key: "Tout" value {{ list {{ type: DT_FLOAT }} }} }}
  }}
"""
FUNCTION = """
function {{
  signature {{ name: "{name}" input_arg {{ name: "a" type: DT_FLOAT }} output_arg {{ name: "b" type: DT_FLOAT }} }}
  node_def {{ name: "twice" op: "AddV2" input: "a" input: "a" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}
  node_def {{ name: "axis" op: "Const" attr {{ key: "dtype" value {{ type: DT_INT32 }} }}
    attr {{ key: "value" value {{ tensor {{ dtype: DT_INT32 tensor_shape {{}} int_val: 0 }} }} }} }}
  node_def {{ name: "longer" op: "ConcatV2" input: "a" input: "a" input: "axis:output:0"
    attr {{ key: "N" value {{ i: 2 }} }} attr {{ key: "T" value {{ type: DT_FLOAT }} }}
    attr {{ key: "Tidx" value {{ type: DT_INT32 }} }} }}
  {calls}
  ret {{ key: "b" value: "{result}" }}
}}
"""


def function(name, calls, result):
    text = "".join(CALL.format(name=f"call_{i}", source=source, function=f) for i, (source, f) in enumerate(calls))
    return FUNCTION.format(name=name, calls=text, result=result)


def shape_of_call(library, called):
    """The static shape of a call of `called` with a vector of 3."""
    message = text_format.Parse(f"library {{ {library} }} versions {{ producer: 134 }}", protos.GraphDef())
    with tf.Graph().as_default():
        tf.import_graph_def(message, name="")
        return raw.PartitionedCall([tf.placeholder(tf.float32, [3])], Tout=[tf.float32], f=called)[0].shape


def chain(length):
    """Functions each of which calls the one before it with what is twice as long."""
    library = function("f0", [], "twice:z:0")
    for i in range(1, length):
        library += function(f"f{i}", [("longer:output:0", f"f{i - 1}")], "call_0:output:0")
    return library


@pytest.mark.parametrize("length", [1, 2, 10])
def test_shapes_go_through_calls_in_calls(length):
    assert shape_of_call(chain(length), f"f{length - 1}").as_list() == [3 * 2 ** (length - 1)]


def test_calls_may_lie_deeper_than_anybody_looks():
    assert shape_of_call(chain(200), "f199").ndims is None


def test_shapes_of_a_function_that_is_called_twice_by_each_that_is_called_twice():
    # As many paths lead to the first one as a number of forty binary digits says.
    library = function("f0", [], "twice:z:0")
    for i in range(1, 41):
        calls = [("longer:output:0", f"f{i - 1}"), ("call_0:output:0", f"f{i - 1}")]
        library += function(f"f{i}", calls, "call_1:output:0")
    shape_of_call(library, "f40")


@pytest.mark.parametrize("source", ["a", "longer:output:0", "twice:z:0"])
def test_functions_that_call_themselves_tell_nothing(source):
    library = function("f", [(source, "f"), (source, "f")], "call_1:output:0")
    assert shape_of_call(library, "f").ndims is None


def test_two_functions_that_call_each_other_tell_nothing():
    library = function("f", [("a", "g")], "call_0:output:0") + function("g", [("a", "f")], "call_0:output:0")
    assert shape_of_call(library, "f").ndims is None


@settings(max_examples=30, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    known=st.lists(st.booleans(), min_size=3, max_size=3),
    axis=st.integers(0, 1),
)
def test_a_static_shape_is_that_of_the_value(sizes, known, axis):
    """Whatever is known of the argument, what is said of the results is true of their values."""
    dims = [size if is_known else None for size, is_known in zip(sizes, known, strict=False)]
    with tf.Graph().as_default() as graph, tf.Session() as session:

        @Defun(tf.float32)
        def several(a):
            return tf.reduce_sum(a, axis), tf.concat([a, a], axis), tf.zeros(tf.shape(a)), tf.reshape(a, [-1])

        several.add_to_graph(graph)
        x = tf.placeholder(tf.float32, dims)
        outputs = raw.PartitionedCall([x], Tout=[tf.float32] * 4, f=several.name)
        values = session.run(outputs, {x: np.ones(sizes)})
        for output, value, direct in zip(outputs, values, several._func(x), strict=True):
            assert output.shape.is_compatible_with(value.shape)
            assert output.shape.as_list() == direct.shape.as_list()
