"""A library may have functions of op types that nobody declares here: what does not call them runs."""

from __future__ import annotations

import pytest
from google.protobuf import text_format

import headrace as tf
from headrace.messages import protos

GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" %s input: "x" }
node { name: "z" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
library {
  function {
    signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "n" op: "OfAnotherProgram" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "b" value: "n:out:0" }
  }
}
versions { producer: 134 }
"""
CALLS = {
    "by its name": 'op: "f"',
    "by an attribute": """
        op: "PartitionedCall"
        attr { key: "f" value { func { name: "f" } } }
        attr { key: "Tin" value { list { type: DT_FLOAT } } }
        attr { key: "Tout" value { list { type: DT_FLOAT } } }
    """,
}


@pytest.fixture(params=CALLS)
def message(request):
    return text_format.Parse(GRAPH % CALLS[request.param], protos.GraphDef())


def test_what_does_not_call_it_runs(message):
    with tf.Graph().as_default(), tf.Session() as session:
        z = tf.import_graph_def(message, return_elements=["z:0"], name="")[0]
        assert session.run(z, {"x:0": 2.0}) == -2.0


def test_a_call_says_which_op_type_is_missing(message):
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.import_graph_def(message, return_elements=["y:0"], name="")[0]
        with pytest.raises(tf.errors.NotFoundError, match=r"'f' cannot run: .* no op of type OfAnotherProgram"):
            session.run(y, {"x:0": 2.0})


def test_so_does_the_gradient_of_a_call(message):
    with tf.Graph().as_default():
        x, y = tf.import_graph_def(message, return_elements=["x:0", "y:0"], name="")
        with pytest.raises(tf.errors.NotFoundError, match=r"'f' cannot run: .* no op of type OfAnotherProgram"):
            tf.gradients(y, x)


def test_it_is_exported_as_it_was(message):
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        assert graph.as_graph_def().library == message.library
