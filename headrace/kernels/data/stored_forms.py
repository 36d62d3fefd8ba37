"""Values as files hold them and as kernels have them; variants under the names of TensorFlow's types.

A sparse tensor is three variants with a tensor each. A ragged one is a variant with a tensor of variants: the splits of each
level, and the values. Optionals and lists of tensors have types of their own. Of a dataset there is only the name of the type,
in TensorFlow as here: writing it does not fail, and who reads the file gets an error in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype, variant
from headrace.files.checkpoint import wire
from headrace.files.checkpoint.wire import Damaged
from headrace.files.tensor_messages import TensorData, VariantData
from headrace.kernels.data.base import Dataset
from headrace.kernels.data.optional import Optional
from headrace.kernels.flow.persistent_list import PersistentList
from headrace.kernels.flow.tensor_list import TensorList
from headrace.kernels.host_values import boxed
from headrace.kernels.ragged.encoded import Encoded

_TENSOR = b"tensorflow::Tensor"
_DATASET = b"tensorflow::DatasetVariantWrapper"
_OPTIONAL = b"tensorflow::data::Optional"
_LIST = b"tensorflow::TensorList"


def stored_tensor(value: torch.Tensor) -> np.ndarray:
    """Numbers in their stored form."""
    if value.dtype is torch.bfloat16:
        return value.contiguous().view(torch.int16).numpy()
    return value.resolve_conj().resolve_neg().numpy() if value.is_complex() else value.numpy()


def stored_data(value: np.ndarray | torch.Tensor) -> TensorData:
    """A value whose type is not declared anywhere in its stored form."""
    if isinstance(value, torch.Tensor):
        return TensorData(as_dtype(value.dtype), stored_tensor(value))
    array = boxed(value)
    if all(isinstance(item, (bytes, str)) for item in array.reshape(-1).tolist()):
        return TensorData(as_dtype("string"), array)
    return TensorData(as_dtype("variant"), stored_variants(array))


def kernel_form(dtype: DType, array: np.ndarray) -> Any:
    """What a kernel takes of a stored form; for both, a single variant is the object itself."""
    if array.dtype != object:
        tensor = torch.from_numpy(array)
        return tensor.view(torch.bfloat16) if dtype.name == "bfloat16" else tensor
    if dtype.name != "variant":
        return array
    return _variants(array)


def stored_variants(array: np.ndarray) -> np.ndarray:
    """The variants of an array in their stored form.

    Raises:
        InternalError: if one is of a kind that is not kept in files.
    """
    return _each(_stored, array)


def _variants(array: np.ndarray) -> Any:
    """Stored variants as kernels take them, a single one without an array around it.

    Raises:
        InternalError: if one is of an unknown kind. DataLossError: if one is not what its kind should be.
    """
    if not array.ndim:
        return _kernel_form(array.item())
    return _each(_kernel_form, array)


def _each(function: Callable[..., Any], array: np.ndarray) -> np.ndarray:
    made = np.empty(array.size, object)
    for i, item in enumerate(array.reshape(-1).tolist()):
        made[i] = function(item)
    return made.reshape(array.shape)


# ---- to files ----


def _stored(value: object) -> VariantData:
    if isinstance(value, Encoded):
        parts = np.empty(len(value.splits) + 1, object)
        for i, part in enumerate((*value.splits, value.values)):
            parts[i] = _stored(part)
        return VariantData(_TENSOR, tensors=(TensorData(variant, parts),))
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return VariantData(_TENSOR, tensors=(stored_data(value),))
    if isinstance(value, Optional):
        components = () if value.element is None else tuple(stored_data(part) for part in value.element)
        return VariantData(_OPTIONAL, bytes([value.element is not None]), components)
    if isinstance(value, TensorList):
        return _stored_list(value)
    if isinstance(value, Dataset):
        return VariantData(_DATASET)
    raise errors.InternalError(None, None, f"A variant of the kind {type(value).__name__} cannot be written to a file.")


def _stored_list(value: TensorList) -> VariantData:
    """A list: which elements were never set, the type, the limit and the shape of the elements; and those that were set."""
    items = list(value.values.items())
    missing = [i for i, item in enumerate(items) if item is None]
    numbers = [len(missing), *missing, value.dtype.as_datatype_enum, value.limit]
    metadata = b"".join(map(wire.varint, numbers)) + _shape_message(value.dims)
    return VariantData(_LIST, metadata, tuple(stored_data(item) for item in items if item is not None))


def _shape_message(dims: Dims) -> bytes:
    if dims is None:
        return wire.number_field(3, 1)
    return b"".join(wire.bytes_field(2, wire.number_field(1, -1 if size is None else size)) for size in dims)


# ---- from files ----


def _kernel_form(data: VariantData) -> Any:
    try:
        if data.type_name == _TENSOR:
            return _tensor(data)
        if data.type_name == _OPTIONAL:
            return _optional(data)
        if data.type_name == _LIST:
            return _list(data)
    except Damaged as error:
        raise errors.DataLossError(None, None, f"A variant of the type {_name(data)} is damaged: {error}") from None
    more = " Datasets are not kept in files." if data.type_name == _DATASET else ""
    raise errors.InternalError(None, None, f'Could not decode variant with type_name: "{_name(data)}".{more}')


def _name(data: VariantData) -> str:
    return data.type_name.decode("utf-8", "replace")


def _tensor(data: VariantData) -> Encoded | np.ndarray | torch.Tensor:
    if len(data.tensors) != 1:
        raise Damaged(f"it has {len(data.tensors)} tensors")
    dtype, array = data.tensors[0]
    if dtype is not variant:
        return kernel_form(dtype, array)
    if array.ndim != 1 or not array.size:
        raise Damaged(f"a ragged tensor of parts of the shape {list(array.shape)}")
    *splits, values = map(_kernel_form, array.tolist())
    if not isinstance(values, (torch.Tensor, np.ndarray)) or not values.ndim:
        raise Damaged("a ragged tensor whose values have no rows")
    # From the innermost: each level tells rows of the next.
    rows = len(values)
    for level in reversed(splits):
        if not isinstance(level, torch.Tensor) or level.dtype not in (torch.int64, torch.int32) or level.ndim != 1:
            raise Damaged("a ragged tensor whose splits are no vector of whole numbers")
        if not len(level) or int(level[0]) or bool((level[1:] < level[:-1]).any()) or int(level[-1]) != rows:
            raise Damaged("a ragged tensor whose splits do not fit its values")
        rows = len(level) - 1
    return Encoded(tuple(splits), values)


def _optional(data: VariantData) -> Optional:
    if data.metadata == b"\0" and not data.tensors:
        return Optional(None)
    if data.metadata != b"\1":
        raise Damaged("it does not say whether there is a value")
    return Optional(tuple(kernel_form(*tensor) for tensor in data.tensors))


def _list(data: VariantData) -> TensorList:
    metadata = data.metadata
    count, at = wire.read_varint(metadata, 0)
    # A number takes a byte at least.
    if count > len(metadata):
        raise Damaged(f"{count} elements are missing, by {len(metadata)} bytes")
    missing = set()
    for _ in range(count):
        index, at = wire.read_varint(metadata, at)
        missing.add(index)
    enum, at = wire.read_varint(metadata, at)
    limit, at = wire.read_varint(metadata, at)
    try:
        dtype = as_dtype(enum)
    except TypeError:
        raise Damaged(f"elements of the unknown type {enum}") from None
    dims = _read_shape(metadata[at:])
    total = len(missing) + len(data.tensors)
    if len(missing) != count or any(index >= total for index in missing):
        raise Damaged("elements are missing that there cannot be")
    present = iter(data.tensors)
    items: list[Any] = []
    for i in range(total):
        if i in missing:
            items.append(None)
            continue
        found, array = next(present)
        if found is not dtype:
            raise Damaged(f"an element of the type {found.name} in a list of {dtype.name}")
        items.append(kernel_form(found, array))
    return TensorList(dtype, dims, PersistentList(items), wire.signed(limit))


def _read_shape(message: bytes) -> Dims:
    dims: list[int | None] = []
    for number, kind, value in wire.fields(message):
        if number == 3 and kind == wire.VARINT and value:
            return None
        if number == 2 and kind == wire.BYTES:
            size = 0
            for inner, inner_kind, found in wire.fields(value):
                if inner == 1 and inner_kind == wire.VARINT:
                    size = wire.signed(found)
            dims.append(None if size < 0 else size)
    return tuple(dims)
