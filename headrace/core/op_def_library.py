"""Operations by the name of their type, as wrappers written for 1.x make them."""

from __future__ import annotations

from typing import Any

from headrace.core import apply
from headrace.core.registry import find


def apply_op(op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
    """Adds an operation to the graph.

    Args:
        op_type_name: a declared op type.
        name: the operation's name.
        **keywords: its inputs and attributes.

    Returns:
        what the op's wrapper returns: a tensor, several, or the operation.

    Raises:
        RuntimeError: if no op of this type is declared.
        TypeError, ValueError: if the arguments do not fit.

    Example:
        >>> op_def_library.apply_op("Add", x=a, y=b, name="sum")
    """
    decl = find(op_type_name)
    if decl is None:
        raise RuntimeError(f"Unrecognized Op name {op_type_name}")
    return apply.apply_op(decl, (), keywords, name)


class OpDefLibrary:
    """All declared ops: what `apply_op` offers, as an object."""

    apply_op = staticmethod(apply_op)
