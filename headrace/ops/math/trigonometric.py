"""Circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import FLOATS, INEXACT, SIGNED, binary, conjugate, function_of, scalar, unary
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


sin_op = unary("Sin", INEXACT, torch.sin).keeps_shape().costs(4).scalar("np.sin({0})", integers=None)
cos_op = unary("Cos", INEXACT, torch.cos).keeps_shape().costs(4).scalar("np.cos({0})", integers=None)
tan_op = unary("Tan", SIGNED, torch.tan)
asin_op = unary("Asin", SIGNED, torch.asin, sample=[0.5, -0.3])
acos_op = unary("Acos", SIGNED, torch.acos, sample=[0.5, -0.3])
atan_op = unary("Atan", SIGNED, torch.atan)
sinh_op = unary("Sinh", INEXACT, torch.sinh)
cosh_op = unary("Cosh", INEXACT, torch.cosh)
asinh_op = unary("Asinh", INEXACT, torch.asinh)
acosh_op = unary("Acosh", INEXACT, torch.acosh, sample=[1.5, 7.0])
atanh_op = unary("Atanh", INEXACT, torch.atanh, sample=[0.5, -0.3])
atan2_op = binary("Atan2", FLOATS, torch.atan2, inputs="y x")

sin = function_of(sin_op, "sin", "The sine of each element, in radians.")
cos = function_of(cos_op, "cos", "The cosine of each element, in radians.")
tan = function_of(tan_op, "tan", "The tangent of each element, in radians.")
asin = function_of(asin_op, "asin", "The angle in [-pi/2, pi/2] whose sine is each element.")
acos = function_of(acos_op, "acos", "The angle in [0, pi] whose cosine is each element.")
atan = function_of(atan_op, "atan", "The angle in (-pi/2, pi/2) whose tangent is each element.")
sinh = function_of(sinh_op, "sinh", "The hyperbolic sine of each element.")
cosh = function_of(cosh_op, "cosh", "The hyperbolic cosine of each element.")
asinh = function_of(asinh_op, "asinh", "The number whose hyperbolic sine is each element.")
acosh = function_of(acosh_op, "acosh", "The number not below 0 whose hyperbolic cosine is each element.")
atanh = function_of(atanh_op, "atanh", "The number whose hyperbolic tangent is each element.")


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), in [-pi, pi].

    Args:
        y, x: float tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.atan2(1.0, -1.0))
        2.3561945
    """
    return atan2_op(y, x, name=name)


# ---- gradients ----


@sin_op.gradient
def sin_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Cos(conjugate(op.inputs[0]))]


@cos_op.gradient
def cos_gradient(op, grad):
    with control_dependencies([grad]):
        x = conjugate(op.inputs[0])
        return [-grad * raw.Sin(x)]


@tan_op.gradient
def tan_gradient(op, grad):
    with control_dependencies([grad]):
        secant = raw.Reciprocal(raw.Cos(conjugate(op.inputs[0])))
        return [raw.Square(secant) * grad]


def _root_of_complement(x: Tensor, dtype: DType) -> Tensor:
    """1 / sqrt(1 - x²)."""
    squared = raw.Square(x)
    return raw.Reciprocal(raw.Sqrt(raw.Sub(scalar(1, dtype), squared)))


@asin_op.gradient
def asin_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * _root_of_complement(conjugate(op.inputs[0]), grad.dtype)]


@acos_op.gradient
def acos_gradient(op, grad):
    with control_dependencies([grad]):
        inverse = _root_of_complement(conjugate(op.inputs[0]), grad.dtype)
        return [-grad * inverse]


@atan_op.gradient
def atan_gradient(op, grad):
    with control_dependencies([grad]):
        squared = raw.Square(conjugate(op.inputs[0]))
        return [grad * raw.Reciprocal(raw.Add(scalar(1, grad.dtype), squared))]


@sinh_op.gradient
def sinh_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Cosh(conjugate(op.inputs[0]))]


@cosh_op.gradient
def cosh_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Sinh(conjugate(op.inputs[0]))]


@asinh_op.gradient
def asinh_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad / raw.Cosh(conjugate(op.outputs[0]))]


@acosh_op.gradient
def acosh_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad / raw.Sinh(conjugate(op.outputs[0]))]


@atanh_op.gradient
def atanh_gradient(op, grad):
    with control_dependencies([grad]):
        squared = raw.Square(conjugate(op.inputs[0]))
        return [grad * raw.Reciprocal(raw.Sub(scalar(1, grad.dtype), squared))]


@atan2_op.gradient
def atan2_gradient(op, grad):
    y, x = op.inputs
    with control_dependencies([grad]):
        inverse = grad / (raw.Square(x) + raw.Square(y))
        return [x * inverse, -y * inverse]


# ---- native instructions

named((sin_op, "sin"), (cos_op, "cos"), (tan_op, "tan"), (asin_op, "asin"), (acos_op, "acos"), (atan_op, "atan"))
named((sinh_op, "sinh"), (cosh_op, "cosh"), (asinh_op, "asinh"), (acosh_op, "acosh"), (atanh_op, "atanh"))
named((atan2_op, "atan2"))
