"""How images and volumes are convolved, and the two halves of the gradient: kernels of ops and of fused ops.

A convolution is linear in its image and in its filter; the halves of the gradient are the adjoints of these two maps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.kernels.array.arguments import shape_text
from headrace.kernels.nn.minimal_filtering import MinimalFiltering, minimal_filtering
from headrace.kernels.nn.row_convolution import rows_of
from headrace.kernels.nn.window_products import WindowProducts, window_products
from headrace.kernels.nn.windows import Layout, Padding, check_lengths, counts_when_run, layout_of, split_padding

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class ConvolutionSetting:
    """The parameters of a convolution that are fixed when the plan is made.

    Args:
        node: the convolution, or one half of its gradient.
        rank: of the tensors, 4 for images.
        depthwise: whether every channel has filters of its own.
        value: the static shape of the image.
        weights: the static shape of the filter.
    """

    def __init__(self, node: NodeView, rank: int, depthwise: bool, value: Dims, weights: Dims) -> None:
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
        self.windows, self.depths = tuple(weights[: rank - 2]), tuple(weights[-2:])
        self.known = self.padding.known(self.layout.sizes(value), self.windows)
        self.split = None if self.known is None else split_padding(self.known)
        channels, part = value[self.layout.channel], weights[-2]
        self.one_group = not depthwise and channels is not None and channels == part
        dtype, where = node.outputs[0].dtype.torch, node.device.type
        on_channels = rank == 4 and self.one_group and self.layout.channel == 3 and self.dilations == (1, 1)
        # Float32 images on the CPU whose channels lie together: those of the native runner.
        self.plain = on_channels and dtype is torch.float32 and where == "cpu"
        # torch has filters as [outputs, inputs of a group, *window].
        self.filter_order = (rank - 1, rank - 2, *range(rank - 2))
        self.filter_order_back = (*range(2, rank), 1, 0)
        self.depthwise_order = (rank - 2, rank - 1, *range(rank - 2))
        self.depthwise_order_back = (*range(2, rank), 0, 1)

    def paddings(self, sizes: Any, windows: Any) -> list[tuple[int, int]]:
        """How each spatial axis is padded."""
        return self.padding.paddings(sizes, windows) if self.known is None else self.known

    def filters(self, weights: torch.Tensor) -> torch.Tensor:
        """The filter as torch wants it: a view."""
        if not self.depthwise:
            return weights.permute(self.filter_order)
        depthwise = weights.permute(self.depthwise_order)
        return depthwise.reshape(depthwise.shape[0] * depthwise.shape[1], 1, *depthwise.shape[2:])

    def filter_sizes(self, sizes: Sequence[int]) -> tuple[int, ...]:
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

    def nothing(self, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """The empty result of a convolution that torch refuses; to be called while its error is handled.

        Raises:
            InvalidArgumentError: if the window is larger than the image by more than what leaves no place for it.
        """
        image, filters = self.layout.enter(x), self.filters(weights)
        sizes, windows = image.shape[2:], filters.shape[2:]
        paddings = self.paddings(sizes, windows)
        counts = counts_when_run(sizes, windows, self.strides, self.dilations, paddings)
        if filters.shape[0] and all(counts):
            raise
        return self.layout.leave(image.new_empty((image.shape[0], filters.shape[0], *counts)))

    def require_result(self, sizes: Any, windows: Any, result: Any) -> None:
        """Raises InvalidArgumentError unless convolving `sizes` gives `result`."""
        for axis, (size, window, pair) in enumerate(zip(sizes, windows, self.paddings(sizes, windows), strict=True)):
            effective_size = (window - 1) * self.dilations[axis] + 1
            count = (size + sum(pair) - effective_size) // self.strides[axis] + 1
            if count != result[axis]:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{self.node.type}: Size of out_backprop doesn't match computed: actual = {result[axis]}, "
                    f"computed = {count} spatial_dim: {self.layout.spatial[axis]} input: {size} filter: {window} "
                    f"output: {result[axis]} stride: {self.strides[axis]} dilation: {self.dilations[axis]}",
                )

    def require_batch_and_depth(self, batch: int, gradient: torch.Tensor, depth: int, kind: str) -> None:
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


def convolution_kernel(rank: int, depthwise: bool = False) -> Callable[..., Any]:
    """The kernel rule of a convolution, and of one with a bias added to it."""
    convolve_in_torch = torch.conv2d if rank == 4 else torch.conv3d

    def kernel(node):
        setting = ConvolutionSetting(node, rank, depthwise, node.inputs[0].dims, node.inputs[1].dims)
        layout, strides, dilations = setting.layout, setting.strides, setting.dilations
        filter_order, to, back = setting.filter_order, layout.to_torch, layout.from_torch
        if setting.split is not None and setting.split[1] is None and setting.one_group and to is not None:
            both = setting.split[0]

            def convolve_plainly(x, weights, bias=None):
                try:
                    result = convolve_in_torch(
                        x.permute(to), weights.permute(filter_order), bias, strides, both, dilations
                    )
                except RuntimeError:
                    return setting.nothing(x, weights)
                return result.permute(back)

            return _multiplying_less(setting, convolve_plainly)

        def convolve(x, weights, bias=None):
            if x.dim() != rank:
                raise InvalidArgumentError(None, None, f"input must be {rank}-dimensional{shape_text(x.shape)}")
            image, filters = layout.enter(x), setting.filters(weights)
            both, rest = setting.split or split_padding(setting.paddings(image.shape[2:], filters.shape[2:]))
            groups = setting.groups(image.shape[1], weights.shape[-2])
            if rest is not None:
                image = torch.constant_pad_nd(image, rest)
            try:
                return layout.leave(convolve_in_torch(image, filters, bias, strides, both, dilations, groups))
            except RuntimeError:
                return setting.nothing(x, weights)

        return _multiplying_less(setting, convolve)

    return kernel


def _multiplying_less(setting: ConvolutionSetting, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A convolution by the native runner where that pays."""
    runners = _runners(setting)
    if not runners:
        return otherwise
    windows = setting.windows

    def convolve(x, weights, bias=None):
        if x.dim() == 4:
            paddings = setting.paddings(x.shape[1:3], windows)
            for runner in runners:
                if runner.pays(x, paddings):
                    turned = runner.turned(weights)
                    result = None if turned is None else runner.convolve(x, turned, bias, paddings)
                    if result is not None:
                        return result
        return otherwise(x, weights, bias)

    return convolve


