"""GraphDefs as somebody else might put them together: parts for the tests of what such graphs cannot do."""

from __future__ import annotations

import headrace as tf
from headrace.messages import protos

FLOAT = 1


def constant(graph_def, name="c", value=2.0):
    """Adds a float constant."""
    node = graph_def.node.add(name=name, op="Const")
    node.attr["dtype"].type = FLOAT
    tensor = node.attr["value"].tensor
    tensor.dtype = FLOAT
    tensor.tensor_shape.SetInParent()
    tensor.float_val.append(value)
    return node


def function(graph_def, name, op="Identity", argument="x", result="y", node="n", output="output", **attrs):
    """Adds a function of one float that applies one op to it."""
    made = graph_def.library.function.add()
    made.signature.name = name
    made.signature.input_arg.add(name=argument, type=FLOAT)
    made.signature.output_arg.add(name=result, type=FLOAT)
    inner = made.node_def.add(name=node, op=op, input=[argument])
    for key, value in (attrs or {"T": protos.AttrValue(type=FLOAT)}).items():
        inner.attr[key].CopyFrom(value)
    made.ret[result] = f"{node}:{output}:0"
    return made


def calling(name, **parts):
    """A graph in which the node "call" calls a function of that name, of the given parts."""
    graph_def = tf.GraphDef()
    constant(graph_def)
    function(graph_def, name, **parts)
    graph_def.node.add(name="call", op=name, input=["c"])
    return graph_def


def run(graph_def, fetch="call:0"):
    """What a tensor of a graph from elsewhere is."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.import_graph_def(graph_def, return_elements=[fetch], name=""))[0]
