"""Losses scaled for small types: tf.train.experimental and tf.contrib.mixed_precision."""

import os
import tempfile

import numpy as np
import tensorflow as tf

experimental = tf.train.experimental
mixed = tf.contrib.mixed_precision
results = {}


def error_of(function, *args):
    try:
        function(*args)
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error).__name__
    return None


def dynamic(finite):
    with tf.Graph().as_default(), tf.Session() as sess:
        scale = experimental.DynamicLossScale(initial_loss_scale=8, increment_period=2)
        gradient = tf.placeholder(tf.float32, [2])
        update, good = scale.update({"a": gradient, "b": [None]})
        sess.run(tf.global_variables_initializer())
        seen = []
        for step in finite:
            seen.append(sess.run([good, update], {gradient: [1.0, 2.0 if step else np.inf]})[0])
            seen.append(sess.run(scale()))
        return {
            "seen": [float(x) for x in seen],
            "variables": [[v.name, v.dtype.name] for v in tf.global_variables()],
            "text": repr(scale),
            "config": sorted(scale.get_config().items()),
        }


results["dynamic"] = dynamic([True, True, True, False, False, False, False, False, True, True])
results["fixed"] = [repr(experimental.FixedLossScale(4)), experimental.FixedLossScale(4).get_config()]
results["from_config"] = repr(experimental.DynamicLossScale.from_config({"initial_loss_scale": 2, "multiplier": 3}))
results["errors"] = [
    error_of(experimental.FixedLossScale, 0.5),
    error_of(experimental.FixedLossScale, "1"),
    error_of(experimental.MixedPrecisionLossScaleOptimizer, 3, 4),
    error_of(experimental.MixedPrecisionLossScaleOptimizer, tf.train.AdamOptimizer(), "large"),
    error_of(mixed.FixedLossScaleManager, 0.5),
]


def trained(make, bad_step=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2])
        w = tf.Variable([1.0, 2.0], name="w")
        step = tf.train.get_or_create_global_step()
        optimizer = make(tf.train.MomentumOptimizer(0.1, 0.9))
        train = optimizer.minimize(tf.reduce_sum(tf.square(w * x)), global_step=step)
        sess.run(tf.global_variables_initializer())
        history = []
        for i in range(5):
            sess.run(train, {x: [np.nan, 1.0] if i == bad_step else [1.0, 0.5]})
            history.append(sess.run([w, step]))
        return [history, train.name, sorted(v.name for v in tf.global_variables())]


results["train_fixed"] = trained(lambda opt: experimental.MixedPrecisionLossScaleOptimizer(opt, 128))
results["train_dynamic"] = trained(lambda opt: experimental.MixedPrecisionLossScaleOptimizer(opt, "dynamic"), 2)
results["manager_fixed"] = trained(lambda opt: mixed.LossScaleOptimizer(opt, mixed.FixedLossScaleManager(64)))[0]
results["manager_updated"] = trained(
    lambda opt: mixed.LossScaleOptimizer(opt, mixed.ExponentialUpdateLossScaleManager(16.0, 2, 1)), 2
)
with tf.Graph().as_default(), tf.Session() as sess:
    manager = mixed.ExponentialUpdateLossScaleManager(8.0, 2, 2, 4, 0.5)
    finite = tf.placeholder(tf.bool, [])
    update = manager.update_loss_scale(finite)
    sess.run(tf.global_variables_initializer())
    results["manager"] = []
    for step in [True, True, True, False, False, False, False, False, False, False]:
        sess.run(update, {finite: step})
        results["manager"].append(sess.run(tf.global_variables()))
    results["manager_variables"] = [v.name for v in tf.global_variables()]

# Checkpoints of objects hold the scale and the optimizer within.
with tf.Graph().as_default(), tf.Session() as sess:
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer = experimental.MixedPrecisionLossScaleOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), "dynamic")
    train = optimizer.minimize(tf.reduce_sum(w))
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    path = tf.train.Checkpoint(w=w, optimizer=optimizer).save(os.path.join(tempfile.mkdtemp(), "model"), session=sess)
    results["saved"] = sorted(name for name, _ in tf.train.list_variables(path))
