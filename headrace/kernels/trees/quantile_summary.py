"""Summaries of weighted values from which quantiles are read within a known error.

A summary is a table of rows (value, weight, least rank, greatest rank), sorted by value. Two can be merged, and one can be
compressed at the cost of a larger error: Chen and Guestrin, XGBoost (2016), appendix; Greenwald and Khanna (2001).
"""

from __future__ import annotations

import functools

import numpy as np

_VALUE, _WEIGHT, _LEAST, _GREATEST = range(4)
# Ranks are single floats, as TensorFlow's are: sums and comparisons have to come out alike.
_FLOAT = np.float32


class QuantileSummary:
    """The summary of a multiset of weighted values.

    Args:
        rows: a row (value, weight, least rank, greatest rank) for each of the values that are kept, sorted.
    """

    def __init__(self, rows: np.ndarray | None = None) -> None:
        self.rows = np.zeros((0, 4), _FLOAT) if rows is None else rows

    @classmethod
    def of_values(cls, values: np.ndarray, weights: np.ndarray) -> QuantileSummary:
        """The exact summary of values.

        Args:
            values: a vector.
            weights: as many positive numbers.
        """
        if not len(values):
            return cls()
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
        if len(starts) < len(values):
            weights = np.add.reduceat(weights, starts, dtype=_FLOAT)
            values = values[starts]
        greatest = np.cumsum(weights, dtype=_FLOAT)
        least = np.concatenate((np.zeros(1, _FLOAT), greatest[:-1]))
        return cls(np.stack([values, weights, least, greatest], 1).astype(_FLOAT, copy=False))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def total_weight(self) -> float:
        """The weight of all values."""
        return self.rows[-1, _GREATEST].item() if len(self.rows) else 0.0

    def merged(self, other: QuantileSummary) -> QuantileSummary:
        """The summary of the values of both."""
        if not len(other):
            return self
        if not len(self):
            return other
        values = np.concatenate((self.rows[:, _VALUE], other.rows[:, _VALUE]))
        values.sort()
        values = values[np.concatenate(([True], values[1:] != values[:-1]))]
        rows = np.zeros((len(values), 4), _FLOAT)
        rows[:, _VALUE] = values
        for one in (self.rows, other.rows):
            # Where a value is not there, the neighbours below and above limit how many are less.
            upto = one[:, _VALUE].searchsorted(values, "right")
            below = np.maximum(upto - 1, 0)
            there = one[below, _VALUE] == values
            least = np.concatenate(([_FLOAT(0)], one[:, _LEAST] + one[:, _WEIGHT]))
            greatest = np.concatenate((one[:, _GREATEST] - one[:, _WEIGHT], one[-1:, _GREATEST]))
            rows[:, _WEIGHT] += np.where(there, one[below, _WEIGHT], _FLOAT(0))
            rows[:, _LEAST] += np.where(there, one[below, _LEAST], least[upto])
            rows[:, _GREATEST] += np.where(there, one[below, _GREATEST], greatest[upto])
        return QuantileSummary(rows)

    def compressed(self, size: int, least_error: float = 0.0) -> QuantileSummary:
        """A summary of about `size` rows, which always keeps the first value and the last.

        Args:
            size: how many rows are wanted.
            least_error: the error, as a share of the weight, that may be made in any case.
        """
        size = max(size, 2)
        count = len(self.rows)
        if count <= size:
            return self
        gap = self.total_weight * max(1.0 / size, least_error)
        before = (self.rows[:, _GREATEST] - self.rows[:, _WEIGHT]).tolist()
        after = (self.rows[:, _LEAST] + self.rows[:, _WEIGHT]).tolist()
        kept = [0]
        # Rows are left out evenly: `credit` grows by `size` with each, and falls by the row count with each that is kept.
        credit, place = 0, 0
        while place + 1 < count:
            following = place + 1
            start = after[place]
            while following < count and credit < count and float(_FLOAT(before[following] - start)) <= gap:
                credit += size
                following += 1
            place = place + 1 if following == place + 1 else following - 1
            kept.append(place)
            credit -= count
        if kept[-1] + 1 < count:
            kept.append(count - 1)
        return QuantileSummary(self.rows[kept])

    @property
    def error(self) -> float:
        """By how much a rank may be wrong, as a share of the weight."""
        if not len(self.rows):
            return 0.0
        rows = self.rows[1:]
        within = rows[:, _GREATEST] - rows[:, _LEAST] - rows[:, _WEIGHT]
        between = rows[:, _GREATEST] - rows[:, _WEIGHT] - (self.rows[:-1, _LEAST] + self.rows[:-1, _WEIGHT])
        return max(0.0, within.max(initial=0).item(), between.max(initial=0).item()) / self.total_weight

    def boundaries(self, count: int) -> np.ndarray:
        """At least `count` different values, where there are as many, that divide the weight about evenly."""
        if not len(self.rows):
            return np.zeros(0, _FLOAT)
        return self.compressed(count, self.error + 1.0 / count).rows[:, _VALUE]

    def quantiles(self, count: int) -> np.ndarray:
        """The `count` + 1 values at the ranks that divide the weight evenly, from the least to the greatest."""
        if not len(self.rows):
            return np.zeros(0, _FLOAT)
        count = max(count, 2)
        rows = self.rows
        last = rows[-1, _GREATEST]
        twice = np.array([_FLOAT(2) * (_FLOAT(rank) * last / _FLOAT(count)) for rank in range(count + 1)], _FLOAT)
        middles = np.maximum.accumulate(rows[:, _LEAST] + rows[:, _GREATEST])
        following = np.maximum(np.searchsorted(middles[1:], twice, "right") + 1, 1)
        place = following - 1
        at = np.minimum(following, len(rows) - 1)
        between = rows[place, _LEAST] + rows[place, _WEIGHT] + (rows[at, _GREATEST] - rows[at, _WEIGHT])
        takes_next = (following < len(rows)) & (twice >= between)
        return rows[np.where(takes_next, at, place), _VALUE]


