"""Tensors in messages: a header for each, and their bytes at the end of the message, which are not copied to be read.

A `StepRequest` or `StepResponse` is a protocol buffer message like any other. Its last field, `contents`, is written and
read here instead of by the library, which would copy each tensor twice: tensors are appended to the other fields as they
lie in memory, and arrays are made over the message as it came.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from headrace.core import errors
from headrace.core.dtypes import DType, as_dtype
from headrace.plan.values import to_numpy, to_torch

_PADDING = b"\x72"  # field 14, of bytes
_CONTENT = b"\x7a"  # field 15, of bytes
_ALIGNED = 16
_LENGTH_DELIMITED = 2
_WIDTHS = {1: 8, 5: 4}
# A message has that many tensors at most, and a tensor as many dimensions as TensorFlow's have.
_MOST_TENSORS = 1 << 16
_MOST_DIMENSIONS = 254


def encode(message: Any, values: Sequence[Any], dtypes: Sequence[DType]) -> bytes:
    """A message with tensors as bytes.

    Args:
        message: a `StepRequest` or `StepResponse` without tensors.
        values: the kernels' values.
        dtypes: of each its type.

    Raises:
        UnimplementedError: for a value that is no array, such as a handle.
    """
    contents: list[list[Any]] = []
    for value, dtype in zip(values, dtypes, strict=True):
        contents.append(_encode_tensor(message.tensors.add(), value, dtype.base_dtype))
    pieces: list[Any] = [message.SerializeToString()]
    size = len(pieces[0])
    for content in contents:
        length = sum(memoryview(piece).nbytes for piece in content)
        prefix = _CONTENT + _varint(length)
        gap = -(size + len(prefix)) % _ALIGNED
        if gap:
            # A field of padding takes two bytes at least.
            gap += _ALIGNED if gap < 2 else 0
            prefix = _PADDING + bytes([gap - 2]) + bytes(gap - 2) + prefix
        pieces.append(prefix)
        pieces.extend(content)
        size += len(prefix) + length
    return b"".join(pieces)


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


def decode(message_class: Any, data: bytes) -> tuple[Any, list[np.ndarray]]:
    """A message and its tensors, which lie in the message's own memory.

    Args:
        message_class: of the message.
        data: what came.

    Raises:
        InvalidArgumentError: for what is no such message, or whose tensors are not as its headers say.
    """
    pieces, contents = _split(data)
    try:
        message = message_class.FromString(pieces)
    except DecodeError as error:
        raise errors.InvalidArgumentError(None, None, f"Could not parse the message: {error}") from None
    if len(message.tensors) != len(contents):
        raise errors.InvalidArgumentError(
            None, None, f"Expected the bytes of {len(message.tensors)} tensors, got those of {len(contents)}"
        )
    return message, [
        _decode_tensor(header, data, start, end) for header, (start, end) in zip(message.tensors, contents, strict=True)
    ]


def _split(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The fields but `contents` and `padding`, and from where to where each of the contents goes."""
    contents: list[tuple[int, int]] = []
    kept: list[bytes] = []
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


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
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


def _decode_tensor(header: Any, data: bytes, start: int, end: int) -> np.ndarray:
    try:
        dtype = as_dtype(header.dtype)
        numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    except (TypeError, KeyError):
        raise _malformed(f"no tensor has the type {header.dtype}") from None
    shape = tuple(header.shape)
    if any(size < 0 for size in shape) or len(shape) > _MOST_DIMENSIONS:
        raise _malformed(f"no tensor has the shape {list(shape[:8])}")
    count = math.prod(shape)
    if dtype.name == "string":
        return _decode_texts(header.lengths, shape, count, data, start, end)
    if numpy_dtype.hasobject:
        raise _malformed(f"tensors of type {dtype.name} are not sent")
    if count * numpy_dtype.itemsize != end - start:
        raise _malformed(f"a tensor of {count} elements of {dtype.name} has {end - start} bytes")
    if not count:
        return np.empty(shape, numpy_dtype)
    array = np.frombuffer(data, numpy_dtype, count, start)
    return np.asarray(_Owned(array, data)).reshape(shape)


class _Owned:
    """Memory of a message as an array that may be written to: nobody else has the message."""

    def __init__(self, array: np.ndarray, data: bytes) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self._data = data


def _decode_texts(
    lengths: Sequence[int], shape: tuple[int, ...], count: int, data: bytes, start: int, end: int
) -> np.ndarray:
    if len(lengths) != count or any(length < 0 for length in lengths) or sum(lengths) != end - start:
        raise _malformed("the lengths of texts do not fit")
    array = np.empty(count, dtype=object)
    for i, length in enumerate(lengths):
        array[i] = data[start : start + length]
        start += length
    return array.reshape(shape)


def values_of(arrays: Sequence[np.ndarray], headers: Sequence[Any]) -> list[Any]:
    """The kernels' values of decoded tensors."""
    return [to_torch(array, as_dtype(header.dtype)) for array, header in zip(arrays, headers, strict=True)]
