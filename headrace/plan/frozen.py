"""Frozen values: those that only constants and unwritten variables decide, the same from step to step."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.errors import OpError
from headrace.core.planning_facts import Role
from headrace.plan.ir import UNBOUND, Node, Value, regions

if TYPE_CHECKING:
    from headrace.core.typing import Kernel


def written_buffers(nodes: Sequence[Node]) -> set[object]:
    """The buffers that the nodes write, with UNBOUND among them where that shows only in the step."""
    found: set[object] = set()
    for node in nodes:
        if node.decl.writes_state:
            for value in node.inputs:
                if value.dtype._is_ref_dtype or value.dtype.name == "resource":
                    found.add(value.bound)
    for _, region in regions(nodes):
        found |= written_buffers(region.nodes)
    return found


class FrozenValues:
    """Tells which values of a plan are frozen.

    Args:
        written: the buffers that the plan writes.
    """

    def __init__(self, written: Set[object]) -> None:
        self._written = written
        self._known: dict[Node, bool] = {}

    def has(self, value: Value) -> bool:
        """Whether `value` depends on constants and unwritten variables only, and is of one device: the CPU."""
        if value.bound is not UNBOUND:
            return _is_constant(value)
        stack = [value.node]
        while stack:
            node = stack[-1]
            if node in self._known:
                stack.pop()
                continue
            if not self._may_be(node):
                self._known[node] = False
                continue
            inputs = [] if node.decl.reads_variable else [item for item in node.inputs if item.bound is UNBOUND]
            unknown = [item.node for item in inputs if item.node not in self._known]
            if unknown:
                stack.extend(unknown)
                continue
            self._known[node] = all(self._known[item.node] for item in inputs)
        return self._known[value.node]

    def _may_be(self, node: Node) -> bool:
        decl = node.decl
        if node.control or node.guard or node.region is not None or node.device.type != "cpu":
            return False
        if decl.reads_variable:
            buffer = node.inputs[0].bound
            return isinstance(buffer, VariableBuffer) and buffer not in self._written
        if decl.stateful or decl.reads_state or decl.writes_state or decl.must_run or decl.may_wait:
            return False
        if not node.inputs or decl.kernel_rule is None or decl.role is Role.SWITCH or decl.role is Role.MERGE:
            return False
        return all(value.bound is UNBOUND or _is_constant(value) for value in node.inputs)


def _is_constant(value: Value) -> bool:
    # A constant that waits for something makes its consumers wait too.
    return isinstance(value.bound, torch.Tensor) and not value.node.control


class FrozenComputation:
    """How frozen values are computed from the variables they depend on.

    Args:
        values: the frozen values.

    Attributes:
        sources: the references or handles of the variables.
    """

    def __init__(self, values: Sequence[Value]) -> None:
        self.sources: list[Value] = []
        self._values = values
        self._reads: list[Node] = []
        self._nodes: list[Node] = []
        self._kernels: list[Kernel] | None = None
        done: set[Node] = set()
        stack = [value.node for value in values if value.bound is UNBOUND]
        while stack:
            node = stack[-1]
            before = [] if node.decl.reads_variable else [v.node for v in node.inputs if v.bound is UNBOUND]
            waiting = [other for other in before if other not in done]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if node in done:
                continue
            done.add(node)
            if node.decl.reads_variable:
                self.sources.append(node.inputs[0])
                self._reads.append(node)
            else:
                self._nodes.append(node)

    def compute(self, buffers: Sequence[VariableBuffer]) -> list[torch.Tensor]:
        """The values, from the variables in the order of `sources`."""
        if self._kernels is None:
            self._kernels = [node.kernel() for node in self._nodes]
        found: dict[Value, torch.Tensor] = {}
        for node, buffer in zip(self._reads, buffers, strict=True):
            try:
                found[node.outputs[0]] = buffer.read()
            except OpError as error:
                # It is the error of the read, not of what it is read for.
                if node.origin is not None:
                    error.attach(node.origin)
                raise

        def tensor_of(value: Value) -> torch.Tensor:
            return found[value] if value.bound is UNBOUND else value.bound

        for node, kernel in zip(self._nodes, self._kernels, strict=True):
            made = kernel(*map(tensor_of, node.inputs))
            results = made if isinstance(made, (tuple, list)) else (made,)
            found.update(zip(node.outputs, results, strict=True))
        return [tensor_of(value) for value in self._values]
