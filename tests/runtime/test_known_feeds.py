"""Callables that are always fed the same number: what `Session.run` gives, with one branch in the plan."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.runtime.known_feeds import callable_knowing
from headrace.runtime.session import plan_listeners


@pytest.fixture
def plans():
    found = []
    plan_listeners.append(found.append)
    yield found
    plan_listeners.remove(found.append)


def _branches():
    training = tf.placeholder_with_default(False, [], name="training")
    x = tf.placeholder(tf.float32, [None, 3])
    count = tf.Variable(0, name="count")
    y = tf.cond(training, lambda: tf.square(x) + 1.0, lambda: tf.sin(x))
    total = tf.cond(training, lambda: tf.assign_add(count, 1), lambda: tf.identity(count))
    return training, x, [y, tf.gradients(y, x)[0], total]


@pytest.mark.parametrize("value", [True, False])
def test_as_run_gives(value):
    array = np.linspace(-1.0, 1.0, 6, dtype=np.float32).reshape(2, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        training, x, fetches = _branches()
        sess.run(tf.global_variables_initializer())
        fed = sess.run(fetches, {x: array, training: value})
        call = callable_knowing(sess, fetches, [x], training, value)
        for step in range(1, 3):
            found = call(array)
            for have, want in zip(found[:2], fed[:2]):
                np.testing.assert_array_equal(have, want)
            assert found[2] == fed[2] + (step if value else 0)


def test_the_other_branch_is_not_planned(plans):
    with tf.Graph().as_default(), tf.Session() as sess:
        training, x, fetches = _branches()
        sess.run(tf.global_variables_initializer())
        call = callable_knowing(sess, fetches[:2], [x], training, True)
        call(np.ones([1, 3], np.float32))
        types = {node.type for node in plans[-1].graph.nodes}
        assert not types & {"Sin", "Cos", "Switch", "Merge"}
        made = len(plans)
        call(np.ones([4, 3], np.float32))
        callable_knowing(sess, fetches[:2], [x], training, True)(np.ones([1, 3], np.float32))
        assert len(plans) == made


def test_a_closed_session_and_one_with_a_time_limit():
    with tf.Graph().as_default():
        training, x, fetches = _branches()
        sess = tf.Session()
        call = callable_knowing(sess, fetches, [x], training, True)
        sess.close()
        with pytest.raises(RuntimeError, match="closed"):
            call(np.ones([1, 3], np.float32))
        limited = tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=1000))
        assert callable_knowing(limited, fetches, [x], training, True) is None


def test_training_goes_by_the_phase_that_each_call_is_given():
    with tf.Graph().as_default(), tf.Session().as_default():
        x = tf.keras.Input([4])
        y = tf.keras.layers.Dropout(0.5)(x)
        run = tf.keras.backend.function([x, tf.keras.backend.learning_phase()], [y])
        ones = np.ones([50, 4], np.float32)
        for _ in range(2):
            np.testing.assert_array_equal(run([ones, False])[0], ones)
            assert set(np.unique(run([ones, True])[0])) == {0.0, 2.0}
            np.testing.assert_array_equal(run([ones, 0])[0], ones)
