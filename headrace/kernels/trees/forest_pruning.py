"""Which candidates of a leaf are dropped before it is split, and parameters of forests that depend on a leaf's depth."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from headrace.messages import forest_protos

# The candidates that are dropped each time, as one of so many.
_SHARES = {
    forest_protos.SPLIT_PRUNE_HALF: 2,
    forest_protos.SPLIT_PRUNE_QUARTER: 4,
    forest_protos.SPLIT_PRUNE_10_PERCENT: 10,
}


class Pruning(NamedTuple):
    """How often candidates are dropped, and which.

    Args:
        kind: a `SplitPruningStrategyType` other than `SPLIT_PRUNE_NONE`.
        every: from a depth to the weight of examples after which candidates are dropped.
        dominates: for `SPLIT_PRUNE_HOEFFDING`, from a depth to how sure it has to be that a candidate is not the best one.
    """

    kind: int
    every: Callable[[int], float]
    dominates: Callable[[int], float]

    def period(self, depth: int) -> int:
        """The weight of examples after which candidates of a leaf of that depth are dropped."""
        return max(int(self.every(depth)), 1)

    def remaining(self, scores: np.ndarray, total: np.ndarray, depth: int) -> np.ndarray:
        """The candidates that are kept, in their order.

        Args:
            scores: how mixed both sides of each candidate are.
            total: the weights of the classes of the leaf.
            depth: the leaf's.
        """
        if self.kind in _SHARES:
            return np.delete(np.arange(len(scores)), _worst(scores.tolist(), len(scores) // _SHARES[self.kind]))
        doubt = 1 - self.dominates(depth)
        half_log = -math.log(doubt) / 2 if doubt > 0 else math.inf
        bound = (1 - 1 / len(total)) * math.sqrt(half_log * float(total.sum()))
        return np.flatnonzero(scores - scores.min() <= bound)


def _worst(scores: list[float], count: int) -> list[int]:
    """The places of so many of the highest scores; of equal ones, those that TensorFlow finds."""
    # A place comes in for a higher score only, and the first of the lowest ones goes for it.
    found = [(score, place) for place, score in enumerate(scores[:count])]
    heapq.heapify(found)
    for place in range(count, len(scores)):
        if found and scores[place] > found[0][0]:
            heapq.heapreplace(found, (scores[place], place))
    return [place for _, place in found]


def smoothed_impurity(sums: np.ndarray) -> np.ndarray:
    """The Gini index of classes, each with an example more, times the weight of the examples; 0 where there are none.

    Args:
        sums: the weights of the classes, of shape [candidates, classes].
    """
    classes = np.float32(sums.shape[1])
    # One class after the other: `sum` adds up many of them in another order.
    weight = np.cumsum(sums, 1, dtype=np.float32)[:, -1]
    squares = np.cumsum(sums * sums, 1, dtype=np.float32)[:, -1]
    return weight * (1 - (squares + 2 * weight + classes) / (weight + classes) ** 2)


def of_depth(param: forest_protos.DepthDependentParam) -> Callable[[int], float]:
    """The function from a depth to the value of a parameter.

    Args:
        param: a number, or what it is made of.
    """
    kind = param.WhichOneof("ParamType")
    if kind == "linear":
        line = param.linear
        return lambda depth: min(max(line.slope * depth + line.y_intercept, line.min_val), line.max_val)
    if kind == "exponential":
        power = param.exponential
        return lambda depth: power.bias + power.multiplier * power.base ** (power.depth_multiplier * depth)
    if kind == "threshold":
        step = param.threshold
        return lambda depth: step.on_value if depth >= step.threshold else step.off_value
    value = float(param.constant_value)
    return lambda depth: value
