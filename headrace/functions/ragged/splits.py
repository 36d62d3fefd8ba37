"""Whether ragged tensors have the same rows: the types and the values of their splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.dtypes import DType, int64
from headrace.core.operation import Operation
from headrace.functions.flow.checks import assert_equal
from headrace.functions.ragged.tensor import RaggedTensor


def same_splits_type(*tensors: Any) -> tuple[DType, tuple[Any, ...]]:
    """The type of the splits of those among `tensors` that are ragged (int64 if none is), and the tensors.

    Raises:
        ValueError: if the types differ.
    """
    types = {tensor.row_splits.dtype for tensor in tensors if isinstance(tensor, RaggedTensor)}
    if len(types) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to convert "
            "them to compatible dtypes."
        )
    return (types.pop() if types else int64), tensors


def match_row_splits_dtypes(*tensors: Any, return_dtype: bool = False) -> Any:
    """The tensors, once it is sure that their splits are of one type; with `return_dtype` that type before them.

    Raises:
        ValueError: if the types differ.
    """
    dtype, same = same_splits_type(*tensors)
    return (dtype, same) if return_dtype else same


def auto_cast_partition_dtype() -> bool:
    """Whether splits of different types become those of one: no, they are an error."""
    return False


def assert_splits_match(nested: Sequence[Sequence[Any]]) -> list[Operation]:
    """Checks that ragged tensors have the same rows.

    Raises:
        ValueError: if they have different numbers of levels.
    """
    message = "Inputs must have identical ragged splits"
    first = nested[0]
    if any(len(splits) != len(first) for splits in nested):
        raise ValueError(message)
    return [assert_equal(a, b, message=message) for splits in nested[1:] for a, b in zip(first, splits, strict=True)]
