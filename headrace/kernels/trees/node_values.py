"""The values of leaves, and what they gain, from sums of gradients and Hessians, as `tf.contrib.boosted_trees` has them.

The objective is that of Chen and Guestrin, XGBoost (2016), equations 3 to 7, with an L1 term beside the L2 one: a leaf of
weight w costs G w + (H + l2) w^2 / 2 + l1 |w|.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from headrace.files.checkpoint import wire

TREE_PER_CLASS, FULL_HESSIAN, DIAGONAL_HESSIAN = 1, 2, 3
_LEAST_CURVATURE = np.float32(1e-6)
# What sums may be wrong by.
_LEAST = np.float32(1e-6)


class Sums(NamedTuple):
    """Sums of gradients and Hessians, of many sets of examples at once: a row for each set."""

    gradients: np.ndarray
    hessians: np.ndarray

    def __sub__(self, other: Sums) -> Sums:
        with np.errstate(invalid="ignore"):
            return Sums(self.gradients - other.gradients, self.hessians - other.hessians)

    def rows(self, at: np.ndarray) -> Sums:
        """Some of the rows."""
        return Sums(self.gradients[at], self.hessians[at])

    def are_almost_zero(self) -> np.ndarray:
        """Of which rows there is nothing but what rounding leaves."""
        parts = ((np.abs(part) <= _LEAST).all(tuple(range(1, part.ndim))) for part in self)
        return np.logical_and(*parts)

    def scaled(self, by: np.float32) -> Sums:
        """The sums multiplied by a number."""
        with np.errstate(invalid="ignore"):
            return Sums(self.gradients * by, self.hessians * by)


class Values(NamedTuple):
    """What leaves are worth: a weight, or a vector of them, and a gain for each; `known` is False where there is no value."""

    weights: np.ndarray
    gains: np.ndarray
    known: np.ndarray

    def rows(self, at: np.ndarray) -> Values:
        """Some of the rows."""
        return Values(self.weights[at], self.gains[at], self.known[at])


class LeafObjective(NamedTuple):
    """The penalties on leaves, and what gradients mean.

    `l1` and `l2` weigh on the size of weights, `tree_complexity` on each split; nodes whose Hessian is less than
    `min_node_weight` have no value. `strategy` is one of the numbers above, and `class_id` the class that trees of one
    class are of, -1 for the only one.
    """

    l1: np.float32
    l2: np.float32
    tree_complexity: np.float32
    min_node_weight: np.float32
    strategy: int
    class_id: int

    def values(self, sums: Sums) -> Values:
        """The best weights of leaves with these sums, and by how much they lower the loss (twice)."""
        if self.strategy == TREE_PER_CLASS:
            return self._of_numbers(sums)
        return self._of_vectors(sums)

    def _of_numbers(self, sums: Sums) -> Values:
        gradients, hessians = sums
        if self.l1 > 0:
            gradients = np.sign(gradients) * np.maximum(np.abs(gradients) - self.l1, np.float32(0))
        curvature = hessians + self.l2
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = -gradients / curvature
            gains = -gradients * weights
        nothing = (curvature <= _LEAST_CURVATURE) | (hessians < self.min_node_weight)
        nothing |= gradients == 0
        zero = np.float32(0)
        weights = np.where(nothing, zero, weights)
        return Values(weights, np.where(nothing, zero, gains), ~np.isnan(weights))

    def _of_vectors(self, sums: Sums) -> Values:
        gradients, hessians = sums
        flat = hessians.reshape(len(hessians), math.prod(hessians.shape[1:]))
        size = np.sqrt((flat * flat).sum(1, dtype=np.float32))
        known = ~((size <= _LEAST_CURVATURE) | (size < self.min_node_weight) | np.isnan(size))
        weights, gains = np.zeros(gradients.shape, np.float32), np.zeros(len(gradients), np.float32)
        if known.any():
            some = gradients[known]
            if self.strategy == FULL_HESSIAN:
                # The Hessian of a softmax is singular but for the penalty: single floats would not do.
                matrices = hessians[known] + np.float64(self.l2) * np.eye(gradients.shape[1])
                found = -np.linalg.solve(matrices, some[..., None])[..., 0]
            else:
                with np.errstate(divide="ignore", invalid="ignore"):
                    found = -some * (np.float32(1) / (hessians[known] + self.l2))
            weights[known] = found
            gains[known] = -(some * weights[known]).sum(1, dtype=np.float32)
        return Values(weights, gains, known)

    def leaves(self, values: Values, field: int) -> list[bytes]:
        """The leaves of all rows, each as a field of a message: its number and a Leaf, serialized."""
        data = values.weights.astype("<f4", copy=False).tobytes()
        size = len(data) // max(len(values.known), 1)
        if self.strategy == TREE_PER_CLASS and self.class_id >= 0:
            vector = wire.bytes_field(1, wire.varint(self.class_id)) + wire.bytes_head(2, size)
            kind = 2
        else:
            vector, kind = wire.bytes_head(1, size), 1
        vector = wire.bytes_head(kind, len(vector) + size) + vector
        known, nothing = wire.bytes_head(field, len(vector) + size) + vector, wire.bytes_field(field, b"")
        return [
            known + data[place * size : (place + 1) * size] if is_known else nothing
            for place, is_known in enumerate(values.known.tolist())
        ]
