"""Nodes as they are between two passes, in words: what they are called, what they take, what is known of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from headrace.core.buffers import VariableBuffer
from headrace.core.dims import bracketed
from headrace.core.dtypes import DType
from headrace.core.shapes import TensorShape
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import FEED, Node, Value, regions

# Constants of at most so many elements are shown by their values.
_SHORT = 4
# Attributes and texts are cut after so many characters.
_LONGEST = 60


@dataclass(frozen=True)
class NodeSnapshot:
    """A node as it was at one stage.

    Attributes:
        name: of the operation it stands for; where two nodes of a graph have one name, the second is numbered: `w/read#2`.
        type: its op type.
        inputs: what it takes, by name, or by value where that is a constant of few elements. Of a loop with the name that
            each has inside: `var0=x` goes around, `in0=n` stays the same.
        attributes: its attributes that its inputs do not imply and that are not at their defaults: `transpose_b=True`.
        outputs: how many values it makes.
        waits_for: the names of the nodes it waits for.
        branches: the branches it lies in, outermost first.
        loop: the name of the loop it lies in, "" outside of loops.
        device: where it runs.
        details: what passes have decided about it besides.
    """

    name: str
    type: str
    inputs: tuple[str, ...]
    attributes: tuple[str, ...]
    outputs: int
    waits_for: tuple[str, ...]
    branches: tuple[str, ...]
    loop: str
    device: str
    details: tuple[str, ...]


class NodeNames:
    """What the nodes and values of one graph are called, from its first pass to its last."""

    def __init__(self) -> None:
        # The nodes are kept, so that none is made in the place of another.
        self._names: dict[Node, str] = {}
        self._loops: dict[Node, str] = {}

    def add(self, graph: PlanGraph) -> None:
        """Gives names to the nodes of the graph that have none yet: no two in the graph have the same."""
        nodes = list(all_nodes(graph.nodes))
        taken = {self._names[node] for node in nodes if node in self._names}
        # An operation of the program keeps its name; what the planner puts beside it is numbered.
        for node in sorted((node for node in nodes if node not in self._names), key=_is_planners):
            name = self._names[node] = _free(node.name, taken)
            taken.add(name)
        for loop, region in regions(nodes):
            inside = {self._names[value.node] for value in (*region.variables, *region.captures) if self._knows(value)}
            for kind, values in (("var", region.variables), ("in", region.captures)):
                for value in values:
                    if not self._knows(value):
                        name = next(name for i in itertools.count() if (name := f"{kind}{i}") not in inside)
                        inside.add(name)
                        self._names[value.node] = name
                        self._loops[value.node] = self._names[loop]

    def _knows(self, value: Value) -> bool:
        return value.node in self._names

    def of(self, node: Node) -> str:
        """What a node is called."""
        return self._names.get(node, node.name)

    def of_value(self, value: Value) -> str:
        """A value as a reader knows it: by its name, or as a constant of few elements."""
        if value.constant is not None and value.constant.size <= _SHORT:
            return constant_text(value.constant)
        name = value.node.name.removesuffix(":0") if value.node.type == FEED else self.of(value.node)
        name = name if value.index == 0 else f"{name}:{value.index}"
        if isinstance(value.bound, VariableBuffer):
            return f"{name} (variable)"
        return name if value.constant is None else f"{name} ({constant_text(value.constant)})"

    def in_loop(self, value: Value) -> str:
        """A value by its name, with the loop if that gives it in each iteration."""
        loop = self._loops.get(value.node)
        return self.of_value(value) if loop is None else f"{self.of(value.node)} of {loop}"


def _is_planners(node: Node) -> bool:
    return node.type.startswith("_")


def _free(name: str, taken: Set[str]) -> str:
    if name not in taken:
        return name
    return next(numbered for i in itertools.count(2) if (numbered := f"{name}#{i}") not in taken)


def constant_text(array: np.ndarray) -> str:
    """A constant of few elements by its values, as many digits as its dtype has; others by dtype and shape."""
    if array.size > _SHORT:
        dtype = "string" if array.dtype == object else array.dtype.name
        return f"constant {dtype}{list(array.shape)}"
    return _cut(_elements(array))


def _elements(array: np.ndarray) -> str:
    if array.ndim == 0:
        return str(array[()])
    return f"[{', '.join(_elements(np.asarray(item, array.dtype)) for item in array)}]"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def snapshots_of(graph: PlanGraph, names: NodeNames) -> dict[Node, NodeSnapshot]:
    """The nodes of a graph as they are now, those of loops after their loop."""
    return dict(_snapshots(graph.nodes, "", graph, names))


def _snapshots(
    nodes: Sequence[Node], loop: str, graph: PlanGraph, names: NodeNames
) -> Iterator[tuple[Node, NodeSnapshot]]:
    for node in nodes:
        yield (
            node,
            NodeSnapshot(
                name=names.of(node),
                type=node.type,
                inputs=tuple(_inputs(node, names)),
                attributes=tuple(_attributes(node)),
                outputs=len(node.outputs),
                waits_for=tuple(map(names.of, node.control)),
                branches=tuple(f"{'' if taken else 'not '}{names.of_value(pred)}" for pred, taken in node.guard),
                loop=loop,
                device=str(node.device),
                details=tuple(_details(node, graph, names)),
            ),
        )
        if node.region is not None:
            yield from _snapshots(node.region.nodes, names.of(node), graph, names)


def _inputs(node: Node, names: NodeNames) -> Iterator[str]:
    inside = [] if node.region is None else [*node.region.variables, *node.region.captures]
    for value, given in itertools.zip_longest(node.inputs, inside):
        yield names.of_value(value) if given is None else f"{names.of(given.node)}={names.of_value(value)}"


def _attributes(node: Node) -> Iterator[str]:
    signature = node.decl.signature
    implied = {name for arg in signature.inputs for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for name, attr in signature.attrs.items():
        if name in node.attrs and name not in implied:
            text = _attribute_text(node.attrs[name])
            if not attr.has_default or text != _attribute_text(attr.default):
                yield f"{name}={text}"
    if _is_planners(node):
        # What a pass tells the kernel, where it is no more than a few numbers.
        for name, note in node.notes.items():
            if isinstance(note, (bool, int, float, str, DType)) or _are_numbers(note):
                yield f"{name}={_attribute_text(note)}"


def _are_numbers(note: object) -> bool:
    return isinstance(note, (tuple, list)) and all(isinstance(item, (int, float)) for item in note)


def _attribute_text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return constant_text(value)
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorShape):
        return bracketed(value.as_dims)
    if isinstance(value, (tuple, list)):
        return _cut(f"[{', '.join(map(_attribute_text, value))}]")
    name = getattr(value, "name", None)
    return _cut(name if isinstance(name, str) else repr(value))


def _details(node: Node, graph: PlanGraph, names: NodeNames) -> Iterator[str]:
    if node.template is not None:
        yield f"as NumPy scalars: {node.template.format(*map(names.of_value, node.inputs))}"
    if node.heavy:
        yield "on all threads"
    if node in graph.copied:
        yield "its value is copied"
    if node in graph.reused:
        yield f"in the memory of {names.of_value(node.inputs[graph.reused[node].input])}"
    if graph.waits and graph.waits.get(node):
        yield f"after {graph.waits[node].bit_count()} waits"
    region = node.region
    if region is not None:
        yield f"as long as {names.of_value(region.predicate)}"
        pairs = zip(region.variables, region.nexts, strict=True)
        yield f"next {', '.join(f'{names.of(each.node)}={names.of_value(then)}' for each, then in pairs)}"
        if region.exits:
            yield f"returns {', '.join(map(names.of_value, region.exits))}"
