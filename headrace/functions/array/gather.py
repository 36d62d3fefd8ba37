"""Elements picked by index within batches, and by index vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import merge_dims
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.tile import meshgrid
from headrace.kernels.composing.arranging import concat, stack, transpose
from headrace.kernels.composing.batch_offsets import with_batch_offsets
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import rank, shape
from headrace.ops.array.gather import gather
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


def batch_gather(
    params: TensorLike | RaggedTensor, indices: TensorLike | RaggedTensor, name: str | None = None
) -> Tensor:
    """The elements at `indices` along the last axis of `indices`, within each batch before it.

    Raises:
        ValueError: if the rank of `indices` is unknown or the batches differ.
    """
    with name_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.dims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        batch_dims = len(indices.dims) - 1
        if batch_dims < 0:
            raise ValueError("batch_dims = -1 must be less than rank(indices) = 0")
        if params.dims is not None and batch_dims >= len(params.dims):
            raise ValueError(f"batch_dims = {batch_dims} must be less than rank(params) = {len(params.dims)}")
        indices_shape, params_shape = shape(indices), shape(params)
        dtype = indices.dtype.base_dtype
        factor = ones((), dtype)
        sizes = raw.Cast(params_shape, DstT=dtype)
        positions = with_batch_offsets(sizes, indices, batch_dims, factor, "Range")
        flat_positions = reshape(positions, [-1])
        outer = params_shape[batch_dims + 1 :]
        inner = raw.Prod(params_shape[: batch_dims + 1], [0], keep_dims=False)
        flat = reshape(params, concat([[inner], outer], axis=0))
        result = reshape(gather(flat, flat_positions), concat([indices_shape, outer], axis=0))
        if params.dims is not None:
            batch_shape = merge_dims(indices.dims[:batch_dims], params.dims[:batch_dims]) or ()
            result.set_shape((*batch_shape, *indices.dims[batch_dims:], *params.dims[batch_dims + 1 :]))
        return result


def gather_nd(params: Any, indices: TensorLike, name: str | None = None, batch_dims: int = 0) -> Tensor:
    """The elements or slices of `params` at index vectors.

    Args:
        params: a tensor or variable.
        indices: int32 or int64 tensor of shape [..., k]: vectors over the first k axes of `params`.
        name: a name for the operation.
        batch_dims: how many leading axes of both are batches.

    Example:
        >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 0], [1, 1]])  # [1, 4]
    """
    static = constant_value(batch_dims) if isinstance(batch_dims, Tensor) else batch_dims
    if static is not None:
        batch_dims = int(static)
    if not isinstance(batch_dims, int) or batch_dims != 0:
        return batch_gather_nd(params, indices, batch_dims, name)
    if hasattr(params, "gather_nd"):
        return params.gather_nd(indices, name=name)
    return raw.GatherNd(params, indices, name=name)


def batch_gather_nd(params: Any, indices: TensorLike, batch_dims: TensorLike, name: str | None = None) -> Tensor:
    """`gather_nd` within each of the leading `batch_dims` axes.

    Raises:
        TypeError: if `batch_dims` is not an int.
        ValueError: if it is negative or not less than both ranks.
    """
    with name_scope(name, "BatchGatherND", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if not isinstance(batch_dims, int):
            raise TypeError(f"batch_dims must be an int; got {batch_dims!r}")
        if batch_dims < 0:
            raise ValueError("tf.gather_nd does not allow negative batch_dims.")
        for what, tensor in (("indices", indices), ("params", params)):
            if tensor.dims is not None and batch_dims >= len(tensor.dims):
                raise ValueError(f"batch_dims = {batch_dims} must be less than rank({what}) = {len(tensor.dims)}")
        params_shape, indices_shape = shape(params), shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = raw.Prod(batch_shape, [0])
        inner_rank = raw.Sub(raw.Sub(rank(indices), batch_dims, name="sub"), 1, name="sub")
        inner_shape = indices_shape[batch_dims:-1]
        # The batch a vector belongs to becomes part of the vector.
        ranges = [raw.Cast(raw.Range(0, n, 1), DstT=indices.dtype) for n in unstack(batch_shape, axis=0)]
        grid = [reshape(x, shape=(-1,)) for x in meshgrid(*ranges, indexing="ij")] if ranges else []
        index_grid = transpose(stack(grid, axis=0))
        grid_shape = shape(index_grid)
        index_grid = reshape(
            index_grid, concat([grid_shape[:1], ones(inner_rank, dtype=int32), grid_shape[1:]], axis=0)
        )
        index_grid = tile(index_grid, concat(((1,), inner_shape, (1,)), axis=0))
        flat_indices = reshape(indices, concat(([batch_size], indices_shape[batch_dims:]), axis=0))
        result = raw.GatherNd(params, concat((index_grid, flat_indices), axis=-1))
        return reshape(result, concat((batch_shape, shape(result)[1:]), axis=0))
