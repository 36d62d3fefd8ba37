"""Means, variances, and normalizations composed of them."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(13)
values = random.normal(size=[3, 4, 2]) * 2 + 5

with tf.Session() as sess:
    for dtype in (tf.float32, tf.float64):
        x = tf.constant(values, dtype)
        for axes in ([0], [0, 1], [0, 1, 2], [-1], []):
            for keep in (False, True):
                mean, variance = tf.nn.moments(x, axes, keep_dims=keep)
                results["moments %s %s %s" % (dtype.name, axes, keep)] = sess.run([mean, variance]) + [
                    str(mean.get_shape())
                ]
        mean, variance = tf.nn.moments(x, [0, 1])
        results["gradients " + dtype.name] = sess.run([tf.gradients(mean, x)[0], tf.gradients(variance, x)[0]])
        weights = tf.constant(random.uniform(size=[3, 4, 1]), dtype)
        results["weighted " + dtype.name] = sess.run(tf.nn.weighted_moments(x, [0, 1], weights))
        results["weighted kept " + dtype.name] = sess.run(tf.nn.weighted_moments(x, [1], 2, keep_dims=True))
        for shift in (None, 5.0):
            shift = None if shift is None else tf.constant(shift, dtype)
            parts = tf.nn.sufficient_statistics(x, [0, 1], shift=shift)
            results["statistics %s %s" % (dtype.name, shift is None)] = sess.run([p for p in parts if p is not None])
            results["normalized %s %s" % (dtype.name, shift is None)] = sess.run(tf.nn.normalize_moments(*parts))
        offset, scale = tf.constant([1.0, 2.0], dtype), tf.constant([3.0, 4.0], dtype)
        normal = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
        results["batch " + dtype.name] = sess.run(
            [normal, tf.gradients(normal * tf.constant(values[::-1].copy(), dtype), x)[0]]
        )
        results["batch plain " + dtype.name] = sess.run(tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3))
        results["global " + dtype.name] = sess.run(
            [
                tf.nn.batch_norm_with_global_normalization(
                    x, mean, variance, tf.constant([1.0, 2.0], dtype), tf.constant([3.0, 4.0], dtype), 1e-3, scale
                )
                for scale in (True, False)
            ]
        )
        for axis in (None, 0, 1, [0, 2]):
            y = tf.nn.l2_normalize(x, axis)
            results["l2 %s %s" % (dtype.name, axis)] = sess.run([y, tf.gradients(y[0], x)[0]])
    results["l2 of zeros"] = sess.run(tf.nn.l2_normalize(tf.zeros([2]), dim=0))
    mean, variance = tf.nn.moments(tf.constant(values, tf.float16), [0, 1])
    results["half"] = [mean.dtype.name, sess.run(tf.cast(mean, tf.float32))]
    fed = tf.placeholder(tf.float32)
    results["fed"] = sess.run(list(tf.nn.moments(fed, [0])), {fed: values})
    parts = tf.nn.sufficient_statistics(tf.placeholder_with_default(values, [None, None, 2]), [0, 1])
    results["statistics fed"] = sess.run(list(parts[:3]))
    results["zero fraction"] = [
        sess.run(tf.nn.zero_fraction(v))
        for v in ([0, 1, 0, 3], np.zeros([2, 2]), np.ones([3], np.float32), np.zeros([0]))
    ]
    results["zero fraction fed"] = sess.run(tf.nn.zero_fraction(fed), {fed: [[0.0, 1.0, 2.0, 0.0, 0.0]]})

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    mean, variance = tf.nn.moments(x, [0])
    tf.nn.moments(x, [0], keep_dims=True, name="kept")
    tf.nn.batch_normalization(x, mean, variance, tf.zeros([3]), tf.ones([3]), 1e-3)
    tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3, name="plain")
    tf.nn.l2_normalize(x, 1)
    tf.nn.weighted_moments(x, [0], tf.ones([3]))
    tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [0], shift=1.0))
    tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [1]))
    tf.nn.zero_fraction(x)
    tf.gradients(tf.nn.moments(x, [0, 1])[1], x)
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
with tf.Session() as sess:
    for order in ("euclidean", 1, 2, float("inf")):
        results["normalize %s" % order] = sess.run(list(tf.linalg.normalize(tf.constant(values), order, axis=1)))
    results["normalize all"] = sess.run(list(tf.linalg.normalize(tf.constant(values[0]))))
