"""The pass that keeps what results and effects need, and nothing that only a control edge would keep.

A control edge says that one operation runs before another, not that its value is wanted. Where the first has no effect
and no one takes its value, TensorFlow computes it all the same; here only the effects behind it run. Gradient gates are
made of such edges: the gradient of a fed input is built, gated, and never used.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.plan.ir import Node, Value


def has_effect(node: Node) -> bool:
    """Whether running the node does something besides making its outputs."""
    decl = node.decl
    return decl.stateful or bool(decl.writes_state) or decl.must_run


def keep_live(nodes: list[Node], fetched: Sequence[Value], targets: Sequence[Node]) -> list[Node]:
    """The nodes that lead to what is fetched or run; control edges to others are replaced by the effects behind them."""
    effects: dict[Node, tuple[Node, ...]] = {}
    live: set[Node] = set()
    pending = [value.node for value in fetched]
    pending += targets
    while pending:
        node = pending.pop()
        if node in live:
            continue
        live.add(node)
        pending.extend(value.node for value in node.inputs)
        pending.extend(pred.node for pred, _ in node.guard)
        for before in node.control:
            pending.extend(_effects(before, effects))
    kept = [node for node in nodes if node in live]
    for node in kept:
        if node.control:
            control: dict[Node, None] = {}
            for before in node.control:
                if before in live:
                    control[before] = None
                else:
                    control.update(dict.fromkeys(effects.get(before, ())))
            node.control = list(control)
    return kept


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
        before = [value.node for value in node.inputs] + node.control
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


def drop_gates(nodes: list[Node], fetched: list[Value], keep: set[Node]) -> tuple[list[Node], list[Value]]:
    """Takes out each Identity that only makes its consumers wait: they get the control edges themselves."""
    replaced: dict[Value, Value] = {}
    waits: dict[Value, list[Node]] = {}
    wanted = set(fetched)
    left = []
    for node in nodes:
        extra: dict[Node, None] = {}
        for i, value in enumerate(node.inputs):
            if value in replaced:
                node.inputs[i] = replaced[value]
                extra.update(dict.fromkeys(waits[value]))
        if extra:
            node.control = list(dict.fromkeys([*node.control, *extra]))
        if node.type == "Identity" and node.control and node not in keep and node.outputs[0] not in wanted:
            source = node.inputs[0]
            if source.node.guard == node.guard and not source.node.type.endswith("Switch"):
                replaced[node.outputs[0]] = source
                waits[node.outputs[0]] = node.control
                continue
        left.append(node)
    if not replaced:
        return left, fetched
    dropped = {value.node: replaced[value].node for value in replaced}
    for node in left:
        if any(before in dropped for before in node.control):
            control: dict[Node, None] = {}
            for before in node.control:
                while before in dropped:
                    control.update(dict.fromkeys(waits[before.outputs[0]]))
                    before = dropped[before]
                control[before] = None
            node.control = [before for before in control if before not in dropped]
    return left, fetched
