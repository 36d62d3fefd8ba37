"""Ways of many examples through the trees of `tf.contrib.boosted_trees` at once: node after node, with those who come to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.kernels.trees.gradient_ensemble import GradientEnsemble, children, leaf_values, split_of

if TYPE_CHECKING:
    from headrace.messages.boosted_tree_protos import DecisionTreeConfig, TreeNode


class Examples:
    """The features of a batch.

    Args:
        dense: a matrix of each dense column.
        sparse: the indices, values and shape of each sparse column of numbers.
        categorical: those of each sparse column of categories.
    """

    def __init__(
        self,
        dense: Sequence[np.ndarray],
        sparse: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
        categorical: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    ) -> None:
        self.dense, self.sparse, self.categorical = dense, sparse, categorical
        sizes = [column.shape[0] for column in dense]
        sizes += [int(shape[0]) for _, _, shape in (*sparse, *categorical)]
        self.count = max(sizes, default=0)
        self._numbers: dict[tuple[str, int, int], np.ndarray] = {}
        self._members: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}

    def _sparse_numbers(self, column: int, dimension: int) -> np.ndarray:
        """One dimension of a sparse column; what is missing is not a number."""
        key = ("sparse", column, dimension)
        found = self._numbers.get(key)
        if found is None:
            indices, values, _ = self.sparse[column]
            found = self._numbers[key] = np.full(self.count, np.nan, np.float32)
            chosen = indices[:, 1] == dimension
            found[indices[chosen, 0]] = values[chosen]
        return found

    def _dense_numbers(self, column: int, dimension: int) -> np.ndarray:
        key = ("dense", column, dimension)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = np.ascontiguousarray(self.dense[column][:, dimension])
        return found

    def _is_member(self, column: int, categories: tuple[int, ...]) -> np.ndarray:
        """Whether an example has one of some categories."""
        key = (column, categories)
        found = self._members.get(key)
        if found is None:
            indices, values, _ = self.categorical[column]
            found = self._members[key] = np.zeros(self.count, bool)
            chosen = values == categories[0] if len(categories) == 1 else np.isin(values, categories)
            found[indices[chosen, 0]] = True
        return found

    def goes_left(self, node: TreeNode, rows: np.ndarray | slice) -> np.ndarray:
        """Which of some examples go to the left at a split."""
        kind, split = node.WhichOneof("node"), split_of(node)
        if kind == "dense_float_binary_split":
            return self._dense_numbers(split.feature_column, split.dimension_id)[rows] <= np.float32(split.threshold)
        if kind == "oblivious_dense_float_binary_split":
            return self._dense_numbers(split.feature_column, 0)[rows] <= np.float32(split.threshold)
        if kind == "sparse_float_binary_split_default_left":
            return ~(self._sparse_numbers(split.feature_column, split.dimension_id)[rows] > np.float32(split.threshold))
        if kind == "sparse_float_binary_split_default_right":
            return self._sparse_numbers(split.feature_column, split.dimension_id)[rows] <= np.float32(split.threshold)
        wanted = (
            tuple(split.feature_ids) if kind == "categorical_id_set_membership_binary_split" else (split.feature_id,)
        )
        return self._is_member(split.feature_column, wanted)[rows]


def leaves_of(tree: DecisionTreeConfig, examples: Examples) -> np.ndarray:
    """The number of the leaf that each example comes to; -1 in a tree without nodes."""
    nodes = tree.nodes
    if not nodes:
        return np.full(examples.count, -1, np.int64)
    kind = nodes[0].WhichOneof("node") or "leaf"
    if kind.startswith("oblivious"):
        return _oblivious_leaves(tree, examples)
    reached = np.zeros(examples.count, np.int64)
    waiting: list[tuple[int, np.ndarray | None]] = [(0, None)]
    while waiting:
        at, rows = waiting.pop()
        below = children(nodes[at])
        if below is None:
            if rows is not None:
                reached[rows] = at
            continue
        left = examples.goes_left(nodes[at], slice(None) if rows is None else rows)
        if rows is None:
            chosen = np.flatnonzero(left), np.flatnonzero(~left)
        else:
            chosen = rows[left], rows[~left]
        waiting.extend((child, part) for child, part in zip(below, chosen, strict=True) if len(part))
    return reached


def _oblivious_leaves(tree: DecisionTreeConfig, examples: Examples) -> np.ndarray:
    """The leaves in a tree of which each level has one split; they lie behind the splits."""
    place = np.zeros(examples.count, np.int64)
    depth = 0
    for node in tree.nodes:
        if not (node.WhichOneof("node") or "leaf").startswith("oblivious"):
            break
        place = 2 * place + ~examples.goes_left(node, slice(None))
        depth += 1
    return depth + place


def partition_ids(ensemble: GradientEnsemble, examples: Examples) -> np.ndarray:
    """The number of the leaf of the tree that grows, for each example; 0 where no tree grows."""
    none = np.zeros(examples.count, np.int32)
    if ensemble.is_last_finalized:
        return none
    tree = ensemble.message.trees[-1]
    leaves = np.maximum(leaves_of(tree, examples), 0)
    return leaves.astype(np.int32)


def leaf_table(ensemble: GradientEnsemble, number: int, size: int) -> np.ndarray:
    """The values of a tree's nodes, those of its splits 0."""
    found = ensemble.packed.get(number)
    if not isinstance(found, np.ndarray) or found.shape[1] != size:
        nodes = ensemble.message.trees[number].nodes
        found = np.zeros((len(nodes), size), np.float32)
        for place, node in enumerate(nodes):
            if node.HasField("leaf"):
                found[place] = leaf_values(node.leaf, size)
        ensemble.packed[number] = found
    return found


def predictions(
    ensemble: GradientEnsemble, trees: Sequence[tuple[int, np.float32]], examples: Examples, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The sums of the values of some trees, and the leaves examples come to.

    Args:
        ensemble: the trees.
        trees: the number and the weight of each of them, in order.
        examples: the features.
        size: how many logits there are.

    Returns:
        predictions of shape [examples, size], leaves of shape [examples, all trees], 0 for trees that are left out.
    """
    total = np.zeros((examples.count, size), np.float32)
    leaves = np.zeros((examples.count, len(ensemble.message.trees)), np.int32)
    for number, weight in trees:
        found = leaves_of(ensemble.message.trees[number], examples)
        leaves[:, number] = found
        if len(ensemble.message.trees[number].nodes):
            total += weight * leaf_table(ensemble, number, size)[found]
    return total, leaves
