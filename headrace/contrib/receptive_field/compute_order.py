"""In which order a network's nodes compute, and the sizes of what goes in and comes out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.receptive_field.layer_parameters import get_layer_params

if TYPE_CHECKING:
    from headrace.messages.protos import GraphDef


class NodeInfo(NamedTuple):
    """A node's place in the order, its NodeDef, and height and width of what it takes and gives, where known."""

    order: int
    node: Any
    input_size: Sequence[int | None] | None
    output_size: Sequence[int | None] | None


def parse_graph_nodes(graph_def: GraphDef) -> dict[str, Any]:
    """The nodes of a graph by name."""
    return {node.name: node for node in graph_def.node}


def get_compute_order(
    graph_def: GraphDef, input_node_name: str = "", input_node_size: Sequence[int] | None = None
) -> tuple[dict[str, NodeInfo], dict[str, Any]]:
    """The order of a network's nodes: each comes later than those it takes values from.

    Args:
        graph_def: the graph.
        input_node_name: where the order begins, at 0.
        input_node_size: height and width of the images that go in there, where they are known.

    Returns:
        (node name to `NodeInfo`, node name to node).
    """
    nodes = parse_graph_nodes(graph_def)
    infos: dict[str, NodeInfo] = {}
    if input_node_name in nodes:
        infos[input_node_name] = NodeInfo(0, nodes[input_node_name], None, input_node_size)
    for name in nodes:
        pending = [name]
        while pending:
            current = pending[-1]
            before = _inputs_of(nodes[current])
            missing = [] if current in infos else [each for each in before if each not in infos]
            if missing:
                pending += missing
                continue
            pending.pop()
            if current not in infos:
                infos[current] = _info_of(nodes[current], [infos[each] for each in before], nodes)
    return infos, nodes


def _inputs_of(node: Any) -> list[str]:
    return [each.split(":")[0] for each in node.input if not each.startswith("^")]


def _info_of(node: Any, before: list[NodeInfo], nodes: dict[str, Any]) -> NodeInfo:
    order = max((each.order + 1 for each in before), default=0)
    size = before[0].output_size if before else None
    if size is None:
        return NodeInfo(order, node, None, None)
    found = get_layer_params(node, nodes, size, force=True)
    height = output_resolution(size[0], found.kernel_size_x, found.stride_x, found.total_padding_x)
    width = output_resolution(size[1], found.kernel_size_y, found.stride_y, found.total_padding_y)
    return NodeInfo(order, node, size, [height, width])


def output_resolution(
    input_spatial_resolution: int | None, kernel_size: int | None, stride: int | None, total_padding: int | None
) -> int | None:
    """How many values a layer gives along one axis; None where something is not known.

    Example:
        >>> output_resolution(9, 3, 2, 0)
        4
    """
    if input_spatial_resolution is None or kernel_size is None or stride is None or total_padding is None:
        return None
    return math.ceil((input_spatial_resolution + total_padding - kernel_size + 1) / stride)
