"""The op types that a GraphDef uses."""

from __future__ import annotations

from typing import Any

from headrace.core.registry import REGISTRY, find, raw
from headrace.messages import protos
from headrace.messages.op_def import op_def_of

_registered: dict[str, Any] = {}


def get_registered_ops() -> dict[str, Any]:
    """The definitions of all ops by type: those declared here, and those of `register_op_list`."""
    # Those of the index, and what a program declared; what only the planner makes is nobody's to apply.
    for op_type in {*dir(raw), *(name for name in REGISTRY if not name.startswith("_"))}:
        if op_type not in _registered:
            _registered[op_type] = op_def_of(getattr(raw, op_type))
    return _registered


def register_op_list(op_list: Any) -> None:
    """Notes op definitions among those `get_registered_ops` gives; this declares no op.

    Raises:
        TypeError: if `op_list` is no `OpList`; ValueError: if an op is known with another definition.
    """
    if not isinstance(op_list, protos.OpList):
        raise TypeError(f"{op_list} is {type(op_list)}, not an op_def_pb2.OpList")
    known = get_registered_ops()
    for op_def in op_list.op:
        if known.setdefault(op_def.name, op_def) != op_def:
            raise ValueError(
                f"Registered op_def for {op_def.name} ({known[op_def.name]}) not equal to op_def to register ({op_def})"
            )


def ops_used_by_graph_def(graph_def: protos.GraphDef) -> list[str]:
    """The op types of the nodes of a GraphDef and of the functions they call, each once.

    Args:
        graph_def: a `GraphDef`.

    Returns:
        a list of names, the names of the graph's own functions left out.
    """
    functions = {function.signature.name: function for function in graph_def.library.function}
    used: dict[str, None] = {}
    waiting = [graph_def.node]
    while waiting:
        for node in waiting.pop():
            if node.op in used:
                continue
            used[node.op] = None
            if node.op in functions:
                waiting.append(functions[node.op].node_def)
    return [op_type for op_type in used if op_type not in functions]


def stripped_op_list_for_graph(graph_def: protos.GraphDef) -> protos.OpList:
    """The definitions of the ops that a GraphDef uses, as an `OpList` sorted by name.

    Raises:
        RuntimeError: naming the ops that are not declared.
    """
    used = sorted(ops_used_by_graph_def(graph_def))
    declared = {op_type: find(op_type) for op_type in used}
    missing = [op_type for op_type, decl in declared.items() if decl is None]
    if missing:
        raise RuntimeError(f"The following ops are used by the graph, but are not registered: {missing}")
    return protos.OpList(op=[op_def_of(decl) for decl in declared.values() if decl is not None])
