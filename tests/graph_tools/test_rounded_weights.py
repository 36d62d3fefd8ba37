"""What the transform `round_weights` makes of constants; the numbers are those of TensorFlow 1.15.5."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.graph_tools.transforms.sequence import TransformGraph

RAMP = np.arange(1, 17)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (RAMP, [1.9375, 1.9375, 7.5625, 16.9375]),
        (RAMP[:15], [1, 2, 8, 15]),
        (np.full(16, -0.5), [-0.46875] * 4),
        (np.full(16, 2.0), [2.125] * 4),
        (np.full(16, -3.0), [-2.8125] * 4),
        (np.zeros(16), [7.346839692639297e-40] * 4),
    ],
)
def test_constants_of_sixteen_values_and_more_are_rounded(value, rounded):
    with tf.Graph().as_default() as graph:
        tf.constant(value.astype(np.float32), name="c")
    made = TransformGraph(graph.as_graph_def(), [], ["c"], ["round_weights(num_steps=8)"])
    found = tf.make_ndarray(made.node[0].attr["value"].tensor)[[0, 1, 7, -1]]
    np.testing.assert_allclose(found, np.float32(rounded), rtol=1e-6, atol=1e-44)
