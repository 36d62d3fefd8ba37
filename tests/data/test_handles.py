"""String handles of iterators: found by the steps of their session, and by nobody else."""

from __future__ import annotations

import pytest

import headrace as tf


def taking():
    handle = tf.placeholder(tf.string)
    return handle, tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()


def test_another_session_does_not_find_an_iterator():
    """As in 1.15.5, which says NotFoundError."""
    with tf.Graph().as_default(), tf.Session() as session, tf.Session() as other:
        iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
        name = session.run(iterator.string_handle())
        handle, element = taking()
        assert session.run(element, {handle: name}) == 0
        with pytest.raises(tf.errors.NotFoundError, match="Could not find resource"):
            other.run(element, {handle: name})
        assert session.run(element, {handle: name}) == 1


@pytest.mark.parametrize("name", [b"", b"anything", b"\xff\xfe"])
def test_what_is_no_handle_is_refused(name):
    with tf.Graph().as_default(), tf.Session() as session:
        handle, element = taking()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(element, {handle: name})


def test_iterators_are_fed_in_turn():
    with tf.Graph().as_default(), tf.Session() as session:
        names = [
            session.run(tf.data.Dataset.range(first, first + 2).make_one_shot_iterator().string_handle())
            for first in (0, 10)
        ]
        handle, element = taking()
        assert [session.run(element, {handle: name}) for name in names * 2] == [0, 10, 1, 11]
