"""Which candidates of a leaf are dropped before it is split, and parameters of forests that depend on a leaf's depth."""

from __future__ import annotations

import heapq
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
        return int(self.every(depth))

    def remaining(self, scores: np.ndarray, weight: np.float32, classes: int, depth: int) -> np.ndarray:
        """The candidates that are kept, in their order.

        Args:
            scores: how mixed both sides of each candidate are.
            weight: that of the examples of the leaf.
            classes: how many classes there are.
            depth: the leaf's.
        """
        if self.kind in _SHARES:
            return np.delete(np.arange(len(scores)), _worst(scores.tolist(), len(scores) // _SHARES[self.kind]))
        with np.errstate(divide="ignore", invalid="ignore"):
            half_log = np.float32(0.5 * np.log(1 / np.float64(1 - float(np.float32(self.dominates(depth))))))
            width = np.float32(float(weight) * (1 - 1 / classes))
            bound = np.float32(width * np.sqrt(np.float32(half_log / weight)))
        return np.flatnonzero(~(scores - scores.min() > bound))


class EarlyFinish(NamedTuple):
    """When leaves are split before they have had all their examples: by Hoeffding's bound between the two best candidates.

    Args:
        after: from a depth to the weight of examples before which none is.
        check_every: from a depth to the weight of examples after which it is looked again.
        fraction: from a depth to how sure it has to be that a candidate is the best one.
    """

    after: Callable[[int], float]
    check_every: Callable[[int], float]
    fraction: Callable[[int], float]

    def least(self, depth: int) -> int:
        """The weight of examples before which no leaf of that depth is split."""
        return int(self.after(depth))

    def every(self, depth: int) -> int:
        """The weight of examples after which it is looked again."""
        return max(int(self.check_every(depth)), 1)

    def first_check(self, depth: int) -> int:
        """How many times as many have gone by when it is first looked."""
        return self.least(depth) // self.every(depth)

    def dominates(self, scores: np.ndarray, weight: np.float32, classes: int, depth: int) -> bool:
        """Whether the best candidate is surely the best one.

        Args:
            scores: how mixed both sides of each candidate are.
            weight: that of the examples of the leaf.
            classes: how many classes there are.
            depth: the leaf's.
        """
        most = np.finfo(np.float32).max
        best, second = np.sort(np.concatenate((scores, [most, most])).astype(np.float32))[:2]
        doubt = 1 - float(np.float32(self.fraction(depth)))
        width = np.float32(np.float32(0.25 * classes) * weight)
        with np.errstate(divide="ignore", over="ignore"):
            bound = np.float32(float(width) * np.sqrt(np.log(1 / np.float64(doubt)) / (2 * float(weight))))
            return bool(second - best > bound)


def _worst(scores: list[float], count: int) -> list[int]:
    """The places of so many of the highest scores; of equal ones, those that TensorFlow finds."""
    # A place comes in for a higher score only, and the first of the lowest ones goes for it.
    found = [(score, place) for place, score in enumerate(scores[:count])]
    heapq.heapify(found)
    for place in range(count, len(scores)):
        if found and scores[place] > found[0][0]:
            heapq.heapreplace(found, (scores[place], place))
    return [place for _, place in found]


def smoothed_impurity(sums: np.ndarray, classes: int) -> np.ndarray:
    """The Gini index of classes, each with an example more, times the weight of the examples; 0 where there are none.

    Args:
        sums: the weights of the classes, of shape [candidates, classes], or of those classes that have any.
        classes: how many classes there are.
    """
    if not sums.shape[1]:
        return np.zeros(len(sums), np.float32)
    # One class after the other: `sum` adds up many of them in another order.
    weight = np.cumsum(sums, 1, dtype=np.float32)[:, -1]
    squares = np.cumsum(sums * sums, 1, dtype=np.float32)[:, -1]
    return summed_impurity(weight, squares, classes)


def summed_impurity(weight: np.ndarray, squares: np.ndarray, classes: int) -> np.ndarray:
    """What `smoothed_impurity` says of sums.

    Args:
        weight: the sums of the weights of the classes.
        squares: the sums of their squares.
        classes: how many classes there are.
    """
    count = np.float32(classes)
    return np.asarray(weight * (1 - (squares + 2 * weight + count) / (weight + count) ** 2))


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
