"""Reductions of slices along an axis: sums, products, least and greatest of the parts that pairs of bounds name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.dims import Dims
from headrace.core.registry import KernelRule, OpDecl, op
from headrace.core.signature import function_name
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, require_scalar
from headrace.kernels.math.segments import combined, in_wider

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView, TensorLike


_T = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, uint16, complex128, "
    "half, uint32, uint64}"
)


def _shape(op: OpView) -> list[Dims]:
    data, bounds = op.inputs[0].dims, op.inputs[1].dims
    require_scalar(op, 2)
    if bounds is not None:
        if not bounds:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if len(bounds) > 2:
            raise ValueError(f"Shape must be at most rank 2 but is rank {len(bounds)}")
        if len(bounds) == 2 and bounds[1] not in (None, 2):
            raise ValueError(f"Dimensions must be equal, but are {bounds[1]} and 2")
    if data is None:
        return [None]
    if not data:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    value = op.constant(2)
    if value is None:
        return [(None,) * len(data)]
    axis = int(value)
    if not 0 <= axis < len(data):
        raise ValueError(f"Out of range dim_index {axis} for shape with {len(data)} dimensions")
    return [(*data[:axis], _count(bounds), *data[axis + 1 :])]


def _count(bounds: Dims) -> int | None:
    """How many slices bounds of this shape name."""
    if bounds is None or bounds[0] is None:
        return None
    return bounds[0] if len(bounds) == 2 else max(bounds[0] - 1, 0)


def _pairs(bounds: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Begins and ends."""
    if bounds.dim() == 1:
        return bounds[:-1], bounds[1:]
    if bounds.dim() == 2 and bounds.shape[1] == 2:
        return bounds[:, 0], bounds[:, 1]
    raise invalid(f"indices must have shape [n] or [n, 2], got {list(bounds.shape)}")


def _kernel(kind: str) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., torch.Tensor]:
        dtype = node.inputs[0].dtype.base_dtype
        if dtype.is_quantized or dtype.name in ("uint32", "uint64") or (dtype.is_complex and kind in ("Min", "Max")):
            raise no_kernel(node)

        def reduce(data: torch.Tensor, bounds: torch.Tensor, dim: torch.Tensor) -> torch.Tensor:
            axis = int(dim)
            if not 0 <= axis < data.dim():
                raise invalid(f"axis must be in [0, {data.dim()}), got {axis}")
            rows = data.movedim(axis, 0)
            begins, ends = (part.to(torch.int64).clamp(max=len(rows)) for part in _pairs(bounds))
            if len(begins) and int(begins.min()) < 0:
                raise invalid(f"indices must not be negative, got a slice from {int(begins.min())}")
            lengths = (ends - begins).clamp(min=0)
            ids = torch.repeat_interleave(torch.arange(len(lengths), device=data.device), lengths)
            # Of each row how far it is into its slice: its number less that of the slice's first.
            firsts = torch.cumsum(lengths, 0) - lengths
            chosen = torch.arange(len(ids), device=data.device) + (begins - firsts)[ids]
            result = combined(kind, rows[chosen], ids, len(lengths))
            if dtype.is_floating and kind in ("Min", "Max"):
                result[lengths == 0] = float("inf" if kind == "Min" else "-inf")
            return result.movedim(0, axis)

        return in_wider(node, reduce)

    return rule


def _declare(op_type: str, kind: str) -> OpDecl:
    decl = op(op_type, f"data: T, indices: Tindices, axis: int64, *, {_T}, Tindices: {{int32, int64}} -> output: T")
    decl.shape(_shape)
    decl.kernel(_kernel(kind))
    decl.on_host("axis")
    decl.accepts([4, 3], np.array([[0, 2], [1, 1]]), 0).accepts(
        [2, 5], np.array([0, 2, 5]), 1, differs="1.15 takes vectors of bounds only where it does not know the axis"
    )
    return decl.rejects([4, 3], np.array([[0, 2]]), 2, error=ValueError)


reduce_slice_sum_op = _declare("ReduceSliceSum", "Sum")
reduce_slice_prod_op = _declare("ReduceSliceProd", "Prod")
reduce_slice_max_op = _declare("ReduceSliceMax", "Max")
reduce_slice_min_op = _declare("ReduceSliceMin", "Min")


def _function(apply: OpDecl, does: str, empty: str, result: str) -> Callable[..., Tensor]:
    def function(
        data: TensorLike,
        indices: int | np.ndarray | Sequence[int | Sequence[int | Sequence[int]]],
        axis: int | Sequence[int],
        name: str | None = None,
    ) -> Tensor:
        return apply(data, indices, axis, name=name)

    function.__name__ = function.__qualname__ = function_name(apply.type)
    function.__doc__ = f"""{does} of slices along an axis.

    Slices may overlap. An end beyond the data is the end of the data. There is no gradient, as there was none in 1.x.

    Args:
        data: a tensor of numbers, of rank 1 at least.
        indices: int32 or int64: [n, 2] of begins and ends (exclusive), or [n + 1], where each element ends a slice and
            begins the next.
        axis: a scalar, not negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `data` but for `axis`, which has the number of slices. A slice of nothing gives {empty}.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.contrib.reduce_slice_ops.{function.__name__}([1.0, 2.0, 4.0], [[0, 2], [1, 3]], 0)  # {result}
    """
    return function


reduce_slice_sum = _function(reduce_slice_sum_op, "Sums", "0", "[3.0, 6.0]")
reduce_slice_prod = _function(reduce_slice_prod_op, "Products", "1", "[2.0, 8.0]")
reduce_slice_max = _function(reduce_slice_max_op, "The greatest elements", "the least number of the type", "[2.0, 4.0]")
reduce_slice_min = _function(reduce_slice_min_op, "The least elements", "the greatest number of the type", "[1.0, 2.0]")
