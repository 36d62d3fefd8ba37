"""Complex numbers: made of parts, taken apart, conjugated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import complex64, complex128, float32, float64
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import zeros_like
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.math.elementwise import broadcast_axes, broadcast_shape, checked, same_shape, scalar, summed

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


complex_op = op("Complex", "real: T, imag: T, *, T: {float, double} = float, Tout: complex = complex64 -> out: Tout")
complex_op.shape(broadcast_shape)
complex_op.accepts([2, 3], [3]).rejects([2], [3], error=ValueError)


@complex_op.kernel
def complex_kernel(node):
    return checked(node, torch.complex)


def _part(op_type, function):
    decl = op(op_type, "input: T, *, T: complex = complex64, Tout: {float, double} = float -> output: Tout")
    decl.shape(same_shape)
    decl.kernel(lambda node: function)
    return decl


real_op = _part("Real", torch.real).aliases()
imag_op = _part("Imag", torch.imag).aliases()
angle_op = _part("Angle", torch.angle)

complex_abs_op = op("ComplexAbs", "x: T, *, T: complex = complex64, Tout: {float, double} = float -> y: Tout")
complex_abs_op.shape(same_shape)
complex_abs_op.kernel(lambda node: torch.abs)

conj_op = op("Conj", "input: T, *, T: {complex64, complex128, variant} = complex64 -> output: T")
conj_op.shape(same_shape)
conj_op.kernel(lambda node: torch.conj_physical)

_SAMPLE = np.array([[1 + 2j, -0.5 - 0.25j], [3j, 2]], np.complex64)
for _decl in (real_op, imag_op, angle_op, complex_abs_op, conj_op):
    _decl.accepts(_SAMPLE)
    _decl.rejects(_SAMPLE.real, error=TypeError)
    _decl.accepts(_SAMPLE.astype(np.complex128), **({"Tout": "float64"} if "Tout" in _decl.signature.attrs else {}))


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """The complex numbers real + imag i.

    Args:
        real, imag: float32 or float64 tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Returns:
        a complex64 or complex128 tensor.

    Raises:
        TypeError: for other types.

    Example:
        >>> tf.Session().run(tf.complex([2.25], [4.75]))
        array([2.25+4.75j], dtype=complex64)
    """
    real, imag = convert_to_tensor(real, name="real"), convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as name:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        made = {(float64, float64): complex128, (float32, float32): complex64}.get(types)
        if made is None:
            raise TypeError(f"real and imag have incorrect types: {real.dtype.name} {imag.dtype.name}")
        return raw.Complex(real, imag, Tout=made, name=name)


def real(input: TensorLike | Sequence[float], name: str | None = None) -> Tensor:
    """The real part of each element; a real tensor is returned as it is."""
    with name_scope(name, "Real", [input]) as name:
        input = convert_to_tensor(input, name="input")
        return raw.Real(input, Tout=input.dtype.real_dtype, name=name) if input.dtype.is_complex else input


def imag(input: TensorLike | Sequence[float], name: str | None = None) -> Tensor:
    """The imaginary part of each element: zeros for a real tensor."""
    with name_scope(name, "Imag", [input]) as name:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return raw.Imag(input, Tout=input.dtype.real_dtype, name=name)
        return zeros_like(input)


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of each element, in radians: zeros for a real tensor, as 1.x has it."""
    with name_scope(name, "Angle", [input]) as name:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return raw.Angle(input, Tout=input.dtype.real_dtype, name=name)
        return zeros_like(input)


def complex_abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The magnitude of each element of a complex tensor, as 0.x spelled `abs`."""
    x = convert_to_tensor(x, name="x")
    return raw.ComplexAbs(x, Tout=x.dtype.real_dtype, name=name)


# ---- gradients ----


@complex_op.gradient
def complex_gradient(op, grad):
    part_x, part_y = broadcast_axes(*op.inputs)
    return [summed(real(grad), part_x), summed(imag(grad), part_y)]


@real_op.gradient
def real_gradient(op, grad):
    return [complex(grad, scalar(0, grad.dtype))]


@imag_op.gradient
def imag_gradient(op, grad):
    return [complex(scalar(0, grad.dtype), grad)]


@angle_op.gradient
def angle_gradient(op, grad):
    x = op.inputs[0]
    with control_dependencies([grad]):
        re, im = real(x), imag(x)
        inverse = raw.Reciprocal(complex(im, re))
        return [-complex(grad, scalar(0, grad.dtype)) * inverse]


@complex_abs_op.gradient
def complex_abs_gradient(op, grad):
    x, y = op.inputs[0], op.outputs[0]
    return [raw.DivNoNan(complex(grad, zeros_like(grad)) * x, complex(y, zeros_like(y)), name="div_no_nan")]


@conj_op.gradient
def conj_gradient(op, grad):
    return [conj(grad)]
