"""How layers are connected: the calls of layers on tensors that come from layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import Nested
    from headrace.layers.connections import Connections


# The last, if any, is called with tensors whose operations are to become layers. Nothing here fills it: it is for Keras,
# whose models are made of layers only.
history_makers: list[Callable[[Nested[Tensor]], object]] = []


class KerasHistory(NamedTuple):
    """Which call of which layer gave a tensor.

    Attributes:
        layer: the layer.
        node_index: the number of the call among the layer's.
        tensor_index: the number of the tensor among the outputs of the call.
    """

    layer: Connections
    node_index: int
    tensor_index: int


def has_history(tensors: Nested[Tensor]) -> bool:
    """Whether all of these tensors are known to come from layers."""
    return all(getattr(t, "_keras_history", None) is not None for t in nest.flatten(tensors))


def depends_on_history(tensors: Nested[Tensor]) -> bool:
    """Whether any of these tensors is computed from one that comes from a layer."""
    seen: set[int] = set()
    waiting = list(nest.flatten(tensors))
    while waiting:
        tensor = waiting.pop()
        if id(tensor) in seen or getattr(tensor, "_keras_history_checked", False):
            continue
        seen.add(id(tensor))
        if getattr(tensor, "_keras_history", None) is not None:
            return True
        waiting.extend(getattr(getattr(tensor, "op", None), "inputs", ()))
    for tensor in nest.flatten(tensors):
        if isinstance(tensor, Tensor):
            tensor._keras_history_checked = True
    return False


def make_history(tensors: Nested[Tensor]) -> None:
    """Connects tensors that were computed from outputs of layers without a layer, where that is provided for.

    Beside a value, which no operation gives, nothing is connected: it is a constant of what is computed from it.
    """
    if not history_makers or has_history(tensors) or any(_has_value(t) for t in nest.flatten(tensors)):
        return
    if depends_on_history(tensors):
        history_makers[-1](tensors)


def _has_value(value: object) -> bool:
    """Whether something is a tensor with a value, or a variable."""
    return isinstance(value, Variable) or (isinstance(value, Tensor) and not value._is_graph_tensor)


def _shape_of(tensor: Tensor) -> tuple[int | None, ...] | None:
    shape = getattr(tensor, "shape", None)
    return None if shape is None or shape.ndims is None else tuple(shape.as_list())


class Node:
    """One call of a layer.

    Args:
        outbound_layer: the layer.
        inbound_layers: the layer that each input comes from, nested as the inputs; None of an input from elsewhere.
        node_indices: the number of the call among that layer's, nested alike.
        tensor_indices: the number of the input among the outputs of that call, nested alike.
        input_tensors, output_tensors: what it took and gave.
        arguments: the other arguments of the call, by name.
    """

    def __init__(
        self,
        outbound_layer: Connections,
        inbound_layers: Nested[Connections | None],
        node_indices: Nested[int],
        tensor_indices: Nested[int],
        input_tensors: Nested[Tensor],
        output_tensors: Nested[Tensor],
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(outbound_layer, (list, tuple, dict)):
            raise ValueError("`outbound_layer` should be a layer instance, not a list, tuple, or, dict.")
        self.outbound_layer = outbound_layer
        self.inbound_layers = inbound_layers
        self.node_indices = node_indices
        self.tensor_indices = tensor_indices
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.input_shapes = nest.map_structure(_shape_of, input_tensors)
        self.output_shapes = nest.map_structure(_shape_of, output_tensors)
        self.arguments = arguments
        for argument in nest.flatten(arguments):
            if isinstance(argument, Tensor):
                make_history(argument)
        for layer in nest.flatten(inbound_layers):
            if layer is not None:
                layer.outbound_nodes.append(self)
        outbound_layer.inbound_nodes.append(self)

    def iterate_inbound(self, include_arguments: bool = False) -> list[tuple[Connections | None, int, int, Tensor]]:
        """For each input: the layer it comes from, which call and output of it, and the tensor.

        Args:
            include_arguments: whether tensors among the other arguments are inputs too.
        """
        found = list(
            zip(
                nest.flatten(self.inbound_layers),
                nest.flatten(self.node_indices),
                nest.flatten(self.tensor_indices),
                nest.flatten(self.input_tensors),
            )
        )
        if include_arguments:
            found.extend((*t._keras_history, t) for t in nest.flatten(self.arguments) if hasattr(t, "_keras_history"))
        return found

    def get_config(self) -> dict[str, Any]:
        """The call with names for the layers, as configurations of models are written."""
        return {
            "outbound_layer": self.outbound_layer.name,
            "inbound_layers": nest.map_structure(lambda layer: layer.name if layer else None, self.inbound_layers),
            "node_indices": self.node_indices,
            "tensor_indices": self.tensor_indices,
        }


def following(item: Any) -> list[Any]:
    """What depends on an operation, a tensor or a variable at once."""
    if isinstance(item, Operation):
        return [*item.outputs, *item._control_outputs]
    if isinstance(item, Tensor):
        return item.consumers()
    return [item.op] if hasattr(item, "op") else []


def reachable(inputs: Nested[Tensor], targets: Iterable[Operation | Tensor]) -> set[int]:
    """The ids of those of `targets`, operations or tensors, that depend on `inputs`."""
    target_ids = {id(target) for target in targets}
    found: set[int] = set()
    waiting = list(nest.flatten(inputs, expand_composites=True))
    seen = {id(item) for item in waiting}
    while waiting and len(found) < len(target_ids):
        item = waiting.pop()
        if id(item) in target_ids:
            found.add(id(item))
        for other in following(item):
            if id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return found
