"""What a legal graph is at each stage of planning, and a check of it between the passes, for tests.

At every stage each value belongs to the node that makes it, nothing is there twice, and what is taken, waited for, fetched
or run is there. The properties that passes ensure are verified from then on until a pass ends them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence

from headrace.core.buffers import VariableBuffer
from headrace.core.planning_facts import Role
from headrace.plan.branches import Guard, guard_of, is_never_taken, live_inputs
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import FEED, LOOP_VALUE, UNBOUND, Node, Region, Value, input_positions, is_remote
from headrace.plan.pipeline import Pass, Property, observed

_MARKS = frozenset({Role.ENTER, Role.EXIT, Role.NEXT_ITERATION, Role.LOOP_CONDITION})


class IllegalGraphError(AssertionError):
    """A pass was given a graph, or left one, that is not legal at that stage.

    Args:
        after: the pass that left it, None where it was collected so.
        complaints: what is wrong, a line each.
    """

    def __init__(self, after: Pass | None, complaints: Sequence[str]) -> None:
        where = "as collected" if after is None else f"after the pass '{after.name}'"
        super().__init__(f"The graph is not legal {where}:\n" + "\n".join(f"  {text}" for text in complaints))


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Inside, every graph is checked before its first pass and after each.

    Raises:
        IllegalGraphError: as soon as one is not legal; at the end once more, for those whose callers have dealt with it.
    """
    held: dict[int, tuple[PlanGraph, set[Property]]] = {}
    errors: list[IllegalGraphError] = []

    def check(graph: PlanGraph, after: Pass | None) -> None:
        if after is None:
            held[id(graph)] = graph, set()
        elif id(graph) not in held:
            # Its planning began before this context.
            return
        properties = held[id(graph)][1]
        complaints = []
        if after is not None:
            complaints = [f"it needs '{each.value}'" for each in after.needs - properties]
            properties -= after.ends
            properties |= after.ensures
        complaints += problems(graph, properties)
        if complaints:
            errors.append(IllegalGraphError(after, complaints))
            raise errors[-1]

    with observed(check):
        yield
    if errors:
        raise errors[0]


def problems(graph: PlanGraph, properties: Collection[Property]) -> list[str]:
    """What is not legal about a graph that has these properties, a line each; none if it is legal."""
    found = list(_Scope(graph, properties).problems())
    for each in properties:
        found.extend(_VERIFIED[each](graph))
    return found


def _scopes(nodes: Sequence[Node], region: Region | None = None) -> Iterator[tuple[Sequence[Node], Region | None]]:
    """The nodes of the plan, then those of each loop with its region."""
    yield nodes, region
    for node in nodes:
        if node.region is not None:
            yield from _scopes(node.region.nodes, node.region)


class _Scope:
    """What holds at every stage."""

    def __init__(self, graph: PlanGraph, properties: Collection[Property]) -> None:
        self._graph = graph
        self._bound = Property.BOUND in properties
        self._guarded = Property.GUARDS_SET in properties

    def problems(self) -> Iterator[str]:
        """What is not legal."""
        graph = self._graph
        everything = list(all_nodes(graph.nodes))
        if len(set(everything)) < len(everything):
            yield "a node is there twice"
        for node in everything:
            yield from self._of_node(node)
        for nodes, region in _scopes(graph.nodes):
            yield from self._of_uses(nodes, region)
        made = {value for node in graph.nodes for value in node.outputs}
        for value in graph.fetches:
            if not (value in made or self._is_given(value) or value.node in graph.dead or is_never_taken(value)):
                yield f"the fetched value {value!r} is not there"
        here = set(graph.nodes)
        for node in graph.keep.union(graph.targets):
            if node not in here and node not in graph.dead and not (self._bound and node.decl.binding_rule):
                yield f"{node!r} is to run, and is not there"

    def _of_node(self, node: Node) -> Iterator[str]:
        for index, value in enumerate(node.outputs):
            if value.node is not node or value.index != index:
                yield f"the output {index} of {node!r} says that it is {value!r}"
        if node.guard and not self._guarded:
            yield f"{node!r} has a guard before guards are set"
        if node.region is not None:
            yield from _of_region(node, node.region)

    def _of_uses(self, nodes: Sequence[Node], region: Region | None) -> Iterator[str]:
        """Everything that nodes take or wait for is there, in the plan or in the same loop."""
        here = set(nodes)
        made = {value for node in nodes for value in node.outputs}
        if region is not None:
            made.update((*region.variables, *region.captures))
        for node in nodes:
            live = live_inputs(node) if node.decl.role is Role.MERGE else range(len(node.inputs))
            for i in live:
                value = node.inputs[i]
                if value not in made and not self._is_given(value):
                    yield f"{node!r} takes {value!r}, which is not there"
            for pred, _ in node.guard:
                if pred not in made and not self._is_given(pred):
                    yield f"{node!r} lies in a branch of {pred!r}, which is not there"
            for before in node.control:
                if before not in here:
                    yield f"{node!r} waits for {before!r}, which is not there"
        if region is not None:
            for value in region.results:
                if value not in made and not self._is_given(value):
                    yield f"a loop gives {value!r}, which is not there"
            yield from (f"a loop waits for {node!r}, which is not there" for node in region.waits if node not in here)

    def _is_given(self, value: Value) -> bool:
        """Whether `value` is there before the step: a constant, a variable, or what is fed."""
        return value.bound is not UNBOUND or (value.node.type == FEED and value in self._graph.feeds)


