"""Quantile summaries keep ranks within the error they promise."""

import numpy as np
import pytest

from headrace.kernels.trees.quantile_summary import QuantileStream, QuantileSummary


@pytest.mark.parametrize("error", [0.1, 0.02])
@pytest.mark.parametrize("size", [10, 1000, 20000])
def test_boundaries_divide_the_values_evenly(error, size):
    values = np.random.RandomState(size).randn(size).astype(np.float32)
    stream = QuantileStream(error, size + 1)
    for part in np.array_split(values, 7):
        stream.push(part, np.ones(len(part), np.float32))
    buckets = 8
    found = stream.finished().quantiles(buckets)
    ranks = np.searchsorted(np.sort(values), found) / size
    np.testing.assert_allclose(ranks, np.arange(buckets + 1) / buckets, atol=error + 1.0 / size)


def test_a_summary_of_few_values_is_exact():
    values, weights = np.array([3, 1, 2, 1], np.float32), np.array([1, 2, 3, 4], np.float32)
    rows = QuantileSummary.of_values(values, weights).rows
    np.testing.assert_array_equal(rows, [[1, 6, 0, 6], [2, 3, 6, 9], [3, 1, 9, 10]])


def test_merged_summaries_are_those_of_all_values():
    first, second = np.array([1, 4, 6], np.float32), np.array([2, 4, 9], np.float32)
    ones = np.ones(3, np.float32)
    merged = QuantileSummary.of_values(first, ones).merged(QuantileSummary.of_values(second, ones))
    whole = QuantileSummary.of_values(np.concatenate([first, second]), np.ones(6, np.float32))
    np.testing.assert_array_equal(merged.rows, whole.rows)


def test_values_without_weight_do_not_count():
    stream = QuantileStream(0.1, 10)
    stream.push(np.array([1, 2, 3], np.float32), np.array([1, 0, 1], np.float32))
    np.testing.assert_array_equal(stream.finished().rows[:, 0], [1, 3])
