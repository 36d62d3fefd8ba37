"""Fetching what lies in a branch that was not taken."""

import pytest

import headrace as tf
from headrace.core.registry import raw


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("taken", [True, False])
def test_only_the_branch_taken_has_values(constant, taken):
    with tf.Graph().as_default(), tf.Session() as sess:
        pred = tf.constant(taken) if constant else tf.placeholder(tf.bool, [])
        feed = {} if constant else {pred: taken}
        no, yes = raw.Switch(tf.placeholder_with_default([1, 2], [2]), pred)
        live, dead = (yes, no) if taken else (no, yes)
        assert sess.run([live, live + live], feed)[1].tolist() == [2, 4]
        for value in (dead, tf.identity(dead), dead * 2):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"Retval\[1\] does not have value"):
                sess.run([live, value], feed)
