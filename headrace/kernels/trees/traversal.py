"""Walks of many examples through trees at once: tables of nodes, and one step of all examples after the other."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.kernels.trees.ensemble import Ensemble, children, leaf_values
from headrace.kernels.trees.split_masks import SplitMasks
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.messages.protos import Node


_LEAF_BOUND = np.iinfo(np.int32).max
# Features' values that are missing.
MISSING = -1


class PackedTree:
    """The nodes of a tree as arrays.

    A leaf is a split whose two ways lead back to itself, so that examples which have come to one stay there.

    Args:
        nodes: the nodes as messages.
        logits: how many logits there are.
    """

    def __init__(self, nodes: Sequence[Node], logits: int) -> None:
        count = len(nodes)
        self.is_leaf = np.ones(count, bool)
        self.features = np.zeros(count, np.int64)
        self.dimensions = np.zeros(count, np.int64)
        self.thresholds = np.full(count, _LEAF_BOUND, np.int64)
        self.equals = np.zeros(count, bool)
        self.missing_left = np.zeros(count, bool)
        self.children = np.repeat(np.arange(count), 2)
        self.values = np.zeros((count, logits), np.float32)
        for at, node in enumerate(nodes):
            self._pack(at, node)
        self.depth = self._depth()
        self.is_plain = not self.equals.any() and not self.missing_left.any()

    @functools.cached_property
    def masks(self) -> SplitMasks:
        """Its splits as masks of examples; for trees that compare only, without missing values."""
        return SplitMasks(self.children, self.features, self.dimensions, self.thresholds, self.depth)

    def _pack(self, at: int, node: Node) -> None:
        below = children(node)
        values = leaf_values(node.leaf if below is None else node.metadata.original_leaf)
        self.values[at, : len(values)] = values
        if below is None:
            return
        self.is_leaf[at] = False
        self.children[2 * at : 2 * at + 2] = below
        split = getattr(node, node.WhichOneof("node"))
        self.features[at], self.dimensions[at] = split.feature_id, split.dimension_id
        self.equals[at] = node.HasField("categorical_split")
        self.thresholds[at] = split.value if self.equals[at] else split.threshold
        self.missing_left[at] = not self.equals[at] and split.default_direction == 0

    def _depth(self) -> int:
        depth, level = 0, np.zeros(1, np.int64)
        while not self.is_leaf[level].all():
            inner = level[~self.is_leaf[level]]
            level = np.concatenate((self.children[2 * inner], self.children[2 * inner + 1]))
            depth += 1
        return depth


class FeatureTable:
    """The bucketized features of a batch, one column after the other.

    Args:
        features: a vector or a matrix of each feature, as many rows in all.
    """

    def __init__(self, features: Sequence[torch.Tensor]) -> None:
        columns = [feature if feature.ndim == 2 else feature.reshape(-1, 1) for feature in features]
        self.rows = columns[0].shape[0]
        self.first_column = np.cumsum([0, *(column.shape[1] for column in columns)])
        self.values = torch.cat([feature if feature.ndim == 1 else feature.t().reshape(-1) for feature in features])
        self.row_numbers = torch.arange(self.rows)
        # Nothing is below MISSING; a minimum takes a tenth of the time of comparing all.
        self.has_missing = bool(len(self.values)) and int(self.values.min()) <= MISSING
        self._above: dict[tuple[int, int], np.ndarray] = {}

    def above(self, feature: int, dimension: int, threshold: int) -> np.ndarray:
        """Which examples are above a threshold in a column of a feature."""
        column = int(self.first_column[feature]) + dimension
        found = self._above.get((column, threshold))
        if found is None:
            values = self.values[column * self.rows : (column + 1) * self.rows]
            found = self._above[column, threshold] = values.numpy() > threshold
        return found

    def leaves(self, tree: PackedTree) -> torch.Tensor:
        """The leaves that all examples come to from the root."""
        if not self.has_missing and not tree.equals.any() and tree.masks.pay_for(self.rows):
            return torch.from_numpy(tree.masks.leaves(self.above, self.rows))
        return self.walk(tree, torch.zeros(self.rows, dtype=torch.int64))

    def add_all(self, trees: Sequence[PackedTree], weights: Sequence[float], total: torch.Tensor) -> torch.Tensor:
        """Adds what trees say of all examples, one tree after the other.

        Args:
            trees: the trees.
            weights: a weight for each.
            total: the sums, of shape [examples, logits], which it changes.

        Returns:
            the leaves of the last tree that the examples come to; zeros where there is no tree.
        """
        leaves = torch.zeros(self.rows, dtype=torch.int64)
        if not trees or self._asked(trees, weights, self.row_numbers, leaves, total):
            return leaves
        for tree, weight in zip(trees, weights, strict=True):
            leaves = self.leaves(tree)
            total += weight * torch.from_numpy(tree.values).index_select(0, leaves)
        return leaves

    def _asked(
        self,
        trees: Sequence[PackedTree],
        weights: Sequence[float],
        rows: torch.Tensor,
        nodes: torch.Tensor,
        total: torch.Tensor | None,
    ) -> bool:
        """Whether the runner has led examples to the leaves of the last tree, and has added what all of them say."""
        ask = direct_call("boosted_trees")
        if ask is None or not all(self._only_compares(tree) for tree in trees):
            return False
        asked = [
            (self._starts(tree), tree.thresholds, tree.children, tree.depth, tree.values, weight)
            for tree, weight in zip(trees, weights, strict=True)
        ]
        sums = None if total is None else total.numpy()
        return bool(ask(self.values.numpy(), self.rows, asked, rows.numpy(), nodes.numpy(), sums))

    def _only_compares(self, tree: PackedTree) -> bool:
        return tree.is_plain or not (self.has_missing or tree.equals.any())

    def _starts(self, tree: PackedTree) -> np.ndarray:
        """Where the column that each node asks begins."""
        return np.asarray((self.first_column[tree.features] + tree.dimensions) * self.rows)

    def walk(
        self,
        tree: PackedTree,
        nodes: torch.Tensor,
        rows: torch.Tensor | None = None,
        path: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """The leaves that examples come to.

        Args:
            tree: the tree.
            nodes: where each example is.
            rows: the examples, all if None.
            path: gets the nodes after each step.
        """
        rows = self.row_numbers if rows is None else rows
        if path is None:
            leaves = nodes.clone()
            if self._asked([tree], [0.0], rows, leaves, None):
                return leaves
        starts, thresholds, ways = (
            torch.from_numpy(array) for array in (self._starts(tree), tree.thresholds, tree.children)
        )
        simple = self._only_compares(tree)
        equals, missing_left = torch.from_numpy(tree.equals), torch.from_numpy(tree.missing_left)
        for _ in range(tree.depth):
            values = self.values.index_select(0, starts.index_select(0, nodes) + rows)
            bounds = thresholds.index_select(0, nodes)
            right = values > bounds
            if not simple:
                right = torch.where(equals[nodes], values != bounds, right)
                right = torch.where((values == MISSING) & ~equals[nodes], ~missing_left[nodes], right)
            nodes = ways.index_select(0, 2 * nodes + right)
            if path is not None:
                path.append(nodes)
        return nodes


def packed(ensemble: Ensemble, tree: int, logits: int) -> PackedTree:
    """The arrays of a tree, made anew only where it has changed."""
    found = ensemble.packed.get(tree)
    if not isinstance(found, PackedTree) or found.values.shape[1] != logits:
        found = ensemble.packed[tree] = PackedTree(ensemble.message.trees[tree].nodes, logits)
    return found


def predictions(ensemble: Ensemble, features: Sequence[torch.Tensor], logits: int) -> torch.Tensor:
    """The sums of the trees' values for each example, with the trees' weights."""
    table = FeatureTable(features)
    total = torch.zeros(table.rows, logits)
    _add_from(ensemble, 0, table, total)
    return total


def _add_from(ensemble: Ensemble, first: int, table: FeatureTable, total: torch.Tensor) -> torch.Tensor:
    """Adds what the trees from one on say of all examples; returns the leaves of the last one."""
    numbers = range(first, ensemble.tree_count)
    trees = [packed(ensemble, number, total.shape[1]) for number in numbers]
    return table.add_all(trees, [ensemble.message.tree_weights[number] for number in numbers], total)


def continued_predictions(
    ensemble: Ensemble, tree_ids: np.ndarray, node_ids: np.ndarray, features: Sequence[torch.Tensor], logits: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What the trees have added since examples were at the given nodes.

    Args:
        ensemble: the trees.
        tree_ids, node_ids: where each example was; a negative node for one that has not been seen.
        features: the bucketized features.
        logits: how many logits there are.

    Returns:
        what to add to the logits that the examples had; the trees and the nodes they are at now.
    """
    rows = len(tree_ids)
    last = ensemble.tree_count - 1
    total = torch.zeros(rows, logits)
    if last < 0:
        return total, torch.zeros(rows, dtype=torch.int32), torch.zeros(rows, dtype=torch.int32)
    table = FeatureTable(features)
    nodes = np.zeros(rows, np.int64)
    first, unseen = (max(int(tree_ids.min()), 0), max(int(tree_ids.max()), 0)) if rows else (0, 0)
    # Trees from `unseen` on have seen none of the examples.
    unseen += bool((node_ids >= 0).any())
    for number in range(first, unseen):
        chosen = np.flatnonzero(tree_ids <= number)
        if not len(chosen):
            continue
        tree = packed(ensemble, number, logits)
        at = np.zeros(len(chosen), np.int64)
        corrections = np.zeros((len(chosen), logits), np.float32)
        here = (tree_ids[chosen] == number) & (node_ids[chosen] >= 0)
        at[here], changes = _moved(ensemble, number, node_ids[chosen][here], logits)
        corrections[here] = changes - tree.values[at[here]]
        leaves = table.walk(tree, torch.from_numpy(at), torch.from_numpy(chosen))
        added = torch.from_numpy(corrections) + torch.from_numpy(tree.values).index_select(0, leaves)
        total.index_add_(0, torch.from_numpy(chosen), ensemble.message.tree_weights[number] * added)
        nodes[chosen] = leaves.numpy()
    if unseen <= last:
        nodes = _add_from(ensemble, unseen, table, total).numpy()
    return total, torch.full((rows,), last, dtype=torch.int32), torch.from_numpy(nodes.astype(np.int32))