def _runners(setting: ConvolutionSetting) -> list[MinimalFiltering | WindowProducts]:
    """The ways in which the native runner convolves and gives the filters' gradient, the first that pays is to be taken."""
    return [runner for runner in (minimal_filtering(setting), window_products(setting)) if runner is not None]


def input_gradient_kernel(rank: int, depthwise: bool = False, like: bool = False) -> Callable[..., Any]:
    """The kernel rule of the gradient with respect to the image; `like`: it takes a tensor of that shape, not the shape."""
    transposed_in_torch = torch.conv_transpose2d if rank == 4 else torch.conv_transpose3d

    def kernel(node):
        setting = ConvolutionSetting(node, rank, depthwise, node.outputs[0].dims, node.inputs[1].dims)
        layout, strides, dilations = setting.layout, setting.strides, setting.dilations
        fixed = node.outputs[0].dims
        if fixed is not None and None in fixed:
            fixed = None
        minimal, products = minimal_filtering(setting, adjoint=True), window_products(setting)

        def scatter(sizes, weights, gradient):
            sizes = fixed or (sizes.shape if like else sizes.tolist())
            gradient, filters = layout.enter(gradient), setting.filters(weights)
            spatial, windows, counts = layout.sizes(sizes), filters.shape[2:], gradient.shape[2:]
            setting.require_result(spatial, windows, counts)
            setting.require_batch_and_depth(
                sizes[0], gradient, filters.shape[0], "BackpropInput" if rank == 4 else "BackpropInputOp"
            )
            if not (gradient.numel() and filters.numel()):
                # torch takes no empty filters.
                return gradient.new_zeros(tuple(sizes))
            paddings = setting.paddings(spatial, windows)
            if minimal is not None:
                # The adjoint is a convolution, too: by filters whose windows are turned around.
                adjoint = [(2 - before, 2 - after) for before, after in paddings]
                leaving = layout.leave(gradient)
                if minimal.pays(leaving, adjoint):
                    turned = minimal.turned(weights.flip(0, 1).transpose(2, 3))
                    result = None if turned is None else minimal.convolve(leaving, turned, None, adjoint)
                    if result is not None:
                        return result
            if products is not None:
                result = products.scatter(sizes, weights, layout.leave(gradient), paddings)
                if result is not None:
                    return result
            both, rest = split_padding(paddings)
            # What the windows left over at the end, which their count does not tell.
            left = [
                size + before + after - (window - 1) * dilation - 1 - (count - 1) * stride
                for size, (before, after), window, count, stride, dilation in zip(
                    spatial, paddings, windows, counts, strides, dilations, strict=True
                )
            ]
            groups = setting.groups(sizes[layout.channel], weights.shape[-2])
            result = transposed_in_torch(gradient, filters, None, strides, both, left, groups, dilations)
            if rest is not None:
                for axis, (size, (before, after)) in enumerate(zip(spatial, paddings, strict=True), 2):
                    if before != after:
                        result = result.narrow(axis, before - min(before, after), size)
            return layout.leave(result)

        return scatter

    return kernel


