"""Tensors of one repeated value: fill, zeros and ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import variant
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import (
    constants,
    filled_text,
    is_text,
    moving,
    not_negative,
    not_too_many,
    rank_is,
    sizes_of,
    view_dtype_of,
)
from headrace.kernels.native import integers, is_sized, named

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


fill_op = (
    op("Fill", "dims: index_type, value: T, *, index_type: index = int32 -> output: T")
    .on_host("dims")
    .never_fails()
    .passes_text()
)


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
    return [op.constant_dims(0, captured=True)]


@fill_op.python_value
def fill_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    # A tensor whose value is known can be fed no more: the sizes are not asked for, their shape says enough.
    values, dims = known.all(op.inputs[1:]), op.outputs[0].dims
    if values is None or not is_fully_defined(dims):
        return None
    return np.full(dims, values[0], dtype=values[0].dtype)  # type: ignore[arg-type]  # no size is None here


@fill_op.kernel
def fill_kernel(node):
    known = constants(node, 0)
    if is_text(node.inputs[1]):
        return lambda dims, value: filled_text(sizes_of(dims, "dims"), value[()])
    dtype, device = node.outputs[0].dtype.torch, node.device
    view_dtype = view_dtype_of(dtype)
    value = node.constant(1)
    if known is not None:
        not_too_many(not_negative(known))
        # Quantized constants are structures to NumPy.
        plain = value is not None and value.dtype.names is None
        if plain and view_dtype is dtype and dtype is not torch.bfloat16:
            item = value.item()
            return lambda *_: torch.full(known, item, dtype=dtype, device=device)
    empty = torch.empty

    def fill(dims, value):
        out = empty(known if known is not None else sizes_of(dims, "dims"), dtype=view_dtype, device=device)
        return out.fill_(value.view(view_dtype)).view(dtype)

    def fill_plainly(dims, value):
        return empty(known if known is not None else sizes_of(dims, "dims"), dtype=dtype, device=device).fill_(value)

    return fill_plainly if view_dtype is dtype else fill


@fill_op.gradient
def fill_gradient(op, grad):
    return [None, raw.Sum(grad, composing.all_axes(grad))]


fill_op.accepts(np.array([2, 3], np.int32), np.float32(1.5)).accepts(np.array([0], np.int32), np.float32(1.5))
fill_op.accepts(np.array([2], np.int32), [], T="qint8")
fill_op.rejects(np.array([-1], np.int32), np.float32(1.5), error=ValueError)

zeros_like_op = op("ZerosLike", "x: T -> y: T").keeps_shape().never_fails()


def _dims_of_x(op):
    return [op.inputs[0].dims]


zeros_like_op.shape(_dims_of_x)


@zeros_like_op.same_as
def zeros_like_same(node):
    return node.inputs[0] if node.inputs[0].node.type == "ZerosLike" else None


def _zeros_like_variant(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        raise InvalidArgumentError(None, None, "ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported.")
    return x.zeros_like()


@zeros_like_op.kernel
def zeros_like_kernel(node):
    if node.inputs[0].dtype.base_dtype is variant:
        return _zeros_like_variant
    if is_text(node.inputs[0]):
        return lambda x: filled_text(x.shape)
    return moving(node, torch.zeros_like)


zeros_like_op.not_differentiable()
zeros_like_op.accepts([2, 3]).accepts([]).accepts([0])

ones_like_op = (
    op(
        "OnesLike",
        "x: T, *, T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, complex128, bool} "
        "-> y: T",
    )
    .keeps_shape()
    .never_fails()
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


empty_op.accepts(np.array([2, 3], np.int32), dtype="float32", init=True).accepts(
    np.array([2], np.int32), dtype="int32", varies="it is unset"
)


def fill(dims: TensorLike, value: Any, name: str | None = None) -> Tensor:
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


# ---- native instructions

named((zeros_like_op, "zeros_like"), (ones_like_op, "ones_like"))


@fill_op.native
def _fill_native(node):
    sizes = integers(node, 0)
    if sizes is None and node.inputs[1].dims == () and is_sized(node, 0):
        return lambda b, inputs: b.apply("fill", [inputs[1]], [b.contents(inputs[0])])
    if sizes is None or any(size < 0 for size in sizes) or node.inputs[1].dims != ():
        return None
    return applied("fill", sizes, take=[1])
