"""Measurements of pipelines: how long elements take and how large they are."""

from __future__ import annotations

import importlib
import threading
import time
from typing import Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.ops.data.base import Dataset, Element, Iteration, Next, Passing, dataset_op, strings, text


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
        protos = importlib.import_module("headrace.interop.protos")
        message = protos.Summary()
        with self._lock:
            for tag, values in sorted(self._values.items()):
                array = np.asarray(values)
                counts, limits = np.histogram(array, bins=min(30, max(1, len(values))))
                histogram = message.value.add(tag=tag).histo
                histogram.min, histogram.max = float(array.min()), float(array.max())
                histogram.num, histogram.sum = len(values), float(array.sum())
                histogram.sum_squares = float((array * array).sum())
                histogram.bucket_limit.extend(limits[1:].tolist())
                histogram.bucket.extend(counts.tolist())
        return message.SerializeToString()  # type: ignore[no-any-return]


class Measured(Dataset):
    """The elements of its input, with something about each told to the aggregator of the iteration."""

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
                prefix = iteration.prefix  # type: ignore[attr-defined]
                amount = sum(map(_size, element)) if in_bytes else (time.perf_counter() - begun) * 1e6
                aggregator.add(f"{prefix}_{tag}" if prefix else tag, amount)
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
        iteration.aggregator, iteration.prefix = self.aggregator, self.prefix  # type: ignore[attr-defined]
        return self.inputs[0].start(iteration)


for _prefix in ("", "Experimental"):
    dataset_op(f"{_prefix}LatencyStatsDataset", "input_dataset: variant, tag: string, *, {} -> handle: variant").kernel(
        lambda node: lambda source, tag: Measured(source, text(tag), False)
    )
    dataset_op(
        f"{_prefix}BytesProducedStatsDataset", "input_dataset: variant, tag: string, *, {} -> handle: variant"
    ).kernel(lambda node: lambda source, tag: Measured(source, text(tag), True))
    dataset_op(
        f"{_prefix}SetStatsAggregatorDataset",
        "input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string, *, {} -> handle: variant",
        stateful=True,
    ).kernel(lambda node: lambda source, aggregator, tag, counters: Aggregated(source, aggregator, text(tag)))
    _handle = op(
        f"{_prefix}StatsAggregatorHandle", "*, container='', shared_name='' -> handle: resource", stateful=True
    )
    _handle.shape(lambda op: [()])
    _handle.binding(
        lambda node: [node.runtime.object(("stats_aggregator", node.attrs["shared_name"] or node.name), Aggregator)]
    )
    _summary = op(f"{_prefix}StatsAggregatorSummary", "iterator: resource -> summary: string", stateful=True)
    _summary.on_host(outputs=True).shape(lambda op: [()])
    _summary.kernel(lambda node: lambda aggregator: strings(aggregator.summary()))
