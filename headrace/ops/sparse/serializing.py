"""Sparse tensors as single tensors: three cells with the indices, the values and the dense shape, and back."""

from __future__ import annotations

import math

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.dtypes import as_dtype, int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.core.shapes import TensorShape
from headrace.files.checkpoint.wire import Damaged, pack_varints, read_varint
from headrace.kernels.ranks import ranked
from headrace.messages import protos
from headrace.messages.tensor_proto import bounded_array_of

serialize_sparse = op(
    "SerializeSparse",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64, *, T: type, out_type: {string, variant} = string -> "
    "serialized_sparse: out_type",
)
serialize_many_sparse = op(
    "SerializeManySparse",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64, *, T: type, out_type: {string, variant} = string -> "
    "serialized_sparse: out_type",
)
deserialize_sparse = op(
    "DeserializeSparse",
    "serialized_sparse: Tserialized, *, dtype: type, Tserialized: {string, variant} = string -> sparse_indices: int64, "
    "sparse_values: dtype, sparse_shape: int64",
)
deserialize_many_sparse = op(
    "DeserializeManySparse",
    "serialized_sparse: string, *, dtype: type -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
)
# Datasets of sparse tensors are made of such variants.
for _decl in (serialize_sparse, serialize_many_sparse):
    _decl.remembered()
for _decl in (serialize_sparse, serialize_many_sparse, deserialize_sparse, deserialize_many_sparse):
    # A variant holds the parts themselves.
    _decl.on_host(*[arg.name for arg in _decl.signature.inputs], outputs=True).aliases()


@serialize_sparse.shape
@ranked(2, 1, 1)
def serialize_sparse_shape(op):
    return [(3,)]


@serialize_many_sparse.shape
@ranked(2, 1, 1)
def serialize_many_sparse_shape(op):
    return [(None, 3)]


@deserialize_many_sparse.shape
def deserialize_many_sparse_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
    if dims is not None and dims[1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {dims[1]}")
    return [(None, None), (None,), (None,)]


@deserialize_sparse.shape
@ranked((1, None))
def deserialize_sparse_shape(op):
    dims = op.inputs[0].dims
    if dims and dims[-1] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {dims[-1]}")
    return [(None, None), (None,), (None,)]


def _packed(parts, as_text, dtype):
    out = np.empty(3, object)
    for i, part in enumerate(parts):
        out[i] = _as_text(part, dtype if i == 1 else int64) if as_text else part
    return out


def _as_text(value, dtype):
    # What goes into one message alone is its bytes, however few they are; those of strings follow all their lengths.
    if isinstance(value, np.ndarray):
        lengths = np.array([len(text) for text in value.ravel()], np.int64)
        content = pack_varints(lengths) + b"".join(value.ravel())
    else:
        content = value.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    shape = TensorShape(value.shape).as_proto()
    proto = protos.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape, tensor_content=content)
    return proto.SerializeToString()


def _from_text(value):
    from google.protobuf.message import DecodeError

    try:
        proto = protos.TensorProto.FromString(value)
    except DecodeError:
        raise InvalidArgumentError(None, None, "Could not parse serialized proto") from None
    dtype, sizes = as_dtype(proto.dtype), [dim.size for dim in proto.tensor_shape.dim]
    if proto.tensor_content:
        whole = bytearray(proto.tensor_content)
        if dtype.name == "string":
            return _strings_of(whole, sizes)
        if dtype.torch is None or min(sizes, default=0) < 0 or len(whole) != dtype.size * math.prod(sizes):
            raise InvalidArgumentError(None, None, "Could not parse serialized proto")
        return torch.frombuffer(whole, dtype=dtype.torch).reshape(sizes)
    try:
        array = bounded_array_of(proto, len(value))
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"Could not parse serialized proto: {error}") from None
    return array.copy() if array.dtype == object else torch.from_numpy(np.array(array))


def _strings_of(content, sizes):
    """Strings whose lengths stand before them."""
    count, at, lengths = math.prod(sizes), 0, []
    try:
        while len(lengths) < count:
            length, at = read_varint(content, at)
            lengths.append(length)
    except Damaged:
        raise InvalidArgumentError(None, None, "Could not parse serialized proto") from None
    if min(sizes, default=0) < 0 or at + sum(lengths) != len(content):
        raise InvalidArgumentError(None, None, "Could not parse serialized proto")
    out = np.empty(count, object)
    for i, length in enumerate(lengths):
        out[i] = bytes(content[at : at + length])
        at += length
    return out.reshape(sizes)


@serialize_sparse.kernel
def serialize_sparse_kernel(node):
    as_text, dtype = node.attrs["out_type"].name == "string", node.attrs["T"]
    return lambda indices, values, shape: _packed((indices, values, shape), as_text, dtype)


