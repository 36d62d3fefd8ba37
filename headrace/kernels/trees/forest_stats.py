"""What a forest's tree keeps of its leaves until they are split: candidates for splits, and sums on their left sides."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from headrace.core.errors import NotFoundError
from headrace.kernels.trees.forest_draws import Columns
from headrace.kernels.trees.forest_groups import number_within, sums_within
from headrace.kernels.trees.forest_pruning import Pruning, smoothed_impurity
from headrace.kernels.trees.hash_order import FROM_TWO, HashOrder, hash_order
from headrace.messages import forest_protos
from headrace.native.direct import direct_call

# The arrays that have a row for each leaf: what is counted, what its depth says, and those with a column for each candidate.
_COUNTS = "filled", "kept", "epochs", "total", "weights"
_SETTINGS = "wanted", "enough", "depths"
_CANDIDATES = "features", "thresholds", "means", "left", "classes", "averaged"


class Growth(NamedTuple):
    """How leaves are split: from their depth to how many candidates they get and after how many examples, and so on.

    `is_even` says that both are the same for leaves of all depths, `averages` that thresholds are means of the values of two
    examples of different classes, `strict` that examples at a threshold go to the right.
    """

    candidates: Callable[[int], float]
    split_after: Callable[[int], float]
    classes: int
    is_regression: bool
    features: int
    is_even: bool = True
    pruning: Pruning | None = None
    averages: bool = False
    strict: bool = False

    def wanted(self, depth: int) -> int:
        """How many candidates a leaf of that depth gets."""
        return max(int(self.candidates(depth)), 1)


class FertileLeaves:
    """The candidates of the leaves that may be split, a row for each leaf.

    For classes, `left` and `total` are the weights of the examples of each class; for numbers, for each output the sums of
    the values and those of their squares, behind the weight. `filled` says how many candidates a leaf has had, and `kept`
    how many it still has: the first ones. `epochs` says how often some have been dropped.

    `classes` says of which class the examples are that candidates were made of, and `averaged` whether an
    example of another class has come since. `means` are the thresholds that leaves are split by, and `thresholds` those that
    examples are counted by: in 1.15 averages come too late for that.
    """

    def __init__(self) -> None:
        self.is_created = False
        self.lock = threading.RLock()
        self.growth = Growth(lambda depth: 1, lambda depth: 1, 1, False, 1)
        self.clear()

    def clear(self) -> None:
        """Forgets all leaves but the root."""
        self.nodes: list[int] = []
        self.row_of: dict[int, int] = {}
        self.order = HashOrder(FROM_TWO)
        self.free: list[int] = []
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
        self.total = np.zeros((rows, width), np.float32)
        self.weights = np.zeros(rows, np.float32)

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
        for name in (*_COUNTS, "left", "averaged"):
            getattr(self, name)[row] = 0
        self.depths[row] = depth
        self.wanted[row], self.enough[row] = self.growth.wanted(depth), self.growth.split_after(depth)
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
        strict: bool,
        collates: bool,
    ) -> list[int]:
        """Takes a batch into account; returns the leaves that are to be split, in the order of their splitting.

        Args:
            values: the features of the examples.
            labels: of shape [examples, outputs].
            weights: a weight for each example.
            leaves: the leaf each of them is in.
            draws: the features that candidates are of.
            strict: whether examples at a threshold go to the right.
            collates: whether the examples of a leaf are taken together, one leaf after the other.
        """
        if self.growth.averages:
            examples, rows = self._averaged(values, labels[:, 0].astype(np.int64), leaves, draws, collates)
            return self._add_sums(values, labels, weights, leaves, examples, rows, strict)
        examples, rows, number, counted = self._parted(leaves, collates)
        self._add_candidates(values, examples[:counted], rows[:counted], number[:counted], draws)
        return self._add_sums(values, labels, weights, leaves, examples[counted:], rows[counted:], strict)

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
        known = _taken(leaves, table, collates)
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
        known = _taken(leaves, table, collates)
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
            chosen = draws.draw(np.array([example]))
            if filled < self.wanted[row]:
                self._add_candidate(row, chosen[0], values[example, chosen[0]], classes[example])
        examples = np.array(counted, np.int64)
        return examples, table[leaves[examples]]

    def _add_candidate(self, row: int, feature: int, threshold: float, label: int) -> None:
        place = int(self.filled[row])
        self.features[row, place], self.classes[row, place] = feature, label
        self.thresholds[row, place] = self.means[row, place] = threshold
        self.filled[row] += 1
        self.kept[row] += 1

    def _add_candidates(
        self, values: np.ndarray, examples: np.ndarray, rows: np.ndarray, places: np.ndarray, draws: Columns
    ) -> None:
        if not len(examples):
            return
        chosen = draws.draw(examples)
        self.features[rows, places] = chosen
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
        strict: bool,
    ) -> list[int]:
        if not len(examples):
            return []
        growth = self.growth
        pruning = None if growth.is_regression else growth.pruning
        counted = None if growth.is_regression or pruning or not growth.is_even else direct_call("forest_counts")
        if counted:
            kept = self.features, self.thresholds, self.left, self.total, self.weights
            after = float(growth.split_after(0))
            ready = counted(values, labels, weights, examples, rows, *kept, strict, after)
            if ready is not None:
                node_of = {row: node for node, row in self.row_of.items()} if ready else {}
                return hash_order([node_of[row] for row in ready], FROM_TWO)
        weight = weights[examples]
        is_mixed = self._mixed_from(rows, labels[examples, 0], weight)
        running = sums_within(rows, weight, self.weights[rows])
        if pruning is None:
            self._count(values, labels, weights, examples, rows, strict)
        else:
            prunes = self._prunes(rows, running, labels[examples, 0].astype(np.int64), weight, pruning)
            # How often candidates of its leaf have been dropped in this batch before an example comes.
            rounds = sums_within(rows, prunes.astype(np.int64)) - prunes
            for number in range(rounds.max() + 1):
                now = rounds == number
                self._count(values, labels, weights, examples[now], rows[now], strict)
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
        strict: bool,
    ) -> None:
        """Adds examples to the sums of the candidates of their leaves."""
        found = values[examples[:, None], self.features[rows]]
        goes_left = found < self.thresholds[rows] if strict else found <= self.thresholds[rows]
        weight = weights[examples]
        if self.growth.is_regression:
            at, candidate = np.nonzero(goes_left)
            sums = _moments(labels[examples], weight)
            np.add.at(self.total, rows, sums)
            np.add.at(self.left, (rows[at], candidate), sums[at])
        else:
            classes = labels[examples, 0].astype(np.int64)
            np.add.at(self.total, (rows, classes), weight)
            count, width = self.left.shape[1:]
            cells = (rows * count * width + classes)[:, None] + np.arange(0, count * width, width)
            np.add.at(
                self.left.reshape(-1), cells.reshape(-1), (goes_left * weight[:, None]).astype(np.float32).reshape(-1)
            )
        np.add.at(self.weights, rows, weight)

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
                there = seen[row] = set(np.flatnonzero(self.total[row]).tolist())
            if added > 0:
                there.add(label)
            if weight >= self.enough[row] and len(there) > 1:
                continue
            if weight >= pruning.period(int(self.depths[row])) * (int(self.epochs[row]) + 1):
                prunes[place] = True
                self.epochs[row] += 1
        return prunes

    def _prune(self, row: int, pruning: Pruning) -> None:
        """Drops candidates of a leaf; those that remain come first."""
        remain = pruning.remaining(self._mixed(row), self.total[row], int(self.depths[row]))
        for name in _CANDIDATES:
            array = getattr(self, name)
            array[row, : len(remain)] = array[row, remain]
        self.kept[row] = len(remain)

    def _mixed_from(self, rows: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Of each example, whether its leaf has more than one class with it; always so for numbers."""
        if self.growth.is_regression:
            return np.ones(len(rows), bool)
        known = (self.total[rows] > 0).sum(1)
        if (known > 1).all():
            return known > 1
        classes = labels.astype(np.int64)
        is_new = (weights > 0) & (self.total[rows, classes] <= 0)
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
        ask = None if self.growth.is_regression else direct_call("forest_best")
        found = ask(self.left, self.total, row, int(self.kept[row])) if ask else None
        if found is not None:
            return None if found < 0 else int(found)
        scores = self._scores(row)
        best = int(scores.argmin())
        return None if np.isinf(scores[best]) else best

    def _scores(self, row: int) -> np.ndarray:
        """How mixed both sides of each candidate of a leaf are; the least is the best."""
        left = self.left[row, : self.kept[row]]
        # A split with nothing on one side is none.
        is_none = _is_empty(left, self.growth) | _is_empty(self.total[row] - left, self.growth)
        return np.where(is_none, np.inf, self._mixed(row))

    def _mixed(self, row: int) -> np.ndarray:
        count = self.kept[row]
        left = self.left[row, :count]
        return np.asarray(_impurity(left, self.growth) + _impurity(self.total[row] - left, self.growth))

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
        self._fill_sums(slot.post_init_leaf_stats, self.total[row], float(self.weights[row]))
        for place in range(self.kept[row]):
            candidate = slot.candidates.add()
            test = candidate.split.inequality_left_child_test
            test.feature_id.id.value = str(int(self.features[row, place]))
            test.threshold.float_value = float(self.means[row, place])
            if self.growth.strict:
                test.type = forest_protos.InequalityTest.LESS_THAN
            self._fill_sums(candidate.left_stats, self.left[row, place], 0.0)

    def _fill_sums(self, message: forest_protos.LeafStat, sums: np.ndarray, weight: float) -> None:
        message.weight_sum = weight
        if not self.growth.is_regression:
            for value in sums.tolist():
                message.classification.dense_counts.value.add(float_value=value)
            return
        message.weight_sum = float(sums[0])
        outputs = self.growth.classes
        for value in sums[1 : 1 + outputs].tolist():
            message.regression.mean_output.value.add(float_value=value)
        for value in sums[1 + outputs :].tolist():
            message.regression.mean_output_squares.value.add(float_value=value)

    def restore(self, serialized: bytes) -> None:
        """Takes what `serialized` gave."""
        message = forest_protos.FertileStats.FromString(serialized)
        self.row_of, self.order, self.free = {}, HashOrder(FROM_TWO), []
        self._allot(0)
        for slot in message.node_to_slot:
            self.begin(slot.node_id, slot.depth)
            row = self.row_of[slot.node_id]
            self.total[row], self.weights[row] = self._read_sums(slot.post_init_leaf_stats)
            for place, candidate in enumerate(slot.candidates):
                test = candidate.split.inequality_left_child_test
                self.features[row, place] = int(test.feature_id.id.value)
                self.thresholds[row, place] = self.means[row, place] = test.threshold.float_value
                self.left[row, place] = self._read_sums(candidate.left_stats)[0]
            self.filled[row] = self.kept[row] = len(slot.candidates)
            if self.total[row].any():
                # Those that it has not any more have been dropped.
                self.filled[row] = self.wanted[row]

    def _read_sums(self, message: forest_protos.LeafStat) -> tuple[np.ndarray, float]:
        sums = np.zeros(self._width(), np.float32)
        if self.growth.is_regression:
            regression = message.regression
            values = [message.weight_sum, *(value.float_value for value in regression.mean_output.value)]
            values += [value.float_value for value in regression.mean_output_squares.value]
        else:
            values = [value.float_value for value in message.classification.dense_counts.value]
        sums[: len(values)] = values
        return sums, message.weight_sum


