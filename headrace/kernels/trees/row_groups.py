"""Neighbouring rows of sums that belong together, such as those of a partition of examples: all groups at once."""

from __future__ import annotations

import itertools
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
        count = len(sums.gradients)
        if not count:
            return sums
        gradients, hessians = sums.gradients.reshape(count, -1), sums.hessians.reshape(count, -1)
        with np.errstate(invalid="ignore"):
            added = self._cumulated(np.concatenate((gradients, hessians), 1))
        gradients, hessians = np.split(added, [gradients.shape[1]], 1)
        return Sums(gradients.reshape(sums.gradients.shape), hessians.reshape(sums.hessians.shape))

    def _cumulated(self, rows: np.ndarray) -> np.ndarray:
        if len(self.counts) * self.counts.max() <= _MOST_PADDED * len(rows):
            return self._side_by_side(rows)
        # Those of about the same length together.
        lengths = np.frexp(self.counts)[1]
        of_row = np.repeat(lengths, self.counts)
        added = np.empty(rows.shape, np.float32)
        for length in np.unique(lengths):
            counts, mine = self.counts[lengths == length], of_row == length
            added[mine] = RowGroups(np.cumsum(counts) - counts, counts)._side_by_side(rows[mine])
        return added

    def _side_by_side(self, rows: np.ndarray) -> np.ndarray:
        group = self.of_row
        place = np.arange(len(rows)) - self.starts[group]
        table = np.zeros((int(self.counts.max()), len(self.counts), *rows.shape[1:]), np.float32)
        table[place, group] = rows
        # Row by row: np.cumsum goes down each column for itself, which takes ten times as long.
        for before, row in itertools.pairwise(table):
            row += before
        added: np.ndarray = table[place, group]
        return added

    def first_best(self, gains: np.ndarray) -> np.ndarray:
        """The row of each group with the first of its greatest gains; not a number is never greater."""
        if not len(self.counts):
            return self.starts
        gains = np.where(np.isnan(gains), -np.inf, gains)
        is_best = gains == np.repeat(np.maximum.reduceat(gains, self.starts), self.counts)
        rows = np.arange(len(gains))
        return np.minimum.reduceat(np.where(is_best, rows, len(gains)), self.starts)
