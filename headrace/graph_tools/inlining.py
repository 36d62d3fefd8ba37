"""Inlining: calls of functions are replaced by the nodes of the functions.

Tools that look at each op of a graph, or at variables by name, see nothing of what a call runs; in the inlined graph
they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from headrace.core.errors import ResourceExhaustedError
from headrace.core.graph import Graph
from headrace.core.graph_functions import called_function
from headrace.core.registry import CALLS, find_public
from headrace.messages import protos
from headrace.messages.function_def import output_counts
from headrace.messages.node_def import attr_from_proto

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl


# Calls within calls take some frames of Python's stack each, of which 1000 are allowed by default.
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
        ValueError: if functions call themselves or calls are nested more than 64 deep, or a call does not fit.
        ResourceExhaustedError: if there would be more than a million nodes, or names of more than half a gigabyte.
    """
    library = {function.signature.name: function for function in graph_def.library.function}
    made = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    _Sizes(library).check(graph_def)
    inliner = _Inliner(library, made, graph)
    for node in graph_def.node:
        inliner.add(node, node.name, list(node.input))
    return made


class _Size(NamedTuple):
    """What nodes come to once their calls are inlined.

    Attributes:
        nodes: how many nodes there are.
        names: how many names they are written with: their own and those of their inputs.
        text: how long these names are in all.
        depth: how many levels of calls there were.
    """

    nodes: int
    names: int
    text: int
    depth: int


class _Sizes:
    """How much the calls of functions come to, computed from the functions alone."""

    def __init__(self, library: Mapping[str, protos.FunctionDef]) -> None:
        self.library = library
        self.known: dict[str, _Size] = {}

    def check(self, graph_def: protos.GraphDef) -> None:
        """Raises ResourceExhaustedError if inlining makes too much."""
        nodes, _, text, _ = self._of_nodes(graph_def.node, ())
        if self.known and (nodes > _MAX_NODES or text > _MAX_TEXT):
            most = max(self.known, key=lambda name: self.known[name].nodes)
            raise ResourceExhaustedError(
                None,
                None,
                f"With the calls of functions inlined, the graph has {nodes} nodes with {text} bytes of names; at most "
                f"{_MAX_NODES} nodes with {_MAX_TEXT} bytes are made. A call of {most!r} makes "
                f"{self.known[most].nodes} of them.",
            )

    def _of_nodes(self, nodes: Iterable[protos.NodeDef], callers: tuple[str, ...]) -> _Size:
        count = names = text = depth = 0
        for node in nodes:
            own = 1 + len(node.input)
            count, names, text = count + 1, names + own, text + own * len(node.name)
            called = _called(node)
            if called in self.library:
                inner = self._of_function(called, callers)
                count, names = count + inner.nodes, names + inner.names
                text += inner.text + inner.names * (len(node.name) + 1)
                depth = max(depth, inner.depth + 1)
        return _Size(count, names, text, depth)

    def _of_function(self, name: str, callers: tuple[str, ...]) -> _Size:
        """What a call of a function comes to; `callers` are the functions the call is in, the outermost first."""
        if name in callers:
            raise ValueError(f"Function {name!r} calls itself")
        size = self.known.get(name)
        if len(callers) + (size.depth if size else 0) > _MAX_DEPTH:
            raise ValueError(f"Calls of functions are nested more than {_MAX_DEPTH} deep, at {name!r}")
        if size is None:
            size = self.known[name] = self._of_nodes(self.library[name].node_def, (*callers, name))
        return size


class _Inliner:
    """Writes nodes into a GraphDef, and for calls the nodes of what they call.

    Args:
        library: the functions, none of which calls itself (`_Sizes` refuses those).
        made: takes the nodes.
        graph: a graph that has the functions, by which the outputs of calls are counted.
    """

    def __init__(self, library: Mapping[str, protos.FunctionDef], made: protos.GraphDef, graph: Graph) -> None:
        self.library = library
        self.made = made
        self.graph = graph

    def add(self, node: protos.NodeDef, name: str, inputs: list[str]) -> None:
        """Adds a node, or where it is a call, the nodes of the function.

        Args:
            node: the node, of the graph or of a function's body.
            name: its name in the inlined graph.
            inputs: the names of its inputs there, controls with a `^`.
        """
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
        self._add_body(self.library[called], name, inputs)

    def _add_body(self, function: protos.FunctionDef, name: str, inputs: list[str]) -> None:
        """Adds the nodes of a function below `name`, the name of a call, and the node that gives the call's results."""
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
            """The name in the inlined graph of an input, written as in a function: an argument, or `node:output:0`."""
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
            self.add(node, f"{name}/{node.name}", inner)
        results = [flat(function.ret[arg.name]) for arg in signature.output_arg]
        waits = [f"^{name}/{source}" for source in function.control_ret.values()]
        end = self.made.node.add(name=name, op="NoOp", input=[*results, *waits, *controls])
        if len(results) == 1:
            end.op = "Identity"
            end.attr["T"].type = signature.output_arg[0].type
        elif results:
            end.op = "IdentityN"
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


__all__ = ["with_calls_inlined"]
