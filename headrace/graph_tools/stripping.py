"""Graphs without what some outputs do not need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.files import file_io
from headrace.messages import protos
from headrace.messages.graph_files import read_message, write_message
from headrace.messages.graph_util import extract_sub_graph


def strip_unused(
    input_graph_def: protos.GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
) -> protos.GraphDef:
    """The part of a graph between some nodes and others, with placeholders for the first.

    Args:
        input_graph_def: a `GraphDef`.
        input_node_names: the nodes that become placeholders.
        output_node_names: the nodes to keep.
        placeholder_type_enum: the type of the placeholders by number, or a list with one for each.

    Returns:
        a GraphDef.

    Raises:
        ValueError: if a name is that of a tensor; KeyError: if there is no such node.
    """
    inputs = list(input_node_names)
    for name in inputs:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not a Operation.")
    missing = set(inputs) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError(f"The following input nodes were not found: {missing}")
    replaced = protos.GraphDef(versions=input_graph_def.versions, library=input_graph_def.library)
    for node in input_graph_def.node:
        if node.name not in inputs:
            replaced.node.append(node)
            continue
        placeholder = replaced.node.add(op="Placeholder", name=node.name)
        by_name = isinstance(placeholder_type_enum, list)
        placeholder.attr["dtype"].type = (
            placeholder_type_enum[inputs.index(node.name)] if by_name else placeholder_type_enum
        )
        for key in ("_output_shapes", "shape"):
            if key in node.attr:
                placeholder.attr[key].CopyFrom(node.attr[key])
    return extract_sub_graph(replaced, list(output_node_names))


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: int,
) -> int | None:
    """`strip_unused` of a file, into another; returns -1, after saying so, if there is nothing to do.

    Args:
        input_graph, input_binary: the file of a GraphDef, and whether it is binary.
        output_graph, output_binary: the file to write, and whether it is to be binary.
        input_node_names, output_node_names, placeholder_type_enum: as of `strip_unused`, names divided by commas.
    """
    if not file_io.file_exists(input_graph):
        print(f"Input graph file '{input_graph}' does not exist!")
        return -1
    if not output_node_names:
        print("You need to supply the name of a node to --output_node_names.")
        return -1
    graph_def = read_message(input_graph, protos.GraphDef(), as_text=not input_binary)
    stripped = strip_unused(graph_def, input_node_names.split(","), output_node_names.split(","), placeholder_type_enum)
    write_message(output_graph, stripped, as_text=not output_binary)
    print(f"{len(stripped.node)} ops in the final graph.")
    return None
