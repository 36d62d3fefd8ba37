"""Which loop trains a model that was made eagerly, and what the older ones make of steps: as 1.15.5's."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode

X, Y = np.arange(27.0, dtype=np.float32).reshape(9, 3), np.ones((9, 2), np.float32)


def compiled(optimizer: object = "sgd", **others: object) -> tf.keras.Model:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile(optimizer, "mse", **others)
    return model


@pytest.mark.parametrize(
    ("settings", "is_newer"),
    [
        ({}, True),
        ({"weighted_metrics": ["mae"]}, True),
        ({"run_eagerly": True}, True),
        ({"optimizer": "train"}, False),
        ({"sample_weight_mode": "temporal"}, False),
        ({"target_tensors": "input"}, False),
    ],
)
def test_newer_loops_train_what_they_can(settings: dict, is_newer: bool) -> None:
    with eager_mode():
        if settings.get("optimizer") == "train":
            settings = {"optimizer": tf.train.AdamOptimizer()}
        if settings.get("target_tensors") == "input":
            settings = {"target_tensors": [tf.keras.Input((2,))]}
        assert compiled(**settings)._experimental_run_tf_function == is_newer


def test_each_step_of_an_older_loop_takes_whole_arrays() -> None:
    with eager_mode():
        model = compiled(tf.train.GradientDescentOptimizer(0.0))
        assert model.predict(X, steps=2).shape == (18, 2)
        expected = np.mean((model.predict(X) - Y) ** 2)
        np.testing.assert_allclose(model.evaluate(X, Y, steps=2, batch_size=4, verbose=0), expected, rtol=1e-5)
        history = model.fit(X, Y, batch_size=4, steps_per_epoch=3, epochs=2, verbose=0).history
        np.testing.assert_allclose(history["loss"], [expected] * 2, rtol=1e-5)


def test_an_older_loop_of_single_operations_goes_through_arrays_once() -> None:
    with eager_mode():
        model = compiled(tf.train.GradientDescentOptimizer(0.1), run_eagerly=True)
        assert model.predict(X, batch_size=4, steps=2).shape == (9, 2)
        assert tf.is_tensor(model.predict_on_batch(X))
        with pytest.raises(ValueError, match="do not specify `steps_per_epoch`/`steps`"):
            model.predict(X, steps=2)


@pytest.mark.parametrize("eagerly", [False, True])
def test_several_optimizers_are_refused_where_the_model_is_trained(eagerly: bool) -> None:
    def train() -> None:
        model = compiled([tf.train.AdamOptimizer()])
        model.evaluate(X, Y, verbose=0)
        with pytest.raises(ValueError, match="should be a single optimizer"):
            model.train_on_batch(X, Y)

    if eagerly:
        with eager_mode():
            train()
    else:
        train()
