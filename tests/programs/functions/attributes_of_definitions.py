"""Attributes of the definitions of traced functions, and functions that are in a library without being called."""

import re

import tensorflow as tf
from tensorflow.python.eager import function

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}


def definitions(graph):
    """The functions of a library in the order of their names: which part of which function they are, and attributes."""
    found = []
    for definition in graph.as_graph_def().library.function:
        name = definition.signature.name
        part = next((part for part in ("forward", "backward") if part in name), "inference")
        attributes = {
            key: "_" if "_function_name" in key else str(value).strip()
            for key, value in sorted(definition.attr.items())
        }
        plain = re.sub("__(inference|forward|backward)_", "", name).split("_")[0]
        found.append([plain, part, attributes])
    return sorted(found, key=str)


def outcome(attributes):
    def grown(x):
        return x + 1.0

    try:
        traced = function.defun_with_attributes(grown, attributes=attributes)
        with tf.Graph().as_default() as graph:
            traced(tf.constant(1.0))
            return definitions(graph)
    except (ValueError, AttributeError) as error:
        return type(error).__name__


results["attributes"] = [
    outcome(attributes)
    for attributes in (
        *({"implements": "growing"}, {"on": True}, {"count": 3}, {"rate": 2.5}, {"text": b"x"}, {"_noinline": True}),
        *({"several": [1, 2]}, {"none": None}, "text", {}, None),
    )
]


@function.defun_with_attributes(attributes={"kind": "method"}, input_signature=[tf.TensorSpec([], tf.float32)])
def doubled(x):
    return x * 2.0


class Scaled(tf.Module):
    def __init__(self):
        super(Scaled, self).__init__()
        self.factor = tf.Variable(3.0)

    @function.defun_with_attributes(attributes={"kind": "method"})
    def times(self, x):
        return self.factor * x


scaled = Scaled()
results["values"] = [doubled(4.0).numpy(), scaled.times(tf.constant(2.0)).numpy()]


@function.defun
def added(x, y):
    return x + y


counts = []
with tf.Graph().as_default() as graph:
    for x, y in ((1.0, 2.0), ([1.0], 2.0), ([3.0], 4.0)):
        registered = function.register(added, tf.constant(x), tf.constant(y))
        counts.append(len(graph.as_graph_def().library.function))
    function.register(doubled)
    results["registered"] = [counts, definitions(graph), len(graph.get_operations()) >= 6]
try:
    function.register(lambda x: x, 1)
except ValueError as error:
    results["refused"] = str(error)

with tf.Graph().as_default() as graph:
    x = tf.constant(2.0)
    tf.gradients(added(x, x * 3.0), x)
    results["a gradient"] = [definitions(graph), [op.type for op in graph.get_operations() if "Call" in op.type]]


@tf.function
def turned(x):
    for _ in tf.range(3):
        if x > 0.0:
            x = tf.sin(x) * 2.0
        else:
            x = -x
    return x


@tf.function
def turned_and_scaled(x):
    return turned(x) * x


with tf.Graph().as_default() as graph:
    x = tf.compat.v1.placeholder_with_default(2.0, [], name="x")
    y = tf.identity(turned_and_scaled(x), name="y")
    tf.identity(tf.gradients(y, x)[0], name="slope")
with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    tf.import_graph_def(graph.as_graph_def(), name="")
    results["imported"] = [sess.run(["y:0", "slope:0"]), sess.run("slope:0", {"x:0": -1.0})]
