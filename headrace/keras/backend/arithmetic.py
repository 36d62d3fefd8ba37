"""Arithmetic on each element, comparisons, sums and the like along axes, and updates of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import gradients as gradients_of
from headrace.core.composite_types import TakingComposites, dispatched
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.dtypes import bool as bool_type
from headrace.functions.math import reduction as reductions
from headrace.keras.backend_config import floatx
from headrace.ops.array.identity import stop_gradient as stopped
from headrace.ops.math import argmax as places
from headrace.ops.math import binary as binary_ops
from headrace.ops.math import cast as casting
from headrace.ops.math import clip as clipping
from headrace.ops.math import comparison as comparisons
from headrace.ops.math import scan
from headrace.ops.math import trigonometric as trigonometric_ops
from headrace.ops.math import unary as unary_ops
from headrace.optimizers.moving_averages import assign_moving_average
from headrace.state.updates import assign, assign_add, assign_sub

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable

    Axes = int | Sequence[int] | None

# Ragged tensors are taken where the functions of the root take them.
unary, binary, trigonometric = (TakingComposites(each) for each in (unary_ops, binary_ops, trigonometric_ops))
comparison, reduction = TakingComposites(comparisons), TakingComposites(reductions)
cast, clip_by_value = dispatched(casting.cast), dispatched(clipping.clip_by_value)


# ---- each element


def abs(x: TensorLike) -> Tensor:  # programs call it by this name
    """The absolute value of each element."""
    return unary.abs(x)


def sqrt(x: Any) -> Tensor:
    """The square root of each element; of negative ones zero."""
    dtype = as_dtype(x.dtype).base_dtype
    # A bound of infinity keeps the clipping that 1.15 has here.
    bounds = [convert_to_tensor(bound, dtype=dtype) for bound in (0.0, float("inf"))]
    return unary.sqrt(clip_by_value(x, bounds[0], bounds[1]))


def square(x: TensorLike) -> Tensor:
    """The square of each element."""
    return unary.square(x)


def exp(x: TensorLike) -> Tensor:
    """The exponential of each element."""
    return unary.exp(x)


def log(x: TensorLike) -> Tensor:
    """The natural logarithm of each element."""
    return unary.log(x)


def round(x: TensorLike) -> Tensor:  # programs call it by this name
    """The nearest whole number of each element, the even one of two."""
    return unary.round(x)


def sign(x: TensorLike) -> Tensor:
    """The sign of each element: -1, 0 or 1."""
    return unary.sign(x)


def sin(x: TensorLike) -> Tensor:
    """The sine of each element."""
    return trigonometric.sin(x)


def cos(x: TensorLike) -> Tensor:
    """The cosine of each element."""
    return trigonometric.cos(x)


def pow(x: TensorLike, a: Any) -> Tensor:  # programs call it by this name
    """Each element to the power of `a`."""
    return binary.pow(x, a)


def clip(x: Any, min_value: Any, max_value: Any) -> Tensor:
    """Each element, moved into an interval.

    Args:
        x: a tensor.
        min_value, max_value: the interval; None for no bound above. A maximum below the minimum is taken to be it.
    """
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)) and max_value < min_value:
        max_value = min_value
    dtype = as_dtype(x.dtype).base_dtype
    low = convert_to_tensor(float("-inf") if min_value is None else min_value, dtype=dtype)
    return clip_by_value(x, low, convert_to_tensor(float("inf") if max_value is None else max_value, dtype=dtype))


# ---- comparisons


def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Where elements are equal."""
    return comparison.equal(x, y)


def not_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Where elements differ."""
    return comparison.not_equal(x, y)


def greater(x: TensorLike, y: TensorLike) -> Tensor:
    """Where `x > y`."""
    return comparison.greater(x, y)


def greater_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Where `x >= y`."""
    return comparison.greater_equal(x, y)


