"""What a forest's tree keeps of its leaves until they are split: candidates for splits, and sums on their left sides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from headrace.core.errors import NotFoundError
from headrace.kernels.trees.forest_draws import Columns
from headrace.kernels.trees.forest_groups import number_within, sums_within, taken
from headrace.kernels.trees.forest_pruning import EarlyFinish, Pruning, smoothed_impurity, summed_impurity
from headrace.kernels.trees.forest_sums import fill_sums, moments, read_sums, variances
from headrace.kernels.trees.forest_tests import LESS_OR_EQUAL, LESS_THAN, MATCHES, fill_test, goes_left, read_test
from headrace.kernels.trees.hash_order import FROM_THREE, FROM_TWO, HashOrder, hash_order
from headrace.messages import forest_protos
from headrace.native.direct import direct_call

# The arrays that have a row for each leaf: what is counted, what its depth says, and those with a column for each candidate.
_COUNTS = "filled", "kept", "epochs", "total", "weights", "arrived", "early"
_SETTINGS = "wanted", "enough", "depths", "checks"
_CANDIDATES = "features", "thresholds", "means", "tests", "left", "classes", "averaged", "left_seen", "running"
# The sums of a side that is counted in turn, and where each side has them.
_LEFT_SIDE, _RIGHT_SIDE, _SIDES = slice(0, 2), slice(2, 4), 4


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


class FertileLeaves:
    """The candidates of the leaves that may be split, a row for each leaf.

    For classes, `left` and `total` are the weights of the examples of each class; for numbers, for each output the sums of
    the values and those of their squares, behind the weight. `filled` says how many candidates a leaf has had, and `kept`
    how many it still has: the first ones. `epochs` says how often some have been dropped.

    `classes` says of which class the examples are that candidates were made of, and `averaged` whether an
    example of another class has come since. `means` are the thresholds that leaves are split by, and `thresholds` those that
    examples are counted by: in 1.15 averages come too late for that.

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
        self.nodes: list[int] = []
        self.row_of: dict[int, int] = {}
        self.order = HashOrder(FROM_THREE)
        self.free: list[int] = []
        self.in_turn = self.growth.finish is not None
        # Whether examples at a threshold go to the right; None where candidates compare in another way.
        self.strict = {LESS_OR_EQUAL: False, LESS_THAN: True}.get(self.growth.test)
        self._allot(0)
        self.begin(0, 0)

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

    def create(self, growth: Growth) -> None:
        """Makes it."""
        self.growth = growth
        self.clear()
        self.is_created = True

    def checked(self) -> FertileLeaves:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, "Resource of the fertile stats does not exist: create it first.")
        return self

    def begin(self, node: int, depth: int) -> None:
        """Gives a new leaf a row."""
        if not self.free:
            old = len(self.filled)
            more = max(16, old)
            for name in (*_COUNTS, *_SETTINGS, *_CANDIDATES):
                array = getattr(self, name)
                setattr(self, name, np.concatenate((array, np.zeros((more, *array.shape[1:]), array.dtype))))
            self.free = list(range(old + more - 1, old - 1, -1))
        row = self.free.pop()
        for name in (*_COUNTS, "left", "averaged", "left_seen", "running"):
            getattr(self, name)[row] = 0
        self.depths[row] = depth
        self.wanted[row], self.enough[row] = self.growth.wanted(depth), self.growth.enough(depth)
        if self.growth.finish:
            self.checks[row] = self.growth.finish.first_check(depth)
        self._widen(int(self.wanted[row]) - self.features.shape[1])
        self.row_of[node] = row
        self.order.add(node)

    def _widen(self, more: int) -> None:
        """Makes room for so many candidates more of every leaf."""
        if more > 0:
            for name in _CANDIDATES:
                array = getattr(self, name)
                added = np.zeros((len(array), more, *array.shape[2:]), array.dtype)
                setattr(self, name, np.concatenate((array, added), 1))

    def end(self, node: int) -> None:
        """Takes the row of a leaf that is split back."""
        self.free.append(self.row_of.pop(node))
        self.order.remove(node)

    def _table(self, leaves: np.ndarray) -> np.ndarray:
        """The row of each leaf, -1 where it has none."""
        count = len(self.row_of)
        nodes, rows = np.fromiter(self.row_of, np.int64, count), np.fromiter(self.row_of.values(), np.int64, count)
        table = np.full(max(leaves.max(initial=0), nodes.max(initial=0)) + 1, -1, np.int64)
        table[nodes] = rows
        return table

    def add_examples(
        self,
        values: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray,
        leaves: np.ndarray,
        draws: Columns,
        collates: bool,
    ) -> list[int]:
        """Takes a batch into account; returns the leaves that are to be split, in the order of their splitting.

        Args:
            values: the features of the examples.
            labels: of shape [examples, outputs].
            weights: a weight for each example.
            leaves: the leaf each of them is in.
            draws: the features that candidates are of.
            collates: whether the examples of a leaf are taken together, one leaf after the other.
        """
        if self.growth.averages:
            examples, rows = self._averaged(values, labels[:, 0].astype(np.int64), leaves, draws, collates)
            return self._add_sums(values, labels, weights, leaves, examples, rows)
        examples, rows, number, counted = self._parted(leaves, collates)
        self._add_candidates(values, examples[:counted], rows[:counted], number[:counted], draws)
        return self._add_sums(values, labels, weights, leaves, examples[counted:], rows[counted:])

    def _parted(self, leaves: np.ndarray, collates: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """The examples that bring their leaves candidates, then those that are counted.

        Returns:
            the examples, the row of each, its place among the candidates, and from where on they are counted.
        """
        table = self._table(leaves)
        count = self.growth.wanted(0)
        ask = direct_call("forest_starts") if self.growth.is_even else None
        if ask and not collates:
            found = np.empty((3, len(leaves)), np.int64)
            parted = ask(leaves, table, self.filled, count, found)
            if parted is not None:
                starts, counts = parted
                if starts + counts < len(leaves):
                    found = np.concatenate((found[:, :starts], found[:, len(leaves) - counts :]), 1)
                examples, rows, places = found
                return examples, rows, places, starts
        known = taken(leaves, table, collates)
        rows = table[leaves[known]]
        missing = self.wanted - self.filled
        number = number_within(rows)
        begins = number < missing[rows]
        # When leaves are collated, what comes after the last candidate of a leaf waits for the next batch.
        counts = ~begins & (missing[rows] <= 0) if collates else ~begins
        order = np.concatenate((np.flatnonzero(begins), np.flatnonzero(counts)))
        rows = rows[order]
        return known[order], rows, self.filled[rows] + number[order], int(begins.sum())

    def _averaged(
        self, values: np.ndarray, classes: np.ndarray, leaves: np.ndarray, draws: Columns, collates: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Makes candidates whose thresholds lie between examples of different classes.

        A leaf takes examples until it has its candidates and each of them has met an example of another class than that
        which it was made of: the first one moves the threshold to the mean of both. Examples after that are counted.

        Returns:
            the examples that are counted, and the row of each.
        """
        table = self._table(leaves)
        known = taken(leaves, table, collates)
        counted = []
        waits: dict[int, bool] = {}
        for example in known.tolist():
            row = int(table[leaves[example]])
            filled = int(self.filled[row])
            is_ready = filled >= self.wanted[row] and bool(self.averaged[row, :filled].all())
            # When leaves are collated, what comes after the last candidate of a leaf waits for the next batch.
            if waits.setdefault(row, collates and not is_ready) and is_ready:
                continue
            if is_ready:
                counted.append(example)
                continue
            met = np.flatnonzero(~self.averaged[row, :filled] & (self.classes[row, :filled] != classes[example]))
            self.means[row, met] = (self.means[row, met] + values[example, self.features[row, met]]) / 2
            self.averaged[row, met] = True
            chosen, matches = draws.draw(np.array([example]))
            if filled < self.wanted[row]:
                column = chosen[0]
                self._add_candidate(row, column, bool(matches[0]), values[example, column], classes[example])
        examples = np.array(counted, np.int64)
        return examples, table[leaves[examples]]

    def _add_candidate(self, row: int, feature: int, matches: bool, threshold: float, label: int) -> None:
        place = int(self.filled[row])
        self.features[row, place], self.classes[row, place] = feature, label
        self.thresholds[row, place] = self.means[row, place] = threshold
        self.tests[row, place] = MATCHES if matches else self.growth.test
        if matches:
            # What is equal to a value or not has no mean.
            self.averaged[row, place], self.strict = True, None
        self.filled[row] += 1
        self.kept[row] += 1

    def _add_candidates(
        self, values: np.ndarray, examples: np.ndarray, rows: np.ndarray, places: np.ndarray, draws: Columns
    ) -> None:
        if not len(examples):
            return
        chosen, matches = draws.draw(examples)
        self.features[rows, places] = chosen
        self.tests[rows, places] = np.where(matches, MATCHES, self.growth.test)
        if matches.any():
            self.strict = None
        self.thresholds[rows, places] = self.means[rows, places] = values[examples, chosen]
        added = np.bincount(rows, minlength=len(self.filled))
        self.filled += added
        self.kept += added

    def _add_sums(
        self,
        values: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray,
        leaves: np.ndarray,
        examples: np.ndarray,
        rows: np.ndarray,
    ) -> list[int]:
        if not len(examples):
            return []
        growth = self.growth
        if growth.is_running and not self.in_turn and (weights[examples] % 1).any():
            # Sums of whole numbers are the same in any order.
            self._begin_running()
        if self.in_turn:
            return self._count_in_turn(values, labels[:, 0].astype(np.int64), weights, leaves, examples, rows)
        pruning = None if growth.is_regression else growth.pruning
        is_plain = (
            not (growth.is_regression or growth.is_sparse or pruning) and growth.is_even and self.strict is not None
        )
        counted = direct_call("forest_counts") if is_plain else None
        if counted:
            kept = self.features, self.thresholds, self.left, self.total, self.weights
            ready = counted(values, labels, weights, examples, rows, *kept, bool(self.strict), float(growth.enough(0)))
            if ready is not None:
                node_of = {row: node for node, row in self.row_of.items()} if ready else {}
                return hash_order([node_of[row] for row in ready], FROM_TWO)
        weight = weights[examples]
        is_mixed = self._mixed_from(rows, labels[examples, 0], weight)
        running = sums_within(rows, weight, self.weights[rows])
        if pruning is None:
            self._count(values, labels, weights, examples, rows)
        else:
            prunes = self._prunes(rows, running, labels[examples, 0].astype(np.int64), weight, pruning)
            # How often candidates of its leaf have been dropped in this batch before an example comes.
            rounds = sums_within(rows, prunes.astype(np.int64)) - prunes
            for number in range(rounds.max() + 1):
                now = rounds == number
                self._count(values, labels, weights, examples[now], rows[now])
                for row in rows[now & prunes].tolist():
                    self._prune(row, pruning)
        return self._finished(leaves[examples], rows, running, is_mixed)

    def _count(
        self,
        values: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray,
        examples: np.ndarray,
        rows: np.ndarray,
    ) -> None:
        """Adds examples to the sums of the candidates of their leaves."""
        found = values[examples[:, None], self.features[rows]]
        is_left = goes_left(found, self.thresholds[rows], self.tests[rows], self.strict)
        weight = weights[examples]
        if self.growth.is_regression:
            at, candidate = np.nonzero(is_left)
            sums = moments(labels[examples], weight)
            np.add.at(self.total, rows, sums)
            np.add.at(self.left, (rows[at], candidate), sums[at])
        else:
            classes = labels[examples, 0].astype(np.int64)
            np.add.at(self.total, (rows, classes), weight)
            count, width = self.left.shape[1:]
            cells = (rows * count * width + classes)[:, None] + np.arange(0, count * width, width)
            np.add.at(
                self.left.reshape(-1), cells.reshape(-1), (is_left * weight[:, None]).astype(np.float32).reshape(-1)
            )
            if self.growth.is_sparse:
                at, candidate = np.nonzero(is_left)
                self.left_seen[rows[at], candidate, classes[at]] = True
                for place in np.flatnonzero(self.arrived[rows, classes] == 0).tolist():
                    self._arrives(rows[place], classes[place])
        np.add.at(self.weights, rows, weight)

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
        for side, sums in ((_LEFT_SIDE, self.left), (_RIGHT_SIDE, right)):
            self.running[..., side] = np.stack((sums.sum(2), (sums * sums).sum(2)), -1)

    def _count_in_turn(
        self,
        values: np.ndarray,
        classes: np.ndarray,
        weights: np.ndarray,
        leaves: np.ndarray,
        examples: np.ndarray,
        rows: np.ndarray,
    ) -> list[int]:
        """Adds one example of classes after the other; returns the leaves that are to be split, in their order."""
        growth, ready = self.growth, {}
        for example, row in zip(examples.tolist(), rows.tolist(), strict=True):
            count, label, weight = int(self.kept[row]), classes[example], weights[example]
            found = values[example, self.features[row, :count]]
            is_left = goes_left(found, self.thresholds[row, :count], self.tests[row, :count], self.strict)
            if growth.is_running:
                left = self.left[row, :count, label]
                for side, old, now in (
                    (_LEFT_SIDE, left, is_left),
                    (_RIGHT_SIDE, self.total[row, label] - left, ~is_left),
                ):
                    new, sums = old + weight, self.running[row, :count, side]
                    sums[now, 0] += weight
                    sums[now, 1] = (sums[:, 1] - old * old + new * new)[now]
            self.left[row, :count, label][is_left] += weight
            if growth.is_sparse:
                self.left_seen[row, :count, label] |= is_left
            self._arrives(row, label)
            self.total[row, label] += weight
            self.weights[row] += weight
            if growth.finish:
                self._check_early(row, growth.finish)
            if (self.weights[row] >= self.enough[row] and len(self._known(row)) > 1) or self.early[row]:
                ready[int(leaves[example])] = True
            elif growth.pruning and self._is_due(row, growth.pruning):
                self.epochs[row] += 1
                self._prune(row, growth.pruning)
        return hash_order(ready, FROM_TWO)

    def _is_due(self, row: int, pruning: Pruning) -> bool:
        period = pruning.period(int(self.depths[row]))
        return bool(self.weights[row] >= period * (int(self.epochs[row]) + 1))

    def _check_early(self, row: int, finish: EarlyFinish) -> None:
        depth, weight = int(self.depths[row]), self.weights[row]
        if weight >= finish.least(depth) and weight >= self.checks[row] * finish.every(depth):
            self.checks[row] += 1
            self.early[row] = finish.dominates(self._mixed(row), weight, self.growth.classes, depth)

    def _prunes(
        self, rows: np.ndarray, running: np.ndarray, classes: np.ndarray, weights: np.ndarray, pruning: Pruning
    ) -> np.ndarray:
        """After which examples candidates of their leaves are dropped: once for each, however heavy it is.

        From the example on that lets a leaf be split nothing is dropped any more.
        """
        prunes = np.zeros(len(rows), bool)
        seen: dict[int, set[int]] = {}
        examples = zip(rows.tolist(), running.tolist(), classes.tolist(), weights.tolist(), strict=True)
        for place, (row, weight, label, added) in enumerate(examples):
            there = seen.get(row)
            if there is None:
                there = seen[row] = set(self._known(row).tolist())
            if added > 0 or self.growth.is_sparse:
                there.add(label)
            if weight >= self.enough[row] and len(there) > 1:
                continue
            if weight >= pruning.period(int(self.depths[row])) * (int(self.epochs[row]) + 1):
                prunes[place] = True
                self.epochs[row] += 1
        return prunes

    def _prune(self, row: int, pruning: Pruning) -> None:
        """Drops candidates of a leaf; those that remain come first."""
        remain = pruning.remaining(self._mixed(row), self.weights[row], self.growth.classes, int(self.depths[row]))
        for name in _CANDIDATES:
            array = getattr(self, name)
            array[row, : len(remain)] = array[row, remain]
        self.kept[row] = len(remain)

    def _mixed_from(self, rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Of each example, whether its leaf has more than one class with it; always so for numbers."""
        if self.growth.is_regression:
            return np.ones(len(rows), bool)
        has = self.arrived > 0 if self.growth.is_sparse else self.total > 0
        known = has[rows].sum(1)
        if (known > 1).all():
            return known > 1
        classes = labels.astype(np.int64)
        is_new = ((weights > 0) | self.growth.is_sparse) & ~has[rows, classes]
        pairs = np.flatnonzero(is_new)
        _, first = np.unique(rows[pairs] * self.growth.classes + classes[pairs], return_index=True)
        begins = np.zeros(len(rows))
        begins[pairs[first]] = 1
        return np.asarray(known + sums_within(rows, begins) > 1)

    def _finished(self, leaves: np.ndarray, rows: np.ndarray, running: np.ndarray, is_mixed: np.ndarray) -> list[int]:
        """The leaves with enough examples, of more than one class, in the order in which TensorFlow's set has them."""
        found = leaves[(running >= self.enough[rows]) & is_mixed]
        _, first = np.unique(found, return_index=True)
        return hash_order(found[np.sort(first)].tolist(), FROM_TWO)

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
            weights = self.running[row, :count, _LEFT_SIDE.start], self.running[row, :count, _RIGHT_SIDE.start]
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
            sides = (self.running[row, :count, side] for side in (_LEFT_SIDE, _RIGHT_SIDE))
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
        self.row_of, self.order, self.free = {}, HashOrder(FROM_THREE), []
        self._allot(0)
        for slot in message.node_to_slot:
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
            self.running[..., _RIGHT_SIDE] = self.running[..., _LEFT_SIDE]

    def _read_seen(self, slot: forest_protos.FertileSlot, row: int) -> None:
        for label in sorted(slot.post_init_leaf_stats.classification.sparse_counts.sparse_value):
            self._arrives(row, label)
        for place, candidate in enumerate(slot.candidates):
            for label in candidate.left_stats.classification.sparse_counts.sparse_value:
                self.left_seen[row, place, label] = True
