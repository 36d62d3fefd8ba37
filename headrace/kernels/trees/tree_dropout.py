"""Trees that are left out of a step, and the weights that those left out get afterwards.

K. Rashmi, R. Gilad-Bachrach, "DART: Dropouts meet Multiple Additive Regression Trees", AISTATS 2015.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from headrace.kernels.random.philox import Philox

_LOW = 0xFFFFFFFF


class _Draws:
    """Numbers drawn one after the other from a stream of words."""

    def __init__(self, seed: int, count: int) -> None:
        self._words = Philox(key=seed & (1 << 64) - 1, high=0).words(count // 4 + 1)
        self._at = 0

    def double(self) -> float:
        """A double in [0, 1) of two words."""
        first, second = int(self._words[self._at]), int(self._words[self._at + 1])
        self._at += 2
        bits = 0x3FF << 52 | (first & 0xFFFFF) << 32 | second
        return float(np.uint64(bits).view(np.float64) - 1)


def dropped_trees(
    seed: int, probability: float, skip_probability: float, kept: Collection[int], weights: Sequence[float]
) -> list[tuple[int, float]]:
    """The trees to leave out, with their weights.

    Args:
        seed: of the draws.
        probability: that of each tree to be left out.
        skip_probability: that of leaving none out.
        kept: the numbers of trees that stay in any case.
        weights: the weights of all trees.
    """
    draws = _Draws(seed, 2 * len(weights) + 2)
    if probability == 0 or (skip_probability > 0 and draws.double() < skip_probability):
        return []
    dropped = []
    for number, weight in enumerate(weights):
        if number not in kept and draws.double() < probability:
            dropped.append((number, weight))
    return dropped


def weights_after(dropped: Sequence[tuple[int, float]], new_tree: int, weights: list[float]) -> list[float]:
    """The weights of all trees after one has been grown while others were left out.

    Args:
        dropped: those others, with their weights.
        new_tree: the number of the tree that was grown.
        weights: the weights there are.
    """
    found = list(weights)
    if not dropped:
        return found
    count = len(dropped)
    together = sum((np.float32(weight) for _, weight in dropped), np.float32(0))
    found[new_tree] = float(together / np.float32(count + 1))
    for number, weight in dropped:
        found[number] = float(np.float32(weight) * np.float32(count) / np.float32(count + 1))
    return found
