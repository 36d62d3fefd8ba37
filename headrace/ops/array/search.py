"""Places in sorted rows: LowerBound and UpperBound."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.dtypes import as_dtype, int32
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import merge_dim
from headrace.ops.array.common import invalid, rank_is, shape_text
from headrace.ops.array.shape import reshape, shape_internal

_BOUND = "sorted_inputs: T, values: T, *, out_type: index = int32 -> output: out_type"
lower_bound_op = op("LowerBound", _BOUND)
upper_bound_op = op("UpperBound", _BOUND)


# Types that torch cannot search, and one that holds their numbers in order.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.bool: torch.uint8}


def _values_dims(op):
    rows, values = rank_is(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 2)
    if rows is not None and values is not None:
        merge_dim(rows[0], values[0])
    return [op.inputs[1].dims]


def _bound(right: bool) -> Any:
    def rule(node):
        dtype = node.outputs[0].dtype.torch

        def search(rows, values):
            if rows.dtype in _WIDER:
                rows, values = rows.to(_WIDER[rows.dtype]), values.to(_WIDER[rows.dtype])
            try:
                return torch.searchsorted(rows.contiguous(), values.contiguous(), right=right).to(dtype)
            except RuntimeError:
                if rows.shape[:1] != values.shape[:1] or values.dim() != 2:
                    raise invalid(
                        f"Leading dim_size of both tensors must match: {shape_text(rows.shape)} and "
                        f"{shape_text(values.shape)}"
                    ) from None
                raise

        return search

    return rule


lower_bound_op.shape(_values_dims)
upper_bound_op.shape(_values_dims)
lower_bound_op.kernel(_bound(False))
upper_bound_op.kernel(_bound(True))
lower_bound_op.accepts([2, 3], [2, 4])


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = int32, name: str | None = None
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
    wanted = reshape(values, [-1, count])
    if side not in ("left", "right"):
        raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
    bound = raw.UpperBound if side == "right" else raw.LowerBound
    return reshape(bound(rows, wanted, out_type=as_dtype(out_type), name=name), shape_internal(values))
