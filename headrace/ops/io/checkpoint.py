"""Saving tensors to checkpoint files and restoring them, as operations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import made
from headrace.core.constant_value import constant_value
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.files.checkpoint import slices
from headrace.files.checkpoint.bundle import BundleReader, index_name
from headrace.files.checkpoint.bundle_writer import BundleWriter, merge
from headrace.files.checkpoint.reader import local_prefix
from headrace.files.checkpoint.slice_table import SliceTables, SliceTableWriter
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.host_values import boxed, mapped, to_array, to_tensor

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import NodeView


# Where what is restored only goes on to a variable, it may be the file's own pages: they are copied once, into the variable.
_COPYING = frozenset({"Assign", "AssignVariableOp"})
_PASSING = frozenset({"Identity", "Reshape"})


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _texts(value: np.ndarray, what: str, count: int) -> list[str]:
    array = boxed(value)
    if array.size != count:
        raise _invalid(f"Got {array.size} {what}, but {count} {'tensors' if count != 1 else 'tensor'}.")
    return [item.decode("utf-8", "surrogateescape") for item in array.reshape(-1).tolist()]


def _path(value: np.ndarray, what: str) -> str:
    array = boxed(value)
    if array.size != 1:
        raise _invalid(f"{what} should have 1 element, got shape {slices.bracketed(array.shape)}")
    return local_prefix(array.reshape(-1)[0])


def _names_and_specs(names: np.ndarray, specs: np.ndarray, count: int, counted: str) -> tuple[list[str], list[str]]:
    names, specs = boxed(names), boxed(specs)
    for array, what in ((names, "tensor_names"), (specs, "shape_and_slices")):
        if array.ndim != 1:
            raise _invalid(f"Input {what} should be an 1-D tensor, got shape {slices.bracketed(array.shape)} instead.")
    if names.size != specs.size:
        raise _invalid(
            f"tensor_names and shape_and_slices have different number of elements: {names.size} vs. {specs.size}"
        )
    if names.size != count:
        raise _invalid(f"Got {names.size} tensor names, but {count} {counted}.")
    return _texts(names, "tensor names", count), _texts(specs, "shapes and slices", count)


def _parsed(spec: str) -> tuple[slices.Dims, slices.Slice]:
    try:
        return slices.parse_shape_and_slice(spec)
    except ValueError as error:
        raise _invalid(str(error)) from None


def _stored_form(value: np.ndarray | torch.Tensor, dtype: DType) -> np.ndarray:
    """A kernel's value as the array that goes to the file."""
    array = to_array(value)
    if dtype.is_quantized:
        return np.ascontiguousarray(array).view(dtype.as_numpy_dtype)
    return array


def _kernel_form(array: np.ndarray, node: NodeView) -> np.ndarray | torch.Tensor:
    """An array from a file as a kernel's value."""
    if array.dtype == object:
        return array
    if array.dtype.fields:
        array = array.view(array.dtype[0])
    return to_tensor(array, node.device)


def _checked_slice(spec: str, array: np.ndarray) -> tuple[slices.Dims, slices.Slice]:
    dims, part = _parsed(spec)
    if slices.extent(part, dims) != array.shape:
        raise _invalid(
            "Slice in shape_and_slice specification does not match the shape of the tensor to  save: "
            f"{spec}, tensor: {slices.bracketed(array.shape)}"
        )
    return dims, part


# ---- the V2 format ----

save_v2 = op(
    "SaveV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, tensors: *dtypes, *, dtypes: list(type) >= 1 ->",
    stateful=True,
)
save_v2.on_host("prefix", "tensor_names", "shape_and_slices").writes_files()


@save_v2.shape
def save_v2_shape(op):
    for index, rank in enumerate((0, 1, 1)):
        rank_is(op.inputs[index].dims, rank)
    for index in (1, 2):
        dims = op.inputs[index].dims
        count = len(op.inputs) - 3
        if dims is not None and dims[0] is not None and dims[0] != count:
            raise ValueError(f"Dimension 0 in both shapes must be equal, but are {dims[0]} and {count}")
    return []


@save_v2.kernel
def save_v2_kernel(node):
    dtypes = node.attrs["dtypes"]

    def save(prefix, names, specs, *values):
        names, specs = _names_and_specs(names, specs, len(dtypes), "tensors")
        with BundleWriter(_path(prefix, "Input prefix")) as writer:
            for name, spec, dtype, value in zip(names, specs, dtypes, values):
                array = _stored_form(value, dtype)
                if spec:
                    dims, part = _checked_slice(spec, array)
                    writer.add_slice(name, dims, part, dtype, array)
                else:
                    writer.add(name, dtype, array)
            writer.finish()

    return save


