"""Batch normalization as one op and local response normalization: values, gradients, layouts, static shapes."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(8)
results = {}
sess = tf.Session()
values = random.normal(size=[2, 3, 4, 5]).astype(np.float32)
upstream = random.normal(size=[2, 3, 4, 5]).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 3, 4, 5])
g = tf.placeholder(tf.float32, [None, 3, 4, 5])
scale = tf.placeholder(tf.float32, [5])
offset = tf.placeholder(tf.float32, [5])
mean = tf.placeholder(tf.float32, [5])
variance = tf.placeholder(tf.float32, [5])
feed = {
    x: values,
    g: upstream,
    scale: [1.0, 2.0, -1.0, 0.5, 3.0],
    offset: [0.0, 1.0, 2.0, -1.0, 0.5],
    mean: [0.1, -0.2, 0.3, 0.0, 0.5],
    variance: [1.0, 2.0, 0.5, 1.5, 0.7],
}

y, batch_mean, batch_variance = tf.nn.fused_batch_norm(x, scale, offset)
grads = tf.gradients(y, [x, scale, offset], g)
results["training"] = sess.run([y, batch_mean, batch_variance] + grads, feed)
results["training, shapes"] = [str(t.get_shape()) for t in [y, batch_mean, batch_variance] + grads]
second = tf.gradients([tf.reduce_sum(t * t) for t in grads], [x, scale, g])
results["training, second order"] = sess.run(second, feed)

y, _, _ = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, epsilon=0.01, is_training=False)
grads = tf.gradients(y, [x, scale, offset], g)
results["inference"] = sess.run([y] + grads, feed)
results["inference, shapes"] = [str(t.get_shape()) for t in [y] + grads]
second = tf.gradients([tf.reduce_sum(t * t) for t in grads], [x, scale, g])
results["inference, second order"] = sess.run(second, feed)

one = tf.nn.fused_batch_norm(x[:1, :1, :1], scale, offset)
results["one element"] = sess.run(one, feed)
half = tf.nn.fused_batch_norm(tf.cast(x, tf.float16), scale, offset)
results["half"] = [t.dtype.name for t in half] + sess.run([half[1]], feed)
old = tf.raw_ops.FusedBatchNorm(x=x, scale=scale, offset=offset, mean=[], variance=[], epsilon=0.001)
results["first version"] = sess.run(list(old) + tf.gradients(old.y, [x, scale, offset], g), feed)


def attempt(make):
    try:
        return str(make()[0].get_shape())
    except (TypeError, ValueError) as error:
        return type(error).__name__ + ": " + str(error).split(" for '")[0]


P, f = tf.placeholder, tf.float32
results["errors"] = [
    attempt(lambda: tf.nn.fused_batch_norm(P(f), P(f, [2]), P(f, [2]))),
    attempt(lambda: tf.nn.fused_batch_norm(P(f, [1, 2, 2, None]), P(f, [2]), P(f, [2]))),
    attempt(lambda: tf.nn.fused_batch_norm(P(f, [1, 3, 2, 2]), P(f, [3]), P(f, [3]), data_format="NCHW")),
    attempt(lambda: tf.nn.fused_batch_norm(P(f, [1, 2, 2, 3]), P(f, [2]), P(f, [2]))),
    attempt(lambda: tf.nn.fused_batch_norm(P(f, [1, 2, 3]), P(f, [2]), P(f, [2]))),
    attempt(lambda: tf.nn.fused_batch_norm(P(f, [1, 2, 2, 3]), P(f, [3]), P(f, [3]), P(f, [3]), P(f, [3]))),
    attempt(
        lambda: tf.nn.fused_batch_norm(
            P(f, [1, 2, 2, 3]), P(f, [3]), P(f, [3]), P(f, [2]), P(f, [3]), is_training=False
        )
    ),
]

for radius, bias, alpha, beta in ((5, 1.0, 1.0, 0.5), (1, 2.0, 0.1, 0.75), (0, 1.0, 0.5, 1.0), (20, 1.0, 0.01, 0.6)):
    y = tf.nn.local_response_normalization(x, radius, bias, alpha, beta)
    key = "lrn %s %s %s %s" % (radius, bias, alpha, beta)
    results[key] = [str(y.get_shape())] + sess.run([y] + tf.gradients(y, x, g), feed)
results["lrn, rank"] = attempt(lambda: [tf.nn.lrn(P(f, [1, 2, 3]))])

tf.reset_default_graph()
x, w = P(f, [None, 3, 4, 5], "x"), P(f, [5], "w")
y = tf.nn.fused_batch_norm(x, w, w)[0]
tf.gradients(y, [x, w])
tf.gradients(tf.nn.fused_batch_norm(x, w, w, w, w, is_training=False, name="frozen")[0], [x, w])
tf.gradients(tf.nn.lrn(x), x)
results["names"] = ["%s: %s" % (op.name, op.type) for op in tf.get_default_graph().get_operations()]
