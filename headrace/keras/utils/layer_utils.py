"""Tables of models, their numbers of weights, and weights as other backends keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.layer_weights import gather_non_trainable_weights, gather_trainable_weights
from headrace.core import nest
from headrace.layers.values import get_values, set_values

if TYPE_CHECKING:
    from headrace.layers.nodes import Node

__all__ = [
    "convert_all_kernels_in_model",
    "convert_dense_weights_data_format",
    "count_params",
    "gather_non_trainable_weights",
    "gather_trainable_weights",
    "is_builtin_layer",
    "get_source_inputs",
    "print_summary",
]


def count_params(weights: Iterable[Any]) -> int:
    """The number of elements of variables, each counted once."""
    each = {id(weight): weight for weight in weights}
    return int(sum(np.prod(weight.shape.as_list()) for weight in each.values()))


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """The inputs of models that a tensor of a layer is computed from.

    Args:
        tensor: the tensor.
        layer, node_index: the call to begin at in the place of the one that gave it.
    """
    if getattr(tensor, "_keras_history", None) is None:
        return tensor  # type: ignore[no-any-return]  # as 1.15 does
    if layer is None or node_index:
        layer, node_index, _ = tensor._keras_history
    if not layer.inbound_nodes:
        return [tensor]
    found: dict[int, Any] = {}
    waiting = [layer.inbound_nodes[node_index or 0]]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if not nest.flatten(node.inbound_layers):
            for source in nest.flatten(node.input_tensors):
                found.setdefault(id(source), source)
        else:
            waiting.extend(other.inbound_nodes[index] for other, index, _, _ in node.iterate_inbound())
    return list(found.values())


# ---- the table of a model ----


class _Table:
    """Lines of columns that end at fixed places.

    Args:
        ends: where the columns end.
        print_fn: what takes a line.
    """

    def __init__(self, ends: Sequence[int], print_fn: Callable[[str], object]) -> None:
        self.ends = ends
        self.print_fn = print_fn

    def row(self, fields: Sequence[Any]) -> None:
        """Prints a line; fields that are too long are cut off."""
        line = ""
        for field, end in zip(fields, self.ends):
            if line:
                # A blank between the columns, in the place of the last character if there has to be.
                line = line[:-1] + " "
            line = (line + str(field))[:end].ljust(end)
        self.print_fn(line)


def _is_sequential_like(model: Any) -> bool:
    """Whether a model's layers are a line, so that a column of what they are connected to would say nothing."""
    if not model._is_graph_network:
        return True
    nodes: list[Node] = []
    for at_depth in model._nodes_by_depth.values():
        if len(at_depth) > 1 or (at_depth and len(nest.flatten(at_depth[0].inbound_layers)) > 1):
            return False
        nodes += at_depth
    own = {id(node) for node in nodes}
    return all(sum(id(node) in own for node in layer._inbound_nodes) <= 1 for layer in model.layers)


def _output_shape(layer: Any) -> Any:
    try:
        return layer.output_shape
    except AttributeError:
        return "multiple"
    except RuntimeError:
        return "?"


def _connections(layer: Any, own: set[int]) -> list[str]:
    found = []
    for node in layer._inbound_nodes:
        if own and id(node) not in own:
            continue
        for inbound, node_index, tensor_index, _ in node.iterate_inbound():
            found.append(f"{inbound.name}[{node_index}][{tensor_index}]")
    return found


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], object] | None = None,
) -> None:
    """Prints a table of a model's layers.

    Args:
        model: the model.
        line_length: the width of the table: 65 for layers in a line, else 98.
        positions: where the columns end, as parts of the width or in characters.
        print_fn: what takes each line, `print` by default.

    Raises:
        IndexError: for fewer positions than there are columns.
    """
    print_fn = print if print_fn is None else print_fn
    plain = type(model).__name__ == "Sequential" or _is_sequential_like(model)
    if plain:
        line_length, positions = line_length or 65, positions or [0.45, 0.85, 1.0]
    else:
        line_length, positions = line_length or 98, positions or [0.33, 0.55, 0.67, 1.0]
    ends = [int(line_length * p) for p in positions] if positions[-1] <= 1 else [int(p) for p in positions]
    if len(ends) < (3 if plain else 4):
        raise IndexError(f"`positions` are where all columns of the table end, got {positions!r}.")
    table = _Table(ends, print_fn)
    own = {id(node) for nodes in model._nodes_by_depth.values() for node in nodes}
    print_fn(f'Model: "{model.name}"')
    print_fn("_" * line_length)
    table.row(["Layer (type)", "Output Shape", "Param #", *([] if plain else ["Connected to"])])
    print_fn("=" * line_length)
    layers = model.layers
    for index, layer in enumerate(layers):
        fields = [f"{layer.name} ({type(layer).__name__})", _output_shape(layer), layer.count_params()]
        if plain:
            table.row(fields)
        else:
            connections = _connections(layer, own)
            table.row([*fields, connections[0] if connections else ""])
            for connection in connections[1:]:
                table.row(["", "", "", connection])
        print_fn(("=" if index == len(layers) - 1 else "_") * line_length)
    # A model may say that weights are fixed which are trained by what was compiled before.
    collected = getattr(model, "_collected_trainable_weights", None)
    trainable = count_params(model._unique_trainable_weights if collected is None else collected)
    fixed = count_params(model.non_trainable_weights)
    print_fn(f"Total params: {trainable + fixed:,}")
    print_fn(f"Trainable params: {trainable:,}")
    print_fn(f"Non-trainable params: {fixed:,}")
    print_fn("_" * line_length)


# ---- weights of other backends ----

_CONVOLUTIONS = frozenset({"Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose"})


def convert_all_kernels_in_model(model: Any) -> None:
    """Turns the kernels of a model's convolutions around in space, as between TensorFlow and Theano.

    Args:
        model: the model.
    """
    kernels = [layer.kernel for layer in model.layers if type(layer).__name__ in _CONVOLUTIONS]
    values = get_values(kernels)
    set_values([(kernel, np.flip(value, range(value.ndim - 2)).copy()) for kernel, value in zip(kernels, values)])


def convert_dense_weights_data_format(
    dense: Any, previous_feature_map_shape: Sequence[int], target_data_format: str = "channels_first"
) -> None:
    """Reorders the kernel of a dense layer that follows flattened images, for images of another order of axes.

    Args:
        dense: the layer.
        previous_feature_map_shape: the shape of the images without the batch, in the target order.
        target_data_format: "channels_first" or "channels_last".
    """
    if target_data_format not in ("channels_first", "channels_last"):
        raise AssertionError(f"target_data_format is {target_data_format!r}, not channels_first or channels_last")
    kernel, bias = dense.get_weights()
    for unit in range(kernel.shape[1]):
        if target_data_format == "channels_first":
            channels, *sizes = previous_feature_map_shape
            column = kernel[:, unit].reshape((*sizes, channels))
            column = np.moveaxis(column, -1, 0)
        else:
            *sizes, channels = previous_feature_map_shape
            column = kernel[:, unit].reshape((channels, *sizes))
            column = np.moveaxis(column, 0, -1)
        kernel[:, unit] = np.reshape(column, -1)
    dense.set_weights([kernel, bias])


def is_builtin_layer(layer: Any) -> bool:
    """Whether the class of a layer is one that comes with the library."""
    return type(layer).__module__.partition(".")[0] == __name__.partition(".")[0]
