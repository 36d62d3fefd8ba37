"""A tree of `tf.contrib.tensor_forest`: its nodes as arrays, which all examples of a batch walk through at once."""

from __future__ import annotations

import threading

import numpy as np

from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.kernels.trees.forest_tests import LESS_OR_EQUAL, LESS_THAN, fill_test, goes_left, read_test
from headrace.messages import forest_protos
from headrace.native.direct import direct_call

# So many steps are taken between looks at which examples have arrived.
_STEPS = 3
# The arrays that have an element, or a row, for each node; and for how many nodes they have room at least.
_OF_NODES = "features", "thresholds", "left", "right", "tests", "sums", "has"
_ROOM = 32


class ForestTree:
    """The nodes of a tree: splits by a feature and a threshold, and leaves with what has come to them.

    The arrays have room for more nodes than there are, which `left` and `right` call leaves, too: -1 stands for no node.

    `sums` are, for classes, the weights of the examples of each class at a leaf; for numbers, the mean of each output.
    `has` says which of them have been given: a new tree has none, and leaves that are sparse only the classes that have come.
    """

    def __init__(self) -> None:
        self.is_created = False
        self.is_regression, self.is_sparse, self.outputs = False, False, 1
        self.lock = threading.RLock()
        self.clear()

    def clear(self) -> None:
        """Makes a tree of one leaf."""
        self._allot(1)
        # Whether all examples at a threshold go to the right; None where nodes compare in different ways.
        self.strict: bool | None = False

    def _allot(self, count: int) -> None:
        """Makes arrays for so many nodes, all of them leaves."""
        room = max(count, _ROOM)
        self._count = count
        self.features, self.thresholds = np.zeros(room, np.int64), np.zeros(room, np.float32)
        self.left, self.right = np.full(room, -1, np.int64), np.full(room, -1, np.int64)
        self.tests = np.zeros(room, np.int8)
        self.sums, self.has = np.zeros((room, self.outputs), np.float32), np.zeros((room, self.outputs), bool)

    def create(self, params: forest_protos.TensorForestParams, serialized: bytes) -> None:
        """Makes it, of a serialized `Model` if there is one."""
        self.is_regression, self.outputs = params.is_regression, max(params.num_outputs, 1)
        self.is_sparse = params.leaf_type == forest_protos.MODEL_SPARSE_CLASSIFICATION
        self.clear()
        if serialized:
            self._take(serialized)
        self.is_created = True

    def checked(self) -> ForestTree:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, "Resource of the decision tree does not exist: create it first.")
        return self

    def __len__(self) -> int:
        return self._count

    def leaves_of(self, values: np.ndarray) -> np.ndarray:
        """The leaf that each row of a matrix of features comes to."""
        leaves = np.empty(len(values), np.int64)
        walk = direct_call("forest_leaves") if self.strict is not None else None
        if walk and walk(values, self.features, self.thresholds, self.left, self.right, self.strict, leaves):
            return leaves
        count, width = values.shape
        flat = values.reshape(-1)
        inner = self.left >= 0
        # A leaf leads back to itself, so that not every step has to ask who has arrived.
        ways = np.where(inner, np.stack((self.right, self.left)), np.arange(len(inner))).T.reshape(-1)
        rows, at = np.arange(count), np.zeros(count, np.int64)
        starts = rows * width
        while len(rows):
            for _ in range(_STEPS):
                places = self.features.take(at, mode="clip")
                places += starts
                found, thresholds = flat.take(places, mode="clip"), self.thresholds.take(at, mode="clip")
                is_left = goes_left(found, thresholds, self.tests.take(at, mode="clip"), self.strict)
                at *= 2
                at += is_left
                at = ways.take(at, mode="clip")
            leaves[rows] = at
            under_way = inner.take(at, mode="clip")
            rows, at, starts = rows[under_way], at[under_way], starts[under_way]
        return leaves

    def add_examples(self, leaves: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
        """Adds labelled examples of classes to the leaves they are in."""
        # The means of numbers are those of the candidate that a leaf was made by, and stay.
        if not self.is_regression:
            classes, count = labels[:, 0].astype(np.int64), self.sums.shape[1]
            if leaves.view(np.uint64).max(initial=0) >= self._count:
                wrong = leaves[(leaves < 0) | (leaves >= self._count)][0]
                raise InvalidArgumentError(
                    None, None, f"leaf_ids must be nodes of the tree, which has {self._count}; one is {wrong}."
                )
            if classes.view(np.uint64).max(initial=0) >= count:
                wrong = labels[:, 0][(classes < 0) | (classes >= count)][0]
                raise InvalidArgumentError(
                    None,
                    None,
                    f"input_labels must be classes from 0 to {count - 1}, as num_outputs says; one is {wrong}.",
                )
            if self.is_sparse or len(self) == 1:
                self.has[leaves, classes] = True
            # By one index a number is added in a fraction of the time that two take.
            np.add.at(self.sums.reshape(-1), leaves * count + classes, weights)

    def predictions(self, leaves: np.ndarray) -> np.ndarray:
        """What leaves say: shares of classes, or means of numbers."""
        found = self.sums[leaves]
        if self.is_regression:
            return found
        # One class after the other: `sum` adds up many of them in another order.
        totals = np.cumsum(found, 1, dtype=np.float32)[:, -1:]
        return np.divide(found, totals, out=np.zeros_like(found), where=totals > 0)

    def split(self, node: int, feature: int, threshold: float, test: int) -> tuple[int, int]:
        """Makes a split of a leaf; returns the numbers of its new leaves."""
        left = len(self)
        strict = {LESS_OR_EQUAL: False, LESS_THAN: True}.get(test)
        self.strict = strict if len(self) == 1 or strict is self.strict else None
        self._add_leaves(2)
        self.tests[node] = test
        self.features[node], self.thresholds[node] = feature, threshold
        self.left[node], self.right[node] = left, left + 1
        return left, left + 1

    def _add_leaves(self, count: int) -> None:
        size = self._count + count
        if size > len(self.left):
            for name in _OF_NODES:
                array = getattr(self, name)
                more = np.zeros_like(array) if name not in ("left", "right") else np.full_like(array, -1)
                setattr(self, name, np.concatenate((array, more)))
        self.has[self._count : size] = not self.is_sparse
        self._count = size

    def usage_counts(self, features: int) -> np.ndarray:
        """How many splits each feature has."""
        return np.bincount(self.features[self.left >= 0], minlength=features)[:features].astype(np.int32)

    def _fill_node(self, message: forest_protos.TreeNode, number: int) -> None:
        if number:
            message.node_id.value = number
        if self.left[number] < 0:
            self._fill_leaf(message.leaf, number)
            return
        split = message.binary_node
        split.left_child_id.value, split.right_child_id.value = int(self.left[number]), int(self.right[number])
        fill_test(split, int(self.features[number]), float(self.thresholds[number]), int(self.tests[number]))

    def _fill_leaf(self, leaf: forest_protos.Leaf, number: int) -> None:
        sums, has = self.sums[number].tolist(), self.has[number].tolist()
        if not self.is_sparse:
            leaf.vector.SetInParent()
            for value, is_given in zip(sums, has, strict=True):
                added = leaf.vector.value.add()
                if is_given:
                    added.float_value = value
            return
        leaf.SetInParent()
        if len(self) > 1:
            leaf.sparse_vector.SetInParent()
        for label in np.flatnonzero(has).tolist():
            leaf.sparse_vector.sparse_value[label].float_value = sums[label]

    def paths_of(self, leaves: np.ndarray) -> list[bytes]:
        """The nodes on the ways to leaves, as serialized `TreePath` messages."""
        parents = np.full(self._count, -1, np.int64)
        inner = np.flatnonzero(self.left >= 0)
        parents[self.left[inner]], parents[self.right[inner]] = inner, inner
        made: dict[int, bytes] = {}
        for leaf in np.unique(leaves).tolist():
            way, at = [leaf], leaf
            while parents[at] >= 0:
                at = int(parents[at])
                way.append(at)
            path = forest_protos.TreePath()
            for number in reversed(way):
                self._fill_node(path.nodes_visited.add(), number)
            made[leaf] = path.SerializeToString()
        return [made[leaf] for leaf in leaves.tolist()]

    def serialized(self) -> bytes:
        """The tree as a serialized `Model`."""
        model = forest_protos.Model()
        for number in range(len(self)):
            self._fill_node(model.decision_tree.nodes.add(), number)
        found: bytes = model.SerializeToString()
        return found

    def _take(self, serialized: bytes) -> None:
        from google.protobuf.message import DecodeError

        model = forest_protos.Model()
        try:
            model.ParseFromString(serialized)
        except DecodeError:
            raise InvalidArgumentError(None, None, "Unable to parse the decision tree from its proto.") from None
        nodes = model.decision_tree.nodes
        count = len(nodes)
        if not count:
            return
        self._allot(count)
        for number, node in enumerate(nodes):
            if node.HasField("binary_node"):
                split = node.binary_node
                self.left[number], self.right[number] = split.left_child_id.value, split.right_child_id.value
                self.features[number], self.thresholds[number], self.tests[number] = read_test(split)
            else:
                self._take_leaf(node.leaf, number)
        kinds = set(self.tests[self.left >= 0].tolist())
        self.strict = {(): False, (LESS_OR_EQUAL,): False, (LESS_THAN,): True}.get(tuple(kinds))

    def _take_leaf(self, leaf: forest_protos.Leaf, number: int) -> None:
        for place, value in enumerate(leaf.vector.value):
            self.sums[number, place], self.has[number, place] = value.float_value, value.HasField("float_value")
        for label, value in leaf.sparse_vector.sparse_value.items():
            self.sums[number, label], self.has[number, label] = value.float_value, True
