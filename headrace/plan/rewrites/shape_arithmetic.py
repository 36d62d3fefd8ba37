"""Sizes that programs and gradients compute from shapes: sliced, joined, multiplied, one small tensor after the other.

Each such vector or number is seen as its elements: numbers where they are known, else sizes of tensors, elements of
other vectors, and sums and products of those. What is known altogether is a constant; what is not is computed by one
node, `_Sizes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from headrace.plan.ir import UNBOUND, Node, Value, is_live, new_node
from headrace.plan.values import to_torch

_TYPES = frozenset({"int32", "int64"})
_MOST = 8
# What is squared again and again would double each time: in terms, or in digits.
_MOST_TERMS = 64
_LARGEST = 1 << 63


class Leaf(NamedTuple):
    """A number of a step.

    Attributes:
        kind: "size" of an axis of `value`, "count" of all its elements, or "item" of a vector.
        place: which axis or item.
    """

    kind: str
    value: Value
    place: int


class Term(NamedTuple):
    """A sum, difference or product of two.

    Attributes:
        terms: how many there are in it.
    """

    sign: str
    first: Element
    second: Element
    terms: int


Element = int | Leaf | Term


def _terms(element: Element) -> int:
    return element.terms if isinstance(element, Term) else 0


def _is_small(element: Element) -> bool:
    return abs(element) <= _LARGEST if isinstance(element, int) else _terms(element) <= _MOST_TERMS


def _term(sign: str, first: Element, second: Element) -> Term:
    return Term(sign, first, second, 1 + _terms(first) + _terms(second))


def _product(elements: Sequence[Element]) -> Element:
    known, unknown = 1, None
    for element in elements:
        if isinstance(element, int):
            known *= element
        else:
            unknown = element if unknown is None else _term("*", unknown, element)
    if unknown is None or known == 0:
        return known
    return unknown if known == 1 else _term("*", unknown, known)


def _combined(sign: str, first: Element, second: Element) -> Element:
    if isinstance(first, int) and isinstance(second, int):
        return first + second if sign == "+" else first - second if sign == "-" else first * second
    return _product([first, second]) if sign == "*" else _term(sign, first, second)


def _of_steps(element: Element) -> bool:
    """Whether `element` has an item of a vector in it, which may be any number."""
    if isinstance(element, Term):
        return _of_steps(element.first) or _of_steps(element.second)
    return isinstance(element, Leaf) and element.kind == "item"


class Sizes:
    """The elements of the values of a plan, as far as they are sizes."""

    def __init__(self) -> None:
        self._known: dict[Value, list[Element] | None] = {}

    def elements(self, value: Value) -> list[Element] | None:
        """Those of a vector, or the one of a number; None where `value` is not computed from shapes."""
        if value.dtype.name not in _TYPES:
            return None
        if value.constant is not None:
            return [int(v) for v in value.constant.reshape(-1)] if value.constant.size <= _MOST else None
        if value.bound is not UNBOUND or value.dims is None or len(value.dims) > 1:
            return None
        if value not in self._known:
            self._known[value] = None
            self._known[value] = self._derived(value)
        return self._known[value]

    def _vector(self, value: Value) -> list[Element] | None:
        """The elements of a vector; if it is not made of sizes, its items."""
        found = self.elements(value)
        if found is not None or value.bound is not UNBOUND or value.dtype.name not in _TYPES or is_live(value):
            return found
        if value.dims is None or len(value.dims) != 1 or value.dims[0] is None or value.dims[0] > _MOST:
            return None
        return [Leaf("item", value, i) for i in range(value.dims[0])]

    def _derived(self, value: Value) -> list[Element] | None:
        node = value.node
        if node.guard or node.control or node.region is not None:
            return None
        rule = _RULES.get(node.type)
        elements = None if rule is None else rule(self, node)
        return None if elements is None or not all(map(_is_small, elements)) else elements

    def _shape(self, node: Node) -> list[Element] | None:
        source = node.inputs[0]
        if source.dims is None or len(source.dims) > _MOST or not _has_shape(source):
            return None
        return [Leaf("size", source, i) if size is None else size for i, size in enumerate(source.dims)]

    def _size(self, node: Node) -> list[Element] | None:
        source = node.inputs[0]
        return [Leaf("count", source, 0)] if source.dims is not None and _has_shape(source) else None

    def _strided_slice(self, node: Node) -> list[Element] | None:
        begin, end, strides = (node.constant(i) for i in (1, 2, 3))
        if begin is None or end is None or strides is None or begin.size != 1:
            return None
        attrs = node.attrs
        if attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
            return None
        elements = (
            self._vector(node.inputs[0]) if node.inputs[0].dims is not None and node.inputs[0].dims != () else None
        )
        if elements is None:
            return None
        if attrs["shrink_axis_mask"]:
            at = int(begin[0])
            return [elements[at]] if -len(elements) <= at < len(elements) else None
        first = None if attrs["begin_mask"] else int(begin[0])
        last = None if attrs["end_mask"] else int(end[0])
        return elements[first : last : int(strides[0])] if strides[0] else None

    def _slice(self, node: Node) -> list[Element] | None:
        begin, size = node.constant(1), node.constant(2)
        elements = self._vector(node.inputs[0])
        if begin is None or size is None or elements is None or begin.size != 1:
            return None
        first, count = int(begin[0]), int(size[0])
        count = len(elements) - first if count == -1 else count
        return elements[first : first + count] if first >= 0 and 0 <= count <= len(elements) - first else None

    def _gather(self, node: Node) -> list[Element] | None:
        index, elements = node.constant(1), self._vector(node.inputs[0])
        axis = node.constant(2) if node.type == "GatherV2" else 0
        if index is None or elements is None or axis is None or int(axis) != 0 or node.inputs[0].dims == ():
            return None
        places = index.reshape(-1).tolist()
        if node.attrs.get("batch_dims") or not all(0 <= place < len(elements) for place in places):
            return None
        return [elements[place] for place in places]

    def _pack(self, node: Node) -> list[Element] | None:
        parts = [self.elements(value) if value.dims == () else None for value in node.inputs]
        return None if None in parts or len(parts) > _MOST else [part[0] for part in parts if part is not None]

    def _concat(self, node: Node) -> list[Element] | None:
        *values, axis = node.inputs
        if axis.constant is None or int(axis.constant) not in (0, -1):
            return None
        found: list[Element] = []
        for value in values:
            part = self._vector(value)
            if part is None or value.dims == ():
                return None
            found += part
        return found if len(found) <= _MOST else None

    def _prod(self, node: Node) -> list[Element] | None:
        elements, axes = self._vector(node.inputs[0]), node.constant(1)
        if (
            elements is None
            or axes is None
            or node.inputs[0].dims == ()
            or axes.size != 1
            or int(axes.item()) not in (0, -1)
        ):
            return None
        return [_product(elements)]

    def _cast(self, node: Node) -> list[Element] | None:
        elements = self.elements(node.inputs[0])
        if elements is None:
            return None
        before, after = node.inputs[0].dtype.name, node.outputs[0].dtype.name
        if (before, after) == ("int64", "int32"):
            # A sum is brought into the range of its type, as the items of a longer one must be.
            return [_term("+", element, 0) if _of_steps(element) else element for element in elements]
        if (before, after) == ("int32", "int64") and any(isinstance(element, Term) for element in elements):
            return None
        return elements

    def _same(self, node: Node) -> list[Element] | None:
        return self.elements(node.inputs[0])

    def _arithmetic(self, node: Node) -> list[Element] | None:
        first, second = (self.elements(value) for value in node.inputs)
        if first is None or second is None or node.inputs[0].dims != node.inputs[1].dims or len(first) != len(second):
            return None
        sign = {"Mul": "*", "Sub": "-"}.get(node.type, "+")
        return [_combined(sign, a, b) for a, b in zip(first, second)]


def _has_shape(value: Value) -> bool:
    if value.dtype.name in ("string", "resource", "variant") or value.dtype._is_ref_dtype:
        return False
    # Of tensors elsewhere each node asks for itself, so that none is copied for its sizes.
    return value.node.device.type == "cpu" and not is_live(value)


_RULES = {
    "Shape": Sizes._shape,
    "Size": Sizes._size,
    "StridedSlice": Sizes._strided_slice,
    "Slice": Sizes._slice,
    "Gather": Sizes._gather,
    "GatherV2": Sizes._gather,
    "Pack": Sizes._pack,
    "ConcatV2": Sizes._concat,
    "Prod": Sizes._prod,
    "Cast": Sizes._cast,
    "ExpandDims": Sizes._same,
    "Add": Sizes._arithmetic,
    "AddV2": Sizes._arithmetic,
    "Sub": Sizes._arithmetic,
    "Mul": Sizes._arithmetic,
}
# As numbers of loops these are computed without tensors.
_OF_NUMBERS = frozenset({"Add", "AddV2", "Sub", "Mul", "Cast"})


def bind_sizes(nodes: list[Node], keep: set[Node], fetched: Sequence[Value]) -> list[Node]:
    """The nodes without those whose sizes are known altogether, whose outputs are constants from now on, and without
    those that only they asked."""
    if not any(node.type in ("Shape", "Size") for node in nodes):
        return nodes
    sizes = Sizes()
    left = []
    for node in nodes:
        if node.type in _RULES and node not in keep and len(node.outputs) == 1:
            output = node.outputs[0]
            elements = sizes.elements(output)
            known = [element for element in elements or () if isinstance(element, int)]
            if elements is not None and len(known) == len(elements):
                limits = np.iinfo(output.dtype.as_numpy_dtype)
                if all(limits.min <= number <= limits.max for number in known):
                    shape = () if output.dims == () else (len(known),)
                    output.constant = np.array(known, output.dtype.as_numpy_dtype).reshape(shape)
                    output.bound, output.dims = to_torch(output.constant, output.dtype), shape
                    # Nothing is asked of what it was computed from.
                    node.inputs = []
                    continue
        left.append(node)
    if len(left) == len(nodes):
        return nodes
    wanted = set(fetched)
    needed = {other for node in left for other in node.control}
    kept = []
    for node in reversed(left):
        idle = node.type in _RULES and node not in keep and node not in needed and node.region is None
        if idle and wanted.isdisjoint(node.outputs):
            continue
        wanted.update(node.inputs)
        wanted.update(pred for pred, _ in node.guard)
        kept.append(node)
    return kept[::-1]


def fuse_sizes(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """What takes sizes that several nodes computed takes them from one."""
    sizes = Sizes()
    wanted = set(fetched)
    for node in reversed(nodes):
        stays = node.type not in _RULES or sizes.elements(node.outputs[0]) is None
        if stays or (_is_number(node) and node.outputs[0] in wanted):
            wanted.update(node.inputs)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        if node.type in _RULES and node not in keep and node.outputs[0] in wanted:
            fused = _fused(node, sizes)
            if isinstance(fused, Value):
                replaced[node.outputs[0]] = fused
            elif fused is not None:
                replaced[node.outputs[0]] = fused.outputs[0]
                node = fused
        result.append(node)
    return result, replaced


def _is_number(node: Node) -> bool:
    return node.type in _OF_NUMBERS and node.outputs[0].dims == ()


def _fused(node: Node, sizes: Sizes) -> Node | Value | None:
    """One node for what `node` makes of sizes that others make, or the vector that this is all the same."""
    output = node.outputs[0]
    elements = sizes.elements(output)
    if elements is None or node.type in ("Shape", "Size") or _is_number(node):
        return None
    leaves: dict[Leaf, None] = {}
    for element in elements:
        _collect(element, leaves)
    if not any(value.node.type in _RULES and value not in {leaf.value for leaf in leaves} for value in _unknown(node)):
        return None
    items = [leaf.value for leaf in leaves if leaf.kind == "item"]
    if items and elements == [Leaf("item", items[0], i) for i in range(len(elements))]:
        whole = items[0]
        if whole.dtype == output.dtype and whole.dims == (len(elements),) == output.dims:
            return whole
    shaped = list(dict.fromkeys(leaf.value for leaf in leaves if leaf.kind != "item"))
    items = list(dict.fromkeys(items))
    places = {value: i for i, value in enumerate([*shaped, *items])}
    attrs = {"shaped_types": [value.dtype for value in shaped], "item_types": [value.dtype for value in items]}
    notes = {"elements": [_expression(element, places) for element in elements]}
    fused = new_node("_Sizes", node, [*shaped, *items], [(output.dtype, output.dims)], attrs, notes)
    # As early as the first shape was asked for, lest large tensors wait for it.
    fused.serial = _earliest(node, sizes)
    return fused


def _earliest(node: Node, sizes: Sizes) -> int:
    """The least place in the program of the nodes whose sizes `node` is made of."""
    pending, seen = [node], {node}
    while pending:
        for value in pending.pop().inputs:
            before = value.node
            if (
                before.type in _RULES
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


def _expression(element: Element, places: dict[Value, int]) -> Any:
    """The element as `ops.size_functions` takes it, which planning does not import."""
    if isinstance(element, int):
        return element
    if isinstance(element, Term):
        return element.sign, _expression(element.first, places), _expression(element.second, places)
    place = places[element.value]
    return ("count", place) if element.kind == "count" else (element.kind, place, element.place)
