"""Finding what to quantise: layers with their weights, activations and the sums around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from headrace.contrib.quantize.patterns import Match, OneOf, Op, Pattern, op_of, tensor_of
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.util.tf_logging import info

_ADD = "Add AddV2"
_PASSING = frozenset(("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max"))
_ARITHMETIC = frozenset(("Add", "AddV2", "Mul"))
RELUS = frozenset(("Relu", "Relu6"))
ACTIVATIONS = frozenset((*RELUS, "Identity"))


class Layer(NamedTuple):
    """A layer.

    Attributes:
        op: the convolution or product.
        weights: its weights, folded ones as they are folded.
        activation: the operation whose result is quantised.
        bypass: the sum before the activation, or None.
        bypass_after: the sum after the activation, or None.
        biased: the operation that added the bias, or None.
    """

    op: Operation
    weights: Tensor | None
    activation: Operation | None
    bypass: Operation | None
    bypass_after: Operation | None
    biased: Operation | None


class _Patterns:
    def __init__(self) -> None:
        any_ = lambda: Op("*")  # noqa: E731
        types = "Conv2D MatMul DepthwiseConv2dNative"
        variable = Op("Variable VariableV2")
        part = Op("Identity", variable)
        parts = Op("ConcatV2", part, any_(), any_())
        self.read = Op("Identity", OneOf(part, parts, variable))
        self.resource_read, self.folded_weights = Op("ReadVariableOp"), Op("Mul")
        weights = OneOf(self.read, self.resource_read, self.folded_weights)
        self.layer = Op(types, any_(), weights, any_order=True)
        made = OneOf(Op("BatchToSpaceND", self.layer, any_(), any_()), self.layer)
        self.separable = Op(types, made, any_(), any_order=True)
        corrected = Op("Mul", any_(), made, any_order=True)
        corrected = Op(_ADD, corrected, any_(), any_order=True)
        self.folded = Op(_ADD, corrected, any_(), any_order=True)
        normalized = Op("Identity", self.folded)
        self.biased = Op(f"{_ADD} BiasAdd", made, any_(), any_order=True)
        before = (self.biased, self.folded, normalized)
        self.bypass = Op(_ADD, OneOf(*before), any_(), any_order=True)
        self.activation = Op(" ".join(sorted(ACTIVATIONS)), OneOf(*before, self.bypass, self.layer))
        self.bypass_after = Op(_ADD, any_(), self.activation, any_order=True)

    def layer_of(self, found: Match, *activation: Pattern, sums: bool = True) -> Layer:
        """The layer of a match, with the patterns of what is quantised as its activation."""
        return Layer(
            found[self.layer][0],
            tensor_of(found, self.read, self.resource_read, self.folded_weights),
            op_of(found, *activation),
            op_of(found, self.bypass) if sums else None,
            op_of(found, self.bypass_after) if sums else None,
            op_of(found, self.biased, self.folded) if sums else None,
        )


def find_layers(graph: Graph) -> Iterator[Layer]:
    """The layers of a graph: first those with a sum after their activation, then others with an activation, then
    those without, last the first halves of separable ones."""
    patterns, seen = _Patterns(), set()
    for whole in (patterns.bypass_after, patterns.activation, OneOf(patterns.biased, patterns.folded)):
        for found in whole.in_graph(graph):
            if isinstance(whole, OneOf):
                layer = patterns.layer_of(found, patterns.biased, patterns.folded, sums=False)
            else:
                layer = patterns.layer_of(found, patterns.activation)
            if layer.op not in seen and not (whole is patterns.activation and _is_only_named(layer.activation)):
                seen.add(layer.op)
                yield layer
    for found in patterns.separable.in_graph(graph):
        layer = patterns.layer_of(found, patterns.layer, sums=False)
        if layer.op not in seen:
            seen.add(layer.op)
            # Folded weights of a first half are quantised with the fold itself.
            yield layer._replace(weights=tensor_of(found, patterns.read, patterns.resource_read))


def _is_only_named(activation: Operation | None) -> bool:
    """Whether an Identity only stands between a layer and its batch normalisation."""
    if activation is None or activation.type != "Identity":
        return False
    consumers = activation.outputs[0].consumers()
    if len(consumers) == 1 and consumers[0].type in ("FusedBatchNorm", "FusedBatchNormV3"):
        info("Not quantizing %s, an identity between a layer and its fused batch norm.", activation.name)
        return True
    return False


def is_quantizable(op: Operation, done: set[Operation]) -> bool:
    """Whether a sum or product of quantised values wants quantising itself.

    Args:
        op: any operation.
        done: operations whose results are quantised already.
    """
    if op in done or op.type not in _ARITHMETIC:
        return False
    consumers = op.outputs[0].consumers()
    if len(consumers) == 1 and consumers[0].type in RELUS:
        return False
    for tensor in op.inputs:
        source = tensor.op
        while source.type in _PASSING:
            source = source.inputs[0].op
        if source.type == "FakeQuantWithMinMaxVars" or source.name.find("delayed_quant/Merge") > 0:
            return True
        if source.type in _ARITHMETIC and any(is_quantizable(before.op, done) for before in source.inputs):
            return True
    return False
