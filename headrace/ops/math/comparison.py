"""Comparisons, element by element: tensors of bools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import OpDecl, op
from headrace.devices.numpy_loops import faster_of_two
from headrace.kernels.math.elementwise import (
    binary,
    bracketed,
    broadcast_shape,
    checked,
    function_of,
    require_broadcast,
    widened,
)
from headrace.kernels.native import named
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_COMPARABLE = (
    "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, quint8, qint8, qint32, string, bool, "
    "complex128}"
)
_ORDERED = "realnumeric"


def _equality(op_type: str, function: Callable[..., Any], ufunc: np.ufunc) -> OpDecl:
    decl = binary(op_type, _COMPARABLE, result="bool", attrs="incompatible_shape_error=True").not_differentiable()

    @decl.shape
    def shape(node):
        if node.attrs["incompatible_shape_error"]:
            return broadcast_shape(node)
        try:
            return broadcast_shape(node)
        except ValueError:
            return [()]

    @decl.python_value
    def in_python(op: Operation, known: PythonValues) -> Any:
        values = known.all(op.inputs)
        return None if values is None else ufunc(*values)

    def compared(x, y):
        return torch.from_numpy(np.asarray(ufunc(x, y), dtype=bool))

    strings = directly("texts_differ", compared) if op_type == "NotEqual" else compared

    @decl.kernel
    def kernel(node):
        is_text = node.inputs[0].dtype.torch is None
        compare = checked(node, strings if is_text else faster_of_two(node, function, ufunc))
        if node.attrs["incompatible_shape_error"]:
            return compare

        def whole(x, y):
            # Values of shapes that do not broadcast are different as a whole.
            try:
                require_broadcast(x, y)
            except InvalidArgumentError:
                return torch.tensor(op_type == "NotEqual")
            return compare(x, y)

        return whole

    return decl


def _order(op_type: str, function: Callable[..., Any], ufunc: np.ufunc) -> OpDecl:
    decl = binary(op_type, _ORDERED, result="bool").not_differentiable()
    lowest = torch.iinfo(torch.int64).min

    def of_uint64(x, y):
        # Their order is that of signed integers once the top bit is flipped.
        return function(x.view(torch.int64) ^ lowest, y.view(torch.int64) ^ lowest)

    @decl.kernel
    def kernel(node):
        if node.inputs[0].dtype.torch is torch.uint64:
            return checked(node, of_uint64)
        return checked(node, faster_of_two(node, widened(node, function), ufunc))

    return decl


equal_op = _equality("Equal", torch.eq, np.equal).scalar("{0} == {1}")
not_equal_op = _equality("NotEqual", torch.ne, np.not_equal).scalar("{0} != {1}")
less_op = _order("Less", torch.lt, np.less).scalar("{0} < {1}")
less_equal_op = _order("LessEqual", torch.le, np.less_equal).scalar("{0} <= {1}")
greater_op = _order("Greater", torch.gt, np.greater).scalar("{0} > {1}")
greater_equal_op = _order("GreaterEqual", torch.ge, np.greater_equal).scalar("{0} >= {1}").gives_no_more()

equal = function_of(equal_op, "equal", "Where x == y.")
not_equal = function_of(not_equal_op, "not_equal", "Where x != y.")
less = function_of(less_op, "less", "Where x < y.")
less_equal = function_of(less_equal_op, "less_equal", "Where x <= y.")
greater = function_of(greater_op, "greater", "Where x > y.")
greater_equal = function_of(greater_equal_op, "greater_equal", "Where x >= y.")

approximate_equal_op = op("ApproximateEqual", "x: T, y: T, *, T: numeric, tolerance=1e-05 -> z: bool")
approximate_equal_op.not_differentiable()
approximate_equal_op.accepts(np.array([1, 2, 3], np.float32), np.array([1, 2.05, 3.2], np.float32), tolerance=0.1)
approximate_equal_op.accepts([2, 3], [2, 3], T="int64").rejects([2], [3], error=ValueError)


@approximate_equal_op.shape
def approximate_equal_shape(op):
    return [merge_dims(op.inputs[0].dims, op.inputs[1].dims)]


@approximate_equal_op.kernel
def approximate_equal_kernel(node):
    tolerance = node.attrs["tolerance"]
    if node.inputs[0].dtype.is_integer:
        # It is taken in the type of the numbers.
        tolerance = int(tolerance)

    def close(x, y):
        if x.shape != y.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"x and y must be of the same shape. x shape: {bracketed(x.shape)}. y shape: {bracketed(y.shape)}",
            )
        if not x.is_floating_point() and not x.is_complex():
            x, y = x.to(torch.float64), y.to(torch.float64)
        return (x - y).abs() < tolerance

    return close


def approximate_equal(x: TensorLike, y: TensorLike, tolerance: float = 1e-5, name: str | None = None) -> Any:
    """Where |x - y| is below `tolerance`.

    Args:
        x, y: numeric tensors of one type and shape.
        tolerance: a float.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes differ.
    """
    return approximate_equal_op(x, y, tolerance=tolerance, name=name)


# ---- comparisons as bits ----

compare_and_bitpack_op = op(
    "CompareAndBitpack",
    "input: T, threshold: T, *, T: {bool, half, float, double, int8, int16, int32, int64} -> output: uint8",
)


@compare_and_bitpack_op.shape
def compare_and_bitpack_shape(op):
    dims, threshold = op.inputs[0].dims, op.inputs[1].dims
    if threshold is not None and len(threshold) != 0:
        raise ValueError(f"Shape must be rank 0 but is rank {len(threshold)}")
    if dims is None:
        return [None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if dims[-1] is None:
        return [dims]
    if dims[-1] % 8:
        raise ValueError(f"Dimension size must be evenly divisible by 8 but is {dims[-1]}")
    return [(*dims[:-1], dims[-1] // 8)]


@compare_and_bitpack_op.kernel
def compare_and_bitpack_kernel(node):
    def pack(x, threshold):
        if x.dim() == 0:
            raise InvalidArgumentError(None, None, "Input should be at least a vector, but saw a scalar.")
        if threshold.dim():
            raise InvalidArgumentError(
                None, None, f"Compare must be a scalar, but saw shape: {bracketed(threshold.shape)}"
            )
        if x.shape[-1] % 8:
            raise InvalidArgumentError(
                None, None, f"Inner dimension of input should be divisible by 8, but saw shape: {bracketed(x.shape)}"
            )
        # Booleans are what they are, whatever the threshold.
        above = x if x.dtype is torch.bool else x > threshold
        return torch.from_numpy(np.packbits(above.cpu().numpy(), axis=-1)).to(x.device)

    return pack


compare_and_bitpack_op.accepts([2, 16], np.float32(1))


# ---- native instructions

named((less_op, "less"), (less_equal_op, "less_equal"), (greater_op, "greater"), (greater_equal_op, "greater_equal"))
_EQUAL, _NOT_EQUAL = applied("equal"), applied("not_equal")
equal_op.native(lambda node: _EQUAL if node.attrs["incompatible_shape_error"] else None)
not_equal_op.native(lambda node: _NOT_EQUAL if node.attrs["incompatible_shape_error"] else None)
