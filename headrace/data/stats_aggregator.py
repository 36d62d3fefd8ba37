"""What measurements of pipelines go to."""

from __future__ import annotations

from headrace.core.registry import raw
from headrace.core.tensor import Tensor


class StatsAggregator:
    """Collects what pipelines measure: set it as `options.experimental_stats.aggregator`."""

    def __init__(self) -> None:
        self._resource = raw.StatsAggregatorHandle()

    def get_summary(self) -> Tensor:
        """A serialized `Summary` with a histogram for each measurement, as a string scalar."""
        made: Tensor = raw.StatsAggregatorSummary(self._resource)
        return made
