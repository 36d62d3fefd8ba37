"""Parts of tensors: how ops spell them, and how tables name and describe them.

A slice is a (start, length) for each dimension; the length `FULL` is all of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from headrace.files.checkpoint import wire

FULL = -1
Slice = tuple[tuple[int, int], ...]
Dims = tuple[int, ...]

_EVERYTHING = (0, FULL)
# No dimension or number of elements is beyond what TensorFlow's 64-bit sizes hold.
_INT64_MAX = (1 << 63) - 1


def parse_shape_and_slice(spec: str) -> tuple[Dims, Slice]:
    """The full shape and the slice in a spec like "10 20 0,5:-".

    Raises:
        ValueError: saying what does not fit.
    """
    parts = spec.split()
    if len(parts) < 2:
        raise ValueError(f"Need least two elements in shape_and_slice specification: {spec}")
    dims = []
    for part in parts[:-1]:
        if not part.isdecimal():
            raise ValueError(f"Non numerical dimension in shape_and_slice: {spec}")
        dims.append(int(part))
    extents = []
    for text in parts[-1].split(":"):
        if text == "-":
            extents.append(_EVERYTHING)
            continue
        numbers = text.split(",")
        if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
            raise ValueError(f"Expected a pair of numbers or '-' but got '{text}': string = {parts[-1]}")
        start, length = map(int, numbers)
        if length < 1:
            raise ValueError(f"Expected non-negative start and positive length but got start = {start}, "
                             f"length = {length}: string = {parts[-1]}")  # fmt: skip
        extents.append((start, length))
    if len(extents) != len(dims):
        raise ValueError(f"Shape and slice do not have the same rank: {spec}")
    for i, ((start, length), size) in enumerate(zip(extents, dims)):
        if length != FULL and start + length > size:
            raise ValueError(f"Extent in dimension {i} out of bounds: shape = {bracketed(dims)}, slice = {parts[-1]}")
    return tuple(dims), tuple(extents)


def bracketed(dims: Sequence[int]) -> str:
    """A shape as messages write it: "[2,3]"."""
    return f"[{','.join(map(str, dims))}]"


def everything(rank: int) -> Slice:
    """The slice that is the whole tensor."""
    return (_EVERYTHING,) * rank


def is_full(part: Slice, dims: Dims) -> bool:
    """Whether a slice is the whole of a tensor of shape `dims`."""
    return all(length in (FULL, size) and start == 0 for (start, length), size in zip(part, dims))


def resolved(part: Slice, dims: Dims) -> Slice:
    """The slice with all lengths as numbers."""
    return tuple((0, size) if length == FULL else (start, length) for (start, length), size in zip(part, dims))


def extent(part: Slice, dims: Dims) -> Dims:
    """The shape of a slice of a tensor of shape `dims`."""
    return tuple(length for _, length in resolved(part, dims))


def index(part: Slice) -> tuple[slice, ...]:
    """The slice for indexing arrays."""
    return tuple(slice(None) if length == FULL else slice(start, start + length) for start, length in part)


def fits(part: Slice, dims: Dims) -> bool:
    """Whether a slice lies within a tensor of shape `dims`."""
    return len(part) == len(dims) and all(
        length == FULL or (start >= 0 and length >= 0 and start + length <= size)
        for (start, length), size in zip(part, dims)
    )


def overlap(whole: Slice, part: Slice) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
    """Where what two slices of one tensor share lies in each of them; None if they share nothing. Lengths are numbers."""
    first, second = [], []
    for (start, length), (other, extent_) in zip(whole, part):
        low, high = max(start, other), min(start + length, other + extent_)
        if low >= high:
            return None
        first.append(slice(low - start, high - start))
        second.append(slice(low - other, high - other))
    return tuple(first), tuple(second)


# ---- keys ----

# How the first bytes of a number tell the number of bytes, and how many bits such a number holds.
_HEADS = (b"\x00\x00", b"\x80\x00", b"\xc0\x00", b"\xe0\x00", b"\xf0\x00", b"\xf8\x00", b"\xfc\x00", b"\xfe\x00",
          b"\xff\x00", b"\xff\x80", b"\xff\xc0")  # fmt: skip


def _ordered(number: int) -> bytes:
    """A signed number in bytes whose order is that of the numbers."""
    magnitude = ~number if number < 0 else number
    length = min(magnitude.bit_length() // 7 + 1, 10)
    raw = bytearray(number.to_bytes(10, "big", signed=True)[-length:])
    head = _HEADS[length]
    raw[0] ^= head[0]
    if length > 1:
        raw[1] ^= head[1]
    return bytes(raw)


def slice_key(name: str, part: Slice) -> bytes:
    """The key of a slice of the tensor `name` in a table."""
    text = name.encode().replace(b"\xff", b"\xff\x00").replace(b"\x00", b"\x00\xff")
    rank = len(part)
    out = [b"\x00", text, b"\x00\x01", bytes([1, rank]) if rank else b"\x00"]
    for start, length in part:
        out += [_ordered(start), _ordered(length)]
    return b"".join(out)


# ---- messages ----


@lru_cache(maxsize=256)
def shape_message(dims: Dims) -> bytes:
    """A `TensorShapeProto`."""
    return b"".join(wire.bytes_field(2, wire.number_field(1, size)) for size in dims)


@lru_cache(maxsize=256)
def read_shape(data: bytes) -> Dims:
    """The dims in a `TensorShapeProto`.

    Raises:
        Damaged: if it is none, or describes no fully known shape that can be.
    """
    dims = []
    for number, kind, value in wire.fields(data):
        if number == 2 and kind == wire.BYTES:
            size = 0
            for inner, inner_kind, found in wire.fields(value):
                if inner == 1 and inner_kind == wire.VARINT:
                    size = wire.signed(found)
            if size < 0:
                raise wire.Damaged(f"a dimension of size {size}")
            dims.append(size)
        elif number == 3 and value:
            raise wire.Damaged("a shape of unknown rank")
    if len(dims) > 254 or math.prod(dims) > _INT64_MAX:
        raise wire.Damaged(f"a shape that cannot be: {bracketed(dims[:8])}")
    return tuple(dims)


def slice_message(part: Slice) -> bytes:
    """A `TensorSliceProto`."""
    out = []
    for start, length in part:
        # The length is in a oneof: it is written even where it is 0.
        inner = b"" if length == FULL else wire.number_field(1, start) + b"\x10" + wire.varint(length)
        out.append(wire.bytes_field(1, inner))
    return b"".join(out)


def read_slice(data: bytes | memoryview) -> Slice:
    """The slice in a `TensorSliceProto`; Damaged if it is none."""
    part = []
    for number, kind, value in wire.fields(data):
        if number != 1 or kind != wire.BYTES:
            continue
        start, length = 0, FULL
        for inner, inner_kind, found in wire.fields(value):
            if inner_kind == wire.VARINT and inner == 1:
                start = wire.signed(found)
            elif inner_kind == wire.VARINT and inner == 2:
                length = wire.signed(found)
        if start < 0 or length < FULL:
            raise wire.Damaged(f"a slice from {start} of length {length}")
        part.append((start, length))
    return tuple(part)


def empty_array(dims: Dims, dtype: Any) -> np.ndarray:
    """An array to be filled; of strings, one of empty ones."""
    if dtype == np.dtype(object):
        array = np.empty(dims, object)
        array.fill(b"")
        return array
    return np.empty(dims, dtype)
