"""Select and SelectV2: elements of one tensor or another, as a condition says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import is_fully_defined, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.composing import zeros, zeros_like
from headrace.kernels.math.elementwise import bracketed, broadcast_or_raise, require_broadcast
from headrace.kernels.native import same_shape

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, TensorLike


select_op = (
    op("Select", "condition: bool, t: T, e: T -> output: T")
    .keeps_shape("t", "e")
    .never_fails()
    .chooses_handle()
    .scalar("({1} if {0} else {2})")
    .passes_text()
)
select_v2_op = op("SelectV2", "condition: bool, t: T, e: T -> output: T").passes_text()

select_op.accepts(np.array([True, False]), [2, 3], [2, 3]).accepts(np.array(True), [2], [2])
select_op.rejects(np.array([True, False]), [3, 2], [3, 2], error=ValueError)
select_v2_op.accepts(np.array([[True], [False]]), [3], [2, 3])


@select_op.shape
def select_shape(op):
    condition = op.inputs[0].dims
    dims = merge_dims(op.inputs[1].dims, op.inputs[2].dims)
    if condition is None or dims is None or condition == ():
        return [dims]
    if len(condition) == 1 and len(dims) > 1:
        # A vector chooses among the rows.
        merge_dims(condition, dims[:1])
        return [dims]
    return [merge_dims(dims, condition)]


@select_v2_op.shape
def select_v2_shape(op):
    condition, t, e = (value.dims for value in op.inputs)
    return [broadcast_or_raise(condition, broadcast_or_raise(t, e))]


_SAME_SIZE_INTEGER = {
    torch.float32: torch.int32,
    torch.int32: torch.int32,
    torch.float64: torch.int64,
    torch.int64: torch.int64,
}


def _blended(condition: torch.Tensor, t: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    """`torch.where`; its loop over a condition branches, so a large choice is made with bits, several times as fast."""
    if t.numel() < 16384 or t.shape != e.shape or condition.shape != t.shape or not t.is_cpu:
        return torch.where(condition, t, e)
    integer = _SAME_SIZE_INTEGER[t.dtype]
    mask, other = condition.to(integer).neg_(), e.view(integer)
    chosen = torch.bitwise_xor(t.view(integer), other)
    return chosen.bitwise_and_(mask).bitwise_xor_(other).view(t.dtype)


def _where(node: NodeView) -> Callable[..., Any]:
    dtype = node.inputs[1].dtype.torch
    if dtype in _SAME_SIZE_INTEGER:
        return _blended
    if dtype is not None:
        return torch.where
    return lambda condition, t, e: np.asarray(np.where(condition.numpy(), t, e), dtype=object)


@select_op.kernel
def select_kernel(node):
    where = _where(node)
    condition, t, e = (value.dims for value in node.inputs)
    if is_fully_defined(t) and t == e and condition in ((), t):
        return where
    name = f"operation {node.name} of type {node.type}"

    def by_row_or_element(condition, t, e):
        if t.shape != e.shape:
            _differ(name, t, e, 2)
        if condition.shape != t.shape and condition.ndim != 0:
            if condition.ndim != 1 or t.ndim == 0 or condition.shape[0] != t.shape[0]:
                _differ(name, condition, t, 1)
            condition = condition.reshape(-1, *(1,) * (t.ndim - 1))
        return where(condition, t, e)

    return by_row_or_element


def _differ(name: str, first: torch.Tensor, other: torch.Tensor, index: int) -> None:
    raise InvalidArgumentError(
        None, None, f"Inputs to {name} must have the same size and shape.  "
        f"Input 0: {bracketed(first.shape)} != input {index}: {bracketed(other.shape)}"
    )  # fmt: skip


@select_v2_op.kernel
def select_v2_kernel(node):
    where = _where(node)
    dims = [value.dims for value in node.inputs]
    if all(is_fully_defined(d) for d in dims):
        return where

    def compute(condition, t, e):
        try:
            return where(condition, t, e)
        except (RuntimeError, ValueError):
            require_broadcast(t, e)
            require_broadcast(condition, t)
            require_broadcast(condition, e)
            raise

    return compute


@select_op.gradient
def select_gradient(op, grad):
    condition, t, _ = op.inputs
    nothing = zeros_like(t)
    return [None, raw.Select(condition, grad, nothing), raw.Select(condition, nothing, grad)]


@select_v2_op.gradient
def select_v2_gradient(op, grad):
    condition, t, e = op.inputs
    nothing = zeros([], grad.dtype.base_dtype)
    grad_t = raw.SelectV2(condition, grad, nothing)
    shape_t, shape_out = shape_of(t), shape_of(op.outputs[0])
    axes_t, _ = raw.BroadcastGradientArgs(shape_t, shape_out)
    grad_t = raw.Reshape(raw.Sum(grad_t, axes_t, keep_dims=True), shape_t)
    grad_e = raw.SelectV2(condition, nothing, grad)
    shape_e = shape_of(e)
    axes_e, _ = raw.BroadcastGradientArgs(shape_e, shape_out)
    grad_e = raw.Reshape(raw.Sum(grad_e, axes_e, keep_dims=True), shape_e)
    return [None, grad_t, grad_e]


def select(condition: TensorLike, t: TensorLike, e: TensorLike, name: str | None = None) -> Tensor:
    """`t` where `condition` holds, `e` elsewhere, as 0.x spelled `tf.where`.

    Args:
        condition: bools shaped as `t`, or a vector that chooses among its rows, or a scalar.
        t, e: tensors of one type and shape.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes do not fit.
    """
    return raw.Select(condition, t, e, name=name)


# ---- native instructions

_CHOICE = applied("select")


def _chosen(b, inputs):
    same_shape(b, inputs[0], inputs[1], inputs[2])
    return b.apply("select", list(inputs))


def _chosen_rows(rank):
    def lower(b, inputs):
        same_shape(b, inputs[1], inputs[2])
        # One condition a row, and no fewer.
        condition = b.apply("reshape", [inputs[0]], [b.dim(inputs[1], 0), *[1] * (rank - 1)])[0]
        return b.apply("select", [condition, inputs[1], inputs[2]])

    return lower


def _chosen_by_one(b, inputs):
    same_shape(b, inputs[1], inputs[2])
    return b.apply("select", list(inputs))


@select_op.native
def _select_native(node):
    condition, value = node.inputs[0].dims, node.inputs[1].dims
    if condition == ():
        return _chosen_by_one
    if condition is None or value is None:
        return None
    if len(condition) == len(value):
        return _chosen
    return _chosen_rows(len(value)) if len(condition) == 1 else None


select_v2_op.native(lambda node: _CHOICE)
