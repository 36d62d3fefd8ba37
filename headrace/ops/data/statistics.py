"""Measurements of pipelines: how long elements take and how large they are."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.registry import op
from headrace.kernels.data.base import Dataset, Element, Iteration, Next, Passing, dataset_op, strings, text
from headrace.kernels.data.case_inputs import INT64_SCALARS, elements, numbers
from headrace.kernels.summary.messages import add_histogram
from headrace.messages import protos


class Aggregator:
    """The measurements of a session under one name, by tag."""

    is_resource = False

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def add(self, tag: str, value: float) -> None:
        """Keeps a measurement."""
        with self._lock:
            self._values.setdefault(tag, []).append(value)

    def summary(self) -> bytes:
        """A serialized `Summary` with a histogram for each tag."""
        message = protos.Summary()
        with self._lock:
            for tag, values in sorted(self._values.items()):
                add_histogram(message, tag, np.asarray(values))
        return message.SerializeToString()


class Measured(Dataset):
    """The elements of its input, with a measurement of each recorded by the aggregator of the iteration."""

    def __init__(self, source: Dataset, tag: str, in_bytes: bool) -> None:
        super().__init__(source)
        self.tag, self.in_bytes = tag, in_bytes

    def start(self, iteration: Iteration) -> Next:
        upstream, tag, in_bytes = self.inputs[0].start(iteration), self.tag, self.in_bytes

        def next_element() -> Element | None:
            begun = time.perf_counter()
            element = upstream()
            aggregator = getattr(iteration, "aggregator", None)
            if aggregator is not None and element is not None:
                prefix = iteration.prefix  # type: ignore[attr-defined]  # only what is measured has one
                amount = sum(map(_size, element)) if in_bytes else (time.perf_counter() - begun) * 1e6
                aggregator.add(f"{prefix}::{tag}" if prefix else tag, amount)
            return element

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def _size(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    return sum(len(item) for item in np.asarray(value, dtype=object).reshape(-1) if isinstance(item, bytes))


class Aggregated(Passing):
    """The elements of its input, whose measurements go to an aggregator."""

    def __init__(self, source: Dataset, aggregator: Aggregator, prefix: str) -> None:
        super().__init__(source)
        self.aggregator, self.prefix = aggregator, prefix

    def start(self, iteration: Iteration) -> Next:
        iteration.aggregator, iteration.prefix = self.aggregator, self.prefix  # type: ignore[attr-defined]  # only what is measured has one
        return self.inputs[0].start(iteration)


# ---- the ops: each under its own name and under the one it had as an experiment ----

_MEASURED = "input_dataset: variant, tag: string, *, {} -> handle: variant"
for _decl in (
    dataset_op("LatencyStatsDataset", _MEASURED),
    dataset_op("ExperimentalLatencyStatsDataset", _MEASURED),
):
    _decl.kernel(lambda node: lambda source, tag: Measured(source, text(tag), False))
    _decl.accepts(numbers(3), b"tag", **INT64_SCALARS)
for _decl in (
    dataset_op("BytesProducedStatsDataset", _MEASURED),
    dataset_op("ExperimentalBytesProducedStatsDataset", _MEASURED),
):
    _decl.kernel(lambda node: lambda source, tag: Measured(source, text(tag), True))
    _decl.accepts(numbers(3), b"tag", **INT64_SCALARS)

_AGGREGATED = (
    "input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string, *, {} -> handle: variant"
)
for _decl in (
    dataset_op("SetStatsAggregatorDataset", _AGGREGATED, stateful=True),
    dataset_op("ExperimentalSetStatsAggregatorDataset", _AGGREGATED, stateful=True),
):
    _decl.kernel(lambda node: lambda source, aggregator, tag, counters: Aggregated(source, aggregator, text(tag)))
    _decl.accepts(numbers(3), made("StatsAggregatorHandle"), b"tag", b"counter", **INT64_SCALARS)

_HANDLE = "*, container='', shared_name='' -> handle: resource"
for _decl in (
    op("StatsAggregatorHandle", _HANDLE, stateful=True),
    op("ExperimentalStatsAggregatorHandle", _HANDLE, stateful=True),
):
    _decl.shape(lambda op: [()])
    _decl.binding(
        lambda node: [node.runtime.object(("stats_aggregator", node.attrs["shared_name"] or node.name), Aggregator)]
    )
    _decl.accepts(after=[made("StatsAggregatorSummary", result)])

for _decl in (
    op("StatsAggregatorSummary", "iterator: resource -> summary: string", stateful=True),
    op("ExperimentalStatsAggregatorSummary", "iterator: resource -> summary: string", stateful=True),
):
    _decl.on_host(outputs=True).shape(lambda op: [()])
    _decl.kernel(lambda node: lambda aggregator: strings(aggregator.summary()))
    _handle = made("StatsAggregatorHandle")
    _measured = made("BytesProducedStatsDataset", numbers(3), b"bytes", **INT64_SCALARS)
    for _prefix in (b"", b"all"):
        _told = made("SetStatsAggregatorDataset", _measured, _handle, _prefix, b"counters", **INT64_SCALARS)
        _decl.accepts(_handle, before=elements(["int64"], [[]], dataset=_told))
