"""Folding fused batch normalisation into the weights of the layer before it: arXiv:1712.05877, section 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from headrace.contrib.quantize.corrections import NO_CORRECTIONS, Statistics, corrections
from headrace.contrib.quantize.patterns import Match, OneOf, Op, op_of, tensor_of
from headrace.contrib.quantize.rewiring import reroute
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import float32
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import RegisterGradient
from headrace.core.tensor import Tensor
from headrace.functions.nn.convolution_functions import conv2d
from headrace.functions.nn.separable_functions import depthwise_conv2d
from headrace.kernels.composing import matmul
from headrace.kernels.composing.shapes import size
from headrace.ops.array.shape import reshape
from headrace.ops.array.space import batch_to_space_nd
from headrace.ops.math.binary import add, multiply, subtract
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import rsqrt

_GRADIENT = "FoldFusedBatchNormGrad"


class _Layer(NamedTuple):
    op: Operation
    normalization: Operation
    output: Tensor
    input: Tensor
    weights: Tensor
    beta: Tensor
    statistics: Statistics
    to_batch: Operation | None


class _Patterns:
    """A layer, perhaps dilated, then fused batch normalisation; around that of a matrix product, reshapes."""

    def __init__(self) -> None:
        any_ = lambda: Op("*")  # noqa: E731
        self.input, self.weights, self.gamma, self.beta, self.mean, self.variance = (any_() for _ in range(6))
        self.layer = Op("Conv2D DepthwiseConv2dNative MatMul", self.input, self.weights)
        self.to_batch = Op("BatchToSpaceND", self.layer, any_(), any_())
        with_identity = Op("Identity", OneOf(self.to_batch, self.layer))
        made = OneOf(with_identity, self.layer, self.to_batch)
        self.normalization = Op(
            "FusedBatchNorm FusedBatchNormV3",
            OneOf(Op("Reshape", made, any_()), made),
            *(self.gamma, self.beta, self.mean, self.variance),
        )
        self.reshaped = Op("Reshape", self.normalization, any_())
        self.whole = OneOf(self.reshaped, self.normalization)


def fold_fused(graph: Graph, freeze_delay: int | None) -> None:
    """Folds every fused batch normalisation that follows a layer; which are training, their operations say.

    Args:
        graph: the graph, the default one.
        freeze_delay: after how many steps batch statistics are frozen, None for never.

    Raises:
        ValueError: if what a layer made was not used; TypeError: as `corrections`.
    """
    for layer in list(_layers(graph)):
        _fold(layer, graph, freeze_delay)


def _layers(graph: Graph) -> Iterator[_Layer]:
    patterns, seen = _Patterns(), set()
    for found in patterns.whole.in_graph(graph):
        layer = _layer_of(found, patterns, graph)
        if layer is not None and layer.op not in seen:
            seen.add(layer.op)
            yield layer


def _layer_of(found: Match, patterns: _Patterns, graph: Graph) -> _Layer | None:
    op, normalization = found[patterns.layer][0], found[patterns.normalization][0]
    output = normalization.outputs[0]
    if op.type == "MatMul":
        reshaped = op_of(found, patterns.reshaped)
        if reshaped is None:
            return None
        output = reshaped.outputs[0]
    if not output.consumers():
        return None
    get = lambda pattern: tensor_of(found, pattern)  # noqa: E731
    epsilon = normalization.get_attr("epsilon")
    if normalization.get_attr("is_training"):
        statistics = _of_batch(normalization, get(patterns.layer), get(patterns.gamma), epsilon, graph)
    else:
        moving = get(patterns.mean), get(patterns.variance)
        statistics = Statistics(get(patterns.gamma), *moving, None, None, None, None, epsilon)
    return _Layer(
        op,
        normalization,
        output,
        op.inputs[0],
        op.inputs[1],
        normalization.inputs[2],
        statistics,
        op_of(found, patterns.to_batch),
    )


def _of_batch(normalization: Operation, layer: Any, gamma: Any, epsilon: float, graph: Graph) -> Statistics:
    """The statistics of a training step, the variance without the correction for small batches."""
    normalization._set_attr("_gradient_op_type", _GRADIENT)
    mean, unbiased = normalization.outputs[1:3]
    scope, slash, _ = normalization.name.rpartition("/")
    with get_default_graph().name_scope(scope + slash):
        count = cast(size(layer) / size(mean), float32)
        variance = multiply(unbiased, (count - 1) / count, name="Undo_Bessel_Correction")
    moving: dict[Tensor, tuple[Tensor, Tensor]] = {}
    for op in graph.get_operations():
        # An update of a moving average: (average - statistic) * decay.
        if op.type == "Mul":
            difference = op.inputs[0].op
            if difference.type == "Sub" and difference.inputs[1] in (mean, unbiased):
                moving[difference.inputs[1]] = difference.inputs[0], op.inputs[1]
    (moving_mean, mean_decay), (moving_variance, variance_decay) = (
        moving.get(mean, (None, None)),
        moving.get(unbiased, (None, None)),
    )
    return Statistics(gamma, mean, variance, moving_mean, moving_variance, mean_decay, variance_decay, epsilon)


def _fold(layer: _Layer, graph: Graph, freeze_delay: int | None) -> None:
    s = layer.statistics
    scope, slash, _ = layer.op.name.rpartition("/")
    with graph.name_scope(scope + slash):
        with graph.name_scope(f"{scope}{slash}BatchNorm_Fold/"):
            multiplier = s.gamma * rsqrt(s.variance + s.epsilon)
            bias = subtract(layer.beta, s.mean * multiplier, name="bias")
            correct = NO_CORRECTIONS
            if layer.normalization.get_attr("is_training"):
                correct = corrections("", s, freeze_delay)
            factor = correct.scale
            if layer.op.type == "DepthwiseConv2dNative":
                channels = layer.weights.shape.as_list()[2:]
                multiplier = reshape(multiplier, channels, name="scale_reshape")
                if factor is not None:
                    factor = reshape(factor, channels, name="correction_reshape")
        weights = layer.weights
        if factor is not None:
            weights = multiply(factor, weights, name="correction_mult")
        made = _same_layer(layer, multiply(weights, multiplier, name="mul_fold"))
        if correct.reciprocal is not None:
            made = multiply(correct.reciprocal, made, name="post_conv_mul")
            made = add(made, correct.offset, "correction_add")
        made = add(made, bias, name="add_fold")
    if not reroute(made, layer.output):
        raise ValueError(f"Folding batch norms failed, {layer.output.name} had no outputs.")


def _same_layer(layer: _Layer, weights: Tensor) -> Tensor:
    name = layer.op.name.rpartition("/")[2] + "_Fold"
    made = layer_like(layer.op, layer.input, weights, name)
    if layer.op.type == "DepthwiseConv2dNative" and layer.to_batch is not None:
        to_batch = layer.op.outputs[0].consumers()[0]
        name = to_batch.name.rpartition("/")[2] + "_Fold"
        made = batch_to_space_nd(made, to_batch.inputs[1], to_batch.inputs[2], name=name)
    return made


def layer_like(op: Operation, inputs: Tensor, weights: Tensor, name: str) -> Tensor:
    """The result of a layer as `op` is, of another input and other weights."""
    if op.type == "MatMul":
        transposed = {key: op.get_attr(key) for key in ("transpose_a", "transpose_b")}
        return matmul(inputs, weights, **transposed, name=name)
    strides, padding = op.get_attr("strides"), op.get_attr("padding").decode()
    if op.type == "Conv2D":
        return conv2d(
            inputs,
            weights,
            strides=strides,
            padding=padding,
            use_cudnn_on_gpu=op.get_attr("use_cudnn_on_gpu"),
            data_format=op.get_attr("data_format").decode(),
            name=name,
        )
    return depthwise_conv2d(inputs, weights, strides=strides, padding=padding, name=name)


@RegisterGradient(_GRADIENT)
def _statistics_gradient(op: Operation, _: Tensor, grad_mean: Tensor, grad_variance: Tensor, *rest: Any) -> list[Any]:
    """The gradient of mean and variance; the normalised values themselves are no longer used."""
    x = op.inputs[0]
    count = cast(size(x) / size(grad_mean), float32)
    of_mean = grad_mean / count
    of_variance = 2 * grad_variance * (x - op.outputs[1]) / (count - 1)
    return [of_mean + of_variance, None, None, None, None]
