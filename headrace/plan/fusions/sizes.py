"""Sizes that change from step to step: what several nodes compute of them is computed by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from headrace.core.native import TYPE_CODES
from headrace.core.registry import op
from headrace.core.size_elements import Element, Leaf, Term
from headrace.core.tensor import Tensor
from headrace.kernels.size_functions import Expression, size_function
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node
from headrace.plan.known_sizes import KnownSizes, computes_sizes

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView, ValueView

_SIGNS = {"+": "add", "-": "sub", "*": "mul"}

sizes_op = op(
    "_Sizes",
    "shaped: *shaped_types, items: *item_types, *, shaped_types: list(type), item_types: list(type), "
    "T: index -> sizes: T",
)
sizes_op.on_host("items", outputs=True).not_differentiable()


@sizes_op.kernel
def sizes_kernel(node: NodeView) -> Kernel:
    """Sizes of tensors, elements of vectors, and what expressions make of them, as an integer vector or number."""
    output = node.outputs[0]
    return size_function(node.notes["elements"], len(node.inputs), output.dtype.torch, output.dims == ())


@sizes_op.native
def _sizes_native(node: NodeView) -> Lowering:
    output, elements = node.outputs[0], node.notes["elements"]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        parts = [_native_element(b, inputs, element, output.dtype.name) for element in elements]
        return [parts[0]] if output.dims == () else b.apply("stack", parts, [0])

    return lower


def _native_element(b: NativeBuilder, inputs: Sequence[int], element: Expression, dtype: str) -> int:
    """The number that an expression stands for."""
    if isinstance(element, int):
        return b.constant(np.array(element, dtype))
    kind, *rest = element
    if kind in _SIGNS:
        return b.apply(_SIGNS[kind], [_native_element(b, inputs, part, dtype) for part in rest])[0]
    value, code = inputs[rest[0]], TYPE_CODES[dtype]
    if kind == "count":
        return b.apply("size_of", [value], [code])[0]
    (vector,) = b.apply("shape_of", [value], [code]) if kind == "size" else b.apply("cast", [value], [code])
    return b.apply("squeeze", b.apply("slice", [vector], [rest[1], 1, 1]), [0])[0]


def fuse_sizes(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """What takes sizes that several nodes computed takes them from one."""
    sizes = KnownSizes()
    wanted = set(fetched)
    for node in reversed(nodes):
        stays = not computes_sizes(node) or sizes.elements(node.outputs[0]) is None
        if stays or (_is_number(node) and node.outputs[0] in wanted):
            wanted.update(node.inputs)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        if computes_sizes(node) and node not in keep and node.outputs[0] in wanted:
            fused = _fused(node, sizes)
            if isinstance(fused, Value):
                replaced[node.outputs[0]] = fused
            elif fused is not None:
                replaced[node.outputs[0]] = fused.outputs[0]
                node = fused
        result.append(node)
    return result, replaced


def _is_number(node: Node) -> bool:
    # As numbers of loops these are computed without tensors.
    return node.decl.scalar_rule is not None and node.outputs[0].dims == ()


def _fused(node: Node, sizes: KnownSizes) -> Node | Value | None:
    """One node for what `node` makes of sizes that others make, or the vector that this is all the same."""
    output = node.outputs[0]
    elements = sizes.elements(output)
    if elements is None or node.type in ("Shape", "Size") or _is_number(node):
        return None
    leaves: dict[Leaf, None] = {}
    for element in elements:
        _collect(element, leaves)
    if not any(computes_sizes(value.node) and value not in {leaf.value for leaf in leaves} for value in _unknown(node)):
        return None
    # They are values of this plan, as is all that rules were given.
    items = [cast("Value", leaf.value) for leaf in leaves if leaf.kind == "item"]
    if items and elements == [Leaf("item", items[0], i) for i in range(len(elements))]:
        whole = items[0]
        if whole.dtype == output.dtype and whole.dims == (len(elements),) == output.dims:
            return whole
    shaped = list(dict.fromkeys(cast("Value", leaf.value) for leaf in leaves if leaf.kind != "item"))
    items = list(dict.fromkeys(items))
    places: dict[ValueView, int] = {value: i for i, value in enumerate([*shaped, *items])}
    attrs = {"shaped_types": [value.dtype for value in shaped], "item_types": [value.dtype for value in items]}
    notes = {"elements": [_expression(element, places) for element in elements]}
    fused = new_node("_Sizes", node, [*shaped, *items], [(output.dtype, output.dims)], attrs, notes)
    # As early as the first shape was asked for, lest large tensors wait for it.
    fused.serial = _earliest(node, sizes)
    return fused


def _earliest(node: Node, sizes: KnownSizes) -> int:
    """The least place in the program of the nodes whose sizes `node` is made of."""
    pending, seen = [node], {node}
    while pending:
        for value in pending.pop().inputs:
            before = value.node
            if (
                computes_sizes(before)
                and before not in seen
                and value.constant is None
                and sizes.elements(value) is not None
            ):
                seen.add(before)
                pending.append(before)
    return min(before.serial for before in seen)


def _unknown(node: Node) -> list[Value]:
    return [value for value in node.inputs if value.constant is None]


def _collect(element: Element, leaves: dict[Leaf, None]) -> None:
    if isinstance(element, Leaf):
        leaves[element] = None
    elif isinstance(element, Term):
        _collect(element.first, leaves)
        _collect(element.second, leaves)


def _expression(element: Element, places: dict[ValueView, int]) -> Expression:
    """The element as `size_function` takes it."""
    if isinstance(element, int):
        return element
    if isinstance(element, Term):
        return element.sign, _expression(element.first, places), _expression(element.second, places)
    place = places[element.value]
    return ("count", place) if element.kind == "count" else (element.kind, place, element.place)


fusion = Fusion(
    "compute in one call what several nodes make of sizes",
    fuse_sizes,
    [{"Shape", "Size", "Slice", "StridedSlice"}],
    makes=[sizes_op],
)


@fusion.example(tensor("batch", "steps", 4))
def merged_axes(tf: API, x: Tensor) -> Fetches:
    shape = tf.shape(x)
    return tf.reshape(x, [shape[0] * shape[1], 4])


@fusion.example(tensor("batch", 3), tensor("n", 2, low=0, high=9, dtype="int32"))
def joined_shapes(tf: API, x: Tensor, y: Tensor) -> Fetches:
    return tf.zeros(tf.concat([tf.shape(x)[:1], [2], tf.shape(y)[:1] - 1], 0))
