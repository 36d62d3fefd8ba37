"""Tensors as `TensorProto` bytes and back, by the wire format alone: nothing in such bytes is more than numbers and text.

Values have a stored form: an array of numbers, bfloat16 as int16 and quantized types as the integers they are stored in; an
object array of bytes for strings; and one of `VariantData` for variants. What a message claims is held against the bytes
that are there before memory is taken for it.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headrace.core.dtypes import DType, as_dtype
from headrace.files.checkpoint import slices, wire
from headrace.files.checkpoint.bundle import kind_fields
from headrace.files.checkpoint.slices import Dims
from headrace.files.checkpoint.wire import BYTES, FIXED32, FIXED64, VARINT, Damaged

# As deep as TensorFlow's own parser goes into messages, two of which make a variant.
_MAX_DEPTH = 50
# NumPy's bound, which is 64 in newer versions.
_MAX_DIMENSIONS = 32
_CONTENT, _VARIANTS = 4, 15
# From here on what is written is not copied one time more.
_LARGE = 1 << 14

# The field that lists the elements of a type, and how it packs them.
_LISTS = {
    "float32": (5, "<f4"),
    "float64": (6, "<f8"),
    "string": (8, None),
    "complex64": (9, "<f4"),
    "int64": (10, ""),
    "bool": (11, ""),
    "complex128": (12, "<f8"),
    "float16": (13, ""),
    "bfloat16": (13, ""),
    "uint32": (16, ""),
    "uint64": (17, ""),
} | dict.fromkeys(
    ("int32", "uint8", "int16", "int8", "uint16", "qint8", "quint8", "qint32", "qint16", "quint16"), (7, "")
)


class Kind(NamedTuple):
    """A type and a shape, and what follows: the number of elements, and the NumPy type of the stored form, None for objects."""

    dtype: DType
    dims: Dims
    elements: int
    stored: np.dtype | None


class TensorData(NamedTuple):
    """A tensor in its stored form."""

    dtype: DType
    array: np.ndarray


class VariantData(NamedTuple):
    """A variant as files hold it: the name of its type, and what is in it."""

    type_name: bytes
    metadata: bytes = b""
    tensors: tuple[TensorData, ...] = ()


@functools.cache
def stored_type(dtype: DType) -> np.dtype | None:
    """The NumPy type of the stored form, None for strings and what else is no number."""
    if dtype.name == "string" or not dtype.is_numpy_compatible:
        return None
    if dtype.name == "bfloat16":
        return np.dtype(np.int16)
    found = np.dtype(dtype.as_numpy_dtype)
    return found[0] if found.fields else found


@functools.lru_cache(maxsize=1024)
def read_kind(fields: bytes) -> Kind:
    """The type and shape in the fields that `kind_fields` writes.

    Raises:
        Damaged: if they are none, or none that can be.
    """
    enum = 0
    dims: Dims = ()
    for number, kind, value in wire.fields(fields):
        if number == 1 and kind == VARINT:
            enum = value
        elif number == 2 and kind == BYTES:
            dims = slices.read_shape(value)
    return kind_of(enum, dims)


def kind_of(enum: int, dims: Dims) -> Kind:
    """The type of a number and a shape.

    Raises:
        Damaged: if there is no such type, or no array of that shape.
    """
    try:
        dtype = as_dtype(enum)
    except TypeError:
        raise Damaged(f"a tensor of the unknown type {enum}") from None
    stored = stored_type(dtype)
    if dtype is not dtype.base_dtype or dtype.name == "resource":
        raise Damaged(f"a tensor of the type {dtype.name}")
    if len(dims) > _MAX_DIMENSIONS:
        raise Damaged(f"a tensor of {len(dims)} dimensions")
    # The strides of an empty array have to be numbers, too.
    if math.prod([size or 1 for size in dims]) * (stored.itemsize if stored else 8) >= 1 << 63:
        raise Damaged(f"a shape that cannot be: {slices.bracketed(dims)}")
    return Kind(dtype, dims, math.prod(dims), stored)


def head_size(message: bytes | memoryview) -> int:
    """How many bytes at the start of a message are its type and shape, as all who write such messages put them; 0 if not."""
    if len(message) > 3 and message[0] == 8 and message[1] < 0x80 and message[2] == 0x12 and message[3] < 0x80:
        return 4 + message[3]
    return 0


def check_bools(array: np.ndarray) -> None:
    """Raises Damaged if something in an array of bools is neither."""
    if array.size and array.view(np.uint8).max() > 1:
        raise Damaged("a bool that is neither true nor false")


# ---- writing ----


def tensor_message(dtype: DType, array: np.ndarray) -> bytes:
    """A `TensorProto` of a tensor in its stored form."""
    return b"".join(tensor_parts(dtype, array))


def tensor_parts(dtype: DType, array: np.ndarray) -> list[Any]:
    """What makes a `TensorProto` when it is joined; much content is the memory of the array."""
    head = kind_fields(dtype, array.shape)
    if array.dtype != object:
        content = array.tobytes() if array.nbytes < _LARGE else as_bytes(array).data
    elif dtype.name == "string":
        items = array.reshape(-1).tolist()
        content = b"".join([*[wire.varint(len(item)) for item in items], *items])
    else:
        items = [wire.bytes_field(_VARIANTS, variant_message(item)) for item in array.reshape(-1).tolist()]
        return [head, *items]
    return [head, wire.bytes_head(_CONTENT, len(content)), content] if content else [head]


def as_bytes(array: np.ndarray) -> np.ndarray:
    """The bytes of an array of numbers, without a copy where they lie in order."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def variant_message(value: VariantData) -> bytes:
    """A `VariantTensorDataProto`."""
    parts = [wire.bytes_field(1, value.type_name)]
    if value.metadata:
        parts.append(wire.bytes_field(2, value.metadata))
    parts += [wire.bytes_field(3, tensor_message(*tensor)) for tensor in value.tensors]
    return b"".join(parts)


