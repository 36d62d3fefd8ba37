"""Branches inside of native regions and loops: which nodes run between the same jumps, and in which order.

In the plan each node of a branch has its guard, and stands somewhere between others. Natively the nodes that one predicate
guards run together as far as they can: those of both branches, then what they merge to.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from headrace.core.planning_facts import Role
from headrace.native.program import Unsupported
from headrace.plan.branches import Guard, guard_of, live_inputs, taken_inputs
from headrace.plan.handles import variable_of
from headrace.plan.ir import UNBOUND, Node, Value, consumers_of
from headrace.plan.native_lowering import TYPES

_FACTS = "native facts"


class Branches:
    """Nodes that one predicate decides about, and that run between the same jumps.

    Attributes:
        predicate: the predicate.
        nodes: for each of its values the nodes, in order.
        merges: the nodes that give what the branches give.
    """

    def __init__(self, predicate: Value) -> None:
        self.predicate = predicate
        self.nodes: dict[bool, list[Node]] = {True: [], False: []}
        self.merges: list[Node] = []

    def first(self) -> Node:
        """One of the nodes."""
        return [*self.nodes[True], *self.nodes[False], *self.merges][0]

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


def nodes_within(node: Node, into: Callable[[Node], bool] = lambda node: True) -> Iterator[Node]:
    """The node, and what it runs if it is a loop, of inner loops where `into` says so."""
    # Not by calls of itself: each node of a deep nest would pass through all of them.
    pending = [node]
    while pending:
        each = pending.pop()
        yield each
        if each.region is not None and into(each):
            pending.extend(reversed(each.region.nodes))


def writes_variables(node: Node) -> bool:
    """Whether the node, or what it runs if it is a loop, writes variables."""
    return facts_of(node).writes


class Facts(NamedTuple):
    """What is true of a node or of one that it runs, kept at loops: each of a nest asks for what is inside of it."""

    writes: bool
    uses_lists: bool


def facts_of(node: Node) -> Facts:
    if node.region is None:
        return Facts(bool(node.decl.writes_state), bool(node.decl.on_list))
    known: Facts | None = node.notes.get(_FACTS)
    if known is None:
        inside = [facts_of(inner) for inner in node.region.nodes]
        known = Facts(any(each.writes for each in inside), any(each.uses_lists for each in inside))
        node.notes[_FACTS] = known
    return known


def decided_by(node: Node, guard: Guard) -> Iterator[Value]:
    """The predicates that decide, inside of `guard`, whether the node runs or what it merges."""
    guards = [node.guard]
    if node.decl.role is Role.MERGE:
        guards += [guard_of(node.inputs[i]) for i in live_inputs(node)]
    for each in guards:
        yield from (predicate for predicate, _ in each[len(guard) :])


def read_by(node: Node) -> Iterator[Value]:
    """The values that the node's lines refer to."""
    yield from node.inputs
    for predicate, _ in node.guard:
        yield predicate
    if node.decl.role is Role.MERGE:
        for value in node.inputs:
            for predicate, _ in guard_of(value):
                yield predicate


def with_reads(nodes: Sequence[Node], reads: Sequence[Node]) -> list[Node]:
    """The nodes of a region with the reads that it does by itself, each before the first node that needs it.

    What is read first thing may be a variable that another node gives its first value.
    """
    waiting = {read.outputs[0]: read for read in reads}
    result: list[Node] = []
    for node in nodes:
        result += [waiting.pop(value) for value in dict.fromkeys(read_by(node)) if value in waiting]
        result.append(node)
    return [*result, *waiting.values()]


def in_order(nodes: Sequence[Node], guard: Guard) -> Sequence[Node | Branches]:
    """Nodes of one branch, `guard`, or inside of it, in the order they run, those of inner branches together.

    A value that a branch gives is there for all later nodes of the same branch, so that one predicate may decide about nodes
    at several places.

    Args:
        nodes: the nodes, in an order in which they could run.
        guard: the branch.

    Raises:
        Unsupported: if a node merges what are not the branches of one predicate.
    """
    depth = len(guard)
    if not any(len(node.guard) > depth or node.decl.role is Role.MERGE for node in nodes):
        return nodes
    predicate_of = {node: _decider(node, depth) for node in nodes}
    before = _dependencies(nodes, depth)
    return list(_Schedule(nodes, before, predicate_of, depth).run())


