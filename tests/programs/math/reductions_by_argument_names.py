"""Every reduction, over one axis, several, all and none, kept and dropped, under its old and new argument names."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(3)
values = random.normal(size=[3, 4, 2]).astype(np.float32)
x = tf.constant(values)
flags = tf.constant(values > 0)
dynamic_axis = tf.placeholder(tf.int32, [None])
results = {}

with tf.Session() as sess:
    for name in ("sum", "mean", "max", "min", "prod", "logsumexp"):
        reduce = getattr(tf, "reduce_" + name)
        for axis in (None, 0, -1, [0, 2], []):
            y = reduce(x, axis)
            results["%s over %s" % (name, axis)] = [sess.run(y), str(y.get_shape())]
        kept = reduce(x, axis=1, keepdims=True)
        results[name + ", kept"] = [sess.run(kept), str(kept.get_shape())]
        results[name + ", old names"] = sess.run(reduce(x, reduction_indices=[1], keep_dims=True))
        results[name + ", gradient"] = sess.run(tf.gradients(reduce(x, [0, 2]), x)[0])
    for name in ("all", "any"):
        reduce = getattr(tf, "reduce_" + name)
        results[name] = [sess.run(reduce(flags, axis)) for axis in (None, 0, [1, 2])]
    total = tf.reduce_sum(x, dynamic_axis)
    results["axis fed"] = [sess.run(total, {dynamic_axis: axes}) for axes in ([0], [1, 2], [])]
    results["axis unknown, shape"] = str(total.get_shape())
    results["argmax and argmin"] = sess.run([tf.argmax(x, 1), tf.argmin(x, -1), tf.argmax(x, 0, output_type=tf.int32)])
    results["nonzero"] = sess.run(tf.count_nonzero(flags, 1))
    results["integer mean"] = sess.run(tf.reduce_mean(tf.constant([1, 2, 4])))
    results["empty"] = sess.run([f(tf.zeros([0, 2]), 0) for f in (tf.reduce_sum, tf.reduce_max, tf.reduce_mean)])
    results["cumulative"] = sess.run([tf.cumsum(x, 1), tf.cumprod(x, 0, exclusive=True, reverse=True)])
    results["moments"] = list(sess.run(tf.nn.moments(x, [0, 1])))

try:
    tf.reduce_sum(x, 3)
except ValueError as error:
    results["axis out of range"] = type(error).__name__
