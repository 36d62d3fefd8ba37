"""Several steps of one moving average: each starts from where the one before has left it."""

from __future__ import annotations

from itertools import pairwise

from headrace.core.buffers import VariableBuffer
from headrace.plan.ir import Node, Value

SUBTRACTIONS = frozenset({"AssignSub", "AssignSubVariableOp"})


def separate_averages(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Of v -= (v - a) * rate and v -= (v - b) * rate, the second subtracts from v as the first has left it.

    The program leaves it open. If all read v before any writes it, as writers wait in general, the steps add up: a
    layer that normalizes twenty times at a rate of 0.1 moves its average to the other side of what it averages, and away.
    A plan without this pass may give other values, so it is no fusion: those never change any.
    """
    steps: dict[VariableBuffer, list[tuple[int, Node, Node]]] = {}
    place = {node: i for i, node in enumerate(nodes)}
    for i, node in enumerate(nodes):
        if node.type not in SUBTRACTIONS or node.guard:
            continue
        buffer = node.inputs[0].bound
        difference = _difference(node.inputs[1].node, buffer)
        if difference is not None and not difference.guard:
            steps.setdefault(buffer, []).append((i, node, difference))
    for several in steps.values():
        for (i, write, _), (_, _, difference) in pairwise(several):
            # What comes later among the nodes is nothing that the write has to wait for.
            if place.get(difference, 0) > i:
                difference.control = [*difference.control, write]
    return nodes, {}


def _difference(change: Node, buffer: object) -> Node | None:
    """The subtraction v - a in a change (v - a) * rate of the variable of `buffer`."""
    if change.type != "Mul" or not isinstance(buffer, VariableBuffer):
        return None
    for value in change.inputs:
        difference = value.node
        if difference.type == "Sub":
            read = difference.inputs[0].node
            if read.decl.reads_variable and read.inputs[0].bound is buffer:
                return difference
    return None
