"""Loops in parts that TensorFlow compiles: their gradients ask for a bound of the iterations."""

import tensorflow as tf
from tensorflow.python.ops import control_flow_ops, control_flow_util

results = {}
v = tf.constant(1.0)


def failure(function):
    try:
        function()
    except ValueError as e:
        text = str(e)
        return [word in text for word in ("Cannot create a gradient accumulator", "was not passed", "statically known")]
    return None


def inside(i, x):
    return tf.while_loop(lambda i, _: i < 3, lambda i, j: [i + 1, j * v], [0, x], maximum_iterations=i)


def loop(most=None):
    return tf.while_loop(lambda i, _: i < 3, inside, [0, 1.0], maximum_iterations=most)


context = control_flow_ops.XLAControlFlowContext()
context.Enter()
product = tf.identity(v) * 2
unbounded, bounded = loop(), loop(2)
flat = tf.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * v], [0, 3.0], maximum_iterations=7)
gradient = tf.gradients(flat[1], v)[0]
context.Exit()
results["context"] = [
    context.IsXLAContext(),
    context.IsWhileContext(),
    control_flow_util.IsInXLAContext(product.op),
    control_flow_util.GetContainingXLAContext(flat[1].op._get_control_flow_context()) is context,
    control_flow_util.GetContainingXLAContext(v.op._get_control_flow_context()) is context,
]
results["refused"] = [failure(lambda: tf.gradients(unbounded, v)), failure(lambda: tf.gradients(bounded, v))]
free = tf.gradients(loop(5), v)[0]
with tf.Session() as sess:
    results["values"] = sess.run([product, tf.identity(flat[1]), tf.identity(gradient), free])
