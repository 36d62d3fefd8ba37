"""Sums, differences, products, powers, extremes: ops on the elements of two tensors that broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int32
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.core.size_elements import arithmetic
from headrace.core.tensor import Tensor
from headrace.kernels.composing import ones_like, zeros, zeros_like
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.math.elementwise import (
    NO_NAN,
    REAL,
    SIGNED,
    binary,
    broadcast_axes,
    checked,
    conjugate,
    function_of,
    smart_broadcast_axes,
    static_and_equal,
    summed,
    widened,
    without_neutral,
    without_ones,
)
from headrace.kernels.math.in_place import binary_in_place
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.operation import Operation
    from headrace.core.registry import OpDecl
    from headrace.core.typing import NodeView, TensorLike


_SUMMABLE = "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}"
_MULTIPLIABLE = "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128}"


def _joined(x, y):
    """The sum of strings is their concatenation."""
    return np.asarray(np.add(x, y), dtype=object)


def _no_nan(x, y, result):
    return torch.where(y == 0, torch.zeros_like(result), result)


def _squared_difference(x, y):
    difference = torch.sub(x, y)
    return torch.mul(difference, difference.conj() if difference.is_complex() else difference)


add_op = binary("Add", _SUMMABLE[:-1] + ", string}").broadcasts_inputs().never_fails().scalar("{0} + {1}")
add_v2_op = binary("AddV2", _SUMMABLE, torch.add).broadcasts_inputs().never_fails().scalar("{0} + {1}")
sub_op = binary("Sub", _MULTIPLIABLE, torch.sub).broadcasts_inputs().never_fails().scalar("{0} - {1}")
mul_op = binary("Mul", _MULTIPLIABLE, torch.mul).broadcasts_inputs().never_fails().scalar("{0} * {1}")
mul_no_nan_op = binary("MulNoNan", NO_NAN, lambda x, y: _no_nan(x, y, torch.mul(x, y)))
pow_op = (
    binary("Pow", "{bfloat16, float, half, double, int32, int64, complex64, complex128}")
    .costs(4)
    .scalar("np.power({0}, {1})", integers=None)
)
maximum_op = binary("Maximum", REAL).broadcasts_inputs().scalar("np.maximum({0}, {1})")
minimum_op = binary("Minimum", REAL).broadcasts_inputs().scalar("np.minimum({0}, {1})")
squared_difference_op = binary("SquaredDifference", SIGNED, _squared_difference).broadcasts_inputs()

for _decl, _sign in ((add_op, "+"), (add_v2_op, "+"), (sub_op, "-"), (mul_op, "*")):
    _decl.size_elements(arithmetic(_sign))


@add_op.same_as
@add_v2_op.same_as
def add_same(node):
    return without_neutral(node, 0)


@sub_op.same_as
def sub_same(node):
    return without_neutral(node, 0, left=False)


@mul_op.same_as
def mul_same(node):
    same = without_neutral(node, 1)
    return without_ones(node) if same is None else same


@add_op.kernel
def add_kernel(node):
    return checked(node, _joined if node.inputs[0].dtype.torch is None else widened(node, torch.add))


_SIMPLE_POWERS = (2, 3, -1)


@pow_op.kernel
def pow_kernel(node):
    exponent = node.constant(1)
    if not node.inputs[0].dtype.is_integer:
        if (
            exponent is not None
            and exponent.ndim == 0
            and exponent in _SIMPLE_POWERS
            and node.inputs[0].dtype.is_floating
        ):
            # Where the exponent is a Python number, torch multiplies or divides.
            number = float(exponent)
            return lambda x, y: torch.pow(x, number)
        return checked(node, torch.pow)
    if exponent is not None and (exponent >= 0).all():
        return checked(node, torch.pow)

    def power(x, y):
        if bool((y < 0).any()):
            raise InvalidArgumentError(None, None, "Integers to negative integer powers are not allowed")
        return torch.pow(x, y)

    return checked(node, power)


def _extreme_kernel(
    node: NodeView, propagating: Callable[..., Any], ignoring: Callable[..., Any], second: Callable[..., Any]
) -> Callable[..., Any]:
    """Maximum or Minimum, which give x where either of x and y is NaN.

    torch's functions either propagate every NaN or ignore those that stand beside a number, so each serves only where
    one side is known to be free of them; otherwise the comparison is spelled out.
    """
    x, y = node.inputs
    if not x.dtype.is_floating or _without_nan(node.constant(1)) or _follows(x, y):
        return checked(node, widened(node, propagating))
    if _without_nan(node.constant(0)):
        return checked(node, ignoring)
    return checked(node, lambda x, y: torch.where(second(x, y), y, x))


def _without_nan(constant: np.ndarray | None) -> bool:
    return constant is not None and not np.isnan(constant.astype(np.float64)).any()


def _follows(x: Any, y: Any) -> bool:
    """Whether x is a product with y and so is NaN wherever y is: the leaky rectifier."""
    node = getattr(x, "node", None)
    return node is not None and node.type == "Mul" and y in node.inputs


@maximum_op.kernel
def maximum_kernel(node):
    return _extreme_kernel(node, torch.maximum, torch.fmax, torch.lt)


@minimum_op.kernel
def minimum_kernel(node):
    return _extreme_kernel(node, torch.minimum, torch.fmin, torch.gt)


_Tensor = torch.Tensor
_into_sum = binary_in_place(_Tensor.add_, lambda x, y: y.add_(x))
add_op.reuses(lambda node, index: None if node.inputs[0].dtype.torch is None else _into_sum(node, index))
add_v2_op.reuses(_into_sum)
mul_op.reuses(binary_in_place(_Tensor.mul_, lambda x, y: y.mul_(x)))
sub_op.reuses(binary_in_place(_Tensor.sub_, out=torch.sub))
squared_difference_op.reuses(binary_in_place(lambda x, y: x.sub_(y).square_()))

add = function_of(add_op, "add", "x + y; of strings, their concatenation.")
subtract = function_of(sub_op, "subtract", "x - y.")
multiply = function_of(mul_op, "multiply", "x * y, element by element.")
maximum = function_of(maximum_op, "maximum", "The larger of x and y, element by element.")
minimum = function_of(minimum_op, "minimum", "The smaller of x and y, element by element.")
squared_difference = function_of(squared_difference_op, "squared_difference", "(x - y) * (x - y).")


def pow(x: TensorLike | CompositeTensor, y: float | TensorLike | Sequence[float], name: str | None = None) -> Tensor:
    """x to the power of y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: when run, for an integer to a negative power.

    Example:
        >>> tf.Session().run(tf.pow([[2, 2], [3, 3]], [[8, 16], [2, 3]]))
        array([[  256, 65536],
               [    9,    27]], dtype=int32)
    """
    with name_scope(name, "Pow", [x]) as name:
        return raw.Pow(x, y, name=name)


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, but 0 wherever y is 0, even if x is NaN or infinite.

    Args:
        x, y: float or complex tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
    """
    with name_scope(name, "multiply_no_nan", [x, y]) as name:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        return raw.MulNoNan(x, y, name=name)


