"""Columns of Example messages as tensors: what the parsing ops share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.host_values import boxed
from headrace.kernels.parsing.batches import read_batch
from headrace.kernels.parsing.columns import BadExample, Column, RaggedColumn, SparseColumn, dense_column
from headrace.kernels.parsing.layouts import Layouts


def _text(key: bytes | str) -> str:
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key


def columns_of(
    sparse_keys: Sequence[Any], sparse_types: Sequence[Any], dense_keys: Sequence[Any], attrs: Any
) -> tuple[list[SparseColumn], list[Column]]:
    """The sparse and the dense columns; those are described by `Tdense` and `dense_shapes` of `attrs`.

    Raises:
        InvalidArgumentError: if there are more or fewer of them than keys.
    """
    for what, some, count in (
        ("sparse types", sparse_types, len(sparse_keys)),
        ("Tdense", attrs["Tdense"], len(dense_keys)),
        ("dense_shapes", attrs["dense_shapes"], len(dense_keys)),
    ):
        if len(some) != count:
            raise invalid(f"There are {count} keys and {len(some)} of {what}.")
    return (
        [SparseColumn(_text(key), dtype) for key, dtype in zip(sparse_keys, sparse_types)],
        [
            dense_column(_text(key), dtype, dims)
            for key, dtype, dims in zip(dense_keys, attrs["Tdense"], attrs["dense_shapes"])
        ],
    )


def tensors_of(
    sparse: Sequence[SparseColumn],
    dense: Sequence[Column],
    defaults: Sequence[np.ndarray],
    serialized: np.ndarray,
    names: np.ndarray,
    layouts: Layouts,
) -> list[tuple[Any, ...]]:
    """The tensors of each column, sparse ones first, read from a vector of Examples."""
    records = boxed(serialized)
    check_defaults(dense, defaults)
    labels = boxed(names).tolist()
    if records.ndim != 1:
        raise invalid(f"Expected serialized to be a vector, got shape: {list(records.shape)}")
    if labels and len(labels) != len(records):
        raise invalid(f"Expected len(names) == len(serialized), but got: {len(labels)} vs. {len(records)}")
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
        raise invalid(first.text.format(where=where, comma=where, index=f", Index: {first.index}"))
    return outputs


def check_defaults(columns: Sequence[Any], defaults: Sequence[Any]) -> None:
    """Raises InvalidArgumentError for a default that is not of its column's shape."""
    for i, (column, default) in enumerate(zip(columns, defaults)):
        padding = isinstance(column, RaggedColumn)
        if padding and default.size != 1:
            raise invalid(
                f"dense_shape[{i}] is a variable length shape: [?,...], therefore def_value[{i}] must contain a single "
                f"element (the padding element). But its shape is: {list(default.shape)}"
            )
        if not padding and default.size > 0 and default.shape != column.dims:
            raise invalid(
                f"dense_shape[{i}]: {list(column.dims)} is not compatible with def_value[{i}].shape: "
                f"{list(default.shape)}"
            )


def invalid(message: str) -> InvalidArgumentError:
    """The error of a parsing op."""
    return InvalidArgumentError(None, None, message)
