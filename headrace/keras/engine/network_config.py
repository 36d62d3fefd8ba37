"""Models as plain values: how layers are connected, in the form that JSON files of models have."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest, slots
from headrace.core.dtypes import DType
from headrace.core.shapes import Dimension, TensorShape
from headrace.core.tensor import Tensor
from headrace.keras.engine.input_layer import InputLayer
from headrace.keras.engine.network_graph import node_key
from headrace.keras.utils.generic_utils import serialize_keras_object
from headrace.keras.utils.stored_settings import MissingEntryError, faults_of_settings
from headrace.layers.values import get_session
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.layers.nodes import Node

    Config = dict[str, Any]

# The version of Keras that the format is of.
KERAS_VERSION = "2.2.4-tf"


def _should_skip_first_node(layer: Any) -> bool:
    """Whether the first call of a layer in a model is none that its configuration tells of: a model's own graph."""
    return getattr(layer, "_is_graph_network", False) and not isinstance(layer, InputLayer)


class _Numbers:
    """The numbers that calls of layers have in a configuration, which counts only those that belong to the model."""

    def __init__(self, network: Any) -> None:
        self._numbers: dict[str, int] = {}
        for layer in network.layers:
            kept = 1 if _should_skip_first_node(layer) else 0
            for index in range(len(layer.inbound_nodes)):
                key = node_key(layer.name, index)
                if key in network._network_nodes:
                    self._numbers[key] = kept
                    kept += 1

    def of(self, layer: Any, node_index: int) -> int | None:
        """The number of a call of a layer; None of one that is not of the model."""
        return self._numbers.get(node_key(layer.name, node_index))

    def coordinates(self, histories: Any) -> list[list[Any]]:
        """Where tensors come from: the name of the layer, the number of the call, the number of the output."""
        found = []
        for layer, node_index, tensor_index in histories:
            number = self.of(layer, node_index)
            if number is not None:
                found.append([layer.name, number, tensor_index])
        return found


def get_network_config(network: Any) -> Config:
    """The layers of a model and how they are connected.

    Args:
        network: a graph of layers.
    """
    numbers = _Numbers(network)
    layers = []
    for layer in network.layers:
        calls = [
            _call(layer.name, node, numbers)
            for index, node in enumerate(layer.inbound_nodes)
            if node_key(layer.name, index) in network._network_nodes and node.inbound_layers
        ]
        entry = serialize_keras_object(layer)
        layers.append({"name": layer.name, **entry, "inbound_nodes": calls})
    config: Config = {"name": network.name, "layers": layers}
    for key, coordinates, structure in (
        ("input_layers", network._input_coordinates, network._nested_inputs),
        ("output_layers", network._output_coordinates, network._nested_outputs),
    ):
        found = numbers.coordinates(coordinates)
        # Lists of several stay lists of lists; a single one stands in a list; dicts keep their keys.
        config[key] = _structured(structure, found)
    return config


def _structured(structure: Any, flat: list[Any]) -> Any:
    if not nest.is_sequence(structure) or len(flat) != len(nest.flatten(structure)):
        return flat
    if isinstance(structure, Mapping):
        return dict(zip(sorted(structure), flat))
    return flat


def _call(layer_name: str, node: Node, numbers: _Numbers) -> Any:
    arguments = _serialized(node.arguments or {}, numbers)
    try:
        json.dumps(arguments)
    except TypeError:
        tf_logging.warning(
            f"Layer {layer_name} was passed non-serializable keyword arguments: {node.arguments}. They will not be included "
            "in the serialized model (and thus will be missing at deserialization time)."
        )
        arguments = {}
    entries = [
        [layer.name, numbers.of(layer, index) or 0, tensor_index, arguments]  # type: ignore[union-attr]  # calls in models are of layers
        for layer, index, tensor_index, _ in node.iterate_inbound()
    ]
    if isinstance(node.inbound_layers, Mapping):
        return dict(zip(sorted(node.inbound_layers), entries))
    return entries


def _serialized(arguments: Mapping[str, Any], numbers: _Numbers) -> Any:
    """The other arguments of a call: tensors of layers as where they come from, others as lists."""

    def plain(value: Any) -> Any:
        history = getattr(value, "_keras_history", None)
        if history is not None:
            return [history.layer.name, numbers.of(history.layer, history.node_index), history.tensor_index]
        if isinstance(value, Tensor):
            return evaluated(value).tolist()
        return value.tolist() if isinstance(value, np.ndarray) else value

    return {key: nest.map_structure(plain, value) for key, value in arguments.items()}


