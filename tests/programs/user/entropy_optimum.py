"""Entropy of a softmax: a loss that ignores the gradient of its labels, how the gradient checker shows it, a mend."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
results = {}


def broken_entropy(logits):
    # This op's gradient stops at its labels.
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.stop_gradient(tf.nn.softmax(logits)), logits=logits)


def entropy(logits, axis=-1):
    return -tf.reduce_sum(tf.nn.softmax(logits, axis) * tf.nn.log_softmax(logits, axis), axis)


w = tf.get_variable("w", shape=[5], initializer=tf.constant_initializer([0.9, -0.4, 0.1, 1.3, -1.1]))
broken, mended = broken_entropy(w), entropy(w)
climb = tf.train.AdamOptimizer(0.05).minimize(-mended)
still = tf.gradients(broken, w)[0]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values agree"] = sess.run([broken, mended])
    results["the broken gradient"], results["the true one"] = sess.run([still, tf.gradients(mended, w)[0]])
    # They start from numbers that NumPy draws.
    np.random.seed(1)
    wrong = tf.test.compute_gradient_error(w, [5], broken, [])
    right = tf.test.compute_gradient_error(w, [5], mended, [])
    results["errors"] = ["large" if wrong > 0.05 else "small", "below 1e-3" if right < 1e-3 else "above"]
    point = np.array([0.3, -0.2, 0.5, 0.0, 1.0], np.float32)
    theory, measured = tf.test.compute_gradient(w, [5], mended, [], x_init_value=point)
    results["shapes of the Jacobians"] = [list(theory.shape), list(measured.shape)]
    results["theoretical"] = theory
    results["close"] = bool(np.allclose(theory, measured, atol=1e-3))
    sess.run(w.initializer)
    for _ in range(1000):
        sess.run(climb)
    results["the optimum is uniform"] = sess.run([tf.nn.softmax(w), mended])
