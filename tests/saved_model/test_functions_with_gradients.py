"""Functions of which gradients have been made are written as they were traced."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode


class Recurrence(tf.Module):
    def __init__(self):
        self.weights = tf.Variable([[0.5, -0.2], [0.1, 0.9]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.int32)])
    def __call__(self, x, times):
        h = x
        for i in tf.range(times):
            if tf.reduce_sum(h) > 3.0:
                h = h * tf.cast(i, tf.float32)
            else:
                h = tf.tanh(tf.matmul(h, self.weights)) + x
        return h


@pytest.fixture(autouse=True)
def eagerly():
    with eager_mode():
        yield


def test_a_gradient_leaves_what_is_written_as_it_was(tmp_path):
    model, x = Recurrence(), tf.constant([[1.0, 2.0], [0.3, -0.4]])
    concrete = model.__call__.get_concrete_function()
    before = concrete.function_def
    expected = model(x, 4).numpy()
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(model(x, 4))
    gradient = tape.gradient(total, model.weights).numpy()
    assert concrete.function_def == before
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.compat.v2.saved_model.load(str(tmp_path))
    np.testing.assert_allclose(loaded(x, tf.constant(4)).numpy(), expected, rtol=1e-6)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(loaded(x, tf.constant(4)))
    np.testing.assert_allclose(tape.gradient(total, loaded.weights).numpy(), gradient, rtol=1e-5)
