"""Which element of a sparse set is out of order is said where it is refused."""

from __future__ import annotations

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
