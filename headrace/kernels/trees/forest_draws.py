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

    def draw(self, draws: Draws, examples: np.ndarray) -> np.ndarray:
        """A column of each example that it has something in; the first one where it has nothing.

        Args:
            draws: where numbers are drawn from.
            examples: the examples.
        """
        starts = self.starts[examples]
        counts = self.starts[examples + 1] - starts
        some = counts > 0
        chosen = np.zeros(len(examples), np.int64)
        chosen[some] = self.columns[starts[some] + draws.below_each(counts[some])]
        return chosen


class Columns:
    """Draws of the columns that candidates are of.

    Args:
        draws: where numbers are drawn from.
        count: how many columns there are to draw from: the dense ones, where there are any.
        present: which sparse columns the examples have something in, where those are drawn from.
    """

    def __init__(self, draws: Draws, count: int, present: Present | None = None) -> None:
        self._draws, self._count, self._present = draws, count, present

    def draw(self, examples: np.ndarray) -> np.ndarray:
        """A column for each example.

        Args:
            examples: the examples.
        """
        if self._present is None:
            return self._draws.below(self._count, len(examples))
        return self._present.draw(self._draws, examples)
