"""Collecting and printing the plans that a program's sessions make."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager

import click

from headrace.plan.graph import all_nodes
from headrace.plan.history import Change, PassEffect, PlanHistory, Removal
from headrace.plan.ir import Node
from headrace.plan.native_lowering import is_plain_read
from headrace.plan.plan import Plan
from headrace.plan.region_kernel import NativeRegion
from headrace.plan.snapshots import NodeSnapshot
from headrace.runtime.session import plan_listeners

# Of nodes that a pass left as they were so many are shown before and after others.
_CONTEXT = 1
# So many types of ops outside of regions are named.
_MOST = 8

_NO_PLAN = "# no plan was made: the program ran no session"
_BODY = "# the body of a function that it calls"

# How nodes are run; others only say where values come from.
_CALL, _WAIT, _EXPRESSION = "calls of kernels", "waits", "expressions of NumPy scalars"


@contextmanager
def collected_plans() -> Iterator[list[Plan]]:
    """Inside, every plan a session makes is added to the list given."""
    plans: list[Plan] = []
    plan_listeners.append(plans.append)
    try:
        yield plans
    finally:
        plan_listeners.remove(plans.append)


def print_plans(plans: Sequence[Plan], histories: Sequence[PlanHistory] | None = None, regions: bool = False) -> None:
    """Prints what each plan is for and the function it became.

    Args:
        plans: the plans.
        histories: how graphs were planned, to be printed before the functions: of each plan those of the bodies of
            functions that it calls as well.
        regions: whether to print what native regions compute as well.
    """
    if not plans:
        click.echo(_NO_PLAN)
    for number, plan in enumerate(plans, 1):
        click.echo(_heading(number, plans))
        for history in _of_plan(plan, plans, histories or ()):
            if history.graph is not plan.graph:
                click.echo(_BODY)
            click.echo("\n".join(history_lines(history)))
            click.echo(f"\n# {_use_of_nodes(plan)}\n" if history.graph is plan.graph else "")
        click.echo(plan.source.rstrip("\n") + "\n")
        if regions:
            click.echo(share_line(plan) + "\n")
            for each in plan.regions:
                click.echo("\n".join(region_lines(each)) + "\n")


def share_line(plan: Plan) -> str:
    """How many ops of a plan no region computes, those first that are most."""
    inside = {node for region in plan.regions for node in region.members}
    ops = [node for node in plan.nodes if not is_plain_read(node)]
    outside = Counter(node.type for node in ops if node not in inside)
    count, most = sum(outside.values()), ", ".join(f"{name} {number}" for name, number in outside.most_common(_MOST))
    share = f"# outside of regions: {count} of {len(ops)} ops"
    return f"{share} ({count / len(ops):.0%}): {most}" if count else share


def region_lines(region: NativeRegion) -> list[str]:
    """The ops of a native region, and the instructions that they became once it has run."""
    given = ", ".join(map(repr, region.inputs)) or "nothing"
    lines = [f"# native region of {_count(region.members)}, given {given}"]
    lines += [f"    {node.name} = {node.type}({', '.join(map(repr, node.inputs))})" for node in region.members]
    lines += [f"# gives {', '.join(f'{value!r} ({kind})' for value, kind in region.outputs) or 'nothing'}"]
    return lines + [f"    {line}" for line in region.dump().splitlines()]


def print_node(name: str, plans: Sequence[Plan], histories: Sequence[PlanHistory]) -> None:
    """Prints what the passes did to the nodes of one name, of each plan that has some.

    Args:
        name: of the operation, or of a tensor of it.
        plans: the plans.
        histories: how graphs were planned.
    """
    name = name.partition(":")[0]
    if not plans:
        click.echo(_NO_PLAN)
    known: set[str] = set()
    found = False
    for number, plan in enumerate(plans, 1):
        for history in _of_plan(plan, plans, histories):
            lines = node_lines(history, name)
            if lines:
                body = [_BODY] if history.graph is not plan.graph else []
                click.echo("\n".join([_heading(number, plans), *body, *lines]) + "\n")
                found = True
            nodes = [*history.collected, *(node for effect in history.effects for node in effect.nodes)]
            known.update(node.name for node in nodes)
    if plans and not found:
        like = difflib.get_close_matches(name, sorted(known))
        click.echo(f"# no plan has a node '{name}'" + (f"; there is {', '.join(like)}" if like else ""))


def _heading(number: int, plans: Sequence[Plan]) -> str:
    heading = f"plan {number} of {len(plans)}" if len(plans) > 1 else "plan"
    return f"# {heading}: {plans[number - 1].summary}".replace("\n", "\n# ")


def _of_plan(plan: Plan, plans: Sequence[Plan], histories: Sequence[PlanHistory]) -> list[PlanHistory]:
    """How a plan was made, and then the bodies of functions that were planned for it."""
    graphs = [history.graph for history in histories]
    if not graphs or plan.graph not in graphs:
        return []
    first = graphs.index(plan.graph)
    # Bodies are planned after the graph that calls them, and before the graph of the next step.
    others = {id(other.graph) for other in plans if other is not plan}
    found = [histories[first]]
    for history in histories[first + 1 :]:
        if id(history.graph) in others:
            break
        found.append(history)
    return found


def _use_of_nodes(plan: Plan) -> str:
    """How many of a plan's nodes its source calls, and what the others are: `10 nodes: calls of kernels 8, Merge 1, Switch 1`."""
    nodes = list(all_nodes(plan.graph.nodes))
    called, waiting = set(plan.nodes), set(plan.waiting)
    kinds = Counter(_kind(node, called, waiting) for node in nodes)
    order = sorted(kinds, key=lambda kind: (kind not in (_CALL, _WAIT, _EXPRESSION), kind))
    return f"{_count(nodes)}: {', '.join(f'{kind} {kinds[kind]}' for kind in order)}"


