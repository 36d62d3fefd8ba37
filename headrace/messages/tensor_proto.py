"""TensorProto: arrays in protocol buffers, written and read.

A TensorProto holds its elements either as raw little-endian bytes or in a list of numbers, whose last one
stands for all that are missing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import bracketed
from headrace.core.dtypes import DType, as_dtype
from headrace.core.values import are_overlooked, require_shape, to_array
from headrace.files.checkpoint.wire import Damaged, read_varint
from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


__all__ = ["MakeNdarray", "array_to_proto", "make_tensor_proto"]

_FIELD = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "bool": "bool_val",
    "string": "string_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "float16": "half_val",
    "bfloat16": "half_val",
} | dict.fromkeys(
    ("int32", "uint8", "int16", "int8", "uint16", "qint8", "quint8", "qint32", "qint16", "quint16"), "int_val"
)

# TensorFlow writes several elements of these as bytes, of the others always as a list.
_AS_BYTES = frozenset(_FIELD) - {"bool", "string", "uint16", "complex64", "complex128", "float16", "bfloat16"}


def make_tensor_proto(
    values: TensorLike | protos.TensorProto | None,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> protos.TensorProto:
    """A TensorProto of Python or NumPy values.

    Args:
      values: a scalar, string, nested list, array; a TensorProto is returned as it is.
      dtype: the wanted type; see `core.values.to_array` for what fits.
      shape: the wanted shape; the last element is repeated as often as needed.
      verify_shape: refuse values that are not of `shape`.
      allow_broadcast: refuse values that are neither one for all elements nor as many as `shape` has.

    Returns:
      a TensorProto.

    Raises:
      TypeError: values that do not fit `dtype`, or under the flags above, `shape`.
      ValueError: more values than `shape` holds; both flags at once.

    Example:
      >>> make_tensor_proto([1, 2], shape=[3]).int_val
      [1, 2]
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, protos.TensorProto):
        return values
    if shape is None:
        array = to_array(values, dtype, copy=False)
        return _proto(array, _dtype_of(array, dtype), array.shape)
    dims = tuple(int(size) for size in shape)
    count = math.prod(dims)
    if are_overlooked(values, dims):
        array = to_array(values, dtype, dims)
    else:
        array = to_array(values, dtype, copy=False)
    if verify_shape or allow_broadcast:
        require_shape(array.shape, dims, spread=allow_broadcast)
    elif array.size > count:
        raise ValueError(f"Too many elements provided. Needed at most {count}, but received {array.size}")
    return _proto(array, _dtype_of(array, dtype), dims)


def array_to_proto(array: np.ndarray, dtype: DType | None = None) -> protos.TensorProto:
    """A TensorProto of an array as `to_array` returns it.

    An array of one element over and over is written as that element.
    """
    dims = array.shape
    if _is_one_element(array):
        array = array[(slice(0, 1),) * array.ndim]
    return _proto(array, as_dtype(array.dtype) if dtype is None else dtype, dims)


def _is_one_element(array: np.ndarray) -> bool:
    """Whether an array is one element over and over: by its strides, or, of floats, by its bytes.

    `tf.zeros` and constants that are given a shape make such arrays; 1.x writes their one element only. Lists of
    equal integers are mostly sizes, which it writes in full.
    """
    if array.size <= 1:
        return False
    if not any(stride for stride, size in zip(array.strides, array.shape) if size > 1):
        return True
    return array.dtype.kind == "f" and array.tobytes() == array.reshape(-1)[:1].tobytes() * array.size


def _dtype_of(array: np.ndarray, dtype: DTypeLike | None) -> DType:
    return as_dtype(array.dtype) if dtype is None else as_dtype(dtype).base_dtype


def _proto(array: np.ndarray, dtype: DType, dims: tuple[int, ...]) -> protos.TensorProto:
    proto = protos.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in dims:
        proto.tensor_shape.dim.add(size=size)
    name = dtype.name
    if name in _AS_BYTES and array.size > 1 and array.size == math.prod(dims):
        proto.tensor_content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return proto
    flat = array.reshape(-1)
    if name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    elif dtype.is_complex:
        flat = flat.view(dtype.real_dtype.as_numpy_dtype)
    elif dtype.is_quantized:
        flat = flat[name]
    getattr(proto, _FIELD[name]).extend(flat.tolist())
    return proto


def MakeNdarray(tensor: protos.TensorProto) -> np.ndarray:
    """The array that a TensorProto holds; strings as an object array of `bytes`.

    One element that stands for more than 2 GiB is not written out: the array is a view of it that cannot be written.

    Raises:
      TypeError: resources, variants and references have no array.
      ValueError: the number of elements does not fit the shape.

    Example:
      >>> MakeNdarray(make_tensor_proto([[1.0, 2.0]]))
      array([[1., 2.]], dtype=float32)
    """
    array = array_of(tensor)
    if (array.flags.writeable and array.flags.owndata) or array.nbytes > _LARGEST_PADDED:
        return array
    return array.copy()


# In bytes. A message is at most this large, so that only what is repeated can make an array larger.
_LARGEST_PADDED = 1 << 31
# In bytes. What is serialized mostly has its elements one by one; so much may be one of them again and again.
_MOST_REPEATED = 1 << 29
# As in TensorFlow, of whose shapes the sizes before a 0 count too.
_MAX_DIMENSIONS = 254
_MAX_ELEMENTS = 2**63 - 1
# Up to so many elements are written out: that is quicker than saying that they are all one.
_SMALL = 4096
# Types of which a number in a message is an element as it stands.
_SINGLE = frozenset(("float32", "float64", "int32", "int64", "bool"))


