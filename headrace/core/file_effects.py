"""Which operations would write files or call Python: what is loaded from a file must not do so behind the program's back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headrace.core.graph_functions import Function, called_function
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor


def find_writer(operations: Iterable[Operation], fed: Iterable[Tensor] = ()) -> Operation | None:
    """An operation that writes files among some, those they need, and those of the functions that any of them calls.

    Args:
        operations: what is to be run.
        fed: the tensors that are given values then, such as the names of files.

    Returns:
        the first one found, None if there is none.
    """
    given = frozenset(fed)

    def writes(operation: Operation) -> bool:
        rule = operation.decl.file_rule
        return rule is not None and bool(rule(operation, given))

    return find_needed(operations, given, writes)


def find_python(operations: Iterable[Operation], fed: Iterable[Tensor] = ()) -> Operation | None:
    """An operation that calls a Python function; arguments and result as of `find_writer`."""
    return find_needed(operations, fed, lambda operation: operation.decl.runs_python)


def find_needed(
    operations: Iterable[Operation], fed: Iterable[Tensor], wanted: Callable[[Operation], bool]
) -> Operation | None:
    """An operation of a kind; arguments and result otherwise as of `find_writer`."""
    given = frozenset(fed)
    waiting = list(operations)
    seen: set[Operation] = set(waiting)
    functions: set[Function] = set()
    while waiting:
        current = waiting.pop()
        if wanted(current):
            return current
        # What is fed is not computed.
        needed = [tensor.op for tensor in current.inputs if tensor not in given] + list(current.control_inputs)
        for name in _texts([current.type, *current.attrs.values()]):
            function = called_function(current.graph, name)
            # The gradient may be asked for, and that of the gradient.
            while function is not None and function not in functions:
                functions.add(function)
                needed += function.operations
                function = function.gradient
        waiting += [op for op in dict.fromkeys(needed) if op not in seen]
        seen.update(needed)
    return None


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """The texts among attributes: the functions that an operation calls are named by some of them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if isinstance(item, str))
