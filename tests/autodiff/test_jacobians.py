"""Jacobians of tensors of a graph, against their formulas."""

import numpy as np
import pytest

import headrace as tf
from headrace.autodiff.jacobians import batch_jacobian, jacobian

W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float32")
X = np.array([[0.1, 0.2], [-0.3, 0.4]], "float32")


def test_batch_jacobian_of_a_batch_of_unknown_size_is_the_formula():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        made = batch_jacobian(tf.tanh(tf.matmul(x, tf.constant(W))), x)
        assert made.shape.as_list() == [None, 3, 2]
        expected = (1 - np.tanh(X @ W) ** 2)[:, :, None] * W.T
        np.testing.assert_allclose(session.run(made, {x: X}), expected, rtol=1e-4)


def test_jacobian_keeps_the_structure_and_gives_none_where_nothing_leads():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        made, none = jacobian(tf.reduce_sum(x * x, 0), [x, tf.constant(1.0)])
        assert none is None
        assert made.shape.as_list() == [2, None, 2]
        expected = np.eye(2)[:, None, :] * 2 * X[None]
        np.testing.assert_allclose(session.run(made, {x: X}), expected, rtol=1e-6)


def test_shapes_that_do_not_serve_are_refused():
    with tf.Graph().as_default():
        x = tf.ones([2, 2])
        with pytest.raises(ValueError, match="Need first dimension of output shape"):
            batch_jacobian(x, tf.ones([3, 2]))
        with pytest.raises(NotImplementedError, match="must be known"):
            jacobian(tf.placeholder(tf.float32, [None]), x)
