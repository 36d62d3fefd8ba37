"""What lies in a loop is used in that loop, or leaves it through an Exit."""

from __future__ import annotations

from traceback import format_stack
from typing import TYPE_CHECKING, Any

from headrace.core.errors import InaccessibleTensorError
from headrace.core.planning_facts import Role
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation

# These lead values into and out of loops and branches, and are told where they lie after they are made.
_BORDERS = frozenset({Role.ENTER, Role.EXIT, Role.SWITCH})


def check_loops(source: Operation, context: Any, role: Role | None, name: str) -> None:
    """Checks that an operation made in `context` may take what `source`, which lies in another context, makes.

    Args:
        source: the operation that makes the input.
        context: the branch or loop that the new operation lies in, or None.
        role, name: the part in control flow and the name of the new operation.

    Raises:
        ValueError: if `source` lies in a loop that the new operation does not lie in.
    """
    if role in _BORDERS:
        return
    from_context = source._control_flow_context
    if source.decl.role is Role.EXIT:
        from_context = from_context.outer_context
    inner = None if from_context is None else from_context.GetWhileContext()
    if inner is None:
        return
    loop = None if context is None else context.GetWhileContext()
    first = loop
    while loop is not None:
        # A loop of gradients takes the forward loop's values from stacks.
        if loop is inner or loop.grad_state is not None:
            return
        outer = loop.outer_context
        loop = None if outer is None else outer.GetWhileContext()
    if first is None:
        why = f"'{source.name}' is in a while loop"
    else:
        why = "they are in different while loops"
    made = source.creation_site
    lines = "".join(f"  {file}:{line}, in {function}: {text}\n" for file, line, function, text in source.traceback)
    tf_logging.info("%s. '%s' was made by\n%s'%s' by\n%s", why, source.name, lines, name, "".join(format_stack()))
    # A function of a graph, whose loops are functions of their own in TensorFlow.
    error = InaccessibleTensorError if getattr(source.graph, "of_defun", True) is False else ValueError
    raise error(
        f"Cannot use '{source.name}' as input to '{name}' because {why}. See info log for more details. A loop hands "
        f"out the final values of its loop variables only: make it one of them."
        + (f" '{source.name}' was made at {made}" if made else "")
    )
