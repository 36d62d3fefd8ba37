"""The part of a graph that TensorFlow compiles, and what gradients of loops in it ask for."""

from __future__ import annotations

from headrace.core.constant_value import constant_value
from headrace.core.defaults import get_default_graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.context import ControlFlowContext
from headrace.functions.flow.inspecting import GetContainingWhileContext, GetContainingXLAContext, IsContainingContext
from headrace.functions.flow.while_context import WhileContext
from headrace.ops.array.constant import constant


class XLAControlFlowContext(ControlFlowContext):
    """What operations are made in that TensorFlow compiles as one; here they run as all others do."""

    def __init__(self) -> None:
        super().__init__(get_default_graph())
        self._name = "XLAControlFlowContext"

    @property
    def name(self) -> str:
        """The name, the same of all."""
        return self._name

    def IsXLAContext(self) -> bool:
        """Whether this is a compiled region: it is."""
        return True

    def AddOp(self, op: Operation) -> None:
        """Takes in a new operation, as it is."""

    def AddValue(self, value: Tensor) -> Tensor:
        """`value` itself."""
        return value


def iterations_to_keep(value: Tensor, loop: WhileContext) -> Tensor:
    """How many values of a loop's iterations there can be to keep; -1 where that need not be known.

    Args:
        value: a value of the loop.
        loop: the loop.

    Raises:
        ValueError: in a compiled part, if the iterations are not bounded or the bound is only known further inside.
    """
    current = get_default_graph()._get_control_flow_context()
    if GetContainingXLAContext(loop) is None:
        return constant(-1, name="Const")
    most = constant(1)
    around: WhileContext | None = loop
    while around is not None and around is not current:
        about = f"Cannot create a gradient accumulator for tensor '{value.name}' inside XLA while_loop"
        bound = around.maximum_iterations
        if bound is None:
            raise ValueError(
                f"{about} because maximum_iterations was not passed to the tf.while_loop call ('{around.name}')."
            )
        made_in = bound.op._get_control_flow_context()
        known = constant_value(bound)
        if not IsContainingContext(current, made_in) and known is None:
            raise ValueError(
                f"{about}. maximum_iterations tensor '{bound.name}' for while_loop context '{around.name}' must be statically "
                "known (e.g. a constant value or known shape dimension), or be defined at or outside the while loop context "
                f"'{'' if current is None else current.name}' (currently defined in '{'' if made_in is None else made_in.name}')"
            )
        most = raw.Mul(most, bound if known is None else constant(int(known)))
        around = GetContainingWhileContext(around.outer_context, stop_ctxt=current)
    return most
