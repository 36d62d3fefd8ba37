"""Quotients and remainders, with what Python, C and 0.x mean by them.

| op | integers | floats |
| --- | --- | --- |
| Div | towards zero | x / y |
| RealDiv | towards zero | x / y |
| FloorDiv, FloorMod | towards minus infinity, sign of y | the same |
| TruncateDiv, TruncateMod, Mod | towards zero, sign of x | remainder only |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.devices.numpy_loops import faster_of_two
from headrace.kernels.math.elementwise import (
    NO_NAN,
    binary,
    broadcast_axes,
    checked,
    conjugate,
    function_of,
    scalar,
    summed,
    widened,
)
from headrace.kernels.math.in_place import binary_in_place
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import NodeView, TensorLike


_DIVISIBLE = "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128}"
_WITH_REMAINDER = "{int32, int64, bfloat16, half, float, double}"

div_op = binary("Div", _DIVISIBLE).scalar("{0} / {1}", integers="truncate_div({0}, {1})")
real_div_op = binary("RealDiv", _DIVISIBLE).broadcasts_inputs().never_fails().scalar("{0} / {1}", integers=None)
floor_div_op = binary("FloorDiv", _DIVISIBLE).scalar("np.floor_divide({0}, {1})", integers="floor_div({0}, {1})")
truncate_div_op = binary("TruncateDiv", _DIVISIBLE)
floor_mod_op = binary("FloorMod", _WITH_REMAINDER).scalar("np.mod({0}, {1})", integers="floor_mod({0}, {1})")
truncate_mod_op = binary("TruncateMod", _WITH_REMAINDER)
mod_op = binary("Mod", _WITH_REMAINDER)
div_no_nan_op = binary("DivNoNan", NO_NAN)


def _toward_zero(x, y):
    return torch.div(x, y, rounding_mode="trunc")


def _floored_quotient(x, y):
    # Not torch.floor_divide: it is exact where TensorFlow rounds the quotient first, as in 1.0 // 0.1.
    return torch.div(x, y).floor_()


def _no_nan_quotient(x, y):
    if y.dim() == 0 and y.device.type == "cpu":
        return torch.div(x, y) if y.item() else torch.zeros_like(x)
    quotient = torch.div(x, y)
    return torch.where(y == 0, torch.zeros_like(quotient), quotient)


def _whole_toward_zero(x, y):
    # The processor traps where the smallest integer is divided by -1.
    if not x.dtype.is_signed:
        return _toward_zero(x, y)
    opposite = y == -1
    return torch.where(opposite, -x, _toward_zero(x, torch.where(opposite, 1, y)))


def _integer_kernel(node: NodeView, function: Callable[..., Any], ufunc: np.ufunc | None) -> Callable[..., Any]:
    """`function` on integers, refusing zeros among the divisors."""
    function = widened(node, function)
    divisor = node.constant(1)
    if divisor is not None and divisor.all():
        return checked(node, function if ufunc is None else faster_of_two(node, function, ufunc))
    if node.device.type != "cpu":
        return checked(node, _checking_divisor(function))

    def compute(x, y):
        try:
            return function(x, y)
        except RuntimeError as error:
            if "ZeroDivisionError" in str(error):
                raise _division_by_zero() from None
            raise

    return checked(node, compute)


def _division_by_zero() -> InvalidArgumentError:
    return InvalidArgumentError(None, None, "Integer division by zero")


def _checking_divisor(function: Callable[..., Any]) -> Callable[..., Any]:
    """On a GPU nothing tells of a division by zero."""

    def compute(x, y):
        if not bool(y.all()):
            raise _division_by_zero()
        return function(x, y)

    return compute


def _kernels(
    integers: Callable[..., Any] | None, floats: Callable[..., Any], ufunc: np.ufunc | None = None
) -> Callable[[Any], Any]:
    def kernel(node):
        if not node.inputs[0].dtype.is_integer:
            return checked(node, floats)
        if integers is None:
            raise no_kernel(node)
        return _integer_kernel(node, integers, ufunc)

    return kernel


_quotient_in_place = binary_in_place(torch.Tensor.div_, out=torch.div)


def _floats_in_place(node, index):
    return _quotient_in_place(node, index) if node.inputs[0].dtype.is_floating else None


div_op.kernel(_kernels(_whole_toward_zero, torch.div))
real_div_op.kernel(_kernels(_whole_toward_zero, torch.div))
real_div_op.reuses(_floats_in_place)
div_op.reuses(_floats_in_place)
floor_div_op.kernel(_kernels(torch.floor_divide, _floored_quotient, np.floor_divide))
# TensorFlow's quotient of floats is not rounded.
truncate_div_op.kernel(_kernels(_whole_toward_zero, torch.div))
floor_mod_op.kernel(_kernels(torch.remainder, torch.remainder, np.remainder))
truncate_mod_op.kernel(_kernels(torch.fmod, torch.fmod))
mod_op.kernel(_kernels(torch.fmod, torch.fmod))
div_no_nan_op.kernel(_kernels(None, _no_nan_quotient))

real_div_op.accepts([2, 3], [3], T="int32").accepts(np.array([-7, 7], np.int8), np.array([2, -2], np.int8))
realdiv = function_of(real_div_op, "realdiv", "x / y; of integers it is rounded towards zero.")
floor_div = function_of(floor_div_op, "floor_div", "x / y rounded towards minus infinity.")
truncatediv = function_of(truncate_div_op, "truncatediv", "x / y; of integers it is rounded towards zero.")
floormod = function_of(floor_mod_op, "floormod", "What is left of x after floor division by y; it has the sign of y.")
mod = floormod
truncatemod = function_of(truncate_mod_op, "truncatemod", "What is left of x after x / y is rounded towards zero.")

# The type in which `/` divides; None where that is the operands' own.
_TRUE_TYPES: dict[str, str | None] = {
    **dict.fromkeys(("uint8", "int8", "uint16", "int16"), "float32"),
    **dict.fromkeys(("int32", "int64"), "float64"),
    **dict.fromkeys(("bfloat16", "float16", "float32", "float64", "complex64", "complex128")),
}


def _require_same(x: Tensor, y: Tensor) -> None:
    if x.dtype.base_dtype != y.dtype.base_dtype:
        raise TypeError(f"x and y must have the same dtype, got {x.dtype.base_dtype!r} != {y.dtype.base_dtype!r}")


def true_division_type(dtype: DType) -> DType | None:
    """The type `/` casts operands of type `dtype` to, None if they stay as they are.

    Raises:
        TypeError: if values of this type cannot be divided.
    """
    if dtype.name not in _TRUE_TYPES:
        raise TypeError(f"Invalid dtype {dtype!r} in __truediv__")
    quotient_type = _TRUE_TYPES[dtype.name]
    return None if quotient_type is None else as_dtype(quotient_type)


def truediv(x: TensorLike | CompositeTensor, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y as Python 3 means it: integers are cast to floats first.

    Args:
        x, y: tensors of one type, of shapes that broadcast; int32 and int64 become float64, smaller ones float32.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.

    Example:
        >>> tf.Session().run(tf.truediv(3, 2))
        1.5
    """
    with name_scope(name, "truediv", [x, y]) as name:
        x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
        _require_same(x, y)
        quotient_type = true_division_type(x.dtype.base_dtype)
        if quotient_type is not None:
            x, y = raw.Cast(x, DstT=quotient_type), raw.Cast(y, DstT=quotient_type)
        return raw.RealDiv(x, y, name=name)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y as Python 2 means it: the floor of the quotient where x and y are integers.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
    """
    with name_scope(name, "div", [x, y]) as name:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        _require_same(x, y)
        if x.dtype.is_floating or x.dtype.is_complex:
            return raw.RealDiv(x, y, name=name)
        return raw.FloorDiv(x, y, name=name)


def divide(x: Any, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y as Python means it; with a name, `tf.truediv`.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
    """
    return x / y if name is None else truediv(x, y, name)


