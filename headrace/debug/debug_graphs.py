"""The graph of a run as a debugger walks it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from headrace.debug.tracing import COPY_PREFIX, DEBUG_PREFIX
from headrace.debug.values import get_node_name

if TYPE_CHECKING:
    from headrace.messages import protos


_REF_CONSUMERS = frozenset({"Assign", "AssignAdd", "AssignSub"})


class DebugGraph:
    """The nodes of a graph and what leads to what.

    Args:
        debug_graph_def: a GraphDef, perhaps one into which TensorFlow's debugger has put nodes of its own.
        device_name: the device it ran on.

    Attributes:
        node_defs: the nodes, by name, without those of the debugger.
        node_inputs, node_ctrl_inputs: for each node the tensors it takes, and the nodes it waits for.
        node_recipients, node_ctrl_recipients: for each node those that take what it makes, and those that wait for it.
    """

    def __init__(self, debug_graph_def: protos.GraphDef, device_name: str | None = None) -> None:
        self.debug_graph_def = debug_graph_def
        self.device_name = device_name
        self.non_debug_graph_def = reconstruct_non_debug_graph_def(debug_graph_def)
        self.node_defs = {node.name: node for node in self.non_debug_graph_def.node}
        self.node_inputs: dict[str, list[str]] = {name: [] for name in self.node_defs}
        self.node_ctrl_inputs: dict[str, list[str]] = {name: [] for name in self.node_defs}
        self.node_recipients: dict[str, list[str]] = {name: [] for name in self.node_defs}
        self.node_ctrl_recipients: dict[str, list[str]] = {name: [] for name in self.node_defs}
        # Who assigns to a variable changes it as an input would.
        self.reversed_refs: dict[str, list[str]] = {}
        for name, node in self.node_defs.items():
            for text in node.input:
                if text.startswith("^"):
                    source = text[1:]
                    self.node_ctrl_inputs[name].append(source)
                    self.node_ctrl_recipients.setdefault(source, []).append(name)
                    continue
                source = get_node_name(text)
                self.node_inputs[name].append(text.removesuffix(":0"))
                self.node_recipients.setdefault(source, []).append(name)
            if node.op in _REF_CONSUMERS and node.input:
                self.reversed_refs.setdefault(get_node_name(node.input[0]), []).append(name)

    def _before(self, name: str, include_control: bool, include_reversed_ref: bool) -> list[str]:
        found = [get_node_name(text) for text in self.node_inputs.get(name, ())]
        if include_control:
            found += self.node_ctrl_inputs.get(name, ())
        if include_reversed_ref:
            found += self.reversed_refs.get(name, ())
        return found

    def transitive_inputs(self, name: str, include_control: bool, include_reversed_ref: bool) -> list[str]:
        """The nodes before a node, depth first."""
        seen: dict[str, None] = {}
        stack = self._before(name, include_control, include_reversed_ref)[::-1]
        while stack:
            node = stack.pop()
            if node in seen or node == name:
                continue
            seen[node] = None
            stack.extend(self._before(node, include_control, include_reversed_ref)[::-1])
        return list(seen)

    def path(self, source: str, target: str, include_control: bool, include_reversed_ref: bool) -> list[str] | None:
        """The shortest way from one node to another."""
        after: dict[str, str | None] = {target: None}
        queue = deque([target])
        while queue:
            node = queue.popleft()
            if node == source:
                way = [node]
                following = after[node]
                while following is not None:
                    way.append(following)
                    following = after[following]
                return way
            for before in self._before(node, include_control, include_reversed_ref):
                if before not in after:
                    after[before] = node
                    queue.append(before)
        return None


def reconstruct_non_debug_graph_def(debug_graph_def: protos.GraphDef) -> protos.GraphDef:
    """A GraphDef without the nodes that TensorFlow's debugger puts into graphs.

    Args:
        debug_graph_def: the graph, from `RunMetadata.partition_graphs` or a dump.
    """
    if not any(node.name.startswith((COPY_PREFIX, DEBUG_PREFIX)) for node in debug_graph_def.node):
        return debug_graph_def
    sources = {node.name: node.input[0] for node in debug_graph_def.node if node.name.startswith(COPY_PREFIX)}
    clean = type(debug_graph_def)(versions=debug_graph_def.versions, library=debug_graph_def.library)
    for node in debug_graph_def.node:
        if node.name.startswith((COPY_PREFIX, DEBUG_PREFIX)):
            continue
        copied = clean.node.add()
        copied.CopyFrom(node)
        del copied.input[:]
        for text in node.input:
            if text.startswith("^"):
                if not text.startswith((f"^{COPY_PREFIX}", f"^{DEBUG_PREFIX}")):
                    copied.input.append(text)
            else:
                copied.input.append(sources.get(get_node_name(text), text))
    return clean
