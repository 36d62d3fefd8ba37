"""Graphs as text: what protobuf's own printer makes of them."""

import numpy as np
import pytest
from google.protobuf import text_format

import headrace as tf
from headrace.messages import protos
from headrace.messages.graph_text import text_of


@pytest.fixture
def meta_graph():
    """A MetaGraphDef with collections, a function, repeated attributes and names that need escapes."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], "x")
        weights = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.1))
        with tf.control_dependencies([tf.no_op("before")]):
            tf.nn.elu(tf.matmul(x, weights), "out")
        tf.constant(np.linspace(0, 1, 200, dtype=np.float32), name="large")
        tf.constant("a \"b\" 'c' é\n\\")
        tf.constant([0.1, float("nan"), 3e-20])
        tf.data.Dataset.range(3).map(lambda value: value + 1).make_initializable_iterator()
        tf.add_to_collection("numbers", 0.1)
        tf.add_to_collection("numbers", 7.0)
        made = tf.train.export_meta_graph()
        assert made.graph_def.library.function
    odd = made.graph_def.node.add(name='o"dd', op="No\\Op", input=["", "é"], device="/cpu:0")
    odd.experimental_debug_info.original_node_names.append("x")
    del graph
    return made


def test_is_what_protobuf_prints(meta_graph):
    assert text_of(meta_graph) == text_format.MessageToString(meta_graph)
    assert text_of(meta_graph.graph_def) == text_format.MessageToString(meta_graph.graph_def)


@pytest.mark.parametrize(
    "message",
    [
        protos.GraphDef(),
        protos.MetaGraphDef(),
        protos.MetaGraphDef(graph_def=protos.GraphDef()),
        protos.SaverDef(max_to_keep=5),
    ],
    ids=lambda message: type(message).__name__,
)
def test_of_little(message):
    assert text_of(message) == text_format.MessageToString(message)


def test_all_digits(meta_graph):
    # A float32 is a float64 too, which 1.15 writes: float64(float32(0.1)).
    text = text_of(meta_graph, all_digits=True)
    assert f"float_val: {float(np.float32(0.1))!r}\n" in text
    assert f"      value: {float(np.float32(0.1))!r}\n" in text
    assert "      value: 7.0\n" in text
    assert "float_val: 0.1\n" not in text
    again = text_format.Parse(text, protos.MetaGraphDef())
    assert again.SerializeToString(deterministic=True) == meta_graph.SerializeToString(deterministic=True)
