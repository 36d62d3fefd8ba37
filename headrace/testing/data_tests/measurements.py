"""Tests of the summaries of measurements."""

from __future__ import annotations

import re
from typing import Any

from headrace.data.dataset import Dataset
from headrace.data.options import Options
from headrace.data.stats_aggregator import StatsAggregator
from headrace.messages import protos
from headrace.testing.data_tests.elements import DatasetTestBase


class StatsDatasetTestBase(DatasetTestBase):
    """Checks of the summaries of measurements."""

    def datasetExperimentalStats(
        self, dataset: Dataset, aggregator: StatsAggregator, prefix: str = "", counter_prefix: str = ""
    ) -> Dataset:
        """`dataset`, measured by an aggregator."""
        options = Options()
        stats = options.experimental_stats
        stats.aggregator, stats.prefix, stats.counter_prefix = aggregator, prefix, counter_prefix
        stats.latency_all_edges = False
        return dataset.with_options(options)

    def regexForNodeName(self, op_name: str, stats_type: str = "") -> str:
        """The pattern of the name of a dataset's measurement."""
        return rf"{op_name}/_\d+" + (f"::{stats_type}" if stats_type else "")

    def getHandle(self, aggregator: StatsAggregator) -> Any:
        """The summary so far."""
        return self.evaluate(aggregator.get_summary())

    def _tagged(self, summary: bytes, tag: str) -> Any:
        message = protos.Summary.FromString(summary)
        for value in message.value:
            if re.match(tag, value.tag):
                return value
        self.fail(f"Expected tag {tag!r} not found in summary {message!r}")

    def assertStatisticsContains(self, handle: bytes, tag: str, num_events: int = -1, offset: int = 0) -> None:
        """Checks that something was measured under a name."""
        self._tagged(handle, tag)

    def assertStatisticsHasCount(
        self, handle: bytes, tag: str, count: float, num_events: int = -1, greater_than: bool = False, offset: int = 0
    ) -> None:
        """Checks how often it was, at least if `greater_than`."""
        number = self._tagged(handle, tag).histo.num
        (self.assertGreaterEqual if greater_than else self.assertEqual)(number, count)

    def assertStatisticsHasSum(
        self, handle: bytes, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks the sum of what was measured."""
        self.assertEqual(expected_value, self._tagged(handle, tag).histo.sum)

    def assertStatisticsHasScalarValue(
        self, handle: bytes, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks a counter."""
        self.assertEqual(expected_value, self._tagged(handle, tag).simple_value)

    def assertStatisticsHasRange(
        self, handle: bytes, tag: str, min_value: float, max_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks between which values all measurements lie."""
        histogram = self._tagged(handle, tag).histo
        self.assertLessEqual(min_value, histogram.min)
        self.assertGreaterEqual(max_value, histogram.max)
