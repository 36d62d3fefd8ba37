"""Gradients of loops with unknown sizes: shapes are kept only where something may have been broadcast."""

import contextlib

import numpy as np
import pytest

import headrace as tf
from headrace.functions.flow.xla_context import XLAControlFlowContext

pytestmark = pytest.mark.usefixtures("plain_calls")


def sources(sess, fetches, feeds):
    return sess.plan_for(fetches, feeds).source


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("cell", ["lstm", "gru", "deep"])
def test_recurrent_networks_keep_no_shapes(cell, lengths):
    """What an unknown batch size gives is what the known one gives."""
    rng = np.random.RandomState(0)
    given, ends = rng.randn(3, 5, 4).astype(np.float64), [5, 2, 3]
    results = []
    for batch in (3, None):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float64, [batch, 5, 4])
            length = tf.placeholder(tf.int32, [batch])
            make = tf.nn.rnn_cell.GRUCell if cell == "gru" else tf.nn.rnn_cell.LSTMCell
            made = tf.nn.rnn_cell.MultiRNNCell([make(6), make(7)]) if cell == "deep" else make(6)
            with tf.variable_scope("r", initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3)):
                outputs, _ = tf.nn.dynamic_rnn(made, x, length if lengths else None, dtype=tf.float64)
            loss = tf.reduce_sum(tf.sin(outputs))
            gradients = tf.gradients(loss, [x, *tf.trainable_variables()])
            feeds = [x, length] if lengths else [x]
            source = sources(sess, gradients, feeds)
            if cell != "gru":
                assert "_SumToShapeOf" not in source
                assert "_LSTMTailGrad" in source
            sess.run(tf.global_variables_initializer())
            results.append(sess.run([loss, *gradients], dict(zip(feeds, [given, ends]))))
    for known, unknown in zip(*results):
        np.testing.assert_allclose(unknown, known, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("begin", [1, 4])
def test_what_is_broadcast_is_summed(rows, begin):
    """The state is broadcast in the first iteration only, the factor in each."""
    with tf.Graph().as_default(), tf.Session() as sess:
        start = tf.placeholder(tf.float64, [None, 2])
        factor = tf.placeholder(tf.float64, [None, 2])
        _, end = tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: (i + 1, tf.sin(s) * factor + s),
            [0, start],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
        )
        gradients = tf.gradients(tf.reduce_sum(end * end), [start, factor])
        rng = np.random.RandomState(1)
        feed = {start: rng.randn(begin, 2), factor: rng.randn(rows, 2)}
        found = sess.run(gradients, feed)
        for tensor, slope in zip((start, factor), found):
            assert slope.shape == feed[tensor].shape
            direction = rng.randn(*slope.shape)
            ends = []
            for step in (1e-6, -1e-6):
                moved = {**feed, tensor: feed[tensor] + step * direction}
                ends.append(np.sum(sess.run(end, moved) ** 2))
            np.testing.assert_allclose((ends[0] - ends[1]) / 2e-6, np.sum(slope * direction), rtol=1e-5)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 1), (1, 3), (3, 3)])
def test_variables_that_begin_alike_and_part(sizes):
    """Both begin with one value, and one of them is broadcast: they are not of one shape for long."""
    with tf.Graph().as_default(), tf.Session() as sess:
        start = tf.placeholder(tf.float64, [None])
        other = tf.placeholder(tf.float64, [None])
        free = [tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None])]
        _, a, b = tf.while_loop(
            lambda i, a, b: i < 3,
            lambda i, a, b: (i + 1, tf.sin(a), tf.cos(a) * b + other * b),
            [0, start, start],
            shape_invariants=free,
        )
        gradients = tf.gradients(tf.reduce_sum(a) + tf.reduce_sum(b * b), [start, other])
        rng = np.random.RandomState(2)
        feed = {start: rng.randn(sizes[0]), other: rng.randn(sizes[1])}
        total = tf.reduce_sum(a) + tf.reduce_sum(b * b)
        for tensor, slope in zip((start, other), sess.run(gradients, feed)):
            assert slope.shape == feed[tensor].shape
            direction = rng.randn(*slope.shape)
            up, down = (sess.run(total, {**feed, tensor: feed[tensor] + s * direction}) for s in (1e-6, -1e-6))
            np.testing.assert_allclose((up - down) / 2e-6, np.sum(slope * direction), rtol=1e-5, atol=1e-8)


def test_a_choice_says_that_shapes_are_the_same():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [None, 2])
        y = tf.placeholder(tf.float64, [None, 2])
        _, end = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.where(i < 2, s * y, y)), [0, x])
        gradients = tf.gradients(end, [x, y])
        # s * y has the shape of y, so s is y's or is one row: that s is kept.
        given = {x: np.ones((1, 2)), y: np.full((3, 2), 2.0)}
        found = sess.run(gradients, given)
        assert [slope.shape for slope in found] == [(1, 2), (3, 2)]


def test_no_iteration():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [None, 2])
        count = tf.placeholder(tf.int32, [])
        _, end = tf.while_loop(lambda i, s: i < count, lambda i, s: (i + 1, tf.tanh(s) * tf.sigmoid(s)), [0, x])
        gradient = tf.gradients(end, x)[0]
        given = np.array([[0.5, -1.0]])
        assert "_SumToShapeOf" not in sources(sess, [gradient], [x, count])
        np.testing.assert_array_equal(sess.run(gradient, {x: given, count: 0}), np.ones((1, 2)))
        once = sess.run(gradient, {x: given, count: 1})
        s, t = 1 / (1 + np.exp(-given)), np.tanh(given)
        np.testing.assert_allclose(once, (1 - t * t) * s + t * s * (1 - s))


@pytest.mark.parametrize(("compiled", "expected"), [(True, {"Shape"}), (False, {"StackPopV2"})])
def test_shapes_are_asked_of_what_was_kept_where_loops_are_compiled(compiled, expected):
    with tf.Graph().as_default() as graph:
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        context = XLAControlFlowContext() if compiled else contextlib.nullcontext()
        if compiled:
            context.Enter()
        result, _ = tf.while_loop(lambda a, b: False, lambda a, b: (a + b, a + b), (x, y), maximum_iterations=2)
        gradient = tf.gradients(result, [x])[0]
        if compiled:
            context.Exit()
        made = [operation for operation in graph.get_operations() if operation.type == "BroadcastGradientArgs"]
        assert {tensor.op.type for operation in made for tensor in operation.inputs} == expected
        with tf.Session() as sess:
            assert sess.run(tf.identity(gradient), {x: [[1.0]], y: [[2.0]]}) == [[1.0]]
