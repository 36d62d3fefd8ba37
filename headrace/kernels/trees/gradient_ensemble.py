"""An ensemble of `tf.contrib.boosted_trees`, as a session keeps it while it is grown and asked for predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.trees.stamped import Stamped
from headrace.messages import boosted_tree_protos
from headrace.util.compat import as_bytes

if TYPE_CHECKING:
    from headrace.messages.boosted_tree_protos import DecisionTreeEnsembleConfig, LearnerConfig, TreeNode

# The kinds of nodes whose children lie one level deeper: they have no numbers of their own.
OBLIVIOUS = ("oblivious_dense_float_binary_split", "oblivious_categorical_id_binary_split")


class GradientEnsemble(Stamped):
    """The trees, their weights, and how far they have grown: the message that checkpoints keep.

    Args:
        kind: what it is, for messages.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.message: DecisionTreeEnsembleConfig = boosted_tree_protos.DecisionTreeEnsembleConfig()
        # What is computed from a tree, by its number; a tree that changes is dropped from it.
        self.packed: dict[int, object] = {}

    def create(self, stamp: int, serialized: bytes | str) -> None:
        """Takes a serialized ensemble, unless there is one already."""
        message = _parsed(serialized)
        with self.lock:
            if not self.is_created:
                self._take(stamp, message)
                self.is_created = True

    def replace(self, stamp: int, serialized: bytes | str) -> None:
        """Takes a serialized ensemble in place of the one that is there."""
        message = _parsed(serialized)
        with self.lock:
            self._take(stamp, message)

    def _take(self, stamp: int, message: DecisionTreeEnsembleConfig) -> None:
        self.stamp, self.message, self.packed = stamp, message, {}

    def add_tree(self, weight: float) -> None:
        """Adds a tree without nodes."""
        self.message.trees.add()
        self.message.tree_weights.append(weight)
        self.message.tree_metadata.add(num_tree_weight_updates=1)

    def remove_last_tree(self) -> None:
        """Takes the last tree away."""
        message = self.message
        del message.trees[-1], message.tree_weights[-1], message.tree_metadata[-1]
        self.packed = {}

    @property
    def is_last_finalized(self) -> bool:
        """Whether the last tree is finished, or there is none."""
        metadata = self.message.tree_metadata
        return not metadata or metadata[-1].is_finalized

    def count_attempt(self) -> None:
        """Counts one more layer that may be grown, and a tree if it is the first of one."""
        growing = self.message.growing_metadata
        growing.num_layers_attempted += 1
        metadata = self.message.tree_metadata
        if not metadata or metadata[-1].is_finalized or not metadata[-1].num_layers_grown:
            growing.num_trees_attempted += 1

    def note_handlers(self, handlers: Iterable[int]) -> None:
        """Keeps the numbers of the handlers whose splits were taken, sorted."""
        used = self.message.growing_metadata.used_handler_ids
        known = sorted({*used, *handlers})
        del used[:]
        used.extend(known)


def _parsed(serialized: bytes | str) -> DecisionTreeEnsembleConfig:
    from google.protobuf.message import DecodeError

    message = boosted_tree_protos.DecisionTreeEnsembleConfig()
    try:
        message.ParseFromString(as_bytes(serialized))
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse the tree ensemble from its proto.") from None
    return message


def parsed_learner(serialized: bytes | str) -> LearnerConfig:
    """The `LearnerConfig` in a serialized message; InvalidArgumentError where it is none."""
    from google.protobuf.message import DecodeError

    message = boosted_tree_protos.LearnerConfig()
    try:
        message.ParseFromString(as_bytes(serialized))
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse the learner config from its proto.") from None
    return message


def children(node: TreeNode) -> tuple[int, int] | None:
    """The nodes below a split; None for a leaf, and for a split that counts for all nodes of its depth."""
    kind = node.WhichOneof("node")
    if kind in ("leaf", None, *OBLIVIOUS):
        return None
    split = split_of(node)
    return split.left_id, split.right_id


def split_of(node: TreeNode) -> boosted_tree_protos.DenseFloatBinarySplit:
    """What tells the ways of a split apart, whatever its kind."""
    split = getattr(node, node.WhichOneof("node") or "leaf")
    return split.split if hasattr(split, "split") else split


def leaf_values(leaf: boosted_tree_protos.Leaf, size: int) -> np.ndarray:
    """The value of a leaf as a vector."""
    values = np.zeros(size, np.float32)
    if leaf.HasField("sparse_vector"):
        for index, value in zip(leaf.sparse_vector.index, leaf.sparse_vector.value, strict=True):
            if index < size:
                values[index] += np.float32(value)
    else:
        found = leaf.vector.value[:size]
        values[: len(found)] = found
    return values
