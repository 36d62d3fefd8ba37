"""What is taken from a reference variable before it is written: some ops hand its memory on, others compute anew."""

import numpy as np
import tensorflow as tf

results = {}


def read_then_write(take):
    with tf.Graph().as_default():
        variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        taken = take(variable)
        with tf.control_dependencies([taken]):
            written = tf.assign(variable, [[5.0, 6.0], [7.0, 8.0]])
        with tf.control_dependencies([written]):
            used = taken + 0.0
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return np.asarray(sess.run([used, written])[0])


for name, take in {
    "reshape": lambda v: tf.reshape(v, [4]),
    "expand": lambda v: tf.expand_dims(v, 0),
    "broadcast": lambda v: tf.broadcast_to(v, [2, 2, 2]),
    "row": lambda v: v[1],
    "column": lambda v: v[:, 0],
    "reversed": lambda v: v[::-1],
    "slice": lambda v: tf.slice(v, [0, 0], [1, 1]),
    "unstacked": lambda v: tf.unstack(v)[1],
    "split": lambda v: tf.split(v, 2, axis=1)[0],
    "transposed": tf.transpose,
    "moved": lambda v: tf.transpose(tf.reshape(v, [4, 1])),
    "diagonal": tf.matrix_diag_part,
    "sum over nothing": lambda v: tf.reduce_sum(v, axis=[]),
    "gathered": lambda v: tf.gather(v, [0]),
    "tiled": lambda v: tf.tile(v, [1, 2]),
}.items():
    results[name] = read_then_write(take)
