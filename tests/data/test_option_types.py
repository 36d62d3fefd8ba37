"""Options take values of their types only."""

from __future__ import annotations

import pytest

import headrace as tf


def test_measurements_go_to_an_aggregator_only() -> None:
    options = tf.data.Options()
    with pytest.raises(TypeError, match='Property "aggregator" must be of type'):
        options.experimental_stats.aggregator = 3
    with tf.Graph().as_default():
        options.experimental_stats.aggregator = made = tf.data.experimental.StatsAggregator()
    assert options.experimental_stats.aggregator is made
