"""Ragged tensors as variants: one for a whole tensor, or one for each row, which batches are made of."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.ops.ragged.tensor import RaggedTensor
from headrace.ops.ranks import check_rank

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
to_variant_op.on_host(outputs=True)
from_variant_op.on_host("encoded_ragged")


class Encoded:
    """A ragged tensor in a variant.

    Attributes:
        splits: of each level, the outermost first; none for a row of a tensor with one level.
        values: the innermost values.
    """

    __slots__ = ("splits", "values")

    def __init__(self, splits: tuple[Any, ...], values: Any) -> None:
        self.splits, self.values = splits, values

    def __len__(self) -> int:
        return len(self.splits[0]) - 1 if self.splits else len(self.values)

    def rows(self) -> list[Encoded]:
        """The rows, each encoded."""
        outer, *inner = self.splits
        made = []
        bounds = outer.tolist()
        for first, last in itertools.pairwise(bounds):
            parts = []
            for splits in inner:
                level = splits[first : last + 1]
                parts.append(level - level[0])
                first, last = int(splits[first]), int(splits[last])
            made.append(Encoded(tuple(parts), self.values[first:last]))
        return made


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


def _scalar(item: Any) -> np.ndarray:
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


def _values(parts: list[Any], dtype: Any) -> Any:
    if not parts:
        return np.empty(0, object) if dtype.name == "string" else torch.empty(0, dtype=dtype.torch)
    return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else torch.cat(parts)


def ragged_to_variant(value: RaggedTensor, batched_input: bool = False) -> Tensor:
    """A ragged tensor as a variant, or its rows as a vector of variants."""
    made: Tensor = raw.RaggedTensorToVariant(value.nested_row_splits, value.flat_values, batched_input=batched_input)
    return made


def ragged_from_variant(
    encoded: Tensor, dtype: Any, output_ragged_rank: int, input_ragged_rank: int = -1
) -> RaggedTensor:
    """The ragged tensor that a variant, or a tensor of variants of its rows, stands for."""
    made = raw.RaggedTensorFromVariant(
        encoded,
        input_ragged_rank=input_ragged_rank,
        output_ragged_rank=output_ragged_rank,
        Tvalues=dtype,
        Tsplits="int64",
    )
    *splits, values = [tensor for part in made for tensor in (part if isinstance(part, (list, tuple)) else [part])]
    result: Any = values
    for level in reversed(splits):
        result = RaggedTensor(result, level, internal=True)
    return result  # type: ignore[no-any-return]
