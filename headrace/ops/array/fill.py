"""Tensors of one repeated value: fill, zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32, int32, string, variant
from headrace.core.dtypes import bool as bool_type
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dimension, TensorShape, is_fully_defined
from headrace.ops.array.common import (
    constants,
    filled_text,
    is_text,
    moving,
    not_negative,
    not_too_many,
    rank_is,
    sizes_of,
    stand_in_for,
)
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import shape_internal

# Larger values are made when the graph runs, so that the graph stays small.
_SMALL = 1000

fill_op = op("Fill", "dims: index_type, value: T, *, index_type: index = int32 -> output: T").on_host("dims")


@fill_op.shape
def fill_shape(op):
    dims, value = op.inputs[0].dims, op.inputs[1].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    if value is not None and value != ():
        raise ValueError(f"Shape must be rank 0 but is rank {len(value)}")
    given = op.constant(0)
    if given is not None and (given < 0).any():
        raise ValueError("Fill dimensions must be >= 0")
    return [op.constant_dims(0)]


@fill_op.kernel
def fill_kernel(node):
    known = constants(node, 0)
    if is_text(node.inputs[1]):
        return lambda dims, value: filled_text(sizes_of(dims, "dims"), value[()])
    dtype, device = node.outputs[0].dtype.torch, node.device
    stand_in = stand_in_for(dtype)
    value = node.constant(1)
    if known is not None:
        not_too_many(not_negative(known))
        if value is not None and stand_in is dtype and dtype is not torch.bfloat16:
            item = value.item()
            return lambda *_: torch.full(known, item, dtype=dtype, device=device)
    empty = torch.empty

    def fill(dims, value):
        out = empty(known if known is not None else sizes_of(dims, "dims"), dtype=stand_in, device=device)
        return out.fill_(value.view(stand_in)).view(dtype)

    def fill_plainly(dims, value):
        return empty(known if known is not None else sizes_of(dims, "dims"), dtype=dtype, device=device).fill_(value)

    return fill_plainly if stand_in is dtype else fill


@fill_op.gradient
def fill_gradient(op, grad):
    return [None, _sum_all(grad)]


def _sum_all(x: Any) -> Tensor:
    if x.dims is not None:
        axes = constant(np.arange(len(x.dims), dtype=np.int32))
    else:
        axes = raw.Range(0, raw.Rank(x), 1, name="range")
    return raw.Sum(x, axes)


fill_op.accepts(np.array([2, 3], np.int32), np.float32(1.5)).accepts(np.array([0], np.int32), np.float32(1.5))
fill_op.rejects(np.array([-1], np.int32), np.float32(1.5), error=ValueError)

zeros_like_op = op("ZerosLike", "x: T -> y: T")


def _dims_of_x(op):
    return [op.inputs[0].dims]


zeros_like_op.shape(_dims_of_x)


@zeros_like_op.same_as
def zeros_like_same(node):
    return node.inputs[0] if node.inputs[0].node.type == "ZerosLike" else None


@zeros_like_op.kernel
def zeros_like_kernel(node):
    if is_text(node.inputs[0]):
        return lambda x: filled_text(x.shape)
    if node.inputs[0].dtype.base_dtype is variant:
        return lambda x: x.zeros_like()
    return moving(node, torch.zeros_like)


zeros_like_op.not_differentiable()
zeros_like_op.accepts([2, 3]).accepts([]).accepts([0])

ones_like_op = op(
    "OnesLike",
    "x: T, *, T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, complex128, bool} "
    "-> y: T",
)
ones_like_op.shape(_dims_of_x)


@ones_like_op.kernel
def ones_like_kernel(node):
    return moving(node, torch.ones_like)


ones_like_op.not_differentiable()
ones_like_op.accepts([2, 3])

empty_op = op("Empty", "shape: int32, *, dtype: type, init=False -> output: dtype", stateful=True).on_host("shape")


@empty_op.shape
def empty_shape(op):
    rank_is(op.inputs[0].dims, 1)
    return [op.constant_dims(0)]


@empty_op.kernel
def empty_kernel(node):
    dtype, device = node.outputs[0].dtype.torch, node.device
    if is_text(node.outputs[0]):
        return lambda shape: filled_text(sizes_of(shape, "shape"))
    make = torch.zeros if node.attrs["init"] else torch.empty
    return lambda shape: make(sizes_of(shape, "shape"), dtype=dtype, device=device)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` in which every element is `value`.

    Args:
        dims: int32 or int64 vector.
        value: a scalar of any type.
        name: a name for the operation.

    Example:
        >>> tf.fill([2, 3], 9)
        <tf.Tensor 'Fill:0' shape=(2, 3) dtype=int32>
    """
    return raw.Fill(dims, value, name=name)


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros; False for bool, empty strings for string.

    Args:
        shape: ints, a TensorShape, or an int32 or int64 tensor.
        dtype: the element type.
        name: a name for the operation.

    Example:
        >>> tf.zeros([3, 4], tf.int32)
        <tf.Tensor 'zeros:0' shape=(3, 4) dtype=int32>
    """
    dtype = as_dtype(dtype).base_dtype
    zero: Any = False if dtype is bool_type else "" if dtype is string else 0
    return _repeated(shape, zero, dtype, name, "zeros")


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of ones; True for bool.

    Args:
        shape: ints, a TensorShape, or an int32 or int64 tensor.
        dtype: the element type.
        name: a name for the operation.
    """
    dtype = as_dtype(dtype).base_dtype
    return _repeated(shape, True if dtype is bool_type else 1, dtype, name, "ones")