# ---- reading ----


def read_tensor(message: bytes | memoryview, depth: int = 0) -> TensorData:
    """The tensor in a `TensorProto`, in memory of its own.

    Args:
        message: bytes, or a view of some.
        depth: how many variants it is in.

    Raises:
        Damaged: if it is none.
    """
    head = head_size(message)
    if head and len(message) > head and message[head] == _CONTENT << 3 | BYTES:
        # As `tensor_message` puts it.
        kind = read_kind(bytes(message[:head]))
        size, at = wire.read_varint(message, head + 1)
        if at + size == len(message):
            return TensorData(kind.dtype, _of_content(kind, message[at:]))
    enum = 0
    dims: Dims = ()
    content: bytes = b""
    lists: list[tuple[int, int, Any]] = []
    for number, form, value in wire.fields(message):
        if number == 1 and form == VARINT:
            enum = value
        elif number == 2 and form == BYTES:
            dims = slices.read_shape(bytes(value))
        elif number == _CONTENT and form == BYTES:
            content = value
        elif number > _CONTENT:
            lists.append((number, form, value))
    kind = kind_of(enum, dims)
    if len(content):
        return TensorData(kind.dtype, _of_content(kind, content))
    if kind.dtype.name == "variant":
        items = [
            read_variant(value, depth + 1) for number, form, value in lists if (number, form) == (_VARIANTS, BYTES)
        ]
        return TensorData(kind.dtype, objects(items, kind))
    return TensorData(kind.dtype, _of_lists(kind, lists))


def _of_content(kind: Kind, content: bytes | memoryview) -> np.ndarray:
    if kind.stored is None:
        if kind.dtype.name != "string":
            raise Damaged(f"a tensor of the type {kind.dtype.name} with bytes for content")
        return objects(_strings(content, kind.elements), kind)
    if len(content) != kind.elements * kind.stored.itemsize:
        raise Damaged(f"{len(content)} bytes for a tensor of the shape {slices.bracketed(kind.dims)}")
    if not kind.elements:
        return np.empty(kind.dims, kind.stored)
    array = np.frombuffer(bytearray(content), kind.stored).reshape(kind.dims)
    if kind.stored.kind == "b":
        check_bools(array)
    return array


def _strings(content: bytes | memoryview, count: int) -> list[bytes]:
    """The lengths of all strings, then the strings."""
    data = bytes(content)
    # A length takes a byte at least.
    if count > len(data):
        raise Damaged(f"{len(data)} bytes for {count} strings")
    lengths, at = wire.read_lengths(data, count)
    if at + sum(lengths) != len(data):
        raise Damaged(f"{count} strings that do not fill their {len(data)} bytes")
    text = io.BytesIO(data)
    text.seek(at)
    return list(map(text.read, lengths))


def objects(items: Sequence[Any], kind: Kind) -> np.ndarray:
    """Items as an object array; Damaged if the shape takes another number of them."""
    if len(items) != kind.elements:
        raise Damaged(f"{len(items)} elements for a tensor of the shape {slices.bracketed(kind.dims)}")
    array = np.empty(kind.elements, object)
    # One by one: an item may look like a sequence.
    for i, item in enumerate(items):
        array[i] = item
    return array.reshape(kind.dims)


def _of_lists(kind: Kind, lists: list[tuple[int, int, Any]]) -> np.ndarray:
    name = kind.dtype.name
    field, packing = _LISTS[name]
    found = [(form, value) for number, form, value in lists if number == field]
    if kind.stored is None:
        return objects([bytes(value) for form, value in found if form == BYTES], kind)
    assert packing is not None
    parts = [_numbers(form, value, packing) for form, value in found]
    flat = np.concatenate(parts) if parts else np.zeros(0, packing or np.uint64)
    if kind.dtype.is_complex:
        if flat.size % 2:
            raise Damaged(f"{flat.size} numbers for complex ones")
        flat = flat.view(kind.stored)
    elif name in ("float16", "bfloat16"):
        flat = flat.astype(np.uint16).view(kind.stored)
    elif not packing:
        flat = flat.astype(kind.stored)
    if flat.size != kind.elements:
        raise Damaged(f"{flat.size} elements for a tensor of the shape {slices.bracketed(kind.dims)}")
    return flat.reshape(kind.dims)


def _numbers(form: int, value: Any, packing: str) -> np.ndarray:
    """The numbers in one field of a list: several packed, or a single one."""
    if not packing:
        if form == VARINT:
            return np.array([value], np.uint64)
        if form == BYTES:
            return wire.unpack_varints(value)
    elif form == BYTES and len(value) % int(packing[2]) == 0:
        return np.frombuffer(value, packing)
    elif form == (FIXED32 if packing == "<f4" else FIXED64):
        return np.frombuffer(value.to_bytes(int(packing[2]), "little"), packing)
    raise Damaged("elements of a tensor that are not packed as its type is")


def read_variant(message: bytes, depth: int = 0) -> VariantData:
    """The variant in a `VariantTensorDataProto`; Damaged if it is none."""
    if depth > _MAX_DEPTH:
        raise Damaged(f"variants within variants, more than {_MAX_DEPTH} deep")
    name = metadata = b""
    tensors = []
    for number, form, value in wire.fields(message):
        if form != BYTES:
            continue
        if number == 1:
            name = bytes(value)
        elif number == 2:
            metadata = bytes(value)
        elif number == 3:
            tensors.append(read_tensor(value, depth))
    return VariantData(name, metadata, tuple(tensors))
