"""Weight decay: what it adds to a gradient is left to the update, which goes over the variable anyway."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.core.buffers import VariableBuffer
from headrace.plan.ir import UNBOUND, Node, Value, input_positions

_SUMS = frozenset({"Add", "AddV2", "AddN"})


class Decays:
    """Finds, for the updates of one plan, gradients of the form g + factor * variable.

    Args:
        nodes: the nodes of the plan.
        fetched: the values that are asked for.
    """

    def __init__(self, nodes: Sequence[Node], fetched: Sequence[Value]) -> None:
        self._nodes = nodes
        self._fetched = set(fetched)
        # Of each variable how many nodes write it, and of each value how many take it: found out when first asked for.
        self._writers: dict[object, int] | None = None
        self._uses: dict[Value, int] = {}

    def split(self, variable: Value, gradient: Value) -> tuple[Value, float]:
        """What of `gradient` is not decay, and the factor of the decay, 0 where there is none.

        The factor must be a constant, and the sum must serve the update of `variable` only. Nothing else may write the
        variable: whenever the update reads it, it then reads what the decay was taken from.
        """
        total, buffer = gradient.node, variable.bound
        if not isinstance(buffer, VariableBuffer) or total.type not in _SUMS:
            return gradient, 0.0
        if len(total.inputs) != 2 or total.control or gradient in self._fetched:
            return gradient, 0.0
        for term, rest in (total.inputs, reversed(total.inputs)):
            factor = _factor(term, buffer)
            if factor is None or rest.dims is None or rest.dims != term.dims or None in rest.dims:
                continue
            writers = self._counted()
            # Whoever writes through a reference made in the step may write anything.
            if self._uses[gradient] == 1 and writers.get(buffer) == 1 and UNBOUND not in writers:
                return rest, factor
        return gradient, 0.0

    def serves_only(self, gradient: Value) -> bool:
        """Whether nothing but one node takes `gradient`."""
        self._counted()
        return gradient not in self._fetched and self._uses[gradient] == 1

    def _counted(self) -> dict[object, int]:
        if self._writers is None:
            self._writers = {}
            for node in self._nodes:
                for value in node.inputs:
                    self._uses[value] = self._uses.get(value, 0) + 1
                if node.decl.writes_state:
                    for index in input_positions(node, node.decl.writes_state):
                        bound = node.inputs[index].bound
                        self._writers[bound] = self._writers.get(bound, 0) + 1
        return self._writers


def _factor(term: Value, variable: VariableBuffer) -> float | None:
    """The constant by which `term` multiplies what `variable` holds, if it is that."""
    node = term.node
    if node.type != "Mul" or node.control:
        return None
    for read, scale in (node.inputs, reversed(node.inputs)):
        if scale.constant is None or scale.constant.shape != ():
            continue
        reader = read.node
        if reader.decl.reads_variable and not reader.control and reader.inputs[0].bound is variable:
            return float(scale.constant)
    return None
