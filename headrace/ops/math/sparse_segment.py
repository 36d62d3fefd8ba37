"""Reductions over rows picked by index that share an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import Dims, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import GradientRule, KernelRule, OpDecl, ShapeRule, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import rank_is, scalar_constant
from headrace.kernels.math.segments import check_segments
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}
# What the runner sums, and the numbers of its kinds of sums.
_DIRECT = (torch.float32, torch.float64)
_KINDS = ("Sum", "Mean", "SqrtN")


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _scale(kind: str, ids: torch.Tensor, count: int, like: torch.Tensor) -> torch.Tensor:
    """What the sums of `count` segments are divided by, shaped to divide rows of `like`."""
    number = torch.bincount(ids, minlength=count).clamp(min=1).to(like.dtype)
    if kind == "SqrtN":
        number = number.sqrt()
    return number.reshape(-1, *[1] * (like.dim() - 1))


def _check(
    indices: torch.Tensor,
    ids: torch.Tensor,
    rows: int,
    outside_text: str = "Bad: indices[{where}] == {value} out of range [0, {rows})",
) -> None:
    if indices.shape != ids.shape or ids.dim() != 1:
        raise _invalid("segment_ids and indices should have same size.")
    if not indices.shape[0]:
        return
    least, most = torch.aminmax(indices)
    if int(least) < 0 or int(most) >= rows:
        where = int(((indices < 0) | (indices >= rows)).nonzero()[0])
        raise _invalid(outside_text.format(where=where, value=int(indices[where]), rows=rows))


def _is_range(ids: torch.Tensor, count: int) -> bool:
    """Whether each of `count` segments has one row, in their order, as of features with one value an example."""
    return ids.shape[0] == count and torch.equal(ids, torch.arange(count, dtype=ids.dtype, device=ids.device))


def _shape(with_number: bool) -> ShapeRule:
    def rule(op: OpView) -> list[Dims]:
        for source in op.inputs[1:3]:
            if source.dims is not None and len(source.dims) != 1:
                raise ValueError(f"Shape must be rank 1 but is rank {len(source.dims)}")
        merge_dims(op.inputs[1].dims, op.inputs[2].dims)
        count = scalar_constant(op, 3) if with_number else None
        dims = op.inputs[0].dims
        if count is not None and count < 0:
            raise ValueError("Cannot specify a negative value for num_segments")
        if dims is None:
            return [None]
        if not dims:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        return [(count, *dims[1:])]

    return rule


def _kernel(kind: str) -> KernelRule:
    def rule(node: NodeView) -> Callable[..., torch.Tensor]:
        dtype = node.inputs[0].dtype.torch
        wider = _WIDER.get(dtype)

        def run(
            data: torch.Tensor, indices: torch.Tensor, ids: torch.Tensor, number: torch.Tensor | None = None
        ) -> torch.Tensor:
            if number is None and ids.shape == indices.shape and ids.dim() == 1 and ids.shape[0] and int(ids[-1]) < 0:
                raise _invalid("segment ids must be >= 0")
            _check(indices, ids, data.shape[0])
            if number is None and ids.shape[0] and _is_range(ids, ids.shape[0]):
                return data.index_select(0, indices)
            count = int(ids[-1]) + 1 if ids.shape[0] else 0
            if number is not None:
                if int(number) < count:
                    raise _invalid("segment ids must be < num_segments")
                count = int(number)
            check_segments(ids, None if number is None else count)
            picked = data.index_select(0, indices)
            ids = ids.to(torch.int64)
            if wider is not None:
                picked = picked.to(wider)
            total = picked.new_zeros((count, *data.shape[1:])).index_add_(0, ids, picked)
            if wider is not None:
                return total.to(dtype)
            return total if kind == "Sum" else total / _scale(kind, ids, count, total)

        if len(node.inputs) > 3 or dtype not in _DIRECT or node.device.type != "cpu":
            return run
        return directly("sparse_segment_sum", run, _KINDS.index(kind))

    return rule


_PICKED = (np.array([2, 0, 2], np.int32), np.array([0, 0, 2], np.int32))
_OUTSIDE = (np.array([2], np.int32), np.array([0], np.int32))


def _declare(op_type: str, kind: str, types: str) -> OpDecl:
    decl = op(op_type, f"data: T, indices: Tidx, segment_ids: int32, *, T: {types}, Tidx: index = int32 -> output: T")
    decl.shape(_shape(False))
    decl.kernel(_kernel(kind))
    return decl.accepts([3, 2], *_PICKED).rejects([2, 2], *_OUTSIDE, error=InvalidArgumentError)


def _declare_with_number(op_type: str, kind: str, types: str) -> OpDecl:
    decl = op(
        op_type,
        f"data: T, indices: Tidx, segment_ids: int32, num_segments: Tnumsegments, *, T: {types}, Tidx: index = int32, "
        "Tnumsegments: index = int32 -> output: T",
    ).on_host("num_segments")
    decl.shape(_shape(True))
    decl.kernel(_kernel(kind))
    return decl.accepts([3, 2], *_PICKED, 5).rejects([2, 2], *_OUTSIDE, 5, error=InvalidArgumentError)


_FLOATS = "{float, double}"
sums = (
    _declare("SparseSegmentSum", "Sum", "realnumeric"),
    _declare_with_number("SparseSegmentSumWithNumSegments", "Sum", "realnumeric"),
)
means = (
    _declare("SparseSegmentMean", "Mean", _FLOATS),
    _declare_with_number("SparseSegmentMeanWithNumSegments", "Mean", _FLOATS),
)
scaled_sums = (
    _declare("SparseSegmentSqrtN", "SqrtN", _FLOATS),
    _declare_with_number("SparseSegmentSqrtNWithNumSegments", "SqrtN", _FLOATS),
)


def _declare_gradient(op_type: str, kind: str) -> OpDecl:
    decl = op(
        op_type,
        "grad: T, indices: Tidx, segment_ids: int32, output_dim0: int32, *, T: {float, double}, Tidx: index = int32 "
        "-> output: T",
    ).on_host("output_dim0")

    @decl.shape
    def shape(op):
        dims, rows = op.inputs[0].dims, scalar_constant(op, 3)
        merge_dims(rank_is(op.inputs[2].dims, 1), rank_is(op.inputs[1].dims, 1))
        return [None if dims is None else (rows, *dims[1:])]

    @decl.kernel
    def kernel(node):
        def run(grad, indices, ids, rows):
            if ids.shape == indices.shape and ids.shape[0]:
                if int(ids[-1]) >= grad.shape[0]:
                    raise _invalid("Invalid number of segments")
                check_segments(ids, grad.shape[0], sorted_too=False)
            _check(indices, ids, int(rows), "Index {value} out of range [0, {rows}).")
            if _is_range(ids, grad.shape[0]):
                return grad.new_zeros((int(rows), *grad.shape[1:])).index_add_(0, indices, grad)
            ids = ids.to(torch.int64)
            scaled = grad / _scale(kind, ids, grad.shape[0], grad)
            result = grad.new_zeros((int(rows), *grad.shape[1:]))
            return result.index_add_(0, indices, scaled.index_select(0, ids))

        return run if node.device.type != "cpu" else directly("sparse_segment_grad", run, _KINDS.index(kind))

    return decl.accepts([2, 3], np.array([2, 0], np.int32), np.array([0, 1], np.int32), 4)


mean_grad_op = _declare_gradient("SparseSegmentMeanGrad", "Mean")
scaled_sum_grad_op = _declare_gradient("SparseSegmentSqrtNGrad", "SqrtN")


def _sum_grad(grad: Tensor, indices: Tensor, ids: Tensor, rows: Tensor) -> Tensor:
    return raw.UnsortedSegmentSum(composing.gather(grad, ids), indices, rows)


def _gradient(of_data: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> GradientRule:
    """The gradient rule of which `of_data` gives the gradient of the rows that were picked from."""

    def gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
        """Each picked row gets its segment's gradient; a row picked twice gets both."""
        data, indices, ids = op.inputs[:3]
        rows = composing.shape(data)[0]
        return [of_data(grad, indices, ids, rows), *[None] * (len(op.inputs) - 1)]

    return gradient


for _decls, _grad in ((sums, _sum_grad), (means, mean_grad_op), (scaled_sums, scaled_sum_grad_op)):
    for _decl in _decls:
        _decl.gradient(_gradient(_grad))
