"""Special functions: the error function, gamma and beta functions, Bessel functions, and their like."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import merge_dims
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import cast, ones, zeros, zeros_like
from headrace.kernels.math.elementwise import (
    FLOATS,
    NO_NAN,
    binary,
    broadcast_axes,
    broadcast_shape,
    checked,
    conjugate,
    function_of,
    scalar,
    summed,
    unary,
)
from headrace.kernels.math.incomplete import betainc_values, igamma_derivative
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_DOUBLES = "{float, double}"


def _in_float(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` by way of float32 where torch has no kernel for half precision."""

    def compute(x):
        return function(x.float()).to(x.dtype) if x.element_size() == 2 else function(x)

    return compute


def _digamma(x):
    # At its poles TensorFlow has +infinity, torch -infinity at 0 and NaN below.
    return torch.where((x <= 0) & (x == torch.floor(x)), math.inf, torch.digamma(x))


erf_op = unary("Erf", FLOATS, torch.erf).costs(4)
erfc_op = unary("Erfc", FLOATS, torch.erfc)
lgamma_op = unary("Lgamma", FLOATS, torch.lgamma, sample=[0.5, 2.0])
digamma_op = unary("Digamma", FLOATS, _digamma, sample=[0.5, 2.0])
bessel_i0e_op = unary("BesselI0e", FLOATS, _in_float(torch.special.i0e))
bessel_i1e_op = unary("BesselI1e", FLOATS, _in_float(torch.special.i1e))
# Ops of TensorFlow 2, for graphs it has written.
unary("BesselI0", FLOATS, _in_float(torch.special.i0)).not_differentiable()
unary("BesselI1", FLOATS, _in_float(torch.special.i1)).not_differentiable()
unary("Erfinv", FLOATS, _in_float(torch.special.erfinv)).not_differentiable()
unary("Ndtri", FLOATS, _in_float(torch.special.ndtri)).not_differentiable()

erf = function_of(erf_op, "erf", "The error function of each element.", sparse=True)
erfc = function_of(erfc_op, "erfc", "1 - erf(x), exact for large x as well.")
lgamma = function_of(lgamma_op, "lgamma", "The logarithm of |gamma(x)|.")
digamma = function_of(digamma_op, "digamma", "The derivative of the logarithm of gamma(x).")
bessel_i0e = function_of(
    bessel_i0e_op, "bessel_i0e", "exp(-|x|) times the modified Bessel function of order 0.", sparse=True
)
bessel_i1e = function_of(
    bessel_i1e_op, "bessel_i1e", "exp(-|x|) times the modified Bessel function of order 1.", sparse=True
)


# ---- functions of two numbers ----


def _polygamma(order, x):
    """psi of whole order n: (-1)^(n+1) n! zeta(n + 1, x), DLMF 25.11.12."""
    sign = torch.where(torch.remainder(order, 2) == 0, -1.0, 1.0).to(x.dtype)
    high = sign * torch.exp(torch.lgamma(order + 1)) * torch.special.zeta(order + 1, x)
    result = torch.where(order == 0, _digamma(x), high)
    return torch.where((order < 0) | (order != torch.floor(order)), math.nan, result)


def _where_defined(function: Callable[..., Any]) -> Callable[..., Any]:
    """torch takes a = 0 for the limit, where TensorFlow's incomplete gamma functions are undefined."""
    return lambda a, x: torch.where((a <= 0) | (x < 0), math.nan, function(a, x))


def _unless_zero(function: Callable[..., Any]) -> Callable[..., Any]:
    """0 wherever x is 0, whatever y is."""

    def compute(x, y):
        result = function(x, y)
        return torch.where(x == 0, torch.zeros_like(result), result)

    return compute


igamma_op = binary("Igamma", _DOUBLES, _where_defined(torch.special.gammainc), inputs="a x")
igammac_op = binary("Igammac", _DOUBLES, _where_defined(torch.special.gammaincc), inputs="a x")
igamma_grad_a_op = binary("IgammaGradA", _DOUBLES, igamma_derivative, inputs="a x")
polygamma_op = binary("Polygamma", _DOUBLES, _polygamma, inputs="a x")
zeta_op = binary("Zeta", _DOUBLES, torch.special.zeta, inputs="x q")
xlogy_op = binary("Xlogy", NO_NAN, _unless_zero(lambda x, y: x * torch.log(y)))
binary(
    "Xlog1py", NO_NAN.replace("half", "half, bfloat16"), _unless_zero(lambda x, y: x * torch.log1p(y))
).not_differentiable()
xdivy_op = binary("Xdivy", NO_NAN, _unless_zero(torch.div))

