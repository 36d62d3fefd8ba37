"""What a forest's tree keeps of its leaves until they are split: candidates for splits, and sums on their left sides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.kernels.trees.forest_pruning import EarlyFinish, Pruning, smoothed_impurity, summed_impurity
from headrace.kernels.trees.forest_sums import fill_sums, read_sums, variances
from headrace.kernels.trees.forest_tests import LESS_OR_EQUAL, LESS_THAN, fill_test, read_test
from headrace.kernels.trees.hash_order import FROM_THREE, FROM_TWO, HashOrder, hash_order
from headrace.messages import forest_protos
from headrace.native.direct import direct_call

# The arrays that have a row for each leaf: what is counted, what its depth says, and those with a column for each candidate.
_COUNTS = "filled", "kept", "epochs", "total", "weights", "arrived", "early"
_SETTINGS = "wanted", "enough", "depths", "checks"
CANDIDATES = "features", "thresholds", "means", "tests", "left", "classes", "averaged", "left_seen", "running"
# The sums of a side that is counted in turn, and where each side has them.
LEFT_SIDE, RIGHT_SIDE, _SIDES = slice(0, 2), slice(2, 4), 4
# How many nodes there is room for at first, and how many a tree that is restored may have.
_NODES, _MOST_NODES = 64, 1 << 24


class Growth(NamedTuple):
    """How leaves are split: from their depth to how many candidates they get and after how many examples, and so on.

    `is_even` says that both are the same for leaves of all depths, `averages` that thresholds are means of the values of two
    examples of different classes, `test` how values are compared with thresholds. `is_sparse` says that only classes that
    have come are kept, `is_running` that the sums of squares of classes are kept as they change.
    """

    candidates: Callable[[int], float]
    split_after: Callable[[int], float]
    classes: int
    is_regression: bool
    is_even: bool = True
    pruning: Pruning | None = None
    averages: bool = False
    test: int = LESS_OR_EQUAL
    is_sparse: bool = False
    is_running: bool = False
    finish: EarlyFinish | None = None

    def wanted(self, depth: int) -> int:
        """How many candidates a leaf of that depth gets."""
        return max(int(self.candidates(depth)), 0)

    def enough(self, depth: int) -> int:
        """The weight of examples after which a leaf of that depth is split."""
        return int(self.split_after(depth))


class KeptLeaves:
    """The candidates of the leaves that may be split, a row for each leaf.

    For classes, `left` and `total` are the weights of the examples of each class; for numbers, for each output the sums of
    the values and those of their squares, behind the weight. `filled` says how many candidates a leaf has had, and `kept`
    how many it still has: the first ones. `epochs` says how often some have been dropped.

    `classes` says of which class the examples are that candidates were made of, and `averaged` whether an
    example of another class has come since. `means` are the thresholds that leaves are split by, and `thresholds` those that
    examples are counted by: in 1.15 averages come too late for that.

    `row_of` is the row of each node that is such a leaf, `rows` the same as an array, -1 elsewhere, and `node_of` the node
    of each row that is taken.

    Where only classes that have come are kept, `arrived` says of each as which one it came, from 1 on, and `left_seen` which
    of them have come to the left side of a candidate. `running` are the sum and the sum of squares of both sides.
    """

    def __init__(self) -> None:
        self.is_created = False
        self.lock = threading.RLock()
        self.growth = Growth(lambda depth: 1, lambda depth: 1, 1, False)
        self.clear()

    def clear(self) -> None:
        """Forgets all leaves but the root."""
        self._forget()
        self.in_turn = self.growth.finish is not None
        # Whether examples at a threshold go to the right; None where candidates compare in another way.
        self.strict = {LESS_OR_EQUAL: False, LESS_THAN: True}.get(self.growth.test)
        self.begin(0, 0)

    def _forget(self) -> None:
        self.row_of: dict[int, int] = {}
        self.node_of: dict[int, int] = {}
        self.rows = np.full(_NODES, -1, np.int64)
        self.order = HashOrder(FROM_THREE)
        self.free: list[int] = []
        self._allot(0)

    def _width(self) -> int:
        return 1 + 2 * self.growth.classes if self.growth.is_regression else self.growth.classes

    def _allot(self, rows: int) -> None:
        count, width = self.growth.wanted(0), self._width()
        self.filled = np.zeros(rows, np.int64)
        self.kept = np.zeros(rows, np.int64)
        self.epochs = np.zeros(rows, np.int64)
        self.wanted = np.zeros(rows, np.int64)
        self.enough = np.zeros(rows, np.float32)
        self.depths = np.zeros(rows, np.int64)
        self.features = np.zeros((rows, count), np.int64)
        self.thresholds = np.zeros((rows, count), np.float32)
        self.means = np.zeros((rows, count), np.float32)
        self.left = np.zeros((rows, count, width), np.float32)
        self.classes = np.zeros((rows, count), np.int64)
        self.averaged = np.zeros((rows, count), bool)
        self.tests = np.full((rows, count), self.growth.test, np.int8)
        self.total = np.zeros((rows, width), np.float32)
        self.weights = np.zeros(rows, np.float32)
        self.arrived = np.zeros((rows, width if self.growth.is_sparse else 0), np.int64)
        self.left_seen = np.zeros((rows, count, width if self.growth.is_sparse else 0), bool)
        self.running = np.zeros((rows, count, _SIDES if self.growth.is_running else 0), np.float32)
        self.early = np.zeros(rows, bool)
        self.checks = np.zeros(rows, np.int64)
        growth = self.growth
        # What the row of a new leaf is emptied of.
        self._emptied = ["filled", "kept", "epochs", "total", "weights", "left", "averaged"]
        self._emptied += ["arrived", "left_seen"] if growth.is_sparse else []
        self._emptied += ["running"] if growth.is_running else []
        self._emptied += ["early"] if growth.finish else []
        # What leaves of all depths have, where that is the same.
        self._even = (growth.wanted(0), growth.enough(0)) if growth.is_even else None

    def create(self, growth: Growth) -> None:
        """Makes it."""
        self.growth = growth
        self.clear()
        self.is_created = True

    def checked(self) -> KeptLeaves:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, "Resource of the fertile stats does not exist: create it first.")
        return self

    def begin(self, node: int, depth: int) -> None:
        """Gives a new leaf a row."""
        if not self.free:
            old = len(self.filled)
            more = max(16, old)
            for name in (*_COUNTS, *_SETTINGS, *CANDIDATES):
                array = getattr(self, name)
                setattr(self, name, np.concatenate((array, np.zeros((more, *array.shape[1:]), array.dtype))))
            self.free = list(range(old + more - 1, old - 1, -1))
        row, growth = self.free.pop(), self.growth
        for name in self._emptied:
            getattr(self, name)[row] = 0
        self.depths[row] = depth
        wanted, self.enough[row] = self._even or (growth.wanted(depth), growth.enough(depth))
        self.wanted[row] = wanted
        if growth.finish:
            self.checks[row] = growth.finish.first_check(depth)
        if not growth.is_even:
            self._widen(wanted - self.features.shape[1])
        if node >= len(self.rows):
            more = max(len(self.rows), node + 1 - len(self.rows))
            self.rows = np.concatenate((self.rows, np.full(more, -1, np.int64)))
        self.row_of[node] = self.rows[node] = row
        self.node_of[row] = node
        self.order.add(node)

    def _widen(self, more: int) -> None:
        """Makes room for so many candidates more of every leaf."""
        if more > 0:
            for name in CANDIDATES:
                array = getattr(self, name)
                added = np.zeros((len(array), more, *array.shape[2:]), array.dtype)
                setattr(self, name, np.concatenate((array, added), 1))

    def end(self, node: int) -> None:
        """Takes the row of a leaf that is split back."""
        row = self.row_of.pop(node)
        self.rows[node] = -1
        self.free.append(row)
        del self.node_of[row]
        self.order.remove(node)

    def _arrives(self, row: int, label: int) -> None:
        """Remembers that a class has come to a leaf."""
        if self.growth.is_sparse and not self.arrived[row, label]:
            self.arrived[row, label] = self.arrived[row].max() + 1

    def _known(self, row: int) -> np.ndarray:
        """The classes that a leaf is known to have."""
        return np.flatnonzero(self.arrived[row] if self.growth.is_sparse else self.total[row] > 0)

    def _begin_running(self) -> None:
        """From now on, the sums of both sides are kept as they change."""
        self.in_turn = True
        right = self.total[:, None, :] - self.left
        for side, sums in ((LEFT_SIDE, self.left), (RIGHT_SIDE, right)):
            self.running[..., side] = np.stack((sums.sum(2), (sums * sums).sum(2)), -1)

    def best(self, row: int) -> int | None:
        """The candidate of a leaf whose sides are least mixed, if one has something on both."""
        count, growth = int(self.kept[row]), self.growth
        if not count:
            return None
        ask = None if growth.is_regression or growth.is_sparse or self.in_turn else direct_call("forest_best")
        found = ask(self.left, self.total, row, count) if ask else None
        if found is not None:
            return None if found < 0 else int(found)
        scores = self._scores(row)
        best = int(scores.argmin())
        return None if np.isinf(scores[best]) else best

    def _scores(self, row: int) -> np.ndarray:
        """How mixed both sides of each candidate of a leaf are; the least is the best."""
        count = self.kept[row]
        left = self.left[row, :count]
        right = self.total[row] - left
        if self.growth.is_regression:
            weights = left[:, 0], right[:, 0]
        elif self._runs():
            weights = self.running[row, :count, LEFT_SIDE.start], self.running[row, :count, RIGHT_SIDE.start]
        else:
            weights = np.cumsum(left, 1)[:, -1], np.cumsum(right, 1)[:, -1]
        mixed = self._mixed(row)
        # A split with nothing on one side is none.
        return np.where((weights[0] > 0) & (weights[1] > 0) & np.isfinite(mixed), mixed, np.inf)

    def _runs(self) -> bool:
        return self.growth.is_running and self.in_turn

    def _mixed(self, row: int) -> np.ndarray:
        count = self.kept[row]
        if self._runs():
            sides = (self.running[row, :count, side] for side in (LEFT_SIDE, RIGHT_SIDE))
            left, right = (summed_impurity(sums[:, 0], sums[:, 1], self.growth.classes) for sums in sides)
            return np.asarray(left + right)
        left = self.left[row, :count]
        right = self.total[row] - left
        if self.growth.is_regression:
            return variances(left, right, self.growth.classes)
        if self.growth.is_sparse:
            # The classes are added up in the order of a hash map.
            known = self._known(row)
            order = hash_order(known[np.argsort(self.arrived[row, known])].tolist(), FROM_TWO)
            left, right = left[:, order], right[:, order]
        classes = self.growth.classes
        return np.asarray(smoothed_impurity(left, classes) + smoothed_impurity(right, classes))

    def sides(self, row: int, candidate: int) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray | bool, ...]]:
        """The sums of both sides of a candidate of a leaf, and which of them there are."""
        left = self.left[row, candidate].copy()
        right = self.total[row] - left
        if not self.growth.is_sparse:
            return (left, right), (True, True)
        seen = self.left_seen[row, candidate]
        return (left, right), (seen.copy(), (self.arrived[row] > 0) & (~seen | (right > 0)))

    def serialized(self, keeps_stats: bool) -> bytes:
        """The leaves as a serialized `FertileStats`."""
        message = forest_protos.FertileStats()
        for node in self.order:
            row = self.row_of[node]
            slot = message.node_to_slot.add(node_id=node, depth=int(self.depths[row]))
            if keeps_stats:
                self._fill_slot(slot, row)
        found: bytes = message.SerializeToString()
        return found

    def _fill_slot(self, slot: forest_protos.FertileSlot, row: int) -> None:
        is_regression, is_sparse = self.growth.is_regression, self.growth.is_sparse
        slot.post_init_leaf_stats.weight_sum = float(self.weights[row])
        seen = self.arrived[row] > 0 if is_sparse else None
        fill_sums(slot.post_init_leaf_stats, self.total[row], is_regression, seen)
        for place in range(self.kept[row]):
            candidate = slot.candidates.add()
            test = int(self.features[row, place]), float(self.means[row, place]), int(self.tests[row, place])
            fill_test(candidate.split, *test)
            seen = self.left_seen[row, place] if is_sparse else None
            fill_sums(candidate.left_stats, self.left[row, place], is_regression, seen)

    def restore(self, serialized: bytes) -> None:
        """Takes what `serialized` gave."""
        message = forest_protos.FertileStats.FromString(serialized)
        self._forget()
        for slot in message.node_to_slot:
            if not 0 <= slot.node_id < _MOST_NODES:
                raise InvalidArgumentError(
                    None, None, f"The fertile stats name node {slot.node_id}, which no tree of a forest has."
                )
            self.begin(slot.node_id, slot.depth)
            row = self.row_of[slot.node_id]
            self._widen(len(slot.candidates) - self.features.shape[1])
            self.total[row] = read_sums(slot.post_init_leaf_stats, self._width(), self.growth.is_regression)
            self.weights[row] = slot.post_init_leaf_stats.weight_sum
            for place, candidate in enumerate(slot.candidates):
                self.features[row, place], threshold, self.tests[row, place] = read_test(candidate.split)
                self.thresholds[row, place] = self.means[row, place] = threshold
                if self.tests[row, place] != self.growth.test:
                    self.averaged[row, place], self.strict = True, None
                self.left[row, place] = read_sums(candidate.left_stats, self._width(), self.growth.is_regression)
            self.filled[row] = self.kept[row] = len(slot.candidates)
            if self.weights[row] > 0:
                # Those that it has not any more have been dropped.
                self.filled[row] = self.wanted[row]
            if self.growth.is_sparse:
                self._read_seen(slot, row)
        if not self.row_of:
            self.begin(0, 0)
        if self.growth.is_running:
            self._begin_running()
            # 1.15 takes the left side for both.
            self.running[..., RIGHT_SIDE] = self.running[..., LEFT_SIDE]

    def _read_seen(self, slot: forest_protos.FertileSlot, row: int) -> None:
        for label in sorted(slot.post_init_leaf_stats.classification.sparse_counts.sparse_value):
            self._arrives(row, label)
        for place, candidate in enumerate(slot.candidates):
            for label in candidate.left_stats.classification.sparse_counts.sparse_value:
                self.left_seen[row, place, label] = True
