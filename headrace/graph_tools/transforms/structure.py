"""Transforms of what is connected with what."""

from __future__ import annotations

from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import find
from headrace.graph_tools.transforms.registry import Parameters, node_name, rename_inputs, shape, transform, with_nodes
from headrace.messages import protos


def _needed(graph_def: protos.GraphDef, inputs: list[str], outputs: list[str]) -> set[str]:
    """The nodes that the outputs need, up to the inputs."""
    nodes = {node.name: node for node in graph_def.node}
    ends = {node_name(name) for name in inputs}
    pending = [node_name(name) for name in outputs]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name in found or name not in nodes:
            continue
        found.add(name)
        if name not in ends:
            pending += [node_name(text) for text in nodes[name].input]
    return found


@transform
def strip_unused_nodes(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Keeps what the outputs need; inputs that are no placeholders become some, of `type` and `shape`.

    `name`, `type_for_name` and `shape_for_name`, each as often as the others, say them for single inputs.
    """
    defaults = {"type": "float32", "shape": ""}
    chosen = {key: (parameters.get(key) or [value])[-1] for key, value in defaults.items()}
    given = [parameters.get(key, []) for key in ("name", "type_for_name", "shape_for_name")]
    if len({len(values) for values in given}) != 1:
        raise InvalidArgumentError(
            None,
            None,
            "strip_unused_nodes expects as many type_for_name and shape_for_name arguments as name arguments",
        )
    special = {name: (kind, sizes) for name, kind, sizes in zip(*given)}
    needed, fed = _needed(graph_def, inputs, outputs), {node_name(name) for name in inputs}
    kept = []
    for node in graph_def.node:
        if node.name not in needed:
            continue
        if node.name in fed and not node.op.startswith("Placeholder"):
            kind, sizes = special.get(node.name, (chosen["type"], chosen["shape"]))
            dtype = as_dtype({"float": "float32", "double": "float64", "half": "float16"}.get(kind, kind))
            node = protos.NodeDef(name=node.name, op="Placeholder")
            node.attr["dtype"].type = dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(shape(sizes).as_proto())
        kept.append(node)
    return with_nodes(graph_def, kept)


@transform
def remove_nodes(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Takes nodes of each `op` out, what they were given in their place; inputs and outputs stay.

    Those of several inputs need `max_inputs`: the first input then takes their place.
    """
    types = parameters.get("op", [])
    if not types:
        raise InvalidArgumentError(
            None, None, "remove_nodes expects at least one 'op' argument, e.g. remove_nodes(op=Identity)"
        )
    most = int((parameters.get("max_inputs") or ["1"])[-1])
    kept_names = {node_name(name) for name in (*inputs, *outputs)}
    gone: dict[str, str] = {}
    for node in graph_def.node:
        data = [text for text in node.input if not text.startswith("^")]
        if node.op in types and node.name not in kept_names and 1 <= len(data) <= most:
            gone[node.name] = data[0]
    for name, source in gone.items():
        while source.removesuffix(":0") in gone:
            source = gone[source.removesuffix(":0")]
        gone[name] = source
    kept = [node for node in graph_def.node if node.name not in gone]
    rename_inputs(kept, gone)
    return with_nodes(graph_def, kept)


@transform
def remove_control_dependencies(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Takes all control edges out."""
    for node in graph_def.node:
        data = [text for text in node.input if not text.startswith("^")]
        del node.input[:]
        node.input.extend(data)
    return graph_def


@transform
def sort_by_execution_order(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Puts each node behind those that it takes from; nodes of a loop's cycle keep their order."""
    nodes = {node.name: node for node in graph_def.node}
    placed: dict[str, None] = {}
    for start in nodes:
        pending = [(start, iter(nodes[start].input))]
        entered = {start}
        while pending:
            name, rest = pending[-1]
            before = next((node_name(text) for text in rest if node_name(text) in nodes), None)
            if before is None:
                placed[name] = None
                pending.pop()
            elif before not in placed and before not in entered:
                entered.add(before)
                pending.append((before, iter(nodes[before].input)))
    return with_nodes(graph_def, [nodes[name] for name in placed])


@transform
def merge_duplicate_nodes(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Lets equal nodes be one: of the same op, inputs, device and attributes, and without state."""
    kept_names = {node_name(name) for name in (*inputs, *outputs)}
    nodes = list(sort_by_execution_order(graph_def, inputs, outputs, {}).node)
    while True:
        seen: dict[tuple[object, ...], str] = {}
        merged: dict[str, str] = {}
        for node in nodes:
            if _has_effects(node):
                continue
            key = (node.op, tuple(node.input), node.device, tuple(sorted(_attributes(node))))
            first = seen.setdefault(key, node.name)
            if first != node.name and node.name not in kept_names:
                merged[node.name] = first
        if not merged:
            return with_nodes(graph_def, nodes)
        nodes = [node for node in nodes if node.name not in merged]
        rename_inputs(nodes, merged)


def _attributes(node: protos.NodeDef) -> list[tuple[str, bytes]]:
    return [(key, value.SerializeToString(deterministic=True)) for key, value in node.attr.items()]


def _has_effects(node: protos.NodeDef) -> bool:
    decl = find(node.op)
    return decl is None or decl.stateful or node.op.startswith("Placeholder")
