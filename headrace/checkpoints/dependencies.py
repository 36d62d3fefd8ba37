"""The dependencies of any object: those it tells, and of layers those found in their attributes."""

from __future__ import annotations

from typing import Any

from headrace.checkpoints.containers import Container, DictWrapper, ListWrapper, wrapped
from headrace.checkpoints.tracking import NotTrackable, is_trackable
from headrace.state.dependencies import TrackableReference
from headrace.state.variables import Variable


def dependencies_of(item: object) -> list[TrackableReference]:
    """The dependencies of an object, by the names and in the order that 1.15 gives them."""
    if isinstance(item, Variable):
        return []
    if isinstance(item, NotTrackable):
        raise NotImplementedError(
            f"{type(item).__name__} cannot be saved: it does not keep the variables that it makes."
        )
    if hasattr(item, "_checkpoint_dependencies"):
        return [TrackableReference(name, ref) for name, ref in item._checkpoint_dependencies]
    return dependencies_of_layer(item)


# In which layers and models keep what other attributes hold, or the parts of optimizers and metrics of their own.
OWN_ATTRIBUTES = frozenset(
    (
        *("_cell", "_cells", "_collected_trainable_weights", "_compile_metric_functions", "_hyper", "_input_layers"),
        *("_iterations", "_layer_list", "_named_layers", "_named_weights", "_non_trainable_weights", "_output_layers"),
        *(
            "_metrics",
            "_own_dependencies",
            "_per_output_metrics",
            "_per_output_weighted_metrics",
            "_tracked",
            "_tracked_containers",
        ),
        *("_trainable_weights", "_weights"),
    )
)


def dependencies_of_layer(item: object, kind: type | None = None) -> list[TrackableReference]:
    """The variables of a layer and the layers in it, by the names of attributes and in the order they became such.

    Args:
        item: what has the attributes.
        kind: the class of the layer, where `item` only shows its attributes.
    """
    found: list[TrackableReference] = []
    containers = item.__dict__.setdefault("_tracked_containers", {})
    # Weights by the names they were made under, each before the attributes that it is.
    # Private attributes of a class of the program are its parts as others are.
    is_own = (kind or type(item)).__module__.startswith("headrace.")
    weights = {id(made): (name, made) for name, made in item.__dict__.get("_named_weights", {}).items()}
    untracked = item.__dict__.get("_untracked", ())
    for name, value in list(vars(item).items()):
        if name in untracked:
            continue
        is_settings = name.startswith("_") and (is_own or name in OWN_ATTRIBUTES)
        if type(value) in (list, dict, tuple) and not is_settings:
            # One container for each attribute, however often it is asked for; its elements are those of now.
            value = _refilled(containers, name, value)
        made_as = weights.pop(id(value), None)
        if made_as is not None and made_as[0] != name and is_trackable(value):
            found.append(TrackableReference(*made_as))
        if is_settings or (name.startswith("_") and not _is_part(value)):
            continue
        if is_trackable(value) and not (isinstance(value, Container) and not value):
            found.append(TrackableReference(name, value))
    taken = {name for name, _ in found}
    found += [
        TrackableReference(name, made) for name, made in weights.values() if name not in taken and is_trackable(made)
    ]
    return found


def _is_part(value: Any) -> bool:
    """Whether a private attribute is a part: layers and models have others, of settings."""
    return (
        any(is_trackable(item) for _, item in value._named()) if isinstance(value, Container) else is_trackable(value)
    )


def _refilled(containers: dict[str, Any], name: str, value: Any) -> Any:
    if type(value) not in (list, dict, tuple):
        return value
    # The layer's own stays as it is.
    made = wrapped(value if isinstance(value, tuple) else type(value)(value))
    kept = containers.setdefault(name, made)
    if isinstance(kept, ListWrapper) and isinstance(made, ListWrapper):
        # The layer's own list is what says which elements there are now.
        kept.replace(_refilled(containers, f"{name}/{i}", item) for i, item in enumerate(value))
    elif isinstance(kept, DictWrapper) and isinstance(made, DictWrapper):
        kept.replace({key: _refilled(containers, f"{name}/{key}", item) for key, item in value.items()})
    elif kept != made:
        kept = containers[name] = made
    return kept
