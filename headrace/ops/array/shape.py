"""Shapes as tensors, and ops that change a tensor's shape but not its elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import densified_quietly
from headrace.core.dims import broadcast_dims, element_count, is_fully_defined
from headrace.core.dtypes import int32
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import TYPE_CODES, applied
from headrace.core.registry import op, raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.size_elements import MAX_ELEMENTS, Element, KnownElements, Leaf, same_elements
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, invalid, is_text, not_too_many, numbers, shape_text
from headrace.kernels.array.native_layouts import broadcast_to_rule, expand_dims_rule, reshape_rule, squeeze_rule
from headrace.kernels.array.reshaping import reshaped, reshaped_dims
from headrace.kernels.composing.shapes import shape
from headrace.kernels.native import of_sizes
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, NodeView, TensorLike


shape_op = (
    op("Shape", "input: T, *, out_type: index = int32 -> output: out_type")
    .not_differentiable()
    .never_fails()
    .counts_by_shapes()
)
shape_op.on_host(outputs=True)


@shape_op.shape
def shape_shape(op):
    dims = op.inputs[0].dims
    return [(None if dims is None else len(dims),)]


@shape_op.size_elements
def shape_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    source = node.inputs[0]
    if source.dims is None or len(source.dims) > MAX_ELEMENTS or not known.has_shape(source):
        return None
    return [Leaf("size", source, i) if size is None else size for i, size in enumerate(source.dims)]


@shape_op.static_value
def shape_static(op):
    dims = op.inputs[0].dims
    return [np.array(dims, np.int64)] if is_fully_defined(dims) else None


@shape_op.same_as
def shape_same(node: NodeView) -> Any:
    filled = node.inputs[0].node
    if filled.type != "Fill" or filled.inputs[0].dtype != node.outputs[0].dtype:
        return None
    return filled.inputs[0]


@shape_op.python_value
def shape_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    dims = op.inputs[0].dims
    return np.array(dims, op.outputs[0].dtype.as_numpy_dtype) if is_fully_defined(dims) else None


@shape_op.kernel
def shape_kernel(node):
    dtype, tensor = node.outputs[0].dtype.torch, torch.tensor
    return lambda x: tensor(x.shape, dtype=dtype)


shape_op.accepts([2, 3]).accepts([]).accepts([0])

shape_n_op = (
    op("ShapeN", "input: N * T, *, out_type: index = int32 -> output: N * out_type")
    .not_differentiable()
    .counts_by_shapes()
)
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


size_op = op("Size", "input: T, *, out_type: index = int32 -> output: out_type").not_differentiable().counts_by_shapes()
size_op.on_host(outputs=True)


@size_op.shape
def size_shape(op):
    return [()]


@size_op.static_value
def size_static(op):
    count = element_count(op.inputs[0].dims)
    return None if count is None else [np.array(count, np.int64)]


@size_op.python_value
def size_in_python(op: Operation, known: PythonValues) -> np.integer[Any] | None:
    sizes = shape_in_python(op, known)
    # As there, whatever type the tensor is of.
    return None if sizes is None else np.prod(sizes, dtype=np.int32)


@size_op.kernel
def size_kernel(node):
    dtype, tensor = node.outputs[0].dtype.torch, torch.tensor
    if is_text(node.inputs[0]):
        return lambda x: tensor(x.size, dtype=dtype)
    return lambda x: tensor(x.numel(), dtype=dtype)


@size_op.size_elements
def size_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    source = node.inputs[0]
    return [Leaf("count", source, 0)] if source.dims is not None and known.has_shape(source) else None


size_op.accepts([2, 3]).accepts([])
shape_n_op.accepts([[2, 3], [0]]).accepts([[], [None]], out_type="int64")

rank_op = op("Rank", "input: T -> output: int32").not_differentiable().on_host(outputs=True).counts_by_shapes()


@rank_op.shape
def rank_shape(op):
    return [()]


@rank_op.static_value
def rank_static(op):
    dims = op.inputs[0].dims
    return None if dims is None else [np.array(len(dims), np.int32)]


@rank_op.python_value
def rank_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    dims = op.inputs[0].dims
    return None if dims is None else np.array(len(dims), np.int32)


@rank_op.kernel
def rank_kernel(node):
    return lambda x: torch.tensor(x.ndim, dtype=torch.int32)


rank_op.accepts([2, 3]).accepts([])

reshape_op = (
    op("Reshape", "tensor: T, shape: Tshape, *, Tshape: index = int32 -> output: T")
    .aliases()
    .on_host("shape")
    .never_fails()
    .forwards_memory()
    .views()
    .gives_no_more()
    .passes_text()
)


@reshape_op.shape
def reshape_shape(op):
    return [reshaped_dims(op)]


@reshape_op.same_as
def reshape_same(node):
    value = node.inputs[0]
    known = is_fully_defined(value.dims) and value.dims == node.outputs[0].dims
    return value if known and not value.dtype._is_ref_dtype else None


@reshape_op.kernel
def reshape_kernel(node):
    known = constants(node, 1)
    out = node.outputs[0].dims
    if known is None and out is not None and out.count(None) == 0:
        known = list(out)
    if known is not None:
        # Dims that the shape rule could infer spare torch the division.
        target = tuple(not_too_many(known))

        return lambda x, _: reshaped(x, target)

    return lambda x, shape: reshaped(x, not_too_many(shape.tolist()))


def _back_to_input(op: Operation, grad: TensorLike) -> Tensor:
    with densified_quietly(grad):
        return raw.Reshape(grad, shape(op.inputs[0]))


@reshape_op.gradient
def reshape_gradient(op, grad):
    return [_back_to_input(op, grad), None]


reshape_op.accepts([2, 3], np.array([3, 2], np.int32)).accepts([2, 3], np.array([-1], np.int32))
reshape_op.accepts([0, 3], np.array([3, 0], np.int32)).rejects([2, 3], np.array([4, 2], np.int32), error=ValueError)

expand_dims_op = (
    op("ExpandDims", "input: T, dim: Tdim, *, Tdim: index = int32 -> output: T")
    .aliases()
    .on_host("dim")
    .never_fails()
    .forwards_memory()
    .views()
    .passes_text()
)


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


expand_dims_op.size_elements(same_elements)


@expand_dims_op.kernel
def expand_dims_kernel(node):
    known = constants(node, 1)
    dims = node.inputs[0].dims
    if is_text(node.inputs[0]):
        if known is not None and dims is not None and known[0] in (-1, len(dims)):
            return lambda x, _: x[..., None]
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

squeeze_op = (
    op("Squeeze", "input: T, *, squeeze_dims: list(int) >= 0 = [] -> output: T")
    .aliases()
    .never_fails()
    .forwards_memory()
    .views()
    .gives_no_more()
    .passes_text()
)


def _squeezed_axes(dims: Sequence[int | None], listed: list[int]) -> list[int]:
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

broadcast_to_op = (
    op("BroadcastTo", "input: T, shape: Tidx, *, Tidx: index = int32 -> output: T").never_fails().passes_text()
)
broadcast_to_op.aliases().on_host("shape")


@broadcast_to_op.shape
@ranked(None, 1)
def broadcast_to_shape(op):
    dims, new_dims = op.inputs[0].dims, op.constant_dims(1)
    if dims is not None and new_dims is not None:
        if len(dims) > len(new_dims):
            raise ValueError(f"Shape must be at most rank {len(new_dims)} but is rank {len(dims)}")
        for have, want in zip(dims, new_dims[len(new_dims) - len(dims) :]):
            if have not in (None, 1) and want is not None and want != have:
                raise ValueError(f"Dimensions must be equal, but are {have} and {want}")
        if None in new_dims:
            # Of what is not known, a size of the input other than 1 can only stay.
            offset = len(new_dims) - len(dims)
            kept = [
                have if want is None and have not in (1, None) else want for have, want in zip(dims, new_dims[offset:])
            ]
            new_dims = (*new_dims[:offset], *kept)
    return [new_dims]


def _sizes_of_target(x: torch.Tensor, shape: torch.Tensor) -> list[int]:
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
    sizes = constants(node, 1)  # what is below 0 is refused in the step
    known = None if sizes is None or min(sizes, default=0) < 0 else sizes
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

broadcast_args_op = op("BroadcastArgs", "s0: T, s1: T, *, T: index = int32 -> r0: T").counts_by_shapes()
broadcast_args_op.on_host("s0", "s1", outputs=True).native(of_sizes("broadcast_args"))


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


broadcast_args_op.accepts(np.array([2, 1], np.int32), np.array([3], np.int32))
broadcast_args_op.accepts(np.array([], np.int64), np.array([2], np.int64))
broadcast_args_op.rejects(np.array([2], np.int32), np.array([3], np.int32), error=InvalidArgumentError)


def shape_n(input: Sequence[TensorLike], out_type: DTypeLike = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of a list of tensors of one type, as vectors of ints."""
    return raw.ShapeN(input, out_type=out_type, name=name)


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


def broadcast_to(input: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated along its axes of size 1, and along new leading axes, until it has `shape`."""
    return raw.BroadcastTo(input, shape, name=name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: TensorLike) -> Tensor:
    """The shape that element-wise ops on operands of the shapes `shape_x` and `shape_y`, int vectors, give."""
    return raw.BroadcastArgs(shape_x, shape_y)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The static shape that element-wise ops on operands of two static shapes, TensorShapes, give.

    Raises:
        ValueError: if they do not broadcast. AttributeError: for lists.

    Example:
        >>> tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([4]))
        TensorShape([Dimension(None), Dimension(4)])
    """
    return TensorShape.from_dims(broadcast_dims(*(as_dims(s.dims) for s in (shape_x, shape_y))))


# ---- native instructions

shape_op.native(lambda node: applied("shape_of", [TYPE_CODES[node.outputs[0].dtype.name]]))
size_op.native(lambda node: applied("size_of", [TYPE_CODES[node.outputs[0].dtype.name]]))
reshape_op.native(reshape_rule)
expand_dims_op.native(expand_dims_rule)
squeeze_op.native(squeeze_rule)
broadcast_to_op.native(broadcast_to_rule)
