"""Shapes as tensors, and ops that change a tensor's shape but not its elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims, TensorShape, as_dims, broadcast_dims, element_count, is_fully_defined
from headrace.ops.array.common import (
    constants,
    either,
    invalid,
    is_sparse,
    is_text,
    not_too_many,
    numbers,
    shape_text,
)
from headrace.ops.array.constant import constant
from headrace.ops.ranks import ranked

shape_op = op("Shape", "input: T, *, out_type: index = int32 -> output: out_type").not_differentiable()
shape_op.on_host(outputs=True)


@shape_op.shape
def shape_shape(op):
    dims = op.inputs[0].dims
    return [(None if dims is None else len(dims),)]


@shape_op.static_value
def shape_static(op):
    dims = op.inputs[0].dims
    return [np.array(dims, np.int64)] if is_fully_defined(dims) else None


@shape_op.kernel
def shape_kernel(node):
    dtype, tensor = node.outputs[0].dtype.torch, torch.tensor
    return lambda x: tensor(x.shape, dtype=dtype)


shape_op.accepts([2, 3]).accepts([]).accepts([0])

shape_n_op = op("ShapeN", "input: N * T, *, out_type: index = int32 -> output: N * out_type").not_differentiable()
shape_n_op.on_host(outputs=True)


@shape_n_op.shape
def shape_n_shape(op):
    return [(None if tensor.dims is None else len(tensor.dims),) for tensor in op.inputs]


@shape_n_op.static_value
def shape_n_static(op):
    if not all(is_fully_defined(value.dims) for value in op.inputs):
        return None
    return [np.array(value.dims, np.int64) for value in op.inputs]


@shape_n_op.kernel
def shape_n_kernel(node):
    dtype, tensor = node.outputs[0].dtype.torch, torch.tensor
    return lambda *values: [tensor(x.shape, dtype=dtype) for x in values]


size_op = op("Size", "input: T, *, out_type: index = int32 -> output: out_type").not_differentiable()
size_op.on_host(outputs=True)


@size_op.shape
def size_shape(op):
    return [()]


@size_op.static_value
def size_static(op):
    count = element_count(op.inputs[0].dims)
    return None if count is None else [np.array(count, np.int64)]


@size_op.kernel
def size_kernel(node):
    dtype, tensor = node.outputs[0].dtype.torch, torch.tensor
    if is_text(node.inputs[0]):
        return lambda x: tensor(x.size, dtype=dtype)
    return lambda x: tensor(x.numel(), dtype=dtype)


size_op.accepts([2, 3]).accepts([])

rank_op = op("Rank", "input: T -> output: int32").not_differentiable().on_host(outputs=True)


@rank_op.shape
def rank_shape(op):
    return [()]


@rank_op.static_value
def rank_static(op):
    dims = op.inputs[0].dims
    return None if dims is None else [np.array(len(dims), np.int32)]


@rank_op.kernel
def rank_kernel(node):
    return lambda x: torch.tensor(x.ndim, dtype=torch.int32)


rank_op.accepts([2, 3]).accepts([])

reshape_op = op("Reshape", "tensor: T, shape: Tshape, *, Tshape: index = int32 -> output: T").aliases().on_host("shape")


def _reshaped(dims: Dims, wanted: Dims, given: np.ndarray | None) -> Dims:
    if given is not None:
        if (given < -1).any():
            raise ValueError(f"Invalid value in tensor used for shape: {int(given[given < -1][0])}")
        if (given == -1).sum() > 1:
            # Refused when it runs, as in 1.15.
            return wanted
    if wanted is None or dims is None:
        return wanted
    have = element_count(dims)
    need = element_count(wanted)
    if have is not None and need is not None:
        if have != need:
            raise ValueError(
                f"Cannot reshape a tensor with {have} elements to shape {shape_text(wanted)} ({need} elements)"
            )
        return wanted
    if have is not None and wanted.count(None) == 1:
        left = _left_over(have, wanted, have, wanted)
        return tuple(left if size is None else size for size in wanted)
    if need is not None and dims.count(None) == 1:
        _left_over(need, dims, 0, wanted)
    return wanted


def _left_over(count: int, dims: Sequence[int | None], have: int, wanted: Sequence[int | None]) -> int | None:
    """What the one unknown dim of `dims` must be for `count` elements; None if it may be anything.

    Args:
        have: the number of elements of the input, for messages.
        wanted: the shape asked for, for messages.

    Raises:
        ValueError: if no size fits.
    """
    known = math.prod(size for size in dims if size is not None)
    if known == 0:
        if count == 0:
            return None
        need = element_count(tuple(wanted)) or 0
        raise ValueError(
            f"Cannot reshape a tensor with {have} elements to shape {shape_text(wanted)} ({need} elements)"
        )
    if count % known:
        raise ValueError(f"Dimension size must be evenly divisible by {known} but is {count}")
    return count // known


@reshape_op.shape
def reshape_shape(op):
    given = op.constant(1)
    if op.inputs[1].dims is not None and len(op.inputs[1].dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(op.inputs[1].dims)}")
    return [_reshaped(op.inputs[0].dims, op.constant_dims(1), given)]


@reshape_op.same_as
def reshape_same(node):
    value = node.inputs[0]
    known = is_fully_defined(value.dims) and value.dims == node.outputs[0].dims
    return value if known and not value.dtype._is_ref_dtype else None


def reshaped(x: Any, shape: Any) -> Any:
    """A tensor or array in another shape.

    Raises:
        InvalidArgumentError: if the shape does not fit.
    """
    try:
        return x.reshape(shape)
    except (RuntimeError, ValueError):
        return _reshaped_empty(x, shape)


def _reshaped_empty(x: Any, shape: Any) -> Any:
    """What torch and NumPy leave open: the size -1 beside a 0 is what the sizes that are not 0 leave of the input's.

    Raises:
        InvalidArgumentError: for any other shape that does not fit.
    """
    sizes = list(shape)
    if sizes.count(-1) != 1 or 0 not in sizes or 0 not in x.shape or min(sizes) < -1:
        raise _reshape_failed(x, shape) from None
    left = math.prod(size for size in x.shape if size) // math.prod(size for size in sizes if size > 0)
    return x.reshape([left if size == -1 else size for size in sizes])


def _reshape_failed(x: Any, shape: Any) -> Exception:
    count = int(np.prod(tuple(x.shape)))
    sizes = list(shape)
    if sizes.count(-1) > 1:
        first = sizes.index(-1)
        return invalid(f"Only one input size may be -1, not both {first} and {sizes.index(-1, first + 1)}")
    if min(sizes, default=0) < -1:
        at = next(i for i, size in enumerate(sizes) if size < -1)
        return invalid(f"Size {at} must be non-negative, not {sizes[at]}")
    if -1 in shape:
        rest = int(np.prod([size for size in shape if size != -1]))
        if rest == 0:
            return invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
                "non-zero"
            )
        return invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {rest}"
        )
    return invalid(
        f"Input to reshape is a tensor with {count} values, but the requested shape has {int(np.prod(shape))}"
    )


@reshape_op.kernel
def reshape_kernel(node):
    known = constants(node, 1)
    out = node.outputs[0].dims
    if known is None and out is not None and out.count(None) == 0:
        known = list(out)
    if known is not None:
        # Dims the shape rule could settle spare torch the division.
        target = tuple(not_too_many(known))

        return lambda x, _: reshaped(x, target)

    return lambda x, shape: reshaped(x, not_too_many(shape.tolist()))


def _back_to_input(op: Any, grad: Any) -> Tensor:
    from headrace.core.composite import densified_quietly

    with densified_quietly(grad):
        return raw.Reshape(grad, shape(op.inputs[0]))


@reshape_op.gradient
def reshape_gradient(op, grad):
    return [_back_to_input(op, grad), None]


reshape_op.accepts([2, 3], np.array([3, 2], np.int32)).accepts([2, 3], np.array([-1], np.int32))
reshape_op.accepts([0, 3], np.array([3, 0], np.int32)).rejects([2, 3], np.array([4, 2], np.int32), error=ValueError)

expand_dims_op = op("ExpandDims", "input: T, dim: Tdim, *, Tdim: index = int32 -> output: T").aliases().on_host("dim")


@expand_dims_op.shape
def expand_dims_shape(op):
    dims, axis = op.inputs[0].dims, op.constant(1)
    if dims is None or axis is None:
        return [None]
    if axis.size != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    at, rank = int(axis.reshape(-1)[0]), len(dims) + 1
    if not -rank <= at < rank:
        raise ValueError(f"dim {at} not in the interval [{-rank}, {rank - 1}].")
    at %= rank
    return [(*dims[:at], 1, *dims[at:])]


@expand_dims_op.kernel
def expand_dims_kernel(node):
    known = constants(node, 1)
    if is_text(node.inputs[0]):
        return lambda x, axis: np.expand_dims(x, int(axis.reshape(-1)[0]))

    def at(x, axis):
        axis = int(axis)
        if not -x.ndim - 1 <= axis <= x.ndim:
            raise invalid(f"Tried to expand dim index {axis} for tensor with {x.ndim} dimensions.")
        return x.unsqueeze(axis)

    if known is None or node.outputs[0].dims is None:
        return at
    position = known[0]
    return lambda x, _: x.unsqueeze(position)


@expand_dims_op.gradient
def expand_dims_gradient(op, grad):
    return [_back_to_input(op, grad), None]


expand_dims_op.accepts([2, 3], np.array(-1, np.int32)).accepts([], np.array(0, np.int32))
expand_dims_op.rejects([2], np.array(3, np.int32), error=ValueError)

squeeze_op = op("Squeeze", "input: T, *, squeeze_dims: list(int) >= 0 = [] -> output: T").aliases()


def _squeezed_axes(dims: Any, listed: list[int]) -> list[int]:
    rank = len(dims)
    axes = []
    for i, axis in enumerate(listed):
        if not -rank <= axis < rank:
            raise ValueError(f"squeeze_dims[{i}] not in [{-rank},{rank}).")
        axis %= rank
        if dims[axis] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}")
        axes.append(axis)
    return axes


@squeeze_op.shape
def squeeze_shape(op):
    dims, listed = op.inputs[0].dims, op.attrs["squeeze_dims"]
    if dims is None:
        return [None]
    if listed:
        axes = _squeezed_axes(dims, listed)
        return [tuple(size for i, size in enumerate(dims) if i not in axes)]
    return [tuple(size for size in dims if size != 1) if None not in dims else None]


@squeeze_op.kernel
def squeeze_kernel(node):
    listed = node.attrs["squeeze_dims"]
    if not listed:
        return lambda x: x.squeeze()

    def squeezed(x):
        try:
            axes = _squeezed_axes(tuple(x.shape), listed)
        except ValueError as error:
            raise invalid(str(error)) from None
        return x.reshape([size for i, size in enumerate(x.shape) if i not in axes])

    dims = node.inputs[0].dims
    if dims is None or is_text(node.inputs[0]) or any(dims[axis] is None for axis in listed):
        return squeezed
    if len(listed) == 1:
        axis = listed[0]
        return lambda x: x.squeeze(axis)
    axes = tuple(listed)
    return lambda x: x.squeeze(axes)


@squeeze_op.gradient
def squeeze_gradient(op, grad):
    return [_back_to_input(op, grad)]


squeeze_op.accepts([2, 1, 3]).accepts([1, 2, 1], squeeze_dims=[0]).accepts([1, 1], squeeze_dims=[-1])
squeeze_op.rejects([2, 1], squeeze_dims=[0], error=ValueError)

broadcast_to_op = op("BroadcastTo", "input: T, shape: Tidx, *, Tidx: index = int32 -> output: T")
broadcast_to_op.aliases().on_host("shape")


@broadcast_to_op.shape
@ranked(None, 1)
def broadcast_to_shape(op):
    dims, wanted = op.inputs[0].dims, op.constant_dims(1)
    if dims is not None and wanted is not None:
        if len(dims) > len(wanted):
            raise ValueError(f"Shape must be at most rank {len(wanted)} but is rank {len(dims)}")
        for have, want in zip(dims, wanted[len(wanted) - len(dims) :]):
            if have not in (None, 1) and want is not None and want != have:
                raise ValueError(f"Dimensions must be equal, but are {have} and {want}")
        if None in wanted:
            # Of what is not known, a size of the input other than 1 can only stay.
            lead = len(wanted) - len(dims)
            kept = [have if want is None and have not in (1, None) else want for have, want in zip(dims, wanted[lead:])]
            wanted = (*wanted[:lead], *kept)
    return [wanted]


def _sizes_of_target(x: Any, shape: Any) -> list[int]:
    if shape.dim() > 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {shape_text(shape.shape)}")
    target = numbers(shape)
    for size in target:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    if len(target) < x.ndim:
        raise invalid(f"Rank of input ({x.ndim}) must be no greater than rank of output shape ({len(target)}).")
    return target


@broadcast_to_op.kernel
def broadcast_to_kernel(node):
    known = constants(node, 1)
    spread = np.broadcast_to if is_text(node.inputs[0]) else torch.broadcast_to

    def broadcast(x, shape):
        target = tuple(known) if known is not None else tuple(_sizes_of_target(x, shape))
        try:
            return spread(x, target)
        except (RuntimeError, ValueError):
            raise invalid(f"Incompatible shapes: {shape_text(x.shape)} vs. {shape_text(target)}") from None

    return broadcast


@broadcast_to_op.gradient
def broadcast_to_gradient(op, grad):
    own = shape(op.inputs[0])
    _, axes = raw.BroadcastGradientArgs(op.inputs[1], own)
    return [raw.Reshape(raw.Sum(grad, axes, keep_dims=True), own), None]


broadcast_to_op.accepts([3], np.array([2, 3], np.int32)).accepts([2, 1], np.array([2, 3], np.int32))
broadcast_to_op.rejects([3], np.array([2, 4], np.int32), error=ValueError)

broadcast_args_op = op("BroadcastArgs", "s0: T, s1: T, *, T: index = int32 -> r0: T")
broadcast_args_op.on_host("s0", "s1", outputs=True)


@broadcast_args_op.shape
@ranked(1, 1)
def broadcast_args_shape(op):
    x, y = op.inputs[0].dims, op.inputs[1].dims
    if x is None or y is None or x[0] is None or y[0] is None:
        return [(None,)]
    return [(max(x[0], y[0]),)]


@broadcast_args_op.kernel
def broadcast_args_kernel(node):
    dtype = node.outputs[0].dtype.torch

    def broadcast(x, y):
        try:
            dims = broadcast_dims(tuple(numbers(x)), tuple(numbers(y)))
        except ValueError:
            raise invalid(f"Incompatible shapes: {shape_text(numbers(x))} vs. {shape_text(numbers(y))}") from None
        return torch.tensor(dims, dtype=dtype)

    return broadcast


def shape(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """The shape of a tensor, as a vector of ints.

    A fully known static shape gives a constant.

    Args:
        input: a tensor or SparseTensor.
        name: a name for the operation.
        out_type: int32 or int64.

    Example:
        >>> tf.shape(tf.zeros([2, 3]))  # [2, 3]
    """
    return shape_internal(input, name, True, out_type)


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32) -> Tensor:
    """`shape`; without `optimize`, an operation even for a fully known static shape."""
    with name_scope(name, "Shape", [input]) as scope:
        if is_sparse(input):
            return raw.Cast(input.dense_shape, DstT=as_dtype(out_type))
        tensor = convert_to_tensor(input)
        if optimize and is_fully_defined(tensor.dims):
            return constant(list(tensor.dims or ()), out_type, name=scope)
        return raw.Shape(tensor, out_type=out_type, name=scope)


def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of a list of tensors of one type, as vectors of ints."""
    return raw.ShapeN(input, out_type=out_type, name=name)


