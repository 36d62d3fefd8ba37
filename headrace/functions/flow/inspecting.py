"""Questions about operations and the branches and loops they lie in, under the names of 1.15's internal module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.flow.contexts import constant_enter_of as GetLoopConstantEnter
from headrace.kernels.flow.contexts import is_constant_enter as IsLoopConstantEnter
from headrace.kernels.flow.contexts import is_loop_enter as IsLoopEnter
from headrace.kernels.flow.contexts import is_loop_exit as IsLoopExit
from headrace.kernels.flow.contexts import is_merge as IsMerge
from headrace.kernels.flow.contexts import is_switch as IsSwitch
from headrace.kernels.flow.contexts import output_context as GetOutputContext
from headrace.kernels.flow.contexts import while_context_of as GetWhileContext
from headrace.ops.flow.frames import exit_loop

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


__all__ = [
    "GetContainingCondContext",
    "GetContainingWhileContext",
    "GetContainingXLAContext",
    "GetLoopConstantEnter",
    "GetOutputContext",
    "GetWhileContext",
    "IsCondMerge",
    "IsCondSwitch",
    "IsContainingContext",
    "IsInCond",
    "IsInWhileLoop",
    "IsInXLAContext",
    "IsLoopConstantEnter",
    "IsLoopEnter",
    "IsLoopExit",
    "IsLoopMerge",
    "IsLoopSwitch",
    "IsMerge",
    "IsSwitch",
    "OpInContext",
    "TensorInContext",
    "exit",
    "loop_cond",
]


def exit(data: Tensor, name: str | None = None) -> Tensor:
    """The value that `data` has when the loop ends, for use outside it."""
    return exit_loop(data, name)


def loop_cond(input: TensorLike, name: str | None = None) -> Any:
    """The condition under which a loop goes on."""
    return raw.LoopCond(input, name=name)


def _outer_contexts(context: Any) -> Iterator[Any]:
    while context is not None:
        yield context
        context = context.outer_context


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> Any:
    """The innermost loop around a context, or `stop_ctxt` if that comes first, or None."""
    return next((c for c in _outer_contexts(ctxt) if c.IsWhileContext() or c is stop_ctxt), None)


def GetContainingCondContext(ctxt: Any) -> Any:
    """The innermost branch around a context, or None."""
    return next((c for c in _outer_contexts(ctxt) if c.IsCondContext()), None)


def GetContainingXLAContext(ctxt: Any) -> Any:
    """The innermost compiled part around a context, or None."""
    return next((c for c in _outer_contexts(ctxt) if c.IsXLAContext()), None)


def IsContainingContext(ctxt: Any, maybe_containing_ctxt: Any) -> bool:
    """Whether a context lies in another, or is it; all lie in None."""
    return maybe_containing_ctxt is None or any(c is maybe_containing_ctxt for c in _outer_contexts(ctxt))


def OpInContext(op: Operation, ctxt: Any) -> bool:
    """Whether an operation lies in a context."""
    return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor: Tensor, ctxt: Any) -> bool:
    """Whether a tensor's operation lies in a context."""
    return OpInContext(tensor.op, ctxt)


def IsInWhileLoop(op: Operation) -> bool:
    """Whether an operation lies in a loop."""
    return GetContainingWhileContext(op._get_control_flow_context()) is not None


def IsInCond(op: Operation) -> bool:
    """Whether an operation lies in a branch."""
    return GetContainingCondContext(op._get_control_flow_context()) is not None


def IsInXLAContext(op: Operation) -> bool:
    """Whether an operation lies in a compiled part."""
    return bool(op.attrs.get("_XlaCompile")) or GetContainingXLAContext(op._get_control_flow_context()) is not None


def IsCondSwitch(op: Operation) -> bool:
    """Whether an operation is a Switch whose outputs are taken in branches only."""
    if not IsSwitch(op):
        return False
    for output in op.outputs:
        for consumer in output.consumers():
            context = consumer._get_control_flow_context()
            if IsLoopEnter(consumer):
                context = context.outer_context
            if context is None or not context.IsCondContext():
                return False
    return True


def IsCondMerge(op: Operation) -> bool:
    """Whether an operation is a Merge of what branches give."""
    if not IsMerge(op):
        return False
    contexts = [GetOutputContext(value.op) for value in op.inputs]
    return all(context is not None and context.IsCondContext() for context in contexts)


def _in_loop(op: Operation) -> bool:
    context = op._get_control_flow_context()
    return context is not None and context.IsWhileContext()


def IsLoopSwitch(op: Operation) -> bool:
    """Whether an operation is a Switch at which a loop goes on or ends."""
    return IsSwitch(op) and _in_loop(op) and not IsCondSwitch(op)


def IsLoopMerge(op: Operation) -> bool:
    """Whether an operation is a Merge at which a loop's iterations begin."""
    return IsMerge(op) and _in_loop(op) and not IsCondMerge(op)
