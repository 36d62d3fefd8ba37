"""In which branches nodes lie: derived from Switch and Merge."""

from __future__ import annotations

from headrace.core.planning_facts import Role
from headrace.plan.ir import READ_REFERENCE, Node, Region, Value, regions, without

# Predicates with what they must be, outermost first.
Guard = tuple[tuple[Value, bool], ...]


def guard_of(value: Value) -> Guard:
    """The branches in which `value` exists."""
    node = value.node
    if node.decl.role is Role.SWITCH and node.notes.get("guards", node.inputs[1].constant is None):
        return (*node.guard, (node.inputs[1], bool(value.index)))
    return node.guard


def is_never_taken(value: Value) -> bool:
    """Whether `value` is the output of a Switch that a constant predicate never takes."""
    node = value.node
    if node.decl.role is not Role.SWITCH:
        return False
    pred = node.inputs[1].constant
    return pred is not None and bool(pred) != bool(value.index)


def live_inputs(merge: Node) -> list[int]:
    """The positions of the inputs of a Merge that some branch may give."""
    found: list[int] | None = merge.notes.get("live")
    return list(range(len(merge.inputs))) if found is None else found


def taken_inputs(node: Node) -> list[Value]:
    """What a node takes: of a Merge, what some branch may give."""
    if node.decl.role is not Role.MERGE or "live" not in node.notes:
        return node.inputs
    return [node.inputs[i] for i in node.notes["live"]]


def set_guards(nodes: list[Node]) -> tuple[list[Node], set[Node]]:
    """Derives from Switch and Merge nodes the branches of every node, inside loops too.

    Returns:
        the nodes left, and those that are dropped because they lie in branches that exclude each other.
    """
    dead: set[Node] = set()
    if not any(node.decl.role is Role.SWITCH for node in nodes):
        for _, region in regions(nodes):
            dead |= _set_guards_inside(region)
        return nodes, dead
    left = []
    for node in nodes:
        if node.region is not None:
            dead |= _set_guards_inside(node.region)
        if _guard_merge(node, dead) if node.decl.role is Role.MERGE else _guard(node, dead):
            left.append(node)
        else:
            dead.add(node)
    _guard_reads(left)
    return left, dead


def _set_guards_inside(region: Region) -> set[Node]:
    region.nodes, dead = set_guards(region.nodes)
    # A ControlTrigger waits for nodes of branches that exclude each other: what it stands for waits for each of them.
    region.waits = without(region.waits, dead)
    return dead


def _guard_merge(node: Node, dead: set[Node]) -> bool:
    """Sets the guard of a Merge: what its inputs share; returns whether there are any."""
    live = [i for i, value in enumerate(node.inputs) if value.node not in dead and not is_never_taken(value)]
    if not live:
        # It lies in a branch that is never taken.
        return False
    if len(live) < len(node.inputs):
        node.notes["live"] = live
    node.guard = _common([guard_of(node.inputs[i]) for i in live])
    return True


def _guard(node: Node, dead: set[Node]) -> bool:
    """Sets the guard of any other node: what all guards before it ask for; returns whether that can be."""
    if node.decl.role is Role.SWITCH:
        # The guards derived here hold, also where the predicate turns out to be a constant later.
        node.notes["guards"] = node.inputs[1].constant is None
    # The longest guard first keeps outer branches before the inner ones.
    guards = [guard_of(value) for value in node.inputs] + [control.guard for control in node.control]
    combined: dict[tuple[Value, bool], None] = {}
    for guard in sorted(guards, key=len, reverse=True):
        combined.update(dict.fromkeys(guard))
    node.guard = tuple(combined)
    if any((pred, not taken) in combined for pred, taken in combined):
        return False
    if any(value.node in dead or is_never_taken(value) for value in node.inputs):
        return False
    return not any(before in dead for before in node.control)


def _common(guards: list[Guard]) -> Guard:
    """The branches that several guards share, outermost first.

    They need not begin with them: the gradient of a branch in a graph that was imported lies in branches of its own, and in
    those of the values that it takes.
    """
    if not guards:
        return ()
    shared = set(guards[0]).intersection(*guards[1:])
    return tuple(each for each in guards[0] if each in shared)


def _guard_reads(nodes: list[Node]) -> None:
    """References are read in the branches of what reads them: a variable without a value is no fault in others."""
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            if value.node.type == READ_REFERENCE:
                readers.setdefault(value.node, []).append(node)
    for read, takers in readers.items():
        common = _common([node.guard for node in takers])
        if common[: len(read.guard)] == read.guard:
            read.guard = common
            # In a loop the predicates may be known only after its condition has been asked.
            read.early = read.early and any(node.early for node in takers)
