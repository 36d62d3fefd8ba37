"""Convolutions of images and volumes, and the two halves of their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims
from headrace.ops import composing
from headrace.ops.array.common import shape_text
from headrace.ops.nn.row_convolution import rows_of
from headrace.ops.nn.windows import (
    Layout,
    Padding,
    check_dilations,
    check_explicit,
    check_lengths,
    check_strides,
    layout_of,
    of_rank,
    split_padding,
    window_count,
)
from headrace.ops.ranks import ranked

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
conv2d_input_op = op("Conv2DBackpropInput", f"input_sizes: int32, filter: T, out_backprop: T, {_IMAGE} -> output: T")
conv2d_filter_op = op("Conv2DBackpropFilter", f"input: T, filter_sizes: int32, out_backprop: T, {_IMAGE} -> output: T")
depthwise_op = op("DepthwiseConv2dNative", f"input: T, filter: T, {_DEPTHWISE} -> output: T")
depthwise_input_op = op(
    "DepthwiseConv2dNativeBackpropInput",
    f"input_sizes: int32, filter: T, out_backprop: T, {_DEPTHWISE} -> output: T",
)
depthwise_filter_op = op(
    "DepthwiseConv2dNativeBackpropFilter",
    f"input: T, filter_sizes: int32, out_backprop: T, {_DEPTHWISE} -> output: T",
)
conv3d_op = op("Conv3D", f"input: T, filter: T, {_VOLUME} -> output: T")
conv3d_input_op = op(
    "Conv3DBackpropInputV2",
    f"input_sizes: Tshape, filter: T, out_backprop: T, {_VOLUME}, Tshape: index = int32 -> output: T",
)
conv3d_filter_op = op(
    "Conv3DBackpropFilterV2", f"input: T, filter_sizes: int32, out_backprop: T, {_VOLUME} -> output: T"
)
# The first forms take a tensor of the wanted shape where the later ones take the shape.
conv3d_input_v1_op = op("Conv3DBackpropInput", f"input: T, filter: T, out_backprop: T, {_OLD_VOLUME} -> output: T")
conv3d_filter_v1_op = op("Conv3DBackpropFilter", f"input: T, filter: T, out_backprop: T, {_OLD_VOLUME} -> output: T")

# A convolution and the bias added to it; only the planner makes them.
conv2d_bias_op = op("_Conv2DBias", f"input: T, filter: T, bias: T, {_IMAGE} -> output: T")
depthwise_bias_op = op("_DepthwiseConv2dBias", f"input: T, filter: T, bias: T, {_DEPTHWISE} -> output: T")
conv3d_bias_op = op("_Conv3DBias", f"input: T, filter: T, bias: T, {_VOLUME} -> output: T")

for _decl in (
    *(conv2d_op, conv2d_input_op, conv2d_filter_op, conv2d_bias_op),
    *(depthwise_op, depthwise_input_op, depthwise_filter_op, depthwise_bias_op),
    *(conv3d_op, conv3d_input_op, conv3d_filter_op, conv3d_bias_op),
):
    _decl.fresh()
for _decl in (conv2d_input_op, depthwise_input_op, conv3d_input_op):
    _decl.on_host("input_sizes")
for _decl in (conv2d_filter_op, depthwise_filter_op, conv3d_filter_op):
    _decl.on_host("filter_sizes")


# ---- static shapes ----


def _convolved(op: Any, rank: int, channels: Callable[[int | None, Any], int | None]) -> list[Dims]:
    value, weights = of_rank(op.inputs[0].dims, rank), of_rank(op.inputs[1].dims, rank)
    check_dilations(op, rank)
    check_strides(op, rank)
    check_explicit(op, rank)
    layout = layout_of(op, rank)
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


def _in_groups(size: int | None, weights: Any) -> int | None:
    """The output channels; a filter with fewer input channels than the image is for groups of them."""
    part, result = weights[-2:]
    if size is not None and part is not None:
        if part <= 0 or size % part:
            raise ValueError(f"Depth of input ({size}) is not a multiple of input depth of filter ({part})")
        if result is not None and result % (size // part):
            raise ValueError(f"Depth of output ({result}) is not a multiple of the number of groups ({size // part})")
    return result


def _one_each(size: int | None, weights: Any) -> int | None:
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


def _given_sizes(index: int, rank: int) -> Any:
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


class ConvolutionSetting:
    """What is settled of a convolution while the plan is made.

    Args:
        node: the convolution, or one half of its gradient.
        rank: of the tensors, 4 for images.
        depthwise: whether every channel has filters of its own.
        value: the static shape of the image.
        weights: the static shape of the filter.
    """

    def __init__(self, node: Any, rank: int, depthwise: bool, value: Dims, weights: Dims) -> None:
        self.node, self.rank, self.depthwise = node, rank, depthwise
        self.layout: Layout = layout_of(node, rank)
        check_lengths(node, rank, strides=node.attrs["strides"], dilations=node.attrs["dilations"])
        for name in ("strides", "dilations"):
            values = node.attrs[name]
            if min(values) < 1:
                raise InvalidArgumentError(None, None, f"All {name} must be > 0, got {values}.")
            if values[0] != 1 or values[self.layout.channel] != 1:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Current implementation does not yet support {name} in the batch and depth dimensions.",
                )
        self.strides = self.layout.sizes(node.attrs["strides"])
        self.dilations = self.layout.sizes(node.attrs["dilations"])
        self.padding = Padding(node, self.layout, self.strides, self.dilations)
        value = (None,) * rank if value is None else value
        weights = (None,) * rank if weights is None else weights
        self.windows = weights[: rank - 2]
        self.known = self.padding.known(self.layout.sizes(value), self.windows)
        self.split = None if self.known is None else split_padding(self.known)
        channels, part = value[self.layout.channel], weights[-2]
        self.one_group = not depthwise and channels is not None and channels == part
        # torch has filters as [outputs, inputs of a group, *window].
        self.turn = (rank - 1, rank - 2, *range(rank - 2))
        self.turn_back = (*range(2, rank), 1, 0)
        self.spread = (rank - 2, rank - 1, *range(rank - 2))
        self.gather = (*range(2, rank), 0, 1)

    def amounts(self, sizes: Any, windows: Any) -> list[tuple[int, int]]:
        """How each spatial axis is padded."""
        return self.padding.amounts(sizes, windows) if self.known is None else self.known

    def filters(self, weights: Any) -> Any:
        """The filter as torch wants it: a view."""
        if not self.depthwise:
            return weights.permute(self.turn)
        turned = weights.permute(self.spread)
        return turned.reshape(turned.shape[0] * turned.shape[1], 1, *turned.shape[2:])

    def filter_sizes(self, sizes: Any) -> tuple[int, ...]:
        """The sizes `filters` gives for a filter of these."""
        *window, inputs, outputs = sizes
        return (inputs * outputs, 1, *window) if self.depthwise else (outputs, inputs, *window)

    def groups(self, channels: int, part: int) -> int:
        """How many groups of channels there are, from those of the image and of the filter."""
        if self.depthwise:
            if channels != part:
                raise InvalidArgumentError(
                    None, None, f"input and filter must have the same depth: {channels} vs {part}"
                )
            return channels
        if part == 0 or channels % part:
            raise InvalidArgumentError(
                None, None, f"input depth must be evenly divisible by filter depth: {channels} vs {part}"
            )
        return channels // part

    def nothing(self, x: Any, weights: Any) -> Any:
        """The empty result of a convolution that torch refuses; to be called while its error is handled.

        Raises:
            InvalidArgumentError: if the window is larger than the image by more than what leaves no place for it.
        """
        image, filters = self.layout.enter(x), self.filters(weights)
        sizes, windows = image.shape[2:], filters.shape[2:]
        counts = []
        for axis, (size, window, pair) in enumerate(zip(sizes, windows, self.amounts(sizes, windows), strict=True)):
            reach, stride = (window - 1) * self.dilations[axis] + 1, self.strides[axis]
            # Rounded towards zero, so that an image that is short by less than a stride gives nothing.
            counts.append(int((size + sum(pair) - reach + stride) / stride))
            if counts[-1] < 0:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Computed output size would be negative: {counts[-1]} [input_size: {size}, effective_filter_size: "
                    f"{reach}, stride: {stride}]",
                )
        if filters.shape[0] and all(counts):
            raise
        return self.layout.leave(image.new_empty((image.shape[0], filters.shape[0], *counts)))

    def require_result(self, sizes: Any, windows: Any, result: Any) -> None:
        """Raises InvalidArgumentError unless convolving `sizes` gives `result`."""
        for axis, (size, window, pair) in enumerate(zip(sizes, windows, self.amounts(sizes, windows), strict=True)):
            reach = (window - 1) * self.dilations[axis] + 1
            count = (size + sum(pair) - reach) // self.strides[axis] + 1
            if count != result[axis]:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{self.node.type}: Size of out_backprop doesn't match computed: actual = {result[axis]}, "
                    f"computed = {count} spatial_dim: {self.layout.spatial[axis]} input: {size} filter: {window} "
                    f"output: {result[axis]} stride: {self.strides[axis]} dilation: {self.dilations[axis]}",
                )

    def require_batch_and_depth(self, batch: int, gradient: Any, depth: int, kind: str) -> None:
        """Raises InvalidArgumentError unless a gradient has the images and channels of the result."""
        what = f"Conv3D{kind}" if self.layout.rank == 5 else f"Conv2DCustom{kind}"
        if gradient.shape[0] != batch:
            raise InvalidArgumentError(
                None,
                None,
                f"{what}: input and out_backprop must have the same batch sizeinput batch: {batch}outbackprop batch: "
                f"{gradient.shape[0]} batch_dim: 0",
            )
        if gradient.shape[1] != depth:
            raise InvalidArgumentError(None, None, f"{what}: filter and out_backprop must have the same out_depth")


def _convolution(rank: int, depthwise: bool = False) -> Any:
    convolve_in_torch = torch.conv2d if rank == 4 else torch.conv3d

    def kernel(node):
        setting = ConvolutionSetting(node, rank, depthwise, node.inputs[0].dims, node.inputs[1].dims)
        layout, strides, dilations = setting.layout, setting.strides, setting.dilations
        turn, to, back = setting.turn, layout.to_torch, layout.from_torch
        if setting.split is not None and setting.split[1] is None and setting.one_group and to is not None:
            both = setting.split[0]

            def convolve_plainly(x, weights, bias=None):
                try:
                    turned = convolve_in_torch(x.permute(to), weights.permute(turn), bias, strides, both, dilations)
                except RuntimeError:
                    return setting.nothing(x, weights)
                return turned.permute(back)

            return convolve_plainly

        def convolve(x, weights, bias=None):
            if x.dim() != rank:
                raise InvalidArgumentError(None, None, f"input must be {rank}-dimensional{shape_text(x.shape)}")
            image, filters = layout.enter(x), setting.filters(weights)
            both, rest = setting.split or split_padding(setting.amounts(image.shape[2:], filters.shape[2:]))
            groups = setting.groups(image.shape[1], weights.shape[-2])
            if rest is not None:
                image = torch.constant_pad_nd(image, rest)
            try:
                return layout.leave(convolve_in_torch(image, filters, bias, strides, both, dilations, groups))
            except RuntimeError:
                return setting.nothing(x, weights)

        return convolve

    return kernel


def _input_gradient(rank: int, depthwise: bool = False, like: bool = False) -> Any:
    transposed_in_torch = torch.conv_transpose2d if rank == 4 else torch.conv_transpose3d

    def kernel(node):
        setting = ConvolutionSetting(node, rank, depthwise, node.outputs[0].dims, node.inputs[1].dims)
        layout, strides, dilations = setting.layout, setting.strides, setting.dilations
        fixed = node.outputs[0].dims
        if fixed is not None and None in fixed:
            fixed = None

        def scatter(sizes, weights, gradient):
            sizes = fixed or (sizes.shape if like else sizes.tolist())
            gradient, filters = layout.enter(gradient), setting.filters(weights)
            spatial, windows, counts = layout.sizes(sizes), filters.shape[2:], gradient.shape[2:]
            setting.require_result(spatial, windows, counts)
            setting.require_batch_and_depth(
                sizes[0], gradient, filters.shape[0], "BackpropInput" if rank == 4 else "BackpropInputOp"
            )
            amounts = setting.amounts(spatial, windows)
            both, rest = split_padding(amounts)
            # What the windows left over at the end, which their count does not tell.
            left = [
                size + before + after - (window - 1) * dilation - 1 - (count - 1) * stride
                for size, (before, after), window, count, stride, dilation in zip(
                    spatial, amounts, windows, counts, strides, dilations, strict=True
                )
            ]
            groups = setting.groups(sizes[layout.channel], weights.shape[-2])
            result = transposed_in_torch(gradient, filters, None, strides, both, left, groups, dilations)
            if rest is not None:
                for axis, (size, (before, after)) in enumerate(zip(spatial, amounts, strict=True), 2):
                    if before != after:
                        result = result.narrow(axis, before - min(before, after), size)
            return layout.leave(result)

        return scatter

    return kernel


def _filter_gradient(rank: int, depthwise: bool = False, like: bool = False) -> Any:
    backward = torch.ops.aten.convolution_backward.default
    none = [0] * (rank - 2)
    ours = (False, True, False)

    def kernel(node):
        setting = ConvolutionSetting(node, rank, depthwise, node.inputs[0].dims, node.outputs[0].dims)
        layout, strides, dilations = setting.layout, setting.strides, setting.dilations
        fixed = node.outputs[0].dims
        model = None
        if fixed is not None and None not in fixed:
            # torch asks for the filter but looks at its shape only: memory that is never touched.
            last = torch.channels_last if rank == 4 else torch.channels_last_3d
            model = torch.empty(
                setting.filter_sizes(fixed),
                dtype=node.outputs[0].dtype.torch,
                device=node.device,
                memory_format=torch.contiguous_format if layout.to_torch is None else last,
            )
        else:
            fixed = None

        def correlate(x, sizes, gradient):
            sizes = fixed or (sizes.shape if like else sizes.tolist())
            x, gradient = layout.enter(x), layout.enter(gradient)
            windows = sizes[: rank - 2]
            setting.require_result(x.shape[2:], windows, gradient.shape[2:])
            depth = sizes[-1] * sizes[-2] if depthwise else sizes[-1]
            setting.require_batch_and_depth(
                x.shape[0], gradient, depth, "BackpropFilter" if rank == 4 else "BackpropFilterOp"
            )
            groups = setting.groups(x.shape[1], sizes[-2])
            both, rest = setting.split or split_padding(setting.amounts(x.shape[2:], windows))
            if rest is not None:
                x = torch.constant_pad_nd(x, rest)
            filters = x.new_empty(setting.filter_sizes(sizes)) if model is None else model
            result = backward(gradient, x, filters, None, strides, both, dilations, False, none, groups, ours)[1]
            # The gradient of a variable is to lie in memory as the variable does, for optimizers that run over both.
            if not depthwise:
                return result.permute(setting.turn_back).contiguous()
            return result.reshape(*sizes[-2:], *windows).permute(setting.gather).contiguous()

        return correlate

    return kernel


def _by_rows(general: Any, method: str, image: Callable[[Any], Any], weights: Callable[[Any], Any]) -> Any:
    """The kernel `general`, or the `method` of `Rows` where the filter is as wide as the image."""

    def kernel(node):
        value, filters, otherwise = image(node).dims, weights(node).dims, general(node)
        rows = rows_of(ConvolutionSetting(node, 4, False, value, filters), value, filters)
        return otherwise if rows is None else getattr(rows, method)(otherwise)

    return kernel


def _first(node: Any) -> Any:
    return node.inputs[0]


def _second(node: Any) -> Any:
    return node.inputs[1]


def _result(node: Any) -> Any:
    return node.outputs[0]


conv2d_op.kernel(_by_rows(_convolution(4), "convolving", _first, _second))
depthwise_op.kernel(_convolution(4, depthwise=True))
conv3d_op.kernel(_convolution(5))
conv2d_bias_op.kernel(_by_rows(_convolution(4), "convolving", _first, _second))
depthwise_bias_op.kernel(_convolution(4, depthwise=True))
conv3d_bias_op.kernel(_convolution(5))
conv2d_input_op.kernel(_by_rows(_input_gradient(4), "scattering", _result, _second))
depthwise_input_op.kernel(_input_gradient(4, depthwise=True))
conv3d_input_op.kernel(_input_gradient(5))
conv3d_input_v1_op.kernel(_input_gradient(5, like=True))
conv2d_filter_op.kernel(_by_rows(_filter_gradient(4), "correlating", _first, _result))
depthwise_filter_op.kernel(_filter_gradient(4, depthwise=True))
conv3d_filter_op.kernel(_filter_gradient(5))
conv3d_filter_v1_op.kernel(_filter_gradient(5, like=True))


# ---- gradients ----


_SETTINGS = ("dilations", "strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format")


def _like(op: Any) -> dict[str, Any]:
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
conv2d_op.accepts([2, 5, 6, 4], [3, 3, 2, 2], strides=[1, 2, 1, 1], padding="VALID")
conv2d_op.accepts([2, 3, 8, 7], [3, 3, 3, 4], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW")
conv2d_op.rejects([2, 5, 6, 3], [3, 3, 4, 4], error=ValueError, match="not a multiple", **_unit)
conv2d_op.rejects([2, 3, 3, 3], [5, 5, 3, 4], error=ValueError, strides=[1, 1, 1, 1], padding="VALID")
depthwise_op.accepts([2, 5, 6, 3], [3, 2, 3, 2], **_unit).rejects([2, 5, 6, 3], [3, 3, 2, 2], error=ValueError, **_unit)
conv3d_op.accepts([1, 3, 4, 5, 2], [2, 3, 2, 2, 3], strides=[1, 1, 2, 1, 1], padding="SAME")
conv3d_op.rejects([1, 3, 4, 5, 2], [2, 2, 2, 3, 3], error=ValueError, strides=[1, 1, 1, 1, 1], padding="VALID")
