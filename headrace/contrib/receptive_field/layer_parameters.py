"""Kernels, strides and padding of a network's layers, read from the nodes of its graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.messages.tensor_proto import MakeNdarray as make_ndarray
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.messages.protos import NodeDef


# Operations of which each value comes from the one value in its place.
UNCHANGED = (
    *("Add", "AddV2", "BiasAdd", "Cast", "Ceil", "ConcatV2", "Const", "Floor", "FusedBatchNorm"),
    *("Identity", "Log", "Mul", "Pow", "RealDiv", "Relu", "Relu6", "Round"),
    *("Rsqrt", "Softplus", "Sub", "VariableV2", "LRN", "GreaterEqual"),
)
_POOLS = ("AvgPool", "MaxPool", "MaxPoolV2")
# Where rows and columns lie in what four axes are said of.
_ROWS, _COLUMNS = 1, 2

Nodes = Mapping[str, Any]


class LayerParams(NamedTuple):
    """What a layer does along columns (x) and rows (y). A padding is None where it depends on unknown sizes."""

    kernel_size_x: int | None
    kernel_size_y: int | None
    stride_x: int | None
    stride_y: int | None
    padding_x: int | None
    padding_y: int | None
    total_padding_x: int | None
    total_padding_y: int | None


def get_layer_params(
    node: NodeDef, name_to_node: Nodes, input_resolution: Sequence[int | None] | None = None, force: bool = False
) -> LayerParams:
    """The parameters of a layer.

    Args:
        node: its node.
        name_to_node: all nodes of the graph by name.
        input_resolution: height and width of what comes in, where they are known.
        force: whether a layer of another kind has parameters of None; it is an error otherwise.

    Raises:
        ValueError: for a kind of layer that is not known, and for one whose parameters are not constants of the graph.
    """
    if node.op in UNCHANGED:
        return LayerParams(1, 1, 1, 1, 0, 0, 0, 0)
    if node.op == "Pad":
        rows, columns = _pad_sizes(node, name_to_node)
        return LayerParams(1, 1, 1, 1, columns[1], rows[1], columns[0], rows[0])
    if node.op in ("Conv2D", "DepthwiseConv2dNative"):
        kernel = _weights_sizes(node, name_to_node)
    elif node.op in _POOLS:
        kernel = _window_sizes(node, name_to_node)
    elif force:
        return LayerParams(*[None] * len(LayerParams._fields))
    else:
        raise ValueError(f"Unknown layer for operation '{node.name}': {node.op}")
    strides = _of_four(node, name_to_node, "strides", 2)
    height, width = input_resolution or (None, None)
    total_x, x = padding_sizes(node, kernel[1], strides[_COLUMNS], width)
    total_y, y = padding_sizes(node, kernel[0], strides[_ROWS], height)
    return LayerParams(kernel[1], kernel[0], strides[_COLUMNS], strides[_ROWS], x, y, total_x, total_y)


def _of_four(node: NodeDef, name_to_node: Nodes, attribute: str, position: int) -> list[int]:
    """What is said of the four axes by an attribute, or by an input where the op is MaxPoolV2."""
    if node.op != "MaxPoolV2":
        return [int(size) for size in node.attr[attribute].list.i]
    name = node.input[position]
    if not name.endswith(f"/{attribute}"):
        what = "Strides name" if attribute == "strides" else "Kernel size name"
        raise ValueError(f"{what} does not end with '/{attribute}'")
    return [int(size) for size in make_ndarray(name_to_node[name].attr["value"].tensor)]


def _window_sizes(node: NodeDef, name_to_node: Nodes) -> tuple[int, int]:
    sizes = _of_four(node, name_to_node, "ksize", 1)
    for position, which in ((0, "first"), (3, "last")):
        if sizes[position] != 1:
            raise ValueError(f"pool ksize for {which} dim is not 1")
    return sizes[_ROWS], sizes[_COLUMNS]


def _weights_sizes(node: NodeDef, name_to_node: Nodes) -> tuple[int, int]:
    read = node.input[1]
    if not read.endswith("/read"):
        raise ValueError("Weight layer's name input to conv layer does not end with '/read'")
    name = read.removesuffix("/read")
    weights = name_to_node[name]
    if weights.op == "VariableV2":
        sizes = weights.attr["shape"].shape.dim
    elif weights.op == "Const":
        sizes = weights.attr["value"].tensor.tensor_shape.dim
    else:
        raise ValueError(f"Weight layer {name} is not of type VariableV2 or Const: {weights.op}")
    if len(sizes) != 4:
        raise ValueError(f"Weight layer {name} does not have rank 4. Instead, it has: {len(sizes)}")
    return int(sizes[0].size), int(sizes[1].size)


def padding_sizes(
    node: NodeDef, kernel_size: int, stride: int, input_resolution: int | None = None
) -> tuple[int | None, int | None]:
    """(all of the padding, that before the first value) along one axis; None where it depends on the input's size.

    Raises:
        ValueError: for a padding that is neither "SAME" nor "VALID".
    """
    kind = node.attr["padding"].s
    if kind in (b"VALID", "VALID"):
        return 0, 0
    if kind not in (b"SAME", "SAME"):
        raise ValueError(f"Invalid padding operation {kind}")
    if input_resolution is not None:
        total = max(kernel_size - (input_resolution % stride or stride), 0)
        return total, total // 2
    if kernel_size == 1:
        return 0, 0
    if stride == 1:
        return kernel_size - 1, (kernel_size - 1) // 2
    if stride == 2 and kernel_size % 2 == 0:
        # Odd and even sizes differ in what comes behind the last value only.
        return None, math.floor((kernel_size - 1) / 2)
    tf_logging.warning(
        "Padding of %s depends on the input's size, so the effective padding is not known and alignment is not checked: "
        "give the input resolution, if you know it.",
        node.name,
    )
    return None, None


def _pad_sizes(node: NodeDef, name_to_node: Nodes) -> tuple[tuple[int, int], tuple[int, int]]:
    """(all of it, that before the first value) of rows and of columns."""
    name = node.input[1]
    if not name.endswith("/paddings"):
        raise ValueError("Padding layer name does not end with '/paddings'")
    found = name_to_node[name]
    if found.op != "Const":
        raise ValueError("Padding op is not Const")
    sizes = make_ndarray(found.attr["value"].tensor)
    for position, which in ((0, "first"), (3, "last")):
        if sizes[position].any():
            raise ValueError(f"padding is not zero for {which} tensor dim")
    rows, columns = sizes[_ROWS], sizes[_COLUMNS]
    return (int(rows.sum()), int(rows[0])), (int(columns.sum()), int(columns[0]))
