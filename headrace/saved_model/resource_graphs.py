"""Graphs of files with reference variables as graphs with resource variables, which functions can be made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from headrace.core.registry import find_public
from headrace.messages import protos

_VARIABLES = frozenset({"Variable", "VariableV2"})
# What assigns through a handle; of other ops the resource counterpart begins with "Resource".
_COUNTERPARTS = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
    "IsVariableInitialized": "VarIsInitializedOp",
}


class ResourceGraph:
    """A MetaGraphDef whose variables are reached by handles.

    Args:
        message: the MetaGraphDef; it stays as it is.
        outside: the names of the variables that are to be passed from outside: their handles are placeholders.

    Attributes:
        message: a copy, rewritten.
        variables: the nodes that were variables, by name.
    """

    def __init__(self, message: protos.MetaGraphDef, outside: Collection[str]) -> None:
        self._outside = outside
        self.message = protos.MetaGraphDef()
        self.message.CopyFrom(message)
        nodes = list(self.message.graph_def.node)
        self.variables: dict[str, protos.NodeDef] = {}
        for node in nodes:
            if node.op in _VARIABLES or node.op == "VarHandleOp":
                kept = self.variables[node.name] = protos.NodeDef()
                kept.CopyFrom(node)
        # The variable behind each tensor that is a reference, and the assignment it comes from.
        self._references: dict[str, tuple[str, str]] = {
            name: (name, "") for name, node in self.variables.items() if node.op in _VARIABLES
        }
        by_name = {node.name: node for node in nodes}
        del self.message.graph_def.node[:]
        self._reads: dict[str, str] = {}
        done: set[str] = set()
        for node in nodes:
            for ready in _inputs_first(node, by_name, done):
                self._rewrite(ready)

    def _rewrite(self, node: protos.NodeDef) -> None:
        if node.name in self.variables and node.name not in self._outside:
            handle = self.message.graph_def.node.add()
            handle.CopyFrom(node)
            handle.op = "VarHandleOp"
            return
        if node.name in self.variables:
            placeholder = self.message.graph_def.node.add(name=node.name, op="Placeholder")
            placeholder.attr["dtype"].type = protos.types_pb2.DT_RESOURCE
            placeholder.attr["shape"].shape.SetInParent()
            return
        used = [self._references.get(text.removesuffix(":0")) for text in node.input]
        made = protos.NodeDef()
        made.CopyFrom(node)
        decl = find_public(node.op)
        if not any(used):
            self.message.graph_def.node.append(made)
            return
        if node.op in ("Identity", "RefIdentity") and used[0] is not None:
            variable, after = used[0]
            del made.input[:]
            made.op = "ReadVariableOp"
            made.input.extend([variable, *([f"^{after}"] if after else []), *node.input[1:]])
            _set_dtype(made, self.variables[variable])
        elif decl is not None and decl.signature.inputs and decl.signature.inputs[0].is_ref and used[0] is not None:
            self._write(made, used[0])
        else:
            for i, reference in enumerate(used):
                if reference is not None and not node.input[i].startswith("^"):
                    made.input[i] = self._read(reference)
        self.message.graph_def.node.append(made)

    def _write(self, node: protos.NodeDef, reference: tuple[str, str]) -> None:
        """Makes a node that changes a variable one that does so through its handle."""
        variable, after = reference
        kind = node.op
        node.op = _COUNTERPARTS.get(kind, f"Resource{kind}")
        counterpart = find_public(node.op)
        if counterpart is None:
            raise NotImplementedError(
                f"The graph changes the reference variable {variable} by {kind} ('{node.name}'), which resource variables do "
                "not have: load it by tf.saved_model.loader.load."
            )
        inputs = [self._handle_or_value(text, i, kind) for i, text in enumerate(node.input)]
        del node.input[:]
        node.input.extend([*inputs, *([f"^{after}"] if after else [])])
        known = counterpart.signature.attrs
        for name in [name for name in node.attr if name not in known and not name.startswith("_")]:
            del node.attr[name]
        if "dtype" in known:
            _set_dtype(node, self.variables[variable])
        # What it returned was the variable after the change.
        self._references[node.name] = (variable, node.name)

    def _handle_or_value(self, text: str, place: int, kind: str) -> str:
        reference = self._references.get(text.removesuffix(":0"))
        if reference is None or text.startswith("^"):
            return text
        decl = find_public(kind)
        inputs = decl.signature.inputs if decl is not None else ()
        if place < len(inputs) and inputs[place].is_ref:
            return reference[0]
        return self._read(reference)

    def _read(self, reference: tuple[str, str]) -> str:
        """The name of a node that reads a variable, after the assignment that the reference comes from."""
        variable, after = reference
        key = after or variable
        if key not in self._reads:
            name = self._reads[key] = f"{key}/value_of_reference"
            node = self.message.graph_def.node.add(name=name, op="ReadVariableOp")
            node.input.extend([variable, *([f"^{after}"] if after else [])])
            _set_dtype(node, self.variables[variable])
        return self._reads[key]


def _set_dtype(node: protos.NodeDef, variable: protos.NodeDef) -> None:
    kept = {name: node.attr[name] for name in node.attr if name.startswith("_") or name not in ("T", "dtype")}
    copies: dict[str, Any] = {}
    for name, value in kept.items():
        copies[name] = protos.AttrValue()
        copies[name].CopyFrom(value)
    node.attr.clear()
    for name, value in copies.items():
        node.attr[name].CopyFrom(value)
    node.attr["dtype"].type = variable.attr["dtype"].type


def _inputs_first(node: protos.NodeDef, by_name: dict[str, protos.NodeDef], done: set[str]) -> Iterator[protos.NodeDef]:
    """The nodes that a node needs and that have not come yet, and then the node; in loops in some order."""
    stack = [(node, False)]
    while stack:
        current, ready = stack.pop()
        if ready:
            yield current
            continue
        if current.name in done:
            continue
        done.add(current.name)
        stack.append((current, True))
        for text in current.input:
            before = by_name.get(text.removeprefix("^").partition(":")[0])
            if before is not None and before.name not in done:
                stack.append((before, False))
