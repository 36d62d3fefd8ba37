"""The order in which a FunctionDef uses variables, written into it as control edges.

Here the operations of a function run in the order of the program; TensorFlow knows only edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from headrace.core.registry import find
from headrace.messages import protos

_CALLS = frozenset(
    ("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "RemoteCall", "If", "While", "Case")
)
_Context = tuple[Any, ...]


class _Use(NamedTuple):
    """A node that has a handle: in which loops and branches, and whether it writes, or brings it into one of them."""

    node: Any
    handle: str
    context: _Context
    writes: bool
    into: tuple[_Context, ...]


def order_variable_uses(message: protos.FunctionDef) -> None:
    """Makes each read of a variable wait for the write before, and each write for all uses before.

    Args:
        message: a `FunctionDef` whose nodes are in the order of the program. What it writes becomes what it does beside
            what it returns.
    """
    uses = list(_uses(message))
    written = {(use.handle, use.context[:depth]) for use in uses if use.writes for depth in range(len(use.context) + 1)}
    writers: dict[tuple[str, _Context], list[str]] = {}
    readers: dict[tuple[str, _Context], list[str]] = {}
    effects: list[str] = []
    before: dict[str, list[str]] = {}
    for use in uses:
        key = use.handle, use.context
        writes = use.writes or any((use.handle, context) in written for context in use.into)
        waits = before.setdefault(use.node.name, [])
        waits += writers.get(key, [])
        if writes:
            waits += readers.get(key, [])
        # Of a loop or a branch, what is after it waits for its end.
        done = _ends(message, use) if use.into else [use.node.name]
        if not writes:
            readers.setdefault(key, []).extend(done)
            continue
        writers[key], readers[key] = done, []
        if not use.context:
            effects += done
    for node in message.node_def:
        there = set(node.input)
        names = dict.fromkeys(before.get(node.name, []))
        node.input.extend(f"^{name}" for name in names if name != node.name and f"^{name}" not in there)
    for name in dict.fromkeys(effects):
        message.control_ret[name] = name
        if name not in message.signature.control_output:
            message.signature.control_output.append(name)


def _uses(message: protos.FunctionDef) -> Iterator[_Use]:
    handles: dict[str, tuple[str, _Context]] = {
        arg.name: (arg.name, ()) for arg in message.signature.input_arg if arg.type == protos.types_pb2.DT_RESOURCE
    }
    for node in message.node_def:
        for text in dict.fromkeys(node.input):
            if text not in handles:
                continue
            handle, context = handles[text]
            if node.op == "Identity":
                handles[f"{node.name}:output:0"] = handle, context
                continue
            into: tuple[_Context, ...] = ()
            if node.op == "Enter":
                into = ((*context, ("loop", node.attr["frame_name"].s.decode("utf-8", "replace"))),)
                handles[f"{node.name}:output:0"] = handle, into[0]
            elif node.op == "Switch":
                into = tuple((*context, ("branch", node.input[1], side)) for side in ("output_true", "output_false"))
                for inner in into:
                    handles[f"{node.name}:{inner[-1][2]}:0"] = handle, inner
            decl = find(node.op)
            writes = not into and (node.op in _CALLS or decl is None or bool(decl.writes_state))
            yield _Use(node, handle, context, writes, into)


def _ends(message: protos.FunctionDef, use: _Use) -> list[str]:
    """The nodes through which values leave a loop or a conditional, by the names that these have."""
    kind, name = use.into[0][-1][:2]
    prefix = name.rpartition("/")[0]
    op = "Exit" if kind == "loop" else "Merge"
    return [node.name for node in message.node_def if node.op == op and node.name.startswith(f"{prefix}/{op}")]


__all__ = ["order_variable_uses"]
