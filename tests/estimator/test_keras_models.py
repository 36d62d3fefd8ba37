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
