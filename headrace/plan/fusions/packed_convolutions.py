"""Convolutions by filters that the step does not change: what follows along the channels goes into filters and bias."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from headrace.core import multiply_adds
from headrace.core.buffers import VariableBuffer
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.devices import onednn
from headrace.kernels.nn.packed_convolutions import FiltersAndBias, packed_convolution
from headrace.kernels.nn.runner_convolution import ACTIVATIONS
from headrace.plan.frozen import FrozenComputation, FrozenValues, written_buffers
from headrace.plan.fusion import API, CPU, Fetches, Fusion, tensor, variable
from headrace.plan.ir import ADDITIONS, Node, Value, consumers_of, new_node

_SIGNATURE = (
    "input: T, variables: *Tvariables, other: others * T, *, T: {float}, Tvariables: list(type), others: int, "
    "activation: {'', 'Relu', 'Relu6'} = '' -> output: T"
)

# They take the image, the buffers that filters and bias are computed from, and perhaps an
# image that is added to the result. How filters and bias are computed is a function in the node's notes; it gives
# the same while no buffer has changed.
packed_conv2d_op = op("_PackedConv2D", _SIGNATURE).work(multiply_adds.convolution())
packed_depthwise_op = op("_PackedDepthwiseConv2dNative", _SIGNATURE).work(multiply_adds.convolution(depthwise=True))
packed_conv2d_op.kernel(packed_convolution(depthwise=False))
packed_depthwise_op.kernel(packed_convolution(depthwise=True))


_PACKED = {"Conv2D": "_PackedConv2D", "DepthwiseConv2dNative": "_PackedDepthwiseConv2dNative"}
_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_SUMS = ADDITIONS | {"BiasAdd"}
_POOLS = frozenset({"MaxPool"})


def pack_convolutions(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Relu(FusedBatchNorm(Conv2D(x, w), …) + y) and the like become `_PackedConv2D(x, *variables, y)`.

    Filters and all that is done to the channels must be frozen: known, or computed from variables that this plan does
    not write.
    """
    if not onednn.has_onednn() or not any(node.type in _PACKED for node in nodes):
        return nodes, {}
    written = written_buffers(nodes)
    frozen = FrozenValues(written)
    consumers = consumers_of(nodes)
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    packed: dict[Node, Node] = {}
    used: set[Node] = set()
    for node in nodes:
        if node.type in _PACKED and node not in keep and _can_be_packed(node, frozen):
            last: Node = node
            steps: list[_Step] = []
            while last.type not in ACTIVATIONS:
                step = _next_step(last, node, consumers, wanted, keep, frozen)
                # Of two convolutions that are added one takes the result of the other.
                if step is None or step.node in used or (_other(steps) and step.node.type not in ACTIVATIONS):
                    break
                used.add(step.node)
                steps.append(step)
                last = step.node
            packed[last] = _packed(node, last, steps)
            replaced[last.outputs[0]] = packed[last].outputs[0]
    return [packed.get(node, node) for node in nodes], replaced


def _can_be_packed(node: Node, frozen: FrozenValues) -> bool:
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
        and frozen.has(filters)
    )


