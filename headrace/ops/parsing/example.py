"""Example messages to tensors: ParseExample, ParseSingleExample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.parsing.batches import read_single
from headrace.kernels.parsing.columns import BadExample
from headrace.kernels.parsing.examples import check_defaults, columns_of, invalid, tensors_of
from headrace.kernels.parsing.layouts import Layouts

_TYPES = "{float, int64, string}"

parse_example_op = op(
    "ParseExample",
    "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
    "dense_defaults: *Tdense, *, Nsparse: int >= 0, Ndense: int >= 0, "
    f"sparse_types: list({_TYPES}), Tdense: list({_TYPES}), dense_shapes: list(shape) -> "
    "sparse_indices: Nsparse * int64, sparse_values: *sparse_types, sparse_shapes: Nsparse * int64, "
    "dense_values: *Tdense",
)
parse_single_example_op = op(
    "ParseSingleExample",
    "serialized: string, dense_defaults: *Tdense, *, num_sparse: int >= 0, sparse_keys: list(string), "
    f"dense_keys: list(string), sparse_types: list({_TYPES}), Tdense: list({_TYPES}), dense_shapes: list(shape) -> "
    "sparse_indices: num_sparse * int64, sparse_values: *sparse_types, sparse_shapes: num_sparse * int64, "
    "dense_values: *Tdense",
)
parse_example_op.on_host("dense_defaults", outputs=True)
parse_single_example_op.on_host("dense_defaults", outputs=True)


@parse_example_op.shape
def parse_example_shape(op):
    serialized = rank_is(op.inputs[0].dims, 1)
    rank_is(op.inputs[1].dims, 1)
    batch = None if serialized is None else serialized[0]
    sparse = op.attrs["Nsparse"]
    return [
        *[(None, 2)] * sparse,
        *[(None,)] * sparse,
        *[(2,)] * sparse,
        *[None if dims is None else (batch, *dims) for dims in op.attrs["dense_shapes"]],
    ]


@parse_single_example_op.shape
def parse_single_example_shape(op):
    rank_is(op.inputs[0].dims, 0)
    sparse = op.attrs["num_sparse"]
    return [*[(None, 1)] * sparse, *[(None,)] * sparse, *[(1,)] * sparse, *op.attrs["dense_shapes"]]


@parse_example_op.kernel
def parse_example_kernel(node):
    attrs = node.attrs
    count_sparse, count_dense = attrs["Nsparse"], attrs["Ndense"]
    keys = [value.constant for value in node.inputs[2 : 2 + count_sparse + count_dense]]
    known = None
    if all(key is not None for key in keys):
        items = [key.item() for key in keys]
        known = columns_of(items[:count_sparse], attrs["sparse_types"], items[count_sparse:], attrs)

    layouts = Layouts()

    def parse(serialized, names, *rest):
        sparse, dense = known or columns_of(
            [boxed(key).item() for key in rest[:count_sparse]],
            attrs["sparse_types"],
            [boxed(key).item() for key in rest[count_sparse : count_sparse + count_dense]],
            attrs,
        )
        defaults = [to_array(value) for value in rest[count_sparse + count_dense :]]
        return _in_order(tensors_of(sparse, dense, defaults, serialized, names, layouts), len(sparse))

    return parse


# Of TensorFlow 2, whose SavedModels have it: all keys in one tensor a kind, and ragged features.
parse_example_v2_op = op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
    f"dense_defaults: *Tdense, *, Tdense: list({_TYPES}), num_sparse: int >= 0, sparse_types: list({_TYPES}), "
    f"ragged_value_types: list({_TYPES}), ragged_split_types: list({{int32, int64}}), dense_shapes: list(shape) -> "
    "sparse_indices: num_sparse * int64, sparse_values: *sparse_types, sparse_shapes: num_sparse * int64, "
    "dense_values: *Tdense, ragged_values: *ragged_value_types, ragged_row_splits: *ragged_split_types",
)
parse_example_v2_op.on_host("dense_defaults", outputs=True).not_differentiable()


@parse_example_v2_op.shape
def parse_example_v2_shape(op):
    serialized = op.inputs[0].dims
    batch = serialized[0] if serialized else None
    sparse, ragged = op.attrs["num_sparse"], len(op.attrs["ragged_value_types"])
    return [
        *[(None, 2)] * sparse,
        *[(None,)] * sparse,
        *[(2,)] * sparse,
        *[None if dims is None else (batch, *dims) for dims in op.attrs["dense_shapes"]],
        *[(None,)] * ragged,
        *[(None if batch is None else batch + 1,)] * ragged,
    ]


@parse_example_v2_op.kernel
def parse_example_v2_kernel(node):
    attrs = node.attrs
    layouts = Layouts()
    types = [*attrs["sparse_types"], *attrs["ragged_value_types"]]

    def parse(serialized, names, sparse_keys, dense_keys, ragged_keys, *values):
        keys = [*boxed(sparse_keys).tolist(), *boxed(ragged_keys).tolist()]
        columns, dense = columns_of(keys, types, boxed(dense_keys).tolist(), attrs)
        found = tensors_of(columns, dense, [to_array(value) for value in values], serialized, names, layouts)
        count = attrs["num_sparse"]
        ragged = found[count : len(columns)]
        splits = []
        for (indices, _, shape), dtype in zip(ragged, attrs["ragged_split_types"], strict=True):
            lengths = np.bincount(to_array(indices)[:, 0], minlength=int(to_array(shape)[0]))
            splits.append(to_tensor(np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.as_numpy_dtype)))
        ordered = _in_order([*found[:count], *found[len(columns) :]], count)
        return (*ordered, *[values for _, values, _ in ragged], *splits)

    return parse


@parse_single_example_op.kernel
def parse_single_example_kernel(node):
    attrs = node.attrs
    sparse, dense = columns_of(attrs["sparse_keys"], attrs["sparse_types"], attrs["dense_keys"], attrs)
    columns = [*sparse, *dense]
    absent = [None] * len(sparse)

    def parse(serialized, *defaults):
        arrays = [to_array(value) for value in defaults]
        check_defaults(dense, arrays)
        try:
            found = read_single(columns, boxed(serialized).item())
            outputs = [column.single(read, default) for column, read, default in zip(columns, found, absent + arrays)]
        except BadExample as error:
            raise invalid(error.single.format(where="", comma="", index="")) from None
        return _in_order(outputs, len(sparse))

    return parse


def _in_order(outputs: list[tuple[Any, ...]], sparse: int) -> tuple[Any, ...]:
    """Each column's outputs as the op gives them: all indices, all values, all shapes, all dense values."""
    parts = outputs[:sparse]
    return (
        *[part[0] for part in parts],
        *[part[1] for part in parts],
        *[part[2] for part in parts],
        *[part[0] for part in outputs[sparse:]],
    )


