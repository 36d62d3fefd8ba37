"""The op types that a GraphDef uses."""

from __future__ import annotations

from typing import Any

from headrace.core.registry import find
from headrace.interop import protos
from headrace.interop.op_def import op_def_of


def ops_used_by_graph_def(graph_def: Any) -> list[str]:
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


def stripped_op_list_for_graph(graph_def: Any) -> Any:
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
