"""The weights of objects made of layers: 1.x's `tracking.layer_utils`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def is_layer(obj: Any) -> bool:
    """Whether something is a layer."""
    return hasattr(obj, "_is_layer") and not isinstance(obj, type)


def has_weights(obj: Any) -> bool:
    """Whether the class of something says which weights are trained."""
    kind = type(obj)
    return hasattr(kind, "trainable_weights") and hasattr(kind, "non_trainable_weights") and not isinstance(obj, type)


def filter_empty_layer_containers(layer_list: Sequence[Any]) -> list[Any]:
    """The layers in a list, and those in the containers in it; each once."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    to_visit = list(layer_list)[::-1]
    while to_visit:
        item = to_visit.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if is_layer(item):
            found[id(item)] = item
        else:
            to_visit.extend(list(getattr(item, "layers", ()))[::-1])
    return list(found.values())


def gather_trainable_weights(trainable: bool, sub_layers: Sequence[Any], extra_variables: Sequence[Any]) -> list[Any]:
    """What is trained of an object: of its layers, then of its other variables; nothing if it is not `trainable`."""
    if not trainable:
        return []
    return [w for layer in sub_layers for w in layer.trainable_weights] + [v for v in extra_variables if v.trainable]


def gather_non_trainable_weights(
    trainable: bool, sub_layers: Sequence[Any], extra_variables: Sequence[Any]
) -> list[Any]:
    """What is not trained of an object: all weights if it is not `trainable`, those trained otherwise first."""
    fixed = [w for layer in sub_layers for w in layer.non_trainable_weights]
    fixed_extra = [v for v in extra_variables if not v.trainable]
    return gather_trainable_weights(not trainable, sub_layers, extra_variables) + fixed + fixed_extra
