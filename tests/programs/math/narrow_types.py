"""Single bfloat16 numbers and the wide unsigned types, which few kernels know."""

import numpy as np
import tensorflow as tf

results = {}
sess = tf.Session()


def keep(name, tensor):
    results[name] = str(tensor.dtype.name), str(tensor.shape), sess.run(tf.cast(tensor, tf.float64)).tolist()


one = tf.constant(1.5, tf.bfloat16)
keep("scalar", one)
keep("fill", tf.fill([2], one))
keep("placeholder", tf.placeholder_with_default(one, []) * 2)
x = tf.constant([1.0, 2.0, 4.0], tf.bfloat16)
keep("gradient of a sum", tf.gradients(tf.reduce_sum(x * x), x)[0])
keep("gradient of a mean", tf.gradients(tf.reduce_mean(x * one), x)[0])
v = tf.get_variable("v", initializer=tf.constant([1.0, -2.0], tf.bfloat16))
step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v * v))
sess.run(tf.global_variables_initializer())
sess.run(step)
keep("trained", v)
w = tf.Variable([1.0, 3.0])
sess.run(w.initializer)
results["through a cast"] = sess.run(tf.gradients(tf.reduce_sum(tf.cast(w, tf.bfloat16)), w)[0])
fed = tf.placeholder(tf.bfloat16, [])
results["fed"] = sess.run(tf.cast(tf.fill([2], fed), tf.float32), {fed: 2.5})

matrix = np.array([[1, 2, 3], [4, 3, 2]])
start = tf.placeholder_with_default([0, 2], [2])
for dtype in (tf.uint16, tf.uint32, tf.uint64):
    m = tf.constant(matrix, dtype)
    keep("backwards " + dtype.name, m[1:, ::-1])
    keep("backwards at run time " + dtype.name, tf.strided_slice(m, start, [2, 0], [1, -1]))
    keep("band " + dtype.name, tf.matrix_band_part(m, 0, 1))
    keep("sparse to dense " + dtype.name, tf.sparse_to_dense([[1]], [3], m[0, 1], m[0, 0]))
