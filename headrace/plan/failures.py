"""Failures of Python, NumPy and torch as TensorFlow's errors, with the operation that met them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from headrace.core import errors

if TYPE_CHECKING:
    from headrace.plan.ir import Node

_OF_ARGUMENTS = (RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError)
# What kernels raise.
FAILURES = (errors.OpError, MemoryError, *_OF_ARGUMENTS)


def as_op_error(error: BaseException, node: Node | None, message: str | None = None) -> errors.OpError:
    """The error to raise for `error`: of TensorFlow's class, naming the operation and its place.

    Args:
        error: what was raised.
        node: the node whose kernel was being made or run, None if it is not known.
        message: what to say, by default what `error` says.
    """
    origin = node.origin if node is not None else None
    if isinstance(error, errors.OpError):
        return error if origin is None else error.attach(origin)
    if message is None:
        message = first_lines(str(error)) or type(error).__name__
    text = message
    if node is not None:
        shapes = ", ".join(f"{value!r} {value.dtype.name}" for value in node.inputs)
        text = f"{message} (op {node.type}, node '{node.name}', inputs: {shapes or 'none'})"
    made: Any
    if isinstance(error, AttributeError) and node is not None and _takes_objects(node):
        # In a graph from elsewhere a queue may be where a table should, or a list where a dataset should.
        text = f"Trying to access a resource or variant using the wrong type: {text}"
        made = errors.InvalidArgumentError
    elif isinstance(error, (MemoryError, torch.OutOfMemoryError, RecursionError)) or "allocate memory" in message:
        made = errors.ResourceExhaustedError
    elif isinstance(error, _OF_ARGUMENTS):
        made = errors.InvalidArgumentError
    elif isinstance(error, FileNotFoundError):
        made = errors.NotFoundError
    elif isinstance(error, PermissionError):
        made = errors.PermissionDeniedError
    else:
        made = errors.UnknownError
    raised: errors.OpError = made(None, None, text)
    return raised if origin is None else raised.attach(origin)


def _takes_objects(node: Node) -> bool:
    return any(value.dtype.name in ("resource", "variant") for value in node.inputs)


@contextlib.contextmanager
def naming_operations() -> Iterator[None]:
    """A context in which a plan is made: what a pass raises becomes an error of the operation it was looking at.

    Raises:
        NotImplementedError: as it is; so are the errors of TensorFlow.
    """
    try:
        yield
    except errors.OpError as error:
        if error.op is None:
            as_op_error(error, _looked_at(error))
        raise
    except (NotImplementedError, RecursionError):
        raise
    except Exception as error:
        raise as_op_error(error, _looked_at(error)) from error


def _looked_at(error: BaseException) -> Node | None:
    """The node that the innermost pass or rule was looking at: they all call it `node`."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        local = traceback.tb_frame.f_locals.get("node")
        if hasattr(local, "origin") and hasattr(local, "decl"):
            found = local
        traceback = traceback.tb_next
    return found


def first_lines(text: str) -> str:
    """A torch message without the C++ stack that may follow it."""
    for mark in ("\nException raised from", "\nC++ CapturedTraceback", "\nCPU: registered at"):
        text = text.split(mark)[0]
    return text.strip()