def size(input: Any, name: str | None = None, out_type: Any = int32) -> Tensor:
    """The number of elements of a tensor, as a scalar.

    Args:
        input: a tensor or SparseTensor.
        name: a name for the operation.
        out_type: int32 or int64.
    """
    return size_internal(input, name, True, out_type)


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32) -> Tensor:
    """`size`; without `optimize`, an operation even where the number is known."""
    with name_scope(name, "Size", [input]) as scope:
        if is_sparse(input):
            return raw.Prod(raw.Cast(input.dense_shape, DstT=as_dtype(out_type)), 0, name=scope)
        tensor = convert_to_tensor(input)
        if optimize:
            count = element_count(tensor.dims)
            if count is None and tensor.dims is not None and 0 in tensor.dims:
                count = 0
            if count is not None:
                return constant(count, out_type, name=scope)
        return raw.Size(tensor, out_type=out_type, name=scope)


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes of a tensor or SparseTensor, as an int32 scalar."""
    return rank_internal(input, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`rank`; without `optimize`, an operation even where the rank is known."""
    with name_scope(name, "Rank", [input]) as scope:
        if is_sparse(input):
            return raw.Size(input.dense_shape, name=scope)
        tensor = convert_to_tensor(input)
        if optimize and tensor.dims is not None:
            return constant(len(tensor.dims), int32, name=scope)
        return raw.Rank(tensor, name=scope)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in the same order under another shape.

    Args:
        tensor: a tensor.
        shape: int32 or int64 vector; one entry may be -1, which is then computed.
        name: a name for the operation.

    Raises:
        ValueError: if the numbers of elements are known and differ; InvalidArgumentError when run.

    Example:
        >>> tf.reshape(tf.zeros([4, 6]), [-1, 8]).get_shape()
        TensorShape([Dimension(3), Dimension(8)])
    """
    return raw.Reshape(tensor, shape, name=name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`input` with a new axis of size 1 at position `axis`.

    Args:
        input: a tensor of rank r.
        axis: a scalar in [-r - 1, r].
        name: a name for the operation.
        dim: an older name of `axis`.

    Raises:
        ValueError: if `axis` is missing or out of range.
    """
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return raw.ExpandDims(input, axis, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """`input` without its axes of size 1, or without those listed.

    Args:
        input: a tensor.
        axis: an int or list of ints; all axes of size 1 by default.
        name: a name for the operation.
        squeeze_dims: an older name of `axis`.

    Raises:
        ValueError: if a listed axis is known to be of another size.
    """
    axis = either("axis", axis, "squeeze_dims", squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return raw.Squeeze(input, squeeze_dims=None if axis is None else list(axis), name=name)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated along its axes of size 1, and along new leading axes, until it has `shape`."""
    return raw.BroadcastTo(input, shape, name=name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that element-wise ops on operands of the shapes `shape_x` and `shape_y`, int vectors, give."""
    return raw.BroadcastArgs(shape_x, shape_y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The static shape that element-wise ops on operands of two static shapes give.

    Raises:
        ValueError: if they do not broadcast.

    Example:
        >>> tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([4]))
        TensorShape([Dimension(None), Dimension(4)])
    """
    return TensorShape.from_dims(broadcast_dims(as_dims(shape_x), as_dims(shape_y)))
