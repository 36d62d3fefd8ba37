"""Functions that give gradients with respect to arguments, where one tensor is passed for several of them."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.eager import eager_mode


# d(a^2 b)/da = 2 a b and d/db = a^2; a tensor that stands for both counts for both where one of them is asked for.
@pytest.mark.parametrize(
    ("params", "expected"),
    [(["a"], [27.0]), (["b"], [27.0]), ([0], [27.0]), (None, [18.0, 9.0]), (["a", "b"], [18.0, 9.0])],
)
def test_one_tensor_for_two_arguments(params, expected):
    with eager_mode():
        x = tf.constant(3.0)
        gradients = tf.contrib.eager.gradients_function(lambda a, b: a * a * b, params=params)(x, x)
        assert [gradient.numpy() for gradient in gradients] == expected