restore_v2 = op(
    "RestoreV2",
    "prefix: string, tensor_names: string, shape_and_slices: string, *, dtypes: list(type) >= 1 -> tensors: *dtypes",
    stateful=True,
)
# What it gives may be the pages of a file, which is copied where it is fetched, as a view of an input would be.
restore_v2.on_host("prefix", "tensor_names", "shape_and_slices").aliases()


@restore_v2.shape
def restore_v2_shape(op):
    count = len(op.outputs)
    for index, rank in enumerate((0, 1, 1)):
        rank_is(op.inputs[index].dims, rank)
    names, specs = op.inputs[1].dims, op.inputs[2].dims
    if names is not None and specs is not None and None not in (names[0], specs[0]) and names[0] != specs[0]:
        raise ValueError(f"Dimension 0 in both shapes must be equal, but are {names[0]} and {specs[0]}")
    known = constant_value(op.inputs[2])
    if known is None or known.size != count:
        return [None] * count
    return [_spec_dims(spec) for spec in known.reshape(-1).tolist()]


def _spec_dims(spec: bytes) -> Any:
    if not spec:
        return None
    dims, part = slices.parse_shape_and_slice(spec.decode() if isinstance(spec, bytes) else spec)
    return slices.extent(part, dims)


@restore_v2.kernel
def restore_v2_kernel(node):
    dtypes = node.attrs["dtypes"]
    shared = [_only_copied(node, i) for i in range(len(dtypes))]

    def restore(prefix, names, specs):
        names, specs = _names_and_specs(names, specs, len(dtypes), "expected dtypes")
        path = _path(prefix, "Input prefix")
        if not os.path.exists(index_name(path)):
            source = SliceTables(path)
            arrays = [_restored_v1(source, *spec) for spec in zip(names, specs, dtypes)]
        else:
            reader = BundleReader(path)
            reader.prepare(len(names))
            # In the order in which they lie in the file; the first that is missing is the one TensorFlow names.
            found = {i: _restored(reader, names[i], specs[i], dtypes[i], shared[i]) for i in _by_name(names)}
            arrays = [found[i] for i in range(len(names))]
        return tuple(_kernel_form(array, node) for array in arrays)

    return restore


def _by_name(names: Sequence[str]) -> list[int]:
    return sorted(range(len(names)), key=names.__getitem__)


def _only_copied(node: NodeView, index: int) -> bool:
    """Whether an output of the node goes to variables only."""
    if node.origin is None:
        return False
    pending = [node.origin.outputs[index]]
    copied = False
    while pending:
        for consumer in pending.pop().consumers():
            if consumer.type in _COPYING:
                copied = True
            elif consumer.type in _PASSING:
                pending.append(consumer.outputs[0])
            else:
                return False
    return copied


def _restored(reader: BundleReader, name: str, spec: str, dtype: DType, shared: bool) -> np.ndarray:
    entry = reader.entry(name)
    if entry is None:
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint\nIn {reader.prefix}")
    if entry.dtype is not dtype:
        raise _invalid(
            f"tensor_name = {name}; expected dtype {_c_name(dtype)} does not equal original dtype {_c_name(entry.dtype)}\n"
            f"In {reader.prefix}"
        )
    if not spec:
        return reader.tensor(name, entry, shared=shared)
    dims, part = _parsed(spec)
    if dims != entry.dims:
        raise _invalid(
            f"tensor_name = {name}; shape in shape_and_slice spec {slices.bracketed(dims)} does not match the shape "
            f"stored in checkpoint: {slices.bracketed(entry.dims)}\nIn {reader.prefix}"
        )
    return reader.tensor(name, entry, part, shared)


def _c_name(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


merge_v2_checkpoints = op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string, destination_prefix: string, *, delete_old_dirs=True ->",
    stateful=True,
)
merge_v2_checkpoints.on_host("checkpoint_prefixes", "destination_prefix").writes_files()


@merge_v2_checkpoints.shape
def merge_v2_checkpoints_shape(op):
    rank_is(op.inputs[0].dims, 1)
    rank_is(op.inputs[1].dims, 0)
    return []