@serialize_many_sparse.kernel
def serialize_many_sparse_kernel(node):
    as_text, dtype = node.attrs["out_type"].name == "string", node.attrs["T"]

    def serialize(indices, values, shape):
        if len(shape) < 2:
            raise InvalidArgumentError(
                None, None, f"SerializeManySparse: rank of the sparse tensor must be more than 1, got {len(shape)}"
            )
        count = int(shape[0])
        first = indices[:, 0].contiguous()
        if len(first) and (int(first[0]) < 0 or bool((first[1:] < first[:-1]).any()) or int(first[-1]) >= count):
            raise InvalidArgumentError(
                None, None, f"Received unexpected row: indices must be ordered and below {count}."
            )
        bounds = torch.searchsorted(first, torch.arange(count + 1)).tolist()
        out = np.empty((count, 3), object)
        for i in range(count):
            begin, end = bounds[i], bounds[i + 1]
            out[i] = _packed((indices[begin:end, 1:], values[begin:end], shape[1:]), as_text, dtype)
        return out

    return serialize


@deserialize_many_sparse.kernel
def deserialize_many_sparse_kernel(node):
    return _deserializer(node.attrs["dtype"], textual=True)


@deserialize_sparse.kernel
def deserialize_sparse_kernel(node):
    return _deserializer(node.attrs["dtype"], node.attrs["Tserialized"].name == "string")


def _deserializer(dtype, textual):
    def parts_of(cells, number=0):
        parts = [_from_text(cell) for cell in cells] if textual else list(cells)
        kind = "string" if isinstance(parts[1], np.ndarray) else str(parts[1].dtype).removeprefix("torch.")
        if kind != dtype.name and parts[1].dtype != dtype.torch:
            raise InvalidArgumentError(
                None,
                None,
                f"Requested SparseTensor of type {dtype.name} but SparseTensor[{number}].values.dtype() == {kind}",
            )
        return parts

    def deserialize(serialized):
        if not serialized.ndim or serialized.shape[-1] != 3:
            raise InvalidArgumentError(
                None,
                None,
                f"Serialized sparse should have 3 as the last dimension but has shape {list(serialized.shape)}",
            )
        outer = serialized.shape[:-1]
        if not outer:
            return tuple(parts_of(serialized))
        rows = [parts_of(cells, number) for number, cells in enumerate(serialized.reshape(-1, 3))]
        if not rows:
            empty = np.empty(0, object) if dtype.torch is None else torch.empty(0, dtype=dtype.torch)
            rank = len(outer)
            return torch.empty((0, rank), dtype=torch.int64), empty, torch.tensor(outer, dtype=torch.int64)
        rank = len(rows[0][2])
        for number, (_, _, shape) in enumerate(rows):
            if len(shape) != rank:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{number}] was: {rank} but rank of "
                    f"SparseTensor[{number}] is: {len(shape)}",
                )
        shape = torch.stack([row[2] for row in rows]).amax(0)
        places = np.stack(np.unravel_index(np.arange(len(rows)), outer), axis=1)
        indices = torch.cat(
            [
                torch.cat([torch.from_numpy(place).expand(len(row[0]), -1), row[0]], dim=1)
                for place, row in zip(places, rows)
            ]
        )
        values = [row[1] for row in rows]
        joined = torch.cat(values) if isinstance(values[0], torch.Tensor) else np.concatenate(values)
        return indices, joined, torch.cat([torch.tensor(outer, dtype=torch.int64), shape])

    return deserialize


_matrix = (np.array([[0, 1], [0, 3], [2, 0]], np.int64), [3], np.array([4, 5], np.int64))
for _decl in (serialize_sparse, serialize_many_sparse):
    _decl.accepts(*_matrix).accepts(*_matrix, out_type="variant").accepts(*_matrix, T="string")
    _decl.accepts(*_matrix, T="bfloat16").rejects([3], [3], [2], error=ValueError)
serialize_sparse.accepts(*_matrix, T="quint8")
deserialize_sparse.accepts(made("SerializeSparse", *_matrix), dtype="float32")
deserialize_sparse.accepts(made("SerializeManySparse", *_matrix), dtype="float32")
deserialize_sparse.accepts(made("SerializeSparse", *_matrix, T="string"), dtype="string")
deserialize_sparse.accepts(made("SerializeSparse", *_matrix, T="bfloat16"), dtype="bfloat16")
deserialize_sparse.accepts(made("SerializeSparse", *_matrix, out_type="variant"), dtype="float32")
deserialize_sparse.rejects(made("SerializeSparse", *_matrix), dtype="int32", error=InvalidArgumentError)
deserialize_many_sparse.accepts(made("SerializeManySparse", *_matrix), dtype="float32")
deserialize_many_sparse.rejects(made("SerializeSparse", *_matrix), dtype="float32", error=ValueError)
