"""The pass that lets element-wise nodes compute in the memory of an input that nobody needs any more.

Allocating a result and touching its memory for the first time costs more than the arithmetic: a sum of 1.6 million
float32 takes 0.5 ms into new memory and 0.16 ms into that of an operand, one of eight 1.0 and 0.7 microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from headrace.plan.graph import Reuse
from headrace.plan.ir import UNBOUND, Node, Value, regions


def reuse_memory(nodes: Sequence[Node], results: Sequence[Value], copied: Set[Node]) -> dict[Node, Reuse]:
    """The nodes that can be computed in the memory of an input, and how.

    Args:
        nodes: the nodes in the order they run.
        results: the values that are used after them.
        copied: nodes whose value is copied.
    """
    found: dict[Node, Reuse] = {}
    for _, region in regions(nodes):
        found |= reuse_memory(region.nodes, region.results, copied)
    if any(node.decl.reuse_rule is not None for node in nodes):
        found |= _Block(nodes, results, copied).found()
    return found


class _Block:
    """The nodes of a plan or of one loop, with the uses of each value."""

    def __init__(self, nodes: Sequence[Node], results: Sequence[Value], copied: Set[Node]) -> None:
        self._nodes = nodes
        self._results = set(results)
        self._copied = copied
        self._here = set(nodes)
        # Of each value the nodes that take it, in order.
        self._users: dict[Value, list[Node]] = {}
        for node in nodes:
            for value in node.inputs:
                self._users.setdefault(value, []).append(node)
            for pred, _ in node.guard:
                self._users.setdefault(pred, []).append(node)

    def found(self) -> dict[Node, Reuse]:
        """A function for each node that can do with memory there is."""
        found: dict[Node, Reuse] = {}
        for node in self._nodes:
            rule = node.decl.reuse_rule
            if rule is None or node.template is not None or node in self._copied:
                continue
            output = node.outputs[0]
            if output.scalar:
                continue
            for index, value in enumerate(node.inputs):
                if value.dtype is output.dtype and self._is_free(value, node):
                    function = rule(node, index)
                    if function is not None:
                        found[node] = Reuse(index, function)
                        break
        return found

    def _is_free(self, value: Value, node: Node) -> bool:
        """Whether `node` is the last to use `value`, which has memory of its own."""
        if value in self._results or value.scalar or value.bound is not UNBOUND:
            return False
        maker = value.node
        if maker not in self._here or maker.early != node.early or maker.device != node.device:
            return False
        users = self._users[value]
        # Twice among the inputs of one node, it is twice here.
        if users[-1] is not node or (len(users) > 1 and not all(map(leaves_alone, users[:-1]))):
            return False
        if len(users) > 1 and users[-2] is node:
            return False
        if value.index in maker.decl.fresh_outputs:
            return maker.template is None
        if maker.decl.is_view and maker not in self._copied:
            source = maker.inputs[0]
            return len(self._users[source]) == 1 and self._is_free(source, maker)
        return False


def leaves_alone(node: Node) -> bool:
    """Whether the node, when it has run, holds nothing of its inputs."""
    decl = node.decl
    return not (
        decl.may_alias
        or decl.stateful
        or decl.kept_inputs
        or decl.writes_state
        or decl.signature.calls
        or node.region is not None
        or decl.kernel_rule is None
    )
