"""The pass that keeps what results and effects need, and nothing that only a control edge would keep.

A control edge says that one operation runs before another, not that its value is wanted. Where the first has no effect
and no one takes its value, TensorFlow computes it all the same; here only the effects behind it run. Gradient gates are
made of such edges: the gradient of a fed input is built, gated, and never used.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from headrace.core.planning_facts import Role
from headrace.plan.branches import taken_inputs
from headrace.plan.ir import Node, Region, Value, is_live, regions


def has_effect(node: Node) -> bool:
    """Whether running the node does something besides making its outputs."""
    decl = node.decl
    if node.region is not None:
        return any(map(has_effect, node.region.nodes))
    if decl.writes_state or decl.must_run:
        return True
    # Binding a constant or buffer happens while planning, and reading leaves everything as it was; a gather may raise.
    return decl.stateful and decl.binding_rule is None and not decl.lends_state and decl.side_effects


def keep_live(nodes: list[Node], fetched: Sequence[Value], targets: Sequence[Node]) -> list[Node]:
    """The nodes that lead to what is fetched or run, with the control edges that matter.

    An edge to a node that is not live becomes edges to the effects behind it. An edge to a live node without any effect
    behind it goes: writers of state run after everything that is ready, so such a node runs before them anyway.
    """
    effects: dict[Node, tuple[Node, ...]] = {}
    for loop, region in regions(nodes):
        _keep_live_inside(loop, region)
    live: set[Node] = set()
    pending = [value.node for value in fetched]
    pending += targets
    # Often many nodes wait for the same many: each list is followed once.
    followed: set[tuple[Node, ...]] = set()
    while pending:
        node = pending.pop()
        if node in live:
            continue
        live.add(node)
        inputs = taken_inputs(node) if node.decl.role is Role.MERGE else node.inputs
        pending.extend(value.node for value in inputs)
        pending.extend(pred.node for pred, _ in node.guard)
        if node.control and (waits := tuple(node.control)) not in followed:
            followed.add(waits)
            for before in waits:
                pending.extend(_effects(before, effects))
    kept = [node for node in nodes if node in live]
    waited: dict[tuple[Node, ...], list[Node]] = {}
    for node in kept:
        if node.control:
            waits = tuple(node.control)
            if waits not in waited:
                waited[waits] = _waited_for(waits, live, effects)
            node.control = waited[waits].copy()
    return kept


def _waited_for(control: Sequence[Node], live: Set[Node], effects: dict[Node, tuple[Node, ...]]) -> list[Node]:
    """What a node with these control edges has to wait for."""
    found: dict[Node, None] = {}
    for before in control:
        behind = _effects(before, effects)
        if behind and before in live:
            behind = (before,)
        found.update(dict.fromkeys(other for other in behind if other.decl.is_waited_for))
    return list(found)


def _keep_live_inside(loop: Node, region: Region) -> None:
    """Drops the loop variables that nothing depends on, then what only they needed."""
    effects: dict[Node, tuple[Node, ...]] = {}
    targets = list(dict.fromkeys(effect for node in region.waits for effect in _effects(node, effects)))
    place = {value: i for i, value in enumerate(region.variables)}
    live: set[Node] = set()
    wanted: dict[int, None] = {}
    pending = [region.predicate.node, *(value.node for value in region.exits), *targets]
    values = [region.predicate, *region.exits]
    wanted.update((place[value], None) for value in values if value in place)
    followed: set[int] = set()
    while pending or len(followed) < len(wanted):
        if not pending:
            index = next(i for i in wanted if i not in followed)
            followed.add(index)
            following = region.nexts[index]
            if following in place:
                wanted[place[following]] = None
            pending.append(following.node)
            continue
        node = pending.pop()
        if node in live:
            continue
        live.add(node)
        for value in [*taken_inputs(node), *(pred for pred, _ in node.guard)]:
            if value in place:
                wanted[place[value]] = None
            pending.append(value.node)
        for before in node.control:
            pending.extend(_effects(before, effects))
    if len(wanted) < len(region.variables):
        kept = sorted(wanted)
        count = len(region.variables)
        loop.inputs = [loop.inputs[i] for i in kept] + loop.inputs[count:]
        region.variables = [region.variables[i] for i in kept]
        region.nexts = [region.nexts[i] for i in kept]
    region.nodes = keep_live(region.nodes, region.results, targets)
    region.waits = targets


def _effects(root: Node, known: dict[Node, tuple[Node, ...]]) -> tuple[Node, ...]:
    """The node itself if it has an effect, else the nearest nodes before it that have."""
    stack = [root]
    while stack:
        node = stack[-1]
        if node in known:
            stack.pop()
            continue
        if has_effect(node):
            known[node] = (node,)
            stack.pop()
            continue
        inputs = taken_inputs(node) if node.decl.role is Role.MERGE else node.inputs
        before = [value.node for value in inputs] + node.control
        unknown = [other for other in before if other not in known]
        if unknown:
            stack.extend(unknown)
            continue
        found: dict[Node, None] = {}
        for other in before:
            found.update(dict.fromkeys(known[other]))
        known[node] = tuple(found)
        stack.pop()
    return known[root]


def _may_hand_on(node: Node, keep: Set[Node], wanted: Set[Value]) -> bool:
    # An Identity hands on what it waits for as it is taken out.
    return node.type != "Identity" and node not in keep and wanted.isdisjoint(node.outputs)


_SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank"})


def _only_write(nodes: Sequence[Node]) -> bool:
    """Whether none of the nodes might refuse a step, as assertions do."""
    return all(bool(node.decl.writes_state) and node.region is None for node in nodes)


def _is_settled(node: Node, settled: Set[Node]) -> bool:
    """Whether what the node gives is the same whenever it runs: a constant, a shape, or what is computed of such.

    What is computed may fail, so that it stays behind what might refuse the step before.

    Args:
        node: the node.
        settled: those of the nodes before it of which that is so.
    """
    decl = node.decl
    if node.guard or node.region is not None:
        return False
    if node.type in _SHAPES:
        return not any(value.dtype._is_ref_dtype or is_live(value) for value in node.inputs)
    if node.type == "Const":
        return True
    if decl.kernel_rule is None or decl.role is not None or decl.stateful or has_effect(node):
        return False
    if not (decl.cannot_fail or _only_write(node.control)):
        return False
    return all(value.constant is not None or value.node in settled for value in node.inputs)


def drop_gates(nodes: list[Node], fetched: Sequence[Value], keep: set[Node]) -> list[Node]:
    """Takes out each Identity: its consumers wait for what it waited for; and so do those of a constant, and of what is
    computed of constants and shapes, which wait no more."""
    replaced: dict[Value, Value] = {}
    waits: dict[Value, list[Node]] = {}
    constants: dict[Node, list[Node]] = {}
    settled: set[Node] = set()
    wanted = set(fetched)
    left = []
    for node in nodes:
        extra: dict[Node, None] = {}
        for i, value in enumerate(node.inputs):
            if value in waits:
                node.inputs[i] = replaced.get(value, value)
                extra.update(dict.fromkeys(waits[value]))
        if node.guard and any(pred in waits for pred, _ in node.guard):
            for pred, _ in node.guard:
                extra.update(dict.fromkeys(waits.get(pred, ())))
            node.guard = tuple(dict.fromkeys((replaced.get(pred, pred), taken) for pred, taken in node.guard))
        if constants and not constants.keys().isdisjoint(node.control):
            extra.update(dict.fromkeys(other for before in node.control for other in constants.get(before, ())))
            node.control = [before for before in node.control if before not in constants]
        if extra:
            node.control = list(dict.fromkeys([*node.control, *extra]))
        if _is_settled(node, settled) and (not node.control or _may_hand_on(node, keep, wanted)):
            settled.add(node)
            if node.control:
                constants[node] = node.control
                waits.update(dict.fromkeys(node.outputs, node.control))
                node.control = []
        if node.type == "Identity" and node not in keep and node.outputs[0] not in wanted:
            source = node.inputs[0]
            if source.node.guard == node.guard and source.node.decl.role is not Role.SWITCH:
                replaced[node.outputs[0]] = source
                waits[node.outputs[0]] = node.control
                continue
        if node.region is not None:
            node.region.nodes = drop_gates(node.region.nodes, node.region.results, set(node.region.waits))
        left.append(node)
    if not replaced:
        return left
    sources = {value.node: given for value, given in replaced.items()}
    for node in left:
        if node.control and any(before in sources for before in node.control):
            control: dict[Node, None] = {}
            for before in node.control:
                last: Value | None = None
                while before in sources:
                    control.update(dict.fromkeys(waits[before.outputs[0]]))
                    last = sources[before]
                    before = last.node
                if last is None or not last.is_given():
                    control[before] = None
            node.control = [before for before in control if before not in sources]
    return left
