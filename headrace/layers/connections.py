"""The calls of layers, and what they took and gave."""

from __future__ import annotations

from typing import Any

from headrace.core import nest
from headrace.layers.contents import Contents
from headrace.layers.nodes import KerasHistory, Node


class Connections(Contents):
    """The calls of a layer, each a node between the tensors that it took and those that it gave."""

    _inbound_nodes: list[Node]
    _outbound_nodes: list[Node]

    @property
    def inbound_nodes(self) -> list[Node]:
        """Its calls."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Node]:
        """The calls that took its outputs."""
        return self._outbound_nodes

    def _of_node(self, index: int, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if index >= len(self._inbound_nodes):
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer has only {len(self._inbound_nodes)} inbound nodes."
            )
        values = getattr(self._inbound_nodes[index], attribute)
        return values[0] if isinstance(values, list) and len(values) == 1 else values

    def get_input_at(self, node_index: int) -> Any:
        """The input of a call."""
        return self._of_node(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """The output of a call."""
        return self._of_node(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shape of the input of a call."""
        return self._of_node(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shape of the output of a call."""
        return self._of_node(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index: int) -> Any:
        """The mask of the input of a call."""
        return _masks_of(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """The mask of the output of a call."""
        return _masks_of(self.get_output_at(node_index))

    @property
    def input(self) -> Any:
        """The input of its first call; AttributeError where no call on a tensor from a layer is known."""
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} is not connected, no input to return.")
        return self.get_input_at(0)

    @property
    def output(self) -> Any:
        """The output of its first call; AttributeError where none is known."""
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        return self.get_output_at(0)

    @property
    def input_mask(self) -> Any:
        """The mask of `input`."""
        return _masks_of(self.input)

    @property
    def output_mask(self) -> Any:
        """The mask of `output`."""
        return _masks_of(self.output)

    @property
    def input_shape(self) -> Any:
        """The shape of the input, which has to be the same in all calls."""
        return self._shape_of_calls("input_shapes", "input shape")

    @property
    def output_shape(self) -> Any:
        """The shape of the output, which has to be the same in all calls."""
        return self._shape_of_calls("output_shapes", "output shape")

    def _shape_of_calls(self, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(f"The layer has never been called and thus has no defined {what}.")
        if len({str(getattr(node, attribute)) for node in self._inbound_nodes}) > 1:
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes, with different {what}s. Hence the notion of "{what}" '
                f"is ill-defined for the layer. Use `get_{what.replace(' ', '_')}_at(node_index)` instead."
            )
        return getattr(self._inbound_nodes[0], attribute)

    def _add_inbound_node(self, input_tensors: Any, output_tensors: Any, arguments: Any = None) -> None:
        Node(
            self,
            nest.map_structure(lambda t: t._keras_history.layer, input_tensors),
            nest.map_structure(lambda t: t._keras_history.node_index, input_tensors),
            nest.map_structure(lambda t: t._keras_history.tensor_index, input_tensors),
            input_tensors,
            output_tensors,
            arguments,
        )
        for i, tensor in enumerate(nest.flatten(output_tensors)):
            tensor._keras_history = KerasHistory(self, len(self._inbound_nodes) - 1, i)


def _masks_of(tensors: Any) -> Any:
    if isinstance(tensors, list):
        return [getattr(tensor, "_keras_mask", None) for tensor in tensors]
    return getattr(tensors, "_keras_mask", None)
