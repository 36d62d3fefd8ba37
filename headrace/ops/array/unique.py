"""Sets of elements: Unique and its kin, ListDiff, UnravelIndex."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dtypes import as_dtype, int32
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, invalid, is_text, numbers, rank_is, shape_text
from headrace.kernels.array.numbering import first_seen
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, OpView, TensorLike


unique_op = op("Unique", "x: T, *, out_idx: index = int32 -> y: T, idx: out_idx").gives_no_more().passes_text()
unique_v2_op = op(
    "UniqueV2", "x: T, axis: Taxis, *, Taxis: index = int64, out_idx: index = int32 -> y: T, idx: out_idx"
)
unique_with_counts_op = op("UniqueWithCounts", "x: T, *, out_idx: index = int32 -> y: T, idx: out_idx, count: out_idx")
unique_with_counts_v2_op = op(
    "UniqueWithCountsV2",
    "x: T, axis: Taxis, *, Taxis: index = int64, out_idx: index = int32 -> y: T, idx: out_idx, count: out_idx",
)
unique_v2_op.on_host("axis")
unique_with_counts_v2_op.on_host("axis")


@unique_op.shape
def unique_shape(op):
    dims = op.inputs[0].dims
    return [(None,), None if dims is None else rank_is(dims, 1)]


@unique_with_counts_op.shape
def unique_with_counts_shape(op):
    return [(None,), op.inputs[0].dims, (None,)]


def _along_axis_dims(op: OpView) -> tuple[Any, Any]:
    dims, axis = op.inputs[0].dims, op.constant(1)
    if dims is None:
        return None, None
    if axis is None:
        return None, (None,)
    if axis.size == 0:
        return (None,), dims
    at = int(axis.reshape(-1)[0])
    if axis.size > 1 or not -len(dims) <= at < len(dims):
        # The kernel says what is wrong, as it does of axes that are not known before.
        return None, (None,)
    at %= len(dims)
    return (*dims[:at], None, *dims[at + 1 :]), (dims[at],)


@unique_v2_op.shape
def unique_v2_shape(op):
    return list(_along_axis_dims(op))


@unique_with_counts_v2_op.shape
def unique_with_counts_v2_shape(op):
    return [*_along_axis_dims(op), (None,)]


def _unique(with_axis: bool, with_counts: bool) -> Callable[..., Any]:
    def rule(node):
        index_type = node.outputs[1].dtype.torch
        text, device = is_text(node.inputs[0]), node.device
        dtype = node.inputs[0].dtype.torch
        known = constants(node, 1) if with_axis else []

        def unique(x, *axis):
            listed = known if known is not None else numbers(axis[0])
            if not listed and x.ndim != 1:
                raise invalid("unique expects a 1D vector.")
            if len(listed) > 1:
                raise invalid("axis does not support input tensors larger than 1 elements")
            if listed and not -x.ndim <= listed[0] < x.ndim:
                raise invalid(f"axis has to be between [0, {x.ndim})")
            at = listed[0] % x.ndim if listed and x.ndim > 1 else None
            if text:
                array = x
            elif dtype is torch.bfloat16:
                array = x.cpu().float().numpy()
            else:
                array = x.cpu().numpy()
            values, places = first_seen(array, at)
            y = values if text else torch.from_numpy(np.ascontiguousarray(values)).to(device=device, dtype=dtype)
            parts = [places, np.bincount(places)] if with_counts else [places]
            return (y, *(torch.from_numpy(part).to(device=device, dtype=index_type) for part in parts))

        if with_axis or with_counts or dtype not in (torch.int32, torch.int64) or device.type != "cpu":
            return unique
        return directly("unique", unique, index_type is torch.int64)

    return rule


unique_op.kernel(_unique(False, False))
unique_v2_op.kernel(_unique(True, False))
unique_with_counts_op.kernel(_unique(False, True))
unique_with_counts_v2_op.kernel(_unique(True, True))
unique_op.accepts(np.array([1, 1, 2, 4, 4, 4, 7, 8, 8]))
unique_op.rejects([2, 2], error=ValueError)
_rows = np.array([[1, 0], [2, 0], [1, 0]], np.int32)
unique_with_counts_op.accepts(np.array([1, 1, 2, 4, 2], np.int64)).accepts(
    np.array([b"b", b"a", b"b"], object), out_idx="int64"
)
for _decl in (unique_v2_op, unique_with_counts_v2_op):
    _decl.accepts(_rows, np.array([0], np.int64)).accepts(_rows, np.array([1], np.int32)).accepts(
        _rows[:, 0], np.array([], np.int64)
    )
    _decl.rejects(_rows, np.array([2], np.int64), error=InvalidArgumentError)
unique_with_counts_op.rejects([2, 2], error=InvalidArgumentError, match="unique expects a 1D vector")

list_diff_op = (
    op("ListDiff", "x: T, y: T, *, out_idx: index = int32 -> out: T, idx: out_idx").gives_no_more().passes_text()
)


@list_diff_op.shape
def list_diff_shape(op):
    for tensor in op.inputs:
        rank_is(tensor.dims, 1)
    return [(None,), (None,)]


@list_diff_op.kernel
def list_diff_kernel(node):
    function = _list_diff_rule(node)

    def checked(x, y):
        for name, value in (("x", x), ("y", y)):
            if value.ndim != 1:
                raise invalid(f"{name} should be a 1D vector.")
        return function(x, y)

    return checked


def _list_diff_rule(node):
    index_type = node.outputs[1].dtype.torch

    if is_text(node.inputs[0]):

        def text_difference(x, y):
            taken = set(y.tolist())
            kept = np.array([i for i, item in enumerate(x.tolist()) if item not in taken], np.int64)
            return x[kept], torch.from_numpy(kept).to(index_type)

        return text_difference

    def difference(x, y):
        kept = torch.isin(x, y, invert=True).nonzero()[:, 0]
        return x[kept], kept.to(index_type)

    if node.inputs[0].dtype.torch not in (torch.uint16, torch.uint32, torch.uint64, torch.bool):
        return difference

    def by_numpy(x, y):
        kept = torch.from_numpy(np.flatnonzero(~np.isin(x.cpu().numpy(), y.cpu().numpy()))).to(x.device)
        return torch.from_numpy(x.cpu().numpy()[kept.cpu().numpy()]).to(x.device), kept.to(index_type)

    return by_numpy


list_diff_op.accepts(np.array([1, 2, 3, 4, 5, 6]), np.array([1, 3, 5]))

unravel_index_op = op("UnravelIndex", "indices: Tidx, dims: Tidx, *, Tidx: index = int32 -> output: Tidx")
unravel_index_op.on_host("dims")


@unravel_index_op.shape
def unravel_index_shape(op):
    indices, dims = op.inputs[0].dims, op.inputs[1].dims
    if indices is None:
        return [None]
    rank_is(dims, 1)
    count = None if dims is None else dims[0]
    if indices == ():
        return [(count,)]
    size = 1
    for part in indices:
        size = None if part is None or size is None else size * part
    return [(count, size)]


@unravel_index_op.kernel
def unravel_index_kernel(node):
    def unravel(indices, dims):
        if indices.ndim > 1:
            raise invalid(f'The indices can only be scalar or vector, got "{shape_text(indices.shape)}"')
        rest = indices.reshape(-1) if indices.ndim else indices
        sizes = numbers(dims)
        if 0 in sizes:
            raise invalid(f"dims must hold no 0 to take indices apart by, got {shape_text(sizes)}")
        if not sizes:
            return rest.new_empty((0, *rest.shape))
        parts = []
        for size in reversed(sizes):
            # Of negative indices the rest is negative too, as in C.
            parts.append(torch.fmod(rest, size))
            rest = torch.div(rest, size, rounding_mode="trunc")
        return torch.stack(parts[::-1])

    return unravel


unravel_index_op.accepts(np.array([22, 41, 37], np.int32), np.array([7, 6], np.int32))


def unique(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> Any:
    """The different elements of a vector, in the order they first occur.

    Args:
        x: a vector.
        out_idx: int32 or int64, the type of the indices.
        name: a name for the operation.

    Returns:
        a namedtuple (y, idx): the elements, and for each element of `x` its place in `y`.

    Example:
        >>> y, idx = tf.unique([1, 1, 2, 4, 4])  # [1, 2, 4], [0, 0, 1, 2, 2]
    """
    return raw.Unique(x, out_idx=as_dtype(out_idx), name=name)


def unique_with_counts(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> Any:
    """As `unique`, and how often each element occurs: a namedtuple (y, idx, count)."""
    return raw.UniqueWithCounts(x, out_idx=as_dtype(out_idx), name=name)


def setdiff1d(x: TensorLike, y: TensorLike, index_dtype: DTypeLike = int32, name: str | None = None) -> Any:
    """The elements of the vector `x` that are not in `y`, as a namedtuple (out, idx) with their places in `x`.

    Example:
        >>> out, idx = tf.setdiff1d([1, 2, 3], [1, 3])  # [2], [1]
    """
    return raw.ListDiff(x, y, out_idx=as_dtype(index_dtype), name=name)


def listdiff(x: TensorLike, y: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> Any:
    """The name of `setdiff1d` before version 1.0."""
    return raw.ListDiff(x, y, out_idx=as_dtype(out_idx), name=name)


def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Positions in a flattened tensor of shape `dims` as index vectors, one a column.

    Example:
        >>> tf.unravel_index([2, 5, 7], [3, 3])  # [[0, 1, 2], [2, 2, 1]]
    """
    return raw.UnravelIndex(indices, dims, name=name)
