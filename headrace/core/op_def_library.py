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
    _check_inferable(decl, given)
    for name, attr_def in attrs.items():
        # Wrappers say defaults themselves, None among them; what they leave out is a mistake.
        if name not in given and name not in inferred:
            raise TypeError(f"No argument for attr {name}")
        if name in given and given[name] is None and not attr_def.has_default and attr_def.kind != "shape":
            kind = {"type": "DataType"}.get(attr_def.kind, attr_def.kind)
            raise TypeError(f"Expected {kind} for argument '{name}' not None.")
        if attr_def.kind.startswith("list(") and not isinstance(given.get(name, []), (list, tuple)):
            raise TypeError(f"Expected list for attr {name}")
    if left:
        raise TypeError(f"apply_op() got unexpected keyword arguments: {', '.join(sorted(left))}")
    return given


def _check_inferable(decl: OpDecl, given: dict[str, Any]) -> None:
    """The first list of a type that is found in the inputs must tell it, unless the type has a default."""
    told = set()
    for arg in decl.signature.inputs:
        value = given[arg.name]
        empty = arg.number_attr is not None and isinstance(value, (list, tuple)) and not value
        type_attr = arg.type_attr
        if type_attr is None or type_attr in told:
            continue
        if empty and not (type_attr in decl.signature.attrs and decl.signature.attrs[type_attr].has_default):
            raise TypeError(
                f"Don't know how to infer type variable '{type_attr}' from empty input list passed to input "
                f"'{arg.name}' of '{decl.type}' Op."
            )
        told.add(type_attr)


class OpDefLibrary:
    """All declared ops: what `apply_op` offers, as an object. Definitions can be added to it, as generated wrappers do."""

    def __init__(self) -> None:
        self._added: dict[str, Any] = {}

    apply_op = staticmethod(apply_op)

    def add_op(self, op_def: Any) -> None:
        """Notes an op's definition. What an op computes is declared elsewhere, so this makes none that can be applied.

        Args:
            op_def: the `OpDef` message.

        Raises:
            TypeError: if it is none.
            ValueError: if it has no name.
            RuntimeError: if another definition of this name was added.

        Example:
            >>> from headrace.core.framework import op_def_pb2
            >>> library = OpDefLibrary()
            >>> library.add_op(op_def_pb2.OpDef(name="Mine"))
        """
        if getattr(getattr(op_def, "DESCRIPTOR", None), "name", None) != "OpDef":
            raise TypeError(f"{op_def} is {type(op_def)}, not an op_def_pb2.OpDef")
        if not op_def.name:
            raise ValueError(f"{op_def} missing name.")
        if self._added.setdefault(op_def.name, op_def) != op_def:
            raise RuntimeError(f"Op name {op_def.name} registered twice.")

    def add_op_list(self, op_list: Any) -> None:
        """Notes the definitions of an `OpList`: `add_op` for each.

        Raises:
            TypeError: if it is none; and what `add_op` raises.
        """
        if getattr(getattr(op_list, "DESCRIPTOR", None), "name", None) != "OpList":
            raise TypeError(f"{op_list} is {type(op_list)}, not an op_def_pb2.OpList")
        for op_def in op_list.op:
            self.add_op(op_def)
