"""Reductions over the rows that share an id: sorted, unsorted, and of rows picked by index."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import KernelRule, OpDecl, op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import scalar_constant
from headrace.kernels.math.nan_ignoring import has_nan, may_hold_nan, without_nan
from headrace.kernels.math.segments import EMPTY, REDUCTIONS, check_segments, combined, in_wider
from headrace.kernels.native import integers
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import NodeView, OpView, TensorLike


# What the runner sums.
_DIRECT = (torch.float32, torch.float64, torch.int32, torch.int64)


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _counts(ids: torch.Tensor, count: int, like: torch.Tensor) -> torch.Tensor:
    """How many rows each id has, at least 1, shaped to divide rows of `like`."""
    number = torch.bincount(ids, minlength=count).clamp(min=1)
    return number.reshape(-1, *[1] * (like.dim() - 1))


def _averaged(kind: str, total: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    number = _counts(ids, count, total)
    if kind == "SqrtN":
        return total / number.to(total.dtype).sqrt()
    if total.dtype.is_floating_point or total.dtype.is_complex:
        return total / number.to(total.dtype)
    return torch.div(total, number, rounding_mode="trunc").to(total.dtype)


def _check_sorted(ids: torch.Tensor, rows: int) -> None:
    if ids.dim() != 1:
        raise _invalid("segment_ids should be a vector.")
    if ids.shape[0] != rows:
        raise _invalid("segment_ids should be the same size as dimension 0 of input.")
    check_segments(ids)


def _row_dims(op: OpView, first: int | None, ids: int = 1) -> list[Dims]:
    """(first, *data.dims[1:]); raises unless the ids are a vector."""
    dims, id_dims = op.inputs[0].dims, op.inputs[ids].dims
    if id_dims is not None and len(id_dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(id_dims)}")
    if dims is None:
        return [None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [(first, *dims[1:])]


_LOSES = {"Min": math.inf, "Max": -math.inf}


def _passing_over_nan(kind: str, data: torch.Tensor, ids: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """The extremes of the other rows; one row by itself is the result whatever it holds."""
    # From an infinity on, which stays where there is nothing but NaN.
    again = torch.full_like(result, _LOSES[kind])
    again.index_reduce_(0, ids, without_nan(data, _LOSES[kind]), REDUCTIONS[kind])
    counts = torch.bincount(ids, minlength=result.shape[0]).view(-1, *[1] * (data.dim() - 1))
    return torch.where(counts == 1, result, again)


def _after_nan(kind: str, data: torch.Tensor, ids: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """The extremes of the rows after the last NaN of each column, or NaN where that comes last: TensorFlow folds row by
    row, and a NaN replaces what was, as any number replaces a NaN."""
    count = result.shape[0]
    row = torch.arange(data.shape[0], device=data.device).view(-1, *[1] * (data.dim() - 1)).expand(data.shape)
    rows_with_nan = torch.where(torch.isnan(data), row, -1)
    last = combined("Max", rows_with_nan, ids, count)
    valid = row > last[ids]
    again = combined(kind, torch.where(valid, data, EMPTY[kind](data.dtype)), ids, count)
    some = combined("Max", valid.to(torch.int8), ids, count) > 0
    return torch.where(some | (last < 0), again, torch.nan)


def _sorted_kernel(kind: str) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., torch.Tensor]:
        careful = may_hold_nan(node)

        def run(data: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
            _check_sorted(ids, data.shape[0] if data.dim() else 0)
            count = int(ids[-1]) + 1 if ids.shape[0] else 0
            ids = ids.to(torch.int64)
            if kind == "Mean":
                return _averaged(kind, combined("Sum", data, ids, count), ids, count)
            result = combined(kind, data, ids, count)
            if kind in ("Min", "Max"):
                if careful and has_nan(result):
                    result = _passing_over_nan(kind, data, ids, result)
                # Ids without rows give 0 here, unlike in the unsorted ops.
                absent = torch.bincount(ids, minlength=count) == 0
                result[absent] = 0
            return result

        return in_wider(node, run)

    return rule


def _declare_sorted(op_type: str, kind: str, types: str) -> OpDecl:
    decl = op(op_type, f"data: T, segment_ids: Tindices, *, T: {types}, Tindices: index -> output: T")
    decl.shape(lambda op: _row_dims(op, None))
    decl.kernel(_sorted_kernel(kind))
    decl.accepts([3, 2], np.array([0, 0, 2], np.int32)).accepts([0, 2], np.zeros([0], np.int64))
    decl.rejects([2, 2], np.array([1, 0], np.int32), error=InvalidArgumentError, match="not increasing")
    return decl


segment_sum_op = _declare_sorted("SegmentSum", "Sum", "numeric")
segment_mean_op = _declare_sorted("SegmentMean", "Mean", "numeric")
segment_prod_op = _declare_sorted("SegmentProd", "Prod", "numeric")
segment_min_op = _declare_sorted("SegmentMin", "Min", "realnumeric")
segment_max_op = _declare_sorted("SegmentMax", "Max", "realnumeric")


def _unsorted_shape(op: OpView) -> list[Dims]:
    data, ids = op.inputs[0].dims, op.inputs[1].dims
    count = scalar_constant(op, 2)
    if count is not None and count < 0:
        raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {count}")
    if data is None or ids is None:
        return [None]
    if len(ids) > len(data):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for sizes in zip(data, ids):
        merge_dim(*sizes)
    return [(count, *data[len(ids) :])]


def _unsorted_kernel(kind: str) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., torch.Tensor]:
        careful = kind in ("Min", "Max") and may_hold_nan(node)

        def run(data: torch.Tensor, ids: torch.Tensor, number: torch.Tensor) -> torch.Tensor:
            if data.shape[: ids.dim()] != ids.shape:
                raise _invalid(
                    f"data.shape = {list(data.shape)} does not start with segment_ids.shape = {list(ids.shape)}"
                )
            if number.dim():
                raise _invalid(f"num_segments should be a scalar, not shape {list(number.shape)}")
            count = int(number)
            if count < 0:
                raise _invalid(f"Input num_segments == {count} must not be negative.")
            rows = data.reshape(-1, *data.shape[ids.dim() :]) if data.numel() else data.flatten(0, ids.dim() - 1)
            places = ids.shape
            ids = ids.reshape(-1).to(torch.int64)
            if ids.shape[0]:
                least, most = (int(v) for v in torch.aminmax(ids))
                if most >= count:
                    first = int((ids >= count).nonzero()[0])
                    where = ",".join(str(place) for place in np.unravel_index(first, tuple(places)))
                    raise _invalid(f"segment_ids[{where}] = {int(ids[first])} is out of range [0, {count})")
                if least < 0:
                    # Rows with negative ids are left out.
                    kept = ids >= 0
                    ids, rows = ids[kept], rows[kept]
            result = combined(kind, rows, ids, count)
            return _after_nan(kind, rows, ids, result) if careful and has_nan(result) else result

        if kind == "Sum" and node.device.type == "cpu" and node.inputs[0].dtype.torch in _DIRECT:
            return directly("unsorted_sum", run)
        return in_wider(node, run)

    return rule


def _declare_unsorted(op_type: str, kind: str, types: str) -> OpDecl:
    decl = op(
        op_type,
        f"data: T, segment_ids: Tindices, num_segments: Tnumsegments, *, T: {types}, Tindices: index, "
        "Tnumsegments: index = int32 -> output: T",
    ).on_host("num_segments")
    decl.shape(_unsorted_shape)
    decl.kernel(_unsorted_kernel(kind))
    decl.accepts([3, 2], np.array([2, 0, 2], np.int32), 4).accepts([2, 2], np.array([[0, -1], [1, 0]], np.int64), 2)
    decl.rejects([2, 2], np.array([0, 3], np.int32), 3, error=InvalidArgumentError, match="out of range")
    return decl


unsorted_segment_sum_op = _declare_unsorted("UnsortedSegmentSum", "Sum", "numeric")
unsorted_segment_prod_op = _declare_unsorted("UnsortedSegmentProd", "Prod", "numeric")
unsorted_segment_min_op = _declare_unsorted("UnsortedSegmentMin", "Min", "realnumeric")
unsorted_segment_max_op = _declare_unsorted("UnsortedSegmentMax", "Max", "realnumeric")
for _decl in (unsorted_segment_min_op, unsorted_segment_max_op):
    _decl.accepts(np.array([2**63 + 5, 3], np.uint64), np.array([0, 0], np.int32), 2)


@segment_sum_op.gradient
def segment_sum_gradient(op, grad):
    return [composing.gather(grad, op.inputs[1]), None]


@segment_mean_op.gradient
def segment_mean_gradient(op, grad):
    rank = composing.rank(op.inputs[0])
    sizes = composing.concat([composing.shape(op.inputs[1]), raw.Fill(composing.expand_dims(rank - 1, 0), 1)], 0)
    ones = raw.Fill(sizes, convert_to_tensor(1, grad.dtype))
    return [composing.gather(grad / raw.SegmentSum(ones, op.inputs[1]), op.inputs[1]), None]


def segment_extreme_gradient(op, grad):
    """Shared among the rows that have the extreme value."""
    data, ids = op.inputs
    zeros = composing.zeros_like(data, data.dtype)
    chosen = raw.Equal(data, composing.gather(op.outputs[0], ids))
    number = raw.SegmentSum(composing.cast(chosen, grad.dtype), ids)
    return [raw.Select(chosen, composing.gather(grad / number, ids), zeros), None]


segment_min_op.gradient(segment_extreme_gradient)
segment_max_op.gradient(segment_extreme_gradient)


def _gather_kept(params: Tensor, ids: TensorLike | None, clipped: Tensor | None = None, kept: Any = None) -> Any:
    """Rows of `params` at `ids`, zeros where an id is negative; with what it found on the way."""
    if clipped is None:
        clipped = raw.Maximum(ids, composing.zeros_like(ids))
    gathered: Any = composing.gather(params, clipped)
    if kept is None:
        kept = raw.GreaterEqual(ids, 0)
        for _ in range(len(gathered.dims) - len(kept.dims)):
            kept = composing.expand_dims(kept, -1)
        kept = kept & composing.ones_like(gathered, "bool")
    return raw.Select(kept, gathered, composing.zeros_like(gathered)), clipped, kept


@unsorted_segment_sum_op.gradient
def unsorted_segment_sum_gradient(op, grad):
    return [_gather_kept(grad, op.inputs[1])[0], None, None]


def unsorted_segment_extreme_gradient(op, grad):
    """Shared among the rows that have the extreme value."""
    data, ids, number = op.inputs
    gathered, clipped, kept = _gather_kept(op.outputs[0], ids)
    chosen = raw.LogicalAnd(raw.Equal(data, gathered), kept)
    count = raw.UnsortedSegmentSum(composing.cast(chosen, grad.dtype), ids, number)
    shared, _, _ = _gather_kept(grad / count, None, clipped, kept)
    return [raw.Select(chosen, shared, composing.zeros_like(shared)), None, None]


unsorted_segment_min_op.gradient(unsorted_segment_extreme_gradient)
unsorted_segment_max_op.gradient(unsorted_segment_extreme_gradient)


@unsorted_segment_prod_op.gradient
def unsorted_segment_prod_gradient(op, grad):
    """The product divided by the factor; where that is the one factor of 0, the product of the others."""
    data, ids, number = op.inputs
    is_zero = raw.Equal(data, 0)
    zeros = raw.UnsortedSegmentSum(composing.cast(is_zero, "int32"), ids, number)
    grad = raw.Select(raw.Greater(zeros, 1), composing.zeros_like(grad), grad)
    others = raw.Select(is_zero, composing.ones_like(data), data)
    other_products = raw.UnsortedSegmentProd(others, ids, number)
    clipped = raw.Maximum(ids, composing.zeros_like(ids))
    products = composing.gather(op.outputs[0], clipped)
    other_products = composing.gather(other_products, clipped)
    partial = raw.Select(is_zero, other_products, products / data)
    return [_gather_kept(grad, ids, clipped)[0] * partial, None, None]


# ---- native instructions


@unsorted_segment_sum_op.native
def _unsorted_segment_sum_native(node):
    rows = integers(node, 2)
    return None if rows is None else applied("unsorted_segment_sum", rows, take=[0, 1])