def evaluated(tensor: Tensor) -> Any:
    """The value of a tensor that depends on no input."""
    return get_session().run(tensor) if tensor._is_graph_tensor else tensor.numpy()  # type: ignore[attr-defined]  # it has a value


# ---- and back ----


class UnknownLayerError(ValueError, AssertionError):
    """Inputs or outputs are of a layer that is not there: a `ValueError` as other faults, an `AssertionError` as in 1.15."""


class UnmadeCallError(ValueError, IndexError):
    """Inputs or outputs are of a call that no layer has: a `ValueError` as other faults, an `IndexError` as in 1.15."""


class _Rebuilding:
    """The layers of a configuration, made and called one after the other."""

    def __init__(self, config: Config, custom_objects: Config | None) -> None:
        self.layers: dict[str, Any] = {}
        # The calls of a layer take place in their own order.
        self._waiting: dict[str, deque[Any]] = {}
        for data in config["layers"]:
            if not isinstance(data, Mapping) or not isinstance(data["name"], str):
                raise ValueError(f"A layer in the configuration of a model is {data!r}, no settings with a name.")
            self.layers[data["name"]] = slots.keras_layer_from_config(data, custom_objects=custom_objects)
            self._waiting[data["name"]] = deque(_list_of(data["inbound_nodes"]))

    def run(self) -> None:
        """Calls the layers in the order in which their inputs come to be there.

        Raises:
            ValueError: if a call takes what no layer gives.
        """
        waiting = {name: calls for name, calls in self._waiting.items() if calls}
        while waiting:
            progress = False
            for name, calls in waiting.items():
                while calls and self._try(self.layers[name], calls[0]):
                    calls.popleft()
                    progress = True
            waiting = {name: calls for name, calls in waiting.items() if calls}
            if not progress:
                self._refuse_unknown(waiting)
                raise ValueError(f"The configuration of the model is incomplete: layers {sorted(waiting)} lack inputs.")

    def _refuse_unknown(self, waiting: Mapping[str, Any]) -> None:
        """Names the layer that calls take something of and that there is none of.

        Raises:
            MissingEntryError: if there is such a layer.
        """
        for name, calls in waiting.items():
            for call in calls:
                for entry in call.values() if isinstance(call, Mapping) else _entries(call):
                    if entry[0] not in self.layers:
                        raise MissingEntryError(
                            f"The configuration of the model has no layer {entry[0]!r}, of which {name!r} takes an output."
                        )

    def _try(self, layer: Any, call: Any) -> bool:
        """Makes a call if all it takes is there; whether it was."""
        entries = [call[key] for key in sorted(call)] if isinstance(call, Mapping) else _entries(call)
        arguments: Config | None = {}
        tensors = []
        for entry in entries:
            tensors.append(self.tensor(entry))
            if len(entry) > 3:
                arguments = self._arguments(entry[3])
        if arguments is None or any(tensor is None for tensor in tensors):
            return False
        if isinstance(call, Mapping):
            layer(dict(zip(sorted(call), tensors)), **arguments)
        elif tensors:
            layer(tensors[0] if len(tensors) == 1 else tensors, **arguments)
        return True

    def tensor(self, entry: Any) -> Any:
        """The tensor at a place, None where its call has not been made yet."""
        if not _names_a_tensor(entry):
            raise ValueError(
                f"The configuration of the model has {entry!r} where a layer's name and the numbers of its call and of "
                "its output were expected."
            )
        name, node_index, tensor_index = entry[:3]
        layer = self.layers.get(name)
        if layer is None or len(layer.inbound_nodes) <= node_index:
            return None
        tensors = nest.flatten(layer.inbound_nodes[node_index].output_tensors)
        if tensor_index >= len(tensors):
            raise ValueError(
                f"The configuration of the model names output {tensor_index} of layer {name!r}, which has {len(tensors)}."
            )
        return tensors[tensor_index]

    def _arguments(self, arguments: Config) -> Config | None:
        """The other arguments of a call, None if one of them has not been computed yet."""
        if not isinstance(arguments, Mapping):
            raise ValueError(
                f"The arguments of a call in the configuration of the model are {arguments!r}, no dictionary."
            )
        missing = False

        def made(value: Any) -> Any:
            nonlocal missing
            if self._is_place(value):
                tensor = self.tensor(value)
                missing = missing or tensor is None
                return tensor
            if isinstance(value, Mapping):
                return {key: made(item) for key, item in value.items()}
            return [made(item) for item in value] if isinstance(value, list) else value

        found = {key: made(value) for key, value in arguments.items()}
        return None if missing else found

    def _is_place(self, value: Any) -> bool:
        """Whether an argument is the place of a tensor: a layer's name and two numbers."""
        return _names_a_tensor(value) and len(value) == 3 and value[0] in self.layers


