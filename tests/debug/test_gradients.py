"""Gradients with respect to tensors in the middle of a graph."""

import numpy as np
import pytest

import headrace as tf
from headrace.debug import gradients


def test_gradient_through_an_identity():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([1.0, 2.0])
        y = tf.multiply(x, 3.0, name="scope/y")
        debugger = gradients.GradientsDebugger()
        z = tf.reduce_sum(tf.square(debugger.identify_gradient(y)))
        with pytest.raises(LookupError, match="scope/y:0"):
            debugger.gradient_tensor(y)
        (dx,) = tf.gradients(z, x)
        np.testing.assert_allclose(sess.run([debugger.gradient_tensor(y), dx]), [[6.0, 12.0], [18.0, 36.0]])
        assert list(debugger.gradient_tensors()) == ["scope/y:0"]
        with pytest.raises(ValueError, match="already contains"):
            debugger.identify_gradient(y)
        with pytest.raises(TypeError, match="x_tensor must be"):
            debugger.gradient_tensor(3)


@pytest.mark.parametrize("by_name", [False, True])
def test_watching_a_finished_graph(by_name):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        v = tf.Variable(2.0, name="v")
        y = tf.multiply(v, 3.0, name="y")
        z = tf.square(y) + y
        debugger = gradients.GradientsDebugger()
        if by_name:
            debugger.watch_gradients_by_tensor_names(graph, "(y|v):0$")
        else:
            debugger.watch_gradients_by_tensors(graph, [y, v])
        with debugger:
            train = tf.train.GradientDescentOptimizer(0.1).minimize(z)
        sess.run(tf.global_variables_initializer())
        assert sess.run(debugger.gradient_tensor("y:0")) == 13.0
        assert sess.run(debugger.gradient_tensor(v)) == 39.0
        sess.run(train)
        assert sess.run(v) == pytest.approx(2.0 - 3.9)


def test_graphs_are_not_mixed():
    debugger = gradients.GradientsDebugger()
    with tf.Graph().as_default():
        debugger.identify_gradient(tf.constant(1.0))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="not the same as"):
        debugger.identify_gradient(tf.constant(1.0))
