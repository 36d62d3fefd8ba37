"""Ragged tensors as variants: one for a whole tensor, or one for each row, which batches are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.ragged.encoded import Encoded
from headrace.kernels.ranks import check_rank

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.kernels.data.optional import Optional


to_variant_op = op(
    "RaggedTensorToVariant",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues, *, Tsplits: index = int64, batched_input: bool -> "
    "encoded_ragged: variant",
).not_differentiable()
from_variant_op = op(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant, *, input_ragged_rank: int >= -1, output_ragged_rank: int >= 1, Tvalues: type, Tsplits: index "
    "= int64 -> output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
)
# A variant holds the parts themselves; datasets of ragged tensors are made of such.
to_variant_op.remembered()
to_variant_op.on_host(outputs=True).aliases()
from_variant_op.on_host("encoded_ragged").aliases()


@to_variant_op.shape
def to_variant_shape(op):
    *splits, values = op.inputs
    for split in splits:
        check_rank(split.dims, 1)
    check_rank(values.dims, (1, None))
    if not op.attrs["batched_input"]:
        return [()]
    outer = op.inputs[0].dims
    return [(None if outer is None or outer[0] is None else outer[0] - 1,)]


@to_variant_op.kernel
def to_variant_kernel(node):
    by_rows = node.attrs["batched_input"]

    def encode(*parts):
        whole = Encoded(parts[:-1], parts[-1])
        if not by_rows:
            return whole
        rows = whole.rows()
        out = np.empty(len(rows), object)
        out[:] = rows
        return out

    return encode


@from_variant_op.shape
def from_variant_shape(op):
    given = op.attrs["input_ragged_rank"]
    if 0 <= given <= op.attrs["output_ragged_rank"]:
        check_rank(op.inputs[0].dims, op.attrs["output_ragged_rank"] - given)
    return [(None,)] * op.attrs["output_ragged_rank"] + [None]


@from_variant_op.kernel
def from_variant_kernel(node):
    rank, given = node.attrs["output_ragged_rank"], node.attrs["input_ragged_rank"]
    values_type, splits_type = node.attrs["Tvalues"], node.attrs["Tsplits"].torch

    def decode(encoded):
        array = encoded if isinstance(encoded, np.ndarray) else _scalar(encoded)
        inner = rank - array.ndim if given == -1 else given
        if inner + array.ndim != rank or inner < 0:
            raise InvalidArgumentError(
                None,
                None,
                f"output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: {rank}, "
                f"input_ragged_rank: {inner}, encoded_ragged.dims(): {array.ndim}",
            )
        items = [item[()] if isinstance(item, np.ndarray) else item for item in array.reshape(-1).tolist()]
        for i, item in enumerate(items):
            # It may come from a file.
            if not isinstance(item, Encoded):
                raise InvalidArgumentError(
                    None, None, f"Input Variant element at index {i} doesn't hold a Tensor: {type(item).__name__}"
                )
            if len(item.splits) != inner:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Encoded input RaggedTensorVariant has ragged_rank={len(item.splits)}.  Expected: {inner}.",
                )
            found = as_dtype("string" if isinstance(item.values, np.ndarray) else item.values.dtype)
            if found.torch is not values_type.torch:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Expected values Tensor dtype: {values_type.as_datatype_enum}, found: {found.as_datatype_enum}",
                )
        if not array.ndim:
            return (*(splits.to(splits_type) for splits in items[0].splits), items[0].values)
        levels = [_even(array.shape[i], int(np.prod(array.shape[:i]))) for i in range(1, array.ndim)]
        levels.append(_bounds([len(item) for item in items]))
        for level in range(inner):
            levels.append(_joined([item.splits[level] for item in items]))
        return (*(splits.to(splits_type) for splits in levels), _values([item.values for item in items], values_type))

    return decode


def _scalar(item: Optional | Encoded) -> np.ndarray:
    array = np.empty((), object)
    array[()] = item
    return array


def _even(size: int, rows: int) -> torch.Tensor:
    return torch.arange(rows + 1, dtype=torch.int64) * size


def _bounds(lengths: list[int]) -> torch.Tensor:
    return torch.tensor([0, *np.cumsum(lengths, dtype=np.int64).tolist()], dtype=torch.int64)


def _joined(splits: list[torch.Tensor]) -> torch.Tensor:
    parts, offset = [torch.zeros(1, dtype=torch.int64)], 0
    for part in splits:
        parts.append(part[1:].to(torch.int64) + offset)
        offset += int(part[-1])
    return torch.cat(parts)


def _values(parts: list[Any], dtype: DType) -> Any:
    if not parts:
        return np.empty(0, object) if dtype.name == "string" else torch.empty(0, dtype=dtype.torch)
    return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else torch.cat(parts)


_SPLITS, _VALUES = [np.array([0, 2, 2, 3])], np.array([1.5, 2.0, 3.0], np.float32)
_WHOLE = made("RaggedTensorToVariant", _SPLITS, _VALUES, batched_input=False, Tsplits="int64")
_ROWS = made("RaggedTensorToVariant", _SPLITS, _VALUES, batched_input=True, Tsplits="int64")
_OF_FLOATS = {"Tvalues": "float32", "Tsplits": "int64", "output_ragged_rank": 1}
to_variant_op.accepts(
    _SPLITS,
    _VALUES,
    batched_input=False,
    Tsplits="int64",
    varies="variants have no values",
    after=[made("RaggedTensorFromVariant", result, input_ragged_rank=1, **_OF_FLOATS)],
)
to_variant_op.accepts(
    _SPLITS,
    _VALUES,
    batched_input=True,
    Tsplits="int64",
    varies="variants have no values",
    after=[made("RaggedTensorFromVariant", result, input_ragged_rank=0, **_OF_FLOATS)],
)
to_variant_op.rejects(_SPLITS, [], batched_input=True, Tsplits="int64", error=ValueError)
from_variant_op.accepts(_WHOLE, input_ragged_rank=1, **_OF_FLOATS)
from_variant_op.accepts(_ROWS, input_ragged_rank=-1, **_OF_FLOATS)
from_variant_op.rejects(_WHOLE, input_ragged_rank=0, **_OF_FLOATS, error=ValueError)
from_variant_op.rejects(
    _WHOLE, input_ragged_rank=1, output_ragged_rank=1, Tvalues="int32", Tsplits="int64", error=InvalidArgumentError
)
