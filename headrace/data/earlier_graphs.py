"""Datasets as before 1.13: descriptions of no graph, whose operations are made in each graph that uses them."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_util import extract_sub_graph

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.tensor import Tensor

# What belongs to the graph it was made in: a dataset of it is not made again.
_OF_ONE_GRAPH = ("Placeholder", "Variable", "VarHandleOp", "HashTable", "MutableHashTable")


def variant_here(made: Tensor, copies: MutableMapping[Graph, Tensor]) -> Tensor:
    """What stands for a dataset in the default graph, or in one that is around it.

    Estimators build graphs of their own: what a program made at its start is of another graph than each `input_fn`.

    Args:
        made: what stands for it in the graph it was made in.
        copies: the same in other graphs, to which this one is added.
    """
    if executing_eagerly():
        return made
    graph: Any = get_default_graph()
    while graph.building_function and graph is not made.graph:
        graph = graph.outer_graph
    if graph is made.graph:
        return made
    if graph not in copies:
        copies[graph] = _copied(made, graph)
    return copies[graph]


def _copied(made: Tensor, graph: Graph) -> Tensor:
    """What stands for a dataset in another graph; the tensor as it is where it depends on what a graph owns."""
    needed = extract_sub_graph(made.graph.as_graph_def(), [made.op.name])
    if any(node.op.startswith(_OF_ONE_GRAPH) for node in needed.node):
        return made
    with graph.as_default(), control_dependencies(None):
        found: Any = import_graph_def(needed, return_elements=[made.name], name="dataset")
    return found[0]
