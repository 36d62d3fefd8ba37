"""The ops of gradients of batch normalization, gated for an optimizer and taken twice."""

import numpy as np
import tensorflow as tf

results = {}
X = np.random.RandomState(3).randn(4, 3, 3, 2).astype(np.float32)


def model(training):
    scale = tf.get_variable("scale", initializer=tf.constant([0.5, 2.0]))
    offset = tf.get_variable("offset", initializer=tf.constant([0.1, -0.2]))
    given = () if training else (tf.constant([0.1, 0.2]), tf.constant([1.5, 0.5]))
    x = tf.get_variable("x", initializer=X)
    y = tf.nn.fused_batch_norm(x, scale, offset, *given, is_training=training)[0]
    return x, scale, tf.reduce_sum(tf.sin(y) * y)


for training in (True, False):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(2)
        x, scale, loss = model(training)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        results["gated %s" % training] = [op.name for op in graph.get_operations() if "/tuple/" in op.name]
    with tf.Graph().as_default():
        tf.set_random_seed(2)
        x, scale, loss = model(training)
        first = tf.gradients(loss, [x, scale])
        second = tf.gradients([tf.reduce_sum(tf.square(value)) for value in first], [x, scale])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = sess.run(second)
        results["twice %s" % training] = {
            "x": values[0][0] / 1000,
            "scale": values[1] / 1000,
        }
