"""How images are convolved with packed filters: kernels of the ops that the planner makes of convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from headrace.core.buffers import VariableBuffer, want_versions
from headrace.core.tensor import Tensor
from headrace.devices import onednn
from headrace.kernels.nn.convolutions import ConvolutionSetting
from headrace.kernels.nn.minimal_filtering import minimal_filtering
from headrace.kernels.nn.pointwise import pointwise_convolution
from headrace.kernels.nn.runner_convolution import ACTIVATIONS, RunnerConvolution
from headrace.kernels.nn.window_products import window_products
from headrace.kernels.nn.windows import split_padding

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

# Computes filters and bias from the buffers of the variables they depend on.
FiltersAndBias = Callable[[Sequence[VariableBuffer]], tuple[torch.Tensor, torch.Tensor | None]]
PackedKernelRule = Callable[..., Callable[..., torch.Tensor]]


class _Packed(NamedTuple):
    """Filters and bias as they were at some versions of the buffers."""

    versions: list[int]
    filters: Tensor
    bias: torch.Tensor | None
    groups: int


class _Turned(NamedTuple):
    """The same, for the native runner."""

    versions: list[int]
    filters: torch.Tensor
    bias: torch.Tensor | None


class _NativeConvolution:
    """A packed convolution that the native runner computes, where that pays."""

    def __init__(
        self,
        native: RunnerConvolution,
        setting: ConvolutionSetting,
        compute: FiltersAndBias,
        activation: str,
    ) -> None:
        self._native, self._setting, self._compute, self._activation = native, setting, compute, activation
        self._turned: _Turned | None = None

    def convolve(
        self, image: torch.Tensor, buffers: Sequence[VariableBuffer], versions: list[int]
    ) -> torch.Tensor | None:
        native, setting, turned = self._native, self._setting, self._turned
        paddings = setting.paddings(image.shape[1:3], setting.windows)
        if not native.pays(image, paddings):
            return None
        if turned is None or turned.versions != versions:
            filters, bias = self._compute(buffers)
            ready = native.turned(filters)
            if ready is None:
                return None
            turned = self._turned = _Turned(versions, ready, bias)
        return native.convolve(image, turned.filters, turned.bias, paddings, self._activation)


def _native_convolutions(
    setting: ConvolutionSetting, compute: FiltersAndBias, activation: str
) -> list[_NativeConvolution]:
    """The ways of the native runner: the first that pays is to be taken."""
    runners = (
        minimal_filtering(setting, keeps_filters=True),
        pointwise_convolution(setting),
        window_products(setting),
    )
    return [_NativeConvolution(runner, setting, compute, activation) for runner in runners if runner is not None]


def packed_convolution(depthwise: bool) -> PackedKernelRule:
    """The kernel rule of packed convolutions: of a node, and of the node whose filters these are if it is another."""

    def kernel(node: NodeView, described: NodeView | None = None) -> Callable[..., torch.Tensor]:
        described = node if described is None else described
        attrs = described.attrs
        compute: FiltersAndBias = described.notes["filters_and_bias"]
        setting = ConvolutionSetting(node, 4, depthwise, node.inputs[0].dims, described.notes["filter_dims"])
        strides, dilations, windows = setting.strides, setting.dilations, setting.windows
        to, back = setting.layout.to_torch, setting.layout.from_torch
        activation, adds = ACTIVATIONS.get(attrs["activation"]), attrs["others"]
        activate = None if adds else activation
        split, none = setting.split, ()
        convolve = onednn.convolve
        assert convolve is not None  # else there is no such node
        want_versions()
        packed: _Packed | None = None
        natives = _native_convolutions(setting, compute, "" if adds else attrs["activation"])

        def pack(
            versions: list[int], buffers: Sequence[VariableBuffer], x: torch.Tensor, both: Sequence[int]
        ) -> _Packed:
            filters, bias = compute(buffers)
            groups = setting.groups(x.shape[1], filters.shape[-2])
            filters = onednn.packed_filters(setting.filters(filters), both, strides, dilations, groups, x.shape)
            return _Packed(versions, filters, bias, groups)

        def nothing(image: torch.Tensor, buffers: Sequence[VariableBuffer]) -> torch.Tensor:
            filters, _ = compute(buffers)
            setting.groups(image.permute(to).shape[1], filters.shape[-2])
            return setting.nothing(image, filters)

        def convolve_packed(image: torch.Tensor, *buffers: VariableBuffer) -> torch.Tensor:
            nonlocal packed
            # Before the buffers are read: what is written meanwhile is noticed at the next call.
            versions = [buffer.version for buffer in buffers]
            for native in natives:
                y = native.convolve(image, buffers, versions)
                if y is not None:
                    return y
            x = image.permute(to)
            both, rest = split or split_padding(setting.paddings(x.shape[2:], windows))
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

        def convolve_and_add(x: torch.Tensor, *buffers_and_other: Any) -> torch.Tensor:
            *buffers, other = buffers_and_other
            y = convolve_packed(x, *buffers)
            y = y.add_(other) if other.shape == y.shape else y + other
            return y if activation is None else activation(y)

        return convolve_and_add if adds else convolve_packed

    return kernel
