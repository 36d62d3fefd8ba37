"""Graphs that grow by what is sent: the new operations of a graph as a message, and messages as operations."""

from __future__ import annotations

from typing import Any

from headrace.core.graph import PRODUCER_VERSION, Graph
from headrace.core.operation import Operation
from headrace.messages import protos
from headrace.messages.function_def import import_library, library_of
from headrace.messages.graph_def import check_versions
from headrace.messages.node_def import node_def_of
from headrace.messages.node_imports import as_text, check_types, import_nodes, parse_input
from headrace.messages.producers import Producer

_COLOCATED = "loc:@"


class SentGraph:
    """What another process has been sent of a graph.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._operations = 0
        self._functions: set[str] = set()

    def forget(self) -> None:
        """Notes that nothing has been sent."""
        self._operations, self._functions = 0, set()

    def more(self) -> protos.GraphDef | None:
        """What is new since the last call, None if nothing is."""
        operations = self._graph.get_operations()
        functions = [name for name in self._graph._functions if name not in self._functions]
        if len(operations) == self._operations and not functions:
            return None
        graph_def = protos.GraphDef()
        graph_def.versions.producer = PRODUCER_VERSION
        graph_def.node.extend(node_def_of(op) for op in operations[self._operations :])
        if functions:
            graph_def.library.CopyFrom(library_of(self._graph, set(functions)))
        self._operations = len(operations)
        self._functions.update(functions)
        return graph_def


def extend(graph: Graph, graph_def: protos.GraphDef) -> list[Operation]:
    """Adds nodes to a graph, which may take what is there; returns the new operations.

    Raises:
        ValueError, OpError: for nodes that are none.
    """
    check_versions(graph_def.versions)
    new = {node.name for node in graph_def.node}
    for name in new:
        if name in graph._nodes_by_name:
            raise ValueError(f"Node '{name}' is there already")
    with graph.as_default():
        producer = Producer()
        import_library(graph, graph_def.library, producer)
        check_types(graph, graph_def)
        mapped: dict[tuple[str, int], Any] = {}
        for node in graph_def.node:
            for text in node.input:
                key = parse_input(text)
                if key[0] in new or key[0] not in graph._nodes_by_name:
                    continue
                operation = graph.get_operation_by_name(key[0])
                if key[1] >= len(operation.outputs):
                    raise ValueError(f"Node '{node.name}': '{key[0]}' has no output {key[1]}")
                mapped[key] = operation if key[1] < 0 else operation.outputs[key[1]]
        before = len(graph.get_operations())
        colocated = _without_colocation(graph, graph_def, new)
        import_nodes(graph, graph_def, producer, "", mapped)
    for name, groups in colocated.items():
        graph.get_operation_by_name(name).attrs["_class"] = groups
    return graph.get_operations()[before:]


def _without_colocation(graph: Graph, graph_def: protos.GraphDef, new: set[str]) -> dict[str, list[str]]:
    """Takes away colocation with operations that are there, which an import does not know; returns what was taken."""
    taken = {}
    for node in graph_def.node:
        if "_class" not in node.attr:
            continue
        groups = [as_text(group) for group in node.attr["_class"].list.s]
        names = [group.removeprefix(_COLOCATED) for group in groups]
        if any(name not in new and name in graph._nodes_by_name for name in names):
            taken[node.name] = groups
            del node.attr["_class"]
    return taken
