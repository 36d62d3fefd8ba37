"""Softmax and cross-entropy, written naively and with care, at logits that overflow; values and gradients."""

import tensorflow as tf

results = {}


def naive_softmax(logits):
    powers = tf.exp(logits)
    return powers / tf.reduce_sum(powers)


def careful_softmax(logits):
    return naive_softmax(logits - tf.reduce_max(logits))


def naive_cross_entropy(labels, logits):
    return -tf.reduce_sum(labels * tf.log(careful_softmax(logits)))


def careful_cross_entropy(labels, logits):
    shifted = logits - tf.reduce_max(logits)
    return -tf.reduce_sum(labels * (shifted - tf.reduce_logsumexp(shifted)))


extreme = tf.constant([1000.0, 0.0])
mild = tf.constant([0.3, -1.2, 2.0])
labels = tf.constant([0.5, 0.5])
target = tf.constant([0.2, 0.5, 0.3])

with tf.Session() as sess:
    results["naive softmax"], results["careful softmax"] = sess.run([naive_softmax(extreme), careful_softmax(extreme)])
    results["built-in softmax"] = sess.run([tf.nn.softmax(extreme), tf.nn.log_softmax(extreme), tf.nn.softmax(mild)])
    results["naive cross-entropy"] = sess.run(naive_cross_entropy(labels, extreme))
    careful = careful_cross_entropy(labels, extreme)
    results["careful cross-entropy"] = sess.run(careful)
    results["its gradient"] = sess.run(tf.gradients(careful, extreme))
    built_in = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=extreme)
    results["built-in cross-entropy"] = sess.run([built_in] + tf.gradients(built_in, extreme))
    results["mild"] = sess.run(
        [careful_cross_entropy(target, mild)] + tf.gradients(careful_cross_entropy(target, mild), mild)
    )
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=tf.stack([mild, mild * 100.0]))
    results["sparse"] = sess.run([sparse] + tf.gradients(sparse, mild))
    sigmoid = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=tf.constant([-1000.0, 1000.0]))
    results["sigmoid"] = sess.run(sigmoid)
    results["softplus"] = sess.run(tf.nn.softplus([-1000.0, -1.0, 0.0, 1.0, 1000.0]))
    results["logsumexp"] = sess.run(tf.reduce_logsumexp(tf.constant([[1000.0, 1000.0], [-1000.0, -1000.0]]), 1))
    # x * y / y for a y that single precision rounds to zero, and one that it rounds to infinity.
    x = tf.constant(1.0)
    results["lost"] = sess.run([x * y / y for y in (tf.constant(1e-30) * 1e-30, tf.constant(1e30) * 1e30)])
