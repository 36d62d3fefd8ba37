"""Containers in models are followed by their elements."""

from __future__ import annotations

import numpy as np

import headrace as tf
from headrace.core.eager import eager_mode


def test_dicts_in_models_are_followed(tmp_path):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = {"first": [tf.keras.layers.Dense(1)]}

        def call(self, x):
            return self.parts["first"][0](x)

    with eager_mode():
        model, other = Model(), Model()
        for made in (model, other):
            made(tf.ones([1, 2]))
        root = tf.train.Checkpoint(model=model)
        # Twice: the containers kept from the first time are no parts of their own.
        for _ in range(2):
            path = root.save(str(tmp_path / "ckpt"))
        tf.train.Checkpoint(model=other).restore(path).assert_consumed()
        np.testing.assert_array_equal(other.weights[0].numpy(), model.weights[0].numpy())