def in_sequence(nodes: Sequence[Node], guard: Guard) -> list[Node]:
    """As `in_order`, one node after the other."""
    result: list[Node] = []
    for each in in_order(nodes, guard):
        if isinstance(each, Node):
            result.append(each)
            continue
        for taken in (True, False):
            result += in_sequence(each.nodes[taken], (*guard, (each.predicate, taken)))
        result += each.merges
    return result


def _decider(node: Node, depth: int) -> Value | None:
    """The predicate that decides, within so many branches, whether the node runs or what it merges.

    Raises:
        Unsupported: if several do.
    """
    if len(node.guard) > depth:
        return node.guard[depth][0]
    if node.decl.role is not Role.MERGE:
        return None
    if not merges_two(node):
        raise Unsupported(f"{node.name} merges other branches than two of one predicate")
    return guard_of(node.inputs[live_inputs(node)[0]])[depth][0]


def merges_two(merge: Node) -> bool:
    """Whether a Merge takes what the two branches of one predicate give, each itself and not a branch inside of it."""
    guards = [guard_of(merge.inputs[i]) for i in live_inputs(merge)]
    if len(guards) != 2 or any(len(each) != len(merge.guard) + 1 for each in guards):
        return False
    (one, first), (other, second) = (each[-1] for each in guards)
    return one is other and first != second and all(each[:-1] == merge.guard for each in guards)


def _dependencies(nodes: Sequence[Node], depth: int) -> dict[Node, list[Node]]:
    """For each node those of the others that have to run before it: nothing passes what writes variables."""
    here = set(nodes)
    before: dict[Node, list[Node]] = {}
    writer: Node | None = None
    since: list[Node] = []
    for node in nodes:
        needed = dict.fromkeys(_before(node))
        needed.update((predicate.node, None) for predicate in decided_by(node, node.guard[:depth]))
        if writer is not None:
            needed[writer] = None
        if writes_variables(node):
            needed.update(dict.fromkeys(since))
            writer, since = node, []
        else:
            since.append(node)
        before[node] = [other for other in needed if other in here and other is not node]
    return before


