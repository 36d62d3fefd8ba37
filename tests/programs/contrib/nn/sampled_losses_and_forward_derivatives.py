"""Losses over sampled classes; derivatives in forward direction."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.nn.python.ops import fwd_gradients as forward

results = {}
random = np.random.RandomState(0)
weights = tf.constant(random.randn(12, 4).astype(np.float32))
biases = tf.constant(random.randn(12).astype(np.float32))
inputs = tf.constant(random.randn(5, 4).astype(np.float32))
labels = tf.constant([[1], [4], [0], [11], [7]], tf.int64)
sampled = tf.constant([3, 8, 4, 2, 9, 10], tf.int64)
values = (sampled, tf.fill([5, 1], 0.4), tf.constant([0.5, 0.3, 0.2, 0.6, 0.7, 0.1]))

with tf.Session() as sess:
    for count, temperature, hits, strategy in [(3, 1.0, True, "div"), (4, 0.5, False, "mod"), (2, 10.0, True, "mod")]:
        loss = tf.contrib.nn.rank_sampled_softmax_loss(
            weights, biases, labels, inputs, 6, count, 12, 1, values, temperature, hits, strategy
        )
        key = "rank_%d" % count
        results[key] = [sess.run(loss), sess.run(tf.gradients(loss, [inputs])), str(loss.shape), loss.dtype.name]
    parts = tf.split(weights, 3)
    ids = tf.contrib.nn.rank_sampled_softmax_loss(parts, biases, labels, inputs, 6, 3, 12, 1, values, 1.0, True, "div")
    results["rank_parts"] = sess.run(ids)
    default = tf.contrib.nn.rank_sampled_softmax_loss(
        weights, biases, labels, inputs, 6, 3, 12, 1, None, 1.0, True, "div", name="ranked"
    )
    results["default"] = [list(sess.run(default).shape), bool(np.all(np.isfinite(sess.run(default))))]
    for name, arguments in [("many", (13, 2, "div")), ("few", (3, 3, "div")), ("strategy", (6, 2, "best"))]:
        try:
            tf.contrib.nn.rank_sampled_softmax_loss(
                weights, biases, labels, inputs, arguments[0], arguments[1], 12, 1, values, 1.0, True, arguments[2]
            )
        except ValueError as error:
            results["error_" + name] = str(error)
    sparse = tf.contrib.nn.sampled_sparse_softmax_loss(weights, biases, labels, inputs, 6, 12, sampled_values=values)
    results["sparse"] = [sess.run(sparse), sess.run(tf.gradients(sparse, [inputs]))]

    x = tf.constant([0.5, -1.0, 2.0])
    z = tf.constant([1.0, 2.0, 3.0])
    matrix = tf.constant(random.randn(3, 3).astype(np.float32))
    y = tf.sin(x) * z
    product = tf.reshape(tf.matmul(matrix, tf.reshape(x, [3, 1])), [3])
    results["forward"] = sess.run(forward.fwd_gradients([y, product], [x, z], [tf.ones([3]) * 2.0, z]))
    results["forward_ones"] = sess.run(forward.fwd_gradients([product], [x], assert_unused=True))
    table = tf.gather(x, [0, 2, 0])
    results["forward_gather"] = sess.run(forward.fwd_gradients([table * table], [x]))
