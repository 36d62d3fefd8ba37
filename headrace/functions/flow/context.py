"""What branches and loops have in common: the graph tells the open one of each new operation, and it fits it in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.kernels.flow.contexts import output_context

if TYPE_CHECKING:
    from headrace.functions.flow.while_context import WhileContext


class ControlFlowContext:
    """The branch or loop that operations are made in; the graph tells it of each new one."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._outer_context: ControlFlowContext | None = graph._get_control_flow_context()
        # The contexts right inside, as they were made: graphs of thousands of branches are exported by them.
        self._nested_contexts: list[ControlFlowContext] = []
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._entered_from: list[ControlFlowContext | None] = []
        # Tensors known inside, and what stands inside for those from outside.
        self._values: set[Tensor] = set()
        self._external_values: dict[Tensor, Tensor] = {}

    @property
    def name(self) -> str:
        """The name of the branch or loop."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.name

    @property
    def outer_context(self) -> Any:
        """The context this one lies in."""
        return self._outer_context

    @property
    def grad_state(self) -> Any:
        """What is kept for the gradient while this is, or lies in, a loop of gradients."""
        loop = self.GetWhileContext()
        return None if loop is None or loop is self else loop.grad_state

    @property
    def back_prop(self) -> bool:
        """Whether gradients flow through the loop this is or lies in."""
        loop = self.GetWhileContext()
        return False if loop is None or loop is self else loop.back_prop

    def IsCondContext(self) -> bool:
        """Whether this is a branch of a cond."""
        return False

    def IsWhileContext(self) -> bool:
        """Whether this is the body of a loop."""
        return False

    def IsXLAContext(self) -> bool:
        """Whether this is a compiled region: there are none."""
        return False

    def GetWhileContext(self) -> WhileContext | None:
        """The innermost loop that this context is or lies in, or None."""
        return None if self._outer_context is None else self._outer_context.GetWhileContext()

    def GetControlPivot(self) -> Tensor | None:
        """The tensor whose operation marks, as a control input, what runs in here."""
        return None

    def Enter(self) -> None:
        """Makes this the context of new operations."""
        self._entered_from.append(self._graph._get_control_flow_context())
        self._graph._set_control_flow_context(self)

    def Exit(self) -> None:
        """Goes back to the context from which it was entered."""
        self._graph._set_control_flow_context(self._entered_from.pop())

    def __enter__(self) -> ControlFlowContext:
        self.Enter()
        return self

    def __exit__(self, *_: object) -> None:
        self.Exit()

    def contains(self, op: Operation) -> bool:
        """Whether `op` lies in this context or one inside it."""
        context = op._get_control_flow_context()
        while context is not None:
            if context is self:
                return True
            context = context.outer_context
        return False

    def AddValue(self, value: Tensor) -> Tensor:
        """What stands for `value` inside."""
        raise NotImplementedError

    def AddOp(self, op: Operation) -> None:
        """Takes in a new operation."""
        raise NotImplementedError

    def AddInnerOp(self, op: Operation) -> None:
        """Hears of an operation added to a context inside."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def ExitResult(self, results: Iterable[Tensor]) -> None:
        """Makes the results known to the context around."""
        if self._outer_context is not None:
            self._outer_context._values.update(results)

    def know(self, value: Tensor) -> None:
        """Takes `value` as one of this context's own."""
        self._values.add(value)

    def take_off_outer_control(self, op: Operation) -> list[Operation]:
        """Takes off the control inputs of `op` that do not lie in the loop around it, and returns them."""
        loop = self.GetWhileContext()
        if loop is None:
            return []
        inside: list[Operation] = []
        outside: list[Operation] = []
        for before in op.control_inputs:
            context = output_context(before)
            same = context is not None and context.GetWhileContext() is loop
            (inside if same else outside).append(before)
        if outside:
            op._remove_all_control_inputs()
            op._add_control_inputs(inside)
        return outside

    def _hide(self, op: Operation) -> None:
        """What lies inside can neither be fetched nor fed: it has no value of its own in a run."""
        op.graph.prevent_fetching(op)
        for output in op.outputs:
            op.graph.prevent_feeding(output)