def _repeated(shape: Any, value: Any, dtype: Any, name: str | None, default_name: str) -> Tensor:
    with name_scope(name, default_name, [shape]) as scope:
        if not isinstance(shape, Tensor):
            sizes = _static_sizes(shape)
            if sizes is not None:
                if (
                    not np.isscalar(shape)
                    and not isinstance(shape, Dimension)
                    and np.prod(sizes, dtype=object) < _SMALL
                ):
                    return constant(value, dtype, sizes, scope)
                shape = convert_to_tensor(TensorShape(sizes))
            else:
                _note_product(shape)
                shape = convert_to_tensor(shape, int32)
        if not shape.dims:
            shape = raw.Reshape(shape, [-1])
        return raw.Fill(shape, constant(value, dtype), name=scope)


def _static_sizes(shape: Any) -> list[int] | None:
    """The sizes as ints; None if some are tensors or unknown."""
    try:
        dims = TensorShape(shape)
    except (TypeError, ValueError):
        return None
    return [int(size) for size in dims] if is_fully_defined(dims._dims) else None


def _note_product(shape: Any) -> None:
    # TensorFlow multiplies the sizes to see whether the result is small. Where some are tensors that adds operations
    # whose names later operations of the scope, and the seeds that count operations, rest on.
    items = list(shape) if isinstance(shape, (list, tuple)) else []
    if not any(isinstance(item, Tensor) for item in items):
        return
    product = items[0]
    for item in items[1:]:
        if not isinstance(product, Tensor) and not isinstance(item, Tensor):
            product = product * item
        else:
            product = raw.Mul(*_like_tensor(product, item), name="mul")
    raw.Less(product, _SMALL, name="Less")


def _like_tensor(x: Any, y: Any) -> tuple[Any, Any]:
    return (x.value if isinstance(x, Dimension) else x, y.value if isinstance(y, Dimension) else y)


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape of `tensor`.

    Args:
        tensor: a tensor.
        dtype: the element type; that of `tensor` by default.
        name: a name for the operation.
        optimize: whether a fully known static shape may give a constant.
    """
    with name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        own = tensor.dtype.base_dtype
        wanted = own if dtype is None else as_dtype(dtype).base_dtype
        if optimize and is_fully_defined(tensor.dims) and own is not variant:
            return zeros(tensor.shape, wanted, name=scope)
        if wanted is not own and wanted is not variant:
            return zeros(shape_internal(tensor, optimize=optimize), wanted, name=scope)
        return raw.ZerosLike(tensor, name=scope)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Ones in the shape of `tensor`.

    Args:
        tensor: a tensor.
        dtype: the element type; that of `tensor` by default.
        name: a name for the operation.
        optimize: whether a fully known static shape may give a constant.
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dims = shape_internal(tensor, optimize=optimize)
        result = ones(dims, tensor.dtype.base_dtype if dtype is None else dtype, name=scope)
        result.set_shape(tensor.shape)
        return result
