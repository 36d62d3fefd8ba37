"""The best split of each partition of examples, from sums of gradients and Hessians by bucket of a feature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from headrace.kernels.trees.node_values import LeafObjective, Sums, Values
from headrace.messages import boosted_tree_protos


class Statistics(NamedTuple):
    """Sums by partition and bucket, sorted.

    Attributes:
        partitions: the partition of each row.
        buckets: of shape [rows, 2], the bucket (or the category) and the dimension of each row.
        raw: the sums over all batches.
        share: one over the number of batches.
    """

    partitions: np.ndarray
    buckets: np.ndarray
    raw: Sums
    share: np.float32

    def sums(self, at: slice) -> Sums:
        """The means over batches of some rows."""
        return self.raw.rows(at).scaled(self.share)

    def total(self, at: slice) -> Sums:
        """The mean over batches of the sum of some rows, which is rounded as TensorFlow rounds it."""
        return self.raw.rows(at).cumulated().rows(-1).scaled(self.share)

    def by_partition(self) -> Iterator[tuple[int, slice]]:
        """Each partition and its rows."""
        if not len(self.partitions):
            return
        starts = np.flatnonzero(np.concatenate(([True], self.partitions[1:] != self.partitions[:-1])))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(self.partitions)], strict=True):
            yield int(self.partitions[start]), slice(start, end)


class FoundSplits(NamedTuple):
    """The splits that were found: the partitions they are for, their gains, and themselves, serialized."""

    partitions: list[int]
    gains: list[np.float32]
    splits: list[bytes]


def _first_best(gains: np.ndarray) -> int:
    """The first of the greatest gains; not a number is never greater."""
    return int(np.where(np.isnan(gains), -np.inf, gains).argmax())


def _one_row(sums: Sums) -> Sums:
    return Sums(sums.gradients[None], sums.hessians[None])


def _joined(parts: list[Sums]) -> Sums:
    return Sums(np.concatenate([part.gradients for part in parts]), np.concatenate([part.hessians for part in parts]))


def _alternating(first: Sums, second: Sums) -> Sums:
    """The rows of both by turns."""
    gradients = np.stack((first.gradients, second.gradients), 1)
    hessians = np.stack((first.hessians, second.hessians), 1)
    return Sums(gradients.reshape(-1, *gradients.shape[2:]), hessians.reshape(-1, *hessians.shape[2:]))


def _sides(objective: LeafObjective, left: Sums, total: Sums) -> tuple[Values, Values, np.ndarray]:
    """The values of both sides of splits, and their gains together."""
    lefts, rights = objective.values(left), objective.values(total - left)
    return lefts, rights, lefts.gains + rights.gains


def _split_info(
    objective: LeafObjective, node: boosted_tree_protos.TreeNode, lefts: Values, rights: Values, row: int
) -> bytes:
    info = boosted_tree_protos.SplitInfo(
        split_node=node, left_child=objective.leaf(lefts, row), right_child=objective.leaf(rights, row)
    )
    serialized: bytes = info.SerializeToString()
    return serialized


def dense_splits(rows: Statistics, boundaries: np.ndarray, column: int, objective: LeafObjective) -> FoundSplits:
    """The best thresholds of a feature that all examples have.

    Args:
        rows: the statistics.
        boundaries: the upper boundaries of the buckets.
        column: the number of the feature column.
        objective: what splits are measured by.
    """
    found = FoundSplits([], [], [])
    for partition, at in rows.by_partition():
        left, total = rows.sums(at).cumulated(), rows.total(at)
        lefts, rights, gains = _sides(objective, left, total)
        best = _first_best(gains)
        root = objective.values(_one_row(total)).gains[0]
        node = boosted_tree_protos.TreeNode()
        node.dense_float_binary_split.feature_column = column
        node.dense_float_binary_split.threshold = float(boundaries[rows.buckets[at.start + best, 0]])
        found.partitions.append(partition)
        found.gains.append(gains[best] - root - objective.tree_complexity)
        found.splits.append(_split_info(objective, node, lefts, rights, best))
    return found


def sparse_splits(
    rows: Statistics, boundaries: np.ndarray, column: int, bias: int, objective: LeafObjective
) -> FoundSplits:
    """The best thresholds of a feature that some examples lack, and the side of those that lack it.

    Args:
        rows: the statistics; of each partition the bucket `bias` of dimension 0 has the sums of all examples.
        boundaries: the upper boundaries of the buckets.
        column: the number of the feature column.
        bias: that bucket.
        objective: what splits are measured by.
    """
    found = FoundSplits([], [], [])
    for partition, at in rows.by_partition():
        buckets = rows.buckets[at]
        is_bias = buckets[:, 0] == bias
        places = np.flatnonzero(~is_bias)
        if not is_bias.any() or not len(places):
            continue
        sums = rows.sums(at)
        total = sums.rows(int(is_bias.argmax()))
        groups = [places[buckets[places, 1] == dimension] for dimension in np.unique(buckets[places, 1])]
        order = np.concatenate(groups)
        left = _joined([sums.rows(group).cumulated() for group in groups])
        present = [rows.raw.rows(at).rows(group).cumulated().rows(-1).scaled(rows.share) for group in groups]
        repeated = _joined([one.repeated(len(group)) for one, group in zip(present, groups, strict=True)])
        # At each bucket the missing ones are tried on the left first, then on the right.
        right = repeated - left
        lefts = objective.values(_alternating(total - right, left))
        rights = objective.values(_alternating(right, total - left))
        gains = lefts.gains + rights.gains
        for group, one in zip(groups, present, strict=True):
            # Where none is missing, sides that differ by rounding only are not told apart.
            if (total - one).is_almost_zero():
                gains[1::2][np.isin(order, group)] = np.nan
        best = _first_best(gains)
        bucket, dimension = buckets[order[best // 2]].tolist()
        node = boosted_tree_protos.TreeNode()
        kind = node.sparse_float_binary_split_default_right if best % 2 else node.sparse_float_binary_split_default_left
        kind.split.feature_column, kind.split.dimension_id = column, dimension
        kind.split.threshold = float(boundaries[bucket])
        root = objective.values(_one_row(total)).gains[0]
        found.partitions.append(partition)
        found.gains.append(gains[best] - root - objective.tree_complexity)
        found.splits.append(_split_info(objective, node, lefts, rights, best))
    return found


def categorical_splits(rows: Statistics, column: int, bias: int, objective: LeafObjective) -> FoundSplits:
    """The best categories to send to the left.

    Args:
        rows: the statistics; of each partition the category `bias` has the sums of all examples.
        column: the number of the feature column.
        bias: that category.
        objective: what splits are measured by.
    """
    found = FoundSplits([], [], [])
    for partition, at in rows.by_partition():
        categories = rows.buckets[at, 0]
        is_bias = categories == bias
        places = np.flatnonzero(~is_bias)
        if not is_bias.any() or not len(places):
            continue
        sums = rows.sums(at)
        total = sums.rows(int(is_bias.argmax()))
        lefts, rights, gains = _sides(objective, sums.rows(places), total)
        best = _first_best(gains)
        node = boosted_tree_protos.TreeNode()
        node.categorical_id_binary_split.feature_column = column
        node.categorical_id_binary_split.feature_id = int(categories[places[best]])
        root = objective.values(_one_row(total)).gains[0]
        found.partitions.append(partition)
        found.gains.append(gains[best] - root - objective.tree_complexity)
        found.splits.append(_split_info(objective, node, lefts, rights, best))
    return found


def _oblivious(
    node: boosted_tree_protos.TreeNode,
    sides: list[tuple[Values, Values]],
    best: int,
    partitions: list[int],
    gain: np.float32,
    objective: LeafObjective,
) -> FoundSplits:
    info = boosted_tree_protos.ObliviousSplitInfo(split_node=node, children_parent_id=partitions)
    for lefts, rights in sides:
        info.children.append(objective.leaf(lefts, best))
        info.children.append(objective.leaf(rights, best))
    return FoundSplits(partitions, [gain], [info.SerializeToString()])


def _measured(
    lefts_of: list[Sums], totals: list[Sums], objective: LeafObjective
) -> tuple[list[tuple[Values, Values]], int, np.float32]:
    """One split for all partitions: the values of its sides in each, which one is best, and what it gains."""
    sides, roots = [], []
    together = np.zeros(len(lefts_of[0].gradients), np.float32)
    for left, total in zip(lefts_of, totals, strict=True):
        lefts, rights, gains = _sides(objective, left, total)
        sides.append((lefts, rights))
        together = together + gains
        roots.append(objective.values(_one_row(total)).gains[0])
    best = _first_best(together)
    gain = together[best]
    for root in roots:
        gain = gain - root
    return sides, best, gain - objective.tree_complexity * np.float32(len(totals))


def oblivious_dense_splits(
    rows: Statistics, boundaries: np.ndarray, column: int, objective: LeafObjective
) -> FoundSplits:
    """As `dense_splits`, one threshold for all partitions."""
    candidates = np.unique(rows.buckets[:, 0])
    partitions, lefts_of, totals = [], [], []
    for partition, at in rows.by_partition():
        sums = rows.sums(at).cumulated()
        # What lies up to each candidate: the sums at the last bucket of the partition that is not above it.
        upto = np.searchsorted(rows.buckets[at, 0], candidates, "right")
        none = Sums(np.zeros_like(sums.gradients[:1]), np.zeros_like(sums.hessians[:1]))
        padded = Sums(*(np.concatenate(pair) for pair in zip(none, sums, strict=True)))
        partitions.append(partition)
        lefts_of.append(padded.rows(upto))
        totals.append(rows.total(at))
    if not partitions:
        return FoundSplits([], [], [])
    sides, best, gain = _measured(lefts_of, totals, objective)
    node = boosted_tree_protos.TreeNode()
    node.oblivious_dense_float_binary_split.feature_column = column
    node.oblivious_dense_float_binary_split.threshold = float(boundaries[candidates[best]])
    return _oblivious(node, sides, best, partitions, gain, objective)


def oblivious_categorical_splits(rows: Statistics, column: int, bias: int, objective: LeafObjective) -> FoundSplits:
    """As `categorical_splits`, one category for all partitions."""
    candidates = np.unique(rows.buckets[rows.buckets[:, 0] != bias, 0])
    partitions, lefts_of, totals = [], [], []
    for partition, at in rows.by_partition():
        categories = rows.buckets[at, 0]
        if len(categories) < 2 or not (categories == bias).any():
            continue
        sums = rows.sums(at)
        gradients = np.zeros((len(candidates), *sums.gradients.shape[1:]), np.float32)
        hessians = np.zeros((len(candidates), *sums.hessians.shape[1:]), np.float32)
        there = categories != bias
        place = np.searchsorted(candidates, categories[there])
        gradients[place], hessians[place] = sums.gradients[there], sums.hessians[there]
        partitions.append(partition)
        lefts_of.append(Sums(gradients, hessians))
        totals.append(sums.rows(int((categories == bias).argmax())))
    if not partitions:
        return FoundSplits([], [], [])
    sides, best, gain = _measured(lefts_of, totals, objective)
    node = boosted_tree_protos.TreeNode()
    node.oblivious_categorical_id_binary_split.feature_column = column
    node.oblivious_categorical_id_binary_split.feature_id = int(candidates[best])
    return _oblivious(node, sides, best, partitions, gain, objective)