def _kind(node: Node, called: Set[Node], waiting: Set[Node]) -> str:
    if node in called:
        return _CALL
    if node in waiting:
        return _WAIT
    return node.type if node.template is None else _EXPRESSION


def history_lines(history: PlanHistory) -> list[str]:
    """A table of the passes that changed a graph, the graph before them, and what each did: `-` went, with the reason,
    `+` came, `~` changed, `>` moved.
    """
    lines = [*_table(history), "", f"# collected: {_count(history.collected)}"]
    lines += [f"    {node_text(node)}" for node in history.collected]
    for effect in history.effects:
        lines += ["", f"# {effect.name}: {effect.purpose}", f"# leaves {_count(effect.nodes)}", *_effect_lines(effect)]
    return lines


def _table(history: PlanHistory) -> list[str]:
    """Of each pass how many nodes went, came, changed, moved, and how many there are then."""
    rows: list[tuple[str, ...]] = [("pass", "-", "+", "~", ">", "nodes")]
    rows.append(("collected", "", "", "", "", str(len(history.collected))))
    for effect in history.effects:
        marks = [len(nodes) for nodes in (effect.removed, effect.added, effect.changed, effect.moved)]
        rows.append((effect.name, *(str(count or "") for count in marks), str(len(effect.nodes))))
    width = max(len(row[0]) for row in rows)
    return [f"# {row[0]:{width}}{''.join(f'{cell:>7}' for cell in row[1:])}" for row in rows]


def node_lines(history: PlanHistory, name: str) -> list[str]:
    """What the passes did to the nodes of one name, numbered ones too; nothing if there was none."""
    collected = [f"    {node_text(node)}" for node in history.collected if _is_called(node, name)]
    lines = ["# collected", *collected] if collected else []
    for effect in history.effects:
        changes = _changes(effect, lambda node: _is_called(node, name))
        lines += [f"# {effect.name}: {effect.purpose}", *changes] if changes else []
    return lines


def _is_called(node: NodeSnapshot, name: str) -> bool:
    return name in (node.name, node.name.partition("#")[0])


def _changes(effect: PassEffect, wanted: Callable[[NodeSnapshot], bool]) -> list[str]:
    marks = _marks(effect)
    lines = [_removal_text(removal) for removal in effect.removed if wanted(removal.node)]
    for node in effect.nodes:
        if id(node) in marks and wanted(node):
            lines += marks[id(node)]
    return lines


def _effect_lines(effect: PassEffect) -> list[str]:
    lines = list(map(_removal_text, effect.removed))
    marks = _marks(effect)
    shown = _around([i for i, node in enumerate(effect.nodes) if id(node) in marks], len(effect.nodes))
    hidden = 0
    for i, node in enumerate(effect.nodes):
        if i not in shown:
            hidden += 1
            continue
        if hidden:
            lines.append(f"    ... {hidden} as before")
            hidden = 0
        lines += marks.get(id(node)) or [f"    {node_text(node)}"]
    if hidden and shown:
        lines.append(f"    ... {hidden} as before")
    if effect.fetches is not None:
        lines.append(f"  * returns {', '.join(effect.fetches)}")
    return lines


def _removal_text(removal: Removal) -> str:
    return f"  - {node_text(removal.node)}: {removal.reason}"


def _marks(effect: PassEffect) -> dict[int, list[str]]:
    """The lines of the nodes that came, changed or moved, by their identity: equal ones may stand twice in a graph."""
    marks = {id(node): [f"  > {node_text(node)}"] for node in effect.moved}
    marks.update((id(node), [f"  + {node_text(node)}"]) for node in effect.added)
    for change in effect.changed:
        marks[id(change.after)] = _change_lines(change)
    return marks


def _around(marked: Sequence[int], count: int) -> set[int]:
    return {i for at in marked for i in range(max(at - _CONTEXT, 0), min(at + _CONTEXT + 1, count))}


def node_text(node: NodeSnapshot) -> str:
    """A node on one line: its name and type, what it takes, its attributes, and what else is known of it."""
    return "; ".join([_call(node), *_facts(node)])


def _call(node: NodeSnapshot) -> str:
    return f"{node.name} = {node.type}({', '.join([*node.inputs, *node.attributes])})"


def _facts(node: NodeSnapshot) -> list[str]:
    parts = [f"inside {node.loop}"] if node.loop else []
    parts += [f"if {' and '.join(node.branches)}"] if node.branches else []
    parts += [f"after {', '.join(node.waits_for)}"] if node.waits_for else []
    parts += [f"on {node.device}"] if node.device != "cpu" else []
    return [*parts, *node.details]


def _change_lines(change: Change) -> list[str]:
    """A node after a pass, with what is new of it, and below it what it took before, if that was something else."""
    before, after = _facts(change.before), _facts(change.after)
    facts = [fact if fact in before else f"now {fact}" for fact in after]
    facts += [f"no more {fact}" for fact in before if fact not in after and fact.split()[0] not in _firsts(after)]
    lines = [f"  ~ {'; '.join([_call(change.after), *facts])}"]
    if _call(change.before) != _call(change.after):
        lines.append(f"      was {_call(change.before)}")
    return lines


def _firsts(facts: Sequence[str]) -> set[str]:
    return {fact.split()[0] for fact in facts}


def _count(nodes: Sequence[object]) -> str:
    return "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
