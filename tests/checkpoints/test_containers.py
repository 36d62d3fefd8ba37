"""Containers in models are followed by their elements."""

from __future__ import annotations

import copy

import numpy as np
import pytest

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


# What is done to a list or dict by the name that it was assigned by, in 1.15.5 too.


def test_a_list_is_the_attribute_by_another_name():
    owner = tf.train.Checkpoint()
    numbers = [1, [2]]
    owner.numbers = numbers
    numbers.append(3)
    assert owner.numbers == [1, [2], 3]
    assert (len(owner.numbers), owner.numbers[2], [*reversed(owner.numbers)]) == (3, 3, [3, [2], 1])
    owner.numbers.append(4)
    owner.numbers[0] = 9
    owner.numbers += [5]
    assert numbers == [9, [2], 3, 4, 5]
    numbers[1] = 7
    owner.numbers.remove(3)
    assert owner.numbers == numbers == [9, 7, 4, 5]
    assert [0] + owner.numbers == [0, 9, 7, 4, 5]  # noqa: RUF005  # a list takes what it is added to
    assert copy.deepcopy(owner.numbers) == numbers
    assert sorted(owner.numbers) == [4, 5, 7, 9]


def test_a_dict_is_the_attribute_by_another_name():
    owner = tf.train.Checkpoint()
    sizes = {"a": 1}
    owner.sizes = sizes
    sizes["b"] = 2
    assert owner.sizes == {"a": 1, "b": 2}
    assert ("b" in owner.sizes, owner.sizes.get("c", 0), [*owner.sizes.items()]) == (True, 0, [("a", 1), ("b", 2)])
    owner.sizes["c"] = 3
    owner.sizes.update(d=4)
    assert owner.sizes.pop("a") == 1
    assert sizes == {"b": 2, "c": 3, "d": 4}
    assert {**owner.sizes} == dict(owner.sizes) == sizes


def test_layers_that_are_added_by_the_other_name():
    class Stack(tf.keras.Model):
        def __init__(self):
            super().__init__()
            blocks = []
            self.blocks = blocks
            self.heads = heads = {}
            for _ in range(2):
                blocks.append(tf.keras.layers.Dense(2))
            heads["out"] = tf.keras.layers.Dense(3)

        def call(self, x):
            for block in self.blocks:
                x = block(x)
            return self.heads["out"](x)

    model = Stack()
    assert model(tf.ones([1, 2])).shape == [1, 3]
    assert (len(model.layers), len(model.trainable_variables)) == (3, 6)
    with pytest.raises(ValueError, match="modified outside the wrapper"):
        model.save_weights("weights")
