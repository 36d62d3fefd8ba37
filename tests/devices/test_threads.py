"""The threads of a step all count numbers too small to be normal as 0."""

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize("size", [100, 4_000_000])
def test_every_part_of_a_large_product_is_flushed(size):
    small = np.full(size, 1e-20, np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        assert not sess.run(x * x, {x: small}).any()
        assert not sess.run(tf.constant(small) * x, {x: small}).any()