def _of_region(loop: Node, region: Region) -> Iterator[str]:
    if len(region.variables) != len(region.nexts):
        yield f"{loop!r} has {len(region.variables)} variables and {len(region.nexts)} values for the next iteration"
    if len(loop.inputs) != len(region.variables) + len(region.captures):
        yield f"{loop!r} takes {len(loop.inputs)} values, and knows {len(region.variables) + len(region.captures)} inside"
    if len(loop.outputs) != len(region.exits):
        yield f"{loop!r} gives {len(loop.outputs)} values, and {len(region.exits)} leave it"
    yield from (
        f"{value!r} stands for nothing outside {loop!r}"
        for value in (*region.variables, *region.captures)
        if value.node.type != LOOP_VALUE
    )


# ---- the properties that passes ensure


def _loops_raised(graph: PlanGraph) -> Iterator[str]:
    for nodes, _ in _scopes(graph.nodes):
        made = {value for node in nodes for value in node.outputs}
        for node in nodes:
            if node.decl.role in _MARKS and any(v in made and v.node.decl.role in _MARKS for v in node.inputs):
                yield f"{node!r} is the mark of a loop"


def _devices_assigned(graph: PlanGraph) -> Iterator[str]:
    """State is changed and read where it lives."""
    for node in all_nodes(graph.nodes):
        for i in input_positions(node, {*node.decl.reads_state, *node.decl.writes_state}):
            buffer = node.inputs[i].bound
            if isinstance(buffer, VariableBuffer) and node.inputs[i].node.device != node.device:
                yield f"{node!r} is on {node.device}, and its variable on {node.inputs[i].node.device}"


def _is_bound(graph: PlanGraph) -> Iterator[str]:
    for node in all_nodes(graph.nodes):
        if (
            node.decl.binding_rule is not None
            and not is_remote(node)
            and any(value.bound is UNBOUND for value in node.outputs)
        ):
            yield f"{node!r} has no value yet"


def _guards_set(graph: PlanGraph) -> Iterator[str]:
    """A node lies in all branches of what it takes; a Merge in those that its inputs share."""
    for node in all_nodes(graph.nodes):
        if any((pred, not taken) in node.guard for pred, taken in node.guard):
            yield f"{node!r} lies in branches that exclude each other"
        if node.decl.role is Role.MERGE:
            continue
        for value in node.inputs:
            missing = _without(guard_of(value), node.guard)
            if missing and value.bound is UNBOUND:
                yield f"{node!r} takes {value!r}, and does not lie in its branch {missing}"


def _without(guard: Guard, other: Guard) -> Guard:
    return tuple(branch for branch in guard if branch not in other)


def _before(node: Node) -> Iterator[Node]:
    """The nodes that must have run."""
    for value in node.inputs:
        yield value.node
    yield from node.control


def _is_sorted(graph: PlanGraph) -> Iterator[str]:
    for nodes, _ in _scopes(graph.nodes):
        yield from _out_of_order(nodes, _before)


def _out_of_order(nodes: Sequence[Node], before: Callable[[Node], Iterator[Node]]) -> Iterator[str]:
    place = {node: i for i, node in enumerate(nodes)}
    for i, node in enumerate(nodes):
        for other in before(node):
            if place.get(other, -1) >= i:
                yield f"{node!r} stands before {other!r}, which it needs"


def _is_scheduled(graph: PlanGraph) -> Iterator[str]:
    """Predicates come before what they decide on, and in loops what the condition needs before the rest."""

    def before(node: Node) -> Iterator[Node]:
        yield from _before(node)
        yield from (pred.node for pred, _ in node.guard)
        if node.decl.role is Role.MERGE:
            yield from (pred.node for i in live_inputs(node) for pred, _ in guard_of(node.inputs[i]))

    for nodes, region in _scopes(graph.nodes):
        yield from _out_of_order(nodes, before)
        if region is not None:
            early = [node.early for node in nodes]
            if early != sorted(early, reverse=True):
                yield "what a loop's condition does not need runs before it is asked"
            asked = [region.predicate, *region.exits]
            yield from (
                f"{value!r} is asked for before it is made"
                for value in asked
                if value.node in set(nodes) and not value.node.early and value.bound is UNBOUND
            )