next_after_op = op("NextAfter", "x1: T, x2: T, *, T: {double, float} = float -> output: T")
next_after_op.shape(broadcast_shape)


@next_after_op.kernel
def next_after_kernel(node):
    return checked(node, torch.nextafter)


next_after_op.accepts([2, 3], [3]).accepts(np.array([0, 1, 1], np.float64), np.array([1, 1, -1], np.float64))
next_after_op.rejects([2], [3], error=ValueError)


xlogy = function_of(xlogy_op, "xlogy", "x * log(y), but 0 wherever x is 0.")
xdivy = function_of(xdivy_op, "xdivy", "x / y, but 0 wherever x is 0.")


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularized incomplete gamma function P(a, x).

    Args:
        a, x: float32 or float64 tensors of one type, of shapes that broadcast; a > 0, x >= 0.
        name: a name for the operation.
    """
    return igamma_op(a, x, name=name)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).

    Args:
        a, x: float32 or float64 tensors of one type, of shapes that broadcast; a > 0, x >= 0.
        name: a name for the operation.
    """
    return igammac_op(a, x, name=name)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order `a` of digamma(x).

    Args:
        a: whole numbers, in the type of `x`.
        x: a float32 or float64 tensor, of a shape that broadcasts with that of `a`.
        name: a name for the operation.
    """
    return polygamma_op(a, x, name=name)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function: the sum of (q + n)^-x over n = 0, 1, ...

    Args:
        x, q: float32 or float64 tensors of one type, of shapes that broadcast.
        name: a name for the operation.
    """
    return zeta_op(x, q, name=name)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The number next to x1 in the direction of x2.

    Args:
        x1, x2: float32 or float64 tensors of one type, of shapes that broadcast.
        name: a name for the operation.
    """
    return next_after_op(x1, x2, name=name)


# ---- the incomplete beta function ----

betainc_op = op("Betainc", f"a: T, b: T, x: T, *, T: {_DOUBLES} -> z: T")


@betainc_op.shape
def betainc_shape(op):
    # Scalars go with any shape; all others must agree.
    others = [value.dims for value in op.inputs if value.dims != ()]
    return [functools.reduce(merge_dims, others) if others else ()]


@betainc_op.kernel
def betainc_kernel(node):
    return betainc_values


betainc_op.accepts([2, 3], [2, 3], [2, 3]).accepts([], np.float64(2), np.array([0, 0.25, 1], np.float64), T="float64")
betainc_op.rejects([2], [3], [3], error=ValueError)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function.

    Args:
        a, b, x: float32 or float64 tensors of one type and shape, or scalars; a, b > 0 and 0 <= x <= 1.
        name: a name for the operation.
    """
    return betainc_op(a, b, x, name=name)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """log |beta(x)| along the last dimension: the sum of lgamma(x), less lgamma of the sum.

    Args:
        x: a float tensor of rank n + 1.
        name: a name scope.

    Returns:
        a tensor of rank n.
    """
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        logarithms = raw.Sum(raw.Lgamma(x), [-1])
        return logarithms - raw.Lgamma(raw.Sum(x, [-1]))


# ---- gradients ----

# NIST Digital Library of Mathematical Functions (https://dlmf.nist.gov): 5.15 of polygamma, 8.8 of the incomplete gamma
# functions, 8.17 of the incomplete beta function, 10.29 of the Bessel functions I, 25.11 of the Hurwitz zeta function.


def _erf_gradient(factor: float) -> Callable[..., Any]:
    """The derivative of erf is 2/sqrt(pi) exp(-x²) (DLMF 7.10); that of erfc its opposite."""

    def gradient(op, grad):
        constant = scalar(factor * 2 / np.sqrt(np.pi), grad.dtype)
        with control_dependencies([grad]):
            x = conjugate(op.inputs[0])
            return [grad * constant * raw.Exp(-raw.Square(x))]

    return gradient


erf_op.gradient(_erf_gradient(1))
erfc_op.gradient(_erf_gradient(-1))


@lgamma_op.gradient
def lgamma_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Digamma(conjugate(op.inputs[0]))]


@digamma_op.gradient
def digamma_gradient(op, grad):
    with control_dependencies([grad]):
        x = conjugate(op.inputs[0])
        return [grad * raw.Polygamma(scalar(1, x.dtype), x)]


@bessel_i0e_op.gradient
def bessel_i0e_gradient(op, grad):
    """I0' = I1, less the slope of exp(|x|)."""
    x, y = op.inputs[0], op.outputs[0]
    with control_dependencies([grad]):
        return [grad * (raw.BesselI1e(x) - raw.Sign(x) * y)]


