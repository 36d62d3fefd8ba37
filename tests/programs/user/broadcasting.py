"""Broadcasting where it helps, and where it hides a mistake: a column and a vector of the same length."""

import numpy as np
import tensorflow as tf

table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
column = tf.constant([[1.0], [2.0]])
vector = tf.constant([1.0, 2.0])
unknown = tf.placeholder(tf.float32, [None, 1])
partly = unknown + tf.zeros([4])

surprise = tf.reduce_sum(column + vector)
explicit = tf.reduce_sum(column + vector, 0)
gradients = tf.gradients(tf.reduce_sum(tf.square(column * vector - table)), [column, vector, table])

results = {}
with tf.Session() as sess:
    results["tiled"], results["broadcast"] = sess.run([table + tf.tile(column, [1, 2]), table + column])
    results["sum of everything"], results["sum of columns"] = sess.run([surprise, explicit])
    results["gradients"] = sess.run(gradients)
    results["fed"] = sess.run(partly, {unknown: [[1.0], [2.0], [3.0]]})
results["static shape"] = str(partly.get_shape())
results["broadcast_static_shape"] = str(tf.broadcast_static_shape(tf.TensorShape([5, 1]), tf.TensorShape([3])))

# Mapping two inputs of different extent and adding is the same as mapping their concatenation.
random = np.random.RandomState(0)
a = tf.constant(random.normal(size=[5, 3, 5]).astype(np.float32))
b = tf.constant(random.normal(size=[5, 1, 6]).astype(np.float32))
w = tf.constant(random.normal(size=[11, 4]).astype(np.float32))
joined = tf.concat([a, tf.tile(b, [1, 3, 1])], 2)
together = tf.reshape(tf.matmul(tf.reshape(joined, [15, 11]), w), [5, 3, 4])
apart = tf.reshape(tf.matmul(tf.reshape(a, [15, 5]), w[:5]), [5, 3, 4])
apart += tf.reshape(tf.matmul(tf.reshape(b, [5, 6]), w[5:]), [5, 1, 4])
with tf.Session() as sess:
    one, other = sess.run([tf.nn.relu(together), tf.nn.relu(apart)])
results["mapped together"] = one
results["the same apart"] = bool(np.allclose(one, other, atol=1e-4))

try:
    tf.zeros([3, 2]) + tf.zeros([3, 4])
except ValueError as error:
    results["no common shape"] = [type(error).__name__, "3,2" in str(error) and "3,4" in str(error)]
