"""slim.learning: the training step and its options, and a training run that leaves a checkpoint and goes on from it."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

results = {}
R = np.random.RandomState(2)
DATA = R.standard_normal((12, 4)).astype(np.float32)
LABELS = np.eye(3, dtype=np.float32)[R.randint(0, 3, 12)]


def model():
    with slim.arg_scope(
        [slim.fully_connected],
        weights_initializer=tf.constant_initializer(0.1),
        weights_regularizer=slim.l2_regularizer(0.01),
    ):
        net = slim.fully_connected(tf.constant(DATA), 5, normalizer_fn=slim.batch_norm, scope="hidden")
        logits = slim.fully_connected(net, 3, activation_fn=None, scope="logits")
    slim.losses.softmax_cross_entropy(logits, tf.constant(LABELS))
    return slim.losses.get_total_loss()


for key, options in (
    ("plain", {}),
    ("clipped", {"clip_gradient_norm": 0.01, "summarize_gradients": True}),
    ("multiplied", {"gradient_multipliers": {"hidden/weights": 3.0, "logits/biases": 0.0}}),
    ("bare", {"update_ops": [], "check_numerics": False, "global_step": None}),
):
    total = model()
    train_op = slim.learning.create_train_op(total, tf.train.MomentumOptimizer(0.1, 0.9), **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = [sess.run(train_op) for _ in range(3)]
        results[key] = {
            "losses": losses,
            "variables": {
                v.op.name: v_value for v, v_value in zip(tf.global_variables(), sess.run(tf.global_variables()))
            },
            "name": train_op.name,
            "collected": [t.name for t in tf.get_collection(tf.GraphKeys.TRAIN_OP)],
            "summaries": [t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)],
        }
    tf.reset_default_graph()

logdir = tempfile.mkdtemp()
finals = []
for steps in (3, 5):
    total = model()
    train_op = slim.learning.create_train_op(total, tf.train.GradientDescentOptimizer(0.1))
    tf.summary.scalar("loss", total)
    finals.append(slim.learning.train(train_op, logdir, number_of_steps=steps, log_every_n_steps=0))
    tf.reset_default_graph()
results["finals"] = finals
# Which of them is the latest depends on the threads of TensorFlow.
results["files"] = [
    name in os.listdir(logdir) for name in ("checkpoint", "graph.pbtxt", "model.ckpt-3.index", "model.ckpt-5.index")
]

total = model()
train_op = slim.learning.create_train_op(total, tf.train.GradientDescentOptimizer(0.1))
calls = []


def own_step(sess, op, global_step, kwargs):
    loss, stop = slim.learning.train_step(sess, op, global_step, kwargs)
    calls.append([float(loss), bool(stop)])
    return [loss, stop or len(calls) == 2]


results["no_logdir"] = slim.learning.train(train_op, None, train_step_fn=own_step, number_of_steps=9)
results["calls"] = calls


def error(function):
    try:
        function()
    except (AssertionError, RuntimeError, TypeError, ValueError) as e:
        return type(e).__name__
    return "none"


results["errors"] = [
    error(lambda: slim.learning.train(None, logdir)),
    error(lambda: slim.learning.train(train_op, None, saver=tf.train.Saver())),
    error(lambda: slim.learning.train(train_op, None, trace_every_n_steps=1)),
    error(lambda: slim.learning.train(train_op, logdir, number_of_steps=0)),
    error(lambda: slim.learning.train(train_op, None, init_op=None)),
    error(lambda: slim.learning.multiply_gradients([], {})),
    error(lambda: slim.learning.multiply_gradients([(None, tf.trainable_variables()[0])], {"hidden/weights": 1.0})),
    error(lambda: slim.learning.create_train_op(total, tf.train.GradientDescentOptimizer(0.1), variables_to_train=[])),
]
