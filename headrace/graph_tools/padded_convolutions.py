"""Convolutions of images that are resized or mirrored at their edges first, as one op in a graph's message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.messages import protos
from headrace.messages.tensor_proto import make_tensor_proto


def node_name_from_input(node_name: str) -> str:
    """The node that an input names."""
    return node_name.removeprefix("^").partition(":")[0]


def fuse_resize_and_conv(input_graph_def: protos.GraphDef, output_node_names: Sequence[str]) -> protos.GraphDef:
    """A graph in which each Conv2D of a MirrorPad or ResizeBilinear computes these as well.

    Args:
        input_graph_def: a `GraphDef`.
        output_node_names: nodes that stay whether others need them or not.

    Returns:
        a GraphDef with FusedResizeAndPadConv2D and FusedPadConv2D in the places of convolutions, and without what only
        these needed.

    Raises:
        ValueError: if a name is there twice.
    """
    nodes: dict[str, Any] = {}
    for node in input_graph_def.node:
        if node.name in nodes:
            raise ValueError(f"Duplicate node names detected for {node.name}")
        nodes[node.name] = node
    uses = Counter(node_name_from_input(text) for node in input_graph_def.node for text in node.input)
    uses.update(node_name_from_input(name) for name in output_node_names)
    made: dict[str, list[Any]] = {}
    for node in input_graph_def.node:
        if node.op == "Conv2D" and _is_plain(node):
            pad, resize = _before(node, nodes)
            if pad is not None or resize is not None:
                made[node.name] = _fused(node, pad, resize)
                passed = [found for found in (pad, resize) if found is not None]
                for found in passed:  # the first is read by the convolution, the second by the first
                    uses[found.name] -= 1
                    if uses[found.name]:
                        break
    out = protos.GraphDef()
    copy_versions_and_library(input_graph_def, out)
    for node in input_graph_def.node:
        if node.name in made:
            out.node.extend(made[node.name])
        elif uses[node.name] or node.op not in ("MirrorPad", "ResizeBilinear"):
            out.node.append(node)
    return out


def copy_versions_and_library(source: protos.GraphDef, target: protos.GraphDef) -> None:
    """Copies versions and functions from one `GraphDef` to another, where there are any."""
    for field in ("versions", "library"):
        if getattr(source, field).ByteSize():
            getattr(target, field).CopyFrom(getattr(source, field))


def _is_plain(convolution: protos.NodeDef) -> bool:
    """Whether the fused ops can do what a convolution does."""
    attrs = convolution.attr
    layout = attrs["data_format"].s if "data_format" in attrs else b"NHWC"
    dilations = attrs["dilations"].list.i if "dilations" in attrs else []
    padding = attrs["padding"].s if "padding" in attrs else b"VALID"
    return layout in (b"", b"NHWC") and all(step == 1 for step in dilations) and padding in (b"SAME", b"VALID")


def _before(convolution: protos.NodeDef, nodes: dict[str, Any]) -> tuple[Any, Any]:
    """The MirrorPad and the ResizeBilinear that a convolution's images come from, None where there is none."""
    pad, resize = None, nodes[node_name_from_input(convolution.input[0])]
    if resize.op == "MirrorPad":
        pad, resize = resize, nodes[node_name_from_input(resize.input[0])]
    if resize.op != "ResizeBilinear" or ("half_pixel_centers" in resize.attr and resize.attr["half_pixel_centers"].b):
        resize = None
    # What is resized need not be of the convolution's type: the op that does both has one type only.
    if resize is not None and resize.attr["T"].type != convolution.attr["T"].type:
        resize = None
    return pad, resize


def _fused(convolution: Any, pad: Any, resize: Any) -> list[Any]:
    """What stands in the place of a convolution."""
    parts = []
    fused = protos.NodeDef(name=convolution.name, device=convolution.device)
    fused.op = "FusedPadConv2D" if resize is None else "FusedResizeAndPadConv2D"
    if pad is not None:
        paddings, mode = pad.input[1], pad.attr["mode"].s
    else:
        none = protos.NodeDef(op="Const", name=f"{convolution.name}_dummy_paddings")
        message = make_tensor_proto(np.zeros([4, 2], np.int32))
        none.attr["dtype"].type = message.dtype
        none.attr["value"].tensor.CopyFrom(message)
        parts.append(none)
        paddings, mode = none.name, b"REFLECT"
    if resize is None:
        fused.input.extend([pad.input[0], paddings, *convolution.input[1:]])
    else:
        fused.input.extend([resize.input[0], resize.input[1], paddings, *convolution.input[1:]])
        fused.attr["resize_align_corners"].b = resize.attr["align_corners"].b
    fused.attr["T"].CopyFrom(convolution.attr["T"])
    fused.attr["mode"].s = mode
    for name in ("strides", "padding"):
        fused.attr[name].CopyFrom(convolution.attr[name])
    return [*parts, fused]
