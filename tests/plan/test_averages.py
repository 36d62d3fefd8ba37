"""A layer used several times moves its averages step after step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

NUMBERS = st.floats(-8.0, 8.0)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(NUMBERS, st.lists(NUMBERS, min_size=1, max_size=4), st.floats(0.0, 0.9))
def test_steps_of_one_average_are_those_of_as_many_steps(start, targets, rate):
    with tf.Graph().as_default(), tf.Session() as sess:
        average = tf.get_variable("average", [], tf.float64, tf.zeros_initializer(), use_resource=False)
        fed = [tf.placeholder(tf.float64, []) for _ in targets]
        steps = [tf.assign_sub(average, (average - value) * rate) for value in fed]
        sess.run(average.initializer)
        found = []
        # All in one step, then one in each.
        for together in (True, False):
            average.load(start, sess)
            feed = dict(zip(fed, targets, strict=True))
            for step in [steps] if together else steps:
                sess.run(step, feed)
            found.append(sess.run(average))
    assert found[0] == found[1]


@pytest.mark.parametrize("fused", [True, False])
def test_a_shared_layer_moves_its_averages_one_after_the_other(fused):
    with tf.Graph().as_default():
        feeds = [tf.placeholder(tf.float32, [None, 2, 2, 1]) for _ in range(2)]
        for number, x in enumerate(feeds):
            tf.layers.batch_normalization(
                x, training=True, momentum=0.5, fused=fused, name="b", reuse=number > 0 or None
            )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            seen = []
            for _ in range(3):
                sess.run(updates, {x: np.full((1, 2, 2, 1), v) for x, v in zip(feeds, (4.0, 16.0))})
                seen.append(float(sess.run("b/moving_mean:0")[0]))
    assert seen == [9.0, 11.25, 11.8125]


def test_averages_of_many_uses_of_a_layer_converge():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        out = x
        for step in range(30):
            out = tf.layers.batch_normalization(
                out + 5.0, training=True, momentum=0.9, name="b", reuse=step > 0 or None
            )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(20):
                sess.run(updates, {x: np.arange(12.0).reshape(4, 3)})
            mean = sess.run("b/moving_mean:0")
    assert np.all(np.abs(mean - 5.0) < 1.0)
