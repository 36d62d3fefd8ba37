"""The V1 format: one table a file, with slices of tensors as messages, and what tensors there are under the empty key."""

from __future__ import annotations

import glob
import math
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import DataLossError, InternalError, InvalidArgumentError, NotFoundError, UnimplementedError
from headrace.files.checkpoint import slices, wire
from headrace.files.checkpoint.atomic import remove_abandoned, replacing
from headrace.files.checkpoint.slices import Dims, Slice
from headrace.files.checkpoint.table import Table, TableWriter, damaged
from headrace.files.checkpoint.wire import Damaged

_META_KEY = b""
# Above it a message cannot be parsed by protocol buffer libraries.
_MAX_BYTES = (1 << 31) - (1 << 20)

# Where a TensorProto keeps the values of a type: the number of the field and how they are packed.
_FLOAT, _DOUBLE, _INT, _STRING, _INT64, _BOOL, _HALF = 5, 6, 7, 8, 10, 11, 13
_SCOMPLEX, _DCOMPLEX = 9, 12
_FIELDS = {
    "float32": (_FLOAT, "<f4"),
    "float64": (_DOUBLE, "<f8"),
    "complex64": (_SCOMPLEX, "<f4"),
    "complex128": (_DCOMPLEX, "<f8"),
    **dict.fromkeys(("int32", "uint8", "int16", "int8", "uint16"), (_INT, None)),
    **dict.fromkeys(("qint8", "quint8", "qint32", "qint16", "quint16"), (_INT, None)),
    "int64": (_INT64, None),
    "bool": (_BOOL, None),
    "float16": (_HALF, None),
    "string": (_STRING, None),
}


@dataclass
class Stored:
    """What a file says of a tensor.

    Attributes:
        slices: the parts of it that are stored, each with the table it is in.
    """

    dtype: DType
    dims: Dims
    slices: list[tuple[Slice, Table]] = field(default_factory=list)


