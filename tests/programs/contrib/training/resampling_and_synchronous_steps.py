"""Rows taken at random rates, classes in given shares, hyperparameters in text, synchronous training: the ops made for them."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

results = {}
T = tf.contrib.training


def outcome(function):
    try:
        return function()
    except Exception as e:
        return type(e).__name__


def ops():
    return ["%s %s" % (op.name, op.type) for op in tf.get_default_graph().get_operations()]


tf.set_random_seed(3)
x = tf.random_normal([4, 2])
labels = tf.constant([0, 1, 0, 1])
T.stratified_sample([x], labels, [0.5, 0.5], 4, enqueue_many=True)
T.rejection_sample(
    [x, x + 1], lambda found: tf.reduce_sum(found[0]) * 0 + 0.5, 3, runtime_checks=True, enqueue_many=True
)
often, rates = T.weighted_resample([x, x * 2], tf.constant([1.0, 0.0, 1.0, 2.0]), 1.0)
(at_rate,) = T.resample_at_rate([x], tf.constant([1.0, 0.0, 1.0, 2.0]), back_prop=True, seed=4)
(none,) = T.resample_at_rate([x], [0.0, 0.0, 0.0, 0.0])
after = tf.random_normal([2])
results["names"] = ops()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    results["none"] = sess.run(none)
    results["after"] = sess.run(after)
    rows, found = sess.run([x, at_rate])
    results["rows of x"] = bool(all(any((row == other).all() for other in rows) for row in found))

tf.reset_default_graph()
data = np.random.RandomState(0).standard_normal((8, 3)).astype(np.float32)
predicted = slim.fully_connected(tf.constant(data), 1, activation_fn=None, weights_initializer=tf.ones_initializer())
slim.losses.mean_squared_error(predicted, tf.constant(data[:, :1]))
optimizer = tf.train.SyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=1, total_num_replicas=1
)
train_op = slim.learning.create_train_op(slim.losses.get_total_loss(), optimizer)
results["refusals"] = [
    outcome(lambda: slim.learning.train(train_op, None, number_of_steps=1, sync_optimizer=given, **options))
    for given, options in ((optimizer, {"startup_delay_steps": 1}), ([3], {}), (5, {}), (None, {"summary_op": None}))
]
losses = []


def step(sess, *args):
    loss, stop = slim.learning.train_step(sess, *args)
    losses.append(float(loss))
    if stop:
        sess.close()
    return loss, stop


tf.reset_default_graph()
predicted = slim.fully_connected(tf.constant(data), 1, activation_fn=None, weights_initializer=tf.ones_initializer())
slim.losses.mean_squared_error(predicted, tf.constant(data[:, :1]))
optimizer = tf.train.SyncReplicasOptimizer(
    tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=1, total_num_replicas=1
)
train_op = slim.learning.create_train_op(slim.losses.get_total_loss(), optimizer)
# Closing the session may reach the thread that applies the updates before the coordinator stops it.
outcome(lambda: slim.learning.train(train_op, None, number_of_steps=3, sync_optimizer=[optimizer], train_step_fn=step))
results["first loss"] = losses[0]
results["falls"] = losses[-1] < losses[0]
results["synchronous"] = ops()

results["parsed"] = [
    outcome(
        lambda: sorted(
            (k, str(v)) for k, v in T.HParams(a=1, b=2.0, c="x", d=[1, 2], e=True).parse(text).values().items()
        )
    )
    for text in (
        " a = 5",
        "a = 5",
        "a =5,  b=3 ,c=x ",
        "d=[ 3, 4 ]",
        "d[ 0 ]=3",
        ",a=3",
        "a=3,",
        "a=3,,b=2",
        "a[1]=2",
        "_a=2",
        "c=[a]b",
    )
]
