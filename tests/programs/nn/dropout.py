"""Dropout: which elements a seed drops, the forms of its arguments, the operations it makes."""

import numpy as np
import tensorflow as tf

results = {}
tf.set_random_seed(11)
x = tf.ones([4, 5])
fed, rate = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [])
cases = {
    "keep_prob": tf.nn.dropout(x, 0.75, seed=1),
    "rate": tf.nn.dropout(x, rate=0.25, seed=1),
    "large rate": tf.nn.dropout(x, rate=0.8, seed=2),
    "noise_shape": tf.nn.dropout(x, 0.5, noise_shape=[4, 1], seed=3),
    "noise_shape with None": tf.nn.dropout(x, 0.5, noise_shape=[None, 1], seed=3),
    "noise_shape tensor": tf.nn.dropout(x, 0.5, noise_shape=tf.constant([1, 5]), seed=3),
    "graph seed": tf.nn.dropout(x, 0.5),
    "double": tf.nn.dropout(tf.ones([6], tf.float64), 0.5, seed=5),
}
with tf.Session() as sess:
    for name in sorted(cases):
        results[name] = [sess.run(cases[name]), sess.run(cases[name]), str(cases[name].get_shape())]
    y = tf.nn.dropout(fed, rate=rate, seed=4)
    results["fed"] = [sess.run(y, {fed: np.ones([2, 5]), rate: r}) for r in (0.0, 0.5)] + [str(y.get_shape())]
    y = tf.nn.dropout(fed, rate, seed=4)
    g = tf.gradients(y, fed)[0]
    results["keep_prob fed"] = sess.run([y, g], {fed: np.ones([2, 5]), rate: 0.5})
whole = tf.nn.dropout(x, tf.constant(1.0))
results["nothing dropped"] = [tf.nn.dropout(x, 1.0).op.type, tf.nn.dropout(x, rate=0).name == x.name, whole.op.type]

results["refused"] = []
for bad in (
    lambda: tf.nn.dropout(x),
    lambda: tf.nn.dropout(x, 0.5, rate=0.5),
    lambda: tf.nn.dropout(x, 0.0),
    lambda: tf.nn.dropout(x, 1.5),
    lambda: tf.nn.dropout(x, rate=1.0),
    lambda: tf.nn.dropout(x, "a"),
    lambda: tf.nn.dropout([1, 2], 0.5),
    lambda: tf.nn.dropout(x, rate=[0.5, 0.5]),
):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused"].append(type(error).__name__)

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    keep = tf.placeholder(tf.float32, name="keep")
    tf.nn.dropout(x, 0.75)
    y = tf.nn.dropout(x, keep, name="named", seed=3)
    tf.nn.dropout(tf.zeros([2, 3]), rate=0.1, noise_shape=[2, 1])
    tf.gradients(y, x)
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
results["seeds"] = [
    [int(op.get_attr("seed")), int(op.get_attr("seed2"))] for op in graph.get_operations() if op.type == "RandomUniform"
]
