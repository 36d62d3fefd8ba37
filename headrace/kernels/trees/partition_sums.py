"""Sums of gradients and Hessians by partition of examples and feature."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.kernels.trees.stamped import Stamped

_MOST_PACKED = 2**62


class PartitionSums(NamedTuple):
    """Sums by (partition, feature, dimension of the feature), sorted by these keys.

    `keys` is of shape [rows, 3]; `gradients` and `hessians` have a row for each key.
    """

    keys: np.ndarray
    gradients: np.ndarray
    hessians: np.ndarray


def _packed(keys: np.ndarray) -> np.ndarray | None:
    """A number for each key, in the order of the keys; None where there are not as many numbers."""
    packed, span = np.zeros(len(keys), np.int64), 1
    for column in keys.T:
        least = int(column.min())
        width = int(column.max()) - least + 1
        span *= width
        if span > _MOST_PACKED:
            return None
        packed = packed * width + (column - least)
    # Of such short numbers NumPy counts the digits, instead of comparing them.
    return packed.astype(np.uint16) if span <= 1 << 16 else packed


def _sorted(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the keys in their order, equal ones as they came, and which of these is the first of its kind."""
    packed = _packed(keys)
    if packed is None:
        order = np.lexsort((keys[:, 2], keys[:, 1], keys[:, 0]))
        ordered = keys[order]
        differs = (ordered[1:] != ordered[:-1]).any(1)
    else:
        order = np.argsort(packed, kind="stable")
        numbers = packed[order]
        differs = numbers[1:] != numbers[:-1]
    return order, np.concatenate(([True], differs))


def _added(rows: np.ndarray, groups: np.ndarray, firsts: np.ndarray) -> np.ndarray:
    """The sums of rows by group; single floats are added one after the other, as TensorFlow does.

    Args:
        rows: the rows.
        groups: the group of each row.
        firsts: the first row of each group.
    """
    sums = np.ascontiguousarray(rows[firsts], np.float32)
    rest = np.ones(len(rows), bool)
    rest[firsts] = False
    # Numbers are added several times as fast as rows are.
    size = math.prod(rows.shape[1:])
    at = (groups[rest][:, None] * size + np.arange(size)).reshape(-1)
    np.add.at(sums.reshape(-1), at, rows[rest].reshape(-1))
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
    order, is_first = _sorted(keys)
    firsts = order[is_first]
    if len(firsts) == len(keys):
        return PartitionSums(keys[order], gradients[order], hessians[order])
    groups = np.empty(len(keys), np.int64)
    groups[order] = np.cumsum(is_first) - 1
    return PartitionSums(keys[firsts], _added(gradients, groups, firsts), _added(hessians, groups, firsts))


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
