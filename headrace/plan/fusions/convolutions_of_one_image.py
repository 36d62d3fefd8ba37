"""Several convolutions of one image, as at the head of a module with branches: done in one call where they are small."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.multiply_adds import convolution
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.nn.convolutions import ConvolutionSetting
from headrace.kernels.nn.packed_convolutions import FiltersAndBias, packed_convolution
from headrace.kernels.nn.pointwise import pointwise_convolution
from headrace.plan.fusion import API, CPU, Fetches, Fusion, tensor, variable
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


packed_conv2ds_op = op(
    "_PackedConv2Ds",
    "input: T, variables: *Tvariables, *, N: int >= 2, T: {float}, Tvariables: list(type), channels: list(int), "
    "counts: list(int), others: int, activation: {'', 'Relu', 'Relu6'} = '' -> output: N * T",
).work(convolution())
# Up to as many numbers, results that lie interleaved are quicker than results by themselves: who needs them in a row
# has to copy them.
_INTERLEAVED = 250_000


@packed_conv2ds_op.kernel
def packed_conv2ds_kernel(node: NodeView) -> Callable[..., Sequence[torch.Tensor]]:
    """All in one call, or one by one where the results are large or the runner computes them."""
    channels, counts = node.attrs["channels"], node.attrs["counts"]
    packed_kernel = packed_convolution(depthwise=False)
    together = packed_kernel(node)
    ends = list(itertools.accumulate(counts))
    apart = [
        (packed_kernel(node, member), end - count, end)
        for member, count, end in zip(node.notes["members"], counts, ends, strict=True)
    ]
    most = _INTERLEAVED // sum(channels)
    runner = pointwise_convolution(ConvolutionSetting(node, 4, False, node.inputs[0].dims, node.notes["filter_dims"]))

    def convolve(image: torch.Tensor, *buffers: VariableBuffer) -> Sequence[torch.Tensor]:
        by_runner = runner is not None and runner.pays(image, ())
        if by_runner or image.shape[0] * image.shape[1] * image.shape[2] > most:
            return tuple([single(image, *buffers[start:end]) for single, start, end in apart])
        parts: Sequence[torch.Tensor] = together(image, *buffers).split(channels, -1)
        return parts

    return convolve


_SAME = ("strides", "padding", "dilations", "data_format", "explicit_paddings", "activation")


def share_images(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Several `_PackedConv2D` with windows of the same size over one image become one `_PackedConv2Ds`."""
    groups: dict[Hashable, list[Node]] = {}
    for node in nodes:
        if node.type == "_PackedConv2D" and _can_share(node) and node not in keep:
            window = tuple(node.notes["filter_dims"][:-1])
            setting = tuple(str(node.attrs.get(name)) for name in _SAME)
            guard = tuple(node.guard)
            groups.setdefault((node.inputs[0], window, setting, guard, node.device, node.early), []).append(node)
    replaced: dict[Value, Value] = {}
    instead: dict[Node, Node | None] = {}
    for members in groups.values():
        if len(members) > 1:
            together = _together(members)
            for member, output in zip(members, together.outputs, strict=True):
                replaced[member.outputs[0]] = output
                instead[member] = None
            instead[members[0]] = together
    if not instead:
        return nodes, {}
    return [new for node in nodes if (new := instead.get(node, node)) is not None], replaced


def _can_share(node: Node) -> bool:
    image = node.inputs[0].dims
    # Filters of groups of channels cannot be put side by side.
    all_channels = image is not None and image[-1] == node.notes["filter_dims"][-2]
    return all_channels and not node.attrs["others"] and not node.control


def _together(members: Sequence[Node]) -> Node:
    first = members[0]
    counts = [len(member.inputs) - 1 for member in members]
    channels = [member.notes["filter_dims"][-1] for member in members]
    attrs = {
        **first.attrs,
        "N": len(members),
        "channels": channels,
        "counts": counts,
    }
    notes = {
        "filter_dims": (*first.notes["filter_dims"][:-1], sum(channels)),
        "filters_and_bias": _joined([member.notes["filters_and_bias"] for member in members], counts),
        "members": members,
    }
    inputs = [first.inputs[0], *(value for member in members for value in member.inputs[1:])]
    outputs = [(member.outputs[0].dtype, member.outputs[0].dims) for member in members]
    return new_node("_PackedConv2Ds", first, inputs, outputs, attrs, notes)


def _joined(parts: Sequence[FiltersAndBias], counts: Sequence[int]) -> FiltersAndBias:
    """What computes the filters of all, side by side, and the bias of all."""

    def compute(buffers: Sequence[VariableBuffer]) -> tuple[torch.Tensor, torch.Tensor | None]:
        found = []
        start = 0
        for part, count in zip(parts, counts, strict=True):
            found.append(part(buffers[start : start + count]))
            start += count
        filters = torch.cat([filters for filters, _ in found], -1)
        if all(bias is None for _, bias in found):
            return filters, None
        biases = [filters.new_zeros(filters.shape[-1]) if bias is None else bias for filters, bias in found]
        return filters, torch.cat(biases)

    return compute


fusion = Fusion(
    "compute convolutions of one image with windows of one size in one call",
    share_images,
    [{"_PackedConv2D"}],
    makes=[packed_conv2ds_op],
    devices={CPU},
)


@fusion.example(tensor("batch", 5, 6, 3), variable(1, 1, 3, 4), variable(1, 1, 3, 2))
def two_branches(tf: API, x: Tensor, v: Tensor, w: Tensor) -> Fetches:
    steps = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    return [tf.nn.relu(tf.nn.conv2d(x, filters, **steps)) for filters in (v, w)]
