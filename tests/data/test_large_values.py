"""Batches of values that are large enough to be copied to their places as they come."""

import contextlib

import numpy as np
import pytest

import headrace as tf

_SIDE = 160


def _drained(dataset):
    value = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess, contextlib.suppress(tf.errors.OutOfRangeError):
        while True:
            found.append(sess.run(value))
    return found


def _large(i, dtype=tf.float32):
    return tf.cast(tf.fill([_SIDE, _SIDE, 3], i), dtype)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "bool", "complex64", "float16", "bfloat16"])
def test_values_and_a_smaller_last_batch(dtype):
    dtype = tf.as_dtype(dtype)
    dataset = tf.data.Dataset.range(1, 6).map(lambda i: {"image": _large(i, dtype), "label": i}).batch(2)
    batches = _drained(dataset)
    assert [batch["label"].tolist() for batch in batches] == [[1, 2], [3, 4], [5]]
    for batch in batches:
        assert batch["image"].shape == (len(batch["label"]), _SIDE, _SIDE, 3)
        assert batch["image"].dtype == dtype.as_numpy_dtype
        expected = batch["label"].astype(dtype.as_numpy_dtype).reshape(-1, 1, 1, 1)
        np.testing.assert_array_equal(batch["image"], np.broadcast_to(expected, batch["image"].shape))


def test_batches_do_not_share_memory():
    first, second = _drained(tf.data.Dataset.range(4).map(_large).batch(2))
    assert [(rows.min(), rows.max()) for rows in (*first, *second)] == [(i, i) for i in range(4)]


def test_a_remainder_is_dropped():
    assert len(_drained(tf.data.Dataset.range(5).map(_large).batch(2, drop_remainder=True))) == 2


def test_differing_shapes():
    images = [np.zeros([_SIDE, _SIDE, 3]), np.zeros([_SIDE + 1, _SIDE, 3])]
    dataset = tf.data.Dataset.from_generator(lambda: iter(images), tf.float32).batch(2)
    value = dataset.make_one_shot_iterator().get_next()
    message = (
        r"Cannot batch tensors with different shapes in component 0. First element had shape \[160,160,3\] and element 1 "
        r"had shape \[161,160,3\]."
    )
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sess.run(value)


def test_slow_functions_are_known_as_slow_in_later_iterations():
    dataset = tf.data.Dataset.range(8).map(lambda i: _large(i) + 1.0, num_parallel_calls=2).batch(4)
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(iterator.initializer)
            rows = np.concatenate([sess.run(value), sess.run(value)])
            assert rows[:, 0, 0, 0].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
