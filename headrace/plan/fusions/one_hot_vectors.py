"""Arithmetic on one-hot vectors: a vector has two different elements, and both are computed once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.native import integers, is_sized
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, consumers_of, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

two_values = op("_TwoValues", "indices: TI, depth: int32, on: T, off: T, *, TI: type, T: type -> output: T")


@two_values.kernel
def two_values_kernel(node: NodeView) -> Kernel:
    def compute(indices: torch.Tensor, depth: int, on: torch.Tensor, off: torch.Tensor) -> torch.Tensor:
        places = torch.arange(int(depth), device=indices.device)
        return torch.where(indices.unsqueeze(-1).eq(places), on, off)

    return compute


@two_values.native
def two_values_native(node: NodeView) -> Lowering | None:
    """Of a depth that is known, or that follows from sizes."""
    depth, indices = integers(node, 1), node.inputs[0]
    if indices.dtype.name not in ("int32", "int64") or node.inputs[1].dims != ():
        return None
    if depth is None and not is_sized(node, 1):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        start, step = (b.constant(np.zeros((), indices.dtype.as_numpy_dtype) + number) for number in (0, 1))
        (places,) = b.apply("range", [start, step], depth if depth is not None else [b.contents(inputs[1])])
        (hits,) = b.apply("equal", [*b.apply("expand_dims", [inputs[0]], [-1]), places])
        return b.apply("select", [hits, *inputs[2:]])

    return lower


_BINARY = frozenset({"Add", "AddV2", "Maximum", "Minimum", "Mul", "Pow", "RealDiv", "Sub"})
_STEPS = _BINARY | {"Cast"}
# Each step is computed twice, on an element a vector; from two steps on that is less than the vectors are.
_SHORTEST = 2


class _Chain(NamedTuple):
    """What is known of a value that is made of one-hot vectors.

    Attributes:
        one_hot: the operation that made the vectors.
        on, off: their elements: scalars, or one for each vector, with a last axis of size 1.
        steps: the nodes that compute those two.
        last: the node that gives the value.
    """

    one_hot: Node
    on: Value
    off: Value
    steps: tuple[Node, ...]
    last: Node


def compute_both_elements(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """f(OneHot(indices, depth, on, off)) becomes vectors of f(on) and f(off), for chains of elementwise steps."""
    one_hots = [node for node in nodes if node.type == "OneHot"]
    if not any(_is_plain(node) for node in one_hots):
        return nodes, {}
    consumers = consumers_of(nodes)
    fixed = keep.union(*(node.control for node in nodes))
    wanted = set(fetched)
    chains: dict[Value, _Chain] = {}
    for node in nodes:
        if node in fixed or node.control:
            continue
        if node.type == "OneHot" and _is_plain(node):
            chains[node.outputs[0]] = _Chain(node, node.inputs[2], node.inputs[3], (), node)
        elif node.type in _STEPS:
            grown = _grown(node, chains, consumers, wanted)
            if grown is not None:
                chains[node.outputs[0]] = grown
    made = {chain.last: chain for chain in chains.values() if len(chain.steps) >= 2 * _SHORTEST}
    if not made:
        return nodes, {}
    replaced: dict[Value, Value] = {}
    result: list[Node] = []
    for node in nodes:
        chain = made.get(node)
        if chain is None:
            result.append(node)
            continue
        output, (indices, depth) = node.outputs[0], chain.one_hot.inputs[:2]
        vectors = new_node(
            "_TwoValues",
            node,
            [indices, depth, chain.on, chain.off],
            [(output.dtype, output.dims)],
            _types(indices, output),
        )
        result.extend((*chain.steps, vectors))
        replaced[output] = vectors.outputs[0]
    return result, replaced


def _types(indices: Value, output: Value) -> dict[str, object]:
    return {"TI": indices.dtype, "T": output.dtype}


def _is_plain(node: Node) -> bool:
    """Whether vectors lie in the last axis and have two numbers."""
    dims = node.outputs[0].dims
    scalars = all(value.dims == () for value in node.inputs[1:])
    return scalars and dims is not None and node.attrs["axis"] in (-1, len(dims) - 1) and _is_number(node.outputs[0])


def _is_number(value: Value) -> bool:
    return value.dtype.is_floating or value.dtype.is_integer


def _grown(
    node: Node, chains: dict[Value, _Chain], consumers: dict[Value, list[Node]], wanted: set[Value]
) -> _Chain | None:
    """The chain that `node` goes on with, which is taken out of `chains`; None if there is none."""
    found = [i for i, value in enumerate(node.inputs) if value in chains]
    if len(found) != 1:
        return None
    value = node.inputs[found[0]]
    chain = chains[value]
    if len(consumers[value]) != 1 or value in wanted or node.guard != chain.one_hot.guard:
        return None
    on, off = (_applied(node, found[0], element, value.dims) for element in (chain.on, chain.off))
    if on is None or off is None:
        return None
    del chains[value]
    return _Chain(chain.one_hot, on.outputs[0], off.outputs[0], (*chain.steps, on, off), node)


def _applied(node: Node, place: int, element: Value, dims: Dims) -> Node | None:
    """What `node` computes, of one element a vector in the place of vectors of `dims`; None where others differ within one."""
    inputs = list(node.inputs)
    inputs[place] = element
    known = element.dims
    if len(inputs) == 2:
        known = _joined(element.dims, node.inputs[1 - place].dims, dims)
        if known is None:
            return None
    output = node.outputs[0]
    return new_node(node.type, node, inputs, [(output.dtype, known)], node.attrs)


def _joined(element: Dims, other: Dims, vectors: Dims) -> Dims:
    """The shape of an element a vector beside `other`; None if `other` may differ within a vector."""
    if other == ():
        return element
    if other is None or vectors is None or len(other) != len(vectors) or other[-1] != 1:
        return None
    if element == () or element is None:
        return other if element == () else None
    return tuple(a if b == 1 else b if a == 1 or a is None else a for a, b in zip(element, other, strict=True))


fusion = Fusion(
    "compute both elements of one-hot vectors in the place of vectors",
    compute_both_elements,
    [{"OneHot"}, _BINARY],
    makes=[two_values],
)


@fusion.example(tensor("n", 3, dtype="int32", low=-1, high=6), tensor("n", 3, 1), tensor(1, 3, 1, low=0.5))
def lengths_that_grow(tf: API, words: Tensor, going_on: Tensor, lengths: Tensor) -> Fetches:
    longer = tf.one_hot(words, 5, 0.0, 1.0) * going_on + lengths
    return (6.0 + longer) ** 0.5 / 2.0


@fusion.example(tensor(4, dtype="int32", low=0, high=6), tensor(4, 1))
def smoothed_labels(tf: API, labels: Tensor, weights: Tensor) -> Fetches:
    return tf.cast(tf.one_hot(labels, 6, dtype=tf.int32), tf.float32) * 0.9 + weights
