"""Patterns of operations: an op type and what its inputs come from."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

# Pattern -> the operation that matched it and, unless it is where the match began, the tensor that led there.
Match = dict["Pattern", tuple[Operation, Tensor | None]]


class Pattern:
    """Something an operation, reached through one of its outputs, may match."""

    def match(self, op: Operation, tensor: Tensor | None = None) -> Match | None:
        """What matched each pattern in this one, or None."""
        raise NotImplementedError

    def in_graph(self, graph: Graph) -> Iterator[Match]:
        """The matches that begin at each operation of a graph."""
        for op in graph.get_operations():
            found = self.match(op)
            if found is not None:
                yield found


class Op(Pattern):
    """An operation of one of several types, with inputs that match patterns.

    Args:
        types: op types separated by blanks, "*" for any.
        *inputs: a pattern for each input; none at all lets the inputs be anything.
        any_order: whether the inputs may match in another order.
    """

    def __init__(self, types: str, *inputs: Pattern, any_order: bool = False) -> None:
        self.types = None if types == "*" else frozenset(types.split())
        orders = itertools.permutations(inputs) if any_order else [inputs]
        self.orders: list[Sequence[Pattern]] = list(orders) if inputs else []

    def match(self, op: Operation, tensor: Tensor | None = None) -> Match | None:
        """The match of the first order of the inputs that has one."""
        if self.types is not None and op.type not in self.types:
            return None
        if not self.orders:
            return {self: (op, tensor)}
        for order in self.orders:
            found = self._inputs_match(op, order)
            if found is not None:
                return {self: (op, tensor), **found}
        return None

    @staticmethod
    def _inputs_match(op: Operation, order: Sequence[Pattern]) -> Match | None:
        if len(op.inputs) != len(order):
            return None
        found: Match = {}
        for tensor, pattern in zip(op.inputs, order, strict=True):
            part = pattern.match(tensor.op, tensor)
            if part is None:
                return None
            found.update(part)
        return found


class OneOf(Pattern):
    """What matches the first of several patterns that has a match."""

    def __init__(self, *patterns: Pattern) -> None:
        self.patterns = patterns

    def match(self, op: Operation, tensor: Tensor | None = None) -> Match | None:
        """The match of the first pattern that has one."""
        for pattern in self.patterns:
            found = pattern.match(op, tensor)
            if found is not None:
                return found
        return None


def op_of(found: Match, *patterns: Pattern) -> Operation | None:
    """The operation that matched the first of the patterns that is part of the match."""
    for pattern in patterns:
        if pattern in found:
            return found[pattern][0]
    return None


def tensor_of(found: Match, *patterns: Pattern) -> Tensor | None:
    """The tensor that led to what matched the first of the patterns that is part of the match."""
    for pattern in patterns:
        if pattern in found:
            return found[pattern][1]
    return None
