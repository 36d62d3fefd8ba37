"""Gradients of slices that make up a tensor are put side by side."""

import numpy as np
import pytest

import headrace as tf


def gradient_and_types(parts, feed, given):
    """The gradient of sum(w * part), weights that differ everywhere, and the op types of its plan."""
    state = np.random.RandomState(1)
    with tf.Session(graph=feed.graph) as sess:
        shapes = [part.shape for part in sess.run(parts, {feed: given})]
        weights = [state.normal(size=shape) for shape in shapes]
        with feed.graph.as_default():
            # Fed, or all of the gradient would be a constant.
            factors = [tf.placeholder(tf.float64, part.shape) for part in parts]
            total = tf.add_n([tf.reduce_sum(part * factor) for part, factor in zip(parts, factors, strict=True)])
            slope = tf.gradients(total, feed)[0]
        feeds = {feed: given, **dict(zip(factors, weights, strict=True))}
        plan = sess.plan_for([slope], list(feeds))
        return sess.run(slope, feeds), weights, [node.type for node in plan.nodes]


CUTS = {
    "halves": (lambda x: [x[:, :3], x[:, 3:]], [slice(0, 3), slice(3, 6)], True),
    "turned": (lambda x: [x[:, 4:], x[:, 1:4], x[:, :1]], [slice(4, 6), slice(1, 4), slice(0, 1)], True),
    "negative": (lambda x: [x[:, :-2], x[:, -2:]], [slice(0, 4), slice(4, 6)], True),
    "slices": (lambda x: [tf.slice(x, [0, 0], [4, 2]), tf.slice(x, [0, 2], [4, 4])], [slice(0, 2), slice(2, 6)], True),
    "gap": (lambda x: [x[:, :2], x[:, 3:]], [slice(0, 2), slice(3, 6)], False),
    "overlap": (lambda x: [x[:, :4], x[:, 3:]], [slice(0, 4), slice(3, 6)], False),
    "same": (lambda x: [x[:, :], x[:, 3:], x[:, :3]], [slice(0, 6), slice(3, 6), slice(0, 3)], False),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("batch", [4, None])
def test_the_gradient_is_that_of_the_parts(cut, batch):
    make, places, whole = CUTS[cut]
    if cut == "slices" and batch is None:
        pytest.skip("where a slice ends is not known then")
    with tf.Graph().as_default():
        feed = tf.placeholder(tf.float64, [batch, 6])
        parts = make(feed)
    slope, weights, types = gradient_and_types(parts, feed, np.ones([4, 6]))
    expected = np.zeros([4, 6])
    for place, weight in zip(places, weights, strict=True):
        expected[:, place] += weight
    np.testing.assert_allclose(slope, expected, rtol=1e-12)
    assert ("_Concat" in types) == whole


def test_rows_and_columns_do_not_join():
    with tf.Graph().as_default():
        feed = tf.placeholder(tf.float64, [4, 4])
        parts = [feed[:2], feed[:, 2:]]
    slope, weights, types = gradient_and_types(parts, feed, np.ones([4, 4]))
    expected = np.zeros([4, 4])
    expected[:2] += weights[0]
    expected[:, 2:] += weights[1]
    np.testing.assert_allclose(slope, expected, rtol=1e-12)
    assert "_Concat" not in types
