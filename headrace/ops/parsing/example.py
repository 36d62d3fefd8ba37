"""Example messages to tensors: ParseExample, ParseSingleExample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.ops import composing
from headrace.ops.array.common import rank_is
from headrace.ops.host_values import boxed, to_array, to_tensor
from headrace.ops.parsing.batches import feature_maps, read_batch
from headrace.ops.parsing.columns import BadExample, Column, SparseColumn, dense_column
from headrace.ops.parsing.features import (
    ALL_KINDS,
    FeatureSpecs,
    dense_defaults,
    feature_specs,
    merged_sparse_features,
    name_part,
    with_unknown_length,
)
from headrace.ops.parsing.layouts import Layouts

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


def _text(key: Any) -> str:
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key


def _columns(
    sparse_keys: Sequence[Any], sparse_types: Sequence[Any], dense_keys: Sequence[Any], attrs: Any
) -> tuple[list[SparseColumn], list[Column]]:
    return (
        [SparseColumn(_text(key), dtype) for key, dtype in zip(sparse_keys, sparse_types)],
        [
            dense_column(_text(key), dtype, dims)
            for key, dtype, dims in zip(dense_keys, attrs["Tdense"], attrs["dense_shapes"])
        ],
    )


@parse_example_op.kernel
def parse_example_kernel(node):
    attrs = node.attrs
    count_sparse, count_dense = attrs["Nsparse"], attrs["Ndense"]
    keys = [value.constant for value in node.inputs[2 : 2 + count_sparse + count_dense]]
    known = None
    if all(key is not None for key in keys):
        items = [key.item() for key in keys]
        known = _columns(items[:count_sparse], attrs["sparse_types"], items[count_sparse:], attrs)

    layouts = Layouts()

    def parse(serialized, names, *rest):
        sparse, dense = known or _columns(
            [boxed(key).item() for key in rest[:count_sparse]],
            attrs["sparse_types"],
            [boxed(key).item() for key in rest[count_sparse : count_sparse + count_dense]],
            attrs,
        )
        defaults = [to_array(value) for value in rest[count_sparse + count_dense :]]
        return _in_order(_batch(sparse, dense, defaults, serialized, names, layouts), len(sparse))

    return parse


def _batch(
    sparse: Sequence[SparseColumn],
    dense: Sequence[Column],
    defaults: Sequence[np.ndarray],
    serialized: Any,
    names: Any,
    layouts: Layouts,
) -> list[tuple[Any, ...]]:
    """The tensors of each column, sparse ones first, read from a vector of Examples."""
    records = boxed(serialized)
    _check_defaults(dense, defaults)
    labels = boxed(names).tolist()
    if records.ndim != 1:
        raise _invalid(f"Expected serialized to be a vector, got shape: {list(records.shape)}")
    if labels and len(labels) != len(records):
        raise _invalid(f"Expected len(names) == len(serialized), but got: {len(labels)} vs. {len(records)}")
    columns = [*sparse, *dense]
    bad: list[BadExample] = []
    outputs: list[tuple[Any, ...]] = []
    found = read_batch(columns, records.tolist(), layouts)
    for column, read, default in zip(columns, found, [*[None] * len(sparse), *defaults]):
        try:
            if isinstance(read, BadExample):
                raise read
            outputs.append(column.tensors(*read, default))
        except BadExample as error:
            bad.append(error)
    if bad:
        first = min(bad, key=lambda error: error.index)
        name = _text(labels[first.index]) if labels else "<unknown>"
        where = f"Name: {name}, "
        raise _invalid(first.text.format(where=where, comma=where, index=f", Index: {first.index}"))
    return outputs


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
        columns, dense = _columns(keys, types, boxed(dense_keys).tolist(), attrs)
        found = _batch(columns, dense, [to_array(value) for value in values], serialized, names, layouts)
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
    sparse, dense = _columns(attrs["sparse_keys"], attrs["sparse_types"], attrs["dense_keys"], attrs)
    columns = [*sparse, *dense]
    absent = [None] * len(sparse)

    def parse(serialized, *defaults):
        arrays = [to_array(value) for value in defaults]
        _check_defaults(dense, arrays)
        features = feature_maps([boxed(serialized).item()])[0]
        try:
            outputs = [
                column.single(features[column.key], default) for column, default in zip(columns, absent + arrays)
            ]
        except BadExample as error:
            raise _invalid(error.single.format(where="", comma="", index="")) from None
        return _in_order(outputs, len(sparse))

    return parse


def _check_defaults(columns: Sequence[Any], defaults: Sequence[Any]) -> None:
    for i, (column, default) in enumerate(zip(columns, defaults)):
        padding = type(column).__name__ == "RaggedColumn"
        if padding and default.size != 1:
            raise _invalid(
                f"dense_shape[{i}] is a variable length shape: [?,...], therefore def_value[{i}] must contain a single "
                f"element (the padding element). But its shape is: {list(default.shape)}"
            )
        if not padding and default.size > 0 and default.shape != column.dims:
            raise _invalid(
                f"dense_shape[{i}]: {list(column.dims)} is not compatible with def_value[{i}].shape: "
                f"{list(default.shape)}"
            )


def _in_order(outputs: list[tuple[Any, ...]], sparse: int) -> tuple[Any, ...]:
    """Each column's outputs as the op gives them: all indices, all values, all shapes, all dense values."""
    parts = outputs[:sparse]
    return (
        *[part[0] for part in parts],
        *[part[1] for part in parts],
        *[part[2] for part in parts],
        *[part[0] for part in outputs[sparse:]],
    )


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def sparse_and_dense(specs_keys: tuple[list[str], list[str]], parts: Sequence[Any]) -> dict[str, Any]:
    """The outputs of a parsing op by key: sparse tensors of indices, values and shapes; and dense tensors."""
    sparse_keys, dense_keys = specs_keys
    indices, values, shapes, dense = parts
    found: dict[str, Any] = {
        key: SparseTensor(*one) for key, one in zip(sparse_keys, zip(indices, values, shapes, strict=True))
    }
    found.update(zip(dense_keys, dense))
    return found


