"""What a function with a gradient of its own adds to a graph where it uses variables, and the draws that count it."""

import numpy as np
import tensorflow as tf

results = {}
tf.set_random_seed(7)
tf.get_variable_scope().set_use_resource(True)
x = tf.constant([[1.0, -2.0]])


@tf.custom_gradient
def scaled(x):
    scale = tf.get_variable("scale", [2], initializer=tf.constant_initializer([3.0, 0.5]))

    def grad(dy, variables=None):
        return dy * scale, [10.0 * tf.reduce_sum(dy * x, 0) for _ in variables]

    return x * scale, grad


@tf.custom_gradient
def parts(x, y):
    shift = tf.get_variable("shift", [2], initializer=tf.ones_initializer())

    def grad(first, second, variables=None):
        assert len(variables) == 1
        return (first, second), [first[0] - second[0]]

    return [x + shift, y - shift], grad


once = scaled(x)
first, second = parts(once, x)
drawn_before = tf.random_uniform([3])
gradients = tf.gradients([first * 2.0, second], [x, *tf.trainable_variables()])
drawn_after = tf.random_uniform([3])
results["operations"] = np.array([f"{op.type} {op.name}" for op in tf.get_default_graph().get_operations()])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"], results["gradients"] = sess.run([[first, second], gradients])
    results["drawn"] = sess.run([drawn_before, drawn_after])
