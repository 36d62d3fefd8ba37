"""Collecting and printing the plans that a program's sessions make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from headrace.plan.history import NodeView, PassEffect, PlanHistory
from headrace.plan.plan import Plan
from headrace.runtime.session import plan_listeners

# Of nodes that a pass left as they were so many are shown between others.
_CONTEXT = 3


@contextmanager
def collected_plans() -> Iterator[list[Plan]]:
    """Inside, every plan a session makes is added to the list given."""
    plans: list[Plan] = []
    plan_listeners.append(plans.append)
    try:
        yield plans
    finally:
        plan_listeners.remove(plans.append)


def print_plans(plans: Sequence[Plan], histories: Sequence[PlanHistory] | None = None) -> None:
    """Prints what each plan is for and the function it became.

    Args:
        plans: the plans.
        histories: how graphs were planned, to be printed before the functions: of each plan those of the bodies of
            functions that it calls as well.
    """
    if not plans:
        click.echo("# no plan was made: the program ran no session")
    for number, plan in enumerate(plans, 1):
        heading = f"plan {number} of {len(plans)}" if len(plans) > 1 else "plan"
        click.echo(f"# {heading}: {plan.summary}".replace("\n", "\n# "))
        for history in _of_plan(plan, plans, histories or ()):
            if history.graph is not plan.graph:
                click.echo("# the body of a function that it calls")
            click.echo("\n".join(history_lines(history)) + "\n")
        click.echo(plan.source.rstrip("\n") + "\n")


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


def history_lines(history: PlanHistory) -> list[str]:
    """The passes that changed a graph, with the graph after each: nodes that went, came and changed are marked."""
    lines = [f"# collected: {_count(history.collected)}", *(f"    {node_text(view)}" for view in history.collected)]
    for effect in history.effects:
        lines += ["", f"# {effect.name}: {effect.purpose}", f"# leaves {_count(effect.nodes)}", *_effect_lines(effect)]
    return lines


def _effect_lines(effect: PassEffect) -> list[str]:
    lines = [f"  - {node_text(view)}" for view in effect.removed]
    added = set(map(id, effect.added))
    before = {id(change.after): change.before for change in effect.changed}
    marked = [i for i, view in enumerate(effect.nodes) if id(view) in added or id(view) in before]
    # A new order is seen where all nodes are.
    shown = set(range(len(effect.nodes))) if effect.reordered else _around(marked, len(effect.nodes))
    hidden = 0
    for i, view in enumerate(effect.nodes):
        if i not in shown:
            hidden += 1
            continue
        if hidden:
            lines.append(f"    ... {hidden} as before")
            hidden = 0
        if id(view) in added:
            lines.append(f"  + {node_text(view)}")
        elif id(view) in before:
            lines += [f"  ~ {node_text(view)}", f"      was {node_text(before[id(view)])}"]
        else:
            lines.append(f"    {node_text(view)}")
    if hidden:
        lines.append(f"    ... {hidden} as before")
    if effect.fetches is not None:
        lines.append(f"  ~ returns {', '.join(effect.fetches)}")
    return lines


def _around(marked: Sequence[int], count: int) -> set[int]:
    return {i for at in marked for i in range(max(at - _CONTEXT, 0), min(at + _CONTEXT + 1, count))}


def node_text(view: NodeView) -> str:
    """A node on one line: its name and type, what it takes, and what else is known of it."""
    parts = [f"{view.name} = {view.type}({', '.join(view.inputs)})"]
    parts += [f"inside {view.loop}"] if view.loop else []
    parts += [f"if {' and '.join(view.branches)}"] if view.branches else []
    parts += [f"after {', '.join(view.waits_for)}"] if view.waits_for else []
    parts += [f"on {view.device}"] if view.device != "cpu" else []
    return "; ".join([*parts, *view.details])


def _count(nodes: Sequence[NodeView]) -> str:
    return "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