def _taken(leaves: np.ndarray, table: np.ndarray, collates: bool) -> np.ndarray:
    """The examples whose leaves have a row, in the order in which they are taken."""
    known = np.flatnonzero(table[leaves] >= 0)
    if not collates or not len(known):
        return known
    # The leaves in the order of a hash map.
    _, first = np.unique(leaves[known], return_index=True)
    place = {leaf: at for at, leaf in enumerate(hash_order(leaves[known][np.sort(first)].tolist(), FROM_TWO))}
    return known[np.argsort([place[leaf] for leaf in leaves[known].tolist()], kind="stable")]


def _moments(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight, the values and their squares, of each example."""
    weighted = labels * weights[:, None]
    return np.concatenate((weights[:, None], weighted, weighted * labels), 1).astype(np.float32)


def _is_empty(sums: np.ndarray, growth: Growth) -> np.ndarray:
    return np.asarray(sums[:, 0] <= 0 if growth.is_regression else ~(sums > 0).any(1))


def _impurity(sums: np.ndarray, growth: Growth) -> np.ndarray:
    """How mixed one side of candidates is: the variance of numbers, or what `smoothed_impurity` says of classes."""
    if growth.is_regression:
        weight = sums[:, :1]
        moments = np.divide(sums[:, 1:], weight, out=np.zeros_like(sums[:, 1:]), where=weight > 0)
        means, squares = moments[:, : growth.classes], moments[:, growth.classes :]
        return (squares - means * means).sum(1, dtype=np.float32)
    return smoothed_impurity(sums)
