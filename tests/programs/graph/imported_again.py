"""GraphDefs imported beside what is there: names, colocation, devices, versions, and maps that do not fit."""

import tensorflow as tf
from google.protobuf import text_format

results = {}


def graph_def(text):
    return text_format.Parse(text, tf.GraphDef())


def said(make):
    try:
        return make()
    except (TypeError, ValueError) as error:
        return [type(error).__name__, str(error)]


PAIR = """
    node { name: 'A' op: 'NoOp' device: '/cpu:0' }
    node { name: 'B' op: 'NoOp' device: '/gpu:0' attr { key: '_class' value { list { s: 'loc:@A' } } } }
"""
with tf.Graph().as_default() as graph:
    for _ in range(2):
        tf.import_graph_def(graph_def(PAIR), name="")
    with tf.name_scope("scope"):
        tf.no_op("inner")
    (found,) = tf.import_graph_def(graph_def("node { name: 'scope' op: 'NoOp' }"), return_elements=["scope"], name="")
    results["beside a scope"] = found.name
    results["names, groups, devices"] = [
        [op.name, [group.decode() for group in op.colocation_groups()], op.device] for op in graph.get_operations()
    ]

LONE = "node { name: 'B' op: 'NoOp' attr { key: '_class' value { list { s: 'loc:@A' } } } }"
with tf.Graph().as_default():
    tf.no_op("A")
    results["unknown neighbour"] = said(lambda: tf.import_graph_def(graph_def(LONE), name=""))

with tf.Graph().as_default() as graph:
    results["before"] = [graph.graph_def_versions.producer, graph.graph_def_versions.min_consumer]
    tf.import_graph_def(graph_def("node { name: 'C' op: 'NoOp' } versions { producer: 24 min_consumer: 3 }"))
    tf.import_graph_def(graph_def("node { name: 'D' op: 'NoOp' } versions { producer: 30 min_consumer: 2 }"))
    results["after"] = [graph.graph_def_versions.producer, graph.graph_def_versions.min_consumer]
    results["written"] = graph.as_graph_def().versions.producer

SCALAR = """
    node { name: 'P' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape {} } } }
    versions { producer: %d }
"""
for version in (21, 24):
    with tf.Graph().as_default():
        (tensor,) = tf.import_graph_def(graph_def(SCALAR % version), return_elements=["P:0"])
        results["placeholder of %d" % version] = str(tensor.shape)

ADD = """
    node { name: 'X' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
           attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 3 } } } }
    node { name: 'Y' op: 'Neg' input: 'X' attr { key: 'T' value { type: DT_INT32 } } }
"""
with tf.Graph().as_default(), tf.Session() as sess:
    (y,) = tf.import_graph_def(graph_def(ADD), input_map={b"X:0": tf.constant(5)}, return_elements=[b"Y:0"])
    results["names as bytes"] = int(sess.run(y))
    results["no such output"] = said(lambda: tf.import_graph_def(graph_def(ADD), input_map={"X:2": tf.constant(5)}))
    results["no such tensor"] = said(lambda: tf.import_graph_def(graph_def(ADD), return_elements=["Z:0"]))
    results["no such node"] = said(lambda: tf.import_graph_def(graph_def(ADD), return_elements=["Z"]))