def _names_a_tensor(entry: Any) -> bool:
    return (
        isinstance(entry, (list, tuple))
        and len(entry) >= 3
        and isinstance(entry[0], str)
        and all(isinstance(number, int) and number >= 0 for number in entry[1:3])
    )


def _list_of(calls: Any) -> list[Any]:
    if not isinstance(calls, (list, tuple, Mapping)):
        raise ValueError(f"The calls of a layer in the configuration of the model are {calls!r}, no list.")
    return [calls] if isinstance(calls, Mapping) else list(calls)


def _entries(call: Any) -> list[Any]:
    if not isinstance(call, (list, tuple)):
        raise ValueError(f"A call of a layer in the configuration of the model is {call!r}, no list of its inputs.")
    # A call of one tensor may stand without the list around it.
    return [call] if call and isinstance(call[0], str) else list(call)


def network_from_config(kind: type, config: Config, custom_objects: Config | None = None) -> Any:
    """The model that a configuration describes, with new weights.

    Args:
        kind: the class of the model.
        config: what `get_network_config` gave.
        custom_objects: classes and functions by the names they have in it.

    Raises:
        ValueError: if the configuration is incomplete.
    """
    with faults_of_settings("the model"):
        rebuilding = _Rebuilding(config, custom_objects)
        rebuilding.run()
        inputs = _tensors_at(config["input_layers"], rebuilding)
        outputs = _tensors_at(config["output_layers"], rebuilding)
    model = kind(inputs=inputs, outputs=outputs, name=config.get("name"))
    # Layers that no output depends on, those of losses and metrics, are the model's all the same.
    known = {id(layer) for layer in model.layers}
    ancillary = [layer for layer in rebuilding.layers.values() if id(layer) not in known]
    if ancillary:
        nodes = [node for layer in rebuilding.layers.values() for node in layer.inbound_nodes]
        own = {id(node) for nodes_there in model._nodes_by_depth.values() for node in nodes_there}
        ancillary_ids = {id(layer) for layer in ancillary}
        model._insert_layers(
            ancillary,
            [node for node in nodes if id(node) not in own and id(node.outbound_layer) in ancillary_ids],
        )
    return model


def _tensors_at(places: Any, rebuilding: _Rebuilding) -> Any:
    if isinstance(places, Mapping):
        return {key: _tensor_at(place, rebuilding) for key, place in places.items()}
    if not isinstance(places, (list, tuple)):
        raise ValueError(f"The inputs or outputs in the configuration of the model are {places!r}, no list.")
    if places and isinstance(places[0], str):
        return _tensor_at(places, rebuilding)
    found = [_tensor_at(place, rebuilding) for place in places]
    return found[0] if len(found) == 1 else found


def _tensor_at(place: Any, rebuilding: _Rebuilding) -> Any:
    tensor = rebuilding.tensor(place)
    if tensor is None:
        kind = UnmadeCallError if place[0] in rebuilding.layers else UnknownLayerError
        raise kind(f"The configuration of the model names {place}, which none of its layers gives.")
    return tensor


# ---- as text ----


def updated_config(network: Any) -> Config:
    """The configuration of a model with its class and the version of the format."""
    return {
        "class_name": type(network).__name__,
        "config": network.get_config(),
        "keras_version": KERAS_VERSION,
        "backend": "tensorflow",
    }


def json_value(value: Any) -> Any:
    """What stands in JSON for a value that JSON does not have: an object's settings, a shape, an array, a name.

    Raises:
        TypeError: for what nothing stands for.
    """
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, TensorShape):
        return value.as_list()
    if isinstance(value, DType):
        return value.name
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if callable(value) or isinstance(value, type):
        return value.__name__
    raise TypeError("Not JSON Serializable:", value)


def as_json(network: Any, **kwargs: Any) -> str:
    """A model's configuration as JSON."""
    return json.dumps(network._updated_config(), default=json_value, **kwargs)


def as_yaml(network: Any, **kwargs: Any) -> str:
    """A model's configuration as YAML.

    Raises:
        ImportError: if PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        raise ImportError("Requires yaml module installed (`pip install pyyaml`).") from None
    plain = json.loads(as_json(network))
    text: str = yaml.dump(plain, **kwargs)
    return text
