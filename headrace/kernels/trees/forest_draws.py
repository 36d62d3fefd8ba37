"""Draws of whole numbers, one after the other, from the stream that TensorFlow's forests draw from."""

from __future__ import annotations

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
