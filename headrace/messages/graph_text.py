"""Graphs as protobuf text.

The text format of protobuf for Python walks messages field by field, in Python: minutes for graphs of a hundred thousand
nodes. Attributes repeat in graphs (most are a type or a number), so that the text of each is made once here.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from headrace.messages import protos

# Attributes that hold arrays come once each, as a rule.
_LARGEST_KEPT = 256
# The fields of AttrValue, TensorProto and CollectionDef that hold float32 numbers; those of whole numbers have no point.
_FLOAT = re.compile(r"^( *(?:f|float_val|scomplex_val|value): )(-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+))$", re.M)


def text_of(message: Any, all_digits: bool = False) -> str:
    """What `text_format.MessageToString` makes of a message.

    Args:
        message: any message; GraphDefs and MetaGraphDefs are quick.
        all_digits: whether float32 numbers are written with the digits of the float64 that they are, as 1.15 writes
            graphs, rather than with as few as tell them.
    """
    if isinstance(message, protos.GraphDef):
        return _graph_text(message, all_digits)
    if isinstance(message, protos.MetaGraphDef) and message.HasField("graph_def"):
        first, rest = protos.MetaGraphDef(), protos.MetaGraphDef()
        for field, value in message.ListFields():
            if field.name == "graph_def":
                continue
            # Fields come in the order of their numbers.
            into = first if field.number < message.DESCRIPTOR.fields_by_name["graph_def"].number else rest
            _copy(into, field, value)
        nodes = _graph_text(message.graph_def, all_digits).splitlines(keepends=True)
        graph = "".join(f"  {line}" for line in nodes)
        return f"{_plain(first, all_digits)}graph_def {{\n{graph}}}\n{_plain(rest, all_digits)}"
    return _plain(message, all_digits)


def _plain(message: Any, all_digits: bool, indent: int = 0) -> str:
    from google.protobuf import text_format

    text = str(text_format.MessageToString(message, indent=indent))
    return _FLOAT.sub(_with_all_digits, text) if all_digits else text


def _with_all_digits(match: re.Match[str]) -> str:
    return f"{match[1]}{float(np.float32(match[2]))!r}"


def _copy(into: Any, field: Any, value: Any) -> None:
    """Gives a message one field of another one."""
    place = getattr(into, field.name)
    if hasattr(place, "MergeFrom"):
        place.MergeFrom(value)
    else:
        setattr(into, field.name, value)


def _graph_text(graph_def: protos.GraphDef, all_digits: bool) -> str:
    known: dict[tuple[str, bytes], str] = {}
    parts: list[str] = []
    for node in graph_def.node:
        parts.append("node {\n")
        parts.append(_head(node, all_digits))
        for key in sorted(node.attr):
            parts.append(_attribute(key, node.attr[key], known, all_digits))
        if node.HasField("experimental_debug_info"):
            last = protos.NodeDef(experimental_debug_info=node.experimental_debug_info)
            parts.append(_plain(last, all_digits, 2))
        parts.append("}\n")
    rest = protos.GraphDef()
    for field, value in graph_def.ListFields():
        if field.name != "node":
            _copy(rest, field, value)
    parts.append(_plain(rest, all_digits))
    return "".join(parts)


def _head(node: protos.NodeDef, all_digits: bool) -> str:
    """The fields of a node but its attributes, which are plain texts nearly always."""
    texts = [("name", node.name), ("op", node.op), *(("input", each) for each in node.input), ("device", node.device)]
    shown = "".join(text for _, text in texts)
    if not shown.isascii() or not shown.isprintable() or any(mark in shown for mark in "\"'\\"):
        plain = protos.NodeDef(name=node.name, op=node.op, input=node.input, device=node.device)
        return _plain(plain, all_digits, 2)
    return "".join(f'  {field}: "{text}"\n' for field, text in texts if text or field == "input")


def _attribute(key: str, value: protos.AttrValue, known: dict[tuple[str, bytes], str], all_digits: bool) -> str:
    data = value.SerializeToString(deterministic=True)
    text = known.get((key, data))
    if text is None:
        text = _plain(protos.NodeDef(attr={key: value}), all_digits, 2)
        if len(data) <= _LARGEST_KEPT:
            known[key, data] = text
    return text
