"""Running totals along an axis: Cumsum, Cumprod, CumulativeLogsumexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.native import integers

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, TensorLike


_SIGNATURE = "x: T, axis: Tidx, *, exclusive=False, reverse=False, T: {}, Tidx: index = int32 -> out: T"
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


def _kernel(scan: Callable[[Any, int], Any], first: Callable[[torch.dtype], float]) -> Callable[[Any], Any]:
    """The kernel rule of a scan; `first` is what an exclusive one begins with."""

    def rule(node: NodeView) -> Callable[..., Any]:
        exclusive, reverse = node.attrs["exclusive"], node.attrs["reverse"]
        dtype = node.inputs[0].dtype.torch
        wider = _WIDER.get(dtype)

        def total(x: torch.Tensor, axis: int) -> torch.Tensor:
            if exclusive:
                # Shifted before: taking x out afterwards would turn inf - inf into nan.
                size = x.shape[axis]
                head = x.narrow(axis, 0, min(1, size))
                start = torch.full_like(head, first(x.dtype))
                return torch.cat([start, scan(x.narrow(axis, 0, max(size - 1, 0)), axis)], axis)
            return scan(x, axis)

        def run(x: torch.Tensor, axis: int) -> torch.Tensor:
            if wider is not None:
                return run_plain(x.to(wider), axis).to(dtype)
            return run_plain(x, axis)

        def run_plain(x: torch.Tensor, axis: int) -> torch.Tensor:
            if reverse:
                return total(x.flip(axis), axis).flip(axis)
            return total(x, axis)

        def any_axis(x: torch.Tensor, axis: torch.Tensor) -> torch.Tensor:
            if axis.ndim:
                raise InvalidArgumentError(None, None, f"ScanOp: axis must be a scalar, not {list(axis.shape)}")
            where = int(axis)
            if not -x.dim() <= where < x.dim():
                raise InvalidArgumentError(
                    None, None, f"ScanOp: Expected scan axis in the range [{-x.dim()}, {x.dim()}), but got {where}"
                )
            return run(x, where)

        axis, dims = node.constant(1), node.inputs[0].dims
        if axis is None or axis.ndim or dims is None or not -len(dims) <= int(axis) < len(dims):
            return any_axis
        where = int(axis)
        if wider is None and not exclusive and not reverse:
            return lambda x, _: scan(x, where)
        return lambda x, _: run(x, where)

    return rule


def _declare(op_type: str, types: str, scan: Callable[[Any, int], Any], first: Callable[..., Any]) -> OpDecl:
    decl = op(op_type, _SIGNATURE.format(types)).on_host("axis")
    decl.shape(lambda op: [op.inputs[0].dims])
    decl.kernel(_kernel(scan, first))
    decl.accepts([4], 0).accepts([2, 3], -1, exclusive=True).accepts([0, 3], 0).accepts([2, 3], 1, reverse=True)
    decl.rejects([2, 3], 2, error=InvalidArgumentError)
    return decl


def _log_sum_exp(x: torch.Tensor, axis: int) -> torch.Tensor:
    if x.dtype is torch.float16:
        return torch.logcumsumexp(x.float(), axis).half()
    return torch.logcumsumexp(x, axis)


# torch would widen small integers to int64; the ops keep their type.
cumsum_op = _declare("Cumsum", "numeric", lambda x, axis: torch.cumsum(x, axis, dtype=x.dtype), lambda _: 0)
cumprod_op = _declare("Cumprod", "numeric", lambda x, axis: torch.cumprod(x, axis, dtype=x.dtype), lambda _: 1)
cumulative_logsumexp_op = _declare(
    "CumulativeLogsumexp", "{half, float, double}", _log_sum_exp, lambda dtype: torch.finfo(dtype).min
)


@cumsum_op.gradient
def cumsum_gradient(op, grad):
    """Each total collects what stood before it, so each input collects the gradients that stand after it."""
    attrs = op.attrs
    return [cumsum(grad, op.inputs[1], exclusive=attrs["exclusive"], reverse=not attrs["reverse"]), None]


@cumprod_op.gradient
def cumprod_gradient(op, grad):
    """By the quotient of each product and its factor, which (as in TensorFlow) is nan for factors of 0."""
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    products = cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    out = cumsum(products * grad, axis, exclusive=exclusive, reverse=not reverse)
    return [out / x, None]


@cumulative_logsumexp_op.gradient
def cumulative_logsumexp_gradient(op, grad):
    """dy_j/dx_i = exp(x_i - y_j) for i <= j. Positive and negative gradients are summed apart, each as logarithms."""
    x, axis = op.inputs
    y = op.outputs[0]
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    least = grad.dtype.min

    def part(chosen: Tensor, magnitude: Tensor) -> Tensor:
        logs = raw.SelectV2(chosen, raw.Log(magnitude), least)
        total = cumulative_logsumexp(logs - y, axis=axis, reverse=not reverse, exclusive=exclusive)
        return raw.Exp(total + x)

    positive = part(raw.Greater(grad, 0), grad)
    negative = part(raw.Less(grad, 0), -grad)
    return [positive - negative, None]


def cumsum(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running sums along an axis.

    Args:
        x: numbers of any shape.
        axis: an int or scalar int tensor.
        exclusive: leave each element out of its own sum.
        reverse: sum from the end.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `x`.

    Example:
        >>> tf.Session().run(tf.cumsum([1, 2, 3], exclusive=True))
        array([0, 1, 3], dtype=int32)
    """
    with name_scope(name, "Cumsum", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return raw.Cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumprod(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running products along an axis.

    Args:
        x: numbers of any shape.
        axis: an int or scalar int tensor.
        exclusive: leave each element out of its own product.
        reverse: multiply from the end.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `x`.

    Example:
        >>> tf.Session().run(tf.cumprod([1, 2, 3], reverse=True))
        array([6, 6, 3], dtype=int32)
    """
    with name_scope(name, "Cumprod", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return raw.Cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumulative_logsumexp(
    x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) of what stands up to each element along an axis, without overflow.

    Args:
        x: floating numbers of any shape.
        axis: an int or scalar int tensor.
        exclusive: leave each element out of its own sum; the first is then the least number of the type.
        reverse: sum from the end.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `x`.

    Example:
        >>> tf.Session().run(tf.math.cumulative_logsumexp([0.0, 0.0]))
        array([0.       , 0.6931472], dtype=float32)
    """
    with name_scope(name, "CumulativeLogsumexp", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return raw.CumulativeLogsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


# ---- native instructions


def _scan_native(name):
    def rule(node):
        axis, attrs = integers(node, 1), node.attrs
        return (
            None if axis is None else applied(name, [axis[0], int(attrs["exclusive"]), int(attrs["reverse"])], take=[0])
        )

    return rule


cumsum_op.native(_scan_native("cumsum"))
cumprod_op.native(_scan_native("cumprod"))
