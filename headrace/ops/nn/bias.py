"""Adding a bias along the channels of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import rank_at_least
from headrace.kernels.math.elementwise import bracketed, widened
from headrace.kernels.math.in_place import is_native

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, TensorLike, VariableLike


bias_add_op = op(
    "BiasAdd", "value: T, bias: T, *, T: numeric, data_format: {'NHWC', 'NCHW'} = 'NHWC' -> output: T"
).keeps_shape()
bias_add_v1_op = op("BiasAddV1", "value: T, bias: T, *, T: numeric -> output: T")
bias_add_grad_op = op(
    "BiasAddGrad", "out_backprop: T, *, T: numeric, data_format: {'NHWC', 'NCHW'} = 'NHWC' -> output: T"
).never_fails()


def _channel_axis(node: NodeView) -> int:
    return 1 if node.attrs.get("data_format") == "NCHW" else -1


def bias_add_shape(op):
    """The shape rule of both bias additions."""
    axis = _channel_axis(op)
    value, bias = op.inputs[0].dims, op.inputs[1].dims
    value = rank_at_least(value, 2 if axis == -1 else 3)
    if bias is not None and len(bias) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(bias)}")
    if value is None or bias is None:
        return [value]
    if value[axis] is not None and bias[0] is not None and value[axis] != bias[0]:
        raise ValueError(f"Dimensions must be equal, but are {value[axis]} and {bias[0]}")
    merged = list(value)
    merged[axis] = merge_dim(value[axis], bias[0])
    return [tuple(merged)]


def bias_add_kernel(node):
    """The kernel rule of both bias additions."""
    value, bias = node.inputs[0].dims, node.inputs[1].dims
    axis = _channel_axis(node)
    if value is not None and bias is not None and len(value) >= 2 and bias[0] is not None and value[axis] == bias[0]:
        # What is known statically needs no check in the step.
        if axis == -1 or len(value) == 2:
            return widened(node, torch.add)
        shape = (-1,) + (1,) * (len(value) - 2)
        return widened(node, lambda x, b: torch.add(x, b.view(shape)))

    def add(x, b):
        if x.dim() < 2:
            raise InvalidArgumentError(None, None, f"Input tensor must be at least 2D: {bracketed(x.shape)}")
        if b.dim() != 1:
            raise InvalidArgumentError(None, None, f"Biases must be 1D: {bracketed(b.shape)}")
        if b.shape[0] != x.shape[axis]:
            raise InvalidArgumentError(
                None,
                None,
                "Must provide as many biases as the "
                f"{'last dimension' if axis == -1 else 'channel dimension'} of the input tensor: "
                f"{bracketed(b.shape)} vs. {bracketed(x.shape)}",
            )
        return torch.add(x, b if axis == -1 else b.view((-1,) + (1,) * (x.dim() - 2)))

    return widened(node, add)


def _add_in_place(node, index):
    value, bias = node.inputs[0].dims, node.inputs[1].dims
    is_static = value is not None and bias is not None and len(value) >= 2 and bias[0] is not None
    if index or not is_static or _channel_axis(node) != -1 or value[-1] != bias[0] or not is_native(node):
        return None
    return torch.Tensor.add_


for _decl in (bias_add_op, bias_add_v1_op):
    _decl.shape(bias_add_shape)
    _decl.kernel(bias_add_kernel)
    _decl.reuses(_add_in_place)
    _decl.accepts([2, 3], [3]).accepts([2, 4, 5, 3], [3]).accepts([0, 3], [3])
    _decl.rejects([2, 3], [2], error=ValueError).rejects([3], [3], error=ValueError)
    _decl.rejects([2, 3], [1, 3], error=ValueError)
bias_add_op.accepts([2, 3, 4, 5], [3], data_format="NCHW")


@bias_add_grad_op.shape
def bias_add_grad_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 3 if op.attrs["data_format"] == "NCHW" else 2)
    return [(None if dims is None else dims[_channel_axis(op)],)]


@bias_add_grad_op.kernel
def bias_add_grad_kernel(node):
    axis, dims, dtype = _channel_axis(node), node.inputs[0].dims, node.inputs[0].dtype
    if dims is not None and len(dims) == 2 and not dtype.is_integer:
        return lambda gradient: gradient.sum(0)

    def total(gradient):
        rank = gradient.dim()
        if axis == -1 and gradient.is_contiguous():
            # One long reduction is quicker than one over several axes.
            return gradient.flatten(0, -2).sum(0, dtype=gradient.dtype)
        return gradient.sum([i for i in range(rank) if i != axis % rank], dtype=gradient.dtype)

    return widened(node, total)


bias_add_grad_op.accepts([2, 3]).accepts([2, 3, 4, 5], data_format="NCHW").accepts([2, 4, 5, 3])
bias_add_grad_op.rejects([3], error=ValueError)


@bias_add_op.gradient
def bias_add_gradient(op, grad):
    return [grad, raw.BiasAddGrad(grad, data_format=op.attrs["data_format"])]


@bias_add_v1_op.gradient
def bias_add_v1_gradient(op, grad):
    return [grad, raw.Sum(grad, composing.range_(composing.rank(grad) - 1))]


@bias_add_grad_op.gradient
def bias_add_grad_gradient(op, grad):
    """The gradient of the bias, repeated over all other axes."""
    shape = composing.shape(op.inputs[0])
    channels = composing.shape(grad)
    if op.attrs["data_format"] == "NCHW":
        expanded = composing.concat([composing.ones_like(shape[:1]), channels, composing.ones_like(shape[2:])], 0)
        repeats = composing.concat([shape[:1], [1], shape[2:]], 0)
    else:
        expanded = composing.concat([composing.ones_like(shape[:-1]), channels], 0)
        repeats = composing.concat([shape[:-1], [1]], 0)
    return [raw.Tile(raw.Reshape(grad, expanded), repeats)]


def bias_add(value: TensorLike, bias: object, data_format: str | None = None, name: str | None = None) -> Tensor:
    """Adds `bias` along the channels of `value`.

    Args:
        value: numbers of rank 2 or more.
        bias: a vector as long as `value` has channels.
        data_format: "NHWC" (or "N...C"): channels are last, the default; "NCHW" (or "NC..."): they are second.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes do not fit, or for another `data_format`.

    Example:
        >>> tf.Session().run(tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]))
        array([[11., 22.]], dtype=float32)
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError("data_format must be of the form `N...C` or `NC...`")
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return raw.BiasAdd(value, bias, data_format=data_format or "NHWC", name=scope)