def scalar_mul(scalar: TensorLike, x: Tensor, name: str | None = None) -> Tensor:
    """`scalar * x`, which keeps an IndexedSlices sparse.

    Args:
        scalar: a number or a tensor of shape [].
        x: a tensor or IndexedSlices.
        name: a name for the operation.

    Raises:
        ValueError: if `scalar` is not a scalar.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar.dims != ():
        raise ValueError(f"Only scalar multiply works, got shape {scalar.shape}")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(raw.Mul(scalar, x.values, name=name), x.indices, x.dense_shape)
    return raw.Mul(scalar, x, name=name)


def polyval(coeffs: Sequence[Any], x: TensorLike, name: str | None = None) -> Tensor:
    """The value at `x` of the polynomial with the given coefficients, by Horner's rule.

    Args:
        coeffs: a list of tensors, the coefficient of the highest power first.
        x: a tensor.
        name: a name scope.
    """
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not len(coeffs):
            return zeros_like(x, name=scope)
        total: Tensor
        total, *others = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        for coefficient in others:
            total = coefficient + total * x
        return total


# ---- gradients ----


@add_op.gradient
@add_v2_op.gradient
def add_gradient(op, grad):
    x, y = op.inputs
    if static_and_equal(x, y, grad):
        return [grad, grad]
    part_x, part_y = smart_broadcast_axes(x, y, grad)
    return [
        grad if part_x is None else summed(grad, part_x),
        grad if part_y is None else summed(grad, part_y),
    ]


@sub_op.gradient
def sub_gradient(op, grad):
    x, y = op.inputs
    if static_and_equal(x, y, grad):
        return [grad, -grad]
    part_x, part_y = smart_broadcast_axes(x, y, grad)
    return [
        grad if part_x is None else summed(grad, part_x),
        -grad if part_y is None else summed(-grad, part_y),
    ]


@mul_op.gradient
def mul_gradient(op, grad):
    x, y = op.inputs
    if static_and_equal(x, y, grad) and grad.dtype in (int32, float32):
        return [raw.Mul(grad, y), raw.Mul(grad, x)]
    part_x, part_y = smart_broadcast_axes(x, y, grad)
    x, y = conjugate(x), conjugate(y)
    grad_x = raw.Mul(grad, y)
    if part_x is not None:
        grad_x = summed(grad_x, part_x)
    grad_y = raw.Mul(x, grad)
    if part_y is not None:
        grad_y = summed(grad_y, part_y)
    return [grad_x, grad_y]


@mul_no_nan_op.gradient
def mul_no_nan_gradient(op, grad):
    x, y = op.inputs
    if static_and_equal(x, y, grad):
        return [raw.MulNoNan(grad, y), raw.MulNoNan(x, grad)]
    part_x, part_y = broadcast_axes(x, y)
    return [summed(raw.MulNoNan(grad, y), part_x), summed(raw.MulNoNan(x, grad), part_y)]


@pow_op.gradient
def pow_gradient(op, grad):
    x, y = op.inputs
    part_x, part_y = smart_broadcast_axes(x, y, grad)
    x, y, z = conjugate(x), conjugate(y), op.outputs[0]
    grad_x = grad * y * pow(x, y - 1)
    if part_x is not None:
        grad_x = summed(grad_x, part_x)
    z = conjugate(z)
    # log(x) is taken only where it is finite: nowhere at x = 0, nor at x < 0 among the reals.
    mask = raw.NotEqual(x, 0) if x.dtype.is_complex else x > 0
    log_x = raw.Select(mask, raw.Log(raw.Select(mask, x, ones_like(x))), zeros_like(x))
    grad_y = grad * z * log_x
    if part_y is not None:
        grad_y = summed(grad_y, part_y)
    return [grad_x, grad_y]


def _extreme_gradient(op: Operation, grad: Tensor, first_wins: OpDecl) -> Sequence[Any]:
    x, y = op.inputs
    shape_x, shape_y = shape_of(x), shape_of(y)
    nothing = zeros(shape_of(grad), grad.dtype)
    mask = first_wins(x, y)
    axes_x, axes_y = raw.BroadcastGradientArgs(shape_x, shape_y)
    return [
        summed(raw.Select(mask, grad, nothing), (shape_x, axes_x)),
        summed(raw.Select(mask, nothing, grad), (shape_y, axes_y)),
    ]


@maximum_op.gradient
def maximum_gradient(op, grad):
    return _extreme_gradient(op, grad, raw.GreaterEqual)


@minimum_op.gradient
def minimum_gradient(op, grad):
    return _extreme_gradient(op, grad, raw.LessEqual)


@squared_difference_op.gradient
def squared_difference_gradient(op, grad):
    x, y = op.inputs
    with control_dependencies([grad]):
        grad_x = scalar_mul(2.0, grad) * (x - y)
    if static_and_equal(x, y, grad):
        return [grad_x, -grad_x]
    part_x, part_y = smart_broadcast_axes(x, y, grad)
    return [
        grad_x if part_x is None else summed(grad_x, part_x),
        -grad_x if part_y is None else -summed(grad_x, part_y),
    ]


# ---- native instructions

named((add_op, "add"), (add_v2_op, "add"), (sub_op, "sub"), (mul_op, "mul"), (pow_op, "pow"))
named((maximum_op, "maximum"), (minimum_op, "minimum"), (squared_difference_op, "squared_difference"))
