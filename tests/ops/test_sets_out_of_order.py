"""Which element of a sparse set is out of order is said where it is refused."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([[1, 0], [0, 1]], r"indices\[1\] = \[0,1\] is out of order"),
        ([[0, 0], [1, 1], [1, 0]], r"indices\[2\] = \[1,0\] is out of order"),
    ],
)
def test_the_element_out_of_order_is_named(indices: list[list[int]], message: str) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        one = tf.SparseTensor(indices, list(range(len(indices))), [2, 2])
        for made in (tf.sets.size(one), tf.sets.union(one, one).values):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                sess.run(made)


@pytest.mark.parametrize("count", [0, 1, 40, 400])
@pytest.mark.parametrize("kind", [np.int32, np.str_])
def test_equal_elements_count_once(count: int, kind: type) -> None:
    random = np.random.RandomState(count)
    at = sorted(random.choice(3 * 2 * 100, count, replace=False))
    indices = np.stack(np.unravel_index(np.array(at, np.int64), (3, 2, 100)), 1).reshape(-1, 3)
    values = random.randint(20, size=count).astype(kind)
    expected = np.zeros((3, 2), np.int32)
    for i, j in np.ndindex(3, 2):
        expected[i, j] = len(set(values[(indices[:, :2] == (i, j)).all(1)].tolist()))
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run(tf.sets.size(tf.SparseTensor(indices, tf.constant(values), [3, 2, 100])))
    np.testing.assert_array_equal(found, expected)
