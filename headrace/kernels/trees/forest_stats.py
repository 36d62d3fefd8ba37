"""How the leaves of a forest's tree take batches of examples into account, until they are split."""

from __future__ import annotations

import numpy as np

from headrace.kernels.trees.forest_draws import Columns
from headrace.kernels.trees.forest_groups import number_within, sums_within, taken
from headrace.kernels.trees.forest_leaves import CANDIDATES, LEFT_SIDE, RIGHT_SIDE, KeptLeaves
from headrace.kernels.trees.forest_pruning import EarlyFinish, Pruning
from headrace.kernels.trees.forest_sums import moments
from headrace.kernels.trees.forest_tests import LESS_OR_EQUAL, MATCHES, goes_left
from headrace.kernels.trees.hash_order import FROM_TWO, hash_order
from headrace.native.direct import direct_call


class FertileLeaves(KeptLeaves):
    """The leaves that may be split, which examples come to."""

    def _table(self, leaves: np.ndarray) -> np.ndarray:
        """The row of each leaf, -1 where it has none."""
        beyond = leaves.max(initial=0) + 1 - len(self.rows)
        return self.rows if beyond <= 0 else np.concatenate((self.rows, np.full(beyond, -1, np.int64)))

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
        count = self.growth.wanted(0)
        ask = direct_call("forest_starts") if self.growth.is_even else None
        if ask and not collates:
            found = np.empty((3, len(leaves)), np.int64)
            parted = ask(leaves, self.rows, self.filled, count, found)
            if parted is not None:
                starts, counts = parted
                if starts + counts < len(leaves):
                    found = np.concatenate((found[:, :starts], found[:, len(leaves) - counts :]), 1)
                examples, rows, places = found
                return examples, rows, places, starts
        table = self._table(leaves)
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
        if matches.any():
            self.strict = None
        if self.strict is None or self.growth.test != LESS_OR_EQUAL:
            # Else they have never been others.
            self.tests[rows, places] = np.where(matches, MATCHES, self.growth.test)
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
                return hash_order([self.node_of[row] for row in ready], FROM_TWO)
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
                    (LEFT_SIDE, left, is_left),
                    (RIGHT_SIDE, self.total[row, label] - left, ~is_left),
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
        for name in CANDIDATES:
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
