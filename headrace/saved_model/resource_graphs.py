"""Graphs of files with reference variables as graphs with resource variables, which functions can be made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

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

_CONTEXTS = {"cond_context": protos.CondContextDef, "while_context": protos.WhileContextDef}
# What hands a reference on into a loop or a branch.
_HANDING_ON = {"RefEnter": "Enter", "RefSwitch": "Switch"}


class _Reference(NamedTuple):
    """A tensor that was a reference.

    Attributes:
        variable: the name of the variable.
        after: the assignment that it comes from, or "".
        handle: the tensor that is the variable's handle there.
    """

    variable: str
    after: str
    handle: str


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
        self._references = {
            name: _Reference(name, "", name) for name, node in self.variables.items() if node.op in _VARIABLES
        }
        by_name = {node.name: node for node in nodes}
        del self.message.graph_def.node[:]
        self._reads: dict[str, str] = {}
        done: set[str] = set()
        for node in nodes:
            for ready in _inputs_first(node, by_name, done):
                self._rewrite(ready)
        self._forget_references()

    def _forget_references(self) -> None:
        """Leaves out of the contexts of branches and loops the references that assignments gave: they give nothing now."""
        gone = {f"{reference.after}:0" for reference in self._references.values() if reference.after}
        for key, kind in _CONTEXTS.items():
            if key not in self.message.collection_def:
                continue
            packed = self.message.collection_def[key].bytes_list
            contexts = [kind.FromString(data) for data in packed.value]
            del packed.value[:]
            for context in contexts:
                _without_values(context, gone)
                packed.value.append(context.SerializeToString())

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
            variable, after, handle = used[0]
            del made.input[:]
            made.op = "ReadVariableOp"
            made.input.extend([handle, *([f"^{after}"] if after else []), *node.input[1:]])
            _set_dtype(made, self.variables[variable])
        elif node.op in _HANDING_ON and used[0] is not None:
            self._hand_on(made, used[0])
        elif decl is not None and decl.signature.inputs and decl.signature.inputs[0].is_ref and used[0] is not None:
            self._write(made, used[0])
        else:
            for i, reference in enumerate(used):
                if reference is not None and not node.input[i].startswith("^"):
                    made.input[i] = self._read(reference)
        self.message.graph_def.node.append(made)

    def _hand_on(self, node: protos.NodeDef, reference: _Reference) -> None:
        """Makes a node that hands a reference on one that hands on the handle."""
        inputs = [self._handle_or_value(text, i, node.op) for i, text in enumerate(node.input)]
        node.op = _HANDING_ON[node.op]
        node.attr["T"].type = protos.types_pb2.DT_RESOURCE
        del node.input[:]
        node.input.extend([*inputs, *([f"^{reference.after}"] if reference.after else [])])
        for handle in (node.name, f"{node.name}:1")[: 2 if node.op == "Switch" else 1]:
            self._references[handle] = _Reference(reference.variable, "", handle)

    def _write(self, node: protos.NodeDef, reference: _Reference) -> None:
        """Makes a node that changes a variable one that does so through its handle."""
        variable, after, handle = reference
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
        self._references[node.name] = _Reference(variable, node.name, handle)

    def _handle_or_value(self, text: str, place: int, kind: str) -> str:
        reference = self._references.get(text.removesuffix(":0"))
        if reference is None or text.startswith("^"):
            return text
        decl = find_public(kind)
        inputs = decl.signature.inputs if decl is not None else ()
        if place < len(inputs) and inputs[place].is_ref:
            return reference.handle
        return self._read(reference)

    def _read(self, reference: _Reference) -> str:
        """The name of a node that reads a variable, after the assignment that the reference comes from."""
        variable, after, handle = reference
        key = after or handle
        if key not in self._reads:
            name = self._reads[key] = f"{key.replace(':', '_')}/value_of_reference"
            node = self.message.graph_def.node.add(name=name, op="ReadVariableOp")
            node.input.extend([handle, *([f"^{after}"] if after else [])])
            _set_dtype(node, self.variables[variable])
        return self._reads[key]


def _without_values(context: Any, gone: set[str]) -> None:
    """Leaves values out of the context of a branch or a loop, and of those in it."""
    values = context.values_def
    kept = [name for name in values.values if name not in gone]
    del values.values[:]
    values.values.extend(kept)
    for name in [name for name in values.external_values if name in gone]:
        del values.external_values[name]
    for nested in context.nested_contexts:
        inside = nested.WhichOneof("ctxt")
        if inside is not None:
            _without_values(getattr(nested, inside), gone)


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
