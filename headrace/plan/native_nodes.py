"""The nodes that stand for native regions: what each is given, and in which form its results leave it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from headrace.core.planning_facts import Role
from headrace.plan.branches import guard_of, taken_inputs
from headrace.plan.graph import PlanGraph
from headrace.plan.handles import variable_of
from headrace.plan.ir import NATIVE_REGION, UNBOUND, Node, Value, declared, regions
from headrace.plan.native_branches import decided_by, nodes_within, with_reads
from headrace.plan.native_regions import Grouped, RegionMembers, find_regions
from headrace.plan.region_kernel import InParts, NativeRegion
from headrace.plan.reuse import leaves_alone

if TYPE_CHECKING:
    from headrace.native.program import OutputKind


def set_regions(graph: PlanGraph) -> None:
    """Finds the regions of a graph: its nodes in their order, and what stands for those that regions compute."""
    found = find_regions(graph.nodes, graph.fetches, graph.copied)
    if not found.regions:
        return
    graph.nodes = found.nodes
    graph.native = dict.fromkeys(found.absorbed)
    _make_nodes(graph.nodes, graph.fetches, graph.fetches if graph.meets_arrays else [], found, graph)
    if graph.meets_arrays:
        graph.array_feeds = _taken_by_regions(graph)


def _make_nodes(
    nodes: Sequence[Node], results: Sequence[Value], fetched: Sequence[Value], found: Grouped, graph: PlanGraph
) -> None:
    for _, region in regions(nodes):
        _make_nodes(region.nodes, region.results, [], found, graph)
    members = dict.fromkeys(found.regions[node] for node in nodes if node in found.regions)
    if not members:
        return
    uses = _Uses(nodes, results, fetched, found)
    for each in members:
        inside = [inner for node in each.nodes for inner in nodes_within(node) if inner is not node]
        plain = {node: graph.native.pop(node) for node in inside if node in graph.native}
        made = _node_of(each, uses, graph.copied, plain)
        graph.native.update(dict.fromkeys(each.nodes, made))


def _node_of(members: RegionMembers, uses: _Uses, copied: Set[Node], inside: Mapping[Node, Node | None]) -> Node:
    own = {value for node in (*members.nodes, *members.reads) for value in node.outputs}
    taken = dict.fromkeys(
        value
        for node in members.nodes
        for value in (*taken_inputs(node), *decided_by(node, members.guard))
        if value not in own
    )
    inputs = [value for value in taken if value.bound is UNBOUND and variable_of(value) is None]
    results = [
        value for node in members.nodes for value in node.outputs if value.constant is None and uses.is_used(value)
    ]
    kinds: list[tuple[Value, OutputKind]] = [
        (value, uses.kind(value)) for value in results if variable_of(value) is None
    ]
    in_parts = _in_parts(members, results, copied) if _is_branched(members) else None
    region = NativeRegion(members.nodes, members.reads, inputs, kinds, copied, members.guard, inside, in_parts)
    first = members.nodes[0]
    made = Node(declared(NATIVE_REGION), first.name, inputs, {}, None, first.runtime, first.device)
    made.outputs, made.guard, made.early = results, members.guard, first.early
    made.serial = first.serial
    made.notes["native"] = region
    return made


def _is_branched(members: RegionMembers) -> bool:
    """Whether there are branches in a region, and no loops, that other regions might compute."""
    depth = len(members.guard)
    branched = any(len(node.guard) > depth for node in members.nodes)
    return branched and all(node.region is None for node in members.nodes)


def _in_parts(members: RegionMembers, results: Sequence[Value], copied: Set[Node]) -> InParts:
    """How a region is computed by several, in each of which all nodes run: where what branches give differs in sizes."""

    def parts() -> tuple[Sequence[Node], Mapping[Node, Node | None]]:
        everything = with_reads(members.nodes, members.reads)
        found = find_regions(everything, results, copied, branches=False)
        native: dict[Node, Node | None] = dict.fromkeys(found.absorbed)
        uses = _Uses(found.nodes, results, [], found)
        for each in dict.fromkeys(found.regions.values()):
            native.update(dict.fromkeys(each.nodes, _node_of(each, uses, copied, {})))
        return found.nodes if found.regions else everything, native

    return parts


class _Uses:
    """Who uses the values of a block besides the region that makes them."""

    def __init__(
        self, nodes: Sequence[Node], results: Sequence[Value], fetched: Sequence[Value], found: Grouped
    ) -> None:
        self._results, self._fetched = set(results), set(fetched)
        self._takers: dict[Value, list[Node]] = {}
        self._asked: set[Value] = set()
        regions_of = found.regions
        for node in nodes:
            own = regions_of.get(node)
            if own is None:
                taken: Iterable[Value] = node.inputs
                self._asked.update(_predicates(node))
            else:
                taken = (*node.inputs, *decided_by(node, own.guard))
                self._asked.update(pred for pred, _ in own.guard)
            for value in taken:
                if own is None or regions_of.get(value.node) is not own:
                    self._takers.setdefault(value, []).append(node)
        for value in results:
            self._asked.update(pred for pred, _ in guard_of(value))
        self._regions = regions_of

    def is_used(self, value: Value) -> bool:
        """Whether anything outside its region uses `value`."""
        return value in self._takers or value in self._results or value in self._asked

    def kind(self, value: Value) -> OutputKind:
        """How `value` leaves its region."""
        takers = self._takers.get(value)
        if value.scalar:
            return "scalar"
        if value in self._results:
            return "fresh" if takers or value not in self._fetched else "scalar"
        if not takers:
            return "scalar"
        alone = all(taker in self._regions or leaves_alone(taker) for taker in takers)
        return "tensor" if alone else "fresh"


def _predicates(node: Node) -> Iterable[Value]:
    yield from (pred for pred, _ in node.guard)
    if node.decl.role is Role.MERGE:
        yield from (pred for value in node.inputs for pred, _ in guard_of(value))


def _taken_by_regions(graph: PlanGraph) -> set[Value]:
    """The fed values that nothing but regions takes."""
    others: set[Value] = set(graph.fetches)
    for node in graph.nodes:
        others.update(_predicates(node))
        if graph.native.get(node) is None:
            others.update(node.inputs)
    return {value for value in graph.feeds if value not in others and value.dtype.name in _ARRAYS}


_ARRAYS = frozenset({"float32", "float64", "int32", "int64", "bool"})
