"""Conds on one predicate whose branches hold equal constants, variables with updates, and dropout: a model's two modes."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(8)
results = {}
values = np.random.RandomState(3).normal(size=(12, 6)).astype(np.float32)
labels = np.arange(12) % 3
x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.int64, [None])
training = tf.placeholder(tf.bool, name="training")
other = tf.placeholder_with_default(False, [])


def normalized(x, scope):
    with tf.variable_scope(scope):
        beta = tf.Variable(tf.zeros([6]), name="beta")
        gamma = tf.Variable(tf.ones([6]), name="gamma")
        batch_mean, batch_variance = tf.nn.moments(x, [0])
        averages = tf.train.ExponentialMovingAverage(decay=0.5)

        def of_batch():
            with tf.control_dependencies([averages.apply([batch_mean, batch_variance])]):
                return tf.identity(batch_mean), tf.identity(batch_variance)

        mean, variance = tf.cond(
            training, of_batch, lambda: (averages.average(batch_mean), averages.average(batch_variance))
        )
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-3)


hidden = tf.nn.elu(normalized(x, "first"))
# 1.0 is also what the averages subtract their decay from, in the true branch of the cond above.
keep = tf.cond(training, lambda: tf.constant(0.75), lambda: tf.constant(1.0))
hidden = tf.nn.dropout(hidden, keep, seed=3)
weights = tf.get_variable("weights", [6, 3], initializer=tf.truncated_normal_initializer(stddev=0.3))
logits = tf.matmul(hidden, weights)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.AdamOptimizer(0.05).minimize(loss)
nested = tf.cond(
    other,
    lambda: tf.cond(training, lambda: tf.constant(3.0), lambda: tf.constant(7.0)),
    lambda: tf.constant(1.0),
)
crossed = tf.cond(other, lambda: tf.constant(7.0), lambda: tf.constant(3.0))
ranges = tf.cond(training, lambda: tf.cast(tf.range(3), tf.float32), lambda: 2.0 * tf.cast(tf.range(3), tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["losses"] = [sess.run([train, loss], {x: values, y: labels, training: True})[1] for _ in range(8)]
    results["both modes"] = [sess.run([keep, loss], {x: values, y: labels, training: mode}) for mode in (True, False)]
    results["state"] = sess.run({v.op.name: v for v in tf.global_variables()})
    results["table"] = [
        sess.run([nested, crossed, ranges, keep], {training: a, other: b}) for a in (True, False) for b in (True, False)
    ]

# What was computed from a variable before its update stays as it was, however little was computed.
step = tf.train.get_or_create_global_step()
before = tf.cond(tf.is_variable_initialized(step), step.read_value, lambda: step.initial_value) + 0
slow = tf.Variable(1.0)
with tf.control_dependencies([before]):
    count = tf.train.GradientDescentOptimizer(0.5).minimize(slow * slow, step)
with tf.Session() as sess:
    sess.run([step.initializer, slow.initializer])
    results["steps before"] = [int(sess.run([count, before])[1]) for _ in range(3)]
