"""Choosing by condition: Where, boolean masks, one-hot vectors, sequence masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32
from headrace.core.dtypes import bool as bool_type
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.devices.numpy_loops import places
from headrace.kernels.array.arguments import (
    axis_in,
    constants,
    invalid,
    is_text,
    require_scalar,
    shape_text,
    view_dtype_of,
)
from headrace.kernels.native import integers, is_sized
from headrace.kernels.renamed_arguments import renamed
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.registry import OpDecl
    from headrace.core.typing import DTypeLike, Kernel, NodeView, TensorLike


where_op = op(
    "Where",
    "input: T, *, T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, uint16, "
    "complex128, half, uint32, uint64, bool} = bool -> index: int64",
).gives_no_more()


@where_op.shape
def where_shape(op):
    dims = op.inputs[0].dims
    return [(None, None if dims is None else len(dims))]


def _of_some_axes(node: NodeView, search: Kernel) -> Kernel:
    """A search that refuses scalars, which the graph may not know."""
    dims = node.inputs[0].dims
    if dims is not None and dims:
        return search

    def checked(x: Any) -> Any:
        if x.ndim == 0:
            raise invalid("Where takes an input of at least one axis, got a scalar")
        return search(x)

    return checked


@where_op.kernel
def where_kernel(node):
    return _of_some_axes(node, _search(node))


def _search(node: NodeView) -> Kernel:
    view_dtype = view_dtype_of(node.inputs[0].dtype.torch)
    if view_dtype is not node.inputs[0].dtype.torch:
        return lambda x: x.view(view_dtype).nonzero()
    return torch.nonzero


@where_op.kernel_on("cpu")
def where_kernel_on_cpu(node):
    """NumPy's search, which is faster there than torch's, but for the types that NumPy has not."""
    dtype = node.inputs[0].dtype.torch
    if view_dtype_of(dtype) is not dtype:
        return where_kernel(node)
    return _of_some_axes(node, directly("where", places) if dtype is torch.bool else places)


where_op.accepts(np.array([[True, False], [True, True]])).rejects(np.array(True), error=InvalidArgumentError)

one_hot_op = op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T, *, axis=-1, TI: {uint8, int32, int64} = int64 -> output: T",
)
one_hot_op.on_host("depth").not_differentiable()


@one_hot_op.shape
def one_hot_shape(op):
    dims, depth, axis = op.inputs[0].dims, op.constant(1), op.attrs["axis"]
    if axis < -1:
        raise ValueError("axis must be >= -1")
    require_scalar(op, 1)
    size = None if depth is None else int(depth)
    if size is not None and size < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {size}")
    if dims is None:
        return [None]
    # An axis behind the last one is the kernel's to refuse.
    at = axis_in(min(axis, len(dims)), len(dims) + 1)
    return [(*dims[:at], size, *dims[at:])]


@one_hot_op.kernel
def one_hot_kernel(node):
    function = _one_hot_rule(node)
    if all(value.dims == () for value in node.inputs[1:]):
        return function

    def checked(indices, *scalars):
        for name, value in zip(("depth", "on_value", "off_value"), scalars):
            if value.ndim:
                raise invalid(f"{name} must be a scalar, but got: {shape_text(value.shape)}")
        return function(indices, *scalars)

    return checked


def _plain_constant(node, index):
    """What is known of an input, unless it is quantized: to NumPy these are structures, which compare with no number."""
    value = node.constant(index)
    return None if value is None or value.dtype.names is not None else value


def _one_hot_rule(node):
    axis, device = node.attrs["axis"], node.device
    dims, depth = node.inputs[0].dims, constants(node, 1)
    on, off = (_plain_constant(node, i) for i in (2, 3))
    positions = None
    if depth is not None and dims is not None:
        positions = _along(depth[0], axis, len(dims), device)
    text = is_text(node.inputs[2])
    dtype = None if text else node.outputs[0].dtype.torch

    def hits(indices, count):
        row = positions if positions is not None else _along(int(count), axis, indices.ndim, device)
        return indices.unsqueeze(axis).eq(row)

    if text:
        return lambda indices, count, one, other: np.where(hits(indices, count).numpy(), one, other).astype(object)
    if on is not None and off is not None and dtype is not torch.bool and on == 1 and off == 0:
        return lambda indices, count, *_: hits(indices, count).to(dtype)
    view_dtype = view_dtype_of(dtype)
    return lambda indices, count, one, other: torch.where(
        hits(indices, count), one.view(view_dtype), other.view(view_dtype)
    ).view(dtype)


def _along(depth: int, axis: int, rank: int, device: torch.device) -> torch.Tensor:
    """0, 1, ..., depth - 1 along the axis that one-hot vectors over indices of `rank` axes lie in."""
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    if axis > rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank + 1}). But received: {axis}")
    at = axis_in(axis, rank + 1)
    return torch.arange(depth, device=device).reshape([-1 if i == at else 1 for i in range(rank + 1)])


one_hot_op.accepts(np.array([0, 2, -1], np.int32), np.int32(3), np.float32(1), np.float32(0))
one_hot_op.accepts(np.array([[0, 2]], np.int32), np.int32(3), np.float32(5), np.float32(-1), axis=0)


@renamed(input="condition")
def where(
    condition: TensorLike | CompositeTensor,
    x: TensorLike | CompositeTensor | None = None,
    y: TensorLike | CompositeTensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Elements of `x` where `condition` holds and of `y` elsewhere; or, given neither, where it holds.

    Args:
        condition: a bool tensor of the shape of `x`, or a vector as long as its first axis.
        x, y: tensors of one shape and type.
        name: a name for the operation.

    Returns:
        a tensor like `x`; without x and y an int64 matrix, the index vectors of true elements as rows.

    Raises:
        ValueError: if only one of `x` and `y` is given.

    Example:
        >>> tf.where([True, False, True])  # [[0], [2]]
    """
    return _where(raw.Select, "Select", condition, x, y, name)


