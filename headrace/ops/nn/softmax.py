"""Softmax and its logarithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.native import named
from headrace.kernels.nn.softmax import log_softmax_of, softmax_of
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


softmax_op = op("Softmax", "logits: T, *, T: floating -> softmax: T").keeps_shape().costs(4)
log_softmax_op = op("LogSoftmax", "logits: T, *, T: floating -> logsoftmax: T").keeps_shape().costs(4)


def softmax_shape(op):
    """The shape rule of both: that of a tensor with a last axis."""
    dims = op.inputs[0].dims
    if dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [dims]


def _kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(node):
        if node.inputs[0].dims is not None:
            return function

        def checked(logits):
            if logits.dim() == 0:
                raise InvalidArgumentError(None, None, "logits must have >= 1 dimension, got []")
            return function(logits)

        return checked

    return rule


softmax_op.kernel(_kernel(softmax_of))
log_softmax_op.kernel(_kernel(log_softmax_of))
for _decl in (softmax_op, log_softmax_op):
    _decl.fresh().shape(softmax_shape)
    _decl.accepts([2, 3]).accepts([4]).accepts([2, 3, 4]).accepts([0, 3]).rejects([], error=ValueError)


@softmax_op.gradient
def softmax_gradient(op, grad):
    """The Jacobian is diag(y) - y y', so that the gradient is (g - sum(g y)) y."""
    y = op.outputs[0]
    total = raw.Sum(grad * y, -1, keep_dims=True)
    return [(grad - total) * y]


@log_softmax_op.gradient
def log_softmax_gradient(op, grad):
    """The Jacobian is 1 - exp(y)' in each row, so that the gradient is g - sum(g) exp(y)."""
    y = raw.Exp(op.outputs[0])
    return [grad - raw.Sum(grad, -1, keep_dims=True) * y]


def along_axis(decl: OpDecl, logits: TensorLike, axis: int | Tensor, name: str | None) -> Tensor:
    """Applies `decl`, which works along the last axis, along `axis`, which is swapped with the last for it.

    Raises:
        InvalidArgumentError: if `axis` is out of range.
        TypeError: if `axis` is not the last one and the rank of `logits` is unknown.
    """
    logits = convert_to_tensor(logits)
    rank = None if logits.dims is None else len(logits.dims)
    if not isinstance(axis, Tensor) and (axis == -1 or (rank is not None and axis == rank - 1)):
        return decl(logits, name=name)
    if rank is None:
        raise TypeError("The rank of logits must be known unless axis is -1: give them a shape with set_shape.")
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is not None and not -rank <= known < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"Dimension ({int(known)}) must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions "
            "in the input.",
        )
    count = composing.rank(logits)
    if isinstance(axis, Tensor):
        axis = raw.Select(raw.Less(axis, 0), axis + count, axis)
    elif axis < 0:
        axis = axis + count
    last = composing.rank(logits)
    axis = axis % rank
    swapped = _swap(logits, axis, raw.Sub(last, 1))
    result = _swap(decl(swapped), axis, raw.Sub(last, 1), name)
    result.set_shape(logits.dims)
    return result


def _swap(value: Tensor, axis: int | Tensor, last: TensorLike, name: str | None = None) -> Tensor:
    order = composing.concat([composing.range_(axis), [last], composing.range_(axis + 1, last), [axis]], 0)
    return composing.transpose(value, order, name=name or "transpose")


def softmax(
    logits: TensorLike, axis: int | Tensor | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """exp(logits) / sum(exp(logits)) along an axis.

    Args:
        logits: floats of rank 1 or more.
        axis: the axis whose elements become a distribution; the last by default.
        name: a name for the operation.
        dim: the older name of `axis`.

    Returns:
        a tensor of the type and shape of `logits`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.

    Example:
        >>> tf.Session().run(tf.nn.softmax([1.0, 1.0]))
        array([0.5, 0.5], dtype=float32)
    """
    axis = first_given("axis", axis, "dim", dim)
    return along_axis(softmax_op, logits, -1 if axis is None else axis, name)


def log_softmax(
    logits: TensorLike, axis: int | Tensor | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """logits - log(sum(exp(logits))) along an axis.

    Args:
        logits: floats of rank 1 or more.
        axis: the axis that is a distribution; the last by default.
        name: a name for the operation.
        dim: the older name of `axis`.

    Returns:
        a tensor of the type and shape of `logits`.

    Raises:
        InvalidArgumentError: if `axis` is out of range.
    """
    axis = first_given("axis", axis, "dim", dim)
    return along_axis(log_softmax_op, logits, -1 if axis is None else axis, name)


# ---- native instructions

named((softmax_op, "softmax"), (log_softmax_op, "log_softmax"))
