"""The cells that compute what networks in one op do, and the converters' arithmetic."""

import numpy as np
import tensorflow as tf

results = {}
X = np.random.RandomState(0).randn(3, 5, 4).astype(np.float32)
C = tf.contrib.cudnn_rnn


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def run(make):
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        outputs, state = tf.nn.dynamic_rnn(make(), x, dtype=tf.float32)
        variables = tf.trainable_variables()
        grads = tf.gradients(tf.reduce_sum(outputs * outputs), [x] + variables)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return {
                "values": sess.run([outputs, state, grads]),
                "variables": [[v.name, v.shape.as_list()] for v in variables],
            }


results["lstm"] = run(lambda: C.CudnnCompatibleLSTMCell(3))
results["gru"] = run(lambda: C.CudnnCompatibleGRUCell(3))
results["gru with initializer"] = run(lambda: C.CudnnCompatibleGRUCell(3, kernel_initializer=tf.ones_initializer()))
results["layers"] = run(lambda: tf.nn.rnn_cell.MultiRNNCell([C.CudnnCompatibleLSTMCell(3) for _ in range(2)]))
