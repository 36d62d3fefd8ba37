"""Tensors in messages: a header for each, and their bytes at the end of the message, which are not copied to be read.

A `StepRequest` or `StepResponse` is a protocol buffer message like any other. Its last field, `contents`, is written and
read here instead of by the library, which would copy each tensor twice: tensors are appended to the other fields as they
lie in memory, and arrays are made over the message as it came.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from google.protobuf.message import DecodeError

from headrace.core import errors
from headrace.core.dtypes import DType, as_dtype, uint8
from headrace.plan.values import to_numpy, to_torch

Buffer: TypeAlias = bytes | memoryview

_PADDING = b"\x72"  # field 14, of bytes
_CONTENT = b"\x7a"  # field 15, of bytes
_ALIGNED = 16
# Tensors from this size on lie in shared memory where there is any, each on cache lines of its own.
_LARGE = 1 << 14
_SHARED_ALIGNED = 64
_PARALLEL = 1 << 22
_LENGTH_DELIMITED = 2
_WIDTHS = {1: 8, 5: 4}
# A message has that many tensors at most, and a tensor as many dimensions as TensorFlow's have.
_MOST_TENSORS = 1 << 16
_MOST_DIMENSIONS = 254


def encode(message: Any, values: Sequence[Any], dtypes: Sequence[DType], memory: np.ndarray | None = None) -> bytes:
    """A message with tensors as bytes; for the arguments see `buffers_of`."""
    return b"".join(buffers_of(message, values, dtypes, memory))


def buffers_of(
    message: Any, values: Sequence[Any], dtypes: Sequence[DType], memory: np.ndarray | None = None
) -> list[Any]:
    """A message with tensors as buffers, which are its bytes one after the other.

    Args:
        message: a `StepRequest` or `StepResponse` without tensors.
        values: the kernels' values.
        dtypes: of each its type.
        memory: bytes that the receiver shares; large tensors are put there as long as there is room.

    Raises:
        UnimplementedError: for a value that is no array, such as a handle.
    """
    contents: list[list[Any]] = []
    used = 0
    for value, dtype in zip(values, dtypes, strict=True):
        header = message.tensors.add()
        content = _encode_tensor(header, value, dtype.base_dtype)
        if memory is not None and content and large_bytes(value) and used + content[0].nbytes <= memory.size:
            header.place = used + 1
            used += _put(memory[used:], content[0])
        else:
            contents.append(content)
    buffers: list[Any] = [message.SerializeToString()]
    size = len(buffers[0])
    for content in contents:
        length = sum(memoryview(piece).nbytes for piece in content)
        prefix = _CONTENT + _varint(length)
        gap = -(size + len(prefix)) % _ALIGNED
        if gap:
            # A field of padding takes two bytes at least.
            gap += _ALIGNED if gap < 2 else 0
            prefix = _PADDING + bytes([gap - 2]) + bytes(gap - 2) + prefix
        buffers.append(prefix)
        buffers.extend(content)
        size += len(prefix) + length
    return buffers


def large_bytes(value: Any) -> int:
    """How many bytes of shared memory a value takes, 0 if it is small enough to be sent."""
    if isinstance(value, torch.Tensor):
        size = value.numel() * value.element_size()
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        size = value.nbytes
    else:
        return 0
    return 0 if size < _LARGE else -(-size // _SHARED_ALIGNED) * _SHARED_ALIGNED


def _put(memory: np.ndarray, content: Any) -> int:
    """Copies bytes to the beginning of memory; returns where the next go."""
    source = np.frombuffer(content, np.uint8)
    if source.size < _PARALLEL:
        memory[: source.size] = source
    else:
        # torch copies on several threads, which have to be woken for it.
        torch.from_numpy(memory[: source.size]).copy_(to_torch(source, uint8))
    return -(-source.size // _SHARED_ALIGNED) * _SHARED_ALIGNED


def _encode_tensor(header: Any, value: Any, dtype: DType) -> list[Any]:
    """The bytes of a value, and what is to be known to read them."""
    if dtype.name in ("resource", "variant"):
        raise errors.UnimplementedError(
            None, None, f"A tensor of type {dtype.name} belongs to its task and cannot be sent to another."
        )
    header.dtype = dtype.as_datatype_enum
    array = to_numpy(value, dtype)
    header.shape.extend(array.shape)
    if dtype.name == "string":
        texts = array.reshape(-1).tolist()
        header.lengths.extend(map(len, texts))
        return texts
    return [_bytes_of(array)] if array.size else []


def _bytes_of(array: np.ndarray) -> Any:
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    # One dimension of bytes: memoryviews know few types of elements.
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def decode(
    message_class: Any, data: Buffer, memory_of: Callable[[Any], np.ndarray | None] = lambda message: None
) -> tuple[Any, list[np.ndarray]]:
    """A message and its tensors, which lie in the message's own memory, or in that which it names.

    Args:
        message_class: of the message.
        data: what came.
        memory_of: the bytes that the sender shares, by the message without its tensors.

    Raises:
        InvalidArgumentError: for what is no such message, or whose tensors are not as its headers say.
    """
    pieces, contents = _split(data)
    try:
        message = message_class.FromString(pieces)
    except DecodeError as error:
        raise errors.InvalidArgumentError(None, None, f"Could not parse the message: {error}") from None
    inside = sum(not header.place for header in message.tensors)
    if inside != len(contents):
        raise errors.InvalidArgumentError(
            None, None, f"Expected the bytes of {inside} tensors, got those of {len(contents)}"
        )
    memory = memory_of(message)
    places = iter(contents)
    arrays = []
    for header in message.tensors:
        if not header.place:
            arrays.append(_decode_tensor(header, data, *next(places)))
        elif memory is None or not 0 < header.place <= memory.size:
            raise _malformed("it has no such shared memory")
        else:
            arrays.append(_decode_shared(header, memory[header.place - 1 :]))
    return message, arrays


def _split(data: Buffer) -> tuple[bytes, list[tuple[int, int]]]:
    """The fields but `contents` and `padding`, and from where to where each of the contents goes."""
    contents: list[tuple[int, int]] = []
    kept: list[Buffer] = []
    at, begin, size = 0, 0, len(data)
    while at < size:
        start = at
        tag, at = _read_varint(data, at)
        kind = tag & 7
        if kind == _LENGTH_DELIMITED:
            length, at = _read_varint(data, at)
            end = at + length
        elif kind in _WIDTHS:
            end = at + _WIDTHS[kind]
        elif kind == 0:
            _, end = _read_varint(data, at)
        else:
            raise _malformed(f"wire type {kind}")
        if end > size:
            raise _malformed("it ends in the middle of a field")
        if kind == _LENGTH_DELIMITED and tag >> 3 in (14, 15):
            kept.append(data[begin:start])
            begin = end
            if tag >> 3 == 15:
                contents.append((at, end))
                if len(contents) > _MOST_TENSORS:
                    raise _malformed(f"it has more than {_MOST_TENSORS} tensors")
        at = end
    kept.append(data[begin:])
    return b"".join(kept), contents


def _read_varint(data: Buffer, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        if at >= len(data) or shift > 63:
            raise _malformed("a number does not end")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def _malformed(what: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"Could not parse the message: {what}")


def _kind_of(header: Any) -> tuple[DType, np.dtype[Any], tuple[int, ...]]:
    """The type and the shape that a header tells."""
    try:
        dtype = as_dtype(header.dtype)
        numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    except (TypeError, KeyError):
        raise _malformed(f"no tensor has the type {header.dtype}") from None
    shape = tuple(header.shape)
    if any(size < 0 for size in shape) or len(shape) > _MOST_DIMENSIONS:
        raise _malformed(f"no tensor has the shape {list(shape[:8])}")
    if numpy_dtype.hasobject and dtype.name != "string":
        raise _malformed(f"tensors of type {dtype.name} are not sent")
    return dtype, numpy_dtype, shape


def _decode_tensor(header: Any, data: Buffer, start: int, end: int) -> np.ndarray:
    dtype, numpy_dtype, shape = _kind_of(header)
    count = math.prod(shape)
    if dtype.name == "string":
        return _decode_texts(header.lengths, shape, count, data, start, end)
    if count * numpy_dtype.itemsize != end - start:
        raise _malformed(f"a tensor of {count} elements of {dtype.name} has {end - start} bytes")
    if not count:
        return np.empty(shape, numpy_dtype)
    array = np.frombuffer(data, numpy_dtype, count, start)
    return np.asarray(_Owned(array, data)).reshape(shape)


def _decode_shared(header: Any, memory: np.ndarray) -> np.ndarray:
    dtype, numpy_dtype, shape = _kind_of(header)
    size = math.prod(shape) * numpy_dtype.itemsize
    if dtype.name == "string" or size > memory.size or (header.place - 1) % _SHARED_ALIGNED:
        raise _malformed(f"a tensor of {size} bytes does not lie in the shared memory")
    return memory[:size].view(numpy_dtype).reshape(shape)


class _Owned:
    """Memory of a message as an array that may be written to: nobody else has the message."""

    def __init__(self, array: np.ndarray, data: Buffer) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self._data = data


def _decode_texts(
    lengths: Sequence[int], shape: tuple[int, ...], count: int, data: Buffer, start: int, end: int
) -> np.ndarray:
    if len(lengths) != count or any(length < 0 for length in lengths) or sum(lengths) != end - start:
        raise _malformed("the lengths of texts do not fit")
    array = np.empty(count, dtype=object)
    for i, length in enumerate(lengths):
        array[i] = bytes(data[start : start + length])
        start += length
    return array.reshape(shape)


def values_of(arrays: Sequence[np.ndarray], headers: Sequence[Any]) -> list[Any]:
    """The kernels' values of decoded tensors."""
    return [to_torch(array, as_dtype(header.dtype)) for array, header in zip(arrays, headers, strict=True)]
