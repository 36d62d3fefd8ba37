"""Philox 4x32-10 and the plain distributions over it, laid out as TensorFlow's CPU kernels lay them out.

A `Philox` is a position in a stream of blocks, four 32-bit words each. It keeps no state of its own: the functions
here read blocks from it and leave it where it is, and `streams` decides where each request begins.

The generator: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Normal
numbers: G. Box, M. Muller, "A note on the generation of random normal deviates", Annals of Mathematical Statistics 29
(1958).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsInt

import numpy as np
import numpy.typing as npt

from headrace.core.errors import InvalidArgumentError
from headrace.native.direct import direct_call

Array = npt.NDArray[Any]

_LOW = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

_SHIFT_32 = np.uint64(32)
_LOW_32 = np.uint64(_LOW)
_MULTIPLIER_COLUMN = np.array(_MULTIPLIERS, np.uint64)[:, None]
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = _MULTIPLIER_COLUMN[:, 0]

# Up to here Python's own integers are quicker than some fifty calls into NumPy.
_FEW_BLOCKS = 8
# The working set of a chunk (three arrays of 2 x 8192 uint64) stays in the nearest caches.
_CHUNK_BLOCKS = 8192
_STEPS = np.arange(_CHUNK_BLOCKS, dtype=np.uint64)

# Outputs whose number of tries varies own this many words each, so that where one output's words lie never depends
# on how often another was rejected. Every request moves its stream on as if all its outputs were of this kind.
RESERVED_PER_OUTPUT = 256

# Uniform numbers carry as many random bits as the fraction field of their type.
_FRACTION_BITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}
_ONE = np.float32(1).view(np.uint32)
# Box-Muller takes the logarithm of nothing smaller, in float64 either.
_SMALLEST_UNIFORM = 1e-7
_TRUNCATE_AT = 2.0


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
        write = direct_call("philox_words")
        if write is not None:
            words = np.empty(count * 4, np.uint32)
            write(int(self.key), int(self.high), int(self.position), words.view(np.int32))
            return words
        if count <= _FEW_BLOCKS:
            places = range(self.position, self.position + count)
            return np.array([word for place in places for word in self._block(place)], np.uint32)
        out = np.empty((count, 4), np.uint32)
        for start in range(0, count, _CHUNK_BLOCKS):
            part = out[start : start + _CHUNK_BLOCKS]
            first = self.position + start
            if (first & _LOW) + len(part) <= _LOW + 1:
                self._write_run(first, part)
            else:
                self._write_blocks(_STEPS[: len(part)] + np.uint64(first), part)
        return out.reshape(-1)

    def words_at(self, offsets: Array) -> Array:
        """The blocks at chosen places.

        Args:
            offsets: uint64 array of shape (n,), counted from the position.

        Returns:
            uint32 array of shape (n, 4).
        """
        if len(offsets) <= _FEW_BLOCKS:
            blocks = [self._block(self.position + offset) for offset in offsets.tolist()]
            return np.array(blocks, np.uint32).reshape(-1, 4)
        out = np.empty((len(offsets), 4), np.uint32)
        for start in range(0, len(offsets), _CHUNK_BLOCKS):
            part = slice(start, start + _CHUNK_BLOCKS)
            self._write_blocks(offsets[part] + np.uint64(self.position), out[part])
        return out

    def _block(self, position: int) -> tuple[int, int, int, int]:
        mul0, mul1 = _MULTIPLIERS
        step0, step1 = _KEY_STEPS
        a, b = position & _LOW, position >> 32
        c, d = self.high & _LOW, self.high >> 32
        key0, key1 = self.key & _LOW, self.key >> 32
        for _ in range(_ROUNDS):
            even, odd = a * mul0, c * mul1
            a, b, c, d = odd >> 32 ^ b ^ key0, odd & _LOW, even >> 32 ^ d ^ key1, even & _LOW
            key0, key1 = key0 + step0 & _LOW, key1 + step1 & _LOW
        return a, b, c, d

    def _write_blocks(self, positions: Array, out: Array) -> None:
        """Writes the blocks at `positions`, a uint64 array of shape (n,), to `out` of shape (n, 4).

        The counter never carries into its upper half here: that takes 2**64 blocks of one stream.
        """
        multiplied = np.empty((2, len(positions)), np.uint64)  # words 0 and 2, what a round multiplies
        mixed = np.empty_like(multiplied)  # words 1 and 3, what a round mixes in
        np.bitwise_and(positions, _LOW_32, out=multiplied[0])
        multiplied[1] = self.high & _LOW
        np.right_shift(positions, _SHIFT_32, out=mixed[0])
        mixed[1] = self.high >> 32
        _finish(multiplied, mixed, np.empty_like(multiplied), _round_keys(self.key), out)

    def _write_run(self, first: int, out: Array) -> None:
        """Writes the blocks from `first` on, whose numbers differ in the low word only.

        Of the first round's results half are then the same for all blocks, and of the second's a quarter.
        """
        multiplied = np.empty((2, len(out)), np.uint64)
        mixed, product = np.empty_like(multiplied), np.empty_like(multiplied)
        keys = _round_keys(self.key)
        (first0, first1), (second0, second1) = (column[:, 0].tolist() for column in keys[:2])
        odd = (self.high & _LOW) * _MULTIPLIERS[1]
        even = (odd >> 32 ^ first >> 32 ^ first0) * _MULTIPLIERS[0]

        np.add(_STEPS[: len(out)], np.uint64(first & _LOW), out=product[0])
        product[0] *= _FIRST_MULTIPLIER
        np.right_shift(product[0], _SHIFT_32, out=multiplied[1])
        multiplied[1] ^= np.uint64(self.high >> 32 ^ first1)

        np.multiply(multiplied[1], _SECOND_MULTIPLIER, out=product[1])
        np.right_shift(product[1], _SHIFT_32, out=multiplied[0])
        multiplied[0] ^= np.uint64(odd & _LOW ^ second0)
        np.bitwise_and(product[1], _LOW_32, out=mixed[0])
        np.bitwise_and(product[0], _LOW_32, out=multiplied[1])
        multiplied[1] ^= np.uint64(even >> 32 ^ second1)
        mixed[1] = even & _LOW
        _finish(multiplied, mixed, product, keys[2:], out)


def _finish(multiplied: Array, mixed: Array, product: Array, rounds: Sequence[Array], out: Array) -> None:
    """Goes on from words (0, 2) and (1, 3) of shape (2, n) with the rounds of these keys, and writes the blocks."""
    crossed = product[::-1]
    for keys in rounds:
        np.multiply(multiplied, _MULTIPLIER_COLUMN, out=product)
        np.right_shift(crossed, _SHIFT_32, out=multiplied)
        multiplied ^= mixed
        multiplied ^= keys
        if keys is not rounds[-1]:
            np.bitwise_and(crossed, _LOW_32, out=mixed)
    if sys.byteorder == "little":
        # Two words at a time.
        np.left_shift(crossed, _SHIFT_32, out=mixed)
        pairs = out.view(np.uint64)
        np.bitwise_or(multiplied[0], mixed[0], out=pairs[:, 0])
        np.bitwise_or(multiplied[1], mixed[1], out=pairs[:, 1])
    else:
        out[:, 0::2] = multiplied.T
        out[:, 1::2] = np.bitwise_and(crossed, _LOW_32, out=mixed).T


@functools.lru_cache(maxsize=1024)
def _round_keys(key: int) -> tuple[Array, ...]:
    """The key words of each round as columns, kept because making them takes as long as a small request."""
    key0, key1 = key & _LOW, key >> 32
    columns = []
    for _ in range(_ROUNDS):
        columns.append(np.array(((key0,), (key1,)), np.uint64))
        key0, key1 = key0 + _KEY_STEPS[0] & _LOW, key1 + _KEY_STEPS[1] & _LOW
    return tuple(columns)


# ------------------------------------------------------------------------------------- a fixed number of words each


def uniform(philox: Philox, count: int, dtype: npt.DTypeLike) -> Array:
    """Numbers uniform in [0, 1).

    Args:
        philox: where to read.
        count: how many.
        dtype: float16, bfloat16, float32 or float64.

    Returns:
        array of shape (count,) and type `dtype`.

    Raises:
        InvalidArgumentError: if `dtype` is no such type.

    Example:
        >>> uniform(Philox(key=87654321, high=1), 2, "float32").shape
        (2,)
    """
    dtype = floating(dtype)
    words = philox.words(blocks_of(count, dtype))
    return uniform_from_words(words, dtype)[:count]


def uniform_int(philox: Philox, count: int, minval: SupportsInt, maxval: SupportsInt, dtype: npt.DTypeLike) -> Array:
    """Integers of [minval, maxval), by remainder as in TensorFlow: slightly uneven unless a power of two apart.

    Args:
        philox: where to read.
        count: how many.
        minval: the smallest that may come.
        maxval: the smallest above those.
        dtype: int32 or int64.

    Returns:
        array of shape (count,) and type `dtype`.

    Raises:
        InvalidArgumentError: if `dtype` is no such type, or there is nothing in the range yet something to draw.
    """
    dtype = np.dtype(dtype)
    if dtype.name not in ("int32", "int64"):
        raise InvalidArgumentError(None, None, f"uniform integers are int32 or int64, got {dtype.name}")
    if count == 0:
        return np.empty(0, dtype)
    low, high = int(minval), int(maxval)
    if low >= high:
        raise InvalidArgumentError(None, None, f"Need minval < maxval, got {low} >= {high}")
    unsigned = np.dtype(f"uint{dtype.itemsize * 8}")
    words = philox.words(blocks_of(count, dtype))
    if dtype.itemsize == 8:
        words = words[0::2] | words[1::2].astype(np.uint64) << _SHIFT_32
    words = words[:count]
    words %= unsigned.type(high - low)
    # Unsigned sums wrap, so this is right across zero and for ranges wider than the signed type.
    words += unsigned.type(low % 2 ** (unsigned.itemsize * 8))
    return words.view(dtype)


def standard_normal(philox: Philox, count: int, dtype: npt.DTypeLike) -> Array:
    """Numbers of the normal distribution with mean 0 and deviation 1, by Box and Muller.

    Args:
        philox: where to read.
        count: how many.
        dtype: float16, bfloat16, float32 or float64.

    Returns:
        array of shape (count,) and type `dtype`.

    Raises:
        InvalidArgumentError: if `dtype` is no such type.
    """
    dtype = floating(dtype)
    return normal_from_words(philox.words(blocks_of(count, dtype)), dtype)[:count]


# -------------------------------------------------------------------------------------- a varying number of words each


def truncated_normal(philox: Philox, count: int, dtype: npt.DTypeLike) -> Array:
    """Normal numbers drawn anew until they lie within two deviations of the mean.

    The outputs of one block (four, or two of float64) share a substream: the accepted ones in the order they come.

    Args:
        philox: where to read.
        count: how many.
        dtype: float16, bfloat16, float32 or float64.

    Returns:
        array of shape (count,) and type `dtype`.

    Raises:
        InvalidArgumentError: if `dtype` is no such type.
    """
    dtype = floating(dtype)
    wide = wide_type(dtype)
    groups = blocks_of(count, dtype)
    size = outputs_per_block(dtype)
    # For each group: where its next block is, and how many outputs it has.
    place = np.arange(groups, dtype=np.uint64) * np.uint64(RESERVED_PER_OUTPUT * size // 4)
    filled = np.zeros(groups, np.intp)
    # Five groups in six keep their first block whole; the others start over and take out what was rejected.
    out = normal_from_words(philox.words_at(place).reshape(-1), wide).reshape(-1, size)
    unfinished = np.flatnonzero(~(np.abs(out) < _TRUNCATE_AT).all(axis=1))
    while unfinished.size:
        tries = normal_from_words(philox.words_at(place[unfinished]).reshape(-1), wide).reshape(-1, size)
        accepted = np.abs(tries) < _TRUNCATE_AT
        target = np.cumsum(accepted, axis=1) + (filled[unfinished] - 1)[:, None]
        accepted &= target < size
        row, column = np.nonzero(accepted)
        out[unfinished[row], target[row, column]] = tries[row, column]
        place[unfinished] += np.uint64(1)
        filled[unfinished] += accepted.sum(axis=1)
        unfinished = unfinished[filled[unfinished] < size]
    return out.reshape(-1)[:count].astype(dtype, copy=False)


# ------------------------------------------------------------------------------------------------------- their parts


def floating(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """`dtype` as NumPy's, if it is one of the floating types that have random numbers.

    Raises:
        InvalidArgumentError: if it is not.
    """
    dtype = np.dtype(dtype)
    if dtype.name not in _FRACTION_BITS:
        raise InvalidArgumentError(
            None, None, f"random numbers are float16, bfloat16, float32 or float64, got {dtype.name}"
        )
    return dtype


def wide_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type that normal numbers of `dtype` are computed in: the short ones are rounded from float32."""
    return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def outputs_per_block(dtype: np.dtype[Any]) -> int:
    """How many outputs a block makes: one a word, half as many of eight bytes."""
    return 2 if dtype.itemsize == 8 else 4


