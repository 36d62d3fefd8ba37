"""Roots, exponentials, rounding and the like: ops on each element of one tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.composing import zeros
from headrace.kernels.math.elementwise import (
    FLOATS,
    INEXACT,
    SIGNED,
    conjugate,
    function_of,
    same_shape,
    scalar,
    unary,
)
from headrace.kernels.native import applied, named, of_one_shape

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import TensorLike


def _sign(x):
    return torch.sgn(x) if x.is_complex() else torch.sign(x)


def _tanh(x):
    if x.dtype is not torch.float32 or x.numel() < 16384 or not x.is_cpu:
        return torch.tanh(x)
    # (e^2x - 1) / (e^2x + 1) is off by 2e-7 at most and twice as fast; beyond 10 the value is 1 in this precision.
    power = torch.expm1(torch.clamp(x, -10.0, 10.0).mul_(2.0))
    return power.div_(power + 2.0)


# torch rounds halves to even, as TensorFlow's Round and Rint do.
def _round(x):
    rounded = torch.round(x)
    # Small negative numbers are rounded to a zero without a sign, by Round though not by Rint.
    return rounded.add_(0.0) if x.is_floating_point() else rounded


abs_op = (
    unary(
        "Abs",
        "{bfloat16, half, float, double, int8, int16, int32, int64}",
        torch.abs,
        integers=True,
        in_place=torch.abs_,
    )
    .keeps_shape()
    .scalar("abs({0})")
)
neg_op = unary("Neg", SIGNED, torch.neg, integers=True, in_place=torch.neg_).keeps_shape().never_fails().scalar("-{0}")
sign_op = unary("Sign", SIGNED, _sign, integers=True).keeps_shape()
square_op = (
    unary("Square", SIGNED, torch.square, integers=True, in_place=torch.square_)
    .keeps_shape()
    .never_fails()
    .scalar("{0} * {0}")
)
sqrt_op = (
    unary("Sqrt", INEXACT, torch.sqrt, sample=[0.5, 2.0], in_place=torch.sqrt_)
    .keeps_shape()
    .scalar("np.sqrt({0})", integers=None)
)
rsqrt_op = unary("Rsqrt", INEXACT, torch.rsqrt, sample=[0.5, 2.0], in_place=torch.rsqrt_).keeps_shape()
reciprocal_op = (
    unary("Reciprocal", SIGNED, torch.reciprocal, sample=[0.5, -2.0], in_place=torch.reciprocal_)
    .keeps_shape()
    .never_fails()
)
inv_op = unary("Inv", SIGNED, torch.reciprocal, sample=[0.5, -2.0])
exp_op = (
    unary("Exp", INEXACT, torch.exp, in_place=torch.exp_).keeps_shape().costs(4).scalar("np.exp({0})", integers=None)
)
expm1_op = unary("Expm1", INEXACT, torch.expm1, in_place=torch.expm1_).keeps_shape()
log_op = (
    unary("Log", INEXACT, torch.log, sample=[0.5, 2.0], in_place=torch.log_)
    .keeps_shape()
    .costs(4)
    .scalar("np.log({0})", integers=None)
)
log1p_op = unary("Log1p", INEXACT, torch.log1p, sample=[0.5, -0.3], in_place=torch.log1p_).keeps_shape()
sigmoid_op = unary("Sigmoid", INEXACT, torch.sigmoid, in_place=torch.sigmoid_).keeps_shape().costs(4)
tanh_op = unary("Tanh", INEXACT, _tanh).keeps_shape().costs(4).scalar("np.tanh({0})", integers=None)
floor_op = unary("Floor", FLOATS, torch.floor).keeps_shape()
ceil_op = unary("Ceil", FLOATS, torch.ceil).keeps_shape()
rint_op = unary("Rint", FLOATS, torch.round)
round_op = unary("Round", SIGNED, _round, integers=True).keeps_shape()
is_nan_op = unary("IsNan", FLOATS, torch.isnan, result="bool")
is_inf_op = unary("IsInf", FLOATS, torch.isinf, result="bool")
is_finite_op = unary("IsFinite", FLOATS, torch.isfinite, result="bool")

negative = function_of(neg_op, "negative", "-x.", sparse=True)
sign = function_of(sign_op, "sign", "-1, 0 or 1 by the sign of each element; x / |x| for complex ones.", sparse=True)
square = function_of(square_op, "square", "x * x.", sparse=True)
sqrt = function_of(sqrt_op, "sqrt", "The square root of each element.", sparse=True)
rsqrt = function_of(rsqrt_op, "rsqrt", "1 / sqrt(x).")
reciprocal = function_of(reciprocal_op, "reciprocal", "1 / x.")
inv = function_of(inv_op, "inv", "1 / x, as 0.x spelled `reciprocal`.")
exp = function_of(exp_op, "exp", "e to the power of each element.")
expm1 = function_of(expm1_op, "expm1", "exp(x) - 1, exact for small x as well.")
log = function_of(log_op, "log", "The natural logarithm of each element.")
log1p = function_of(log1p_op, "log1p", "log(1 + x), exact for small x as well.")
floor = function_of(floor_op, "floor", "The largest whole number not above each element.")
ceil = function_of(ceil_op, "ceil", "The smallest whole number not below each element.")
rint = function_of(rint_op, "rint", "The nearest whole number, the even one of two.")
is_nan = function_of(is_nan_op, "is_nan", "Which elements are NaN, as bools.")
is_inf = function_of(is_inf_op, "is_inf", "Which elements are an infinity, as bools.")
is_finite = function_of(is_finite_op, "is_finite", "Which elements are neither an infinity nor NaN, as bools.")


@overload
def abs(x: SparseTensor, name: str | None = None) -> SparseTensor: ...
@overload
def abs(x: TensorLike | CompositeTensor, name: str | None = None) -> Tensor: ...
def abs(x: TensorLike | SparseTensor | CompositeTensor, name: str | None = None) -> Any:
    """The absolute value of each element.

    Args:
        x: a real or complex tensor, or a SparseTensor.
        name: a name for the operation.

    Returns:
        a tensor of the same shape; for complex x, of the type of its parts.

    Example:
        >>> tf.Session().run(tf.abs([-2.0, 3.0]))
        array([2., 3.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return SparseTensor(x.indices, abs(x.values, name), x.dense_shape)
    with name_scope(name, "Abs", [x]) as name:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return raw.ComplexAbs(x, Tout=x.dtype.real_dtype, name=name)
        return raw.Abs(x, name=name)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two; integers are returned as they are."""
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else raw.Round(x, name=name)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    Args:
        x: a float or complex tensor.
        name: a name for the operation.
    """
    with name_scope(name, "Sigmoid", [x]) as name:
        return raw.Sigmoid(convert_to_tensor(x, name="x"), name=name)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), computed as -softplus(-x) so that it stays exact where sigmoid(x) is near 0.

    Args:
        x: a float tensor.
        name: a name for the operation.
    """
    with name_scope(name, "LogSigmoid", [x]) as name:
        x = convert_to_tensor(x, name="x")
        return raw.Neg(raw.Softplus(-x), name=name)


tanh = function_of(tanh_op, "tanh", "The hyperbolic tangent of each element.", sparse=True)


# ---- gradients ----


@abs_op.gradient
def abs_gradient(op, grad):
    return [grad * raw.Sign(op.inputs[0])]


@neg_op.gradient
def neg_gradient(op, grad):
    return [-grad]


@sign_op.gradient
def sign_gradient(op, grad):
    x = op.inputs[0]
    return [zeros(shape_of(x), x.dtype)]


@square_op.gradient
def square_gradient(op, grad):
    with control_dependencies([grad]):
        x = conjugate(op.inputs[0])
        return [raw.Mul(grad, raw.Mul(x, scalar(2.0, x.dtype)))]


@exp_op.gradient
def exp_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * conjugate(op.outputs[0])]


@expm1_op.gradient
def expm1_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Exp(conjugate(op.inputs[0]))]


@log_op.gradient
def log_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Reciprocal(conjugate(op.inputs[0]))]


@log1p_op.gradient
def log1p_gradient(op, grad):
    with control_dependencies([grad]):
        return [grad * raw.Reciprocal(1 + conjugate(op.inputs[0]))]


@floor_op.gradient
@ceil_op.gradient
@rint_op.gradient
@round_op.gradient
def step_gradient(op, grad):
    return [None]


# ---- ops that gradients are made of: a = f(x) and the gradient of a give the gradient of x ----


def _from_output(op_type, function, conjugates=True):
    decl = op(op_type, f"y: T, dy: T, *, T: {INEXACT} -> z: T")
    decl.shape(same_shape)

    @decl.kernel
    def kernel(node):
        if conjugates and node.inputs[0].dtype.is_complex:
            return lambda y, dy: function(torch.conj_physical(y), dy)
        return function

    decl.accepts([2, 3], [2, 3]).accepts(np.array([1 + 2j, -0.5j], np.complex64), np.array([0.5 - 1j, 2], np.complex64))
    return decl.fresh()


def _from_infinite_output(op_type, function):
    """As `_from_output`, with 0 where nothing comes from above, also where the output was infinite or divides by 0."""
    return _from_output(op_type, lambda y, dy: function(y, dy).masked_fill_(dy == 0, 0))


reciprocal_grad_op = _from_infinite_output("ReciprocalGrad", lambda y, dy: -dy * y * y).never_fails()
inv_grad_op = _from_infinite_output("InvGrad", lambda y, dy: -dy * y * y)
sqrt_grad_op = _from_infinite_output("SqrtGrad", lambda y, dy: dy * 0.5 / y).never_fails()
rsqrt_grad_op = _from_infinite_output("RsqrtGrad", lambda y, dy: dy * -0.5 * (y * y * y)).never_fails()
# dy - dy y² and (y - y²) dy, with as few temporaries as torch's public functions allow.
# Their inputs come conjugated.
tanh_grad_op = (
    _from_output("TanhGrad", lambda y, dy: torch.addcmul(dy, dy, y * y, value=-1), conjugates=False)
    .keeps_shape("y", "dy")
    .never_fails()
)
sigmoid_grad_op = (
    _from_output("SigmoidGrad", lambda y, dy: torch.addcmul(y, y, y, value=-1).mul_(dy), conjugates=False)
    .keeps_shape("y", "dy")
    .never_fails()
)
tanh_grad_op.reuses(
    lambda node, index: (
        (lambda y, dy: dy.addcmul_(dy, y * y, value=-1))
        if index
        else (lambda y, dy: torch.addcmul(dy, dy, y.mul_(y), value=-1))
    )
)
sigmoid_grad_op.reuses(lambda node, index: None if index else lambda y, dy: y.addcmul_(y, y, value=-1).mul_(dy))


@reciprocal_op.gradient
@inv_op.gradient
def reciprocal_gradient(op, grad):
    return [raw.ReciprocalGrad(op.outputs[0], grad)]


@sqrt_op.gradient
def sqrt_gradient(op, grad):
    return [raw.SqrtGrad(op.outputs[0], grad)]


@rsqrt_op.gradient
def rsqrt_gradient(op, grad):
    return [raw.RsqrtGrad(op.outputs[0], grad)]


@tanh_op.gradient
def tanh_gradient(op, grad):
    with control_dependencies([grad]):
        return [raw.TanhGrad(conjugate(op.outputs[0]), grad)]


@sigmoid_op.gradient
def sigmoid_gradient(op, grad):
    with control_dependencies([grad]):
        return [raw.SigmoidGrad(conjugate(op.outputs[0]), grad)]


@reciprocal_grad_op.gradient
@inv_grad_op.gradient
def reciprocal_grad_gradient(op, grad):
    b = op.inputs[1]
    with control_dependencies([grad]):
        ca, cg = conjugate(op.inputs[0]), conjugate(grad)
        return [cg * -2.0 * b * ca, raw.ReciprocalGrad(ca, grad)]


@sqrt_grad_op.gradient
def sqrt_grad_gradient(op, grad):
    with control_dependencies([grad]):
        ga = grad / op.inputs[0]
        return [-conjugate(ga) * op.outputs[0], 0.5 * ga]


@rsqrt_grad_op.gradient
def rsqrt_grad_gradient(op, grad):
    b = op.inputs[1]
    with control_dependencies([grad]):
        ca, cg = conjugate(op.inputs[0]), conjugate(grad)
        return [-1.5 * cg * b * raw.Square(ca), raw.RsqrtGrad(ca, grad)]


@tanh_grad_op.gradient
def tanh_grad_gradient(op, grad):
    with control_dependencies([grad]):
        a, b = conjugate(op.inputs[0]), conjugate(op.inputs[1])
        return [grad * -2.0 * b * a, raw.TanhGrad(a, grad)]


@sigmoid_grad_op.gradient
def sigmoid_grad_gradient(op, grad):
    with control_dependencies([grad]):
        a, b = conjugate(op.inputs[0]), conjugate(op.inputs[1])
        gb = grad * b
        return [gb - 2.0 * gb * a, raw.SigmoidGrad(a, grad)]


# ---- native instructions

named(
    (abs_op, "abs"), (neg_op, "neg"), (sign_op, "sign"), (square_op, "square"), (sqrt_op, "sqrt"), (rsqrt_op, "rsqrt")
)
named((reciprocal_op, "reciprocal"), (inv_op, "reciprocal"), (exp_op, "exp"), (expm1_op, "expm1"), (log_op, "log"))
named((log1p_op, "log1p"), (sigmoid_op, "sigmoid"), (tanh_op, "tanh"), (floor_op, "floor"), (ceil_op, "ceil"))
named((rint_op, "rint"), (is_nan_op, "is_nan"), (is_inf_op, "is_inf"), (is_finite_op, "is_finite"))


@round_op.native
def native_round(node):
    if not node.inputs[0].dtype.is_floating:
        return applied("rint")
    zero = np.zeros((), node.inputs[0].dtype.as_numpy_dtype)
    return lambda b, inputs: b.apply("add", [b.apply("rint", inputs)[0], b.constant(zero)])


for _decl, _name in ((reciprocal_grad_op, "reciprocal"), (inv_grad_op, "reciprocal"), (sqrt_grad_op, "sqrt")):
    _decl.native(of_one_shape(f"{_name}_grad"))
for _decl, _name in ((rsqrt_grad_op, "rsqrt"), (tanh_grad_op, "tanh"), (sigmoid_grad_op, "sigmoid")):
    _decl.native(of_one_shape(f"{_name}_grad"))
