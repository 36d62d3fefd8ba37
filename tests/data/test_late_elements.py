"""Elements that come after a step has given up waiting for them."""

import threading

import numpy as np
import pytest

import headrace as tf

SOON = tf.RunOptions(timeout_in_ms=50)


def slow_at(number, may_go_on):
    def wait(value):
        if value == number:
            may_go_on.wait()
        return value

    return lambda value: tf.py_func(wait, [value], tf.int64)


@pytest.mark.parametrize("ahead", [0, 1])
@pytest.mark.parametrize("with_deadline", [False, True])
def test_a_late_element_is_the_next_one(ahead, with_deadline):
    may_go_on = threading.Event()
    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.range(4).map(slow_at(1, may_go_on))
        value = (dataset.prefetch(ahead) if ahead else dataset).make_one_shot_iterator().get_next()
        assert sess.run(value) == 0
        for _ in range(2):
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(value, options=SOON)
        may_go_on.set()
        options = tf.RunOptions(timeout_in_ms=60_000) if with_deadline else None
        assert [int(sess.run(value, options=options)) for _ in range(3)] == [1, 2, 3]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(value, options=options)


def test_a_late_element_of_another_iteration_is_forgotten():
    may_go_on = threading.Event()
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = tf.data.Dataset.range(3).map(slow_at(0, may_go_on)).make_initializable_iterator()
        value = iterator.get_next()
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(value, options=SOON)
        may_go_on.set()
        sess.run(iterator.initializer)
        np.testing.assert_array_equal([sess.run(value) for _ in range(3)], [0, 1, 2])


def test_a_session_closes_while_an_element_is_late():
    may_go_on = threading.Event()
    with tf.Graph().as_default(), tf.Session() as sess:
        value = tf.data.Dataset.range(3).map(slow_at(0, may_go_on)).make_one_shot_iterator().get_next()
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(value, options=SOON)
    may_go_on.set()
