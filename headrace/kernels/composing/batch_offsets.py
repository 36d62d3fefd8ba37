"""Indices within batches as indices into all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import ones, zeros

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def with_batch_offsets(
    params_shape: Tensor,
    indices: Tensor,
    batch_dims: int,
    first_factor: TensorLike | None = None,
    range_name: str = "range",
) -> Tensor:
    """Indices into params whose batch axes are flattened into the indexed one."""
    dtype = indices.dtype.base_dtype
    index_rank = len(indices.dims or ())
    sizes = params_shape if params_shape.dtype.base_dtype is dtype else raw.Cast(params_shape, DstT=dtype)
    factor = ones((), dtype) if first_factor is None else first_factor
    result = indices
    for dim in range(batch_dims, 0, -1):
        length = sizes[dim - 1]
        factor = raw.Mul(factor, sizes[dim], name="mul")
        start, step = zeros((), dtype), ones((), dtype)
        steps = raw.Mul(raw.Range(start, length, step, name=range_name), factor, name="mul")
        broadcast_shape = stack([1] * (dim - 1) + [length] + [1] * (index_rank - dim), axis=0)
        result = raw.AddV2(result, raw.Reshape(steps, broadcast_shape), name="add")
    return result
