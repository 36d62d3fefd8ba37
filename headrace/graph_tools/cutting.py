"""Parts of graphs between inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.messages import protos
from headrace.messages.graph_util import extract_sub_graph


def cut_at(graph_def: protos.GraphDef, inputs: Sequence[str], outputs: Sequence[str]) -> protos.GraphDef:
    """The part of a graph that some nodes need, down to the inputs, which become placeholders of their types.

    Colocation with what is left out is forgotten.

    Args:
        graph_def: a `GraphDef`.
        inputs, outputs: names of nodes.

    Raises:
        AssertionError: if a name is not in the graph.
    """
    cut = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        made = cut.node.add()
        made.CopyFrom(node)
        if "_class" in made.attr:
            del made.attr["_class"]
        if node.name in inputs and node.op not in ("Placeholder", "PlaceholderV2"):
            made.Clear()
            made.name, made.op = node.name, "Placeholder"
            key = next((k for k in ("dtype", "T", "out_type", "DstT") if k in node.attr), None)
            if key is None:
                raise AssertionError(f"{node.name} ({node.op}) cannot be an input: its type is not known")
            made.attr["dtype"].type = node.attr[key].type
            made.attr["shape"].shape.unknown_rank = True
    return extract_sub_graph(cut, list(outputs))
