"""Errors of a running plan, told as errors of the operation and of the user's line that made it."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core import errors
from headrace.plan.ir import Node
from headrace.plan.order import guard_of
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
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        return error
    node = failing_node(error, plan)
    _forget_values(error, plan)
    origin = node.origin if node is not None else None
    if isinstance(error, errors.OpError):
        if origin is not None:
            error.attach(origin)
        return error
    if node is None:
        return error
    if isinstance(error, NotImplementedError) and not isinstance(error, RuntimeError):
        return error
    message = _first_lines(str(error)) or type(error).__name__
    if message.startswith("Boolean value of Tensor with"):
        # A branch or loop asks its predicate.
        guards = [*(pred for value in node.inputs for pred, _ in guard_of(value)), *(pred for pred, _ in node.guard)]
        names = dict.fromkeys(pred.node.name for pred in guards)
        which = f" '{', '.join(names)}'" if names else ""
        message = f"The predicate{which} must be a scalar, got {'no' if 'no values' in message else 'several'} elements"
    shapes = ", ".join(f"{value!r} {value.dtype.name}" for value in node.inputs)
    text = f"{message} (op {node.type}, node '{node.name}', inputs: {shapes or 'none'})"
    made: Any
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "allocate memory" in message:
        made = errors.ResourceExhaustedError
    elif isinstance(error, (RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError)):
        made = errors.InvalidArgumentError
    else:
        made = errors.UnknownError
    raised = made(None, None, text)
    if origin is not None:
        raised.attach(origin)
    return raised


def _first_lines(text: str) -> str:
    """A torch message without the C++ stack that may follow it."""
    for mark in ("\nException raised from", "\nC++ CapturedTraceback", "\nCPU: registered at"):
        text = text.split(mark)[0]
    return text.strip()
