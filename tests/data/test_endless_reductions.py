"""Reductions of datasets without an end: closing the session and the time of a step end them."""

import threading

import pytest

import headrace as tf


def _endless(reached):
    def step(total, element):
        with tf.control_dependencies([tf.py_func(lambda _: reached.set(), [element], [])]):
            return total + element

    return tf.data.Dataset.range(10).repeat().reduce(tf.constant(0, tf.int64), step)


def test_closing_the_session_cancels_a_reduction_in_another_thread():
    reached, raised = threading.Event(), []
    with tf.Graph().as_default():
        total = _endless(reached)
        session = tf.Session()

        def run():
            with pytest.raises(tf.errors.CancelledError, match="was cancelled") as caught:
                session.run(total)
            raised.append(caught.value)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        assert reached.wait(60)
        session.close()
        thread.join(60)
        assert not thread.is_alive()
        assert raised[0].op is total.op


def test_a_reduction_ends_with_the_time_of_its_step():
    with tf.Graph().as_default(), tf.Session() as session:
        total = _endless(threading.Event())
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(total, options=tf.RunOptions(timeout_in_ms=200))
