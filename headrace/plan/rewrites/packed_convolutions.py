"""Convolutions by filters that the step does not change: what follows along the channels goes into filters and bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from headrace.core.buffers import VariableBuffer
from headrace.plan.ir import Node, Value, new_node
from headrace.plan.rewrites.settled import Recipe, Settled, written_buffers

_CONVOLUTIONS = frozenset({"Conv2D", "DepthwiseConv2dNative"})
_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_PLAIN_SUMS = frozenset({"Add", "AddV2"})
_SUMS = frozenset({*_PLAIN_SUMS, "BiasAdd"})
_ACTIVATIONS = frozenset({"Relu", "Relu6"})
_POOLS = frozenset({"MaxPool"})


def pack_convolutions(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Relu(FusedBatchNorm(Conv2D(x, w), …) + y) and the like become `_PackedConv2D(x, *variables, y)`.

    Filters and all that is done to the channels must be settled: known, or computed from variables that this plan does
    not write.
    """
    if not torch.backends.mkldnn.is_available() or not any(node.type in _CONVOLUTIONS for node in nodes):
        return nodes, {}
    written = written_buffers(nodes)
    settled = Settled(written)
    takers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            takers.setdefault(value, []).append(node)
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    packed: dict[Node, Node] = {}
    taken: set[Node] = set()
    for node in nodes:
        if node.type in _CONVOLUTIONS and node not in keep and _can_be_packed(node, settled):
            last: Node = node
            steps: list[_Step] = []
            while last.type not in _ACTIVATIONS:
                step = _next_step(last, node, takers, wanted, keep, settled)
                # Of two convolutions that are added one takes the result of the other.
                if step is None or step.node in taken or (_other(steps) and step.node.type not in _ACTIVATIONS):
                    break
                taken.add(step.node)
                steps.append(step)
                last = step.node
            packed[last] = _packed(node, last, steps)
            replaced[last.outputs[0]] = packed[last].outputs[0]
    return [packed.get(node, node) for node in nodes], replaced


def _can_be_packed(node: Node, settled: Settled) -> bool:
    image, filters = node.inputs
    dims, image_dims = filters.dims, image.dims
    return (
        not node.control
        and node.device.type == "cpu"
        and node.attrs["data_format"] == "NHWC"
        and image.dtype.name == "float32"
        and dims is not None
        and None not in dims
        and 0 not in dims
        and image_dims is not None
        and image_dims[-1] is not None
        and all(node.attrs[name][axis] == 1 for name in ("strides", "dilations") for axis in (0, 3))
        and settled.has(filters)
    )


class _Step:
    """What one node does to the result, mostly to each channel.

    Attributes:
        node: the node.
        operands: the settled values it takes besides.
        other: the image that it adds, if it does that.
    """

    def __init__(self, node: Node, operands: Sequence[Value], other: Value | None = None) -> None:
        self.node, self.operands, self.other = node, list(operands), other

    def apply(self, scale: Any, bias: Any, operands: Sequence[Any]) -> tuple[Any, Any]:
        """Scale and bias with it, from those before it; None where there is none."""
        kind = self.node.type
        if kind in _NORMS:
            gamma, beta, mean, variance = operands
            factor = gamma * torch.rsqrt(variance + self.node.attrs["epsilon"])
            shift = beta - mean * factor
        elif kind == "Mul":
            factor, shift = operands[0].reshape(-1), None
        else:
            factor, shift = None, operands[0].reshape(-1)
            if kind == "Sub":
                shift = -shift
        if factor is not None:
            scale = factor if scale is None else scale * factor
            bias = None if bias is None else bias * factor
        if shift is not None:
            bias = shift if bias is None else bias + shift
        return scale, bias


def _next_step(
    last: Node,
    convolution: Node,
    takers: dict[Value, list[Node]],
    wanted: set[Value],
    keep: set[Node],
    settled: Settled,
) -> _Step | None:
    """What the only taker of what `last` makes does, if that can go into filters and bias."""
    value = last.outputs[0]
    taking = takers.get(value, [])
    if value in wanted or len(taking) != 1:
        return None
    node = taking[0]
    if node.control or node in keep or node.guard != convolution.guard or node.device != convolution.device:
        return None
    if node.type in _ACTIVATIONS:
        # After a pool there is less to rectify.
        after = takers.get(node.outputs[0], [])
        pooled = len(after) == 1 and after[0].type in _POOLS and node.outputs[0] not in wanted
        return None if pooled else _Step(node, [])
    channels = convolution.outputs[0].dims[-1]  # type: ignore[index]
    if node.type in _NORMS:
        if node.attrs["is_training"] or node.attrs["data_format"] != "NHWC" or node.inputs[0] is not value:
            return None
        if any(output in wanted or takers.get(output) for output in node.outputs[1:]):
            return None
        operands = node.inputs[1:]
        fits = all(operand.dims == (channels,) for operand in operands)
    elif node.type in _SUMS or node.type in ("Mul", "Sub"):
        first, second = node.inputs
        if (node.type == "Sub" or node.type == "BiasAdd") and first is not value:
            return None
        if node.attrs.get("data_format", "NHWC") != "NHWC":
            return None
        operands = [second if first is value else first]
        fits = _along_channels(operands[0], channels)
        if node.type in _PLAIN_SUMS and not (fits and settled.has(operands[0])):
            return _Step(node, [], operands[0])
    else:
        return None
    if not fits or not all(settled.has(operand) for operand in operands):
        return None
    return _Step(node, operands)


def _along_channels(value: Value, channels: int | None) -> bool:
    dims = value.dims
    return dims is not None and 0 < len(dims) <= 4 and dims[-1] == channels and all(size == 1 for size in dims[:-1])


def _packed(convolution: Node, last: Node, steps: Sequence[_Step]) -> Node:
    filters = convolution.inputs[1]
    recipe = Recipe([filters, *(operand for step in steps for operand in step.operands)])
    output = last.outputs[0]
    attrs = {
        **convolution.attrs,
        "activation": last.type if last.type in _ACTIVATIONS else "",
    }
    notes = {"filter_dims": filters.dims, "filters_and_bias": _filters_and_bias(recipe, steps)}
    other = _other(steps)
    attrs["others"] = len(other)
    inputs = [convolution.inputs[0], *recipe.sources, *other]
    return new_node(f"_Packed{convolution.type}", last, inputs, [(output.dtype, output.dims)], attrs, notes)


def _other(steps: Sequence[_Step]) -> list[Value]:
    """The image that is added to the result, in a list."""
    return [step.other for step in steps if step.other is not None]


def _filters_and_bias(recipe: Recipe, steps: Sequence[_Step]) -> Callable[[Sequence[VariableBuffer]], tuple[Any, Any]]:
    def compute(buffers: Sequence[VariableBuffer]) -> tuple[Any, Any]:
        filters, *operands = recipe.compute(buffers)
        scale = bias = None
        for step in steps:
            if step.operands:
                count = len(step.operands)
                scale, bias = step.apply(scale, bias, operands[:count])
                operands = operands[count:]
        if scale is not None:
            # The channels of the result: the last axis of filters, or the last two where each channel has its own.
            filters = filters * scale.reshape(filters.shape[-2:] if scale.numel() != filters.shape[-1] else (-1,))
        return filters, bias

    return compute
