"""Transforms of convolutions: scales folded into their filters, and dilations made attributes again."""

from __future__ import annotations

import numpy as np

from headrace.graph_tools.optimizing import fold_batch_norms as folded_batch_norms
from headrace.graph_tools.transforms.constants import constant
from headrace.graph_tools.transforms.registry import Parameters, node_name, transform, with_nodes
from headrace.graph_tools.transforms.structure import strip_unused_nodes
from headrace.messages import protos
from headrace.messages.tensor_proto import MakeNdarray

_PRODUCTS = ("Conv2D", "MatMul", "DepthwiseConv2dNative")


def _uses(graph_def: protos.GraphDef) -> dict[str, int]:
    uses: dict[str, int] = {}
    for node in graph_def.node:
        for text in node.input:
            uses[node_name(text)] = uses.get(node_name(text), 0) + 1
    return uses


def _value(node: protos.NodeDef | None) -> np.ndarray | None:
    return MakeNdarray(node.attr["value"].tensor) if node is not None and node.op == "Const" else None


@transform
def fold_batch_norms(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Folds what multiplies the channels of a product into its filter; the product takes the multiplication's name."""
    nodes = {node.name: node for node in graph_def.node}
    uses = _uses(graph_def)
    kept = {node_name(name) for name in (*inputs, *outputs)}
    replaced: dict[str, list[protos.NodeDef]] = {}
    gone: set[str] = set()
    for node in graph_def.node:
        if node.op != "Mul":
            continue
        product, scale = (nodes.get(node_name(text)) for text in node.input[:2])
        if product is None or product.op not in _PRODUCTS or product.name in kept or uses[product.name] != 1:
            continue
        filters = nodes.get(node_name(product.input[1]))
        weights, scales = _value(filters), _value(scale)
        if filters is None or weights is None or scales is None or uses[filters.name] != 1 or scales.ndim > 1:
            continue
        if product.op == "DepthwiseConv2dNative":
            scaled = weights * np.broadcast_to(scales, [weights.shape[2] * weights.shape[3]]).reshape(weights.shape[2:])
        elif product.op == "MatMul" and product.attr["transpose_b"].b:
            scaled = weights * scales.reshape(-1, 1)
        else:
            scaled = weights * scales
        if scaled.shape != weights.shape:
            continue
        folded = protos.NodeDef()
        folded.CopyFrom(product)
        folded.name = node.name
        replaced[node.name] = [folded]
        replaced[filters.name] = [constant(filters.name, scaled.astype(weights.dtype))]
        gone.add(product.name)
        if scale is not None and uses[scale.name] == 1:
            gone.add(scale.name)
    made = [each for node in graph_def.node if node.name not in gone for each in replaced.get(node.name, [node])]
    return with_nodes(graph_def, made)


@transform
def fold_old_batch_norms(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Folds the nodes of batch normalization behind convolutions into their filters and a bias."""
    return with_nodes(graph_def, list(folded_batch_norms(graph_def).node))


@transform
def flatten_atrous_conv(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Makes a convolution between SpaceToBatchND and BatchToSpaceND one with zeros between the filter's values."""
    nodes = {node.name: node for node in graph_def.node}
    made = []
    for node in graph_def.node:
        made += _flattened(node, nodes) or [node]
    return strip_unused_nodes(with_nodes(graph_def, made), inputs, outputs, {})


def _flattened(node: protos.NodeDef, nodes: dict[str, protos.NodeDef]) -> list[protos.NodeDef] | None:
    """What stands for a BatchToSpaceND behind a convolution of spaced pixels, or None."""
    if node.op != "BatchToSpaceND":
        return None
    convolution = nodes.get(node_name(node.input[0]))
    if convolution is None or convolution.op not in ("Conv2D", "DepthwiseConv2dNative"):
        return None
    spaced, filters = (nodes.get(node_name(text)) for text in convolution.input[:2])
    weights = _value(filters)
    if spaced is None or spaced.op != "SpaceToBatchND" or weights is None or filters is None:
        return None
    block, paddings = _value(nodes.get(node_name(spaced.input[1]))), _value(nodes.get(node_name(spaced.input[2])))
    if block is None or paddings is None or block.size != 2:
        return None
    rows, columns = (int(size) for size in block)
    height, width = weights.shape[:2]
    spread = np.zeros([(height - 1) * rows + 1, (width - 1) * columns + 1, *weights.shape[2:]], weights.dtype)
    spread[::rows, ::columns] = weights
    made = protos.NodeDef()
    made.CopyFrom(convolution)
    name = f"{filters.name}_flattened"
    made.name = node.name
    made.input[0], made.input[1] = spaced.input[0], name
    made.attr["padding"].s = b"SAME" if paddings.any() else b"VALID"
    return [constant(name, spread), made]
