"""Measurements of pipelines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data.dataset import Dataset
from headrace.data.stats_aggregator import StatsAggregator

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Transformation = Callable[[Dataset], Dataset]


def latency_stats(tag: str) -> Transformation:
    """A transformation that measures how many microseconds each element takes, under the name `tag`."""
    return lambda dataset: dataset._same(
        raw.LatencyStatsDataset(dataset._variant_tensor, _tag(tag), **dataset._flat_structure)
    )


def bytes_produced_stats(tag: str) -> Transformation:
    """A transformation that measures how many bytes each element has, under the name `tag`."""
    return lambda dataset: dataset._same(
        raw.BytesProducedStatsDataset(dataset._variant_tensor, _tag(tag), **dataset._flat_structure)
    )


def set_stats_aggregator(
    stats_aggregator: StatsAggregator, prefix: TensorLike = "", counter_prefix: TensorLike = ""
) -> Transformation:
    """A transformation that gives what the pipeline before it measures to an aggregator.

    Args:
        stats_aggregator: where measurements go.
        prefix, counter_prefix: what their names begin with.
    """
    return lambda dataset: dataset._same(
        raw.SetStatsAggregatorDataset(
            dataset._variant_tensor,
            stats_aggregator._resource,
            _tag(prefix),
            _tag(counter_prefix),
            **dataset._flat_structure,
        )
    )


def _tag(tag: TensorLike) -> Tensor:
    return convert_to_tensor(tag, dtype="string", name="tag")
