"""Which variable a handle or a reference leads to, as far as a plan can tell.

In the graph of a session that is the buffer itself. The body of a function is planned once for all calls; there a handle
is a parameter, and two parameters are two variables.
"""

from __future__ import annotations

from collections.abc import Iterable

from headrace.plan.ir import UNBOUND, Node, Value, regions


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
            elif value.node.decl.handle_of == "first":
                value = value.node.inputs[0]
            else:
                return UNBOUND if value.node.decl.handle_of == "any" else value
        return value.bound


def may_be_same(handle: object, others: Iterable[object]) -> bool:
    """Whether `handle` may lead to what one of `others` leads to."""
    return any(other is handle or other is UNBOUND or handle is UNBOUND for other in others)
