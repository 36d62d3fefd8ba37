"""Values computed of reference variables before these are written, and used after: no pattern may compute them later.

A reference variable is read by whoever takes its memory, at the time that one runs. Control edges say that this is before a
write; what a node of a pattern reads would be read when the node runs that stands for the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.plan.graph import PlanGraph
from headrace.plan.handles import Handles
from headrace.plan.ir import READ_REFERENCE, UNBOUND, Node, Region, Value
from headrace.plan.native_branches import writes_variables

# Bits of variables: those of all.
_ANY = -1


def hold_reads(graph: PlanGraph) -> None:
    """Finds the values that patterns leave to the nodes that compute them."""
    if any(writes_variables(node) for node in graph.nodes):
        graph.held = _HeldReads(graph.nodes).values


class _HeldReads:
    """The values of a plan and of its loops that are to be computed where they are.

    Args:
        nodes: the nodes, in an order in which they could run.

    Attributes:
        values: the values; those of a loop by its region, those of the plan by None.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.values: dict[Region | None, list[Value]] = {}
        self._handles = Handles(nodes)
        self._bits: dict[int, int] = {}
        # Of values that may be the memory of reference variables, these.
        self._memory: dict[Value, int] = {}
        self._find(nodes, None)

    def _bit(self, handle: object) -> int:
        return _ANY if handle is UNBOUND else 1 << self._bits.setdefault(id(handle), len(self._bits))

    def _find(self, nodes: Sequence[Node], region: Region | None) -> None:
        before, after = self._writes(nodes)
        # What has been read of memory that nothing has written since.
        read: dict[Node, int] = {}
        held: dict[Value, None] = {}
        for node in nodes:
            if node.region is not None:
                self._find_inside(node, node.region)
            taken = 0
            for value in node.inputs:
                taken |= self._memory.get(value, 0)
                seen = read.get(value.node, 0)
                if seen:
                    since = before.get(node, 0) & ~after.get(value.node, 0)
                    taken |= seen & ~since
                    if seen & since:
                        held[value] = None
            if taken:
                read[node] = taken
            self._note_memory(node)
        if held:
            self.values[region] = [*held]

    def _writes(self, nodes: Sequence[Node]) -> tuple[dict[Node, int], dict[Node, int]]:
        """What has been written before each node, and what has been when it has run."""
        before: dict[Node, int] = {}
        after: dict[Node, int] = {}
        for node in nodes:
            written = 0
            if after:
                for value in node.inputs:
                    written |= after.get(value.node, 0)
                for other in node.control:
                    written |= after.get(other, 0)
                for predicate, _ in node.guard:
                    written |= after.get(predicate.node, 0)
                if written:
                    before[node] = written
            for handle in self._handles.written_by(node):
                written |= self._bit(handle)
            if written:
                after[node] = written
        return before, after

    def _note_memory(self, node: Node) -> None:
        own = 0
        if node.type == READ_REFERENCE:
            own = self._bit(self._handles.of(node.inputs[0]))
        elif node.decl.may_alias and node.region is None:
            for value in node.inputs:
                own |= self._memory.get(value, 0)
        if own:
            self._memory.update(dict.fromkeys(node.outputs, own))

    def _find_inside(self, loop: Node, region: Region) -> None:
        for inner, outer in zip([*region.variables, *region.captures], loop.inputs, strict=True):
            if outer in self._memory:
                self._memory[inner] = self._memory[outer]
        self._find(region.nodes, region)