@merge_v2_checkpoints.kernel
def merge_v2_checkpoints_kernel(node):
    delete = node.attrs["delete_old_dirs"]

    def merged(prefixes, destination):
        merge(
            [local_prefix(item) for item in boxed(prefixes).reshape(-1).tolist()],
            _path(destination, "Input destination_prefix"),
            delete,
        )

    return merged


# ---- names of shards ----

sharded_filename = op(
    "ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string"
).on_host("shard", "num_shards", outputs=True)
sharded_filespec = op("ShardedFilespec", "basename: string, num_shards: int32 -> filename: string").on_host(
    "num_shards", outputs=True
)


@sharded_filename.shape
@sharded_filespec.shape
def sharded_name_shape(op):
    for index in range(len(op.inputs)):
        rank_is(op.inputs[index].dims, 0)
    return [()]


@sharded_filename.kernel
def sharded_filename_kernel(node):
    def name(basename, shard, shards):
        suffix = f"-{int(shard):05d}-of-{int(shards):05d}".encode()
        return mapped(lambda base: base + suffix, boxed(basename))

    return name


@sharded_filespec.kernel
def sharded_filespec_kernel(node):
    def name(basename, shards):
        suffix = f"-?????-of-{int(shards):05d}".encode()
        return mapped(lambda base: base + suffix, boxed(basename))

    return name


sharded_filename.accepts(b"model", np.int32(1), np.int32(3))
sharded_filespec.accepts(b"model", np.int32(3))


# ---- the V1 format ----

save = op("Save", "filename: string, tensor_names: string, data: *T, *, T: list(type) >= 1 ->", stateful=True)
save.on_host("filename", "tensor_names").writes_files()
save_slices = op(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: *T, *, T: list(type) >= 1 ->",
    stateful=True,
)
save_slices.on_host("filename", "tensor_names", "shapes_and_slices").writes_files()


@save.shape
@save_slices.shape
def save_shape(op):
    rank_is(op.inputs[0].dims, 0)
    names = 1 if op.type == "Save" else 2
    count = len(op.inputs) - 1 - names
    for value in op.inputs[1 : 1 + names]:
        dims = rank_is(value.dims, 1)
        if dims is not None and dims[0] is not None and dims[0] != count:
            raise ValueError(f"Dimension must be {count} but is {dims[0]}")
    return []


def _save_v1(
    path: str, names: Sequence[str], specs: Sequence[str], dtypes: Sequence[DType], values: Sequence[torch.Tensor]
) -> None:
    writer = SliceTableWriter(path)
    for name, spec, dtype, value in zip(names, specs, dtypes, values):
        array = _stored_form(value, dtype)
        dims, part = _checked_slice(spec, array) if spec else (array.shape, slices.everything(array.ndim))
        writer.add(name, dims, part, dtype, array)
    writer.finish()


@save.kernel
def save_kernel(node):
    dtypes = node.attrs["T"]

    def write(filename, names, *values):
        names = _texts(names, "tensor names", len(dtypes))
        _save_v1(_path(filename, "Input 0 (filename)"), names, [""] * len(names), dtypes, values)

    return write


@save_slices.kernel
def save_slices_kernel(node):
    dtypes = node.attrs["T"]

    def write(filename, names, specs, *values):
        names, specs = _texts(names, "tensor names", len(dtypes)), _texts(specs, "shapes and slices", len(dtypes))
        _save_v1(_path(filename, "Input 0 (filename)"), names, specs, dtypes, values)

    return write


# `preferred_shard` says which file of several to open first; all are opened here.
restore = op(
    "Restore", "file_pattern: string, tensor_name: string, *, dt: type, preferred_shard=-1 -> tensor: dt", stateful=True
)
restore.on_host("file_pattern", "tensor_name")
restore_slice = op(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string, *, dt: type, preferred_shard=-1 -> tensor: dt",
    stateful=True,
)
restore_slice.on_host("file_pattern", "tensor_name", "shape_and_slice")


@restore.shape
def restore_shape(op):
    for index in range(2):
        rank_is(op.inputs[index].dims, 0)
    return [None]


@restore_slice.shape
def restore_slice_shape(op):
    for index in range(3):
        rank_is(op.inputs[index].dims, 0)
    known = constant_value(op.inputs[2])
    return [None if known is None else _spec_dims(known.item())]


