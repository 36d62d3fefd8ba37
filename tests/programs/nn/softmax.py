"""Softmax and its logarithm along any axis, of any shape."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(3)
values = random.normal(size=[2, 3, 4])

with tf.Session() as sess:
    for function in (tf.nn.softmax, tf.nn.log_softmax):
        kind = function.__name__
        for dtype in (tf.float32, tf.float64):
            x = tf.constant(values, dtype)
            for axis in (None, -1, 0, 1, 2, -2, -3):
                y = function(x, axis)
                g = tf.gradients(y, x, grad_ys=tf.constant(np.arange(24.0).reshape(2, 3, 4) / 10, dtype))[0]
                results["%s %s %s" % (kind, dtype.name, axis)] = sess.run([y, g]) + [str(y.get_shape())]
        results[kind + " large"] = sess.run(function([[1000.0, 0.0, -1000.0]]))
        results[kind + " vector"] = sess.run(function([1.0, 2.0]))
        results[kind + " float16"] = sess.run(tf.cast(function(tf.constant([1.0, 2.0], tf.float16)), tf.float32) > 0.5)
        x = tf.placeholder(tf.float32, [None, None])
        y = function(x, axis=0)
        results[kind + " fed"] = [str(y.get_shape()), sess.run(y, {x: values[0]})]
        x = tf.placeholder(tf.float32)
        results[kind + " any"] = [str(function(x).get_shape()), sess.run(function(x), {x: values})]
        results[kind + " dim"] = sess.run(function(values, dim=0))
        axis = tf.constant(0)
        results[kind + " axis tensor"] = sess.run(function(tf.constant(values), axis=axis))
        results[kind + " empty"] = sess.run(function(np.zeros([0, 3], np.float32)))
        x = tf.constant(values)
        first = tf.gradients(function(x), x, grad_ys=tf.constant(values[::-1].copy()))[0]
        results[kind + " second"] = sess.run(tf.gradients(tf.square(first), x)[0])

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 3, 4], name="x")
    tf.nn.softmax(x)
    tf.nn.softmax(x, name="named")
    tf.nn.softmax(x, axis=1, name="swapped")
    y = tf.nn.log_softmax(x, axis=-3)
    tf.gradients([y, tf.nn.softmax(x)], x)
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]

results["errors"] = []
for bad in (
    lambda: tf.nn.softmax(1.0),
    lambda: tf.nn.softmax([[1.0]], axis=2),
    lambda: tf.nn.log_softmax([[1.0]], axis=-3),
    lambda: tf.nn.softmax([1, 2]),
    lambda: tf.nn.softmax([[1.0]], axis=0, dim=0),
):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["errors"].append(type(error).__name__)
