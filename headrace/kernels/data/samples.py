"""The random numbers that datasets draw, one after the other."""

from __future__ import annotations

import os
from collections import deque

from headrace.kernels.random.philox import Philox

_BLOCKS = 256


def fresh_seed() -> int:
    """A seed that the system chooses."""
    return int.from_bytes(os.urandom(8), "little")


class Samples:
    """The 32-bit words of a Philox stream, one at a time; two seeds of 0 stand for seeds the system chooses."""

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == seed2 == 0:
            seed, seed2 = fresh_seed(), fresh_seed()
        self._place = Philox(seed % 2**64, seed2 % 2**64)
        self._words: deque[int] = deque()
        self._blocks = 8

    def next(self) -> int:
        """The next word."""
        if not self._words:
            blocks, self._blocks = self._blocks, _BLOCKS
            self._words.extend(self._place.words(blocks).tolist())
            self._place = self._place.skip(blocks)
        return self._words.popleft()
