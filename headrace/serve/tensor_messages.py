"""Arrays to the tensors of responses and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.core.dtypes import as_dtype
from headrace.messages.tensor_proto import array_of, array_to_proto

# The packed fields float_val and double_val: their numbers and the lengths of their elements.
_PACKED = {np.dtype(np.float32): 5, np.dtype(np.float64): 6}
# Elements that a message need not write out, because they repeat others; each that it writes takes a byte or more.
_MOST_REPEATED = 1 << 26
# No tensor has as many.
_TOO_MANY = 1 << 63
_LISTS = {
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "string": "string_val",
}
_LISTS |= dict.fromkeys(("int32", "int16", "int8", "uint8", "uint16"), "int_val")


def from_message(name: str, tensor: Any) -> np.ndarray:
    """The array of a request's tensor.

    Args:
        name: the input it is for.
        tensor: the `TensorProto`.

    Raises:
        InvalidArgumentError: if the message holds no tensor.
        ResourceExhaustedError: if it repeats one element so often that running it would take far more than sending it.
    """
    count = math.prod(dim.size for dim in tensor.tensor_shape.dim)
    if _MOST_REPEATED < count < _TOO_MANY and count > tensor.ByteSize():
        raise errors.ResourceExhaustedError(
            None, None, f"tensor of input {name} has {count} elements, which its {tensor.ByteSize()} bytes only repeat"
        )
    try:
        return array_of(tensor)
    except (TypeError, ValueError, OverflowError) as error:
        raise errors.InvalidArgumentError(None, None, f"tensor parsing error: {name}: {error}") from None


def fill_message(tensor: Any, array: np.ndarray, as_content: bool = False) -> None:
    """Writes an array into an empty `TensorProto`: every element, into the list of its type.

    Args:
        tensor: the message.
        array: the values.
        as_content: whether numbers are written as bytes, in `tensor_content`.
    """
    array = np.asarray(array)
    dtype = as_dtype(array.dtype)
    number = _PACKED.get(array.dtype)
    if as_content and array.dtype.kind in "fiubc":
        tensor.tensor_content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    elif number is not None:
        # The field as it is written: element by element takes a hundred times as long.
        data = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        tensor.MergeFromString(bytes([number << 3 | 2]) + _varint(len(data)) + data)
    elif dtype.name in _LISTS:
        getattr(tensor, _LISTS[dtype.name]).extend(array.reshape(-1).tolist())
    else:
        tensor.MergeFromString(array_to_proto(array).SerializeToString())
        return
    tensor.dtype = dtype.as_datatype_enum
    tensor.tensor_shape.SetInParent()
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)
