"""Which nodes of a plan use more than one thread: the large ones."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


def heavy(session, fetches, feeds):
    """The op types that use all threads."""
    return {node.type for node in session.plan_for(fetches, feeds).lines.values() if node.heavy}


@pytest.mark.parametrize(("size", "expected"), [(8, False), (64, True)])
def test_convolutions_and_their_gradients_use_threads_by_their_work(size, expected):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4, size, size, 8])
        filters = tf.placeholder(tf.float32, [3, 3, 8, 8])
        y = tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME")
        fetches = [y, *tf.gradients(tf.reduce_sum(tf.square(y)), [x, filters])]
        session.run(fetches, {x: np.ones([4, size, size, 8]), filters: np.ones([3, 3, 8, 8])})
        found = {kind for kind in heavy(session, fetches, [x, filters]) if "Conv2D" in kind}
        assert found == ({"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"} if expected else set())


@pytest.mark.parametrize(("size", "expected"), [(32, False), (128, True)])
def test_depthwise_convolutions_count_one_channel_per_result(size, expected):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [1, size, size, 16])
        filters = tf.placeholder(tf.float32, [3, 3, 16, 1])
        y = tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "SAME")
        session.run(y, {x: np.ones([1, size, size, 16]), filters: np.ones([3, 3, 16, 1])})
        assert bool(heavy(session, y, [x, filters])) is expected
