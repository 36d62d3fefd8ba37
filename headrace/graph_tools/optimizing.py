"""Graphs made smaller for inference: training nodes taken out, batch normalization folded into convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.graph_tools.padded_convolutions import (
    copy_versions_and_library,
    fuse_resize_and_conv,
    node_name_from_input,
)
from headrace.graph_tools.stripping import strip_unused
from headrace.messages import protos
from headrace.messages.graph_util import remove_training_nodes
from headrace.messages.tensor_proto import MakeNdarray, make_tensor_proto
from headrace.util import tf_logging

# Where the inputs of a normalization stand: the normalized tensor, mean, variance, offset, scale.
_NORMALIZATIONS = {
    "BatchNormWithGlobalNormalization": (0, 1, 2, 3, 4),
    "FusedBatchNorm": (0, 3, 4, 2, 1),
    "FusedBatchNormV2": (0, 3, 4, 2, 1),
    "FusedBatchNormV3": (0, 3, 4, 2, 1),
}
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")


def optimize_for_inference(
    input_graph_def: protos.GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int,
    toco_compatible: bool = False,
) -> protos.GraphDef:
    """A frozen graph made smaller: unused and training nodes taken out, batch normalization folded into convolutions.

    Args:
        input_graph_def: a frozen `GraphDef`.
        input_node_names: the nodes that are fed.
        output_node_names: the nodes that are fetched.
        placeholder_type_enum: the type of what is fed by number, or a list with one for each.
        toco_compatible: leave convolutions apart from what resizes or mirrors their images.

    Returns:
        a GraphDef that gives the same results.

    Raises:
        ValueError: if names are there twice or inputs are missing.
    """
    ensure_graph_is_valid(input_graph_def)
    stripped = strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum)
    plain = remove_training_nodes(stripped, output_node_names)
    folded = fold_batch_norms(plain)
    if not toco_compatible:
        folded = fuse_resize_and_conv(folded, output_node_names)
    ensure_graph_is_valid(folded)
    return folded


def ensure_graph_is_valid(graph_def: protos.GraphDef) -> None:
    """Raises ValueError if names are there twice, or inputs are missing."""
    found: set[str] = set()
    for node in graph_def.node:
        if node.name in found:
            raise ValueError(f"Duplicate node names detected for {node.name}")
        found.add(node.name)
    for node in graph_def.node:
        for text in node.input:
            if node_name_from_input(text) not in found:
                raise ValueError(f"Input for {node.name} not found: {text}")


def values_from_const(node_def: protos.NodeDef) -> np.ndarray:
    """The value of a constant.

    Raises:
        ValueError: if the node is none.
    """
    if node_def.op != "Const":
        raise ValueError(f"Node named '{node_def.name}' should be a Const op for values_from_const.")
    return MakeNdarray(node_def.attr["value"].tensor)


def fold_batch_norms(input_graph_def: protos.GraphDef) -> protos.GraphDef:
    """A graph in which normalizations of convolutions, by constants, are part of the filters and a bias.

    Args:
        input_graph_def: a frozen `GraphDef`.
    """
    nodes = {node.name: node for node in input_graph_def.node}
    uses: dict[str, int] = {}
    for node in input_graph_def.node:
        for text in node.input:
            uses[node_name_from_input(text)] = uses.get(node_name_from_input(text), 0) + 1
    dropped: set[str] = set()
    made: dict[str, list[Any]] = {}  # in the place of the normalization of this name
    for node in input_graph_def.node:
        if node.op not in _NORMALIZATIONS:
            continue
        folded = _folded(node, nodes, uses)
        if folded is not None:
            removed, made[node.name] = folded
            dropped |= removed
    out = protos.GraphDef()
    copy_versions_and_library(input_graph_def, out)
    for node in input_graph_def.node:
        if node.name in made:
            out.node.extend(made[node.name])
        elif node.name not in dropped:
            out.node.append(node)
    return out


def _folded(node: protos.NodeDef, nodes: dict[str, Any], uses: dict[str, int]) -> tuple[set[str], list[Any]] | None:
    """The names of nodes to drop and those to put in the place of a normalization, None where it cannot be folded."""
    if node.attr["is_training"].b and node.op != "BatchNormWithGlobalNormalization":
        tf_logging.warn("Didn't fold %s: it normalizes by the batch", node.name)
        return None
    places = _NORMALIZATIONS[node.op]
    inputs = [nodes[node_name_from_input(node.input[place])] for place in places]
    convolution, *constants = inputs
    if convolution.op not in _CONVOLUTIONS or uses.get(convolution.name, 0) != 1:
        tf_logging.warn("Didn't find expected Conv2D or DepthwiseConv2dNative input to '%s'", node.name)
        return None
    weights_node = nodes[node_name_from_input(convolution.input[1])]
    if weights_node.op != "Const" or any(constant.op != "Const" for constant in constants):
        tf_logging.warn("Didn't find expected constants as inputs of '%s'", node.name)
        return None
    weights = values_from_const(weights_node)
    mean, variance, offset, scale = (values_from_const(constant) for constant in constants)
    if node.op == "BatchNormWithGlobalNormalization":
        epsilon = node.attr["variance_epsilon"].f
        scaled = node.attr["scale_after_normalization"].b
    else:
        epsilon = node.attr["epsilon"].f if "epsilon" in node.attr else 1e-4
        scaled = True
    factor = (scale if scaled else 1.0) / np.sqrt(variance + epsilon)
    depthwise = convolution.op == "DepthwiseConv2dNative"
    channels = weights.shape[2] * weights.shape[3] if depthwise else weights.shape[3]
    if factor.shape != (channels,):
        tf_logging.warn("The constants of '%s' do not fit the filters of '%s'", node.name, convolution.name)
        return None
    new_weights = (weights * (factor.reshape(weights.shape[2:]) if depthwise else factor)).astype(weights.dtype)
    bias = (offset - mean * factor).astype(weights.dtype)
    # The filters may be shared; the folded ones get a name of their own then.
    shared = uses.get(weights_node.name, 0) != 1
    weights_name = f"{convolution.name}_weights" if shared else weights_node.name
    new_convolution = protos.NodeDef()
    new_convolution.CopyFrom(convolution)
    new_convolution.input[1] = weights_name
    add = protos.NodeDef(op="BiasAdd", name=node.name, device=node.device)
    add.input.extend([convolution.name, f"{convolution.name}_bn_offset"])
    add.attr["T"].CopyFrom(convolution.attr["T"])
    if "data_format" in convolution.attr:
        add.attr["data_format"].CopyFrom(convolution.attr["data_format"])
    removed = {convolution.name} | (set() if shared else {weights_node.name})
    removed |= {constant.name for constant in constants if uses.get(constant.name, 0) == 1}
    parts = [
        _constant(weights_name, new_weights),
        new_convolution,
        _constant(f"{convolution.name}_bn_offset", bias),
        add,
    ]
    return removed, parts


def _constant(name: str, value: np.ndarray) -> protos.NodeDef:
    node = protos.NodeDef(op="Const", name=name)
    message = make_tensor_proto(value)
    node.attr["dtype"].type = message.dtype
    node.attr["value"].tensor.CopyFrom(message)
    return node
