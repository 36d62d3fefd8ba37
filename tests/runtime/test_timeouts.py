"""Steps with a timeout end, whatever they are at."""

import pytest

import headrace as tf


@pytest.mark.parametrize("first", [0, 0.0])
def test_a_loop_without_end_ends(first):
    with tf.Graph().as_default(), tf.Session() as sess:
        endless = tf.while_loop(lambda x: tf.constant(True), lambda x: x + 1, [tf.constant(first)])
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(endless, options=tf.RunOptions(timeout_in_ms=50))
