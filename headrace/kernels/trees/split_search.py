"""The search for the best split of each node of a layer, all nodes and buckets at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from headrace.kernels.trees.gains import Regularization, vector_weights_and_gains, weights_and_gains


class SplitTable(NamedTuple):
    """A row for each node that gets a split. `dimensions` are the columns of the feature."""

    nodes: np.ndarray
    gains: np.ndarray
    dimensions: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    right: np.ndarray
    kinds: np.ndarray


def best_buckets(summaries: np.ndarray, first: int, penalties: Regularization) -> list[tuple[np.ndarray, ...]]:
    """The best bucket to split each node behind, for each of several features.

    Args:
        summaries: the sums of gradients and Hessians, of shape [features, nodes, buckets, 2].
        first: the number of the first node.
        penalties: what splits have to outweigh.

    Returns:
        for each feature: the nodes, gains, buckets, and the values of the new leaves.
    """
    l1, l2 = penalties.l1, penalties.l2
    sums = np.cumsum(summaries, 2, dtype=np.float32)
    total = sums[:, :, -1:]
    left, left_gain = weights_and_gains(sums[..., 0], sums[..., 1], l1, l2)
    rest = total - sums
    right, right_gain = weights_and_gains(rest[..., 0], rest[..., 1], l1, l2)
    _, parent_gain = weights_and_gains(total[..., 0], total[..., 1], l1, l2)
    gains = left_gain + right_gain
    best = gains.argmax(2)[..., None]

    def at_best(values: np.ndarray) -> np.ndarray:
        return np.take_along_axis(values, best, 2)

    chosen = at_best(gains) - parent_gain - penalties.tree_complexity
    lefts, rights = at_best(left), at_best(right)
    heavy = total[:, :, 0, 1] >= penalties.min_node_weight
    tables: list[tuple[np.ndarray, ...]] = []
    for feature, row in enumerate(heavy):
        nodes = np.flatnonzero(row)
        columns = chosen[feature, nodes, 0], best[feature, nodes, 0].astype(np.int32)
        tables.append(
            (nodes.astype(np.int32) + np.int32(first), *columns, lefts[feature, nodes], rights[feature, nodes])
        )
    return tables


_KINDS = {
    "inequality": (b"INEQUALITY_DEFAULT_LEFT", b"INEQUALITY_DEFAULT_RIGHT"),
    "equality": (b"EQUALITY_DEFAULT_RIGHT",),
}


def best_splits(
    summary: np.ndarray, nodes: Iterable[int], penalties: Regularization, logits: int, split_type: str
) -> SplitTable:
    """The best split of each node over the columns of one feature, and the way that missing values take.

    Args:
        summary: sums of gradients and Hessians, of shape [nodes, columns, buckets + 1, statistics]; the last bucket is of
            the missing values.
        nodes: the nodes to split.
        penalties: what splits have to outweigh.
        logits: how many gradients there are; the other statistics are Hessians.
        split_type: "inequality" or "equality".
    """

    def valued(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gradients, hessians = sums[..., :logits], sums[..., logits:]
        if logits == 1:
            weights, gains = weights_and_gains(gradients, hessians, penalties.l1, penalties.l2)
            return weights, gains[..., 0]
        return vector_weights_and_gains(gradients, hessians, penalties.l2)

    rows = []
    for node in nodes:
        table = summary[node]
        totals = table.sum(1, dtype=np.float32)
        if np.linalg.norm(totals[0, logits:]) < penalties.min_node_weight:
            continue
        _, parent_gain = valued(totals[0])
        present, missing = table[:, :-1], table[:, -1:]
        if split_type == "inequality":
            sums = np.cumsum(present, 1, dtype=np.float32)
            lefts = np.stack([sums + missing, sums], 2)
        else:
            lefts = present[:, :, None]
        left, left_gain = valued(lefts)
        right, right_gain = valued(totals[:, None, None] - lefts)
        gains = left_gain + right_gain
        place = np.unravel_index(gains.argmax(), gains.shape)
        kind = _KINDS[split_type][place[2]]
        gain = gains[place] - parent_gain - penalties.tree_complexity
        rows.append((node, gain, place[0], place[1], left[place], right[place], kind))
    columns = list(zip(*rows, strict=True)) or [()] * 7
    kinds = np.empty(len(rows), object)
    kinds[:] = columns[6]
    return SplitTable(
        np.array(columns[0], np.int32),
        np.array(columns[1], np.float32),
        np.array(columns[2], np.int32),
        np.array(columns[3], np.int32),
        np.array(columns[4], np.float32).reshape(-1, logits),
        np.array(columns[5], np.float32).reshape(-1, logits),
        kinds,
    )
