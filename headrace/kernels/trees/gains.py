"""What a split of a node gains, from sums of gradients and Hessians on its two sides.

The objective is that of Chen and Guestrin, XGBoost (2016), equations 3 to 7, with an L1 term beside the L2 one: a leaf of
weight w costs G w + (H + l2) w^2 / 2 + l1 |w|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_LEAST_HESSIAN = np.float32(1e-15)


class Regularization(NamedTuple):
    """The penalties: on the weights of leaves, on their squares, on each leaf; and the least Hessian of a node."""

    l1: np.float32
    l2: np.float32
    tree_complexity: np.float32
    min_node_weight: np.float32


def weights_and_gains(
    gradients: np.ndarray, hessians: np.ndarray, l1: np.float32, l2: np.float32
) -> tuple[np.ndarray, np.ndarray]:
    """The best weight of leaves with these sums, and twice by how much it lowers the loss."""
    if l1 > 0:
        gradients = np.sign(gradients) * np.maximum(np.abs(gradients) - l1, np.float32(0))
    curvature = hessians + l2
    usable = curvature > _LEAST_HESSIAN
    weights = np.where(usable, -gradients / np.where(usable, curvature, np.float32(1)), np.float32(0))
    return weights, -gradients * weights


def vector_weights_and_gains(
    gradients: np.ndarray, hessians: np.ndarray, l2: np.float32
) -> tuple[np.ndarray, np.ndarray]:
    """The same for leaves of several logits.

    Args:
        gradients: of shape [..., logits].
        hessians: as long, which are then those of the logits by themselves; or full matrices, a row after the other.
        l2: the penalty.
    """
    logits = gradients.shape[-1]
    if hessians.shape[-1] == logits:
        weights, gains = weights_and_gains(gradients, hessians, np.float32(0), l2)
        return weights, gains.sum(-1, dtype=np.float32)
    matrices = hessians.reshape(*hessians.shape[:-1], logits, logits) + l2 * np.eye(logits, dtype=np.float32)
    weights = -np.linalg.solve(matrices, gradients[..., None])[..., 0].astype(np.float32)
    return weights, -(gradients * weights).sum(-1, dtype=np.float32)
