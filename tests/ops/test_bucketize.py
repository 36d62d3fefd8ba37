"""Buckets of many values, which are counted, are those that a search finds; NaN is in the last one, as in 1.15."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("count", [3, 64, 65])
@pytest.mark.parametrize("shape", [(100, 3), (20_000,)])
def test_many_values(dtype, count, shape):
    boundaries = np.sort(np.random.RandomState(1).randint(-50, 50, count)).astype(np.float32) / 2
    values = (np.random.RandomState(0).randint(-60, 60, shape) / (2 if dtype != np.int32 else 1)).astype(dtype)
    with tf.Session() as session:
        found = session.run(tf.raw_ops.Bucketize(input=values, boundaries=boundaries.tolist()))
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.searchsorted(boundaries, values, side="right"))


def test_what_is_not_finite():
    values = np.tile(np.array([np.nan, -np.inf, np.inf, 0.0], np.float32), 100)
    with tf.Session() as session:
        found = session.run(tf.raw_ops.Bucketize(input=values, boundaries=[-1.0, 0.0, 1.0]))
    assert found[:4].tolist() == [3, 0, 3, 2]
