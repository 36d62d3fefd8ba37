"""Whether functions take and give what those that call them say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core import errors
from headrace.core.graph_functions import attr_function

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.graph_functions import Function
    from headrace.core.typing import NodeView


def check_types(node: NodeView, function: Function, start: int = 0) -> None:
    """Refuses a call, from input `start` on, of a function that takes or gives something else.

    Raises:
        InvalidArgumentError, InternalError: as the two below.
    """
    check_arguments(node, function, [value.dtype for value in node.inputs[start:]])
    check_results(node, function, [value.dtype for value in node.outputs])


def check_arguments(node: NodeView, function: Function, given: Sequence[DType]) -> None:
    """Refuses a call with arguments of such types of a function that takes others.

    Raises:
        InvalidArgumentError: if there are more or fewer, or one is of another type.
    """
    if len(function.inputs) != len(given):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Function {function.name} takes {len(function.inputs)} arguments, {node.type} gives {len(given)}.",
        )
    for i, (dtype, expected) in enumerate(zip(given, function.input_types, strict=True)):
        if dtype.base_dtype != expected:
            raise errors.InvalidArgumentError(
                None, None, f"Expects arg[{i}] to be {expected.name} but {dtype.base_dtype.name} is provided"
            )


def check_results(node: NodeView, function: Function, declared: Sequence[DType]) -> None:
    """Refuses a call for results of such types of a function that gives others.

    Raises:
        InternalError: if it does.
    """
    if [dtype.base_dtype for dtype in declared] != function.output_types:
        raise errors.InternalError(
            None,
            None,
            f"Function {function.name} gives {[dtype.name for dtype in function.output_types]}, {node.type} declares "
            f"{[dtype.base_dtype.name for dtype in declared]}.",
        )


def loop_functions(node: NodeView, counters: Sequence[DType] = ()) -> tuple[Function, Function]:
    """The condition and the body of a loop, which take and give what goes round.

    Args:
        node: the loop.
        counters: the types of what the body takes before that, in loops that have no condition.

    Returns:
        both; the body twice if there is no condition.

    Raises:
        InvalidArgumentError, InternalError: if they take or give something else.
    """
    body = attr_function(node, "body")
    cond = body if counters else attr_function(node, "cond")
    going = list(node.attrs["T"])
    for function in dict.fromkeys((cond, body)):
        check_arguments(node, function, [*counters, *going])
    check_results(node, body, going)
    if not counters and len(cond.outputs) != 1:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Function {cond.name}, the condition of {node.type}, gives {len(cond.outputs)} values, not one.",
        )
    return cond, body
