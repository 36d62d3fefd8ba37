"""The best split of each partition of examples, from sums of gradients and Hessians by bucket of a feature."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from headrace.files.checkpoint import wire
from headrace.kernels.trees.node_values import LeafObjective, Sums, Values
from headrace.kernels.trees.row_groups import RowGroups
from headrace.messages import boosted_tree_protos

# The fields of a TreeNode for the kinds of splits.
_DENSE, _SPARSE_LEFT, _SPARSE_RIGHT, _CATEGORICAL = 2, 3, 4, 5


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

    def by_partition(self) -> RowGroups:
        """The rows of each partition."""
        return RowGroups.of_equal(self.partitions)

    def cumulated(self, groups: RowGroups) -> tuple[Sums, Sums]:
        """The sums of the means of batches up to each row of its group, and the means of the sums of the groups.

        They are rounded as TensorFlow rounds them, so the last of the first are not the second.
        """
        raw = groups.cumulated(self.raw)
        # Of a single batch the sums are the means.
        return raw if self.share == 1 else groups.cumulated(self.means()), self._mean(raw, groups)

    def totals(self, groups: RowGroups) -> Sums:
        """The means over batches of the sums of groups of rows."""
        return self._mean(groups.cumulated(self.raw), groups)

    def _mean(self, raw: Sums, groups: RowGroups) -> Sums:
        return raw.rows(groups.last).scaled(self.share)

    def means(self) -> Sums:
        """The means over batches of all rows."""
        return self.raw.scaled(self.share)

    def at(self, rows: np.ndarray) -> Statistics:
        """Some of the rows."""
        return Statistics(self.partitions[rows], self.buckets[rows], self.raw.rows(rows), self.share)


class FoundSplits(NamedTuple):
    """The splits that were found: the partitions they are for, their gains, and themselves, serialized."""

    partitions: list[int]
    gains: list[np.float32]
    splits: list[bytes]


def _first_best(gains: np.ndarray) -> int:
    """The first of the greatest gains; not a number is never greater."""
    return int(np.where(np.isnan(gains), -np.inf, gains).argmax())


def _alternating(first: Sums, second: Sums) -> Sums:
    """The rows of both by turns."""
    gradients = np.stack((first.gradients, second.gradients), 1)
    hessians = np.stack((first.hessians, second.hessians), 1)
    return Sums(gradients.reshape(-1, *gradients.shape[2:]), hessians.reshape(-1, *hessians.shape[2:]))


def _sides(objective: LeafObjective, left: Sums, total: Sums) -> tuple[Values, Values, np.ndarray]:
    """The values of both sides of splits, and their gains together."""
    lefts, rights = objective.values(left), objective.values(total - left)
    return lefts, rights, lefts.gains + rights.gains


def _thresholds(column: int, thresholds: np.ndarray) -> Iterator[bytes]:
    """A DenseFloatBinarySplit, serialized, for each threshold."""
    head = wire.number_field(1, column)
    for bits in thresholds.astype("<f4").view(np.uint32).tolist():
        yield head + wire.fixed32_field(2, bits)


def _found(
    objective: LeafObjective,
    groups: RowGroups,
    sides: tuple[Values, Values, np.ndarray],
    totals: Sums,
    partitions: np.ndarray,
    nodes_of: Callable[[np.ndarray], Iterable[bytes]],
) -> FoundSplits:
    """The best split of each partition.

    Args:
        objective: what splits are measured by.
        groups: the candidates of each partition.
        sides: the values of both sides of the candidates, and their gains.
        totals: the sums of the partitions.
        partitions: their numbers.
        nodes_of: makes the nodes that split the partitions, serialized, of the places of candidates.
    """
    lefts, rights, together = sides
    best = groups.first_best(together)
    gains = together[best] - objective.values(totals).gains - objective.tree_complexity
    # A message for each partition of each feature in each step: written as what it is serialized to.
    left, right = objective.leaves(lefts.rows(best), 2), objective.leaves(rights.rows(best), 3)
    splits = [
        wire.bytes_field(1, node) + leaf + other for node, leaf, other in zip(nodes_of(best), left, right, strict=True)
    ]
    return FoundSplits(partitions.tolist(), list(gains), splits)


def dense_splits(rows: Statistics, boundaries: np.ndarray, column: int, objective: LeafObjective) -> FoundSplits:
    """The best thresholds of a feature that all examples have.

    Args:
        rows: the statistics.
        boundaries: the upper boundaries of the buckets.
        column: the number of the feature column.
        objective: what splits are measured by.
    """
    groups = rows.by_partition()
    lefts, totals = rows.cumulated(groups)
    sides = _sides(objective, lefts, totals.rows(groups.of_row))

    def nodes_of(best: np.ndarray) -> Iterable[bytes]:
        return (wire.bytes_field(_DENSE, split) for split in _thresholds(column, boundaries[rows.buckets[best, 0]]))

    return _found(objective, groups, sides, totals, rows.partitions[groups.starts], nodes_of)


class _Rest(NamedTuple):
    """The rows beside the bias of partitions that have both, how they are grouped, and what their bias has."""

    rows: Statistics
    groups: RowGroups
    totals: Sums


def _without_bias(rows: Statistics, bias: int) -> _Rest:
    groups = rows.by_partition()
    is_bias = rows.buckets[:, 0] == bias
    biases = np.bincount(groups.of_row, is_bias, len(groups.starts)).astype(np.int64)
    is_kept = (biases > 0) & (biases < groups.counts)
    # The first row of the bias, which has sums of dimension 0.
    at = groups.first_best(is_bias.astype(np.float32))[is_kept]
    rest = rows.at(np.flatnonzero(~is_bias & is_kept[groups.of_row]))
    counts = (groups.counts - biases)[is_kept]
    return _Rest(rest, RowGroups(np.cumsum(counts) - counts, counts), rows.raw.rows(at).scaled(rows.share))


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
    rest, partitions, totals = _without_bias(rows, bias)
    rest = rest.at(np.lexsort((rest.buckets[:, 1], partitions.of_row)))
    columns = RowGroups.of_equal(partitions.of_row, rest.buckets[:, 1])
    left = columns.cumulated(rest.means())
    present = rest.totals(columns)
    # At each bucket the missing ones are tried on the left first, then on the right.
    total, right = totals.rows(partitions.of_row), present.rows(columns.of_row) - left
    lefts = objective.values(_alternating(total - right, left))
    rights = objective.values(_alternating(right, total - left))
    gains = lefts.gains + rights.gains
    # Where none is missing, sides that differ by rounding only are not told apart.
    is_complete = (total.rows(columns.starts) - present).are_almost_zero()
    gains[1::2][is_complete[columns.of_row]] = np.nan

    def nodes_of(best: np.ndarray) -> Iterable[bytes]:
        buckets, dimensions = rest.buckets[best // 2].T
        kinds = np.where(best % 2, _SPARSE_RIGHT, _SPARSE_LEFT).tolist()
        splits = _thresholds(column, boundaries[buckets])
        for kind, split, dimension in zip(kinds, splits, dimensions.tolist(), strict=True):
            yield wire.bytes_field(kind, wire.bytes_field(1, split + wire.number_field(5, dimension)))

    groups = RowGroups(partitions.starts * 2, partitions.counts * 2)
    return _found(objective, groups, (lefts, rights, gains), totals, rest.partitions[partitions.starts], nodes_of)


def categorical_splits(rows: Statistics, column: int, bias: int, objective: LeafObjective) -> FoundSplits:
    """The best categories to send to the left.

    Args:
        rows: the statistics; of each partition the category `bias` has the sums of all examples.
        column: the number of the feature column.
        bias: that category.
        objective: what splits are measured by.
    """
    rest, groups, totals = _without_bias(rows, bias)
    sides = _sides(objective, rest.means(), totals.rows(groups.of_row))

    def nodes_of(best: np.ndarray) -> Iterable[bytes]:
        head = wire.number_field(1, column)
        for category in rest.buckets[best, 0].tolist():
            yield wire.bytes_field(_CATEGORICAL, head + wire.number_field(2, category))

    return _found(objective, groups, sides, totals, rest.partitions[groups.starts], nodes_of)


def _oblivious(
    node_of: Callable[[int], boosted_tree_protos.TreeNode],
    lefts: Sums,
    totals: Sums,
    partitions: np.ndarray,
    objective: LeafObjective,
) -> FoundSplits:
    """The best split for all partitions together.

    Args:
        node_of: makes the node, of the candidate's place.
        lefts: what the candidates send to the left: the candidates of the first partition, those of the next one, ...
        totals: the sums of the partitions.
        partitions: their numbers.
        objective: what splits are measured by.
    """
    if not len(partitions):
        return FoundSplits([], [], [])
    candidates = len(lefts.gradients) // len(partitions)
    left, right, gains = _sides(objective, lefts, totals.rows(np.repeat(np.arange(len(partitions)), candidates)))
    together = np.zeros(candidates, np.float32)
    for row in gains.reshape(len(partitions), candidates):
        together = together + row
    best = _first_best(together)
    gain = together[best]
    for root in objective.values(totals).gains:
        gain = gain - root
    gain = gain - objective.tree_complexity * np.float32(len(partitions))
    info = boosted_tree_protos.ObliviousSplitInfo(split_node=node_of(best), children_parent_id=partitions.tolist())
    at = np.arange(best, len(gains), candidates)
    children = zip(objective.leaves(left.rows(at), 2), objective.leaves(right.rows(at), 2), strict=True)
    info.MergeFromString(b"".join(itertools.chain.from_iterable(children)))
    return FoundSplits(partitions.tolist(), [gain], [info.SerializeToString()])


def oblivious_dense_splits(
    rows: Statistics, boundaries: np.ndarray, column: int, objective: LeafObjective
) -> FoundSplits:
    """As `dense_splits`, one threshold for all partitions."""
    candidates = np.unique(rows.buckets[:, 0])
    groups = rows.by_partition()
    sums = groups.cumulated(rows.means())
    # What lies up to each candidate: the sums at the last bucket of the partition that is not above it, a row of zeros
    # where there is none.
    padded = Sums(*(np.concatenate((np.zeros((1, *part.shape[1:]), np.float32), part)) for part in sums))
    upto = np.zeros((len(groups.starts), len(candidates)), np.int64)
    upto[groups.of_row, np.searchsorted(candidates, rows.buckets[:, 0])] = np.arange(1, len(rows.partitions) + 1)
    upto = np.maximum.accumulate(upto, 1)

    def node_of(best: int) -> boosted_tree_protos.TreeNode:
        node = boosted_tree_protos.TreeNode()
        node.oblivious_dense_float_binary_split.feature_column = column
        node.oblivious_dense_float_binary_split.threshold = float(boundaries[candidates[best]])
        return node

    partitions = rows.partitions[groups.starts]
    return _oblivious(node_of, padded.rows(upto.reshape(-1)), rows.totals(groups), partitions, objective)


def oblivious_categorical_splits(rows: Statistics, column: int, bias: int, objective: LeafObjective) -> FoundSplits:
    """As `categorical_splits`, one category for all partitions."""
    candidates = np.unique(rows.buckets[rows.buckets[:, 0] != bias, 0])
    rest, groups, totals = _without_bias(rows, bias)
    at = groups.of_row * len(candidates) + np.searchsorted(candidates, rest.buckets[:, 0])
    means = rest.means()
    lefts = Sums(*(np.zeros((len(groups.starts) * len(candidates), *part.shape[1:]), np.float32) for part in means))
    lefts.gradients[at], lefts.hessians[at] = means

    def node_of(best: int) -> boosted_tree_protos.TreeNode:
        node = boosted_tree_protos.TreeNode()
        node.oblivious_categorical_id_binary_split.feature_column = column
        node.oblivious_categorical_id_binary_split.feature_id = int(candidates[best])
        return node

    return _oblivious(node_of, lefts, totals, rest.partitions[groups.starts], objective)