@bessel_i1e_op.gradient
def bessel_i1e_gradient(op, grad):
    """I1' = I0 - I1 / x, less the slope of exp(|x|)."""
    x, y = op.inputs[0], op.outputs[0]
    with control_dependencies([grad]):
        # The derivative at 0 is 1/2; the formula divides by x.
        tiny = np.finfo(x.dtype.as_numpy_dtype).eps
        nothing = zeros_like(x)
        large = raw.Abs(x) > tiny
        safe = raw.Select(large, x, tiny + nothing)
        slope = raw.BesselI0e(safe) - y * (raw.Sign(safe) + raw.Reciprocal(safe))
        return [grad * raw.Select(large, slope, 0.5 + nothing)]


def _igamma_parts(op: Operation, grad: Tensor) -> list[Any]:
    """dP(a, x)/dx = x^(a - 1) exp(-x) / gamma(a); the derivative by a is an op of its own."""
    a, x = op.inputs
    part_a, part_x = broadcast_axes(a, x)
    with control_dependencies([grad]):
        slope_a = raw.IgammaGradA(a, x)
        # By way of logarithms: gamma(a) alone soon overflows.
        slope_x = raw.Exp(-x + (a - 1) * raw.Log(x) - raw.Lgamma(a))
        return [summed(slope_a * grad, part_a), summed(slope_x * grad, part_x)]


@igamma_op.gradient
def igamma_gradient(op, grad):
    return _igamma_parts(op, grad)


@igammac_op.gradient
def igammac_gradient(op, grad):
    grad_a, grad_x = _igamma_parts(op, grad)
    return [-grad_a, -grad_x]


@betainc_op.gradient
def betainc_gradient(op, grad):
    """dI_x(a, b)/dx = x^(a - 1) (1 - x)^(b - 1) / B(a, b); as in TensorFlow there is none by a and b."""
    a, b, x = op.inputs
    _, part_x = broadcast_axes(a, x)
    log_beta = raw.Lgamma(a) + raw.Lgamma(b) - raw.Lgamma(a + b)
    slope = raw.Exp((b - 1) * raw.Log(1 - x) + (a - 1) * raw.Log(x) - log_beta)
    return [None, None, summed(slope * grad, part_x)]


@zeta_op.gradient
def zeta_gradient(op, grad):
    """d zeta(x, q)/dq = -x zeta(x + 1, q)."""
    x, q = op.inputs
    _, part_q = broadcast_axes(x, q)
    with control_dependencies([grad]):
        x, q = conjugate(x), conjugate(q)
        slope = -x * raw.Zeta(x + 1, q)
        return [None, summed(slope * grad, part_q)]


@polygamma_op.gradient
def polygamma_gradient(op, grad):
    n, x = op.inputs
    _, part_x = broadcast_axes(n, x)
    with control_dependencies([grad]):
        n, x = conjugate(n), conjugate(x)
        slope = raw.Polygamma(n + 1, x)
        return [None, summed(slope * grad, part_x)]


def _not_zero(x: Tensor) -> Tensor:
    return cast(raw.NotEqual(x, cast(0.0, x.dtype)), x.dtype)


@xlogy_op.gradient
def xlogy_gradient(op, grad):
    x, y = op.inputs
    part_x, part_y = broadcast_axes(x, y)
    with control_dependencies([grad]):
        slope_x = raw.Xlogy(_not_zero(x), y)
        slope_y = raw.Xdivy(x, y)
        return [summed(slope_x * grad, part_x), summed(slope_y * grad, part_y)]


@xdivy_op.gradient
def xdivy_gradient(op, grad):
    x, y = op.inputs
    part_x, part_y = broadcast_axes(x, y)
    with control_dependencies([grad]):
        slope_x = raw.Xdivy(_not_zero(x), y)
        slope_y = raw.Xdivy(raw.Neg(x), y**2)
        return [summed(slope_x * grad, part_x), summed(slope_y * grad, part_y)]


@next_after_op.gradient
def next_after_gradient(op, grad):
    x1, x2 = op.inputs
    part_1, part_2 = broadcast_axes(x1, x2)
    with control_dependencies([grad]):
        slope_1, slope_2 = ones(part_1[0], x1.dtype), zeros(part_2[0], x2.dtype)
        return [summed(slope_1 * grad, part_1), summed(slope_2 * grad, part_2)]


# ---- native instructions

named((erf_op, "erf"), (erfc_op, "erfc"), (lgamma_op, "lgamma"), (digamma_op, "digamma"))
named((xlogy_op, "xlogy"), (xdivy_op, "xdivy"))
