"""Places in sorted rows: LowerBound and UpperBound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.dims import merge_dim
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is, shape_text

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


def _bound(right: bool) -> Callable[..., Any]:
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
_sorted = np.array([[1, 2, 2, 5], [0, 0, 1, 3]], np.float32)
upper_bound_op.accepts(_sorted, np.array([[2, 0, 7], [0, 1, -1]], np.float32)).accepts(
    _sorted, [2, 2], out_type="int64"
)
upper_bound_op.rejects([4], [4], error=ValueError)
