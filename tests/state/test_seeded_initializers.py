"""Initializers of TensorFlow 2's kind draw by their seed alone."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.python.ops import init_ops_v2
from headrace.state import initializers_v2


def _drawn(*tensors: tf.Tensor) -> list[np.ndarray]:
    with tf.Session() as session:
        return session.run(list(tensors))


def test_a_seed_tells_the_values() -> None:
    # Values of 1.15.5; no other operation and no other call moves them.
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        uniform = initializers_v2.RandomUniform(0, 10, seed=1)
        first, second = uniform([3], dtype=tf.int32), uniform([3], dtype=tf.int32)
        normal = initializers_v2.RandomNormal(seed=1)([2, 3])
        scaled = initializers_v2.VarianceScaling(seed=1)([2, 3])
        square = initializers_v2.Orthogonal(seed=1)([2, 2])
        first, second, normal, scaled, square = _drawn(first, second, normal, scaled, square)
    assert first.tolist() == second.tolist() == [9, 4, 0]
    np.testing.assert_allclose(normal, [[0.00633, -0.02465, 0.03156], [-0.03944, 0.02842, -0.07785]], atol=1e-5)
    np.testing.assert_allclose(scaled, [[0.10181, -0.39632, 0.5074], [-0.63413, -0.73141, -0.32088]], atol=1e-5)
    np.testing.assert_allclose(square, [[0.19673, -0.98046], [0.98046, 0.19673]], atol=1e-5)


def test_without_a_seed_each_call_draws_anew() -> None:
    with tf.Graph().as_default():
        made = initializers_v2.TruncatedNormal()
        first, second = _drawn(made([20]), made([20]))
    assert (first != second).any()


def test_zeros_may_be_texts() -> None:
    with tf.Graph().as_default():
        assert _drawn(initializers_v2.Zeros()([2], dtype=tf.string))[0].tolist() == [b"", b""]
        with pytest.raises(ValueError, match="numeric or boolean"):
            initializers_v2.Ones()([2], dtype=tf.string)


@pytest.mark.parametrize(
    ("name", "made"),
    [("zeros", "Zeros"), ("ones", "Ones"), ("constant", "Constant"), ("identity", "Identity"),
     ("random_normal", "RandomNormal"), ("random_uniform", "RandomUniform"), ("truncated_normal", "TruncatedNormal")],
)  # fmt: skip
def test_short_names_of_the_module_are_its_classes(name: str, made: str) -> None:
    assert getattr(init_ops_v2, name) is getattr(initializers_v2, made)
