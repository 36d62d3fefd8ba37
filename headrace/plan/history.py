"""What each pass did to a graph: which nodes went, came and changed. `headrace explain --passes` prints it."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from headrace.plan.graph import PlanGraph
from headrace.plan.ir import Node
from headrace.plan.pipeline import Pass, observed
from headrace.plan.removals import Connections, Removals
from headrace.plan.snapshots import NodeNames, NodeSnapshot, snapshots_of


@dataclass(frozen=True)
class Removal:
    """A node that went in a pass, and why: `folded to 1.0`, `merged into X`, `is its input X`, `into Y = _MatMulBias`."""

    node: NodeSnapshot
    reason: str


@dataclass(frozen=True)
class Change:
    """A node before and after a pass."""

    before: NodeSnapshot
    after: NodeSnapshot


@dataclass(frozen=True)
class PassEffect:
    """What one pass did.

    Attributes:
        name: what the pass is called.
        purpose: what it is for, in one line.
        removed: the nodes that went, in the order they had.
        added: the nodes that came, in their order.
        changed: the nodes that stayed and are different.
        moved: the nodes that stayed and stand elsewhere among the others that did: as few as say so.
        fetches: what is returned, if that is different now.
        nodes: all nodes after it, those of loops after their loop.
    """

    name: str
    purpose: str
    removed: tuple[Removal, ...]
    added: tuple[NodeSnapshot, ...]
    changed: tuple[Change, ...]
    moved: tuple[NodeSnapshot, ...]
    fetches: tuple[str, ...] | None
    nodes: tuple[NodeSnapshot, ...]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.changed or self.moved or self.fetches)


@dataclass
class PlanHistory:
    """How one graph was planned.

    Attributes:
        graph: the graph.
        collected: its nodes before the first pass.
        effects: what each pass did that changed it.
    """

    graph: PlanGraph
    collected: tuple[NodeSnapshot, ...]
    effects: list[PassEffect] = field(default_factory=list)


@contextlib.contextmanager
def recorded() -> Iterator[list[PlanHistory]]:
    """Inside, how every graph is planned is added to the list given, bodies of functions after what calls them."""
    histories: list[PlanHistory] = []
    stages: dict[int, _Stage] = {}

    def record(graph: PlanGraph, each: Pass | None) -> None:
        before = stages.get(id(graph))
        if each is None:
            stage = _Stage(graph, NodeNames())
            histories.append(PlanHistory(graph, tuple(stage.snapshots.values())))
        elif before is None:
            # It was half planned when the recording began.
            return
        else:
            stage = _Stage(graph, before.names)
            effect = stage.since(before, each)
            if effect:
                next(one for one in reversed(histories) if one.graph is graph).effects.append(effect)
        stages[id(graph)] = stage

    with observed(record):
        yield histories


class _Stage:
    """A graph between two passes."""

    def __init__(self, graph: PlanGraph, names: NodeNames) -> None:
        names.add(graph)
        self.names = names
        self.snapshots = snapshots_of(graph, names)
        self.connections = Connections(graph)
        self.fetches = tuple(map(names.of_value, graph.fetches))

    def since(self, before: _Stage, each: Pass) -> PassEffect:
        """What `each` did, after which this is the graph."""
        removals = Removals(before.connections, self.connections, each, self.names)
        stayed = [node for node in before.snapshots if node in self.snapshots]
        pairs = [Change(before.snapshots[node], self.snapshots[node]) for node in stayed]
        return PassEffect(
            name=each.name,
            purpose=each.purpose,
            removed=tuple(
                Removal(snapshot, removals.reason(node))
                for node, snapshot in before.snapshots.items()
                if node not in self.snapshots
            ),
            added=tuple(snapshot for node, snapshot in self.snapshots.items() if node not in before.snapshots),
            changed=tuple(pair for pair in pairs if pair.before != pair.after),
            moved=tuple(self._moved(stayed)),
            fetches=None if self.fetches == before.fetches else self.fetches,
            nodes=tuple(self.snapshots.values()),
        )

    def _moved(self, stayed: Sequence[Node]) -> Iterator[NodeSnapshot]:
        position = {node: i for i, node in enumerate(stayed)}
        now = [node for node in self.snapshots if node in position]
        kept = _longest_increasing([position[node] for node in now])
        return (self.snapshots[node] for i, node in enumerate(now) if i not in kept)


def _longest_increasing(numbers: Sequence[int]) -> set[int]:
    """The places of a longest increasing subsequence of different numbers."""
    # The least number that ends a subsequence of each length, where it stands, and what stands before each in its own.
    ends: list[int] = []
    places: list[int] = []
    previous: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect.bisect_left(ends, number)
        previous.append(places[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            places.append(place)
        else:
            ends[length], places[length] = number, place
    found: set[int] = set()
    place = places[-1] if places else -1
    while place >= 0:
        found.add(place)
        place = previous[place]
    return found
