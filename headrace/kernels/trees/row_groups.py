"""Neighbouring rows of sums that belong together, such as those of a partition of examples: all groups at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.kernels.trees.node_values import Sums

# Groups are laid side by side in a table where it has at most so many times as many rows as there are.
_MOST_PADDED = 8


class RowGroups(NamedTuple):
    """Groups of rows that lie one behind the other; none is empty.

    Attributes:
        starts: the first row of each group.
        counts: how many rows each has.
    """

    starts: np.ndarray
    counts: np.ndarray

    @classmethod
    def of_equal(cls, *keys: np.ndarray) -> RowGroups:
        """The groups of neighbouring rows that have the same keys."""
        count = len(keys[0])
        is_first = np.zeros(count, bool)
        is_first[:1] = True
        for key in keys:
            is_first[1:] |= key[1:] != key[:-1]
        starts = np.flatnonzero(is_first)
        return cls(starts, np.diff(starts, append=count))

    @property
    def of_row(self) -> np.ndarray:
        """The number of each row's group."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def last(self) -> np.ndarray:
        """The last row of each group."""
        return self.starts + self.counts - 1

    def cumulated(self, sums: Sums) -> Sums:
        """The sums of each row and those before it in its group, added one after the other."""
        with np.errstate(invalid="ignore"):
            return Sums(self._cumulated(sums.gradients), self._cumulated(sums.hessians))

    def _cumulated(self, rows: np.ndarray) -> np.ndarray:
        if not len(self.counts):
            return rows
        groups, longest = len(self.counts), int(self.counts.max())
        if groups * longest > _MOST_PADDED * len(rows):
            parts = np.split(rows, self.starts[1:])
            return np.concatenate([np.cumsum(part, 0, np.float32) for part in parts])
        group = self.of_row
        place = np.arange(len(rows)) - self.starts[group]
        table = np.zeros((longest, groups, *rows.shape[1:]), np.float32)
        table[place, group] = rows
        added: np.ndarray = np.cumsum(table, 0, np.float32)[place, group]
        return added

    def first_best(self, gains: np.ndarray) -> np.ndarray:
        """The row of each group with the first of its greatest gains; not a number is never greater."""
        if not len(self.counts):
            return self.starts
        gains = np.where(np.isnan(gains), -np.inf, gains)
        is_best = gains == np.repeat(np.maximum.reduceat(gains, self.starts), self.counts)
        rows = np.arange(len(gains))
        return np.minimum.reduceat(np.where(is_best, rows, len(gains)), self.starts)
