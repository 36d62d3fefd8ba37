"""Counters, gauges and samplers of what a program does: 1.x's `eager.monitoring`."""

from __future__ import annotations

import bisect
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any, ClassVar

from headrace.core.errors import AlreadyExistsError
from headrace.messages import protos

_MOST_LABELS = 2
# By name; a metric goes with the last reference to it.
_metrics: weakref.WeakValueDictionary[str, Metric] = weakref.WeakValueDictionary()


class Cell:
    """A value of a metric, for one choice of labels."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._lock = threading.Lock()

    def value(self) -> Any:
        """The value."""
        return self._value


class CounterCell(Cell):
    """A count."""

    def increase_by(self, value: int) -> None:
        """Adds to it; what is negative is left out."""
        with self._lock:
            self._value += max(0, int(value))


class GaugeCell(Cell):
    """A value that is set."""

    def set(self, value: Any) -> None:
        """Sets it."""
        with self._lock:
            self._value = type(self._value)(value)


class Buckets:
    """The limits between which samples are counted together.

    Args:
        limits: the upper limit of each bucket; a last one takes what is above all.
    """

    def __init__(self, limits: Sequence[float]) -> None:
        self.limits = [*map(float, limits), sys.float_info.max]


class ExponentialBuckets(Buckets):
    """Buckets each of which is a multiple of the one before.

    Args:
        scale: the first limit.
        growth_factor: each limit over the one before.
        bucket_count: how many limits.
    """

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        super().__init__([scale * growth_factor**i for i in range(bucket_count)])


class SamplerCell:
    """A histogram of samples.

    Args:
        buckets: its buckets.
    """

    def __init__(self, buckets: Buckets) -> None:
        self._limits = buckets.limits
        self._counts = [0] * len(self._limits)
        self._least, self._greatest = sys.float_info.max, -sys.float_info.max
        self._sum = self._sum_of_squares = 0.0
        self._lock = threading.Lock()

    def add(self, value: float) -> None:
        """Adds a sample."""
        with self._lock:
            # A limit belongs to the bucket above it.
            self._counts[min(bisect.bisect_right(self._limits, value), len(self._limits) - 1)] += 1
            self._least, self._greatest = min(self._least, value), max(self._greatest, value)
            self._sum += value
            self._sum_of_squares += value * value

    def value(self) -> Any:
        """The histogram, as a `HistogramProto`."""
        with self._lock:
            return protos.HistogramProto(
                min=self._least,
                max=self._greatest,
                num=sum(self._counts),
                sum=self._sum,
                sum_squares=self._sum_of_squares,
                bucket_limit=self._limits,
                bucket=self._counts,
            )


class Metric:
    """Values of one kind, one for each choice of labels.

    Args:
        name: its name, of which there is one.
        description: what it measures.
        labels: the names of its labels, at most two.

    Raises:
        ValueError: for more labels.
        AlreadyExistsError: if there is a metric of this name.
    """

    def __init__(self, name: str, description: str, *labels: str) -> None:
        kind = type(self).__name__
        if len(labels) > _MOST_LABELS:
            raise ValueError(f"Cannot create {kind} metric with label >= {_MOST_LABELS + 1}")
        if name in _metrics:
            raise AlreadyExistsError(None, None, f"Another metric with the same name already exists: {name}.")
        _metrics[name] = self
        self.name, self.description, self.labels = name, description, labels
        self._cells: dict[tuple[str, ...], Any] = {}
        self._lock = threading.Lock()

    def _new_cell(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: use a counter, a gauge or a sampler.")

    def get_cell(self, *labels: str) -> Any:
        """The cell for these values of the labels.

        Raises:
            ValueError: if there are more or fewer labels.
        """
        if len(labels) != len(self.labels):
            raise ValueError(f"The {type(self).__name__} expects taking {len(self.labels)} labels, got {len(labels)}")
        with self._lock:
            if labels not in self._cells:
                self._cells[labels] = self._new_cell()
            return self._cells[labels]


class Counter(Metric):
    """Counts; arguments as of `Metric`.

    Example:
        >>> from headrace.profiler import monitoring
        >>> steps = monitoring.Counter("/steps", "Steps by what they are for.", "phase")
        >>> steps.get_cell("training").increase_by(3)
        >>> steps.get_cell("training").value()
        3
    """

    def _new_cell(self) -> CounterCell:
        return CounterCell(0)


class _Gauge(Metric):
    _start: ClassVar[Any]

    def _new_cell(self) -> GaugeCell:
        return GaugeCell(self._start)


class IntGauge(_Gauge):
    """Whole numbers that are set; arguments as of `Metric`."""

    _start = 0


class StringGauge(_Gauge):
    """Texts that are set; arguments as of `Metric`."""

    _start = ""


class BoolGauge(_Gauge):
    """Truth values that are set; arguments as of `Metric`."""

    _start = False


class Sampler(Metric):
    """Histograms of samples.

    Args:
        name, description, labels: as of `Metric`.
        buckets: the buckets.
    """

    def __init__(self, name: str, buckets: Buckets, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self._buckets = buckets

    def _new_cell(self) -> SamplerCell:
        return SamplerCell(self._buckets)
