"""The registry of gradients: what it knows, what programs register in it, and gradients that reach nothing known."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

results = {}
registry = ops._gradient_registry


def kind(op_type):
    try:
        return "none" if registry.lookup(op_type) is None else "function"
    except LookupError:
        return "nothing"


results["kinds"] = [kind(op_type) for op_type in ("MatMul", "Shape", "Unique", b"Relu", "Iterator", "RealDiv")]
results["unknown"] = kind("NoSuchOp")
try:
    registry.lookup("NoSuchOp")
except LookupError as error:
    results["message"] = str(error)

# What programs that look into networks write.
results["before"] = "GuidedRelu" in registry._registry
if "GuidedRelu" not in ops._gradient_registry._registry:

    @ops.RegisterGradient("GuidedRelu")
    def _guided(op, grad):
        return tf.where(grad > 0.0, grad, tf.zeros_like(grad)) * tf.cast(op.outputs[0] > 0.0, tf.float32)


results["after"] = "GuidedRelu" in registry._registry
x = tf.constant([-1.0, 2.0, 3.0])
with tf.get_default_graph().gradient_override_map({"Relu": "GuidedRelu"}):
    y = tf.nn.relu(x)
with tf.Session() as session:
    results["guided"] = session.run(tf.gradients(y, x, [np.array([1.0, -1.0, 2.0], np.float32)])[0])
registry._registry.pop("GuidedRelu")
results["popped"] = "GuidedRelu" in registry._registry


def refused(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error).split("(Previous")[0]]


reached = {
    "contrast": lambda: tf.image.adjust_contrast(tf.reshape(x, [1, 3, 1]), 0.5),
    "quantize": lambda: tf.dequantize(tf.quantize_v2(x, 0.0, 1.0, tf.quint8).output, 0.0, 1.0),
    "shuffle": lambda: tf.random_shuffle(x),
    "nms": lambda: tf.cast(
        tf.image.non_max_suppression_with_scores(tf.reshape(tf.tile(x, [4]), [3, 4]), x, 2)[1], tf.float32
    ),
    "area": lambda: tf.image.resize_area(tf.reshape(x, [1, 3, 1, 1]), [2, 2]),
    "bitcast": lambda: tf.bitcast(tf.bitcast(x, tf.int32), tf.float32),
    "second": lambda: tf.gradients(tf.image.resize_bilinear(tf.reshape(x, [1, 3, 1, 1]), [2, 2]) ** 2, x),
    "tree": lambda: tf.unique(x)[0],
    "fractional": lambda: tf.gradients(
        tf.nn.fractional_avg_pool(tf.reshape(x, [1, 3, 1, 1]), [1.0, 1.5, 1.0, 1.0])[0], x
    ),
}
results["reached"] = {}
for name in sorted(reached):
    results["reached"][name] = refused(lambda name=name: [one is None for one in tf.gradients(reached[name](), x)])
results["taken"] = refused(lambda: ops.RegisterGradient("MatMul")(lambda op, grad: None))[0]
results["taken by none"] = refused(lambda: ops.NotDifferentiable("Shape"))[0]
ops.NotDifferentiable("NonMaxSuppressionV5")
results["declared"] = kind("NonMaxSuppressionV5")
del registry._registry["NonMaxSuppressionV5"]
results["forgotten"] = kind("NonMaxSuppressionV5")
