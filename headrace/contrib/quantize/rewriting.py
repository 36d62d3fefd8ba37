"""Rewriting graphs for training and inference with simulated quantisation.

Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only inference", arXiv:1712.05877.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from headrace.contrib.quantize.fake_quant import Precision, fake_quant
from headrace.contrib.quantize.folding import fold_fused
from headrace.contrib.quantize.layers import ACTIVATIONS, RELUS, Layer, find_layers, is_quantizable
from headrace.contrib.quantize.rewiring import Consumers, quantization_step, reroute, scope_of
from headrace.contrib.quantize.unfused_folding import fold_unfused
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.ops.math.comparison import greater_equal
from headrace.util.tf_logging import info

_DECAY = 0.999
_TRAINING = re.compile("(Resource)?(Sparse)?Apply[A-Z]")


class _Settings(NamedTuple):
    is_training: bool
    weight_bits: int
    activation_bits: int
    symmetric: bool
    quant_delay: int | None
    scope: str | None


def create_training_graph(input_graph: Graph | None = None, quant_delay: int = 0) -> None:
    """Rewrites a graph, in place, for training with simulated quantisation of 8 bits.

    Batch normalisation is folded into the layers before it; weights and activations are rounded as they will be.
    Call it after the model and the loss are made, and before the optimizer's `minimize`.

    Args:
        input_graph: the graph; the default one by default.
        quant_delay: how many steps to train before rounding begins.

    Raises:
        ValueError: if the graph has operations of an optimizer already.

    Example:
        >>> loss = tf.losses.sparse_softmax_cross_entropy(labels, slim.fully_connected(x, 2))
        >>> tf.contrib.quantize.create_training_graph(quant_delay=2000000)
        >>> train_op = tf.train.GradientDescentOptimizer(1e-5).minimize(loss)
    """
    _rewrite(input_graph, _Settings(True, 8, 8, False, quant_delay, None), None)


def create_eval_graph(input_graph: Graph | None = None) -> None:
    """Rewrites a graph, in place, for inference as after `create_training_graph`, whose checkpoints it takes.

    Args:
        input_graph: the graph; the default one by default.

    Raises:
        ValueError: if the graph has operations of an optimizer.
    """
    _rewrite(input_graph, _Settings(False, 8, 8, False, None, None), None)


def experimental_create_training_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """As `create_training_graph`, with more to choose.

    Args:
        input_graph: the graph; the default one by default.
        weight_bits, activation_bits: how many bits weights and activations have.
        symmetric: whether ranges reach as far below zero as above it.
        quant_delay: how many steps to train before rounding begins.
        freeze_bn_delay: after how many steps batch normalisation uses its moving averages, as they then are.
        scope: the name scope to quantise in; everywhere by default.

    Raises:
        ValueError: if the graph has operations of an optimizer already.
    """
    settings = _Settings(True, weight_bits, activation_bits, symmetric, quant_delay, scope)
    _rewrite(input_graph, settings, freeze_bn_delay)


def experimental_create_eval_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """As `create_eval_graph`, with more to choose: the arguments are those of `experimental_create_training_graph`.

    Raises:
        ValueError: if the graph has operations of an optimizer.
    """
    _rewrite(input_graph, _Settings(False, weight_bits, activation_bits, symmetric, quant_delay, scope), None)


def _rewrite(input_graph: Graph | None, settings: _Settings, freeze_delay: int | None) -> None:
    graph = get_default_graph() if input_graph is None else input_graph
    training = sorted({op.type for op in graph.get_operations() if _TRAINING.match(op.type)})
    if training:
        raise ValueError(f"Training op found in graph: {', '.join(training)}. Quantize before making the optimizer's.")
    with graph.as_default():
        fold_fused(graph, freeze_delay)
        fold_unfused(graph, settings.is_training, freeze_delay)
        _quantize(graph, settings)


def _quantize(graph: Graph, settings: _Settings) -> None:
    scope = settings.scope
    if scope and not scope.endswith("/"):
        settings = settings._replace(scope=f"{scope}/")
    index, done = Consumers(graph), set[Operation]()
    for layer in list(find_layers(graph)):
        _quantize_layer(layer, index, done, settings)
    index = Consumers(graph)
    for op in graph.get_operations():
        if is_quantizable(op, done):
            name = f"{op.name}/activation_{op.type}_quant"
            # Ranges of these are never symmetric.
            _insert(name, op, index.of(op), settings._replace(symmetric=False), -6.0, consumers_in_scope=False)


def _quantize_layer(layer: Layer, index: Consumers, done: set[Operation], settings: _Settings) -> None:
    context = outer = scope_of(layer.op.name)
    if layer.weights is not None:
        producer = layer.weights.op
        _insert(_in(context, "weights_quant"), producer, index.of(producer), settings, -6.0, weights=True)
    if layer.activation is not None:
        if layer.bypass is not None:
            outer = scope_of(context)
        consumers = index.of(layer.activation)
        _insert(_in(outer, "act_quant"), layer.activation, consumers, settings, 0.0, consumers_in_scope=False)
        done.add(layer.activation)
    if layer.bypass is not None and layer.biased is not None:
        _insert(_in(context, "conv_quant"), layer.biased, index.of(layer.biased), settings, -6.0)
        done.add(layer.biased)
        consumers = index.of(layer.bypass)
        if not any(op.type in ACTIVATIONS for op in consumers):
            _insert(_in(outer, "add_quant"), layer.bypass, consumers, settings, -6.0)
            done.add(layer.bypass)
    if layer.bypass_after is not None:
        consumers = index.of(layer.bypass_after)
        if not any(op.type in RELUS for op in consumers):
            name = _in(scope_of(layer.bypass_after.name), "post_activation_bypass_quant")
            _insert(name, layer.bypass_after, consumers, settings, -6.0, consumers_in_scope=False)
            done.add(layer.bypass_after)


def _in(context: str, name: str) -> str:
    return f"{context}/{name}" if context else name


def _insert(
    name: str,
    producer: Operation,
    consumers: list[Operation],
    settings: _Settings,
    lowest: float,
    weights: bool = False,
    consumers_in_scope: bool = True,
) -> None:
    """Lets `consumers` take what `producer` makes rounded, unless it is rounded already or lies outside the scope.

    Args:
        name: the variable scope of the range.
        producer: the operation.
        consumers: the operations that take its result.
        settings: how to quantise.
        lowest: where the range begins before training.
        weights: whether these are weights: quantised in their own range, and in the scope if those that take them are.
        consumers_in_scope: whether what takes the values must be in the scope too.

    Raises:
        ValueError: if none of the consumers takes the values.
    """
    scope = settings.scope
    if scope and not weights and not producer.name.startswith(scope):
        info("Not inserting %s: %s is not in scope %s", name, producer.name, scope)
        return
    outside = [op.name for op in consumers if scope and consumers_in_scope and not op.name.startswith(scope)]
    if outside:
        info("Not inserting %s: %s is not in scope %s", name, outside[0], scope)
        return
    current = get_default_graph().get_name_scope()
    if current:
        name = name.removeprefix(f"{current}/")
    inputs = producer.outputs[0]
    if _is_rounded(inputs):
        return
    bits = settings.weight_bits if weights else settings.activation_bits
    rounded: Tensor = fake_quant(
        inputs,
        name,
        Precision(bits, settings.symmetric, narrow_range=weights),
        settings.is_training,
        (lowest, 6.0),
        None if weights else _DECAY,
        GraphKeys.GLOBAL_VARIABLES,
    )
    if settings.quant_delay and settings.quant_delay > 0:
        active = greater_equal(quantization_step(), settings.quant_delay, name=f"{name}/activate_quant")
        rounded = cond(active, lambda: rounded, lambda: inputs, name=f"{name}/delayed_quant")
    if consumers and reroute(rounded, inputs, consumers) < len(consumers):
        raise ValueError(f"No inputs quantized for ops: [{', '.join(op.name for op in consumers)}]")


def _is_rounded(tensor: Tensor) -> bool:
    """Whether what takes a tensor, perhaps reshaped, rounds it."""
    consumers = tensor.consumers()
    while consumers:
        op = consumers.pop()
        if op.type.startswith("FakeQuantWithMinMax") and not op.type.endswith("Gradient"):
            return True
        if op.type in ("Reshape", "Identity"):
            consumers += [consumer for output in op.outputs for consumer in output.consumers()]
    return False