def _is_placed(graph: PlanGraph) -> Iterator[str]:
    for node in all_nodes(graph.nodes):
        if node.region is not None or node.type == "_Transfer" or node.decl.role is not None:
            continue
        host = input_positions(node, node.decl.host_positions)
        for i, value in enumerate(node.inputs):
            there = value.node.device
            if i in host or value.node.type == FEED or value.bound is not UNBOUND or value.node.decl.role is not None:
                continue
            moves = value.dtype.name not in ("string", "resource", "variant") and not value.dtype._is_ref_dtype
            if moves and there != node.device:
                yield f"{node!r} is on {node.device}, and takes {value!r} from {there}"


def _waits_found(graph: PlanGraph) -> Iterator[str]:
    waits = graph.waits
    if waits is None:
        return
    yield from (f"what {node!r} waits for is not known" for node in graph.nodes if node not in waits)
    for node in graph.nodes:
        for other in _before(node):
            if other in waits and waits[other] & ~waits.get(node, 0):
                yield f"{node!r} has fewer waits before it than {other!r}, which it needs"


def _copies_found(graph: PlanGraph) -> Iterator[str]:
    everything = set(all_nodes(graph.nodes))
    yield from (f"{node!r} is copied, and is not there" for node in graph.copied if node not in everything)
    for nodes, region in _scopes(graph.nodes):
        results = graph.fetches if region is None else region.results
        for position, node in enumerate(nodes):
            reuse = graph.reused.get(node)
            if reuse is None:
                continue
            value = node.inputs[reuse.input]
            later = [other for other in nodes[position + 1 :] if value in other.inputs]
            if later or value in results:
                yield f"{node!r} computes in the memory of {value!r}, which {later or 'the step'} needs later"
            if not _is_own_memory(value, graph):
                yield f"{node!r} computes in the memory of {value!r}, which is not its own"


def _is_own_memory(value: Value, graph: PlanGraph) -> bool:
    """Whether `value` is new memory, or a view of new memory, that nothing else refers to."""
    node = value.node
    if value.bound is not UNBOUND:
        return False
    if value.index in node.decl.fresh_outputs:
        return True
    return node.decl.is_view and node not in graph.copied and _is_own_memory(node.inputs[0], graph)


def _stay_inside(members: Sequence[Node], depth: int, nodes: Sequence[Node]) -> bool:
    """Whether what members give that lie in a branch inside of the region is taken by members and in that branch alone."""
    inner = {value for each in members if each.guard[depth:] for value in each.outputs if value.bound is UNBOUND}
    within = set(members)
    return not any(
        value in inner and not set(guard_of(value)[depth:]) <= set(node.guard)
        for node in nodes
        if node not in within and node.decl.role is not Role.MERGE
        for value in node.inputs
    )


def _regions_found(graph: PlanGraph) -> Iterator[str]:
    """A region runs at one place, in one branch, and gives whatever of it is used elsewhere."""
    for nodes, loop in _scopes(graph.nodes):
        standing = [graph.native.get(node) for node in nodes]
        places: dict[Node, list[int]] = {}
        for i, region in enumerate(standing):
            if region is not None:
                places.setdefault(region, []).append(i)
        for region, at in places.items():
            # Reads that regions do by themselves have no line, wherever they stand.
            between = [nodes[i] for i in range(at[0], at[-1]) if standing[i] is not region]
            yield from (f"{each!r} stands in the middle of a region" for each in between if each not in graph.native)
            members = [nodes[i] for i in at]
            depth = len(region.guard)
            if any((each.guard[:depth], each.early) != (region.guard, region.early) for each in members):
                yield f"the region of {region.name} lies in several branches"
            if any(each.guard[depth:] for each in members) and not _stay_inside(members, depth, nodes):
                yield f"the region of {region.name} gives what is not there if a branch is not taken"
        results = set(graph.fetches if loop is None else loop.results)
        taken: dict[Value, list[int]] = {}
        for i, node in enumerate(nodes):
            for value in node.inputs:
                taken.setdefault(value, []).append(i)
        for node, region in zip(nodes, standing, strict=True):
            absorbed = node in graph.native and region is None
            given = set() if region is None else set(region.outputs)
            for value in node.outputs:
                if value.constant is not None:
                    continue
                takers = taken.get(value, [])
                inside = [standing[i] is not None if absorbed else standing[i] is region for i in takers]
                outside = [nodes[i] for i, own in zip(takers, inside, strict=True) if not own]
                if (absorbed or region is not None) and value not in given and (outside or value in results):
                    yield f"{value!r} is needed outside of its region, by {outside or 'the step'}"


_VERIFIED: dict[Property, Callable[[PlanGraph], Iterator[str]]] = {
    Property.LOOPS_RAISED: _loops_raised,
    Property.DEVICES_ASSIGNED: _devices_assigned,
    Property.BOUND: _is_bound,
    Property.GUARDS_SET: _guards_set,
    Property.TOPOLOGICAL: _is_sorted,
    Property.PLACED: _is_placed,
    Property.SCHEDULED: _is_scheduled,
    Property.WAITS_FOUND: _waits_found,
    Property.COPIES_FOUND: _copies_found,
    Property.REGIONS_FOUND: _regions_found,
}
