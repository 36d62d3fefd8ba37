"""Reductions over rows picked by index that share an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.shapes import Dims, merge_dims
from headrace.ops import composing
from headrace.ops.array.common import rank_is, scalar_constant

_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _scale(kind: str, ids: Any, count: int, like: Any) -> Any:
    """What the sums of `count` segments are divided by, shaped to divide rows of `like`."""
    number = torch.bincount(ids, minlength=count).clamp(min=1).to(like.dtype)
    if kind == "SqrtN":
        number = number.sqrt()
    return number.reshape(-1, *[1] * (like.dim() - 1))


def _check(
    indices: Any, ids: Any, rows: int, outside_text: str = "Bad: indices[{where}] == {value} out of range [0, {rows})"
) -> None:
    if indices.shape != ids.shape or ids.dim() != 1:
        raise _invalid("segment_ids and indices should have same size.")
    if not indices.shape[0]:
        return
    least, most = torch.aminmax(indices)
    if int(least) < 0 or int(most) >= rows:
        where = int(((indices < 0) | (indices >= rows)).nonzero()[0])
        raise _invalid(outside_text.format(where=where, value=int(indices[where]), rows=rows))


def _is_range(ids: Any, count: int) -> bool:
    """Whether each of `count` segments has one row, in their order, as of features with one value an example."""
    return ids.shape[0] == count and torch.equal(ids, torch.arange(count, dtype=ids.dtype, device=ids.device))


def _shape(with_number: bool) -> Callable[[Any], list[Dims]]:
    def rule(op: Any) -> list[Dims]:
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


def _kernel(kind: str) -> Callable[[Any], Any]:
    def rule(node: Any) -> Any:
        dtype = node.inputs[0].dtype.torch
        wider = _WIDER.get(dtype)

        def run(data: Any, indices: Any, ids: Any, number: Any = None) -> Any:
            _check(indices, ids, data.shape[0])
            if number is None and ids.shape[0] and _is_range(ids, ids.shape[0]):
                return data.index_select(0, indices)
            if ids.shape[0]:
                if bool((ids[1:] < ids[:-1]).any()):
                    raise _invalid("segment ids are not increasing")
                if int(ids[0]) < 0:
                    raise _invalid("segment ids must be >= 0")
            count = int(ids[-1]) + 1 if ids.shape[0] else 0
            if number is not None:
                if int(number) < count:
                    raise _invalid("segment ids must be < num_segments")
                count = int(number)
            picked = data.index_select(0, indices)
            ids = ids.to(torch.int64)
            if wider is not None:
                picked = picked.to(wider)
            total = picked.new_zeros((count, *data.shape[1:])).index_add_(0, ids, picked)
            if wider is not None:
                return total.to(dtype)
            return total if kind == "Sum" else total / _scale(kind, ids, count, total)

        return run

    return rule


def _declare(kind: str, with_number: bool) -> OpDecl:
    types = "realnumeric" if kind == "Sum" else "{float, double}"
    number = ", num_segments: Tnumsegments" if with_number else ""
    number_type = ", Tnumsegments: index = int32" if with_number else ""
    decl = op(
        f"SparseSegment{kind}{'WithNumSegments' if with_number else ''}",
        f"data: T, indices: Tidx, segment_ids: int32{number}, *, T: {types}, Tidx: index = int32{number_type} "
        "-> output: T",
    )
    if with_number:
        decl.on_host("num_segments")
    decl.shape(_shape(with_number))
    decl.kernel(_kernel(kind))
    rest = (5,) if with_number else ()
    decl.accepts([3, 2], np.array([2, 0, 2], np.int32), np.array([0, 0, 2], np.int32), *rest)
    decl.rejects([2, 2], np.array([2], np.int32), np.array([0], np.int32), *rest, error=InvalidArgumentError)
    return decl


def _declare_gradient(kind: str) -> OpDecl:
    decl = op(
        f"SparseSegment{kind}Grad",
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
            _check(indices, ids, int(rows), "Index {value} out of range [0, {rows}).")
            if _is_range(ids, grad.shape[0]):
                return grad.new_zeros((int(rows), *grad.shape[1:])).index_add_(0, indices, grad)
            ids = ids.to(torch.int64)
            if ids.shape[0] and int(ids[-1]) >= grad.shape[0]:
                raise _invalid("Invalid number of segments")
            if ids.shape[0] and int(ids.min()) < 0:
                raise _invalid(f"Segment id {int(ids.min())} out of range [0, {grad.shape[0]}).")
            scaled = grad / _scale(kind, ids, grad.shape[0], grad)
            result = grad.new_zeros((int(rows), *grad.shape[1:]))
            return result.index_add_(0, indices, scaled.index_select(0, ids))

        return run

    return decl.accepts([2, 3], np.array([2, 0], np.int32), np.array([0, 1], np.int32), 4)


for _kind in ("Mean", "SqrtN"):
    _declare_gradient(_kind)


def _attach_gradient(kind: str, decl: OpDecl, rest: int) -> None:
    @decl.gradient
    def gradient(op, grad):
        """Each picked row gets its segment's gradient; a row picked twice gets both."""
        data, indices, ids = op.inputs[:3]
        rows = composing.shape(data)[0]
        if kind == "Sum":
            back = raw.UnsortedSegmentSum(composing.gather(grad, ids), indices, rows)
        else:
            back = getattr(raw, f"SparseSegment{kind}Grad")(grad, indices, ids, rows)
        return [back] + [None] * rest


for _kind in ("Sum", "Mean", "SqrtN"):
    _attach_gradient(_kind, _declare(_kind, False), 2)
    _attach_gradient(_kind, _declare(_kind, True), 3)
