"""Draws of whole numbers, one after the other, from the stream that TensorFlow's forests draw from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.kernels.random.philox import Philox


class Draws:
    """Numbers drawn from the Philox stream of a seed.

    Args:
        seed: the seed.
    """

    def __init__(self, seed: int) -> None:
        self._place = Philox(key=seed & (1 << 64) - 1, high=0)
        self._words = np.zeros(0, np.uint32)

    def _more(self, count: int) -> None:
        blocks = count // 4 + 2
        self._words = np.concatenate((self._words, self._place.words(blocks)))
        self._place = self._place.skip(blocks)

    def below(self, bound: int, count: int) -> np.ndarray:
        """`count` numbers in [0, bound); words that would favour small numbers are left out.

        Args:
            bound: a positive number.
            count: how many numbers.
        """
        least = 0 if bound & (bound - 1) == 0 else (0xFFFFFFFF % bound) + 1
        if len(self._words) < count:
            self._more(count - len(self._words))
        words = self._words[:count]
        if not count or words.min() >= least:
            self._words = self._words[count:]
            return (words % np.uint32(bound)).astype(np.int64)
        found = np.zeros(0, np.uint32)
        while True:
            self._more(count - len(found))
            usable = np.flatnonzero(self._words >= least)[: count - len(found)]
            found = np.concatenate((found, self._words[usable]))
            if len(found) == count:
                self._words = self._words[usable[-1] + 1 :] if count else self._words
                return (found % np.uint32(bound)).astype(np.int64)
            self._words = self._words[:0]

    def below_each(self, bounds: np.ndarray) -> np.ndarray:
        """A number in [0, bound) for each of several bounds.

        Args:
            bounds: positive numbers.
        """
        return np.array([self.below(bound, 1)[0] for bound in bounds.tolist()], np.int64)


class Present(NamedTuple):
    """Which columns of sparse features examples have something in.

    Args:
        starts: where the columns of an example begin in `columns`; one number more than there are examples.
        columns: the columns, example by example.
    """

    starts: np.ndarray
    columns: np.ndarray


class Columns:
    """Draws of the columns that candidates are of: the dense ones, and the sparse ones that an example has something in.

    Args:
        draws: where numbers are drawn from.
        matching: for each dense column, whether its values only are the same or not.
        present: which sparse columns the examples have something in, where there are any.
        sparse_matches: whether values of sparse columns only are the same or not.
    """

    def __init__(
        self, draws: Draws, matching: np.ndarray, present: Present | None = None, sparse_matches: bool = False
    ) -> None:
        self._draws, self._matching, self._present, self._sparse_matches = draws, matching, present, sparse_matches

    def draw(self, examples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A column for each example, and whether its values only are the same or not.

        The sparse columns come after the dense ones. An example that has nothing at all gets the first column.

        Args:
            examples: the examples.
        """
        dense = len(self._matching)
        if self._present is None:
            chosen = self._draws.below(dense, len(examples))
            return chosen, self._matching[chosen]
        starts = self._present.starts[examples]
        bounds = dense + self._present.starts[examples + 1] - starts
        some = bounds > 0
        chosen = np.zeros(len(examples), np.int64)
        chosen[some] = self._draws.below_each(bounds[some])
        sparse = some & (chosen >= dense)
        matches = np.full(len(examples), self._sparse_matches)
        matches[~sparse & some] = self._matching[chosen[~sparse & some]]
        chosen[sparse] = dense + self._present.columns[starts[sparse] + chosen[sparse] - dense]
        return chosen, matches
