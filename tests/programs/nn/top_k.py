"""The largest elements of rows, and whether targets are among them."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(9)
values = random.randint(0, 6, size=[3, 2, 7])

with tf.Session() as sess:
    for dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64, tf.uint8, tf.int8, tf.int16, tf.uint16):
        x = tf.constant(values, dtype)
        results["ties " + dtype.name] = [list(sess.run(tf.nn.top_k(x, k))) for k in (1, 3, 7)]
    x = tf.constant(random.permutation(40).reshape(4, 10), tf.float32)
    top, at = tf.nn.top_k(x, 3)
    results["distinct"] = sess.run([top, at]) + [str(top.get_shape()), str(at.get_shape()), at.dtype.name]
    results["gradient"] = sess.run(tf.gradients(top, x, grad_ys=tf.reshape(tf.range(12.0), [4, 3]))[0])
    results["vector"] = list(sess.run(tf.nn.top_k([1.0, 5.0, 2.0], 2)))
    results["none"] = list(sess.run(tf.nn.top_k([1.0, 5.0, 2.0], 0)))
    results["default"] = list(sess.run(tf.nn.top_k([1.0, 5.0, 2.0])))
    results["empty"] = list(sess.run(tf.nn.top_k(np.zeros([0, 3], np.float32), 2)))
    fed, k = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    top, at = tf.nn.top_k(fed, k)
    results["fed"] = [str(top.get_shape())] + sess.run([top, at], {fed: [[1.0, 3.0], [5.0, 4.0]], k: 1})
    results["fed badly"] = []
    for feeds in ({fed: [1.0], k: 2}, {fed: [1.0], k: -1}, {fed: 1.0, k: 1}):
        try:
            sess.run(top, feeds)
        except tf.errors.InvalidArgumentError as error:
            results["fed badly"].append(str(error).split("\n")[0].split("[[")[0].strip())
    results["infinities"] = list(sess.run(tf.nn.top_k([-np.inf, 1.0, np.inf, -np.inf], 4)))

    probabilities = [[0.1, 0.3, 0.2, 0.4], [0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.5, 0.0], [np.inf, 0.1, 0.2, 0.3]]
    for k in (1, 2, 3, 0):
        results["in top %d" % k] = sess.run(
            [tf.nn.in_top_k(probabilities, targets, k) for targets in ([3, 3, 2, 0], [1, 2, 0, 1], [0, 9, -1, 3])]
        )
    results["in top int64"] = sess.run(tf.nn.in_top_k(probabilities, tf.constant([3, 3, 2, 0], tf.int64), 2))
    y = tf.nn.in_top_k(tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32), 1)
    results["in top shape"] = [str(y.get_shape()), y.dtype.name]

results["refused"] = []
for bad in (
    lambda: tf.nn.top_k([1.0], 2),
    lambda: tf.nn.top_k([1.0], -1),
    lambda: tf.nn.top_k(1.0, 1),
    lambda: tf.nn.top_k(["a"], 1),
    lambda: tf.nn.in_top_k([1.0], [1], 1),
    lambda: tf.nn.in_top_k([[1.0]], [1, 2], 1),
    lambda: tf.nn.in_top_k([[1.0]], [1.0], 1),
):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused"].append(type(error).__name__)

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    top, _ = tf.nn.top_k(x, 2)
    tf.gradients(top, x)
    tf.nn.top_k(tf.zeros([2, 3]), 2, name="named")
    tf.nn.in_top_k(x, [1, 2], 2)
    tf.nn.in_top_k(x, [1, 2], 2, name="named_in")
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
