"""Nodes that one node is to stand for: which of them go together, and whether all can be replaced at once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence, Set

from headrace.core.buffers import VariableBuffer
from headrace.plan.ir import Node, Value
from headrace.plan.loops import topological

# Nodes, and the node that stands for them.
Together = tuple[list[Node], Node]


def in_a_circle(nodes: Sequence[Node], together: Sequence[Together]) -> Together | None:
    """Of nodes that are computed together, the last that would have to run before others that run before them.

    Args:
        nodes: the nodes of the plan, without those that will stand for others.
        together: what is to be replaced.
    """
    stands = {member: fused for members, fused in together for member in members}
    waiting: dict[Node, int] = {}
    followers: dict[Node, list[Node]] = {}
    for node in nodes:
        here = stands.get(node, node)
        waiting.setdefault(here, 0)
        for before in {stands.get(b, b) for b in (*(value.node for value in node.inputs), *node.control)}:
            if before is not here:
                followers.setdefault(before, []).append(here)
    for follow in followers.values():
        for node in follow:
            waiting[node] += 1
    # What is given before the step is no node of the plan.
    ready = [
        node for node in (*waiting, *(other for other in followers if other not in waiting)) if not waiting.get(node)
    ]
    for node in ready:
        for other in followers.get(node, ()):
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return next((pair for pair in reversed(together) if len(pair[0]) > 1 and waiting[pair[1]]), None)


def only_serve(
    members: Collection[Node], consumers: Mapping[Value, Sequence[Node]], keep: Set[Node], wanted: Set[Value]
) -> bool:
    """Whether nothing but themselves takes what nodes compute.

    Args:
        members: the nodes.
        consumers: of each value the nodes that take it.
        keep: nodes that have to stay.
        wanted: values that are fetched.
    """
    own = set(members)
    if not own.isdisjoint(keep):
        return False
    values = (value for node in own for value in node.outputs)
    return not any(value in wanted or not own.issuperset(consumers.get(value, ())) for value in values)


def all_replaced(nodes: Sequence[Node], together: Sequence[Together]) -> list[Node]:
    """The nodes with others in the places of their last members.

    Args:
        nodes: the nodes of the plan, without those that will stand for others.
        together: what is to be replaced; nothing else takes what the members compute.
    """
    stands = {member: fused for members, fused in together for member in members}
    result: dict[Node, None] = {}
    for node in nodes:
        here = stands.get(node, node)
        result.pop(here, None)
        result[here] = None
    for node in result:
        if any(other in stands for other in node.control):
            control = dict.fromkeys(stands.get(other, other) for other in node.control)
            node.control = [other for other in control if other is not node]
    return topological([*result])


def known_as(value: Value) -> Hashable:
    """Equal for numbers that are equal, although each update of a resource variable reads and casts its own.

    Args:
        value: what updates go by, such as a learning rate.
    """
    if value.constant is not None:
        return (value.dtype, value.constant.shape, value.constant.tobytes())
    node = value.node
    if not node.control:
        if node.type == "ReadVariableOp" and isinstance(node.inputs[0].bound, VariableBuffer):
            return (node.type, node.inputs[0].bound)
        if node.type == "Cast":
            return (node.type, value.dtype, known_as(node.inputs[0]))
    return value