class _Schedule:
    """Puts nodes of one branch in order: as many as can run before the next jump.

    Args:
        nodes: the nodes.
        before: what has to run before each.
        predicate_of: what decides about each, None where nothing does.
        depth: how many branches lie around.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        before: Mapping[Node, Sequence[Node]],
        predicate_of: Mapping[Node, Value | None],
        depth: int,
    ) -> None:
        self._predicate_of, self._depth = predicate_of, depth
        self._place = {node: place for place, node in enumerate(nodes)}
        self._nodes = nodes
        self._waits = {node: len(before[node]) for node in nodes}
        self._after: dict[Node, list[Node]] = {}
        for node in nodes:
            for other in before[node]:
                self._after.setdefault(other, []).append(node)
        self._ready: dict[Value | None, list[int]] = {}
        for node in nodes:
            if not self._waits[node]:
                self._make_ready(node)

    def _make_ready(self, node: Node) -> None:
        heapq.heappush(self._ready.setdefault(self._predicate_of[node], []), self._place[node])

    def _release(self, node: Node) -> None:
        """Lets go those that wait for nothing but the node."""
        for other in self._after.get(node, ()):
            self._waits[other] -= 1
            if not self._waits[other]:
                self._make_ready(other)

    def run(self) -> Iterator[Node | Branches]:
        """The nodes in order."""
        while any(self._ready.values()):
            plain = self._ready.get(None)
            if plain:
                node = self._nodes[heapq.heappop(plain)]
                yield node
                self._release(node)
                continue
            predicate = min((places[0], each) for each, places in self._ready.items() if places)[1]
            assert predicate is not None
            yield self._branches(predicate)

    def _branches(self, predicate: Value) -> Branches:
        """All that can run now of what the predicate decides about."""
        part, ready = Branches(predicate), self._ready[predicate]
        while ready:
            node = self._nodes[heapq.heappop(ready)]
            if len(node.guard) > self._depth:
                part.nodes[node.guard[self._depth][1]].append(node)
                self._release(node)
            else:
                part.merges.append(node)
        for node in part.merges:
            # What a Merge gives is there only after both branches.
            self._release(node)
        return part


class Absorbed:
    """The branches of a block that regions compute with what is around them: they become jumps.

    What is given inside of a branch may leave a region, to nodes of the same branch alone: where the branch is not taken it is
    memory that nobody looks at. It may not come from elsewhere, where it would be nothing then.

    Args:
        nodes: the nodes of the block.
        results: the values that are used after them.
        candidates: those that may be in regions, whatever the branch.

    Attributes:
        members: the nodes of branches, those that merge them, and those that begin them.
    """

    def __init__(self, nodes: Sequence[Node], results: Collection[Value], candidates: Set[Node]) -> None:
        self._order = [node for node in nodes if node.guard or node.decl.role in (Role.SWITCH, Role.MERGE)]
        self._takers = consumers_of(nodes) if self._order else {}
        self._results = set(results)
        self._barred: set[Node] = {node for node in self._order if not self._may_be(node, candidates)}
        self.members: set[Node] = set()
        self.keep(set(self._order))

    def _may_be(self, node: Node, candidates: Set[Node]) -> bool:
        if node.decl.role is Role.MERGE:
            return is_branching(node) and merges_two(node) and _same_sizes(node)
        if any(value in self._results for value in node.outputs if guard_of(value)):
            return False
        return is_branching(node) if node.decl.role is Role.SWITCH else node in candidates

    def is_inside(self, node: Node) -> bool:
        """Whether nothing outside of the branches takes what the node gives."""
        if node not in self.members or not (node.guard or node.decl.role is Role.SWITCH):
            return False
        return all(taker in self.members for value in node.outputs for taker in self._takers.get(value, ()))

    def keep(self, native: Set[Node]) -> None:
        """Leaves out what is not in `native`, and what it takes with it."""
        while True:
            members: set[Node] = set()
            for node in self._order:
                if node in native and node not in self._barred and self._has_all(node, members):
                    members.add(node)
            # References stay where they are taken.
            gone = {node for node in members if node.decl.role is Role.SWITCH and not self._is_given(node, members)}
            if not gone:
                self.members = members
                return
            self._barred |= gone

    def _has_all(self, node: Node, members: Set[Node]) -> bool:
        """Whether what the node takes, and what decides about it, is there whatever branches are taken."""
        for value in (*taken_inputs(node), *decided_by(node, ())):
            if value.bound is UNBOUND and guard_of(value) and value.node not in members and variable_of(value) is None:
                return False
        return True

    def _is_given(self, switch: Node, members: Set[Node]) -> bool:
        if variable_of(switch.inputs[0]) is None and switch.inputs[0].dtype.name in TYPES:
            return True
        return all(taker in members for value in switch.outputs for taker in self._takers.get(value, ()))

    def bar(self, nodes: Iterable[Node]) -> None:
        """Leaves nodes out for good."""
        self._barred.update(nodes)

    def parted(self, groups: Collection[Sequence[Node]], lending: Set[Node]) -> set[Node]:
        """The members that are in none of the regions `groups`, and those of `lending` that another one takes something of."""
        group_of = {node: i for i, group in enumerate(groups) for node in group}
        out = {node for node in self.members if node not in group_of}
        for node in lending & self.members - out:
            takers = (taker for value in node.outputs for taker in self._takers.get(value, ()))
            if any(group_of.get(taker) != group_of[node] for taker in takers):
                out.add(node)
        return out


def _same_sizes(merge: Node) -> bool:
    """Whether what a Merge takes may have the same sizes, as the runner asks for."""
    one, other = (merge.inputs[i].dims for i in live_inputs(merge))
    if one is None or other is None:
        return True
    return len(one) == len(other) and all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def _before(node: Node) -> Iterator[Node]:
    for value in node.inputs:
        yield value.node
    yield from node.control