class SliceTables:
    """A checkpoint of the V1 format, in one file or several.

    Args:
        pattern: the path, or a pattern that the paths match.

    Raises:
        NotFoundError: if nothing matches.
        InvalidArgumentError: if there is no such folder.
        DataLossError: naming file and byte, here or when a part is read, if a file is damaged.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        paths = sorted(glob.glob(pattern))
        folder = os.path.dirname(pattern)
        if not paths and folder and not os.path.exists(folder):
            raise InvalidArgumentError(
                None,
                None,
                f"Unsuccessful TensorSliceReader constructor: Failed to get matching files on {pattern}: there is no folder "
                f"{folder}",
            )
        if not paths:
            raise NotFoundError(
                None,
                None,
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}",
            )
        self._tensors: dict[str, Stored] = {}
        for path in paths:
            if os.path.isdir(path):
                raise DataLossError(None, None, f"Unable to open table file {path}: it is a directory")
            self._load(Table(path))

    def _load(self, table: Table) -> None:
        found = table.find(_META_KEY)
        if found is None:
            raise damaged(table.path, 0, "there is no list of tensors")
        data, where = found
        try:
            for number, kind, meta in wire.fields(data):
                if number == 1 and kind == wire.VARINT:
                    raise NotFoundError(
                        None,
                        None,
                        f"{table.path} is the index of a checkpoint of the V2 format, whose name is without .index",
                    )
                if number == 1 and kind == wire.BYTES:
                    for inner, inner_kind, value in wire.fields(meta):
                        if inner == 1 and inner_kind == wire.BYTES:
                            self._add(table, value, where)
        except Damaged as error:
            raise damaged(table.path, where, str(error)) from None

    def _add(self, table: Table, data: memoryview, where: int) -> None:
        name, enum = "", 0
        dims: Dims = ()
        parts = []
        for number, kind, value in wire.fields(data):
            if number == 1 and kind == wire.BYTES:
                name = bytes(value).decode("utf-8", "surrogateescape")
            elif number == 2 and kind == wire.BYTES:
                dims = slices.read_shape(bytes(value))
            elif number == 3 and kind == wire.VARINT:
                enum = value
            elif number == 4 and kind == wire.BYTES:
                parts.append(slices.read_slice(value))
        try:
            dtype = as_dtype(enum)
        except TypeError:
            raise Damaged(f"{name} is of the unknown type {enum}") from None
        there = self._tensors.setdefault(name, Stored(dtype, dims))
        if there.dims != dims or there.dtype is not dtype:
            raise damaged(table.path, where, f"{name} has another shape or type here than in other files")
        for part in parts:
            if not slices.fits(part, dims):
                raise Damaged(f"a slice of {name} lies outside of it")
            there.slices.append((part, table))

    def names(self) -> list[str]:
        """The names of the tensors, sorted."""
        return sorted(self._tensors)

    def entry(self, name: str) -> Stored | None:
        """What is said of the tensor `name`, None if it is not there."""
        return self._tensors.get(name)

    def tensor(self, name: str, entry: Stored, part: Slice | None = None) -> np.ndarray:
        """The value of a tensor, or of a slice that lies within it."""
        spec = slices.resolved(slices.everything(len(entry.dims)) if part is None else part, entry.dims)
        dims = slices.extent(spec, entry.dims)
        overlapping = []
        for stored, table in entry.slices:
            within = slices.resolved(stored, entry.dims)
            shared = slices.overlap(spec, within)
            if shared is not None:
                overlapping.append((stored, slices.extent(within, entry.dims), table, shared))
        covered = sum(math.prod(place.stop - place.start for place in into) for _, _, _, (into, _) in overlapping)
        if covered < math.prod(dims):
            where = entry.slices[0][1].path if entry.slices else self.pattern
            raise damaged(where, 0, f"the slices of {name} do not cover it")
        # The slices prove that there is as much data as the shape says, before memory is taken for it.
        found = [(self._read_slice(name, entry.dtype, *item[:3]), item[3]) for item in overlapping]
        if len(found) == 1 and found[0][0].shape == dims:
            return found[0][0]
        array = slices.empty_array(dims, np.dtype(entry.dtype.as_numpy_dtype))
        for value, (into, out_of) in found:
            array[into] = value[out_of]
        return array

    def _read_slice(self, name: str, dtype: DType, part: Slice, dims: Dims, table: Table) -> np.ndarray:
        found = table.find(slices.slice_key(name, part))
        if found is None:
            raise damaged(table.path, 0, f"a slice of {name} is missing")
        data, where = found
        message = None
        try:
            for number, kind, saved in wire.fields(data):
                if number == 2 and kind == wire.BYTES:
                    for inner, inner_kind, value in wire.fields(saved):
                        if inner == 3 and inner_kind == wire.BYTES:
                            message = value
            flat = _values(b"" if message is None else message, dtype)
        except Damaged as error:
            raise damaged(table.path, where, str(error)) from None
        if flat.size != math.prod(dims):
            problem = f"a slice of {name} has {flat.size} values where its shape is {slices.bracketed(dims)}"
            raise damaged(table.path, where, problem)
        return flat.reshape(dims)


def _values(message: Any, dtype: DType) -> np.ndarray:
    if dtype.name not in _FIELDS:
        raise UnimplementedError(None, None, f"Reading data type {dtype.name} is not supported in V1 checkpoints.")
    field, packing = _FIELDS[dtype.name]
    parts: list[np.ndarray] = []
    texts: list[bytes] = []
    single: list[int] = []
    for number, kind, value in wire.fields(message):
        if number != field:
            continue
        if field == _STRING and kind == wire.BYTES:
            texts.append(bytes(value))
        elif kind == wire.BYTES and packing is not None:
            if len(value) % int(packing[-1]):
                raise Damaged("packed numbers that do not come out even")
            parts.append(np.frombuffer(value, packing))
        elif kind == wire.BYTES:
            parts.append(wire.unpack_varints(value))
        elif packing is not None:
            size = int(packing[-1])
            parts.append(np.frombuffer(value.to_bytes(size, "little"), packing))
        else:
            single.append(value)
    if field == _STRING:
        array = np.empty(len(texts), object)
        array[:] = texts
        return array
    if single:
        parts.append(np.array(single, np.uint64))
    flat = np.concatenate(parts) if parts else np.zeros(0, packing or np.uint64)
    if dtype.is_complex:
        if flat.size % 2:
            raise Damaged("complex numbers without an imaginary part")
        return flat.view(dtype.as_numpy_dtype)
    if dtype.name == "float16":
        return flat.astype(np.uint16).view(np.float16)
    if dtype.is_quantized:
        kind_ = dtype.as_numpy_dtype
        return flat.astype(kind_[0]).view(kind_)
    return flat.astype(dtype.as_numpy_dtype)


def _message(array: np.ndarray, dtype: DType) -> list[Any]:
    """The parts of a `TensorProto` with the values of an array."""
    field, packing = _FIELDS[dtype.name]
    flat = array.reshape(-1)
    if field == _STRING:
        texts = [item.encode() if isinstance(item, str) else bytes(item) for item in flat.tolist()]
        return [wire.bytes_field(_STRING, text) for text in texts]
    if not flat.size:
        return []
    if dtype.is_complex:
        flat = np.ascontiguousarray(flat).view("<f4" if dtype.name == "complex64" else "<f8")
    elif dtype.name == "float16":
        flat = np.ascontiguousarray(flat).view(np.uint16)
    elif dtype.is_quantized and flat.dtype.fields:
        flat = np.ascontiguousarray(flat).view(flat.dtype[0])
    packed = flat.astype(packing, copy=False).tobytes() if packing is not None else wire.pack_varints(flat)
    return [wire.bytes_head(field, len(packed)), packed]


class SliceTableWriter:
    """Collects tensors and slices and writes them as one file of the V1 format.

    Args:
        path: the file, which appears when `finish` is called.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._tensors: dict[str, tuple[DType, Dims, list[Slice]]] = {}
        self._data: dict[bytes, tuple[str, Slice, DType, np.ndarray]] = {}

    def add(self, name: str, dims: Dims, part: Slice, dtype: DType, array: np.ndarray) -> None:
        """Adds a slice of a tensor whose shape is `dims`; the array is not copied.

        Raises:
            UnimplementedError: if the format has no such type.
            InternalError: if it does not go with what was added before.
        """
        if dtype.name not in _FIELDS:
            raise UnimplementedError(None, None, f"Saving data type {dtype.name} not yet supported")
        there = self._tensors.setdefault(name, (dtype, dims, []))
        if there[0] is not dtype or there[1] != dims:
            raise InternalError(None, None, f"Mismatching shapes or types of the slices of {name}.")
        key = slices.slice_key(name, part)
        if key in self._data:
            raise InternalError(None, None, f"Overlapping slices of {name}.")
        there[2].append(part)
        self._data[key] = (name, part, dtype, array)

    def finish(self) -> None:
        """Writes the file.

        Raises:
            InvalidArgumentError: if a slice is too large for the format.
            OpError: if the file cannot be written.
        """
        remove_abandoned(os.path.dirname(self.path))
        with replacing(self.path) as file:
            table = TableWriter(file)
            table.add(_META_KEY, self._meta())
            for key in sorted(self._data):
                name, part, dtype, array = self._data[key]
                values = _message(array, dtype)
                size = sum(map(len, values))
                if size > _MAX_BYTES:
                    raise InvalidArgumentError(
                        None,
                        None,
                        f"Tensor slice is too large to serialize (conservative estimate: {size} bytes): {name}",
                    )
                head = wire.bytes_field(1, name.encode()) + wire.bytes_field(2, slices.slice_message(part))
                head += wire.bytes_head(3, size)
                table.add(key, wire.bytes_head(2, len(head) + size) + head, *values)
            table.finish()

    def _meta(self) -> bytes:
        metas = []
        for name in sorted(self._tensors):
            dtype, dims, parts = self._tensors[name]
            meta = wire.bytes_field(1, name.encode()) + wire.bytes_field(2, slices.shape_message(dims))
            meta += wire.number_field(3, dtype.as_datatype_enum)
            meta += b"".join(wire.bytes_field(4, slices.slice_message(part)) for part in parts)
            metas.append(wire.bytes_field(1, meta))
        versions = wire.bytes_field(2, wire.number_field(1, 1))
        return wire.bytes_field(1, b"".join(metas) + versions)
