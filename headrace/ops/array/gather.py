"""Picking elements by index: Gather, GatherV2, GatherNd."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import IndexedSlices, densified_quietly
from headrace.core.constant_value import constant_value, plain_constant_value
from headrace.core.defaults import colocate_with
from headrace.core.dims import Dims, merge_dims, unknown_dims
from headrace.core.dtypes import int32, int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.size_elements import Element, KnownElements
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import (
    axis_in,
    constants,
    invalid,
    is_text,
    moving,
    scalar_constant,
    shape_text,
)
from headrace.kernels.array.positions import flat_positions
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.batch_offsets import with_batch_offsets
from headrace.kernels.composing.shapes import expand_dims, shape, size, squeeze
from headrace.kernels.host_values import taken
from headrace.kernels.native import integers
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import NodeView, TensorLike, ValueView


gather_op = (
    op("Gather", "params: Tparams, indices: Tindices, *, validate_indices=True, Tindices: index -> output: Tparams")
    .touches(outputs=True)
    .passes_text()
)
gather_v2_op = (
    op(
        "GatherV2",
        "params: Tparams, indices: Tindices, axis: Taxis, *, batch_dims=0, Tindices: index, Taxis: index -> output: Tparams",
    )
    .touches(outputs=True)
    .gives_no_more()
    .passes_text()
)
gather_v2_op.on_host("axis")


@gather_op.size_elements
@gather_v2_op.size_elements
def gather_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    index, elements = node.constant(1), known.vector(node.inputs[0])
    axis = node.constant(2) if len(node.inputs) > 2 else 0
    if index is None or elements is None or axis is None or int(axis) != 0 or node.inputs[0].dims == ():
        return None
    places = index.reshape(-1).tolist()
    if node.attrs.get("batch_dims") or not all(0 <= place < len(elements) for place in places):
        return None
    return [elements[place] for place in places]


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


def _bad_index(indices: torch.Tensor, limit: int) -> Exception:
    flat = indices.reshape(-1)
    bad = int(((flat < 0) | (flat >= limit)).nonzero()[0, 0])
    where = np.unravel_index(bad, tuple(indices.shape)) if indices.ndim else ()
    place = f"indices[{','.join(str(i) for i in where)}]" if where else "indices"
    return invalid(f"{place} = {int(flat[bad])} is not in [0, {limit})")


def _checked_text(params: np.ndarray, indices: torch.Tensor, axis: int) -> np.ndarray:
    limit = params.shape[axis]
    if indices.numel() and (int(indices.min()) < 0 or int(indices.max()) >= limit):
        raise _bad_index(indices, limit)
    return taken(params.take(indices.cpu().numpy(), axis))


def _pick(params: np.ndarray | torch.Tensor, indices: torch.Tensor, axis: int) -> np.ndarray | torch.Tensor:
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


def _pick_batched(params: torch.Tensor, indices: torch.Tensor, axis: int, batch_dims: int) -> torch.Tensor:
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
    return moving(node, lambda params, indices, _: _pick(params, indices, at))


@gather_v2_op.kernel_on("cpu")
def gather_v2_kernel_on_cpu(node):
    """One slice by an index that is read: on another device reading it would wait for that."""
    known, dims = constants(node, 2), node.inputs[0].dims
    single = node.inputs[1].dims == () and not node.attrs["batch_dims"]
    if not single or known is None or dims is None or not _is_of_torch(node.inputs[0]):
        return gather_v2_kernel(node)
    at = axis_in(known[0], len(dims))
    limit = dims[at]

    def pick_one(params, index, _):
        i, count = int(index), limit if limit is not None else params.shape[at]
        if not 0 <= i < count:
            raise _bad_index(index, count)
        return params.select(at, i).clone()

    return moving(node, pick_one)


def _is_of_torch(value: ValueView) -> bool:
    """Whether it is a tensor of torch's: texts are NumPy's, handles are objects."""
    return not is_text(value) and value.dtype.name != "resource"


def _checked_index(index: torch.Tensor, count: int) -> int:
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


def _first_axis_gradient(params_shape: Tensor, indices: Tensor, count: Tensor, grad: TensorLike) -> IndexedSlices:
    if count is None:
        count = expand_dims(size(indices), 0)
    values_shape = concat([count, params_shape[1:]], 0)
    with densified_quietly(grad):
        values = raw.Reshape(grad, values_shape)
    return IndexedSlices(values, raw.Reshape(indices, count), params_shape)


@gather_v2_op.gradient
def gather_v2_gradient(op, grad):
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
        values = raw.Reshape(grad, values_shape)
    values = transpose(values, concat([batches, [axis_rank], before, after], 0))
    result = _batched_gradient(params_shape, values, indices, batch_dims, params_shape[axis])
    back = concat([batches, raw.AddV2(before, 1, name="add"), [batch_dims], after], 0)
    return [transpose(result, back), None, None]


def _range(start: TensorLike, limit: TensorLike) -> Tensor:
    return range_of(start, limit)


def _batched_gradient(params_shape: Tensor, values: Tensor, indices: Tensor, batch_dims: int, length: Tensor) -> Tensor:
    count = expand_dims(size(indices), 0)
    if batch_dims:
        values_shape = shape(values)
        outer, inner = values_shape[:batch_dims], values_shape[batch_dims:][1:]
        batch_size = raw.Prod(outer, [0], keep_dims=False)
        flat = concat([[-1], inner], 0)
        length = raw.Mul(length, batch_size, name="mul")
        indices = with_batch_offsets(params_shape, indices, batch_dims)
        values = raw.Reshape(values, flat)
    indices = raw.Reshape(indices, count)
    result = raw.UnsortedSegmentSum(values, indices, length)
    if batch_dims:
        result = raw.Reshape(result, concat([outer, flat], 0))
    return result


gather_v2_op.accepts([4, 3], np.array([0, 2], np.int32), np.array(0, np.int32))
gather_v2_op.accepts([4, 3], np.array([[0, 2]], np.int32), np.array(1, np.int32))
gather_v2_op.rejects([4], np.array([0], np.int32), np.array(1, np.int32), error=ValueError)
gather_op.accepts([4, 3], np.array([0, 2], np.int32)).accepts([3], np.array([[2, 0]], np.int64), Tparams="int32")
gather_op.rejects([4, 3], np.array([4], np.int32), error=InvalidArgumentError)

gather_nd_op = (
    op("GatherNd", "params: Tparams, indices: Tindices, *, Tindices: index -> output: Tparams")
    .touches(outputs=True)
    .gives_no_more()
    .passes_text()
)


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

    return moving(node, directly("gather_nd", gather) if node.device.type == "cpu" else gather)


@gather_nd_op.gradient
def gather_nd_gradient(op, grad):
    params, indices = op.inputs
    params_shape = shape(params, out_type=indices.dtype.base_dtype)
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[-1] == 1:
        return [IndexedSlices(grad, squeeze(indices, axis=-1), params_shape), None]
    return [raw.ScatterNd(indices, grad, params_shape), None]


gather_nd_op.accepts([4, 3], np.array([[0, 2], [1, 1]], np.int32)).accepts([4, 3], np.array([[3]], np.int32))
gather_nd_op.rejects([4], np.array([[0, 0]], np.int32), error=ValueError)


def gather(
    params: Any,
    indices: TensorLike | CompositeTensor,
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
    if static is None or np.ndim(static) or isinstance(static, (str, bytes)) or int(static) != 0:
        return raw.GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)
    if hasattr(params, "sparse_read"):
        return params.sparse_read(indices, name=name)
    return raw.GatherV2(params, indices, axis, name=name)


# ---- native instructions

gather_op.native(lambda node: applied("gather", [0, 0]) if node.inputs[0].dims else None)


@gather_v2_op.native
def _gather_v2_native(node):
    axis, batch_dims, params = integers(node, 2), node.attrs["batch_dims"], node.inputs[0].dims
    if axis is None or batch_dims < 0 or not params or not -len(params) <= axis[0] < len(params):
        return None
    if batch_dims and (node.inputs[1].dims is None or batch_dims > axis[0] % len(params)):
        return None
    return applied("gather", [axis[0] % len(params), batch_dims], take=[0, 1])


@gather_nd_op.native
def _gather_nd_native(node):
    params, indices = node.inputs[0].dims, node.inputs[1].dims
    if not params or not indices or indices[-1] is None or indices[-1] > len(params):
        return None
    return applied("gather_nd")