def floordiv(x: TensorLike | CompositeTensor, y: TensorLike, name: str | None = None) -> Tensor:
    """x // y: the quotient rounded towards minus infinity.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
        InvalidArgumentError: when run, for an integer divided by 0.
    """
    with name_scope(name, "floordiv", [x, y]) as name:
        return raw.FloorDiv(x, y, name=name)


def div_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, but 0 wherever y is 0.

    Args:
        x, y: float or complex tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
    """
    with name_scope(name, "div_no_nan", [x, y]) as name:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        _require_same(x, y)
        return raw.DivNoNan(x, y, name=name)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, but 0 wherever x is 0.

    Args:
        x: a float or complex tensor.
        name: a name for the operation.
    """
    with name_scope(name, "reciprocal_no_nan", [x]) as name:
        x = convert_to_tensor(x, name="x")
        return raw.DivNoNan(scalar(1, x.dtype, name="one"), x, name=name)


# ---- gradients ----


def _quotient_gradient(quotient: Callable[..., Any]) -> Callable[..., Any]:
    """d(x/y) = dx / y - dy x / y², the latter as -x / y / y."""

    def gradient(op, grad):
        x, y = op.inputs
        part_x, part_y = broadcast_axes(x, y)
        x, y = conjugate(x), conjugate(y)
        return [
            summed(quotient(grad, y), part_x),
            summed(grad * quotient(quotient(-x, y), y), part_y),
        ]

    return gradient


div_op.gradient(_quotient_gradient(lambda x, y: x / y))
real_div_op.gradient(_quotient_gradient(lambda x, y: raw.RealDiv(x, y)))
div_no_nan_op.gradient(_quotient_gradient(div_no_nan))


@floor_div_op.gradient
@truncate_div_op.gradient
def step_gradient(op, grad):
    return [None, None]


@floor_mod_op.gradient
def floor_mod_gradient(op, grad):
    x, y = (conjugate(value) for value in op.inputs)
    part_x, part_y = broadcast_axes(x, y)
    whole = raw.FloorDiv(x, y)
    return [summed(grad, part_x), summed(grad * raw.Neg(whole), part_y)]


# ---- native instructions

_FLOATS_ONLY, _INTEGERS_ONLY = applied("div"), applied("truncatediv")
named((floor_div_op, "floordiv"), (floor_mod_op, "floormod"), (div_no_nan_op, "div_no_nan"))
named((truncate_mod_op, "truncatemod"), (mod_op, "truncatemod"))
div_op.native(lambda node: _FLOATS_ONLY if node.inputs[0].dtype.is_floating else _INTEGERS_ONLY)
real_div_op.native(lambda node: _FLOATS_ONLY if node.inputs[0].dtype.is_floating else None)
truncate_div_op.native(lambda node: _INTEGERS_ONLY if node.inputs[0].dtype.is_integer else None)
