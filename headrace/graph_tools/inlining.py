"""Calls of functions made part of the graph: what looks at variables by name, or knows ops one by one, needs that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.errors import ResourceExhaustedError
from headrace.core.graph import Graph
from headrace.core.graph_functions import called_function
from headrace.core.registry import find_public
from headrace.messages import protos
from headrace.messages.function_def import output_counts
from headrace.messages.node_def import attr_from_proto

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl


CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
_MAX_DEPTH = 64
# Functions that call functions twice, level after level, are few bytes in a file and any number of nodes.
_MAX_NODES = 1_000_000
_MAX_TEXT = 1 << 29


def with_calls_inlined(graph_def: protos.GraphDef, graph: Graph) -> protos.GraphDef:
    """A GraphDef in which calls of functions are the functions' nodes, below the names of the calls.

    A node with the name of each call stays, which gives its results.

    Args:
        graph_def: the graph, with its library.
        graph: a graph that has the functions, by which the outputs of calls are counted.

    Raises:
        ValueError: if functions call themselves, or a call does not fit.
        ResourceExhaustedError: if there would be more than a million nodes, or names of more than half a gigabyte.
    """
    library = {function.signature.name: function for function in graph_def.library.function}
    made = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    _Sizes(library).check(graph_def)
    inliner = _Inliner(library, made, graph)
    for node in graph_def.node:
        inliner.add(node, node.name, list(node.input), 0)
    return made


class _Size(NamedTuple):
    """How many nodes there are, how many names they are written with, and how long those are in all."""

    nodes: int
    names: int
    text: int


class _Sizes:
    """How much the calls of functions come to, computed from the functions alone."""

    def __init__(self, library: dict[str, Any]) -> None:
        self.library = library
        self.known: dict[str, _Size] = {}

    def check(self, graph_def: protos.GraphDef) -> None:
        """Raises ResourceExhaustedError if inlining makes too much."""
        nodes, _, text = self._of(graph_def.node, 0)
        if self.known and (nodes > _MAX_NODES or text > _MAX_TEXT):
            most = max(self.known, key=lambda name: self.known[name].nodes)
            raise ResourceExhaustedError(
                None,
                None,
                f"With the calls of functions inlined, the graph has {nodes} nodes with {text} bytes of names; at most "
                f"{_MAX_NODES} nodes with {_MAX_TEXT} bytes are made. A call of {most!r} makes "
                f"{self.known[most].nodes} of them.",
            )

    def _of(self, nodes: Any, depth: int) -> _Size:
        count = names = text = 0
        for node in nodes:
            own = 1 + len(node.input)
            count, names, text = count + 1, names + own, text + own * len(node.name)
            called = _called(node)
            if called in self.library:
                if called not in self.known:
                    if depth > _MAX_DEPTH:
                        raise ValueError(f"Function {called!r} calls itself")
                    self.known[called] = self._of(self.library[called].node_def, depth + 1)
                inner = self.known[called]
                count, names = count + inner.nodes, names + inner.names
                text += inner.text + inner.names * (len(node.name) + 1)
        return _Size(count, names, text)


class _Inliner:
    def __init__(self, library: dict[str, Any], made: protos.GraphDef, graph: Graph) -> None:
        self.library = library
        self.made = made
        self.graph = graph

    def add(self, node: protos.NodeDef, name: str, inputs: list[str], depth: int) -> None:
        """Adds a node under a name, with the flat names of its inputs; a call as what it calls."""
        called = _called(node)
        if called not in self.library:
            copied = self.made.node.add()
            copied.CopyFrom(node)
            copied.name = name
            copied.input[:] = inputs
            if "frame_name" in copied.attr and name != node.name:
                # Two calls of a function with a loop have two loops.
                copied.attr["frame_name"].s = f"{name.rpartition('/')[0]}/".encode() + copied.attr["frame_name"].s
            return
        if depth > _MAX_DEPTH:
            raise ValueError(f"Function {called!r} calls itself")
        self.body(self.library[called], name, inputs, depth)

    def body(self, function: protos.FunctionDef, name: str, inputs: list[str], depth: int) -> None:
        signature = function.signature
        values = [text for text in inputs if not text.startswith("^")]
        controls = [text for text in inputs if text.startswith("^")]
        if len(values) != len(signature.input_arg):
            raise ValueError(
                f"Function {signature.name!r} takes {len(signature.input_arg)} inputs, given {len(values)}"
            )
        given = {arg.name: value for arg, value in zip(signature.input_arg, values, strict=True)}
        nodes = {node.name: node for node in function.node_def}

        def flat(text: str) -> str:
            if text.startswith("^"):
                return f"^{_node_of(given[text[1:]])}" if text[1:] in given else f"^{name}/{text[1:]}"
            if text in given:
                return given[text]
            source, _, rest = text.partition(":")
            if not rest:
                return given.get(source, f"{name}/{source}")
            output, _, index = rest.partition(":")
            return f"{name}/{source}:{self._place(nodes[source], output) + int(index or 0)}"

        for node in function.node_def:
            inner = list(dict.fromkeys(flat(text) for text in node.input if text.startswith("^")))
            inner = [flat(text) for text in node.input if not text.startswith("^")] + inner
            # What the call waits for, the nodes without inputs of their own wait for.
            if controls and not inner:
                inner = controls
            self.add(node, f"{name}/{node.name}", inner, depth + 1)
        results = [flat(function.ret[arg.name]) for arg in signature.output_arg]
        waits = [f"^{name}/{source}" for source in function.control_ret.values()]
        end = self.made.node.add(name=name, op=("NoOp", "Identity")[len(results)] if len(results) < 2 else "IdentityN")
        end.input.extend([*results, *waits, *controls])
        if len(results) == 1:
            end.attr["T"].type = signature.output_arg[0].type
        elif results:
            end.attr["T"].list.type.extend(arg.type for arg in signature.output_arg)

    def _place(self, node: protos.NodeDef, output: str) -> int:
        """The number of the first tensor of an output argument of a node."""
        found = called_function(self.graph, node.op)
        decl: OpDecl = found.decl if found is not None else _declared(node.op)
        attrs = {key: attr_from_proto(value) for key, value in node.attr.items() if key != "_output_shapes"}
        filled = {a.name: a.default for a in decl.signature.attrs.values() if a.has_default} | attrs
        position = 0
        for arg, count in output_counts(decl, filled):
            if arg == output:
                return position
            position += int(count)
        raise ValueError(f"Node '{node.name}' ({node.op}) has no output {output!r}")


def _called(node: protos.NodeDef) -> str:
    """The name of the function that a node calls, if it is a call."""
    return node.attr["f"].func.name if node.op in CALLS else node.op


def _node_of(text: str) -> str:
    return text.lstrip("^").partition(":")[0]


def _declared(op_type: str) -> OpDecl:
    decl = find_public(op_type)
    if decl is None:
        raise ValueError(f"Op type not registered '{op_type}'")
    return decl


__all__ = ["CALLS", "with_calls_inlined"]