def less(x: TensorLike, y: TensorLike) -> Tensor:
    """Where `x < y`."""
    return comparison.less(x, y)


def less_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Where `x <= y`."""
    return comparison.less_equal(x, y)


def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """The greater of two elements."""
    return binary.maximum(x, y)


def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """The smaller of two elements."""
    return binary.minimum(x, y)


# ---- along axes


def max(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:  # programs call it by this name
    """The greatest element along axes; of all elements by default."""
    return reduction.reduce_max(x, axis, keepdims)


def min(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:  # programs call it by this name
    """The smallest element along axes; of all elements by default."""
    return reduction.reduce_min(x, axis, keepdims)


def sum(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:  # programs call it by this name
    """The sum along axes; of all elements by default."""
    return reduction.reduce_sum(x, axis, keepdims)


def prod(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The product along axes; of all elements by default."""
    return reduction.reduce_prod(x, axis, keepdims)


def _as_numbers(x: Any) -> Any:
    return cast(x, floatx()) if as_dtype(x.dtype).base_dtype == bool_type else x


def mean(x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The mean along axes; of all elements by default. Of bools, the share of True."""
    return reduction.reduce_mean(_as_numbers(x), axis, keepdims)


def var(x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The variance along axes; of all elements by default."""
    return reduction.reduce_variance(_as_numbers(x), axis=axis, keepdims=keepdims)


def std(x: Any, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The standard deviation along axes; of all elements by default."""
    return reduction.reduce_std(_as_numbers(x), axis=axis, keepdims=keepdims)


def logsumexp(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials along axes, without overflow."""
    return reduction.reduce_logsumexp(x, axis, keepdims)


def any(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:  # programs call it by this name
    """Whether any element along axes is not zero."""
    return reduction.reduce_any(cast(x, bool_type), axis, keepdims)


def all(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Tensor:  # programs call it by this name
    """Whether all elements along axes are not zero."""
    return reduction.reduce_all(cast(x, bool_type), axis, keepdims)


def argmax(x: TensorLike, axis: int = -1) -> Tensor:
    """The place of the greatest element along an axis."""
    return places.argmax(x, axis)


def argmin(x: TensorLike, axis: int = -1) -> Tensor:
    """The place of the smallest element along an axis."""
    return places.argmin(x, axis)


def cumsum(x: TensorLike, axis: int = 0) -> Tensor:
    """The sums of the elements so far along an axis."""
    return scan.cumsum(x, axis=axis)


def cumprod(x: TensorLike, axis: int = 0) -> Tensor:
    """The products of the elements so far along an axis."""
    return scan.cumprod(x, axis=axis)


# ---- updates and gradients


def update(x: Variable, new_x: TensorLike) -> Any:
    """Sets a variable to a new value."""
    return assign(x, new_x)


def update_add(x: Variable, increment: TensorLike) -> Any:
    """Adds to a variable."""
    return assign_add(x, increment)


def update_sub(x: Variable, decrement: TensorLike) -> Any:
    """Subtracts from a variable."""
    return assign_sub(x, decrement)


def moving_average_update(x: Variable, value: TensorLike, momentum: float) -> Any:
    """Moves a variable towards a value: `x * momentum + value * (1 - momentum)`, corrected for beginning at zero.

    Args:
        x: the variable.
        value: the value.
        momentum: how much of it stays.
    """
    return assign_moving_average(x, value, momentum, zero_debias=True)


def gradients(loss: Any, variables: Any) -> list[Any]:
    """The gradients of a tensor by variables.

    Args:
        loss: a tensor or several.
        variables: variables or tensors.

    Returns:
        a tensor for each; None where the loss does not depend on it.
    """
    return gradients_of(loss, variables)


def stop_gradient(variables: Any) -> Any:
    """A tensor, or a list of them, through which no gradient goes."""
    if isinstance(variables, (list, tuple)):
        return list(map(stopped, variables))
    return stopped(variables)
