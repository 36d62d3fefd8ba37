"""Errors of a running plan, reported as errors of the operation and of the user's line that made it."""

from __future__ import annotations

import signal

from headrace.core import errors
from headrace.core.tensor import Tensor
from headrace.plan import waiting
from headrace.plan.branches import guard_of
from headrace.plan.failures import as_op_error, first_lines
from headrace.plan.ir import Node
from headrace.plan.plan import Plan


def failing_node(error: BaseException, plan: Plan) -> Node | None:
    """The node whose call raised `error`, read off the line of the plan's function in the traceback."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        lines = plan.files.get(traceback.tb_frame.f_code.co_filename)
        if lines is not None:
            # A line that only opens a branch is of no node: what failed there is the predicate of the node after it.
            after = min((line for line in lines if line >= traceback.tb_lineno), default=None)
            found = lines[after] if after is not None else None
        traceback = traceback.tb_next
    return found


def _forget_values(error: BaseException, plan: Plan) -> None:
    """Lets go of what the step had computed, memory and locks, which whoever keeps the error would keep otherwise."""
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename in plan.files:
            traceback.tb_frame.clear()
        traceback = traceback.tb_next


def explained(error: BaseException, plan: Plan) -> BaseException:
    """The error to raise for `error`: of TensorFlow's class, naming the operation, its place, and what it was given."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)) or _of_signal_handler(error):
        return error
    node = failing_node(error, plan)
    in_plan = _comes_from(error, plan)
    _forget_values(error, plan)
    if isinstance(error, errors.OpError):
        return as_op_error(error, node)
    if node is None and not in_plan:
        return error
    message = first_lines(str(error)) or type(error).__name__
    if node is not None and message.startswith("Boolean value of Tensor with"):
        # A branch or loop asks its predicate.
        guards = [*(pred for value in node.inputs for pred, _ in guard_of(value)), *(pred for pred, _ in node.guard)]
        names = dict.fromkeys(pred.node.name for pred in guards)
        which = f" '{', '.join(names)}'" if names else ""
        message = f"The predicate{which} must be a scalar, got {'no' if 'no values' in message else 'several'} elements"
    return as_op_error(error, node, message)


def _of_signal_handler(error: BaseException) -> bool:
    """Whether one of the program's signal handlers raised `error`, such as a time limit of its own: no operation failed."""
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(getattr(handler, "__func__", handler), "__code__", None) for handler in handlers} - {None}
    traceback = error.__traceback__
    while codes and traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False


def of_fetch(error: Exception, tensor: Tensor) -> errors.OpError:
    """The error to raise for one of giving the value of a fetched tensor the form that it has outside."""
    said = first_lines(str(error)) or type(error).__name__
    message = f"The value of '{tensor.name}' cannot be fetched as {tensor.dtype.base_dtype.name}: {said}"
    return as_op_error(error, None, message).attach(tensor.op)


def _comes_from(error: BaseException, plan: Plan) -> bool:
    """Whether the plan's function, or what runs its parts, raised `error`."""
    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file in plan.files or file == waiting.__file__:
            return True
        traceback = traceback.tb_next
    return False
