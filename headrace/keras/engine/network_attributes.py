"""What checkpoints of objects see of a model."""

from __future__ import annotations

from typing import Any

from headrace.checkpoints.dependencies import OWN_ATTRIBUTES


class CheckpointedAttributes:
    """The attributes of a model as its checkpoints see them: layers that have a name already are not named again."""

    def __init__(self, network: Any) -> None:
        listed = {id(layer) for layer in network.__dict__.get("_layer_list", ())}
        own = {"inputs", "outputs", "input_names", "output_names", "layers", "loss", "loss_functions", "loss_weights"}
        for name, value in vars(network).items():
            if name not in own and name not in OWN_ATTRIBUTES and id(value) not in listed:
                self.__dict__[name] = value
        # One container for each list that is an attribute, whenever it is asked for.
        self.__dict__["_tracked_containers"] = network.__dict__.setdefault("_tracked_containers", {})
        self.__dict__["_named_weights"] = network.__dict__.get("_named_weights", {})
