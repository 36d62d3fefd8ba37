"""Folding batch normalisation made of single operations (arXiv:1712.05877, section 3.2), known by their names.

These are the names that `tf.contrib.layers.batch_norm(fused=False)` gives, in a scope that ends in `BatchNorm`.
"""

from __future__ import annotations

import re
from typing import Any

from headrace.contrib.quantize.corrections import NO_CORRECTIONS, Statistics, corrections
from headrace.contrib.quantize.folding import layer_like
from headrace.contrib.quantize.rewiring import SKIPPED_PREFIXES, Consumers, reroute, scope_of
from headrace.core.defaults import device
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.kernels.composing.filling import ones
from headrace.ops.array.shape import reshape
from headrace.ops.array.space import batch_to_space_nd
from headrace.ops.math.binary import add, multiply
from headrace.state.variable_scope import get_variable_scope

_BATCH_NORM = re.compile("^(.*)BatchNorm/batchnorm")
_ACTIVATIONS = ("Relu6", "Relu", "Identity")


def fold_unfused(graph: Graph, is_training: bool, freeze_delay: int | None) -> None:
    """Folds every batch normalisation that is made of single operations and used.

    Args:
        graph: the graph, the default one.
        is_training: whether it trains.
        freeze_delay: after how many steps batch statistics are frozen, None for never.

    Raises:
        KeyError: if operations do not have the expected names.
        TypeError, ValueError: if something else than a layer is normalised, or its result used otherwise than by an
            activation or a sum.
    """
    consumers = Consumers(graph)
    for prefix in _prefixes(graph):
        rsqrt = graph.get_operation_by_name(f"{prefix}BatchNorm/batchnorm_1/Rsqrt")
        scaled = sum(op.type == "Mul" for op in consumers.of(rsqrt)) == 1
        shifted = graph.get_operation_by_name(f"{prefix}BatchNorm/batchnorm_1/add_1")
        if not shifted.outputs[0].consumers():
            continue
        folded = _folded(graph, prefix, scaled, shifted, is_training, freeze_delay)
        user = _activation(graph, prefix)
        if user is None:
            scope = scope_of(prefix.rstrip("/"))
            user = graph.get_operation_by_name(f"{scope}/AddV2" if scope else "AddV2")
        if reroute(folded, shifted.outputs[0], [user]) != 1:
            raise ValueError(f"Unexpected inputs to op: {user.name}")


def _prefixes(graph: Graph) -> list[str]:
    """What stands before `BatchNorm` in the names, once for each normalisation."""
    found = [match[1] for op in graph.get_operations() if (match := _BATCH_NORM.search(op.name))]
    return [prefix for prefix in dict.fromkeys(found) if not prefix.startswith(SKIPPED_PREFIXES)]


def _activation(graph: Graph, prefix: str) -> Operation | None:
    for name in _ACTIVATIONS:
        op = graph._nodes_by_name.get(prefix + name)
        if op is not None:
            return op
    return None


def _closest(graph: Graph, suffix: str, context: str) -> Tensor | None:
    """The output of the operation whose name ends so and shares the most scopes with `context`."""
    scopes = set(context.split("/"))
    shared = {
        op.name: len(scopes.intersection(op.name.split("/")))
        for op in graph.get_operations()
        if op.name.endswith(suffix)
    }
    if context:
        shared = {name: count for name, count in shared.items() if count}
    if not shared:
        return None
    return graph.get_tensor_by_name(f"{max(shared, key=lambda name: shared[name])}:0")


def _statistics(graph: Graph, context: str, scaled: bool) -> Statistics:
    resource = get_variable_scope().use_resource

    def named(suffix: str) -> Tensor | None:
        return _closest(graph, f"BatchNorm/{suffix}", context)

    def variable(name: str) -> Any:
        return named(f"{name}/Read/ReadVariableOp" if resource else f"{name}/read")

    moving_mean = variable("moving_mean")
    if not scaled:
        gamma: Any = ones(moving_mean.shape)
    else:
        gamma = variable("gamma") if resource else named("gamma")
    return Statistics(
        gamma=gamma,
        mean=named("moments/Squeeze"),
        variance=named("moments/Squeeze_1"),
        moving_mean=moving_mean,
        moving_variance=variable("moving_variance"),
        mean_decay=named("AssignMovingAvg/decay"),
        variance_decay=named("AssignMovingAvg_1/decay"),
        epsilon=named("batchnorm_1/add/y"),
    )


def _folded(
    graph: Graph, context: str, scaled: bool, shifted: Operation, is_training: bool, freeze_delay: int | None
) -> Tensor:
    """What the normalised layer gives, from a copy of the layer with scaled weights."""
    inside = f"{context}BatchNorm/batchnorm_1/"
    scale = graph.get_operation_by_name(f"{inside}{'mul_1' if scaled else 'mul'}")
    layer, to_batch = scale.inputs[0].op, None
    if layer.type == "BatchToSpaceND":
        layer, to_batch = layer.inputs[0].op, layer
    statistics = _statistics(graph, context, scaled)
    correct = corrections(context, statistics, freeze_delay) if is_training else NO_CORRECTIONS
    if layer.type not in ("Conv2D", "MatMul", "DepthwiseConv2dNative"):
        raise ValueError(f"Cannot handle operation of type: {layer.type}")
    weights, multiplier, factor = layer.inputs[1], scale.inputs[1], correct.scale
    if layer.type == "DepthwiseConv2dNative":
        channels = weights.shape.as_list()[2:]
        multiplier = graph.get_operation_by_name(f"{inside}{'mul' if scaled else 'Rsqrt'}").outputs[0]
        multiplier = reshape(multiplier, channels, f"{context}scale_reshape")
        if factor is not None:
            factor = reshape(factor, channels, f"{context}correction_reshape")
    if factor is not None:
        with device(scale.device):
            weights = multiply(factor, weights, f"{context}correction_mult")
    _check_type(scale, "Mul")
    folded_weights = multiply(weights, multiplier, name=f"{context}mul_fold")
    _check_shape("mul_fold", weights, folded_weights)
    made = layer_like(layer, layer.inputs[0], folded_weights, f"{layer.name}_Fold")
    place = made.device
    if to_batch is not None:
        made = batch_to_space_nd(made, to_batch.inputs[1], to_batch.inputs[2], name=f"{to_batch.name}_Fold")
    if correct.offset is not None:
        with device(place):
            made = multiply(correct.reciprocal, made, f"{context}post_conv_mul")
            made = add(made, correct.offset, f"{context}correction_add")
    _check_type(shifted, "Add AddV2")
    folded = add(made, shifted.inputs[1], name=f"{context}add_fold")
    _check_shape("add_fold", made, folded)
    return folded


def _check_type(op: Operation, types: str) -> None:
    if op.type not in types.split():
        raise TypeError(f"Unsupported operation type: {op.type}")


def _check_shape(name: str, before: Tensor, after: Tensor) -> None:
    if not before.shape.is_compatible_with(after.shape):
        raise ValueError(f"{name} should not change tensor shape: input {before.shape}, output {after.shape}")
