"""tf.contrib.opt: Shampoo, GGT, Adam by the global step, and roots of matrices."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.opt.python.training import matrix_functions

results = {}
R = np.random.RandomState(3)
W, B, E = R.randn(4, 3).astype(np.float32), R.randn(3).astype(np.float32), R.randn(6, 4).astype(np.float32)
X, Y = R.randn(8, 4).astype(np.float32), R.randn(8, 3).astype(np.float32)


def train(name, make, resource=False, sparse=False, steps=5):
    with tf.Graph().as_default():
        w = tf.get_variable("w", initializer=W, use_resource=resource)
        b = tf.get_variable("b", initializer=B, use_resource=resource)
        x = tf.constant(X)
        if sparse:
            table = tf.get_variable("table", initializer=E, use_resource=resource)
            x = x + tf.gather(table, [0, 2, 2, 5, 1, 0, 0, 2])
        loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(x, w) + b) - Y))
        step = tf.train.get_or_create_global_step()
        optimizer = make(step)
        train_op = optimizer.minimize(loss, global_step=step)
        found = {
            "op": [train_op.name, train_op.type],
            "variables": [[v.name, str(v.shape)] for v in tf.global_variables()],
            "slots": optimizer.get_slot_names(),
            "optimizer": optimizer.get_name(),
        }
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            found["values"] = []
            for _ in range(steps):
                sess.run(train_op)
                found["values"].append(sess.run(tf.trainable_variables()))
        results["%s %s %s" % (name, resource, sparse)] = found


opt = tf.contrib.opt
for resource in (False, True):
    for sparse in (False, True):
        train("adam", lambda step: opt.AdamGSOptimizer(step, 0.1), resource, sparse)
        train("lazy", lambda step: opt.LazyAdamGSOptimizer(step, 0.1, beta1=0.8, name="Lazy"), resource, sparse)
    train("shampoo", lambda step: opt.ShampooOptimizer(step, learning_rate=0.1), resource)
    train("ggt", lambda step: opt.GGTOptimizer(0.1, window=3, sigma_eps=0.1, svd_eps=0.01), resource)
train("shampoo rows", lambda step: opt.ShampooOptimizer(step, learning_rate=0.1, alpha=0.7), False, True)
train("shampoo diagonal", lambda step: opt.ShampooOptimizer(step, max_matrix_size=3, learning_rate=0.1), False, True)
train("shampoo diagonal", lambda step: opt.ShampooOptimizer(step, max_matrix_size=2, learning_rate=0.1), False, False)
train(
    "shampoo momentum",
    lambda step: opt.ShampooOptimizer(
        step,
        gbar_decay=0.5,
        gbar_weight=0.5,
        mat_gbar_decay=0.9,
        mat_gbar_weight=lambda t: 1.0 / t,
        learning_rate=lambda t: 0.1 / t,
        svd_interval=2,
        precond_update_interval=2,
        name="S",
    ),
)
train("shampoo roots", lambda step: opt.ShampooOptimizer(step, learning_rate=0.1, use_iterative_root=True), steps=3)
train("ggt many", lambda step: opt.GGTOptimizer(0.05, beta1=0.5, window=8, eps=1.0, svd_eps=0.01, name="G"))

with tf.Graph().as_default(), tf.Session() as sess:
    matrix = np.dot(X.T, X)
    root = matrix_functions.matrix_square_root(tf.constant(matrix), 4)
    inverse = matrix_functions.matrix_inverse_pth_root(tf.constant(matrix), 4, -0.25)
    small = matrix_functions.matrix_inverse_pth_root(tf.constant([[2.0]]), 1, -0.5)
    results["roots"] = [x.astype(np.float64).round(3) for x in sess.run([root, inverse, small])]
