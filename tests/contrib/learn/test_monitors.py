"""Monitors: when they are called, what they keep, and when they stop a training."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.monitors import BaseMonitor, CaptureVariable, EveryN, StopAtStep
from headrace.contrib.learn.run_config import RunConfig
from headrace.contrib.learn.validation_monitor import ValidationMonitor
from headrace.contrib.learn.writing_monitors import GraphDump

X = np.linspace(-1.0, 1.0, 8).astype(np.float32).reshape(4, 2)


def model_fn(features, labels):
    y = tf.contrib.layers.linear(features, 1, weights_initializer=tf.constant_initializer(0.5), scope="y")
    loss = tf.losses.mean_squared_error(labels, y)
    return y, loss, tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD")


def input_fn():
    return tf.constant(X), tf.constant(X.sum(axis=1, keepdims=True))


class Every(EveryN):
    def __init__(self, *args):
        super().__init__(*args)
        self.begun, self.done = [], []

    def every_n_step_begin(self, step):
        self.begun.append(step)
        return []

    def every_n_post_step(self, step, session):
        self.done.append(step)


def test_steps_from_the_first_on_and_every_so_many_after(tmp_path):
    every = Every(3, 2)
    Estimator(model_fn, str(tmp_path)).fit(input_fn=input_fn, steps=9, monitors=[every])
    assert every.begun == [1, 2, 5, 8]
    assert every.done == [1, 2, 5, 8, 9]  # the end is one of them


def test_a_monitor_stops_the_training(tmp_path):
    estimator = Estimator(model_fn, str(tmp_path))
    estimator.fit(input_fn=input_fn, steps=9, monitors=[StopAtStep(num_steps=4)])
    assert estimator.get_variable_value("global_step") == 4
    estimator.fit(input_fn=input_fn, steps=9, monitors=[StopAtStep(last_step=6)])
    assert estimator.get_variable_value("global_step") == 6


def test_values_of_a_variable_are_kept_by_step(tmp_path):
    captured = CaptureVariable("y/weights:0", every_n=2, first_n=1)
    estimator = Estimator(model_fn, str(tmp_path))
    estimator.fit(input_fn=input_fn, steps=5, monitors=[captured])
    assert sorted(captured.values) == [1, 3, 5]
    assert captured.values[1].shape == (2, 1)


def test_two_dumps_of_one_training_are_equal(tmp_path):
    dumps = [GraphDump(), GraphDump()]
    for i, dump in enumerate(dumps):
        config = RunConfig(tf_random_seed=1)
        Estimator(model_fn, str(tmp_path / str(i)), config).fit(input_fn=input_fn, steps=2, monitors=[dump])
    equal, others = dumps[0].compare(dumps[1], 1)
    assert others == []
    assert any(name.startswith("y/MatMul") for name in equal)
    with pytest.raises(ValueError, match="step 7"):
        dumps[0].compare(dumps[1], 7)


def test_early_stopping_when_the_loss_becomes_no_less(tmp_path):
    # A rate of 0: no evaluation is better than the first.
    def stuck(features, labels):
        y = tf.contrib.layers.linear(features, 1)
        loss = tf.losses.mean_squared_error(labels, y)
        return y, loss, tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.0, "SGD")

    monitor = ValidationMonitor(
        input_fn=input_fn, eval_steps=1, every_n_steps=2, early_stopping_rounds=4, check_interval_secs=None
    )
    estimator = Estimator(stuck, str(tmp_path), RunConfig(save_checkpoints_steps=2))
    estimator.fit(input_fn=input_fn, steps=50, monitors=[monitor])
    assert monitor.early_stopped
    assert monitor.best_metrics["loss"] == monitor.best_value
    assert estimator.get_variable_value("global_step") < 50


def test_calls_out_of_order_are_refused():
    monitor = BaseMonitor()
    with pytest.raises(ValueError, match="without begin"):
        monitor.end()
    monitor.begin()
    with pytest.raises(ValueError, match="twice"):
        monitor.begin()
    monitor.step_begin(1)
    with pytest.raises(ValueError, match="expected 1 but got 2"):
        monitor.step_end(2, {})
    with pytest.raises(ValueError, match="Invalid step"):
        monitor.step_begin(-1)
    with pytest.raises(ValueError, match="Missing estimator"):
        monitor.set_estimator(None)
