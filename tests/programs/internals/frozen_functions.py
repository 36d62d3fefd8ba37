"""Concrete functions whose variables become constants."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import convert_to_constants

tf.enable_eager_execution()
results = {}


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
        self.b = tf.Variable(1.0, name="b")

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def affine(self, x):
        return {"y": tf.matmul(x, self.w) + self.b}

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def calls(self, x):
        return self.inner(x) + 1.0

    @tf.function
    def inner(self, x):
        return x * self.b

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.float32)])
    def two(self, a, b):
        return a + b, a * self.b


def described(frozen):
    return [
        type(frozen).__name__,
        [(tensor.name, str(tensor.shape), tensor.dtype.name) for tensor in frozen.inputs],
        [(tensor.name, str(tensor.shape), tensor.dtype.name) for tensor in frozen.outputs],
        len(list(frozen.graph.variables)),
        len(frozen.graph.as_graph_def().library.function),
        sorted({op.type for op in frozen.graph.get_operations()} & {"VarHandleOp", "ReadVariableOp", "If"}),
    ]


model = Model()
kept = {}
for name, args in [
    ("affine", [np.ones([2, 2], np.float32)]),
    ("calls", [np.float32(3.0)]),
    ("two", [np.float32([1, 2]), np.float32([3, 4])]),
]:
    kept[name] = convert_to_constants.convert_variables_to_constants_v2(getattr(model, name).get_concrete_function())
    results[name] = described(kept[name])
    returned = kept[name](*[tf.constant(arg) for arg in args])
    results[f"{name}, returned"] = [type(returned).__name__, [value.numpy() for value in returned]]
model.b.assign(7.0)
results["afterwards"] = kept["two"](tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0]))[1].numpy()
results["by name"] = kept["affine"](x=tf.ones([1, 2]))[0].numpy()
try:
    convert_to_constants.convert_variables_to_constants_v2(model.affine)
except AttributeError:
    results["no concrete function"] = True

outside = tf.constant([5.0, 6.0])
plain = tf.function(lambda x: x + outside).get_concrete_function(tf.TensorSpec([2], tf.float32))
plain = convert_to_constants.convert_variables_to_constants_v2(plain)
results["captured"] = [described(plain), plain(tf.ones([2]))[0].numpy()]
branch = tf.function(lambda x: tf.cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0))
branch = branch.get_concrete_function(tf.TensorSpec([], tf.float32))
for lowered in (True, False):
    frozen = convert_to_constants.convert_variables_to_constants_v2(branch, lower_control_flow=lowered)
    results[f"branch {lowered}"] = [float(frozen(tf.constant(x))[0]) for x in (2.0, -2.0)]

layers = tf.keras.layers
net = tf.keras.Sequential(
    [
        layers.Dense(3, input_shape=(2,), kernel_initializer="ones"),
        layers.BatchNormalization(),
        layers.Dense(1, kernel_initializer="ones"),
    ]
)
frozen = tf.function(lambda x: net(x)).get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
frozen = convert_to_constants.convert_variables_to_constants_v2(frozen)
results["net"] = [described(frozen), frozen(tf.ones([1, 2]))[0].numpy()]
folder = tempfile.mkdtemp()
tf.io.write_graph(frozen.graph, folder, "net.pb", as_text=False)
with tf.Graph().as_default():
    message = tf.GraphDef()
    with open(os.path.join(folder, "net.pb"), "rb") as file:
        message.ParseFromString(file.read())
    (y,) = tf.import_graph_def(message, name="", return_elements=[frozen.outputs[0].name])
    with tf.Session() as sess:
        results["from its file"] = sess.run(y, {frozen.inputs[0].name: [[1.0, 1.0]]})

message = tf.GraphDef()
for op in ["If", "While", "StatelessIf", "Add"]:
    node = message.node.add(name=op, op=op)
    node.attr["_lower_using_switch_merge"].b = True
    function = message.library.function.add()
    function.signature.name = op
    function.node_def.add(name=op, op=op).attr["_lower_using_switch_merge"].b = True
kept = convert_to_constants.disable_lower_using_switch_merge(message)
results["kept as calls"] = [
    [node.attr["_lower_using_switch_merge"].b for node in kept.node],
    [function.node_def[0].attr["_lower_using_switch_merge"].b for function in kept.library.function],
    message.node[0].attr["_lower_using_switch_merge"].b,
]