def sparse_and_dense(specs_keys: tuple[list[str], list[str]], parts: Sequence[Any]) -> dict[str, Any]:
    """The outputs of a parsing op by key: sparse tensors of indices, values and shapes; and dense tensors."""
    sparse_keys, dense_keys = specs_keys
    indices, values, shapes, dense = parts
    found: dict[str, Any] = {
        key: SparseTensor(*one) for key, one in zip(sparse_keys, zip(indices, values, shapes, strict=True))
    }
    found.update(zip(dense_keys, dense))
    return found


parse_single_example_op.accepts(
    np.array(b"", object),
    [np.array([1.0], np.float32)],
    num_sparse=0,
    sparse_keys=[],
    dense_keys=["x"],
    sparse_types=[],
    dense_shapes=[[1]],
)


def _record(**features: tuple[int, bytes]) -> bytes:
    """An Example: by key the field of Feature (1 bytes, 2 floats, 3 ints) and the list in it, serialized."""
    entries = b""
    for key, (kind, values) in features.items():
        feature = bytes([kind << 3 | 2, len(values)]) + values
        entry = bytes([10, len(key)]) + key.encode() + bytes([18, len(feature)]) + feature
        entries += bytes([10, len(entry)]) + entry
    return bytes([10, len(entries)]) + entries


_FLOATS = (2, b"\x0a\x08" + np.array([1.5, 2.0], "<f4").tobytes())
_INTS = (3, b"\x0a\x03\x01\x02\x03")
_RECORDS = np.array([_record(x=_FLOATS, n=_INTS), _record(x=_FLOATS)], object)
_NO_NAMES = np.zeros([0], object)
_DENSE = {"Tdense": ["float32"], "dense_shapes": [[2]]}
_ABSENT = [np.zeros([0], np.float32)]
_OF_BOTH = (_RECORDS, _NO_NAMES, [b"n"], [b"x"])
parse_example_op.accepts(*_OF_BOTH, _ABSENT, sparse_types=["int64"], **_DENSE)
parse_example_op.accepts(
    _RECORDS,
    _NO_NAMES,
    [],
    [b"n", b"y"],
    [np.int64(7), [2]],
    sparse_types=[],
    Tdense=["int64", "float32"],
    dense_shapes=[[None], [2]],
)
parse_example_op.rejects(
    _RECORDS, _NO_NAMES, [b"n"], [b"y"], _ABSENT, sparse_types=["int64"], **_DENSE, error=InvalidArgumentError
)
parse_example_op.rejects(*_OF_BOTH, _ABSENT, sparse_types=["string"], **_DENSE, error=InvalidArgumentError)
_KEYS = (np.array([b"n"], object), np.array([b"x"], object), np.array([b"m"], object))
parse_example_v2_op.accepts(
    _RECORDS,
    _NO_NAMES,
    *_KEYS,
    _ABSENT,
    num_sparse=1,
    sparse_types=["int64"],
    ragged_value_types=["int64"],
    ragged_split_types=["int32"],
    **_DENSE,
)
