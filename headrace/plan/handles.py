"""Which variable a handle or a reference leads to, as far as a plan can tell.

In the graph of a session that is the buffer itself. The body of a function is planned once for all calls; there a handle
is a parameter, and two parameters are two variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headrace.core.buffers import VariableBuffer
from headrace.core.dtypes import resource
from headrace.plan.ir import UNBOUND, Node, Value, input_positions, regions


class Handles:
    """The handles of a plan.

    Args:
        nodes: its nodes, loops among them.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._outside: dict[Value, Value | None] = {}
        self._enter(nodes)

    def _enter(self, nodes: Iterable[Node]) -> None:
        for loop, region in regions(nodes):
            count = len(region.variables)
            for value, first, following in zip(region.variables, loop.inputs[:count], region.nexts, strict=True):
                self._outside[value] = first if following is value else None
            self._outside.update(zip(region.captures, loop.inputs[count:], strict=True))
            self._enter(region.nodes)

    def of(self, value: Value) -> object:
        """What `value` leads to: what it is bound to, the value that it comes from, or UNBOUND if it may be any."""
        while value.bound is UNBOUND:
            if value in self._outside:
                outer = self._outside[value]
                if outer is None:
                    return UNBOUND
                value = outer
            elif _is_handed_on(value):
                value = value.node.inputs[0]
            else:
                return UNBOUND if value.node.decl.handle_of == "any" else value
        return value.bound

    def written_by(self, node: Node) -> Iterator[object]:
        """What leads to the variables that `node` may write, or what runs in it if it is a loop."""
        if node.region is not None:
            for inner in node.region.nodes:
                yield from self.written_by(inner)
        for index in input_positions(node, node.decl.writes_state):
            value = node.inputs[index]
            if value.bound is not UNBOUND or leads_to_memory(value):
                handle = self.of(value)
                if isinstance(handle, (VariableBuffer, Value)) or handle is UNBOUND:
                    yield handle


def leads_to_memory(value: Value) -> bool:
    """Whether a value is a reference or a handle."""
    return value.dtype._is_ref_dtype or value.dtype is resource


def variable_of(value: Value) -> VariableBuffer | None:
    """The variable that a reference or handle leads to, where that is seen without knowing what is around a loop."""
    while value.bound is UNBOUND:
        if not (leads_to_memory(value) and _is_handed_on(value)):
            return None
        value = value.node.inputs[0]
    return value.bound if isinstance(value.bound, VariableBuffer) else None


def _is_handed_on(value: Value) -> bool:
    """Whether a node gives what it takes first: updates give the references that they take."""
    decl = value.node.decl
    updates = value.dtype._is_ref_dtype and bool(decl.writes_state) and decl.writes_state[0] == 0
    return updates or decl.handle_of == "first"


def may_be_same(handle: object, others: Iterable[object]) -> bool:
    """Whether `handle` may lead to what one of `others` leads to."""
    return any(other is handle or other is UNBOUND or handle is UNBOUND for other in others)
