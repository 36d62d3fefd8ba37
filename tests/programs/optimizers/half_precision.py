"""Optimizers on float16 variables, which their hyperparameters are cast to."""

import numpy as np
import tensorflow as tf

DTYPE = tf.float16
OPTIMIZERS = [
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda: tf.train.AdamOptimizer(0.1, epsilon=1e-3),
    lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.AdadeltaOptimizer(1.0, epsilon=1e-3),
    lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, epsilon=1e-3),
    lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, epsilon=1e-3, centered=True),
    lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
]

results = {}
for number, make in enumerate(OPTIMIZERS):
    tf.reset_default_graph()
    # Half of them as resource variables.
    with tf.variable_scope("net", use_resource=number % 2 == 0):
        initial = tf.constant_initializer(np.arange(8).reshape(4, 2) * 0.25 - 1)
        w = tf.get_variable("w", [4, 2], dtype=DTYPE, initializer=initial)
        b = tf.get_variable("b", [2], dtype=DTYPE, initializer=tf.constant_initializer([0.5, -0.25]))
    y = tf.gather(w, [0, 2, 0]) * tf.constant([[1.0], [2.0], [3.0]], DTYPE) + b
    optimizer = make()
    train = optimizer.minimize(tf.reduce_sum(tf.square(y - 0.3)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train)
        results["%d %s" % (number, optimizer.get_name())] = sess.run(tf.global_variables())
