"""Convolutions of images and volumes, and the two halves of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.multiply_adds import convolution
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.nn.convolutions import by_rows, convolution_kernel, filter_gradient_kernel, input_gradient_kernel
from headrace.kernels.nn.native_convolutions import convolution_rule, filter_gradient_rule, image_gradient_rule
from headrace.kernels.nn.windows import (
    check_dilations,
    check_explicit,
    check_strides,
    layout_of,
    of_rank,
    window_count,
)
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView


_IMAGE = (
    "*, T: floating, strides: list(int), use_cudnn_on_gpu=True, padding: {'SAME', 'VALID', 'EXPLICIT'}, "
    "explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)
_DEPTHWISE = (
    "*, T: floating, strides: list(int), padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "dilations: list(int) = [1, 1, 1, 1]"
)
_VOLUME = (
    "*, T: floating, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int) = [1, 1, 1, 1, 1]"
)
_OLD_VOLUME = (
    "*, T: {half, float, double}, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "dilations: list(int) = [1, 1, 1, 1, 1]"
)

conv2d_op = op("Conv2D", f"input: T, filter: T, {_IMAGE} -> output: T")
conv2d_input_op = op(
    "Conv2DBackpropInput", f"input_sizes: int32, filter: T, out_backprop: T, {_IMAGE} -> output: T"
).never_fails()
conv2d_filter_op = op(
    "Conv2DBackpropFilter", f"input: T, filter_sizes: int32, out_backprop: T, {_IMAGE} -> output: T"
).never_fails()
depthwise_op = op("DepthwiseConv2dNative", f"input: T, filter: T, {_DEPTHWISE} -> output: T")
depthwise_input_op = op(
    "DepthwiseConv2dNativeBackpropInput",
    f"input_sizes: int32, filter: T, out_backprop: T, {_DEPTHWISE} -> output: T",
).never_fails()
depthwise_filter_op = op(
    "DepthwiseConv2dNativeBackpropFilter",
    f"input: T, filter_sizes: int32, out_backprop: T, {_DEPTHWISE} -> output: T",
).never_fails()
conv3d_op = op("Conv3D", f"input: T, filter: T, {_VOLUME} -> output: T")
conv3d_input_op = op(
    "Conv3DBackpropInputV2",
    f"input_sizes: Tshape, filter: T, out_backprop: T, {_VOLUME}, Tshape: index = int32 -> output: T",
).never_fails()
conv3d_filter_op = op(
    "Conv3DBackpropFilterV2", f"input: T, filter_sizes: int32, out_backprop: T, {_VOLUME} -> output: T"
).never_fails()
# The first forms take a tensor of the wanted shape where the later ones take the shape.
conv3d_input_v1_op = op("Conv3DBackpropInput", f"input: T, filter: T, out_backprop: T, {_OLD_VOLUME} -> output: T")
conv3d_filter_v1_op = op("Conv3DBackpropFilter", f"input: T, filter: T, out_backprop: T, {_OLD_VOLUME} -> output: T")

for _decl in (
    *(conv2d_op, conv2d_input_op, conv2d_filter_op),
    *(depthwise_op, depthwise_input_op, depthwise_filter_op),
    *(conv3d_op, conv3d_input_op, conv3d_filter_op),
):
    _decl.fresh()
for _decl in (conv2d_input_op, depthwise_input_op, conv3d_input_op):
    _decl.on_host("input_sizes")
for _decl in (conv2d_filter_op, depthwise_filter_op, conv3d_filter_op):
    _decl.on_host("filter_sizes")


def _gradient_value(node: NodeView) -> Any:
    """What comes back has the shape of the convolution's results."""
    return [node.inputs[2]]


def _output_value(node: NodeView) -> Any:
    return node.outputs[0]


for _decl in (conv2d_op, conv3d_op):
    _decl.work(convolution())
for _decl in (conv2d_input_op, conv3d_input_op, conv3d_input_v1_op):
    _decl.work(convolution(results=_gradient_value))
for _decl in (conv2d_filter_op, conv3d_filter_op, conv3d_filter_v1_op):
    _decl.work(convolution(filters=_output_value, results=_gradient_value))
depthwise_op.work(convolution(depthwise=True))
depthwise_input_op.work(convolution(results=_gradient_value, depthwise=True))
depthwise_filter_op.work(convolution(filters=_output_value, results=_gradient_value, depthwise=True))


# ---- static shapes ----


