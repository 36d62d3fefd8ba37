"""Estimators made of Keras models."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


def test_a_model_is_evaluated_as_it_stands_in_a_folder_that_is_new(tmp_path):
    state = np.random.RandomState(0)
    x, y = state.rand(12, 3).astype(np.float32), state.rand(12, 1).astype(np.float32)
    with tf.Graph().as_default(), tf.Session().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), name="out")])
        model.compile("sgd", "mse")
        model.fit(x, y, verbose=0)
        kernel, bias = model.get_weights()
        estimator = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path / "new" / "folder"))
    data = tf.estimator.inputs.numpy_input_fn({"out_input": x}, y, batch_size=12, shuffle=False)
    expected = np.mean((x @ kernel + bias - y) ** 2)
    assert estimator.evaluate(data)["loss"] == pytest.approx(expected, rel=1e-5)


def test_metrics_are_those_of_compile_in_training_too(tmp_path):
    """As in TensorFlow 1.15.5; what layers add by `add_metric` is left out."""
    x = np.ones([4, 3], np.float32)
    with tf.Graph().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), name="out")])
        model.add_metric(tf.reduce_sum(model.outputs[0]), name="summed", aggregation="mean")
        model.compile("sgd", "mse", metrics=["mae"])
        estimator = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    data = tf.estimator.inputs.numpy_input_fn({"out_input": x}, x[:, :1], batch_size=4, shuffle=False)
    assert sorted(estimator.evaluate(data)) == ["global_step", "loss", "mean_absolute_error"]
    with tf.Graph().as_default():
        tf.train.create_global_step()
        features = {"out_input": tf.constant(x)}
        spec = estimator.model_fn(features, tf.ones([4, 1]), tf.estimator.ModeKeys.TRAIN, estimator.config)
    assert list(spec.eval_metric_ops) == ["mean_absolute_error"]
