"""From the inputs and outputs of a model to the layers and calls between them, in an order to run them in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.layers.nodes import Node

    Layers = list[Any]


class NetworkGraph(NamedTuple):
    """The layers between the inputs and outputs of a model.

    Attributes:
        node_keys: the keys of the calls that belong to the model.
        nodes_by_depth: the calls, by how far they are from the outputs.
        layers: the layers, those farthest from the outputs first.
        layers_by_depth: the layers, by how far they are from the outputs.
    """

    node_keys: set[str]
    nodes_by_depth: dict[int, list[Node]]
    layers: Layers
    layers_by_depth: dict[int, Layers]


def node_key(layer_name: str, node_index: int) -> str:
    """What stands for a call of a layer in `NetworkGraph.node_keys`."""
    return f"{layer_name}_ib-{node_index}"


def _inbound(node: Any) -> list[Node]:
    return [layer.inbound_nodes[index] for layer, index, _, _ in node.iterate_inbound(include_arguments=True)]


class _Walk:
    """Calls reached from the outputs, each after those it depends on; layers in the order in which they were met."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.nodes: list[Node] = []
        self.order: dict[Any, int] = {}
        self._finished: set[int] = set()

    def visit(self, start: Node, start_index: int) -> None:
        """Goes from `start`, call `start_index` of its layer, back to the inputs.

        Raises:
            ValueError: if the calls form a cycle.
        """
        in_progress: set[int] = set()
        # A stack of its own rather than recursion: models may be deeper than Python's stack.
        stack: list[tuple[Node, Any]] = []

        def enter(node: Node, index: int, tensor: object) -> None:
            if id(node) in self._finished:
                return
            layer = node.outbound_layer
            if id(node) in in_progress:
                raise ValueError(f'The tensor {tensor} at layer "{layer.name}" is part of a cycle.')  # type: ignore[attr-defined]  # layers have names
            self.keys.add(node_key(layer.name, index))  # type: ignore[attr-defined]  # layers have names
            self.order.setdefault(layer, len(self.order))
            in_progress.add(id(node))
            stack.append((node, iter(node.iterate_inbound(include_arguments=True))))

        enter(start, start_index, "")
        while stack:
            node, waiting = stack[-1]
            following = next(waiting, None)
            if following is not None:
                layer, index, _, tensor = following
                enter(layer.inbound_nodes[index], index, tensor)
                continue
            stack.pop()
            in_progress.discard(id(node))
            self._finished.add(id(node))
            self.nodes.append(node)


def map_graph_network(inputs: Sequence[Any], outputs: Sequence[Any]) -> NetworkGraph:
    """The layers and calls between tensors of layers.

    Args:
        inputs: what the model takes.
        outputs: what it gives.

    Raises:
        ValueError: if something does not depend on `inputs`, calls form a cycle, or two layers share a name.
    """
    walk = _Walk()
    for tensor in outputs:
        layer, index, _ = tensor._keras_history
        walk.visit(layer.inbound_nodes[index], index)
    order = walk.order
    depth_of_node: dict[Node, int] = {}
    depth_of_layer: dict[Any, int] = {}
    for node in reversed(walk.nodes):
        # All calls of a layer are at the depth of the deepest that was met so far.
        depth = max(depth_of_node.get(node, 0), depth_of_layer.get(node.outbound_layer, 0))
        depth_of_layer[node.outbound_layer] = depth_of_node[node] = depth
        for other in _inbound(node):
            depth_of_node[other] = max(depth + 1, depth_of_node.get(other, 0))
    for tensor in inputs:
        # An input that no output depends on belongs to the model all the same.
        layer = tensor._keras_history.layer
        if layer not in depth_of_layer:
            depth_of_layer[layer], order[layer] = 0, -1
            depth_of_node[layer.inbound_nodes[0]] = 0
            walk.keys.add(node_key(layer.name, 0))
    nodes_by_depth = _by_depth(depth_of_node)
    layers_by_depth = _by_depth(depth_of_layer)
    layers: list[Any] = []
    for depth in sorted(layers_by_depth, reverse=True):
        layers_by_depth[depth].sort(key=order.__getitem__)
        layers.extend(layers_by_depth[depth])
    _check_connected(inputs, nodes_by_depth)
    check_names(layers)
    return NetworkGraph(walk.keys, nodes_by_depth, layers, layers_by_depth)


def _by_depth(depths: dict[Any, int]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for item, depth in depths.items():
        found.setdefault(depth, []).append(item)
    return found


def _check_connected(inputs: Iterable[Tensor], nodes_by_depth: dict[int, list[Node]]) -> None:
    known = {id(tensor) for tensor in inputs}
    complete: list[str] = []
    for depth in sorted(nodes_by_depth, reverse=True):
        for node in nodes_by_depth[depth]:
            name = node.outbound_layer.name  # type: ignore[attr-defined]  # layers have names
            for tensor in nest.flatten(node.input_tensors):
                if id(tensor) not in known:
                    raise ValueError(
                        f'Graph disconnected: cannot obtain value for tensor {tensor} at layer "{name}". The following '
                        f"previous layers were accessed without issue: {complete}"
                    )
            known.update(id(tensor) for tensor in nest.flatten(node.output_tensors))
            complete.append(name)


def check_names(layers: Iterable[Any]) -> None:
    """Raises ValueError if two layers of a model have one name."""
    for name, times in Counter(layer.name for layer in layers).items():
        if times > 1:
            raise ValueError(f'The name "{name}" is used {times} times in the model. All layer names should be unique.')


def check_not_legacy(layers: Iterable[Any]) -> None:
    """Raises TypeError if layers of a model are of `tf.layers`, whose variables live in variable scopes."""
    legacy = [layer for layer in layers if getattr(layer, "_is_legacy_layer", False)]
    if legacy:
        listed = "\n  ".join(str(layer) for layer in legacy)
        raise TypeError(
            f"The following are legacy tf.layers.Layers:\n  {listed}\nTo use keras as a framework (for instance using the "
            "Network, Model, or Sequential classes), please use the tf.keras.layers implementation instead. (Or, if writing "
            "custom layers, subclass from tf.keras.layers rather than tf.layers)"
        )


def map_subgraph_network(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> tuple[list[Node], Layers]:
    """The calls, deepest first, and the layers between tensors; operations between them become layers."""
    graph = map_graph_network(inputs, outputs)
    nodes = [node for depth in sorted(graph.nodes_by_depth, reverse=True) for node in graph.nodes_by_depth[depth]]
    return nodes, graph.layers
