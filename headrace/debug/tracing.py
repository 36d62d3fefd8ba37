"""Walking the lists of nodes' inputs, and the names of the nodes that TensorFlow's debugger puts into graphs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from headrace.debug.values import get_node_name

COPY_PREFIX = "__copy_"
DEBUG_PREFIX = "__dbg_"


def is_copy_node(node_name: str) -> bool:
    """Whether a node copies a watched tensor for the debugger."""
    return node_name.startswith(COPY_PREFIX)


def is_debug_node(node_name: str) -> bool:
    """Whether a node is one of the debugger."""
    return node_name.startswith(DEBUG_PREFIX)


def parse_debug_node_name(node_name: str) -> tuple[str, int, int, str]:
    """What the name of a node of the debugger says.

    Returns:
        the name of the watched node, the number of its output, the number of the debug op, and its type.

    Raises:
        ValueError: if it is no such name.

    Example:
        >>> parse_debug_node_name("__dbg_ns/a:0_1_DebugNanCount")
        ('ns/a', 0, 1, 'DebugNanCount')
    """
    if not is_debug_node(node_name):
        raise ValueError(f"Invalid prefix in debug node name: '{node_name}'")
    parts = node_name.removeprefix(DEBUG_PREFIX).rsplit("_", 2)
    if len(parts) < 3:
        raise ValueError(f"Invalid debug node name: '{node_name}'")
    tensor, number, debug_op = parts
    if tensor.count(":") != 1:
        raise ValueError(f"Invalid tensor name in debug node name: '{node_name}'")
    node, _, slot = tensor.partition(":")
    return node, int(slot), int(number), debug_op


class GraphTracingReachedDestination(Exception):
    """The walk has come to where it was to go."""


class DFSGraphTracer:
    """A walk against the edges, depth first.

    Args:
        input_lists: mappings from nodes to what they take, all of which are followed.
        skip_node_names: nodes that are passed over.
        destination_node_name: the node at which the walk ends.
    """

    def __init__(
        self,
        input_lists: Sequence[Mapping[str, Sequence[str]]],
        skip_node_names: Collection[str] | None = None,
        destination_node_name: str | None = None,
    ) -> None:
        self._input_lists = input_lists
        self._skipped = skip_node_names or ()
        self._destination = destination_node_name
        self._visited: set[str] = set()
        self._inputs: list[str] = []
        self._depths: list[int] = []

    def trace(self, graph_element_name: str) -> None:
        """Walks from a node or tensor.

        Raises:
            GraphTracingReachedDestination: if it comes to the destination.
        """
        # What is still to be entered, with its depth.
        stack = [(graph_element_name, 0)]
        while stack:
            name, depth = stack.pop()
            node = get_node_name(name)
            if depth and node in self._visited:
                continue
            if depth:
                self._inputs.append(name)
                self._depths.append(depth)
            if node == self._destination:
                raise GraphTracingReachedDestination
            if node in self._skipped or node in self._visited:
                continue
            self._visited.add(node)
            before = [item for inputs in self._input_lists for item in inputs.get(node, ())]
            stack.extend((item, depth + 1) for item in reversed(before))

    def inputs(self) -> list[str]:
        """What the walk has come by."""
        return self._inputs

    def depth_list(self) -> list[int]:
        """How far each of it is from where the walk began."""
        return self._depths
