"""The placeholders of a graph."""

from __future__ import annotations

from headrace.core.graph import Graph
from headrace.core.tensor import Tensor


def get_placeholders(graph: Graph) -> list[Tensor]:
    """The tensors that `tf.placeholder` made in a graph, in order.

    Raises:
        TypeError: if `graph` is not a graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