def _restored_v1(source: SliceTables, name: str, spec: str, dtype: DType) -> np.ndarray:
    entry = source.entry(name)
    if entry is None:
        raise NotFoundError(None, None, f'Tensor name "{name}" not found in checkpoint files {source.pattern}')
    if entry.dtype is not dtype:
        raise _invalid(
            f"Expected to restore a tensor of type {_c_name(dtype)}, got a tensor of type {_c_name(entry.dtype)} "
            f"instead: tensor_name = {name}"
        )
    if not spec:
        return source.tensor(name, entry)
    dims, part = _parsed(spec)
    if dims != entry.dims:
        raise _invalid(
            f"Shape in shape_and_slice spec does not match the shape in the save file: {slices.bracketed(dims)}, save "
            f"file shape: {slices.bracketed(entry.dims)}"
        )
    return source.tensor(name, entry, part)


@restore.kernel
@restore_slice.kernel
def restore_kernel(node):
    dtype = node.attrs["dt"]

    def read(pattern, name, spec=b""):
        source = SliceTables(_path(pattern, "Input 0 (file_pattern)"))
        (text,), (part,) = _texts(name, "tensor names", 1), _texts(spec, "shapes and slices", 1)
        return _kernel_form(_restored_v1(source, text, part, dtype), node)

    return read


_NAMES, _NO_SPECS = np.array([b"a", b"b"], object), np.array([b"", b""], object)
_VALUES = [np.array([[1.5, 2.0, 3.0]], np.float32), np.array([4, 5])]
_SAVED = made("SaveV2", b"model", _NAMES, _NO_SPECS, _VALUES)
_OF_V2 = {"dtypes": ["float32", "int64"]}
_PART = np.array([b"1 3 0,1:1,2"], object)
save_v2.accepts(b"model", _NAMES, _NO_SPECS, _VALUES, after=[made("RestoreV2", b"model", _NAMES, _NO_SPECS, **_OF_V2)])
save_v2.accepts(
    b"model",
    _NAMES[:1],
    _PART,
    [np.array([[2.0, 3.0]], np.float32)],
    after=[made("RestoreV2", b"model", _NAMES[:1], _PART, dtypes=["float32"])],
)
save_v2.rejects(b"model", _NAMES[:1], _PART, [np.array([[2.0]], np.float32)], error=InvalidArgumentError)
restore_v2.accepts(b"model", _NAMES, _NO_SPECS, before=[_SAVED], **_OF_V2)
restore_v2.accepts(b"model", _NAMES[:1], _PART, before=[_SAVED], dtypes=["float32"])
restore_v2.rejects(b"model", _NAMES, _NO_SPECS, **_OF_V2, error=NotFoundError)
restore_v2.rejects(
    b"model", np.array([b"c"], object), _NO_SPECS[:1], before=[_SAVED], dtypes=["int64"], error=NotFoundError
)
restore_v2.rejects(b"model", _NAMES[:1], _NO_SPECS[:1], before=[_SAVED], dtypes=["int64"], error=InvalidArgumentError)
merge_v2_checkpoints.accepts(
    np.array([b"model", b"more"], object),
    b"whole",
    before=[_SAVED, made("SaveV2", b"more", np.array([b"c"], object), _NO_SPECS[:1], [np.array([6.0])])],
    after=[made("RestoreV2", b"whole", np.array([b"b", b"c"], object), _NO_SPECS, dtypes=["int64", "float64"])],
)
merge_v2_checkpoints.rejects(np.array([b"model"], object), b"whole", error=NotFoundError)
_SAVED_V1 = made("Save", b"old", _NAMES, _VALUES)
save.accepts(b"old", _NAMES, _VALUES, after=[made("Restore", b"old", b"a", dt="float32")])
save.rejects(b"old", _NAMES[:1], _VALUES, error=ValueError)
save_slices.rejects(b"old", _NAMES, _PART, _VALUES, error=ValueError)
save_slices.accepts(
    b"old",
    _NAMES[:1],
    _PART,
    [np.array([[2.0, 3.0]], np.float32)],
    after=[made("RestoreSlice", b"old", b"a", b"1 3 0,1:2,1", dt="float32")],
)
restore.accepts(b"old", b"b", dt="int64", before=[_SAVED_V1])
restore.rejects(b"old", b"c", dt="int64", before=[_SAVED_V1], error=NotFoundError)
restore.rejects(b"old", b"b", dt="float32", before=[_SAVED_V1], error=InvalidArgumentError)
restore_slice.accepts(b"old", b"a", b"1 3 0,1:1,2", dt="float32", before=[_SAVED_V1])
restore_slice.rejects(b"old", b"a", b"2 3 0,1:1,2", dt="float32", before=[_SAVED_V1], error=InvalidArgumentError)
