"""Tiling to the shape of a tensor, where that tensor is no more by the time the pattern is looked for."""

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize(("reduced", "share"), [(tf.reduce_sum, 1.0), (tf.reduce_mean, 0.25)])
def test_a_tensor_that_a_later_round_of_simplifying_takes_out(legal_graphs, reduced, share):
    """A graph from elsewhere asks for shapes that are known only here: they are folded before the product goes."""
    with tf.Graph().as_default() as graph:
        x, scale = tf.placeholder(tf.float32, [None], name="x"), tf.placeholder(tf.float32, [], name="scale")
        sine, one = tf.sin(x), tf.constant(1.0)
        # What it waits for has no effect, which only a later pass than the first round sees.
        with tf.control_dependencies([tf.square(x)]):
            product = tf.multiply(sine, one, name="product")
        gradient = tf.gradients(reduced(product) * scale, x)[0]
    with tf.Graph().as_default(), tf.Session() as sess:
        known, slope = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [])
        given = {"x:0": known, "scale:0": slope}
        names = [gradient.name, product.name]
        gradient, product = tf.import_graph_def(graph.as_graph_def(), input_map=given, return_elements=names)
        # The pattern is looked for where any shape is asked for.
        unknown = tf.placeholder(tf.float32, [None])
        values = np.arange(4, dtype=np.float32)
        feed = {known: values, slope: 2.0, unknown: [1.0, 2.0, 3.0]}
        found = sess.run([gradient, product, tf.shape(unknown)], feed)
        np.testing.assert_allclose(found[0], np.cos(values) * 2.0 * share, rtol=1e-6)
        np.testing.assert_allclose(found[1], np.sin(values), rtol=1e-6)
        assert found[2].tolist() == [3]