def _moved(ensemble: Ensemble, number: int, nodes: np.ndarray, logits: int) -> tuple[np.ndarray, np.ndarray]:
    """Where pruning has moved nodes to, and what it has changed of the logits there."""
    changes = np.zeros((len(nodes), logits), np.float32)
    metadata = ensemble.message.tree_metadata
    updates = metadata[number].post_pruned_nodes_meta if number < len(metadata) else ()
    if not updates:
        return nodes, changes
    to = np.array([update.new_node_id for update in updates], np.int64)
    table = np.zeros((len(updates), logits), np.float32)
    for row, update in enumerate(updates):
        table[row, : len(update.logit_change)] = update.logit_change[:logits]
    return to[nodes], table[nodes]


def debug_paths(
    ensemble: Ensemble, features: Sequence[torch.Tensor], logits: int
) -> list[tuple[list[int], list[float]]]:
    """For each example: the features that were asked on its way through all trees, and the logits after each answer."""
    table = FeatureTable(features)
    asked: list[list[int]] = [[] for _ in range(table.rows)]
    reached: list[list[float]] = [[] for _ in range(table.rows)]
    past = np.zeros(table.rows, np.float32)
    start = torch.zeros(table.rows, dtype=torch.int64)
    for number in range(ensemble.tree_count):
        tree = packed(ensemble, number, logits)
        weight = np.float32(ensemble.message.tree_weights[number])
        path = [start]
        leaves = table.walk(tree, start, path=path)
        values = tree.values[:, 0]
        # The first tree's root is the bias of all.
        if number == 0:
            for row in range(table.rows):
                reached[row].append(float(weight * values[0]))
        for before, after in itertools.pairwise(path):
            for row, (node, child) in enumerate(zip(before.tolist(), after.tolist(), strict=True)):
                if not tree.is_leaf[node]:
                    asked[row].append(int(tree.features[node]))
                    reached[row].append(float(past[row] + weight * values[child]))
        past = past + weight * values[leaves.numpy()]
    return list(zip(asked, reached, strict=True))