def bias_add_v1(value: TensorLike, bias: TensorLike, name: str | None = None) -> Tensor:
    """Adds `bias` along the last axis of `value`: the first form of `bias_add`.

    Args:
        value: numbers of rank 2 or more.
        bias: a vector as long as the last axis.
        name: a name for the operation.
    """
    with name_scope(name, "BiasAddV1", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return raw.BiasAddV1(value, bias, name=scope)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    with name_scope(None, "MatMul", [a, b]) as scope:
        return raw.MatMul(a, b, name=scope)


def xw_plus_b(
    x: TensorLike, weights: TensorLike | VariableLike, biases: TensorLike | VariableLike, name: str | None = None
) -> Tensor:
    """matmul(x, weights) + biases.

    Args:
        x: [batch, in_units].
        weights: [in_units, out_units].
        biases: [out_units].
        name: a name for the operation.

    Returns:
        [batch, out_units].
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(_matmul(x, weights), biases, name=scope)


def relu_layer(x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases).

    Args:
        x: [batch, in_units].
        weights: [in_units, out_units].
        biases: [out_units].
        name: a name for the operation.

    Returns:
        [batch, out_units], not negative.
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return raw.Relu(bias_add(_matmul(x, weights), biases), name=scope)


# ---- native instructions


@bias_add_op.native
@bias_add_v1_op.native
def _bias_add_native(node):
    value, bias = node.inputs[0].dims, node.inputs[1].dims
    if value is None or bias is None or len(value) < 2 or len(bias) != 1 or bias[0] is None:
        return None
    axis = _channel_axis(node)
    if value[axis] != bias[0]:
        return None
    if axis == -1 or len(value) == 2:
        return applied("add")

    def lower(b, inputs):
        column = b.apply("reshape", [inputs[1]], [-1] + [1] * (len(value) - 2))[0]
        return b.apply("add", [inputs[0], column])

    return lower


@bias_add_grad_op.native
def _bias_add_grad_native(node):
    dims = node.inputs[0].dims
    if dims is None or len(dims) < 2:
        return None
    channels = _channel_axis(node) % len(dims)
    return applied("sum", [0, *(axis for axis in range(len(dims)) if axis != channels)])
