"""Ragged tensors to and from other kinds, as functions of `tensorflow.python.ops.ragged.ragged_conversion_ops`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int64, string
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.ragged.tensor import RaggedTensor, is_ragged

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def from_tensor(
    tensor: TensorLike,
    lengths: TensorLike | None = None,
    padding: Any = None,
    ragged_rank: int = 1,
    row_splits_dtype: DTypeLike = int64,
    name: str | None = None,
) -> Any:
    """`RaggedTensor.from_tensor`, but for a ragged tensor, which stays as it is."""
    if is_ragged(tensor):
        return tensor
    return RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def from_sparse(st_input: Any, name: str | None = None) -> Any:
    """`RaggedTensor.from_sparse`."""
    return RaggedTensor.from_sparse(st_input, name)


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Tensor:
    """`RaggedTensor.to_tensor`, but for a tensor, which stays as it is."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def ragged_to_dense(rt_input: Any, default_value: Any = None, shape: ShapeLike | None = None) -> Tensor:
    """The rows in a tensor of the shape that is asked for: cut off where they are longer, filled up where shorter.

    Args:
        rt_input: ragged tensor.
        default_value: what to fill up with, of the rows' type; 0 or "" by default.
        shape: the sizes, None for those of the longest rows; the bounding shape by default.
    """
    fill = convert_to_tensor(
        default_value if default_value is not None else "" if _is_text(rt_input) else 0, rt_input.dtype
    )
    sizes = -1 if shape is None else [-1 if size is None else size for size in TensorShape(shape).as_list()]
    splits = list(rt_input.nested_row_splits)
    return raw.RaggedTensorToTensor(
        convert_to_tensor(sizes, splits[0].dtype),
        rt_input.flat_values,
        fill,
        splits,
        row_partition_types=["ROW_SPLITS"] * len(splits),
    )


def _is_text(rows: Any) -> bool:
    return bool(rows.dtype == string)


def to_sparse(rt_input: Any, name: str | None = None) -> SparseTensor:
    """`RaggedTensor.to_sparse`.

    Raises:
        TypeError: if `rt_input` is not ragged.
    """
    if not is_ragged(rt_input):
        raise TypeError(f"Expected RaggedTensor, got {type(rt_input).__name__}")
    return rt_input.to_sparse(name)
