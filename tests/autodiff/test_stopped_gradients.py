"""What stops a gradient can be asked for one itself: tapes see it as they see all that is made of what they watch."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode


@pytest.fixture(autouse=True)
def eagerly():
    with eager_mode():
        yield


@pytest.mark.parametrize("wrapped", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("watch", ["tensor", "variable"])
def test_gradients_of_what_is_stopped(wrapped, watch):
    v = tf.Variable([1.0, 2.5])

    def step(x):
        with tf.GradientTape(persistent=True) as tape:
            if watch == "tensor":
                tape.watch(x)
            target = tf.stop_gradient(x * 2.0 if watch == "tensor" else v * 2.0)
            loss = tf.reduce_sum(target * target)
        made = tape.gradient(loss, [target, x, v])
        assert made[1:] == [None, None]
        return made[0]

    # Of the square of twice (1, 2.5).
    np.testing.assert_allclose(wrapped(step)(tf.constant([1.0, 2.5])), [4.0, 10.0])


def test_gradients_of_what_python_computes():
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            double = tf.numpy_function(lambda value: value * 2.0, [x], tf.float32)
            loss = tf.reduce_sum(double * double)
        return tape.gradient(loss, double)

    np.testing.assert_allclose(step(tf.constant([1.0, 2.5])), [4.0, 10.0])


def test_what_nothing_watches_has_none():
    with tf.GradientTape() as tape:
        target = tf.stop_gradient(tf.constant([1.0]) * 2.0)
        loss = tf.reduce_sum(target)
    assert tape.gradient(loss, target) is None
