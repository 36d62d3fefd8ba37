"""Branches inside of native loops: which nodes run between the same jumps, and in which order.

In the plan each node of a branch has its guard, and stands somewhere between others. Natively the nodes that one predicate
guards, and that lead to one another or to the same Merge, run together: those of both branches, then what they merge to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from headrace.core.planning_facts import Role
from headrace.native.program import Unsupported
from headrace.plan.branches import Guard, guard_of, live_inputs
from headrace.plan.ir import Node, Value, consumers_of
from headrace.plan.native_lowering import TYPES


class Branches:
    """The nodes that one predicate decides about, and that have to do with one another.

    Attributes:
        predicate: the predicate.
        nodes: for each of its values the nodes, in order.
        merges: the nodes that give what the branches give.
    """

    def __init__(self, predicate: Value) -> None:
        self.predicate = predicate
        self.nodes: dict[bool, list[Node]] = {True: [], False: []}
        self.merges: list[Node] = []

    def members(self) -> list[Node]:
        """All nodes."""
        return [*self.nodes[True], *self.nodes[False], *self.merges]

    def result(self, merge: Node, taken: bool, guard: Guard) -> tuple[Value, int]:
        """What a Merge gives where the predicate is `taken`, and which of its inputs that is.

        Raises:
            Unsupported: if there is no such input.
        """
        wanted = (*guard, (self.predicate, taken))
        for i in live_inputs(merge):
            if guard_of(merge.inputs[i]) == wanted:
                return merge.inputs[i], i
        raise Unsupported(f"{merge.name} has no input for one branch")


def is_branching(node: Node) -> bool:
    """Whether the node begins or ends branches, with values that the runner has."""
    if node.decl.role is Role.SWITCH:
        return node.inputs[0].dtype.base_dtype.name in (*TYPES, "resource")
    return node.decl.role is Role.MERGE and node.outputs[0].dtype.name in TYPES


def decided_by(node: Node, guard: Guard) -> Iterator[Value]:
    """The predicates that decide, inside of `guard`, whether the node runs or what it merges."""
    guards = [node.guard]
    if node.decl.role is Role.MERGE:
        guards += [guard_of(node.inputs[i]) for i in live_inputs(node)]
    for each in guards:
        yield from (predicate for predicate, _ in each[len(guard) :])


def in_order(nodes: Sequence[Node], guard: Guard) -> Sequence[Node | Branches]:
    """Nodes of one branch, `guard`, or inside of it, in the order they run, those of inner branches together.

    Raises:
        Unsupported: if branches wait for one another.
    """
    part_of = _parts(nodes, guard)
    if not part_of:
        return nodes
    here = set(nodes)
    done: set[object] = set()
    begun: set[object] = set()
    result: list[Node | Branches] = []
    for first in nodes:
        pending: list[tuple[Node | Branches, bool]] = [(part_of.get(first, first), False)]
        while pending:
            each, ready = pending.pop()
            if each in done:
                continue
            if ready:
                done.add(each)
                result.append(each)
                continue
            if each in begun:
                raise Unsupported("branches wait for one another")
            begun.add(each)
            pending.append((each, True))
            members = each.members() if isinstance(each, Branches) else [each]
            before = [other for node in members for other in _before(node)]
            if isinstance(each, Branches):
                before.append(each.predicate.node)
            needed = dict.fromkeys(part_of.get(other, other) for other in reversed(before) if other in here)
            pending += [(other, False) for other in needed if other is not each and other not in done]
    return result


class Absorbed:
    """The branches of a block that regions compute with what is around them: they become jumps.

    Args:
        nodes: the nodes of the block.
        results: the values that are used after them.
        candidates: those that may be in regions, whatever the branch.

    Attributes:
        members: the nodes of branches, those that merge them, and those that begin them.
    """

    def __init__(self, nodes: Sequence[Node], results: Collection[Value], candidates: Set[Node]) -> None:
        try:
            parts = set(_parts(nodes, ()).values())
        except Unsupported:
            parts = set()
        self._takers = consumers_of(nodes) if parts else {}
        self._results = set(results)
        # For each part its nodes, and those that begin its branches.
        self._parts: dict[Branches, tuple[set[Node], set[Node]]] = {}
        for part in parts:
            own = set(part.members())
            begins = {value.node for node in own for value in node.inputs if value.node.decl.role is Role.SWITCH} - own
            if all(self._fits(node, own, part, candidates) for node in own) and all(map(is_branching, begins)):
                self._parts[part] = own, begins
        self.members: set[Node] = set()
        self.keep({node for own, begins in self._parts.values() for node in (*own, *begins)} | candidates)

    def _fits(self, node: Node, own: Set[Node], part: Branches, candidates: Set[Node]) -> bool:
        branching = node.decl.role in (Role.SWITCH, Role.MERGE)
        if node.decl.writes_state or not (is_branching(node) if branching else node in candidates):
            return False
        return node in part.merges or not any(self._is_used(value, own) for value in node.outputs)

    def _is_used(self, value: Value, by_others_than: Set[Node]) -> bool:
        return value in self._results or not set(self._takers.get(value, ())) <= by_others_than

    def is_inside(self, node: Node) -> bool:
        """Whether nothing outside of the branches takes what the node gives."""
        return node in self.members and (bool(node.guard) or node.decl.role is not Role.MERGE)

    def keep(self, native: Set[Node]) -> None:
        """Leaves out the branches of which some node is not in `native`."""
        while True:
            members = {node for own, begins in self._parts.values() for node in (*own, *begins)}
            gone = [
                part
                for part, (own, begins) in self._parts.items()
                if not own <= native
                or not begins <= native
                or any(self._is_used(value, members) for node in begins for value in node.outputs)
            ]
            if not gone:
                self.members = members
                return
            for part in gone:
                del self._parts[part]

    def parted(self, groups: Iterable[Sequence[Node]]) -> set[Node]:
        """The nodes of branches of which another is not in the same group."""
        group_of = {node: i for i, group in enumerate(groups) for node in group}
        out: set[Node] = set()
        for own, begins in self._parts.values():
            if len({group_of.get(node) for node in (*own, *begins)}) > 1:
                out |= own | begins
        return out


def _before(node: Node) -> Iterator[Node]:
    for value in node.inputs:
        yield value.node
    yield from node.control


def _parts(nodes: Sequence[Node], guard: Guard) -> dict[Node, Branches]:
    """For each node of an inner branch, or that merges such, what it belongs to."""
    depth = len(guard)
    key_of: dict[Node, tuple[Value, bool | None]] = {}
    if not any(len(node.guard) > depth or node.decl.role is Role.MERGE for node in nodes):
        return {}
    for node in nodes:
        if len(node.guard) > depth:
            key_of[node] = node.guard[depth]
        elif node.decl.role is Role.MERGE:
            predicates = {guard_of(node.inputs[i])[depth:][:1] for i in live_inputs(node)}
            first = {pred for each in predicates for pred, _ in each}
            if len(first) != 1 or len(predicates) != 2:
                raise Unsupported(f"{node.name} merges other branches than two of one predicate")
            key_of[node] = next(iter(first)), None
    parent = {node: node for node in key_of}

    def root(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for node, (predicate, _) in key_of.items():
        for other in _before(node):
            # What only takes the result of a Merge need not run with it.
            if other in key_of and key_of[other][0] is predicate and key_of[other][1] is not None:
                parent[root(node)] = root(other)
    made: dict[Node, Branches] = {}
    for node, (predicate, taken) in key_of.items():
        part = made.setdefault(root(node), Branches(predicate))
        if taken is None:
            part.merges.append(node)
        else:
            part.nodes[taken].append(node)
    return {node: made[root(node)] for node in key_of}
