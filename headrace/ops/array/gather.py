"""Picking elements by index: Gather, GatherV2, GatherNd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from headrace.core.constant_value import constant_value, plain_constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.dtypes import int32, int64
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims, merge_dims, unknown_dims
from headrace.ops.array.common import (
    axis_in,
    boxed,
    constants,
    invalid,
    is_text,
    moving,
    scalar_constant,
    shape_text,
)
from headrace.ops.array.fill import ones, zeros
from headrace.ops.array.join import concat, stack, unstack
from headrace.ops.array.shape import expand_dims, rank, reshape, shape, size, squeeze
from headrace.ops.array.tile import meshgrid, tile
from headrace.ops.array.transpose import transpose

gather_op = op(
    "Gather", "params: Tparams, indices: Tindices, *, validate_indices=True, Tindices: index -> output: Tparams"
)
gather_v2_op = op(
    "GatherV2",
    "params: Tparams, indices: Tindices, axis: Taxis, *, batch_dims=0, Tindices: index, Taxis: index -> output: Tparams",
)
gather_v2_op.on_host("axis")


@gather_op.shape
def gather_shape(op):
    params, indices = op.inputs[0].dims, op.inputs[1].dims
    if params == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [None if params is None or indices is None else indices + params[1:]]


def _gathered_dims(params: Dims, indices: Dims, axis: int | None, batch_dims: int) -> Dims:
    if indices is None:
        return None
    if not -len(indices) <= batch_dims <= len(indices):
        raise ValueError(f"batch_dims {batch_dims} is out of range [{-len(indices)}, {len(indices)}]")
    if batch_dims < 0:
        batch_dims += len(indices)
    if params is None:
        return None
    if axis is None:
        return unknown_dims(len(params) - 1 + len(indices) - batch_dims)
    if not -len(params) <= axis < len(params):
        least = axis + 1 if axis >= 0 else -axis
        raise ValueError(f"Shape must be at least rank {least} but is rank {len(params)}")
    axis %= len(params)
    if batch_dims > axis:
        raise ValueError(f"batch_dims ({batch_dims}) must be less than or equal to axis ({axis})")
    batch = merge_dims(params[:batch_dims], indices[:batch_dims])
    assert batch is not None
    return batch + params[batch_dims:axis] + indices[batch_dims:] + params[axis + 1 :]


@gather_v2_op.shape
def gather_v2_shape(op):
    if op.inputs[0].dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    axis = scalar_constant(op, 2)
    return [_gathered_dims(op.inputs[0].dims, op.inputs[1].dims, axis, op.attrs["batch_dims"])]


def _bad_index(indices: Any, limit: int) -> Exception:
    flat = indices.reshape(-1)
    bad = int(((flat < 0) | (flat >= limit)).nonzero()[0, 0])
    where = np.unravel_index(bad, tuple(indices.shape)) if indices.ndim else ()
    place = f"indices[{','.join(str(i) for i in where)}]" if where else "indices"
    return invalid(f"{place} = {int(flat[bad])} is not in [0, {limit})")


def _checked_text(params: np.ndarray, indices: Any, axis: int) -> np.ndarray:
    limit = params.shape[axis]
    if indices.numel() and (int(indices.min()) < 0 or int(indices.max()) >= limit):
        raise _bad_index(indices, limit)
    return boxed(params.take(indices.cpu().numpy(), axis))


def _pick(params: Any, indices: Any, axis: int) -> Any:
    """The slices of `params` along `axis` at `indices`, an int tensor of any rank."""
    if isinstance(params, np.ndarray):
        return _checked_text(params, indices, axis)
    shape = params.shape
    flat = indices if indices.ndim == 1 else indices.reshape(-1)
    try:
        picked = params.index_select(axis, flat)
    except (IndexError, RuntimeError):
        limit = shape[axis]
        if indices.numel() and (int(indices.min()) < 0 or int(indices.max()) >= limit):
            raise _bad_index(indices, limit) from None
        raise
    if indices.ndim == 1:
        return picked
    return picked.reshape(shape[:axis] + indices.shape + shape[axis + 1 :])


def _pick_batched(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """As `_pick`, within each of the leading batches."""
    shape, limit = tuple(params.shape), params.shape[axis]
    if tuple(indices.shape[:batch_dims]) != shape[:batch_dims]:
        raise invalid(
            f"params.shape[:{batch_dims}] {shape_text(shape[:batch_dims])} should be equal to indices.shape[:{batch_dims}] "
            f"{shape_text(indices.shape[:batch_dims])}"
        )
    if indices.numel() and (int(indices.min()) < 0 or int(indices.max()) >= limit):
        raise _bad_index(indices, limit)
    batch = math.prod(shape[:batch_dims])
    middle, inner = math.prod(shape[batch_dims:axis]), math.prod(shape[axis + 1 :])
    flat = indices.reshape(batch, -1).long()
    if isinstance(params, np.ndarray):
        grid = params.reshape(batch, middle, limit, inner)
        picked = grid[np.arange(batch)[:, None], :, flat.numpy()].swapaxes(1, 2)
    else:
        grid = params.reshape(batch, middle, limit, inner)
        picked = grid[torch.arange(batch, device=flat.device)[:, None], :, flat].transpose(1, 2)
    return picked.reshape(shape[:axis] + tuple(indices.shape[batch_dims:]) + shape[axis + 1 :])


@gather_op.kernel
def gather_kernel(node):
    def gather(params, indices):
        if not params.ndim:
            raise invalid("params must be at least 1 dimensional")
        return _pick(params, indices, 0)

    return moving(node, gather)


@gather_v2_op.kernel
def gather_v2_kernel(node):
    known, batch_dims = constants(node, 2), node.attrs["batch_dims"]
    dims, indices = node.inputs[0].dims, node.inputs[1].dims
    if batch_dims < 0 and indices is not None:
        batch_dims += len(indices)

    def gather(params, indices, axis):
        at = int(axis)
        if not -params.ndim <= at < params.ndim:
            if not params.ndim:
                raise invalid("params must be at least 1 dimensional")
            raise invalid(f"Expected axis in the range [{-params.ndim}, {params.ndim}), but got {at}")
        at %= params.ndim
        batches = batch_dims if batch_dims >= 0 else batch_dims + indices.ndim
        return _pick_batched(params, indices, at, batches) if batches else _pick(params, indices, at)

    if node.inputs[0].dtype.name == "resource":
        # A handle is an object, which NumPy's indexing hands out as it is.
        return lambda handles, index, _: handles[_checked_index(index, len(handles))]
    if known is None or batch_dims or dims is None:
        return moving(node, gather)
    at = axis_in(known[0], len(dims))
    if indices == () and not is_text(node.inputs[0]):
        limit = dims[at]

        def pick_one(params, index, _):
            i, count = int(index), limit if limit is not None else params.shape[at]
            if not 0 <= i < count:
                raise _bad_index(index, count)
            return params.select(at, i).clone()

        # Reading the index on the host would wait for the device.
        if node.device.type == "cpu":
            return moving(node, pick_one)
    return moving(node, lambda params, indices, _: _pick(params, indices, at))


def _checked_index(index: Any, count: int) -> int:
    if not 0 <= int(index) < count:
        raise _bad_index(index, count)
    return int(index)


def _int32_shape(params: Tensor) -> Tensor:
    with colocate_with(params):
        return raw.Cast(shape(params, out_type=int64), DstT=int32)


@gather_op.gradient
def gather_gradient(op, grad):
    params, indices = op.inputs
    return [_first_axis_gradient(_int32_shape(params), indices, None, grad), None]


def _first_axis_gradient(params_shape: Tensor, indices: Tensor, count: Any, grad: Any) -> Any:
    from headrace.core.composite import IndexedSlices, densified_quietly

    if count is None:
        count = expand_dims(size(indices), 0)
    values_shape = concat([count, params_shape[1:]], 0)
    with densified_quietly(grad):
        values = reshape(grad, values_shape)
    return IndexedSlices(values, reshape(indices, count), params_shape)


@gather_v2_op.gradient
def gather_v2_gradient(op, grad):
    from headrace.core.composite import densified_quietly

    params, indices, axis = op.inputs
    params_shape = _int32_shape(params)
    count = expand_dims(size(indices), 0)
    batch_dims = op.attrs["batch_dims"]
    if batch_dims < 0:
        batch_dims += len(indices.dims)
    known = plain_constant_value(axis)
    if known is not None and int(known) == 0:
        return [_first_axis_gradient(params_shape, indices, count, grad), None, None]

    # The axis is moved in front of the others that are not batches, and back again afterwards.
    outer, inner = params_shape[:axis], params_shape[axis:][1:]
    values_shape = concat([outer, [-1], inner], 0)
    values_rank, axis_rank = size(values_shape), size(outer)
    batches = _range(0, batch_dims)
    before = _range(batch_dims, axis_rank)
    after = _range(raw.AddV2(axis_rank, 1, name="add"), values_rank)
    with densified_quietly(grad):
        values = reshape(grad, values_shape)
    values = transpose(values, concat([batches, [axis_rank], before, after], 0))
    result = _batched_gradient(params_shape, values, indices, batch_dims, params_shape[axis])
    back = concat([batches, raw.AddV2(before, 1, name="add"), [batch_dims], after], 0)
    return [transpose(result, back), None, None]


def _range(start: Any, limit: Any) -> Tensor:
    from headrace.ops.array.range import range as range_of

    return range_of(start, limit)


def _batched_gradient(params_shape: Tensor, values: Tensor, indices: Tensor, batch_dims: int, length: Tensor) -> Tensor:
    count = expand_dims(size(indices), 0)
    if batch_dims:
        values_shape = shape(values)
        outer, inner = values_shape[:batch_dims], values_shape[batch_dims:][1:]
        batch_size = raw.Prod(outer, [0], keep_dims=False)
        flat = concat([[-1], inner], 0)
        length = raw.Mul(length, batch_size, name="mul")
        indices = _with_batch_offsets(params_shape, indices, batch_dims)
        values = reshape(values, flat)
    indices = reshape(indices, count)
    result = raw.UnsortedSegmentSum(values, indices, length)
    if batch_dims:
        result = reshape(result, concat([outer, flat], 0))
    return result


def _with_batch_offsets(
    params_shape: Tensor, indices: Tensor, batch_dims: int, first_factor: Any = None, range_name: str = "range"
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
        spread = stack([1] * (dim - 1) + [length] + [1] * (index_rank - dim), axis=0)
        result = raw.AddV2(result, reshape(steps, spread), name="add")
    return result


gather_v2_op.accepts([4, 3], np.array([0, 2], np.int32), np.array(0, np.int32))
gather_v2_op.accepts([4, 3], np.array([[0, 2]], np.int32), np.array(1, np.int32))
gather_v2_op.rejects([4], np.array([0], np.int32), np.array(1, np.int32), error=ValueError)

gather_nd_op = op("GatherNd", "params: Tparams, indices: Tindices, *, Tindices: index -> output: Tparams")


@gather_nd_op.shape
def gather_nd_shape(op):
    params, indices = op.inputs[0].dims, op.inputs[1].dims
    if indices == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if params is None or indices is None or indices[-1] is None:
        return [None]
    if indices[-1] > len(params):
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: {shape_text(indices)} and params shape: "
            f"{shape_text(params)}"
        )
    return [indices[:-1] + params[indices[-1] :]]


def flat_positions(indices: Any, dims: tuple[int, ...], what: str) -> Any:
    """Index vectors over axes of sizes `dims` as positions in the flattened axes.

    Raises:
        InvalidArgumentError: naming the first vector that is out of bounds, as "indices[0] = [5] does not index into".
    """
    limits = torch.tensor(dims, dtype=torch.int64, device=indices.device)
    vectors = indices.reshape(-1, len(dims)).long()
    if vectors.numel() and indices.device.type == "cpu":
        bad = ((vectors < 0) | (vectors >= limits)).any(-1)
        if bool(bad.any()):
            first = int(bad.nonzero()[0, 0])
            where = np.unravel_index(first, tuple(indices.shape[:-1])) if indices.ndim > 1 else ()
            place = f"indices[{','.join(map(str, where))}]" if where else "indices"
            raise invalid(f"{place} = [{', '.join(map(str, vectors[first].tolist()))}] does not index into {what}")
    steps = [math.prod(dims[i + 1 :]) for i in range(len(dims))]
    if len(dims) == 1:
        return vectors[:, 0]
    return (vectors * torch.tensor(steps, dtype=torch.int64, device=indices.device)).sum(-1)


@gather_nd_op.kernel
def gather_nd_kernel(node):
    def gather(params, indices):
        depth = indices.shape[-1]
        shape = tuple(params.shape)
        if depth > len(shape):
            raise invalid(f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape)}")
        outer, rest = tuple(indices.shape[:-1]), shape[depth:]
        if 0 in shape and 0 not in outer:
            raise invalid(f"Requested more than 0 entries, but params is empty.  Params shape: {shape_text(shape)}")
        flat = params.reshape((math.prod(shape[:depth]), math.prod(rest)))
        if depth:
            positions = flat_positions(indices, shape[:depth], f"param shape {shape_text(shape)}")
        else:
            positions = torch.zeros(math.prod(outer), dtype=torch.int64, device=indices.device)
        picked = flat[positions.numpy()] if isinstance(flat, np.ndarray) else flat.index_select(0, positions)
        return picked.reshape(outer + rest)

    return moving(node, gather)


@gather_nd_op.gradient
def gather_nd_gradient(op, grad):
    from headrace.core.composite import IndexedSlices

    params, indices = op.inputs
    params_shape = shape(params, out_type=indices.dtype.base_dtype)
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[-1] == 1:
        return [IndexedSlices(grad, squeeze(indices, axis=-1), params_shape), None]
    return [raw.ScatterNd(indices, grad, params_shape), None]


gather_nd_op.accepts([4, 3], np.array([[0, 2], [1, 1]], np.int32)).accepts([4, 3], np.array([[3]], np.int32))
gather_nd_op.rejects([4], np.array([[0, 0]], np.int32), error=ValueError)


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of `params` along an axis at `indices`.

    Args:
        params: a tensor or variable.
        indices: int32 or int64 tensor of any shape.
        validate_indices: indices are always checked where that costs no waiting for a device; kept for old callers.
        name: a name for the operation.
        axis: an int scalar; `batch_dims` by default.
        batch_dims: how many leading axes of both are batches.

    Raises:
        InvalidArgumentError: when run, for an index out of bounds.

    Example:
        >>> tf.gather([[1, 2], [3, 4]], [1, 0], axis=1)  # [[2, 1], [4, 3]]
    """
    if axis is None:
        axis = batch_dims
    static = constant_value(axis) if isinstance(axis, Tensor) else axis
    if static is None or np.ndim(static) or int(static) != 0:
        return raw.GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)
    if hasattr(params, "sparse_read"):
        return params.sparse_read(indices, name=name)
    return raw.GatherV2(params, indices, axis, name=name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
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
        positions = _with_batch_offsets(sizes, indices, batch_dims, factor, "Range")
        flat_positions = reshape(positions, [-1])
        outer = params_shape[batch_dims + 1 :]
        inner = raw.Prod(params_shape[: batch_dims + 1], [0], keep_dims=False)
        flat = reshape(params, concat([[inner], outer], axis=0))
        result = reshape(gather(flat, flat_positions), concat([indices_shape, outer], axis=0))
        if params.dims is not None:
            lead = merge_dims(indices.dims[:batch_dims], params.dims[:batch_dims]) or ()
            result.set_shape((*lead, *indices.dims[batch_dims:], *params.dims[batch_dims + 1 :]))
        return result


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: Any = 0) -> Tensor:
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


def batch_gather_nd(params: Any, indices: Any, batch_dims: Any, name: str | None = None) -> Tensor:
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
