"""Summing rows by slices, by unstacking and by reduction: one result, three graphs of very different size."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.random.RandomState(1).uniform(size=[200, 10]).astype(np.float32))


def count():
    return len(tf.get_default_graph().get_operations())


results = {}
before = count()
sliced = tf.zeros([10])
for i in range(200):
    sliced += x[i]
results["ops of the slices"] = count() - before

before = count()
unstacked = tf.zeros([10])
for row in tf.unstack(x):
    unstacked += row
results["ops of unstack"] = count() - before

before = count()
reduced = tf.reduce_sum(x, axis=0)
results["ops of reduce_sum"] = count() - before

slopes = [tf.gradients(tf.reduce_sum(tf.square(y)), x)[0] for y in (sliced, unstacked, reduced)]
with tf.Session() as sess:
    for name, y in (("slices", sliced), ("unstack", unstacked), ("reduce_sum", reduced)):
        results[name] = sess.run(y)
    gradients = sess.run(slopes)
results["gradient"] = gradients[2][:2]
results["the gradients agree"] = [bool(np.allclose(g, gradients[2], rtol=1e-4)) for g in gradients]
results["last names"] = [sliced.name, unstacked.name, reduced.name]
