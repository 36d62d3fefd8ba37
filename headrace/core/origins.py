"""What made an eager value, where it can be made again in a graph: datasets, which models are written with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.graph_functions import Function, called_function

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.operation import Operation
    from headrace.core.registry import OpDecl


class Origin(NamedTuple):
    """An operation that has run.

    Attributes:
        decl: its declaration.
        inputs: its inputs, lists flattened.
        attrs: its attributes.
        functions: the functions that these name: eager calls do not keep them.
    """

    decl: OpDecl
    inputs: list[Any]
    attrs: dict[str, Any]
    functions: list[Function]


def origin_of(op: Operation) -> Origin:
    """What is remembered of an operation."""
    return Origin(op.decl, list(op.inputs), op.attrs, list(called_by(op, op.graph)))


def called_by(op: Operation, library: Graph) -> Iterator[Function]:
    """The functions that the attributes of an operation name, as far as a library has them."""
    for attr in op.decl.signature.attrs.values():
        if attr.kind not in ("func", "list(func)"):
            continue
        value = op.attrs[attr.name]
        for name in [value] if attr.kind == "func" else value:
            function = called_function(library, name)
            if function is not None:
                yield function


def add_called(function: Function, graph: Graph) -> None:
    """Adds the functions that the body of one calls, where the library it was made in has them, to that of a graph."""
    seen: set[str] = set()
    pending = [function]
    while pending:
        for op in pending.pop().operations:
            for called in called_by(op, op.graph):
                # One that is there already may have come without those that it calls.
                if called.name not in seen:
                    seen.add(called.name)
                    called.add_to_graph(graph)
                    pending.append(called)
