"""Ragged tensors as variants, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.ragged.tensor import RaggedTensor

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


def ragged_to_variant(value: RaggedTensor, batched_input: bool = False) -> Tensor:
    """A ragged tensor as a variant, or its rows as a vector of variants."""
    made: Tensor = raw.RaggedTensorToVariant(value.nested_row_splits, value.flat_values, batched_input=batched_input)
    return made


def ragged_from_variant(
    encoded: Tensor, dtype: DTypeLike, output_ragged_rank: int, input_ragged_rank: int = -1
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
    return result
