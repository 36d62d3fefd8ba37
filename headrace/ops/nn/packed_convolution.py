"""Convolutions by filters that stay the same from step to step: kept in the order that the kernels want them in."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from headrace.core.buffers import want_versions
from headrace.core.registry import op
from headrace.ops.nn.convolution import ConvolutionSetting
from headrace.ops.nn.windows import split_padding

_SIGNATURE = (
    "input: T, variables: *Tvariables, other: others * T, *, T: {float}, Tvariables: list(type), others: int, "
    "activation: {'', 'Relu', 'Relu6'} = '' -> output: T"
)

# Only the planner makes them. They take the image, the buffers that filters and bias are computed from, and perhaps an
# image that is added to the result. How filters and bias are computed is a function in the node's notes; it gives
# the same while no buffer has changed.
packed_conv2d_op = op("_PackedConv2D", _SIGNATURE)
packed_depthwise_op = op("_PackedDepthwiseConv2dNative", _SIGNATURE)

# Several at once, of one image and with windows of one size, for the planner too.
packed_conv2ds_op = op(
    "_PackedConv2Ds",
    "input: T, variables: *Tvariables, *, N: int >= 2, T: {float}, Tvariables: list(type), channels: list(int), "
    "counts: list(int), others: int, activation: {'', 'Relu', 'Relu6'} = '' -> output: N * T",
)
# Up to as many numbers, results that lie interleaved are quicker than results by themselves: who needs them in a row
# has to copy them.
_INTERLEAVED = 250_000

# The kernels can rectify themselves, but make 0 of what is not a number.
_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "Relu": torch.relu_,
    "Relu6": lambda x: torch.clamp_(x, 0.0, 6.0),
}


class _Packed:
    """Filters and bias as they were at some versions of the buffers."""

    __slots__ = ("bias", "filters", "groups", "versions")

    def __init__(self, versions: list[int], filters: Any, bias: Any, groups: int) -> None:
        self.versions, self.filters, self.bias, self.groups = versions, filters, bias, groups


def _packed_convolution(depthwise: bool) -> Any:
    def kernel(node, described=None):
        described = node if described is None else described
        attrs, compute = described.attrs, described.notes["filters_and_bias"]
        setting = ConvolutionSetting(node, 4, depthwise, node.inputs[0].dims, described.notes["filter_dims"])
        strides, dilations, windows = setting.strides, setting.dilations, setting.windows
        to, back = setting.layout.to_torch, setting.layout.from_torch
        activation, adds = _ACTIVATIONS.get(attrs["activation"]), attrs["others"]
        activate = None if adds else activation
        convolve = torch.ops.mkldnn._convolution_pointwise.default
        split, none = setting.split, ()
        want_versions()
        packed = None

        def pack(versions, buffers, x, both):
            filters, bias = compute(buffers)
            groups = setting.groups(x.shape[1], filters.shape[-2])
            filters = setting.filters(filters).contiguous().to_mkldnn()
            reorder = torch._C._nn.mkldnn_reorder_conv2d_weight
            filters = reorder(filters, both, strides, dilations, groups, list(x.shape))
            return _Packed(versions, filters, bias, groups)

        def nothing(image, buffers):
            filters, _ = compute(buffers)
            setting.groups(image.permute(to).shape[1], filters.shape[-2])
            return setting.nothing(image, filters)

        def convolve_packed(image, *buffers):
            nonlocal packed
            # Before the buffers are read: what is written meanwhile is noticed at the next call.
            versions = [buffer.version for buffer in buffers]
            x = image.permute(to)
            both, rest = split or split_padding(setting.amounts(x.shape[2:], windows))
            if rest is not None:
                x = torch.constant_pad_nd(x, rest)
            if not x.numel():
                filters, bias = compute(buffers)
                groups = setting.groups(x.shape[1], filters.shape[-2])
                try:
                    y = torch.conv2d(x, setting.filters(filters), bias, strides, both, dilations, groups)
                except RuntimeError:
                    return nothing(image, buffers)
            else:
                try:
                    ready = packed
                    if ready is None or ready.versions != versions:
                        ready = packed = pack(versions, buffers, x, both)
                    y = convolve(
                        x, ready.filters, ready.bias, both, strides, dilations, ready.groups, "none", none, None
                    )
                except RuntimeError:
                    return nothing(image, buffers)
            y = y.permute(back)
            return y if activate is None else activate(y)

        def convolve_and_add(x, *buffers_and_other):
            *buffers, other = buffers_and_other
            y = convolve_packed(x, *buffers)
            y = y.add_(other) if other.shape == y.shape else y + other
            return y if activation is None else activation(y)

        return convolve_and_add if adds else convolve_packed

    return kernel


_convolution = packed_conv2d_op.kernel(_packed_convolution(depthwise=False))
packed_depthwise_op.kernel(_packed_convolution(depthwise=True))


@packed_conv2ds_op.kernel
def packed_conv2ds_kernel(node):
    """All in one call, or one by one where the results are large."""
    channels, counts = node.attrs["channels"], node.attrs["counts"]
    together = _convolution(node)
    ends = list(itertools.accumulate(counts))
    apart = [
        (_convolution(node, member), end - count, end)
        for member, count, end in zip(node.notes["members"], counts, ends, strict=True)
    ]
    most = _INTERLEAVED // sum(channels)

    def convolve(image, *buffers):
        if image.shape[0] * image.shape[1] * image.shape[2] > most:
            return tuple([single(image, *buffers[start:end]) for single, start, end in apart])
        return together(image, *buffers).split(channels, -1)

    return convolve
