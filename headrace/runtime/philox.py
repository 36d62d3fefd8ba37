"""Philox 4x32-10 and the plain distributions over it, laid out as TensorFlow's CPU kernels lay them out.

A `Philox` is a position in a stream of blocks, four 32-bit words each. It keeps no state of its own: the functions
here read blocks from it and leave it where it is, and `random_streams` decides where each request begins.

The generator: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_LOW = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

_SHIFT_32 = np.uint64(32)
_LOW_32 = np.uint64(_LOW)
_MULTIPLIER_COLUMN = np.array(_MULTIPLIERS, np.uint64)[:, None]

# Up to here Python's own integers are quicker than some fifty calls into NumPy.
_FEW_BLOCKS = 8
# The working set of a chunk (three arrays of 2 x 8192 uint64) stays in the nearest caches.
_CHUNK_BLOCKS = 8192

# Outputs whose number of tries varies own this many blocks for every four words they would need without a
# rejection, so that no output depends on how often another was rejected.
RESERVED_PER_OUTPUT = 256


class Philox(NamedTuple):
    """A place in a stream of random blocks.

    Attributes:
        key: the two key words in one integer, the first in the low 32 bits.
        high: the upper half of the 128-bit counter, which tells streams of one key apart.
        position: the lower half of the counter, the number of the next block.
    """

    key: int
    high: int
    position: int = 0

    def skip(self, count: int) -> Philox:
        """The place `count` blocks further on."""
        return self._replace(position=self.position + count)

    def words(self, count: int) -> Array:
        """The next `count` blocks, word by word.

        Args:
            count: number of blocks.

        Returns:
            uint32 array of shape (count * 4,).

        Example:
            >>> [hex(word) for word in Philox(key=0, high=0).words(1)]
            ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
        """
        if count <= _FEW_BLOCKS:
            return np.array(self._few_words(count), np.uint32)
        out = np.empty((count, 4), np.uint32)
        step = np.arange(min(count, _CHUNK_BLOCKS), dtype=np.uint64)
        for start in range(0, count, _CHUNK_BLOCKS):
            stop = min(start + _CHUNK_BLOCKS, count)
            self._write_blocks(step[: stop - start] + np.uint64(self.position + start), out[start:stop])
        return out.reshape(-1)

    def words_at(self, offsets: Array) -> Array:
        """The blocks at chosen places.

        Args:
            offsets: uint64 array of shape (n,), counted from the position.

        Returns:
            uint32 array of shape (n, 4).
        """
        out = np.empty((len(offsets), 4), np.uint32)
        for start in range(0, len(offsets), _CHUNK_BLOCKS):
            part = slice(start, start + _CHUNK_BLOCKS)
            self._write_blocks(offsets[part] + np.uint64(self.position), out[part])
        return out

    def _few_words(self, count: int) -> list[int]:
        out: list[int] = []
        mul0, mul1 = _MULTIPLIERS
        step0, step1 = _KEY_STEPS
        for position in range(self.position, self.position + count):
            a, b = position & _LOW, position >> 32
            c, d = self.high & _LOW, self.high >> 32
            key0, key1 = self.key & _LOW, self.key >> 32
            for _ in range(_ROUNDS):
                even, odd = a * mul0, c * mul1
                a, b, c, d = odd >> 32 ^ b ^ key0, odd & _LOW, even >> 32 ^ d ^ key1, even & _LOW
                key0, key1 = key0 + step0 & _LOW, key1 + step1 & _LOW
            out += (a, b, c, d)
        return out

    def _write_blocks(self, positions: Array, out: Array) -> None:
        """Writes the blocks at `positions`, a uint64 array of shape (n,), to `out` of shape (n, 4).

        The counter never carries into its upper half here: that takes 2**64 blocks of one stream.
        """
        multiplied = np.empty((2, len(positions)), np.uint64)  # words 0 and 2, what a round multiplies
        mixed = np.empty_like(multiplied)  # words 1 and 3, what a round mixes in
        product = np.empty_like(multiplied)
        np.bitwise_and(positions, _LOW_32, out=multiplied[0])
        multiplied[1] = self.high & _LOW
        np.right_shift(positions, _SHIFT_32, out=mixed[0])
        mixed[1] = self.high >> 32
        crossed = product[::-1]
        for keys in _round_keys(self.key):
            np.multiply(multiplied, _MULTIPLIER_COLUMN, out=product)
            np.right_shift(crossed, _SHIFT_32, out=multiplied)
            multiplied ^= mixed
            multiplied ^= keys
            np.bitwise_and(crossed, _LOW_32, out=mixed)
        out[:, 0::2] = multiplied.T
        out[:, 1::2] = mixed.T


@functools.lru_cache(maxsize=1024)
def _round_keys(key: int) -> tuple[Array, ...]:
    """The key words of each round as columns, kept because making them takes as long as a small request."""
    key0, key1 = key & _LOW, key >> 32
    columns = []
    for _ in range(_ROUNDS):
        columns.append(np.array(((key0,), (key1,)), np.uint64))
        key0, key1 = key0 + _KEY_STEPS[0] & _LOW, key1 + _KEY_STEPS[1] & _LOW
    return tuple(columns)
