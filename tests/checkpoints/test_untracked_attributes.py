"""Attributes of layers that checkpoints leave out, and dicts in models, which they follow."""

from __future__ import annotations

import numpy as np

import headrace as tf
from headrace.core.eager import eager_mode


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.parts = {"first": [tf.keras.layers.Dense(1)]}

    def call(self, x):
        return self.parts["first"][0](x)


def test_dicts_in_models_are_followed(tmp_path):
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


def test_what_is_not_to_be_tracked():
    model = Model()
    inner = tf.keras.layers.Dense(1)
    model.extra = inner
    assert inner in tf.contrib.checkpoint.list_objects(model)
    model.extra = tf.contrib.checkpoint.NoDependency([inner])
    assert model.extra == [inner]
    assert inner not in tf.contrib.checkpoint.list_objects(model)
    assert inner not in model.layers
    model.extra = inner
    assert inner in tf.contrib.checkpoint.list_objects(model)


def test_containers_count_as_what_they_were_given_as():
    holder = tf.contrib.checkpoint.Checkpointable()
    holder.items = {"k": [1, (2, 3)]}
    assert tf.nest.map_structure(lambda a, b: a + b, {"k": [10, (20, 30)]}, holder.items) == {"k": [11, (22, 33)]}
