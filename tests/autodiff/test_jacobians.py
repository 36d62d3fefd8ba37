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


def test_jacobians_of_tapes_and_of_graphs_are_the_same():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.tanh(tf.matmul(x, tf.constant(W)))
            total = tf.reduce_sum(y, 0)
        made = tape.batch_jacobian(y, x)
        assert made.shape.as_list() == [None, 3, 2]
        of_tape, of_graph = session.run([made, batch_jacobian(y, x)], {x: X})
        np.testing.assert_array_equal(of_tape, of_graph)
        rows = session.run([tape.jacobian(total, x), jacobian(total, x)], {x: X})
        assert rows[0].shape == (3, 2, 2)
        np.testing.assert_array_equal(*rows)
        with pytest.raises(NotImplementedError, match=r"GradientTape.jacobian: target .* must be known"):
            tape.jacobian(y, x)


def test_jacobian_of_a_tape_with_respect_to_a_variable():
    def taped():
        v = tf.Variable([1.0, 2.0], use_resource=True)
        with tf.GradientTape() as tape:
            y = v * v
        return tape.jacobian(y, v)

    with tf.Graph().as_default(), tf.Session() as session:
        made = taped()
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(made), [[2.0, 0.0], [0.0, 4.0]])


def test_batches_that_differ_leave_the_tape_as_it_was():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(X)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        for other in (tf.ones([3, 2]), tf.constant(1.0)):
            with pytest.raises(ValueError, match="Need first dimension of target shape"):
                tape.batch_jacobian(y, other)
        np.testing.assert_allclose(session.run(tape.gradient(y, x)), 2 * X)
