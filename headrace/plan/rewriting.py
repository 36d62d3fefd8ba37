"""Rewrites: passes that find a pattern among the nodes, of the plan and of loops, and put others in its place."""

from __future__ import annotations

import operator
from collections.abc import Callable, Set

from headrace.plan.graph import PlanGraph
from headrace.plan.ir import Node, Region, Value, regions
from headrace.plan.live import keep_live
from headrace.plan.pipeline import Pass, Property

# Takes the nodes in topological order, those that must stay, to which it may add, and the fetched values; returns the new
# nodes and what stands for values that are no more.
Pattern = Callable[[list[Node], set[Node], list[Value]], tuple[list[Node], dict[Value, Value]]]

NEEDS = frozenset({Property.LOOPS_RAISED, Property.BOUND, Property.GUARDS_SET, Property.TOPOLOGICAL})


def rewrite(name: str, purpose: str, pattern: Pattern, *groups: Set[str]) -> Pass:
    """The pass that applies `pattern`.

    Args:
        name: what the pass is called.
        purpose: what it is for, in one line.
        pattern: finds nodes and replaces them.
        *groups: groups of op types: it has nothing to do where no op of one of the groups is there.
    """
    return Pass(name, purpose, lambda graph: apply(pattern, graph), needs=NEEDS, when=HasAll(groups))


class HasAll:
    """A condition: whether a graph has an op of each group of op types.

    Args:
        groups: the groups.
    """

    def __init__(self, groups: tuple[Set[str], ...]) -> None:
        self.groups = groups

    def __call__(self, graph: PlanGraph) -> bool:
        return not any(map(graph.op_types().isdisjoint, self.groups))


def apply(pattern: Pattern, graph: PlanGraph) -> None:
    """Applies a pattern, and drops what nothing needs any more."""
    nodes, fetches, changed = _applied(pattern, graph.nodes, graph.fetches, graph.keep, graph.held)
    if changed:
        graph.nodes, graph.fetches = keep_live(nodes, fetches, [*graph.keep]), fetches


def _applied(
    pattern: Pattern,
    nodes: list[Node],
    fetches: list[Value],
    keep: set[Node],
    held: dict[Region | None, list[Value]],
    around: Region | None = None,
) -> tuple[list[Node], list[Value], bool]:
    """The nodes and the fetched values after a pattern was looked for, and whether it was there."""
    inside = False
    for _, region in regions(nodes):
        inner = set(region.waits)
        region.nodes, results, found = _applied(pattern, region.nodes, region.results, inner, held, region)
        region.take_results(results)
        region.waits += [node for node in region.nodes if node in inner and node not in region.waits]
        inside = inside or found
    before = nodes
    here = held.get(around, [])
    # A pattern computes what is fetched as the nodes do.
    nodes, replaced = pattern(nodes, keep, [*fetches, *here] if here else fetches)
    changed = bool(replaced) or len(nodes) != len(before) or any(map(operator.is_not, nodes, before))
    if replaced:
        for node in nodes:
            inputs = node.inputs
            for i, value in enumerate(inputs):
                new = replaced.get(value)
                if new is not None:
                    inputs[i] = new
        fetches = [replaced.get(value, value) for value in fetches]
        if here:
            held[around] = [replaced.get(value, value) for value in here]
    return nodes, fetches, changed or inside
