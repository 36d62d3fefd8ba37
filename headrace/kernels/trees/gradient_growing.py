"""How the ensembles of `tf.contrib.boosted_trees` grow: splits of leaves, pruning, and the bias of all examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.kernels.trees.gradient_ensemble import GradientEnsemble, children, leaf_values, split_of
from headrace.messages import boosted_tree_protos
from headrace.util.compat import as_bytes

if TYPE_CHECKING:
    from headrace.messages.boosted_tree_protos import DecisionTreeConfig, Leaf, LearnerConfig, SplitInfo

NORMAL, OBLIVIOUS = 0, 1


class Candidate(NamedTuple):
    """A split that a partition may get: the number of the handler that found it, its gain, and itself, serialized."""

    handler: int
    gain: float
    split: bytes


def best_of_partitions(
    partitions: Sequence[np.ndarray],
    gains: Sequence[np.ndarray],
    splits: Sequence[np.ndarray],
    learner: LearnerConfig,
) -> dict[int, Candidate]:
    """The best split of each partition, by partition; of equal ones that which comes first."""
    best: dict[int, Candidate] = {}
    for handler, columns in enumerate(zip(partitions, gains, splits, strict=True)):
        for partition, gain, split in zip(*(column.tolist() for column in columns), strict=True):
            if learner.pruning_mode == learner.PRE_PRUNE and gain < 0:
                continue
            if partition not in best or gain > best[partition].gain:
                best[partition] = Candidate(handler, gain, split)
    return dict(sorted(best.items()))


def best_of_layer(
    gains: Sequence[np.ndarray], splits: Sequence[np.ndarray], learner: LearnerConfig
) -> Candidate | None:
    """The best split of a whole layer, where one counts for all its partitions; of equal ones that which comes last."""
    best = None
    for handler, columns in enumerate(zip(gains, splits, strict=True)):
        for gain, split in zip(*(column.tolist() for column in columns), strict=True):
            if learner.pruning_mode == learner.PRE_PRUNE and gain < 0:
                continue
            if best is None or gain >= best.gain:
                best = Candidate(handler, gain, split)
    return best


def growable_tree(
    ensemble: GradientEnsemble, learner: LearnerConfig, weight: float, max_depth: int
) -> DecisionTreeConfig:
    """The tree to grow a layer of, the last one or a new one, which is finished if this layer is its last."""
    message = ensemble.message
    if ensemble.is_last_finalized:
        ensemble.add_tree(weight)
        if learner.HasField("each_tree_start") and learner.each_tree_start.nodes:
            message.trees[-1].CopyFrom(learner.each_tree_start)
            message.tree_metadata[-1].num_layers_grown = learner.each_tree_start_num_layers
        else:
            message.trees[-1].nodes.add().leaf.SetInParent()
    metadata = message.tree_metadata[-1]
    metadata.num_layers_grown += 1
    if metadata.num_layers_grown >= max_depth:
        metadata.is_finalized = True
    ensemble.packed.pop(len(message.trees) - 1, None)
    return message.trees[-1]


def _parsed_split(serialized: bytes | str, kind: type) -> SplitInfo:
    from google.protobuf.message import DecodeError

    info = kind()
    try:
        info.ParseFromString(as_bytes(serialized))
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse a split from its proto.") from None
    return info


def _add_to_leaf(leaf: Leaf, old: Leaf) -> None:
    """Adds the value of the leaf that is split to that of one of its children."""
    if old.HasField("sparse_vector"):
        values = dict(zip(leaf.sparse_vector.index, leaf.sparse_vector.value, strict=True))
        for index, value in zip(old.sparse_vector.index, old.sparse_vector.value, strict=True):
            values[index] = float(np.float32(values.get(index, 0.0)) + np.float32(value))
        leaf.sparse_vector.SetInParent()
        del leaf.sparse_vector.index[:], leaf.sparse_vector.value[:]
        leaf.sparse_vector.index.extend(values)
        leaf.sparse_vector.value.extend(values.values())
    elif old.HasField("vector"):
        size = max(len(old.vector.value), len(leaf.vector.value))
        together = leaf_values(leaf, size) + leaf_values(old, size)
        del leaf.vector.value[:]
        leaf.vector.value.extend(together.tolist())


def split_leaf(tree: DecisionTreeConfig, place: int, candidate: Candidate, learner: LearnerConfig) -> None:
    """Makes a split of a leaf, with two new leaves behind the other nodes."""
    if place >= len(tree.nodes) or (tree.nodes[place].WhichOneof("node") or "leaf") != "leaf":
        raise InvalidArgumentError(None, None, f"Unable to split node {place}: it is not a leaf of the tree.")
    info = _parsed_split(candidate.split, boosted_tree_protos.SplitInfo)
    old = boosted_tree_protos.Leaf()
    old.CopyFrom(tree.nodes[place].leaf)
    left = len(tree.nodes)
    for child in (info.left_child, info.right_child):
        if learner.growing_mode != learner.WHOLE_TREE:
            _add_to_leaf(child, old)
        tree.nodes.add().leaf.CopyFrom(child)
    node = tree.nodes[place]
    node.CopyFrom(info.split_node)
    split = split_of(node)
    split.left_id, split.right_id = left, left + 1
    node.node_metadata.gain = candidate.gain
    if learner.pruning_mode == learner.POST_PRUNE:
        node.node_metadata.original_leaf.CopyFrom(old)


def split_layer(tree: DecisionTreeConfig, candidate: Candidate, learner: LearnerConfig) -> None:
    """Makes a split that counts for all leaves: the splits of all depths lie before the leaves."""
    info = _parsed_split(candidate.split, boosted_tree_protos.ObliviousSplitInfo)
    nodes = list(tree.nodes)
    splits = [node for node in nodes if (node.WhichOneof("node") or "leaf") != "leaf"]
    leaves = [node.leaf for node in nodes[len(splits) :]]
    given = {
        parent: (info.children[2 * row], info.children[2 * row + 1])
        for row, parent in enumerate(info.children_parent_id)
    }
    grown = boosted_tree_protos.DecisionTreeConfig()
    for node in splits:
        grown.nodes.add().CopyFrom(node)
    added = grown.nodes.add()
    added.CopyFrom(info.split_node)
    added.node_metadata.gain = candidate.gain
    for leaf in leaves:
        added.node_metadata.original_oblivious_leaves.add().CopyFrom(leaf)
    for place, leaf in enumerate(leaves, len(splits)):
        for child in given.get(place, (None, None)):
            node = grown.nodes.add()
            node.leaf.SetInParent()
            # Where no example came to, both sides are what the leaf was.
            node.leaf.CopyFrom(leaf if child is None else child)
            if child is not None and learner.growing_mode != learner.WHOLE_TREE:
                _add_to_leaf(node.leaf, leaf)
    tree.CopyFrom(grown)


def prune(tree: DecisionTreeConfig) -> None:
    """Takes splits that gain nothing away, from the leaves upwards; what stays is moved together.

    A tree of which nothing stays has no nodes.
    """
    nodes = tree.nodes
    if not nodes:
        return
    if (nodes[0].WhichOneof("node") or "leaf").startswith("oblivious"):
        raise UnimplementedError(
            None, None, "Trees of one split a level are not pruned afterwards: use PRE_PRUNE as the pruning mode."
        )
    pruned: set[int] = set()

    def visit(at: int) -> None:
        below = children(nodes[at])
        if below is None:
            return
        for child in below:
            visit(child)
        if nodes[at].node_metadata.gain >= 0 or any(children(nodes[child]) is not None for child in below):
            return
        pruned.update(below)
        leaf = boosted_tree_protos.Leaf()
        leaf.CopyFrom(nodes[at].node_metadata.original_leaf)
        nodes[at].Clear()
        nodes[at].leaf.CopyFrom(leaf)

    visit(0)
    stays = [at for at in range(len(nodes)) if at not in pruned]
    if stays == [0]:
        del nodes[:]
        return
    number = {at: new for new, at in enumerate(stays)}
    kept = boosted_tree_protos.DecisionTreeConfig()
    for at in stays:
        node = kept.nodes.add()
        node.CopyFrom(nodes[at])
        if node.HasField("node_metadata"):
            node.node_metadata.ClearField("original_leaf")
        if children(node) is not None:
            split = split_of(node)
            split.left_id, split.right_id = number[split.left_id], number[split.right_id]
    tree.CopyFrom(kept)
