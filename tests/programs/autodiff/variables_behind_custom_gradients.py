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

# Variables reached by a reference are found too, and those that are not trained are not asked for.
with tf.Graph().as_default(), tf.Session() as sess:
    factor = tf.get_variable("factor", initializer=3.0, use_resource=False)
    fixed = tf.get_variable("fixed", initializer=2.0, trainable=False, use_resource=True)

    @tf.custom_gradient
    def times(x):
        return x * factor * fixed, lambda dy, variables=None: (dy, [5.0 * dy for _ in variables])

    @tf.custom_gradient
    def doubled(x):
        return x * fixed, lambda dy: 7.0 * dy

    x = tf.constant(1.0)
    found = tf.gradients(times(x), [x, factor]) + tf.gradients(doubled(x), [x])
    sess.run(tf.global_variables_initializer())
    results["of references"] = sess.run(found)