def filter_gradient_kernel(rank: int, depthwise: bool = False, like: bool = False) -> Callable[..., Any]:
    """The kernel rule of the gradient with respect to the filter; `like`: it takes a tensor of that shape, not the shape."""
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
        runners = _runners(setting)

        def correlate(x, sizes, gradient):
            sizes = fixed or (sizes.shape if like else sizes.tolist())
            x, gradient = layout.enter(x), layout.enter(gradient)
            windows = sizes[: rank - 2]
            setting.require_result(x.shape[2:], windows, gradient.shape[2:])
            depth = sizes[-1] * sizes[-2] if depthwise else sizes[-1]
            setting.require_batch_and_depth(
                x.shape[0], gradient, depth, "BackpropFilter" if rank == 4 else "BackpropFilterOp"
            )
            if not (gradient.numel() and x.numel() and math.prod(sizes)):
                # torch takes no empty filters.
                return x.new_zeros(tuple(sizes))
            if runners:
                paddings = setting.paddings(x.shape[2:], windows)
                image = layout.leave(x)
                for runner in runners:
                    if runner.pays(image, paddings):
                        filtered = runner.correlate(image, layout.leave(gradient), paddings)
                        if filtered is not None:
                            return filtered
            groups = setting.groups(x.shape[1], sizes[-2])
            both, rest = setting.split or split_padding(setting.paddings(x.shape[2:], windows))
            if rest is not None:
                x = torch.constant_pad_nd(x, rest)
            filters = x.new_empty(setting.filter_sizes(sizes)) if model is None else model
            result = backward(gradient, x, filters, None, strides, both, dilations, False, none, groups, ours)[1]
            # The gradient of a variable is to lie in memory as the variable does, for optimizers that run over both.
            if not depthwise:
                return result.permute(setting.filter_order_back).contiguous()
            return result.reshape(*sizes[-2:], *windows).permute(setting.depthwise_order_back).contiguous()

        return correlate

    return kernel


def by_rows(
    general: Callable[..., Any], method: str, image: Callable[[Any], Any], weights: Callable[[Any], Any]
) -> Callable[..., Any]:
    """The kernel `general`, or the `method` of `Rows` where the filter is as wide as the image."""

    def kernel(node):
        value, filters, otherwise = image(node).dims, weights(node).dims, general(node)
        rows = rows_of(ConvolutionSetting(node, 4, False, value, filters), value, filters)
        return otherwise if rows is None else getattr(rows, method)(otherwise)

    return kernel
