"""Datasets as before 1.13: descriptions of no graph, whose operations are made in each graph that uses them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.data.dataset_base import DatasetBase
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_util import extract_sub_graph

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.tensor import Tensor

# What belongs to the graph it was made in: a dataset of it is not made again.
_OF_ONE_GRAPH = ("Placeholder", "Variable", "VarHandleOp", "HashTable", "MutableHashTable")


def make_portable() -> None:
    """Lets programs transform and iterate over datasets that were made in another graph, as they could before 1.13.

    Estimators build graphs of their own, so that datasets of a program's start were such for every `input_fn`.
    """
    setattr(DatasetBase, "_variant_tensor", property(_in_default_graph, _keep))  # noqa: B010  # in an attribute's place


def _keep(dataset: Any, variant: Tensor) -> None:
    dataset.__dict__["_made_variant"] = variant
    dataset.__dict__["_copied_variants"] = weakref.WeakKeyDictionary()


def _in_default_graph(dataset: Any) -> Tensor:
    made: Tensor = dataset.__dict__["_made_variant"]
    if executing_eagerly():
        return made
    graph: Any = get_default_graph()
    while graph.building_function and graph is not made.graph:
        graph = graph.outer_graph
    if graph is made.graph:
        return made
    copies = dataset.__dict__["_copied_variants"]
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
