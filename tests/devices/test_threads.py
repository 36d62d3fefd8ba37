"""The threads of a step all count numbers too small to be normal as 0."""

import numpy as np
import pytest
import torch

import headrace as tf
from headrace.devices.threads import all_threads, share_threads, thread_count, use_threads


@pytest.mark.parametrize("size", [100, 4_000_000])
def test_every_part_of_a_large_product_is_flushed(size):
    small = np.full(size, 1e-20, np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        assert not sess.run(x * x, {x: small}).any()
        assert not sess.run(tf.constant(small) * x, {x: small}).any()


def test_steps_that_run_at_the_same_time_share_the_threads():
    before = use_threads(8)
    given = []
    try:
        for steps in (0, 1, 2, 3, 20):
            share_threads(steps)
            all_threads()
            given.append(torch.get_num_threads())
            # What plans are made for stays what it was.
            assert thread_count() == 8
    finally:
        share_threads(0)
        use_threads(before)
        all_threads()
    assert given == [8, 8, 4, 2, 1]


@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("known", [True, False])
def test_large_products_of_few_rows(rows, known):
    state = np.random.RandomState(0)
    a, b, bias = (state.randn(*size).astype(np.float32) for size in ((rows, 1100), (1100, 1100), (1100,)))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [rows if known else None, 1100])
        plain, biased = tf.matmul(x, b), tf.nn.bias_add(tf.matmul(x, b), bias)
        expected = a.astype(np.float64) @ b
        for found, more in zip(sess.run([plain, biased], {x: a}), (0.0, bias)):
            np.testing.assert_allclose(found, expected + more, rtol=1e-4, atol=1e-3)
