"""Operations by the name of their type, as wrappers written for 1.x make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import apply
from headrace.core.registry import OpDecl, find

if TYPE_CHECKING:
    from headrace.core.operation import Operation


def apply_op(op_type_name: str, name: str | None = None, **keywords: Any) -> Operation:
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
        >>> apply_op("Add", x=tf.constant(1.0), y=tf.constant(2.0), name="sum")
        <tf.Tensor 'sum:0' shape=() dtype=float32>
    """
    decl = find(op_type_name)
    if decl is None:
        raise RuntimeError(f"Unrecognized Op name {op_type_name}")
    return apply.apply_op(decl, (), _arguments(decl, keywords), name)


def _arguments(decl: OpDecl, keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments under the op's own names; a final underscore keeps a name apart from Python's words."""
    inputs, attrs = decl.signature.inputs, decl.signature.attrs
    left = dict(keywords)
    given = {}
    for name in (*(arg.name for arg in inputs), *attrs):
        for spelled in (name, f"{name}_"):
            if spelled in left:
                given[name] = left.pop(spelled)
                break
    for arg in inputs:
        if arg.name not in given:
            raise TypeError(f"No argument for input {arg.name}")
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr):
            if attr in given:
                raise TypeError(f"Should not specify value for inferred attr '{attr}'.")
    inferred = {attr for arg in inputs for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for name, attr_def in attrs.items():
        if name not in given and name not in inferred and not attr_def.has_default:
            raise TypeError(f"No argument for attr {name}")
        if name in given and given[name] is None and not attr_def.has_default and attr_def.kind != "shape":
            kind = {"type": "DataType"}.get(attr_def.kind, attr_def.kind)
            raise TypeError(f"Expected {kind} for argument '{name}' not None.")
        if attr_def.kind.startswith("list(") and not isinstance(given.get(name, []), (list, tuple)):
            raise TypeError(f"Expected list for attr {name}")
    if left:
        raise TypeError(f"apply_op() got unexpected keyword arguments: {', '.join(sorted(left))}")
    return given


class OpDefLibrary:
    """All declared ops: what `apply_op` offers, as an object."""

    apply_op = staticmethod(apply_op)