class QuantileStream:
    """A summary of a stream of values in bounded memory: summaries of 1, 2, 4, ... blocks, merged like digits are carried.

    Args:
        error: by how much ranks may be wrong, as a share of the weight.
        max_elements: how many values may come.
    """

    def __init__(self, error: float, max_elements: int) -> None:
        self.error = error
        levels, block = 1, 2
        if error > 0:
            while (1 << levels) * block < max_elements:
                block = int(np.ceil(levels / error)) + 1
                levels += 1
        else:
            block = max(max_elements, 2)
        self.block = max(block, 2)
        self.buffer_size = min(self.block << 1, max_elements)
        self.buffered: list[tuple[np.ndarray, np.ndarray]] = []
        self.buffered_count = 0
        self.levels: list[QuantileSummary] = []

    def push(self, values: np.ndarray, weights: np.ndarray) -> None:
        """Adds values; those whose weight is not positive do not count."""
        counted = weights > 0
        if not counted.all():
            values, weights = values[counted], weights[counted]
        start = 0
        while start < len(values):
            end = min(start + self.buffer_size - self.buffered_count, len(values))
            self.buffered.append((values[start:end], weights[start:end]))
            self.buffered_count += end - start
            start = end
            if self.buffered_count == self.buffer_size:
                self._empty_buffer()

    def _empty_buffer(self) -> None:
        if not self.buffered:
            return
        values = np.concatenate([values for values, _ in self.buffered])
        weights = np.concatenate([weights for _, weights in self.buffered])
        self.buffered, self.buffered_count = [], 0
        self.push_summary(QuantileSummary.of_values(values, weights))

    def push_summary(self, summary: QuantileSummary) -> None:
        """Adds the values of a summary."""
        carried = summary.compressed(self.block, self.error)
        if not len(carried):
            return
        for level, there in enumerate(self.levels):
            carried = carried.merged(there)
            if not len(there) or len(carried) <= self.block + 1:
                self.levels[level] = carried
                return
            carried = carried.compressed(self.block, self.error)
            self.levels[level] = QuantileSummary()
        self.levels.append(carried)

    def finished(self) -> QuantileSummary:
        """The summary of all that came."""
        self._empty_buffer()
        return functools.reduce(QuantileSummary.merged, self.levels, QuantileSummary())
