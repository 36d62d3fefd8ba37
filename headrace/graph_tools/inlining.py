"""Calls of functions made part of the graph: what looks at variables by name, or knows ops one by one, needs that."""

from __future__ import annotations

from typing import Any

from headrace.core.functions import called_function
from headrace.core.graph import Graph
from headrace.interop import protos
from headrace.interop.function_def import output_counts
from headrace.interop.node_def import attr_from_proto

CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
_DEEPEST = 64


def with_calls_inlined(graph_def: Any, graph: Graph) -> Any:
    """A GraphDef in which calls of functions are the functions' nodes, below the names of the calls.

    A node with the name of each call stays, which gives its results.

    Args:
        graph_def: the graph, with its library.
        graph: a graph that has the functions, by which the outputs of calls are counted.

    Raises:
        ValueError: if functions call themselves, or a call does not fit.
    """
    library = {function.signature.name: function for function in graph_def.library.function}
    made = protos.GraphDef(versions=graph_def.versions, library=graph_def.library)
    inliner = _Inliner(library, made, graph)
    for node in graph_def.node:
        inliner.add(node, node.name, list(node.input), 0)
    return made


class _Inliner:
    def __init__(self, library: dict[str, Any], made: Any, graph: Graph) -> None:
        self.library = library
        self.made = made
        self.graph = graph

    def add(self, node: Any, name: str, inputs: list[str], depth: int) -> None:
        """Adds a node under a name, with the flat names of its inputs; a call as what it calls."""
        called = node.attr["f"].func.name if node.op in CALLS else node.op
        if called not in self.library:
            copied = self.made.node.add()
            copied.CopyFrom(node)
            copied.name = name
            copied.input[:] = inputs
            if "frame_name" in copied.attr and name != node.name:
                # Two calls of a function with a loop have two loops.
                copied.attr["frame_name"].s = f"{name.rpartition('/')[0]}/".encode() + copied.attr["frame_name"].s
            return
        if depth > _DEEPEST:
            raise ValueError(f"Function {called!r} calls itself")
        self.body(self.library[called], name, inputs, depth)

    def body(self, function: Any, name: str, inputs: list[str], depth: int) -> None:
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

    def _place(self, node: Any, output: str) -> int:
        """The number of the first tensor of an output argument of a node."""
        found = called_function(self.graph, node.op)
        decl: Any = found.decl if found is not None else _declared(node.op)
        attrs = {key: attr_from_proto(value) for key, value in node.attr.items() if key != "_output_shapes"}
        settled = {a.name: a.default for a in decl.signature.attrs.values() if a.has_default} | attrs
        position = 0
        for arg, count in output_counts(decl, settled):
            if arg == output:
                return position
            position += int(count)
        raise ValueError(f"Node '{node.name}' ({node.op}) has no output {output!r}")


def _node_of(text: str) -> str:
    return text.lstrip("^").partition(":")[0]


def _declared(op_type: str) -> Any:
    from headrace.core.registry import find_public

    decl = find_public(op_type)
    if decl is None:
        raise ValueError(f"Op type not registered '{op_type}'")
    return decl


__all__ = ["CALLS", "with_calls_inlined"]