def array_of(tensor: protos.TensorProto) -> np.ndarray:
    """`MakeNdarray` for one who does not write: one element that stands for all takes the memory of one.

    Raises:
      TypeError, ValueError: as `MakeNdarray`; ValueError too if repeating the last of several elements would take more
        memory than any message.
    """
    dims = tuple(dim.size for dim in tensor.tensor_shape.dim)
    dtype = as_dtype(tensor.dtype)
    name = dtype.name
    if name not in _FIELD:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}")
    if dims and min(dims) < 0:
        raise ValueError(f"A TensorProto must have a fully known shape, not {list(dims)}.")
    _check_dims(dims)
    count = math.prod(dims)
    if tensor.tensor_content:
        flat = _from_bytes(tensor.tensor_content, dtype, count)
    else:
        flat = _from_list(getattr(tensor, _FIELD[name]), dtype)
    if flat.size > count or (tensor.tensor_content and flat.size != count):
        raise ValueError(f"The TensorProto holds {flat.size} elements, its shape {list(dims)} asks for {count}.")
    if flat.size < count:
        if flat.size <= 1:
            empty = b"" if name == "string" else np.zeros((), flat.dtype)
            one = np.empty(1, flat.dtype)
            one[:] = flat if flat.size else empty
            if count > _SMALL:
                return np.broadcast_to(one, dims)
            full = np.empty(dims, flat.dtype)
            full[...] = one[0]
            return full
        if count * flat.dtype.itemsize > _LARGEST_PADDED:
            raise ValueError(f"The TensorProto holds {flat.size} elements, its shape {list(dims)} asks for {count}.")
        full = np.empty(count, flat.dtype)
        full[: flat.size] = flat
        full[flat.size :] = flat[-1]
        flat = full
    return flat.reshape(dims)


def bounded_array_of(tensor: protos.TensorProto, size: int) -> np.ndarray:
    """`array_of` a message of `size` bytes that comes from a file and is going to be written out.

    Raises:
      TypeError, ValueError: as `array_of`; ValueError too if a few elements stand for far more memory than the message.
    """
    array = array_of(tensor)
    if array.nbytes > _MOST_REPEATED + size:
        raise ValueError(f"{size} bytes that stand for a tensor of {array.nbytes}")
    return array


def _check_dims(dims: tuple[int, ...]) -> None:
    """Raises ValueError for a shape that no tensor has."""
    if len(dims) > _MAX_DIMENSIONS:
        raise ValueError(f"Shape {bracketed(dims)} has too many dimensions")
    count = 1
    for size in dims:
        count *= size
        if count > _MAX_ELEMENTS:
            raise ValueError(f"Shape {bracketed(dims)} is too large (more than 2**63 - 1 entries)")


def _from_list(items: Any, dtype: DType) -> np.ndarray:
    if dtype.name == "string":
        flat = np.empty(len(items), object)
        flat[:] = list(items)
        return flat
    if len(items) == 1 and dtype.name in _SINGLE:
        flat = np.empty(1, dtype.as_numpy_dtype)
        flat[0] = items[0]
        return flat
    if dtype.name in ("float16", "bfloat16"):
        return np.array(items, np.uint16).view(dtype.as_numpy_dtype)
    if dtype.is_complex:
        parts = np.array(items, dtype.real_dtype.as_numpy_dtype)
        if parts.size % 2:
            raise ValueError(f"A TensorProto of {dtype.name} holds {parts.size} numbers, not pairs.")
        return parts.view(dtype.as_numpy_dtype)
    if dtype.is_quantized:
        storage = dtype.as_numpy_dtype[dtype.name]
        return np.array(items, np.int64).astype(storage).view(dtype.as_numpy_dtype)
    if _FIELD[dtype.name] == "int_val":
        return np.array(items, np.int64).astype(dtype.as_numpy_dtype)
    return np.array(items, dtype.as_numpy_dtype)


def _from_bytes(content: bytes, dtype: DType, count: int) -> np.ndarray:
    if dtype.name == "string":
        return _strings_from_bytes(content, count)
    stored = np.dtype(dtype.as_numpy_dtype)
    if len(content) % stored.itemsize:
        raise ValueError(f"{len(content)} bytes are no whole number of {dtype.name} elements.")
    if dtype.name == "bfloat16":  # has no byte order of its own
        return np.frombuffer(content, np.dtype("<u2")).astype(np.uint16).view(stored)
    return np.frombuffer(content, stored.newbyteorder("<")).astype(stored)


def _strings_from_bytes(content: bytes, count: int) -> np.ndarray:
    """The lengths of all strings as varints, then the strings, as TensorFlow's runtime writes them."""
    lengths = []
    position = 0
    try:
        for _ in range(count):
            length, position = read_varint(content, position)
            lengths.append(length)
    except Damaged:
        raise ValueError(f"The content ends before the lengths of {count} strings.") from None
    if position + sum(lengths) != len(content):
        raise ValueError(f"{count} strings take {position + sum(lengths)} bytes, the content has {len(content)}.")
    flat = np.empty(count, object)
    for index, length in enumerate(lengths):
        flat[index] = content[position : position + length]
        position += length
    return flat
