"""Transforms of constants: computed ahead, rounded, or kept as bytes."""

from __future__ import annotations

import numpy as np

from headrace.core.dtypes import float32, quint8
from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.core.registry import find
from headrace.graph_tools.transforms.registry import (
    Parameters,
    flag,
    node_name,
    number,
    transform,
    with_nodes,
)
from headrace.graph_tools.transforms.structure import strip_unused_nodes
from headrace.messages import protos
from headrace.messages.graph_def import import_graph_def
from headrace.messages.tensor_proto import MakeNdarray, make_tensor_proto
from headrace.runtime.session import Session

# More than this would make a file larger, not smaller; bytes.
_LARGEST_FOLDED = 10 * 1024 * 1024
_LOOPS = frozenset({"Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"})


def constant(name: str, value: np.ndarray) -> protos.NodeDef:
    """A node that holds a value."""
    node = protos.NodeDef(name=name, op="Const")
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value))
    node.attr["dtype"].type = node.attr["value"].tensor.dtype
    return node


@transform
def fold_constants(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Computes what does not depend on inputs, and drops what is then of no use.

    `ignore_errors` leaves what cannot be computed; `clear_output_shapes` forgets shapes that were noted with nodes.
    """
    if flag(parameters, "clear_output_shapes", True):
        for node in graph_def.node:
            if "_output_shapes" in node.attr:
                del node.attr["_output_shapes"]
    stripped = strip_unused_nodes(graph_def, inputs, outputs, {})
    fixed = _fixed(stripped, {node_name(name) for name in inputs})
    taken = {node_name(text) for node in stripped.node if node.name not in fixed for text in node.input}
    wanted = taken | {node_name(name) for name in outputs}
    folded = [node for node in stripped.node if node.name in fixed and node.op != "Const" and node.name in wanted]
    values: dict[str, np.ndarray] = {}
    # What cannot be placed here does not keep the rest from being computed.
    config = protos.ConfigProto(graph_options=protos.GraphOptions(place_pruned_graph=True))
    with Graph().as_default() as graph:
        import_graph_def(stripped, name="")
        with Session(graph=graph, config=config) as session:
            for node in folded:
                if len(graph.get_operation_by_name(node.name).outputs) != 1:
                    continue
                try:
                    values[node.name] = np.asarray(session.run(f"{node.name}:0"))
                except OpError:
                    if not flag(parameters, "ignore_errors"):
                        raise
    made = []
    for node in stripped.node:
        value = values.get(node.name)
        made.append(node if value is None or value.nbytes > _LARGEST_FOLDED else constant(node.name, value))
    return strip_unused_nodes(with_nodes(stripped, made), inputs, outputs, {})


def _fixed(graph_def: protos.GraphDef, fed: set[str]) -> set[str]:
    """The nodes whose values are the same in every step."""
    moving = set(fed)
    for node in graph_def.node:
        decl = find(node.op)
        if decl is None or decl.stateful or node.op.startswith("Placeholder") or node.op in _LOOPS:
            moving.add(node.name)
    takers: dict[str, list[str]] = {}
    for node in graph_def.node:
        for text in node.input:
            takers.setdefault(node_name(text), []).append(node.name)
    pending = list(moving)
    while pending:
        for name in takers.get(pending.pop(), ()):
            if name not in moving:
                moving.add(name)
                pending.append(name)
    return {node.name for node in graph_def.node} - moving


def _weights(graph_def: protos.GraphDef, least: int) -> dict[str, np.ndarray]:
    """The float constants of at least so many values, by name."""
    found = {}
    for node in graph_def.node:
        if node.op == "Const" and node.attr["dtype"].type == float32.as_datatype_enum:
            value = MakeNdarray(node.attr["value"].tensor)
            if value.size >= least:
                found[node.name] = value
    return found


@transform
def round_weights(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Lets float constants have `num_steps` different values, so that files compress well."""
    steps = number(parameters, "num_steps", 256)
    weights = _weights(graph_def, 16)
    made = []
    for node in graph_def.node:
        value = weights.get(node.name)
        if value is not None:
            # Equal values have a range as wide as they are large.
            spread = float(value.max() - value.min()) or abs(float(value.max())) or float(np.finfo(np.float32).tiny)
            width = spread / steps
            buckets = np.floor((value - value.min()) / np.float32(width))
            node = constant(
                node.name, (value.min() + (buckets + np.float32(0.5)) * np.float32(width)).astype(np.float32)
            )
        made.append(node)
    return with_nodes(graph_def, made)


@transform
def quantize_weights(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Keeps float constants of at least `minimum_size` values as bytes, which are made floats again when a step runs."""
    weights = _weights(graph_def, number(parameters, "minimum_size", 1024))
    made = []
    for node in graph_def.node:
        value = weights.get(node.name)
        if value is None:
            made.append(node)
            continue
        least, most = min(0.0, float(value.min())), max(0.0, float(value.max()))
        if least == most:
            # A range needs a width.
            most = least + 1.0 if least else 1.0
        scale = 255.0 / (most - least)
        # The mode MIN_FIRST rounds the numbers and the least of them each by itself.
        bytes_ = (_rounded(value * scale) - _rounded(np.float64(least * scale))).clip(0, 255)
        names = [f"{node.name}_quantized_{part}" for part in ("const", "min", "max")]
        quantized = protos.NodeDef(name=names[0], op="Const")
        quantized.attr["dtype"].type = quint8.as_datatype_enum
        tensor = quantized.attr["value"].tensor
        tensor.CopyFrom(make_tensor_proto(bytes_.astype(np.uint8)))
        tensor.dtype = quint8.as_datatype_enum
        dequantize = protos.NodeDef(name=node.name, op="Dequantize", input=names)
        dequantize.attr["T"].type = quint8.as_datatype_enum
        dequantize.attr["mode"].s = b"MIN_FIRST"
        bounds = [constant(name, np.float32(bound)) for name, bound in zip(names[1:], (least, most))]
        made += [quantized, *bounds, dequantize]
    return with_nodes(graph_def, made)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Whole numbers, halves away from zero."""
    rounded: np.ndarray = np.copysign(np.floor(np.abs(values.astype(np.float64)) + 0.5), values)
    return rounded
