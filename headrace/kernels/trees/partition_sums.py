"""Sums of gradients and Hessians by partition of examples and feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.kernels.trees.stamped import Stamped


class PartitionSums(NamedTuple):
    """Sums by (partition, feature, dimension of the feature), sorted by these keys.

    `keys` is of shape [rows, 3]; `gradients` and `hessians` have a row for each key.
    """

    keys: np.ndarray
    gradients: np.ndarray
    hessians: np.ndarray


def _added(rows: np.ndarray, groups: np.ndarray, starts: np.ndarray, count: int) -> np.ndarray:
    """The sums of rows by group; single floats are added one after the other, as TensorFlow does."""
    sums = np.zeros((count, *rows.shape[1:]), np.float32)
    sums[groups[starts]] = rows[starts]
    rest = np.ones(len(rows), bool)
    rest[starts] = False
    np.add.at(sums, groups[rest], rows[rest])
    return sums


def summed(keys: np.ndarray, gradients: np.ndarray, hessians: np.ndarray) -> PartitionSums:
    """The sums of rows with the same key.

    Args:
        keys: int64 of shape [rows, 3].
        gradients: with a row for each key.
        hessians: likewise.
    """
    if not len(keys):
        return PartitionSums(keys, gradients, hessians)
    order = np.lexsort((keys[:, 2], keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    first = np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(1)))
    starts = np.flatnonzero(first)
    if len(starts) == len(keys):
        return PartitionSums(ordered, gradients[order], hessians[order])
    groups = np.cumsum(first) - 1
    count = len(starts)
    return PartitionSums(
        ordered[starts],
        _added(gradients[order], groups, starts, count),
        _added(hessians[order], groups, starts, count),
    )


class SumsAccumulator(Stamped):
    """Sums that are added up over the batches of a round.

    Args:
        kind: what it is, for messages.
        gradient_shape: the shape of one gradient.
        hessian_shape: the shape of one Hessian.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.gradient_shape: tuple[int, ...] = ()
        self.hessian_shape: tuple[int, ...] = ()
        self.clear()

    def create(self, stamp: int, gradient_shape: tuple[int, ...] = (), hessian_shape: tuple[int, ...] = ()) -> None:
        """Makes it, unless it is there."""
        with self.lock:
            if not self.is_created:
                self.stamp, self.is_created = stamp, True
                self.gradient_shape, self.hessian_shape = gradient_shape, hessian_shape
                self.clear()

    def clear(self) -> None:
        """Forgets what has come."""
        self.updates = 0
        keys = np.zeros((0, 3), np.int64)
        gradients, hessians = (np.zeros((0, *shape), np.float32) for shape in (self.gradient_shape, self.hessian_shape))
        self.sums = PartitionSums(keys, gradients, hessians)

    def add(self, keys: np.ndarray, gradients: np.ndarray, hessians: np.ndarray) -> None:
        """Adds the rows of a batch."""
        self.updates += 1
        if len(self.sums.keys):
            keys = np.concatenate((self.sums.keys, keys))
            gradients = np.concatenate((self.sums.gradients, gradients))
            hessians = np.concatenate((self.sums.hessians, hessians))
        self.sums = summed(keys, gradients, hessians)

    def replace(self, stamp: int, updates: int, sums: PartitionSums) -> None:
        """Takes what a checkpoint has kept."""
        self.stamp, self.updates = stamp, updates
        self.sums = summed(*sums)
