"""Products of matrices are the same whichever library computes them: few columns and many, small batches and large."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

_SIZES = [(100, 784, 10), (3, 784, 10), (64, 1024, 1), (100, 600, 15), (100, 600, 16), (60, 1200, 128), (1, 784, 128)]


@pytest.fixture
def random():
    return np.random.RandomState(0)


@pytest.mark.parametrize(("rows", "inner", "columns"), _SIZES)
@pytest.mark.parametrize("known", [True, False], ids=["known", "any batch"])
def test_a_layer_and_its_gradients(random, rows, inner, columns, known):
    x, w, b = random.rand(rows, inner), random.rand(inner, columns), random.rand(columns)
    g = random.rand(rows, columns)
    with tf.Graph().as_default(), tf.Session() as sess:
        batch = rows if known else None
        fed = [tf.placeholder(tf.float32, shape) for shape in ([batch, inner], [inner, columns], [columns])]
        grad = tf.placeholder(tf.float32, [batch, columns])
        y = tf.matmul(fed[0], fed[1]) + fed[2]
        fetches = [y, *tf.gradients(y, fed, grad)]
        found = sess.run(fetches, dict(zip([*fed, grad], [x, w, b, g])))
    for have, want in zip(found, [x @ w + b, g @ w.T, x.T @ g, g.sum(0)]):
        np.testing.assert_allclose(have, want, rtol=2e-5)
        assert have.flags.c_contiguous


@pytest.mark.parametrize("columns", [10, 128])
def test_turned_matrices_that_do_not_fit(random, columns):
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.placeholder(tf.float32, [None, 900]), tf.placeholder(tf.float32, [None, columns])
        product = tf.matmul(a, b, transpose_a=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            sess.run(product, {a: random.rand(100, 900), b: random.rand(99, columns)})
        found = sess.run(product, {a: np.zeros([0, 900]), b: np.zeros([0, columns])})
    np.testing.assert_array_equal(found, np.zeros([900, columns]))


def test_what_is_not_finite_comes_through(random):
    x, w = random.rand(100, 784).astype(np.float32), random.rand(784, 10).astype(np.float32)
    x[3, 5], w[7, 2] = np.nan, np.inf
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [784, 10])
        found = sess.run(tf.matmul(a, b), {a: x, b: w})
    np.testing.assert_array_equal(np.isnan(found), np.isnan(x @ w))
    np.testing.assert_array_equal(np.isposinf(found), np.isposinf(x @ w))
