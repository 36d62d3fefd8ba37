"""Stacks on which one loop keeps values, once an iteration, for another that goes the other way: its gradient."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.core.planning_facts import Role
from headrace.plan.ir import Node, Region, Value, without


class KeptStack:
    """A stack that one loop pushes to, once an iteration, and another pops from, once an iteration."""

    __slots__ = ("pop", "popping", "push", "pushing", "stack")

    def __init__(self, stack: Node, pushing: Node, push: Node, popping: Node, pop: Node) -> None:
        self.stack = stack
        self.pushing, self.push = pushing, push
        self.popping, self.pop = popping, pop


def kept_stacks(nodes: Sequence[Node], fetched: Iterable[Value]) -> list[KeptStack]:
    """The stacks of these nodes of which everything is known that is done with them."""
    stacks = {node.outputs[0]: node for node in nodes if node.decl.role is Role.STACK}
    if not stacks:
        return []
    uses: dict[Value, list[tuple[Node, int]]] = {handle: [] for handle in stacks}
    for node in nodes:
        for i, value in enumerate(node.inputs):
            if value in uses:
                uses[value].append((node, i))
    wanted = set(fetched)
    # Of the loops that stacks go to, who takes each capture.
    consumers: dict[Node, dict[Value, list[Node]]] = {}
    found = []
    for handle, stack in stacks.items():
        pushes: list[tuple[Node, Node]] = []
        pops: list[tuple[Node, Node]] = []
        is_known = handle not in wanted
        for loop, position in uses[handle]:
            region = loop.region
            if region is None or position < len(region.variables):
                is_known = False
                break
            if loop not in consumers:
                consumers[loop] = consumers_inside(region)
            capture = region.captures[position - len(region.variables)]
            for node in consumers[loop].get(capture, ()):
                role = node.decl.role
                (pushes if role is Role.STACK_PUSH else pops).append((loop, node))
                is_known = is_known and (role is Role.STACK_PUSH or role is Role.STACK_POP)
                is_known = is_known and not node.guard and not node.early
            is_known = is_known and capture not in region.results
        if is_known and len(pushes) == len(pops) == 1 and pushes[0][0] is not pops[0][0]:
            found.append(KeptStack(stack, *pushes[0], *pops[0]))
    return found


def consumers_inside(region: Region) -> dict[Value, list[Node]]:
    consumers: dict[Value, list[Node]] = {}
    for node in region.nodes:
        for value in node.inputs:
            consumers.setdefault(value, []).append(node)
        for pred, _ in node.guard:
            consumers.setdefault(pred, []).append(node)
    return consumers


def unused_stacks(kept: list[KeptStack], keep: set[Node]) -> list[KeptStack]:
    """The stacks from which nothing is taken that is used."""
    used: set[Value] = set()
    for loop in {loop for entry in kept for loop in (entry.pushing, entry.popping)}:
        assert loop.region is not None
        used.update(loop.region.results)
        used.update(consumers_inside(loop.region))
    return [
        entry
        for entry in kept
        if entry.pop.outputs[0] not in used and entry.push.outputs[0] not in used and entry.stack not in keep
    ]


def _by_loop(kept: list[KeptStack]) -> dict[Node, set[Node]]:
    found: dict[Node, set[Node]] = {}
    for entry in kept:
        found.setdefault(entry.pushing, set()).add(entry.push)
        found.setdefault(entry.popping, set()).add(entry.pop)
    return found


def _drop_captures(loop: Node, handles: set[Value]) -> None:
    region = loop.region
    assert region is not None
    count = len(region.variables)
    left = [(o, i) for o, i in zip(loop.inputs[count:], region.captures, strict=True) if o not in handles]
    loop.inputs = [*loop.inputs[:count], *(outer for outer, _ in left)]
    region.captures = [inner for _, inner in left]


def without_nodes(nodes: list[Node], gone: set[Node]) -> list[Node]:
    """The other nodes; who waited for one that is gone waits for what that waited for."""
    left = [node for node in nodes if node not in gone]
    for node in left:
        if node.control and not gone.isdisjoint(node.control):
            node.control = without(node.control, gone)
    return left


def drop_unused(nodes: list[Node], kept: list[KeptStack], keep: set[Node]) -> list[Node]:
    """The nodes without the stacks from which nothing is taken that is used."""
    unused = unused_stacks(kept, keep)
    if not unused:
        return nodes
    for loop in dict.fromkeys([loop for entry in unused for loop in (entry.pushing, entry.popping)]):
        _drop_captures(loop, {entry.stack.outputs[0] for entry in unused})
    for entry_loop, gone in _by_loop(unused).items():
        region = entry_loop.region
        assert region is not None
        region.nodes = without_nodes(region.nodes, gone)
        region.waits = without(region.waits, gone)
    return without_nodes(nodes, {entry.stack for entry in unused})
