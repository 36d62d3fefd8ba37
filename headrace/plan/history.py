"""What each pass did to a graph: which nodes went, came and changed. `headrace explain --passes` prints it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from headrace.core.buffers import VariableBuffer
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import FEED, Node, Value
from headrace.plan.pipeline import Pass, observed

# Constants of at most so many elements are shown by their values.
_SHORT = 4


@dataclass(frozen=True)
class NodeView:
    """A node as it was at one stage.

    Attributes:
        name: of the operation it stands for.
        type: its op type.
        inputs: what it takes, by name, or by value where that is a constant of few elements.
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
    outputs: int
    waits_for: tuple[str, ...]
    branches: tuple[str, ...]
    loop: str
    device: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A node before and after a pass."""

    before: NodeView
    after: NodeView


@dataclass(frozen=True)
class PassEffect:
    """What one pass did.

    Attributes:
        name: what the pass is called.
        purpose: what it is for, in one line.
        removed: the nodes that went, in the order they had.
        added: the nodes that came, in their order.
        changed: the nodes that stayed and are different.
        reordered: whether those that stayed have another order.
        fetches: what is returned, if that is different now.
        nodes: all nodes after it, those of loops after their loop.
    """

    name: str
    purpose: str
    removed: tuple[NodeView, ...]
    added: tuple[NodeView, ...]
    changed: tuple[Change, ...]
    reordered: bool
    fetches: tuple[str, ...] | None
    nodes: tuple[NodeView, ...]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.changed or self.reordered or self.fetches)


@dataclass
class PlanHistory:
    """How one graph was planned.

    Attributes:
        graph: the graph.
        collected: its nodes before the first pass.
        effects: what each pass did that changed it.
    """

    graph: PlanGraph
    collected: tuple[NodeView, ...]
    effects: list[PassEffect] = field(default_factory=list)


@contextlib.contextmanager
def recorded() -> Iterator[list[PlanHistory]]:
    """Inside, how every graph is planned is added to the list given, bodies of functions after what calls them."""
    histories: list[PlanHistory] = []
    stages: dict[int, _Stage] = {}

    def record(graph: PlanGraph, each: Pass | None) -> None:
        stage = _Stage(graph)
        if each is None:
            histories.append(PlanHistory(graph, tuple(stage.views.values())))
        elif id(graph) in stages:
            effect = stage.since(stages[id(graph)], each)
            if effect:
                next(one for one in reversed(histories) if one.graph is graph).effects.append(effect)
        stages[id(graph)] = stage

    with observed(record):
        yield histories


class _Stage:
    """A graph between two passes."""

    def __init__(self, graph: PlanGraph) -> None:
        self._graph = graph
        # The nodes are kept, so that none is made in the place of another.
        self.views: dict[Node, NodeView] = {}
        self._add(graph.nodes, "")
        self.fetches = tuple(map(_text, graph.fetches))

    def _add(self, nodes: Sequence[Node], loop: str) -> None:
        for node in nodes:
            self.views[node] = self._view(node, loop)
            if node.region is not None:
                self._add(node.region.nodes, node.name)

    def _view(self, node: Node, loop: str) -> NodeView:
        return NodeView(
            name=node.name,
            type=node.type,
            inputs=tuple(map(_text, node.inputs)),
            outputs=len(node.outputs),
            waits_for=tuple(before.name for before in node.control),
            branches=tuple(f"{'' if taken else 'not '}{_text(pred)}" for pred, taken in node.guard),
            loop=loop,
            device=str(node.device),
            details=tuple(self._details(node)),
        )

    def _details(self, node: Node) -> Iterator[str]:
        graph = self._graph
        if node.template is not None:
            yield f"as NumPy scalars: {node.template.format(*map(_text, node.inputs))}"
        if node.heavy:
            yield "on all threads"
        if node in graph.copied:
            yield "its value is copied"
        if node in graph.reused:
            yield f"in the memory of {_text(node.inputs[graph.reused[node].input])}"
        if graph.waits and graph.waits.get(node):
            yield f"after {graph.waits[node].bit_count()} waits"
        region = node.region
        if region is not None:
            yield f"goes on while {_text(region.predicate)}"
            yield f"next: {', '.join(map(_text, region.nexts))}"

    def since(self, before: _Stage, each: Pass) -> PassEffect:
        """What `each` did, after which this is the graph."""
        removed = tuple(view for node, view in before.views.items() if node not in self.views)
        added = tuple(view for node, view in self.views.items() if node not in before.views)
        stayed = [node for node in before.views if node in self.views]
        changed = tuple(
            Change(before.views[node], self.views[node]) for node in stayed if before.views[node] != self.views[node]
        )
        reordered = stayed != [node for node in self.views if node in before.views]
        fetches = None if self.fetches == before.fetches else self.fetches
        nodes = tuple(self.views.values())
        return PassEffect(each.name, each.purpose, removed, added, changed, reordered, fetches, nodes)


def _text(value: Value) -> str:
    """A value as a reader knows it."""
    name = value.node.name.removesuffix(":0") if value.node.type == FEED else value.node.name
    name = name if value.index == 0 else f"{name}:{value.index}"
    if isinstance(value.bound, VariableBuffer):
        return f"{name} (variable)"
    if value.constant is None:
        return name
    if value.constant.size <= _SHORT:
        return f"{value.constant.tolist()}"
    return f"{name} (constant {value.dtype.name}{list(value.constant.shape)})"
