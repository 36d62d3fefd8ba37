"""What checkpoints of objects see of a model: its layers by number, and its attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.checkpoints.dependencies import OWN_ATTRIBUTES, dependencies_of_layer
from headrace.checkpoints.layer_weights import filter_empty_layer_containers
from headrace.state.dependencies import TrackableReference


class CheckpointedAttributes:
    """The attributes of a model as its checkpoints see them: layers that have a name already are not named again."""

    def __init__(self, network: Any) -> None:
        listed = {id(layer) for layer in network.__dict__.get("_layer_list", ())}
        own = {"inputs", "outputs", "input_names", "output_names", "layers", "loss", "loss_functions", "loss_weights"}
        # A graph of layers has private attributes of its own, which say how it runs.
        tracked = network.__dict__.get("_tracked", {})
        is_graph = network.__dict__.get("_is_graph_network", False)
        for name, value in vars(network).items():
            if is_graph and name.startswith("_") and name not in tracked:
                continue
            is_named = id(value) in listed and name not in tracked
            if name not in own and name not in OWN_ATTRIBUTES and not is_named:
                self.__dict__[name] = value
        # One container for each list that is an attribute, whenever it is asked for.
        self.__dict__["_tracked_containers"] = network.__dict__.setdefault("_tracked_containers", {})
        self.__dict__["_untracked"] = network.__dict__.get("_untracked", ())
        self.__dict__["_named_weights"] = network.__dict__.get("_named_weights", {})


def parts_of(network: Any) -> list[Any]:
    """The layers of a model, and the containers of layers that are its attributes."""
    found: dict[int, Any] = {id(layer): layer for layer in network.__dict__.get("_layer_list", ())}
    if network._takes_layers_of_attributes():
        for value in network.__dict__.get("_tracked", {}).values():
            # A tuple is no container: what is in it has no name of its own either.
            for item in value if type(value) is tuple else (value,):
                if filter_empty_layer_containers([item]):
                    found.setdefault(id(item), item)
    return list(found.values())


def name_layers(network: Any, layers: Sequence[Any]) -> None:
    """Numbers the layers of a model, as checkpoints call them; a name keeps its place among those and the attributes."""
    named: dict[str, Any] = {}
    weighted = 0
    for index, layer in enumerate(layers):
        if any(item.built and item.weights for item in filter_empty_layer_containers([layer])):
            named[f"layer_with_weights-{weighted}"] = layer
            weighted += 1
        named[f"layer-{index}"] = layer
    before = network.__dict__.get("_named_layers", {})
    now = len(network.__dict__.get("_tracked", ()))
    places = {name: before[name][0] for name in before if name in named}
    places.update((name, now) for name in named if name not in places)
    object.__setattr__(network, "_named_layers", {name: (place, named[name]) for name, place in places.items()})


def dependencies_of_network(network: Any) -> list[TrackableReference]:
    """The layers and attributes of a model by name, in the order that they became such in."""
    places = {name: place for place, name in enumerate(network.__dict__.get("_tracked", ()))}
    last = len(places)
    found = [
        (places.get(reference.name, last), 1, reference)
        for reference in dependencies_of_layer(CheckpointedAttributes(network), type(network))
    ]
    # As many attributes come before the name of a layer as there were when it got it.
    found += [
        (place, 0, TrackableReference(name, layer))
        for name, (place, layer) in network.__dict__.get("_named_layers", {}).items()
    ]
    found.sort(key=lambda item: item[:2])
    return [reference for _, _, reference in found]