class _Step:
    """What one node does to the result, mostly to each channel.

    Attributes:
        node: the node.
        operands: the frozen values it takes besides.
        other: the image that it adds, if it does that.
    """

    def __init__(self, node: Node, operands: Sequence[Value], other: Value | None = None) -> None:
        self.node, self.operands, self.other = node, list(operands), other

    def apply(
        self, scale: torch.Tensor | None, bias: torch.Tensor | None, operands: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Scale and bias with it, from those before it; None where there is none.

        Batch normalization goes into them as in Jacob et al., arXiv:1712.05877, section 3.2.
        """
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
    consumers: dict[Value, list[Node]],
    fetched: set[Value],
    keep: set[Node],
    frozen: FrozenValues,
) -> _Step | None:
    """What the only consumer of what `last` makes does, if that can go into filters and bias."""
    value = last.outputs[0]
    consuming = consumers.get(value, [])
    if value in fetched or len(consuming) != 1:
        return None
    node = consuming[0]
    if node.control or node in keep or node.guard != convolution.guard or node.device != convolution.device:
        return None
    if node.type in ACTIVATIONS:
        # After a pool there is less to rectify.
        after = consumers.get(node.outputs[0], [])
        pooled = len(after) == 1 and after[0].type in _POOLS and node.outputs[0] not in fetched
        return None if pooled else _Step(node, [])
    dims = convolution.outputs[0].dims
    channels = None if dims is None else dims[-1]
    if node.type in _NORMS:
        if node.attrs["is_training"] or node.attrs["data_format"] != "NHWC" or node.inputs[0] is not value:
            return None
        if any(output in fetched or consumers.get(output) for output in node.outputs[1:]):
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
        if node.type in ADDITIONS and not (fits and frozen.has(operands[0])):
            return _Step(node, [], operands[0])
    else:
        return None
    if not fits or not all(frozen.has(operand) for operand in operands):
        return None
    return _Step(node, operands)


def _along_channels(value: Value, channels: int | None) -> bool:
    dims = value.dims
    return dims is not None and 0 < len(dims) <= 4 and dims[-1] == channels and all(size == 1 for size in dims[:-1])


def _packed(convolution: Node, last: Node, steps: Sequence[_Step]) -> Node:
    filters = convolution.inputs[1]
    computation = FrozenComputation([filters, *(operand for step in steps for operand in step.operands)])
    output = last.outputs[0]
    attrs = {
        **convolution.attrs,
        "activation": last.type if last.type in ACTIVATIONS else "",
    }
    notes = {"filter_dims": filters.dims, "filters_and_bias": _filters_and_bias(computation, steps)}
    other = _other(steps)
    attrs["others"] = len(other)
    inputs = [convolution.inputs[0], *computation.sources, *other]
    return new_node(_PACKED[convolution.type], last, inputs, [(output.dtype, output.dims)], attrs, notes)


def _other(steps: Sequence[_Step]) -> list[Value]:
    """The image that is added to the result, in a list."""
    return [step.other for step in steps if step.other is not None]


def _filters_and_bias(computation: FrozenComputation, steps: Sequence[_Step]) -> FiltersAndBias:
    def compute(buffers: Sequence[VariableBuffer]) -> tuple[torch.Tensor, torch.Tensor | None]:
        filters, *operands = computation.compute(buffers)
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


fusion = Fusion(
    "pack the filters of convolutions that stay the same from step to step, with what follows along the channels",
    pack_convolutions,
    [_PACKED.keys()],
    makes=[packed_conv2d_op, packed_depthwise_op],
    devices={CPU},
)
_STEPS = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_IMAGE = tensor("batch", 5, 6, 3)


@fusion.example(_IMAGE, variable(3, 3, 3, 4), variable(4), makes=["_PackedConv2D"])
def bias_and_activation(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w, **_STEPS), b))


@fusion.example(_IMAGE, variable(1, 1, 3, 4), variable(4), variable(4, low=0.1), makes=["_PackedConv2D"])
def normalized(tf: API, x: Tensor, w: Tensor, mean: Tensor, variance: Tensor) -> Fetches:
    y = tf.nn.conv2d(x, w, **_STEPS)
    scale, offset = tf.fill([4], 1.5), tf.fill([4], 0.5)
    return tf.nn.relu6(tf.nn.fused_batch_norm(y, scale, offset, mean, variance, is_training=False)[0])


@fusion.example(_IMAGE, variable(3, 3, 3, 3), makes=["_PackedConv2D"])
def added_to_the_image(tf: API, x: Tensor, w: Tensor) -> Fetches:
    return tf.nn.relu(x + tf.nn.conv2d(x, w, **_STEPS))


@fusion.example(_IMAGE, variable(3, 3, 3, 2), variable(6), makes=["_PackedDepthwiseConv2dNative"])
def each_channel_by_itself(tf: API, x: Tensor, w: Tensor, scale: Tensor) -> Fetches:
    return scale * tf.nn.depthwise_conv2d(x, w, **_STEPS)
