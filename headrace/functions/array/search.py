"""Where values belong in sorted sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.dtypes import as_dtype, int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Where each of `values` would go in a sorted sequence.

    Args:
        sorted_sequence: tensor whose last axis is in order.
        values: tensor of the same outer axes.
        side: "left" for the place before equal elements, "right" for the one after.
        out_type: int32 or int64.
        name: a name for the operation.

    Raises:
        ValueError: for another side.

    Example:
        >>> tf.searchsorted([1, 3, 5], [3, 4])  # [1, 2]
    """
    length = shape_internal(sorted_sequence)[-1]
    count = shape_internal(values)[-1]
    rows = reshape(sorted_sequence, [-1, length])
    queries = reshape(values, [-1, count])
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    bound = raw.UpperBound if side == "right" else raw.LowerBound
    return reshape(bound(rows, queries, out_type=as_dtype(out_type), name=name), shape_internal(values))
