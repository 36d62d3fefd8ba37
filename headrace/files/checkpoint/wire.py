"""The wire format of protocol buffers, for the few messages that files' own structure is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_WORD = (1 << 64) - 1
_SHORT = [bytes([number]) for number in range(0x80)]


class Damaged(ValueError):
    """Bytes that are no message.

    Args:
        problem: what is wrong.
        position: where in the bytes.
    """

    def __init__(self, problem: str, position: int = 0) -> None:
        super().__init__(problem)
        self.position = position


def read_varint(data: bytes | memoryview, position: int) -> tuple[int, int]:
    """The number at `position` of a bytes-like object and the position after it.

    Raises:
        Damaged: if it does not end, or is longer than 64 bits.
    """
    end = len(data)
    # Most numbers are of one byte.
    if position < end and data[position] < 0x80:
        return data[position], position + 1
    result = shift = 0
    at = position
    while at < end:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & _WORD, at
        shift += 7
        if shift >= 70:
            raise Damaged("a number of more than 64 bits", position)
    raise Damaged("a number that does not end", position)


def signed(number: int) -> int:
    """A 64-bit number as the signed one of the same bits."""
    return number - (1 << 64) if number >> 63 else number


def fields(data: bytes | memoryview) -> Iterator[tuple[int, int, Any]]:
    """The fields of a message: number, wire type, and an int or the slice of `data` it takes.

    Raises:
        Damaged: at the first field that does not fit.
    """
    position, end = 0, len(data)
    while position < end:
        start = position
        key, position = read_varint(data, position)
        number, kind = key >> 3, key & 7
        value: bytes | int | memoryview
        if number == 0:
            raise Damaged("a field with the number 0", start)
        if kind == VARINT:
            value, position = read_varint(data, position)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, position = read_varint(data, position)
        elif kind == FIXED32:
            size = 4
        elif kind == FIXED64:
            size = 8
        else:
            raise Damaged(f"a field of the unknown wire type {kind}", start)
        if size > end - position:
            raise Damaged(f"a field of {size} bytes where {end - position} are left", start)
        value = data[position : position + size]
        position += size
        if kind != BYTES:
            value = int.from_bytes(value, "little")
        yield number, kind, value


def varint(number: int) -> bytes:
    """A number, negative ones as 64-bit two's complement, in the wire format."""
    if 0 <= number < 0x80:
        return _SHORT[number]
    if 0 <= number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    number &= _WORD
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number_field(number: int, value: int) -> bytes:
    """A field with a number; nothing for 0, as proto3 has it."""
    return varint(number << 3 | VARINT) + varint(value) if value else b""


def fixed32_field(number: int, value: int) -> bytes:
    """A field of 32 bits; nothing for 0."""
    return varint(number << 3 | FIXED32) + value.to_bytes(4, "little") if value else b""


def bytes_head(number: int, size: int) -> bytes:
    """What comes before the `size` bytes of a field."""
    return varint(number << 3 | BYTES) + varint(size)


def bytes_field(number: int, value: bytes) -> bytes:
    """A field of bytes or of a message; empty ones are written too."""
    return bytes_head(number, len(value)) + value


def unpack_varints(data: Any) -> np.ndarray:
    """Packed varints as an array of uint64.

    Raises:
        Damaged: if the last one does not end, or one is too long.
    """
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if raw.size and (not ends.size or ends[-1] != raw.size - 1):
        raise Damaged("a number that does not end", int(raw.size))
    lengths = np.diff(ends, prepend=-1)
    if lengths.max(initial=0) > 10:
        longest = lengths.argmax()
        raise Damaged("a number of more than 64 bits", int(ends[longest] - lengths[longest] + 1))
    return numbers_ending(raw, ends).view(np.uint64)


def numbers_ending(stream: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The varints in a stream of bytes, of which each ends where `ends` says, as an array of int64."""
    if len(ends) == len(stream):
        return stream.astype(np.int64)
    lengths = np.diff(ends, prepend=-1)
    values = stream[ends].astype(np.int64)
    # From the last byte of each number, its highest, to the first: all at once while most go on, then only those.
    back = 1
    longer = lengths > back
    while np.count_nonzero(longer) * 4 > len(values):
        values <<= np.multiply(longer, 7, dtype=np.int64)
        values |= (stream[ends - back] & 127) * longer
        back += 1
        longer = lengths > back
    left = np.flatnonzero(longer)
    while len(left):
        values[left] = (values[left] << 7) | (stream[ends[left] - back] & 127)
        back += 1
        left = left[lengths[left] > back]
    return values


def read_lengths(data: bytes | memoryview, count: int) -> tuple[list[int], int]:
    """The first `count` varints of some bytes, and where they end.

    Raises:
        Damaged: if there are fewer, or one is too long.
    """
    short = bytes(data[:count])
    if len(short) == count and short.isascii():
        return list(short), count
    stream = np.frombuffer(data, np.uint8, min(10 * count, len(data)))
    ends = np.flatnonzero(stream < 0x80)[:count]
    if len(ends) < count or np.diff(ends, prepend=-1).max(initial=0) > 10:
        raise Damaged(f"no {count} numbers")
    return numbers_ending(stream, ends).view(np.uint64).tolist(), int(ends[-1]) + 1


def pack_varints(numbers: np.ndarray) -> bytes:
    """An array of integers as packed varints, negative ones as 64-bit two's complement."""
    values = numbers.astype(np.int64).view(np.uint64) if numbers.dtype.kind != "u" else numbers.astype(np.uint64)
    lengths = np.ones(values.size, np.int64)
    rest = values >> np.uint64(7)
    while rest.any():
        lengths += rest > 0
        rest = rest >> np.uint64(7)
    ends = np.cumsum(lengths)
    out = np.zeros(int(ends[-1]) if ends.size else 0, np.uint8)
    starts = ends - lengths
    for i in range(int(lengths.max(initial=0))):
        there = lengths > i
        byte = ((values[there] >> np.uint64(7 * i)) & np.uint64(0x7F)).astype(np.uint8)
        byte[lengths[there] > i + 1] |= 0x80
        out[starts[there] + i] = byte
    return out.tobytes()
