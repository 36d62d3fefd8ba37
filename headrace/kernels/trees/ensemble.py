"""An ensemble of trees, as a session keeps it while it is grown and asked for predictions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.messages.protos import Leaf, Node, Tree, TreeEnsemble


class Candidate(NamedTuple):
    """A split that a node may get.

    `dimension` is the column of the feature. `kind` says what goes left and where missing values go:
    b"INEQUALITY_DEFAULT_LEFT", b"INEQUALITY_DEFAULT_RIGHT" or b"EQUALITY_DEFAULT_RIGHT".
    """

    feature: int
    dimension: int
    gain: float
    threshold: int
    left: np.ndarray
    right: np.ndarray
    kind: bytes


class Ensemble:
    """The trees, their weights, and how far they have grown.

    It holds the message that checkpoints keep. `stamp` changes with each change of the trees.
    """

    def __init__(self) -> None:
        self.is_created = False
        self.stamp = 0
        self.message: TreeEnsemble = protos.TreeEnsemble()
        # What is computed from a tree, by its number; a tree that changes is dropped from it.
        self.packed: dict[int, object] = {}
        self.lock = threading.RLock()

    def create(self, stamp: int, serialized: bytes) -> None:
        """Takes a serialized ensemble, unless there is one already."""
        message = _parsed(serialized)
        with self.lock:
            if not self.is_created:
                self._take(stamp, message)

    def replace(self, stamp: int, serialized: bytes) -> None:
        """Takes a serialized ensemble in place of the one that is there."""
        self.checked()
        message = _parsed(serialized)
        with self.lock:
            self._take(stamp, message)

    def _take(self, stamp: int, message: TreeEnsemble) -> None:
        self.stamp, self.message, self.is_created = stamp, message, True
        self.packed = {}

    def checked(self) -> Ensemble:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, "Resource of the tree ensemble does not exist: create it first.")
        return self

    @property
    def tree_count(self) -> int:
        """How many trees there are."""
        return len(self.message.trees)

    def states(self) -> tuple[int, int, int, int, tuple[int, int]]:
        """The stamp, the number of trees, of finished trees and of attempted layers, and the nodes of the last layer."""
        finalized = sum(tree.is_finalized for tree in self.message.tree_metadata)
        growing = self.message.growing_metadata
        # Where nothing has grown yet, there is a root to split.
        nodes = growing.last_layer_node_start, growing.last_layer_node_end or 1
        return self.stamp, self.tree_count, finalized, growing.num_layers_attempted, nodes

    def add_tree(self, weight: float, logits: Sequence[float] = (0.0,)) -> int:
        """Adds a tree of one leaf; returns its number."""
        message = self.message
        number = len(message.trees)
        set_leaf(message.trees.add().nodes.add().leaf, logits)
        message.tree_weights.append(weight)
        message.tree_metadata.add().num_layers_grown = 0
        return number

    def growable_tree(self) -> int:
        """The number of the tree to grow, the last one; counts the attempt."""
        tree = self.tree_count - 1
        growing = self.message.growing_metadata
        growing.num_layers_attempted += 1
        if tree < 0:
            tree = self.add_tree(1.0)
        if not self.message.tree_metadata[tree].num_layers_grown:
            growing.num_trees_attempted += 1
        return tree

    def set_last_layer(self, start: int, end: int) -> None:
        """Says which nodes may be split next."""
        growing = self.message.growing_metadata
        growing.last_layer_node_start, growing.last_layer_node_end = start, end

    def split(self, tree: int, place: int, candidate: Candidate) -> None:
        """Makes a split of a leaf, with two new leaves behind the other nodes.

        The leaves' values are the old leaf's and what the candidate adds.
        """
        nodes = self.message.trees[tree].nodes
        node = nodes[place]
        old = leaf_values(node.leaf)
        node.metadata.gain = candidate.gain
        if place or old.any():
            node.metadata.original_leaf.CopyFrom(node.leaf)
        kind = node.categorical_split if candidate.kind == b"EQUALITY_DEFAULT_RIGHT" else node.bucketized_split
        kind.feature_id, kind.dimension_id = candidate.feature, candidate.dimension
        if candidate.kind == b"EQUALITY_DEFAULT_RIGHT":
            node.categorical_split.value = candidate.threshold
        else:
            node.bucketized_split.threshold = candidate.threshold
            if candidate.kind == b"INEQUALITY_DEFAULT_RIGHT":
                node.bucketized_split.default_direction = 1
        kind.left_id, kind.right_id = len(nodes), len(nodes) + 1
        for added in (candidate.left, candidate.right):
            set_leaf(nodes.add().leaf, (old + added).tolist())
        self.packed.pop(tree, None)


def _parsed(serialized: bytes) -> TreeEnsemble:
    from google.protobuf.message import DecodeError

    message = protos.TreeEnsemble()
    try:
        message.ParseFromString(serialized)
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse the tree ensemble from its proto.") from None
    return message


def set_leaf(leaf: Leaf, logits: Sequence[float]) -> None:
    """Gives a leaf its value: a scalar where there is one logit."""
    leaf.SetInParent()
    if len(logits) == 1:
        leaf.scalar = logits[0]
    else:
        del leaf.vector.value[:]
        leaf.vector.value.extend(logits)


def leaf_values(leaf: Leaf) -> np.ndarray:
    """The value of a leaf as a vector."""
    if leaf.HasField("vector"):
        return np.array(leaf.vector.value, np.float32)
    return np.array([leaf.scalar], np.float32)


def children(node: Node) -> tuple[int, int] | None:
    """The nodes below a split; None for a leaf."""
    kind = node.WhichOneof("node")
    if kind in ("leaf", None):
        return None
    split = getattr(node, kind)
    return split.left_id, split.right_id


def prune(tree: Tree) -> list[tuple[int, np.ndarray]]:
    """Takes splits without gain away, from the leaves upwards, and moves the nodes that stay together.

    Returns:
        for each node there was: the node that an example which was there is in now, and what to add to its logits.
        Empty if nothing was pruned.
    """
    nodes = tree.nodes
    place = np.arange(len(nodes))
    change: dict[int, np.ndarray] = {}
    pruned = set()

    def visit(at: int) -> None:
        below = children(nodes[at])
        if below is None:
            return
        for child in below:
            visit(child)
        node = nodes[at]
        if node.metadata.gain > 0 or any(children(nodes[child]) is not None for child in below):
            return
        value = leaf_values(node.metadata.original_leaf)
        for child in below:
            pruned.add(child)
            place[child] = at
            change[child] = value - leaf_values(nodes[child].leaf)
        node.leaf.CopyFrom(node.metadata.original_leaf)
        node.ClearField("metadata")

    visit(0)
    if not pruned:
        return []
    return _closed_up(tree, pruned, place, change)


def _closed_up(
    tree: Tree, pruned: set[int], place: np.ndarray, change: dict[int, np.ndarray]
) -> list[tuple[int, np.ndarray]]:
    """Moves the nodes that stay together; returns what `prune` does."""
    nodes = tree.nodes
    stays = [at for at in range(len(nodes)) if at not in pruned]
    number = {at: new for new, at in enumerate(stays)}
    size = len(leaf_values(nodes[stays[-1]].leaf)) if children(nodes[stays[-1]]) is None else 1
    found = []
    for at in range(len(nodes)):
        total, end = np.zeros(size, np.float32), at
        while place[end] != end:
            total = total + change[end]
            end = int(place[end])
        found.append((number[end], total))
    kept = [type(nodes[at]).FromString(nodes[at].SerializeToString()) for at in stays]
    for node in kept:
        if children(node) is not None:
            split = getattr(node, node.WhichOneof("node"))
            split.left_id, split.right_id = number[split.left_id], number[split.right_id]
    del nodes[:]
    nodes.extend(kept)
    return found
