"""Transforms of attributes, names and devices."""

from __future__ import annotations

from headrace.core import slots
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import find
from headrace.graph_tools.transforms.registry import Parameters, flag, node_name, one, transform, with_nodes
from headrace.messages import protos


@transform
def add_default_attributes(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """States the attributes that nodes leave to their defaults, for older readers."""
    for node in graph_def.node:
        decl = find(node.op)
        if decl is None:
            continue
        for attr in slots.op_def_of(decl).attr:
            if attr.HasField("default_value") and attr.name not in node.attr:
                node.attr[attr.name].CopyFrom(attr.default_value)
    return graph_def


@transform
def remove_attribute(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Takes an attribute from all nodes, or those of `op_name`."""
    name, op_type = one(parameters, "attribute_name"), one(parameters, "op_name", "*")
    for node in graph_def.node:
        if op_type in ("*", node.op) and name in node.attr:
            del node.attr[name]
    return graph_def


@transform
def rename_attribute(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Gives an attribute of all nodes, or those of `op_name`, another name."""
    old, new = one(parameters, "old_attribute_name"), one(parameters, "new_attribute_name")
    op_type = one(parameters, "op_name", "*")
    for node in graph_def.node:
        if op_type in ("*", node.op) and old in node.attr:
            node.attr[new].CopyFrom(node.attr[old])
            del node.attr[old]
    return graph_def


@transform
def rename_op(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Gives all nodes of an op another op."""
    old, new = one(parameters, "old_op_name"), one(parameters, "new_op_name")
    for node in graph_def.node:
        if node.op == old:
            node.op = new
    return graph_def


@transform
def remove_device(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Forgets where nodes are placed."""
    for node in graph_def.node:
        node.device = ""
    return graph_def


@transform
def set_device(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Places all nodes, or with `if_default` those without a place, on `device`."""
    device, only_unplaced = one(parameters, "device", ""), flag(parameters, "if_default")
    for node in graph_def.node:
        if not (only_unplaced and node.device):
            node.device = device
    return graph_def


@transform
def obfuscate_names(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Gives nodes short names; those of inputs and outputs stay."""
    kept = {node_name(name) for name in (*inputs, *outputs)}
    renamed: dict[str, str] = {}
    count = 0
    for node in graph_def.node:
        if node.name in kept:
            continue
        short = f"{count:x}"
        while short in kept:
            count += 1
            short = f"{count:x}"
        renamed[node.name] = short
        count += 1
    for node in graph_def.node:
        node.name = renamed.get(node.name, node.name)
        for i, text in enumerate(node.input):
            name = node_name(text)
            if name in renamed:
                node.input[i] = text.replace(name, renamed[name], 1)
    return graph_def


@transform
def insert_logging(
    graph_def: protos.GraphDef, inputs: list[str], outputs: list[str], parameters: Parameters
) -> protos.GraphDef:
    """Prints what nodes give: those of each `op`, or whose names begin with a `prefix`."""
    ops, prefixes = parameters.get("op", []), parameters.get("prefix", [])
    texts = [one(parameters, "message", "")]
    shown = [key for key in ("show_op", "show_name") if flag(parameters, key)]
    made, renamed = [], {}
    for node in graph_def.node:
        made.append(node)
        chosen = node.op in ops or any(node.name.startswith(prefix) for prefix in prefixes)
        decl = find(node.op)
        if not chosen or decl is None or len(decl.signature.outputs) != 1:
            continue
        kinds = {key: attr.type for key, attr in node.attr.items() if attr.type}
        kind = kinds.get("T", kinds.get("dtype", next(iter(kinds.values()), None)))
        if kind is None:
            raise InvalidArgumentError(None, None, f"The type of what node {node.name} gives is not known.")
        printing = protos.NodeDef(name=f"{node.name}__print__", op="Print", input=[f"{node.name}:0", f"{node.name}:0"])
        printing.attr["T"].type = kind
        printing.attr["U"].list.type.append(kind)
        said = [{"show_op": node.op, "show_name": node.name}[key] for key in shown]
        printing.attr["message"].s = ";".join([*filter(None, said), *filter(None, texts)]).encode()
        for key, default in (("first_n", "-1"), ("summarize", "1024")):
            printing.attr[key].i = int(one(parameters, key, default))
        made.append(printing)
        renamed[node.name] = f"{printing.name}:0"
    for node in made:
        if node.op != "Print" or not node.name.endswith("__print__"):
            for i, text in enumerate(node.input):
                if text.removesuffix(":0") in renamed:
                    node.input[i] = renamed[text.removesuffix(":0")]
    return with_nodes(graph_def, made)
