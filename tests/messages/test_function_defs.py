"""Functions of graphs as FunctionDef messages: what comes from a file leaves as it came."""

from __future__ import annotations

import numpy as np

import headrace as tf
from headrace.interop.meta_graph import strip_graph_default_valued_attrs
from headrace.messages import protos


def test_attributes_left_at_their_defaults_are_left_out_again():
    with tf.Graph().as_default() as graph:

        @tf.function(input_signature=[tf.TensorSpec([2, 2])])
        def squared(x):
            y = tf.matmul(x, x, transpose_b=True, name="product")
            return tf.reduce_sum(y, 0, name="sum"), tf.complex(y, y, name="complex")

        tf.identity(squared(tf.ones([2, 2]))[0], name="result")
    message = protos.MetaGraphDef(graph_def=graph.as_graph_def())
    strip_graph_default_valued_attrs(message)

    def attributes(graph_def):
        return {
            node.name: sorted(key for key in node.attr if not key.startswith("_"))
            for function in graph_def.library.function
            for node in function.node_def
            if node.op in ("MatMul", "Sum", "Complex")
        }

    # The types of Complex and of the axis of Sum have defaults; transpose_b differs from its own.
    expected = {"product": ["T", "transpose_b"], "sum": ["T"], "complex": []}
    assert attributes(message.graph_def) == expected
    with tf.Graph().as_default() as other, tf.Session() as session:
        tf.import_graph_def(message.graph_def, name="")
        assert attributes(other.as_graph_def()) == expected
        np.testing.assert_array_equal(session.run("result:0"), [4, 4])