def parse_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of a batch of serialized Example messages.

    Args:
        serialized: a string vector, each element an Example.
        features: from key to FixedLenFeature, VarLenFeature, SparseFeature or FixedLenSequenceFeature.
        name: a name for the operation.
        example_names: a string vector that says how to call each example in error messages.

    Returns:
        a dict from key to Tensor (with the batch as first dimension) or SparseTensor.

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> batch = tf.parse_example(records, {"image": tf.FixedLenFeature([], tf.string),
        ...                                    "label": tf.FixedLenFeature([], tf.int64)})
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    features = with_unknown_length(features)
    specs = feature_specs(features, ALL_KINDS)
    return merged_sparse_features(features, _parse(serialized, example_names, specs, name))


def _parse(serialized: Any, names: Any, specs: FeatureSpecs, name: str | None) -> dict[str, Any]:
    with name_scope(name, "ParseExample", [serialized, names]):
        defaults = dense_defaults(specs)
        parts = raw.ParseExample(
            serialized,
            [] if names is None else names,
            specs.sparse_keys,
            specs.dense_keys,
            defaults,
            sparse_types=specs.sparse_types,
            dense_shapes=specs.dense_shapes,
            name=name,
        )
        return sparse_and_dense((specs.sparse_keys, specs.dense_keys), parts)


def parse_single_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of one serialized Example message.

    Args:
        serialized: a string scalar.
        features: from key to FixedLenFeature, VarLenFeature, SparseFeature or FixedLenSequenceFeature.
        name: a name for the operation.
        example_names: a string scalar that says how to call the example in error messages.

    Returns:
        a dict from key to Tensor or SparseTensor.

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> parsed = tf.parse_single_example(record, {"label": tf.FixedLenFeature([], tf.int64)})
    """
    if not features:
        raise ValueError("Missing features.")
    features = with_unknown_length(features)
    specs = feature_specs(features, ALL_KINDS)
    if example_names is not None:
        return merged_sparse_features(features, _parse_named(serialized, example_names, specs, name))
    with name_scope(name, "ParseSingleExample", [serialized]):
        serialized = convert_to_tensor(serialized, name="serialized")
        defaults = dense_defaults(specs)
        parts = raw.ParseSingleExample(
            serialized,
            defaults,
            num_sparse=len(specs.sparse_keys),
            sparse_keys=specs.sparse_keys,
            dense_keys=specs.dense_keys,
            sparse_types=specs.sparse_types,
            dense_shapes=specs.dense_shapes,
            name=name,
        )
        parsed = sparse_and_dense((specs.sparse_keys, specs.dense_keys), parts)
    return merged_sparse_features(features, parsed)


def _parse_named(serialized: Any, names: Any, specs: FeatureSpecs, name: str | None) -> dict[str, Any]:
    """One example as a batch of one, which can be named."""
    with name_scope(name, "ParseSingleExample", [serialized, names]):
        batch = _batch_of_one(convert_to_tensor(serialized), "serialized", "Serialized")
        parsed = _parse(batch, _batch_of_one(convert_to_tensor(names), "names", "Names"), specs, name)
        for key in specs.dense_keys:
            parsed[key] = raw.Squeeze(parsed[key], squeeze_dims=[0], name=f"Squeeze_{name_part(key)}")
        for key in specs.sparse_keys:
            sparse, part = parsed[key], name_part(key)
            parsed[key] = SparseTensor(
                raw.Slice(sparse.indices, [0, 1], [-1, -1], name=f"Slice_Indices_{part}"),
                sparse.values,
                raw.Slice(sparse.dense_shape, [1], [-1], name=f"Squeeze_Shape_{part}"),
            )
        return parsed


def _batch_of_one(scalar: Tensor, what: str, title: str) -> Tensor:
    from headrace.ops.array.shape import rank
    from headrace.ops.flow.assertion import Assert

    complaint = f"Input {what} must be a scalar"
    if scalar.dims is None:
        check = Assert(raw.Equal(rank(scalar), 0), [complaint], name=f"{title}IsScalar")
        with control_dependencies([check]):
            scalar = raw.Identity(scalar, name=f"{title}Dependencies")
    elif scalar.dims != ():
        raise ValueError(complaint)
    return composing.expand_dims(scalar, 0)


parse_single_example_op.accepts(
    np.array(b"", object),
    [np.array([1.0], np.float32)],
    num_sparse=0,
    sparse_keys=[],
    dense_keys=["x"],
    sparse_types=[],
    dense_shapes=[[1]],
)