def _convolved(op: Operation, rank: int, channels: Callable[[int | None, Any], int | None]) -> list[Dims]:
    value, weights = of_rank(op.inputs[0].dims, rank), of_rank(op.inputs[1].dims, rank)
    layout = layout_of(op, rank)
    check_dilations(op, rank, layout.channel)
    check_strides(op, rank)
    check_explicit(op, rank)
    explicit = op.attrs.get("explicit_paddings") or []
    depth = channels(value[layout.channel], weights)
    spatial = [
        window_count(
            value[axis],
            window,
            op.attrs["strides"][axis],
            op.attrs["padding"],
            op.attrs["dilations"][axis],
            explicit[2 * axis : 2 * axis + 2],
        )
        for axis, window in zip(layout.spatial, weights, strict=False)
    ]
    return [layout.dims(value[0], depth, spatial)]


def _in_groups(size: int | None, weights: Sequence[int | None]) -> int | None:
    """The output channels; a filter with fewer input channels than the image is for groups of them."""
    part, result = weights[-2:]
    if size is not None and part is not None:
        if part <= 0 or size % part:
            raise ValueError(f"Depth of input ({size}) is not a multiple of input depth of filter ({part})")
        if result is not None and result % (size // part):
            raise ValueError(f"Depth of output ({result}) is not a multiple of the number of groups ({size // part})")
    return result


def _one_each(size: int | None, weights: Sequence[int | None]) -> int | None:
    if size is not None and weights[-2] is not None and size != weights[-2]:
        raise ValueError(f"Dimensions must be equal, but are {size} and {weights[-2]}")
    size = weights[-2] if size is None else size
    return None if size is None or weights[-1] is None else size * weights[-1]


@conv2d_op.shape
def conv2d_shape(op):
    return _convolved(op, 4, _in_groups)


@depthwise_op.shape
def depthwise_shape(op):
    return _convolved(op, 4, _one_each)


@conv3d_op.shape
def conv3d_shape(op):
    return _convolved(op, 5, _in_groups)


def _given_sizes(index: int, rank: int) -> Callable[..., Any]:
    @ranked(*[None] * index, 1)
    def rule(op):
        sizes = op.constant_dims(index)
        return [(None,) * rank if sizes is None else of_rank(sizes, rank)]

    return rule


conv2d_input_op.shape(_given_sizes(0, 4))
depthwise_input_op.shape(_given_sizes(0, 4))
conv3d_input_op.shape(_given_sizes(0, 5))
conv2d_filter_op.shape(_given_sizes(1, 4))
depthwise_filter_op.shape(_given_sizes(1, 4))
conv3d_filter_op.shape(_given_sizes(1, 5))


@conv3d_input_v1_op.shape
def conv3d_input_v1_shape(op):
    return [of_rank(op.inputs[0].dims, 5)]


@conv3d_filter_v1_op.shape
def conv3d_filter_v1_shape(op):
    return [of_rank(op.inputs[1].dims, 5)]


# ---- kernels ----


def _first(node: NodeView) -> Any:
    return node.inputs[0]


def _second(node: NodeView) -> Any:
    return node.inputs[1]


def _result(node: NodeView) -> Any:
    return node.outputs[0]


def _paddings_checked(rule: Callable[[NodeView], Any]) -> Callable[[NodeView], Any]:
    """`rule` of an op whose inputs do not say the shape: what is wrong with its paddings is found when it is planned."""

    def kernel(node):
        try:
            check_explicit(node, 4)
        except ValueError as error:
            raise InvalidArgumentError(None, None, str(error)) from None
        return rule(node)

    return kernel


conv2d_op.kernel(by_rows(convolution_kernel(4), "convolving", _first, _second))
depthwise_op.kernel(convolution_kernel(4, depthwise=True))
conv3d_op.kernel(convolution_kernel(5))
conv2d_input_op.kernel(_paddings_checked(by_rows(input_gradient_kernel(4), "scattering", _result, _second)))
depthwise_input_op.kernel(input_gradient_kernel(4, depthwise=True))
conv3d_input_op.kernel(input_gradient_kernel(5))
conv3d_input_v1_op.kernel(input_gradient_kernel(5, like=True))
conv2d_filter_op.kernel(_paddings_checked(by_rows(filter_gradient_kernel(4), "correlating", _first, _result)))
depthwise_filter_op.kernel(filter_gradient_kernel(4, depthwise=True))
conv3d_filter_op.kernel(filter_gradient_kernel(5))
conv3d_filter_v1_op.kernel(filter_gradient_kernel(5, like=True))


# ---- native instructions ----

conv2d_op.native(convolution_rule)
conv2d_input_op.native(image_gradient_rule)
conv2d_filter_op.native(filter_gradient_rule)


# ---- gradients ----


_SETTINGS = ("dilations", "strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format")


def _like(op: Operation) -> dict[str, Any]:
    """The attributes a gradient takes over."""
    return {name: op.attrs[name] for name in _SETTINGS if name in op.attrs}


@conv2d_op.gradient
def conv2d_gradient(op, grad):
    x, weights = op.inputs
    x_shape, weights_shape = raw.ShapeN([x, weights])
    return [
        raw.Conv2DBackpropInput(x_shape, weights, grad, **_like(op)),
        raw.Conv2DBackpropFilter(x, weights_shape, grad, **_like(op)),
    ]


def _gradients(forward: str, for_input: str, for_filter: str) -> tuple[Any, Any, Any]:
    """The gradients of a convolution and of its two halves, each made of the others."""

    def of_convolution(op, grad):
        x, weights = op.inputs
        return [
            getattr(raw, for_input)(composing.shape(x), weights, grad, **_like(op)),
            getattr(raw, for_filter)(x, composing.shape(weights), grad, **_like(op)),
        ]

    def of_input_gradient(op, grad):
        _, weights, gradient = op.inputs
        return [
            None,
            getattr(raw, for_filter)(grad, composing.shape(weights), gradient, **_like(op)),
            getattr(raw, forward)(grad, weights, **_like(op)),
        ]

    def of_filter_gradient(op, grad):
        x, _, gradient = op.inputs
        return [
            getattr(raw, for_input)(composing.shape(x), grad, gradient, **_like(op)),
            None,
            getattr(raw, forward)(x, grad, **_like(op)),
        ]

    return of_convolution, of_input_gradient, of_filter_gradient


_, _of_input, _of_filter = _gradients("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
conv2d_input_op.gradient(_of_input)
conv2d_filter_op.gradient(_of_filter)
for _decls, _types in (
    (
        (depthwise_op, depthwise_input_op, depthwise_filter_op),
        ("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"),
    ),
    (
        (conv3d_op, conv3d_input_op, conv3d_filter_op),
        ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
    ),
):
    for _decl, _rule in zip(_decls, _gradients(*_types), strict=True):
        _decl.gradient(_rule)

_unit: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "SAME"}
conv2d_op.accepts([2, 5, 6, 3], [3, 2, 3, 4], **_unit)
_on_gpus = {"differs": "1.15 has this on GPUs only"}
conv2d_op.accepts([2, 5, 6, 4], [3, 3, 2, 2], strides=[1, 2, 1, 1], padding="VALID", **_on_gpus)
conv2d_op.accepts([2, 3, 8, 7], [3, 3, 3, 4], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW", **_on_gpus)
conv2d_op.rejects([2, 5, 6, 3], [3, 3, 4, 4], error=ValueError, match="not a multiple", **_unit)
conv2d_op.rejects([2, 3, 3, 3], [5, 5, 3, 4], error=ValueError, strides=[1, 1, 1, 1], padding="VALID")
depthwise_op.accepts([2, 5, 6, 3], [3, 2, 3, 2], **_unit).rejects([2, 5, 6, 3], [3, 3, 2, 2], error=ValueError, **_unit)
conv3d_op.accepts([1, 3, 4, 5, 2], [2, 3, 2, 2, 3], strides=[1, 1, 2, 1, 1], padding="SAME")
conv3d_op.rejects([1, 3, 4, 5, 2], [2, 2, 2, 3, 3], error=ValueError, strides=[1, 1, 1, 1, 1], padding="VALID")

# The gradients take a shape, the first forms of those of volumes a tensor that has it.
_halves: dict[str, Any] = {"strides": [1, 2, 2, 1], "padding": "VALID"}
for _pair, _filter in (((conv2d_input_op, conv2d_filter_op), 3), ((depthwise_input_op, depthwise_filter_op), 2)):
    _channels = 3 if _filter == 3 else 4
    for _settings, _rows, _columns in ((_unit, 3, 4), (_halves, 1, 2)):
        _large, _window, _small = [1, 3, 4, 2], [2, 2, 2, _filter], [1, _rows, _columns, _channels]
        _pair[0].accepts(np.array(_large, np.int32), _window, _small, **_settings)
        _pair[1].accepts(_large, np.array(_window, np.int32), _small, **_settings)
        _pair[0].rejects(np.array([_large], np.int32), _window, _small, error=ValueError, **_settings)
_large, _window, _small = [1, 2, 3, 3, 1], [2, 1, 2, 1, 2], [1, 2, 3, 2, 2]
_volumes: dict[str, Any] = {"strides": [1, 1, 1, 2, 1], "padding": "SAME"}
conv3d_input_op.accepts(np.array(_large, np.int32), _window, _small, **_volumes)
conv3d_filter_op.accepts(_large, np.array(_window, np.int32), _small, **_volumes)
conv3d_input_v1_op.accepts(_large, _window, _small, **_volumes)
conv3d_filter_v1_op.accepts(_large, _window, _small, **_volumes)