def blocks_of(count: int, dtype: np.dtype[Any]) -> int:
    """How many blocks hold `count` outputs."""
    return -(-count // outputs_per_block(dtype))


def uniform_from_words(words: Array, dtype: np.dtype[Any]) -> Array:
    """One number of [0, 1) from each word, or from each two words if `dtype` is float64; may overwrite `words`."""
    bits = _FRACTION_BITS[dtype.name]
    if bits > 32:
        # The first word holds the upper bits. Each term and the sum are exact.
        upper = words[0::2] & np.uint32(2 ** (bits - 32) - 1)
        out = upper * 2.0 ** (32 - bits)
        out += words[1::2] * 2.0**-bits
        return out
    words &= np.uint32(2**bits - 1)
    if bits == _FRACTION_BITS["float32"]:
        # As the fraction field of numbers of [1, 2); the difference is exact.
        words |= _ONE
        fraction = words.view(np.float32)
        fraction -= np.float32(1)
        return fraction
    fraction = words.astype(np.float32)
    fraction *= np.float32(2.0**-bits)
    return fraction.astype(dtype, copy=False)


def normal_from_words(words: Array, dtype: np.dtype[Any]) -> Array:
    """Normal numbers, as many as `uniform_from_words` makes, from successive pairs of uniform ones."""
    wide = wide_type(dtype)
    pairs = uniform_from_words(words, wide)
    # Functions of float32 are taken in float64 and rounded, which agrees to the bit with the C library that
    # TensorFlow calls in 98.6% of the outputs and to the last place in the others; NumPy's float32 functions: 78%.
    radius = np.log(np.maximum(pairs[0::2], wide.type(_SMALLEST_UNIFORM)), dtype=np.float64).astype(wide)
    radius *= wide.type(-2)
    np.sqrt(radius, out=radius)
    # The product with a double constant is rounded once, as in C.
    angle = np.multiply(pairs[1::2], 2 * np.pi, dtype=np.float64).astype(wide)
    out = np.empty_like(pairs)
    np.multiply(np.sin(angle, dtype=np.float64).astype(wide), radius, out=out[0::2])
    np.multiply(np.cos(angle, dtype=np.float64).astype(wide), radius, out=out[1::2])
    return out.astype(dtype, copy=False)


def full_range(philox: Philox, count: int, dtype: npt.DTypeLike) -> Array:
    """Integers of all bits of the words of a stream."""
    kind = np.dtype(dtype)
    words = philox.words(blocks_of(count, kind))
    if kind.itemsize == 8:
        words = words[0::2] | words[1::2].astype(np.uint64) << np.uint64(32)
    return words[:count].view(kind)
