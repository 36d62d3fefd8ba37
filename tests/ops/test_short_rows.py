"""Softmax of rows shorter than a vector register, which are filled up for it."""

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize("columns", [1, 2, 4, 7, 10, 15, 16, 17])
@pytest.mark.parametrize("shape", [(600,), (30, 40)])
def test_rows_are_those_of_the_formula(columns, shape):
    x = np.random.RandomState(columns).normal(scale=5.0, size=(*shape, columns)).astype(np.float32)
    x[0, ..., 0], x[1, ..., -1] = -np.inf, np.nan
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run([tf.nn.softmax(x), tf.nn.log_softmax(x)])
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        powers = np.exp(wide - wide.max(-1, keepdims=True))
        expected = powers / powers.sum(-1, keepdims=True)
        np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-30)
        np.testing.assert_allclose(found[1], np.log(expected), rtol=1e-5, atol=1e-5)