def where_v2(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As `where`, but condition, `x` and `y` are broadcast against each other."""
    return _where(raw.SelectV2, "SelectV2", condition, x, y, name)


def _where(
    select: OpDecl,
    default_name: str,
    condition: TensorLike | CompositeTensor,
    x: TensorLike | CompositeTensor | None,
    y: TensorLike | CompositeTensor | None,
    name: str | None,
) -> Tensor:
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is not None:
        return select(condition, x, y, name=default_name if name is None else name)
    with name_scope(name, "Where", [condition]) as scope:
        condition = convert_to_tensor(condition, preferred_dtype=bool_type, name="condition")
        return raw.Where(condition, name=scope)


def one_hot(
    indices: TensorLike | CompositeTensor | None,
    depth: Any,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Vectors that are `on_value` at an index and `off_value` elsewhere.

    Args:
        indices: uint8, int32 or int64 tensor; an index outside [0, depth) gives a vector of `off_value` alone.
        depth: int32 scalar, the length of the vectors.
        on_value, off_value: scalars; 1 and 0 by default.
        axis: where the vectors lie in the result; -1, the last, by default.
        dtype: the element type; that of the given values, or float32.
        name: a name for the operation.

    Raises:
        TypeError: if the types of the values and `dtype` do not agree.

    Example:
        >>> tf.one_hot([0, 2], 3)  # [[1, 0, 0], [0, 0, 1]]
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
        on_type = None if on_value is None else convert_to_tensor(on_value).dtype.base_dtype
        off_type = None if off_value is None else convert_to_tensor(off_value).dtype.base_dtype
        given = None if dtype is None else as_dtype(dtype).base_dtype
        if given is not None:
            for what, found in (("on_value", on_type), ("off_value", off_type)):
                if found is not None and found is not given:
                    raise TypeError(f"dtype {found} of {what} does not match dtype parameter {given}")
        element_type = given or on_type or off_type or float32
        if on_value is None:
            on_value, on_type = convert_to_tensor(1, element_type, name="on_value"), element_type
        if off_value is None:
            off_value, off_type = convert_to_tensor(0, element_type, name="off_value"), element_type
        if on_type is not off_type:
            raise TypeError(f"dtype {on_type} of on_value does not match dtype {off_type} of off_value")
        return raw.OneHot(indices, depth, on_value, off_value, axis=axis, name=scope)


# ---- native instructions


@one_hot_op.native
def _one_hot_native(node):
    depth, axis = integers(node, 1), node.attrs["axis"]
    if any(value.dims != () for value in node.inputs[1:]):
        return None
    if depth is None:
        sized = is_sized(node, 1)
        return (lambda b, x: b.apply("one_hot", [x[2], x[3], x[0]], [axis, b.contents(x[1])])) if sized else None
    return applied("one_hot", [axis, *depth], take=[2, 3, 0])
