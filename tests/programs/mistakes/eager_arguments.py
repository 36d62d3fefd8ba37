"""What is said eagerly of arguments that do not fit: each operation's kernel speaks, and values convert by rules of their own."""

import numpy as np
import tensorflow as tf

tf.compat.v1.enable_eager_execution()


def error(function):
    try:
        return repr(function()).split("numpy=")[-1]
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split(" name:")[0]


c = tf.constant
a = c(np.ones((2, 3), np.float32))
b = c(np.ones((4, 5), np.float32))
v = c([1.0, 2.0])
results = {}
results["shapes"] = [
    error(f)
    for f in (
        lambda: a + b,
        lambda: a * v,
        lambda: tf.matmul(a, b),
        lambda: tf.matmul(a, v),
        lambda: tf.concat([a, b], 0),
        lambda: tf.concat([a, v], 0),
        lambda: tf.stack([a, b]),
        lambda: tf.reshape(a, [4, 5]),
        lambda: tf.reshape(a, [-1, 4]),
        lambda: tf.gather(v, 5),
        lambda: tf.slice(a, [0, 0], [5, 5]),
        lambda: a[3],
        lambda: a[0, 0, 0],
        lambda: tf.transpose(a, [0, 1, 2]),
        lambda: tf.reduce_sum(a, 3),
        lambda: tf.argmax(a, 4),
        lambda: tf.squeeze(a, [0]),
        lambda: tf.expand_dims(a, 5),
        lambda: tf.tile(a, [1]),
        lambda: tf.split(a, 2, 1),
        lambda: tf.split(a, [1, 1], 1),
        lambda: tf.unstack(a, 3, axis=0),
        lambda: tf.nn.softmax_cross_entropy_with_logits(labels=a, logits=b),
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=c([1]), logits=a),
        lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([2, 2, 4, 5]), strides=[1, 1, 1, 1], padding="SAME"),
        lambda: tf.nn.conv2d(tf.ones([4, 4, 3]), tf.ones([2, 2, 3, 5]), strides=[1, 1, 1, 1], padding="SAME"),
        lambda: tf.nn.bias_add(a, v),
        lambda: tf.linalg.inv(a),
        lambda: tf.broadcast_to(a, [3, 3]),
        lambda: tf.add_n([a, b]),
        lambda: tf.equal(a, b),
        lambda: a < v,
        lambda: tf.pow(a, b),
        lambda: tf.cumsum(a, 3),
        lambda: tf.matrix_diag_part(v),
    )
]
results["types"] = [
    error(f)
    for f in (
        lambda: a + c(1),
        lambda: tf.add(a, c(1.0, tf.float64)),
        lambda: tf.matmul(c([[1]]), a),
        lambda: ~c(1),
        lambda: c(1) + 1.5,
        lambda: c(1) + None,
        lambda: tf.add(1, "a"),
        lambda: tf.reduce_sum(None),
    )
]
results["values"] = [
    error(f)
    for f in (
        lambda: c([[1], [1, 2]]),
        lambda: c("a", tf.float32),
        lambda: c([1, 2.5], tf.int32),
        lambda: c([3], tf.string),
        lambda: c(None),
        lambda: c([None, 1]),
        lambda: c({}),
        lambda: c(1, tf.bool),
        lambda: c(1j, tf.float32),
        lambda: c(2**70),
        lambda: c([1, "a"]),
        lambda: c([[1], []]),
        lambda: c([np.zeros(2), np.zeros(3)]),
        lambda: c([1, 2], shape=[3]),
        lambda: tf.Variable(1.0).assign("a"),
        lambda: a.set_shape([3, 3]),
    )
]
# A tensor decides the type of a Python number before it.
results["matched"] = [
    error(f)
    for f in (
        lambda: tf.add(1, c(1.5)),
        lambda: tf.maximum(0, c([1.5, -1.0])),
        lambda: tf.where(c([True, False]), [1, 2], c([1.0, 2.0])),
        lambda: tf.equal(1, c(1.0)),
        lambda: tf.pow(2, c(1.5)),
        lambda: tf.multiply(2, tf.Variable(1.5)),
        lambda: tf.add(1.5, c(1)),
        lambda: tf.add(np.float64(1), c(1.0)),
    )
]
