"""The pass that decides in which order nodes run."""

from __future__ import annotations

import heapq
import itertools

from headrace.core.planning_facts import Role
from headrace.plan.branches import Guard, guard_of
from headrace.plan.graph import all_nodes
from headrace.plan.handles import Handles
from headrace.plan.ir import Node, Value, input_positions, regions
from headrace.plan.live import has_effect


def order(nodes: list[Node]) -> list[Node]:
    """Nodes in the order they run, inside loops too."""
    for _, region in regions(nodes):
        early = [node for node in region.nodes if node.early]
        region.nodes = [*order(early), *order([node for node in region.nodes if not node.early])]
    return _ordered(nodes)


def _ordered(nodes: list[Node]) -> list[Node]:
    """Nodes in the order they run.

    Inputs and control edges come first. Among the nodes that are ready, writers of state wait until nothing else is (a
    value read before a write then rarely needs a copy; initializers keep their place), nodes of the branch just entered
    go on, and what was made first in the program goes first. In the bodies of functions each access of a variable follows
    those that the program made before it, and so do prints and the like.
    """
    locks = _after_releases(nodes)
    accesses = _after_accesses(nodes)
    actions = _after_actions(nodes)
    # What passes made of several operations may stand for the later of them and be needed by the earlier.
    for rules in ((locks, accesses, actions), (locks, accesses)):
        if rules[-1]:
            after = {
                node: [*itertools.chain.from_iterable(rule.get(node, ()) for rule in rules)]
                for rule in rules
                for node in rule
            }
            ordered = _sorted(nodes, after)
            if len(ordered) == len(nodes):
                return ordered
    return _sorted(nodes, locks)


def _sorted(nodes: list[Node], after: dict[Node, list[Node]]) -> list[Node]:
    """Nodes in the order they run, where some follow others besides their inputs; fewer if they go in circles."""
    waiting: dict[Node, int] = {}
    followers: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        before = {value.node for value in node.inputs}
        before.update(after.get(node, ()))
        before.update(node.control)
        before.update(pred.node for pred, _ in node.guard)
        if node.decl.role is Role.MERGE:
            # Constants have no node that would wait for the predicate which chooses among them.
            before.update(pred.node for value in node.inputs for pred, _ in guard_of(value))
        count = 0
        for other in before:
            follow = followers.get(other)
            if follow is not None:
                follow.append(node)
                count += 1
        waiting[node] = count

    place = {node: i for i, node in enumerate(nodes)}
    ready = _Ready()
    for node in nodes:
        if waiting[node] == 0:
            ready.push(node, place[node])
    ordered: list[Node] = []
    while ready.heaps:
        node = ready.pop()
        ordered.append(node)
        for other in followers[node]:
            waiting[other] -= 1
            if waiting[other] == 0:
                ready.push(other, place[other])
    return ordered


def _after_releases(nodes: list[Node]) -> dict[Node, list[Node]]:
    """Which releases of a mutex each later lock of it follows: a step runs on one thread, which cannot wait for itself."""
    locks = [node for node in nodes if node.decl.locks]
    if len(locks) < 2:
        return {}
    released = {node.inputs[0].node: node for node in nodes if node.decl.unlocks}
    last: dict[Value, Node] = {}
    follow: dict[Node, list[Node]] = {}
    for lock in sorted(locks, key=lambda node: node.serial):
        before = last.get(lock.inputs[0])
        if before is not None and before.serial < lock.serial:
            follow[lock] = [before]
        if lock in released:
            last[lock.inputs[0]] = released[lock]
    return follow


def _after_accesses(nodes: list[Node]) -> dict[Node, list[Node]]:
    """In the bodies of functions: the accesses of a variable that each later one follows.

    A write that waits for a branch would otherwise come after the reads behind it, which wait for nothing.
    """
    found = [(node, *_accesses(node)) for node in nodes]
    touching = [(node, reads, writes) for node, reads, writes in found if reads or writes]
    if len(touching) < 2 or not any(writes for _, _, writes in touching):
        return {}
    handles = Handles(nodes)
    follow: dict[Node, list[Node]] = {}
    written: dict[int, Node] = {}
    read: dict[int, list[Node]] = {}
    for node, reads, writes in sorted(touching, key=lambda each: each[0].serial):
        before: list[Node] = []
        for value in writes:
            key = id(handles.of(value))
            before += [*read.pop(key, ()), *([written[key]] if key in written else ())]
            written[key] = node
        for value in reads:
            key = id(handles.of(value))
            if key in written and written[key] is not node:
                before.append(written[key])
            read.setdefault(key, []).append(node)
        if any(other is not node for other in before):
            follow[node] = [other for other in before if other is not node]
    return follow


def _after_actions(nodes: list[Node]) -> dict[Node, list[Node]]:
    """In the bodies of functions: what acts beside variables (prints, calls Python) follows what did so before it in the text."""
    acting = sorted((node for node in nodes if _acts(node)), key=lambda node: node.serial)
    return {node: [before] for before, node in itertools.pairwise(acting)}


def _acts(node: Node) -> bool:
    return any(
        each.origin is not None
        and each.origin._in_program_order
        and has_effect(each)
        and not input_positions(each, each.decl.writes_state)
        for each in all_nodes([node])
        if each.region is None
    )


def _accesses(node: Node) -> tuple[list[Value], list[Value]]:
    """The handles of the variables that a node of a function's body reads, and of those it writes; of a loop what is in it."""
    reads: list[Value] = []
    writes: list[Value] = []
    for each in all_nodes([node]):
        if each.origin is not None and each.origin._in_program_order:
            reads += [each.inputs[i] for i in input_positions(each, each.decl.reads_state)]
            writes += [each.inputs[i] for i in input_positions(each, each.decl.writes_state)]
    return reads, writes


class _Ready:
    """The nodes that can run, of which those of one guard are taken one after the other, as long as there are such."""

    def __init__(self) -> None:
        self.heaps: dict[Guard, list[tuple[int, int, int, Node]]] = {}
        # The first of each heap, and some that were first before.
        self._firsts: list[tuple[tuple[int, int, int], Guard]] = []
        self._current: Guard = ()

    def push(self, node: Node, place: int) -> None:
        """Puts a node in.

        Args:
            node: the node.
            place: where it was among all nodes.
        """
        heap = self.heaps.setdefault(node.guard, [])
        late = int(bool(node.decl.writes_state) and not (node.origin is not None and node.origin._in_program_order))
        if node.decl.may_wait or node.decl.is_late:
            # What need not wait for it does not.
            late = 2
        heapq.heappush(heap, (late, node.serial, place, node))
        if heap[0][3] is node:
            heapq.heappush(self._firsts, (heap[0][:3], node.guard))

    def pop(self) -> Node:
        """Takes out the node that runs next."""
        heap = self.heaps.get(self._current)
        if heap is None or (heap[0][0] and len(self.heaps) > 1):
            heap = self._choose()
        node = heapq.heappop(heap)[3]
        if heap:
            heapq.heappush(self._firsts, (heap[0][:3], self._current))
        else:
            del self.heaps[self._current]
        return node

    def _choose(self) -> list[tuple[int, int, int, Node]]:
        """Goes on with the guard that has the very first node."""
        while True:
            first, guard = self._firsts[0]
            heap = self.heaps.get(guard)
            if heap is not None and heap[0][:3] == first:
                self._current = guard
                return heap
            heapq.heappop(self._firsts)
