"""Objects that depend on one another by name: what checkpoints of objects save, rather than names of variables."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator
from typing import Any

from headrace.core.defaults import get_default_graph
from headrace.state import restoring
from headrace.state.variables import Variable
from headrace.train.optimizer import Optimizer

VARIABLE_VALUE = "VARIABLE_VALUE"


class TrackableReference(collections.namedtuple("TrackableReference", ["name", "ref"])):
    """A dependency: an object and the name it has for the one that depends on it."""

    __slots__ = ()


class Trackable:
    """An object with dependencies; see `AutoTrackable` for one that finds them itself."""

    @property
    def _dependencies(self) -> dict[str, Any]:
        return self.__dict__.setdefault("_own_dependencies", {})

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._dependencies.items()]

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Makes `trackable` a dependency named `name`; returns it.

        Raises:
            TypeError: if it is nothing that can be saved.
            ValueError: if another has the name, unless `overwrite`.
        """
        if not is_trackable(trackable):
            raise TypeError(
                "Trackable._track_trackable() passed type "
                f"{type(trackable)}, not a Trackable: it keeps no state that a checkpoint could hold."
            )
        there = self._dependencies.get(name)
        if there is not None and there is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        self._dependencies[name] = trackable
        restoring.changed()
        return trackable

    def _lookup_dependency(self, name: str) -> Any:
        return next((ref for known, ref in self._checkpoint_dependencies if known == name), None)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {}


class NoDependency:
    """Marks a value that is assigned to an attribute and not to be tracked.

    Args:
        value: the value, which becomes the attribute.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


class AutoTrackable(Trackable):
    """An object whose attributes are its dependencies: variables, optimizers, layers, other such objects, and lists,
    tuples and dicts of them.

    Example:
        >>> class Net(tf.contrib.checkpoint.Checkpointable):
        ...     def __init__(self):
        ...         self.weights = tf.get_variable("w", [3])
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, NoDependency):
            self._dependencies.pop(name, None)
            value = value.value
        elif getattr(self, "_self_setattr_tracking", True):
            value = wrapped(value)
            if is_trackable(value):
                self._track_trackable(value, name, overwrite=True)
            else:
                self._dependencies.pop(name, None)
        super().__setattr__(name, value)
        restoring.changed()

    def __delattr__(self, name: str) -> None:
        self._dependencies.pop(name, None)
        super().__delattr__(name)

    def _no_dependency(self, value: Any) -> NoDependency:
        return NoDependency(value)


class _Container(Trackable):
    """A container whose elements are its dependencies, as they are when it is saved."""

    def _named(self) -> Iterable[tuple[str, Any]]:
        raise NotImplementedError

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, item) for name, item in self._named() if is_trackable(item)]


class List(_Container, list):  # type: ignore[type-arg]
    """A list whose elements are dependencies named by their places.

    Args:
        items: the elements.
    """

    def __init__(self, *items: Any) -> None:
        list.__init__(self, (wrapped(item) for item in items))

    def append(self, value: Any) -> None:
        """Adds an element."""
        list.append(self, wrapped(value))
        restoring.changed()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements."""
        list.extend(self, (wrapped(value) for value in values))
        restoring.changed()

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


class Tuple(_Container, tuple):  # type: ignore[type-arg]
    """A tuple whose elements are dependencies named by their places."""

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))


class Dict(_Container, dict):  # type: ignore[type-arg]
    """A dict whose values are dependencies named by their keys."""

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, key, wrapped(value))
        restoring.changed()

    def _named(self) -> Iterator[tuple[str, Any]]:
        for key, item in self.items():
            if is_trackable(item):
                if not isinstance(key, str):
                    raise ValueError(
                        f"A dict with the key {key!r}, which is no string, cannot be saved: checkpoints name values by keys."
                    )
                yield key, item

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


class Mapping(Dict):
    """A dict of dependencies whose keys are strings and whose values stay.

    Args:
        args, kwargs: as of `dict`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        dict.__init__(self)
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        if key in self and self[key] is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the "
                f"key '{key}' with value {value}, but it already contains {self[key]}"
            )
        super().__setitem__(key, value)


def wrapped(value: Any) -> Any:
    """A plain list, tuple or dict as the container that tracks its elements; anything else as it is."""
    if type(value) is list:
        return List(*value)
    if type(value) is dict:
        made = Dict()
        for key, item in value.items():
            made[key] = item
        return made
    if type(value) is tuple and any(is_trackable(wrapped(item)) for item in value):
        return Tuple(wrapped(item) for item in value)
    return value


def _is_layer(item: Any) -> bool:
    return hasattr(item, "trainable_weights") and hasattr(item, "add_weight")


def is_trackable(item: Any) -> bool:
    """Whether checkpoints of objects can hold an object."""
    if isinstance(item, type):
        return False
    return (
        isinstance(item, (Trackable, Variable, Optimizer))
        or _is_layer(item)
        or hasattr(item, "_checkpoint_dependencies")
    )


def dependencies_of(item: Any) -> list[TrackableReference]:
    """The dependencies of an object, by the names and in the order that 1.15 gives them."""
    if isinstance(item, Variable):
        return []
    if isinstance(item, Optimizer):
        # An optimizer serves several graphs; what it made in others is no part of this one.
        graph = get_default_graph()
        own = [(name, made) for (name, _), made in item._non_slot_dict.items() if made._graph_key is graph]
        found = [TrackableReference(name, made) for name, made in sorted(own, key=lambda pair: pair[0])]
        # One around another optimizer depends on that.
        return [*found, *item._checkpoint_dependencies] if isinstance(item, Trackable) else found
    if hasattr(item, "_checkpoint_dependencies"):
        return [TrackableReference(name, ref) for name, ref in item._checkpoint_dependencies]
    # A layer: its variables and the layers in it, in the order they became attributes.
    found = []
    containers = item.__dict__.setdefault("_tracked_containers", {})
    for name, value in list(vars(item).items()):
        if type(value) in (list, dict, tuple):
            # One container for each attribute, however often it is asked for; its elements are those of now.
            value = _refilled(containers, name, value)
        if not name.startswith("_") and is_trackable(value) and not (isinstance(value, _Container) and not value):
            found.append(TrackableReference(name, value))
    return found


def _refilled(containers: dict[str, Any], name: str, value: Any) -> Any:
    made = wrapped(value)
    kept = containers.setdefault(name, made)
    if isinstance(kept, List) and isinstance(made, List):
        kept[:] = made
    elif isinstance(kept, Dict) and isinstance(made, Dict):
        kept.clear()
        kept.update(made)
    elif kept != made:
        kept = containers[name] = made
    return kept


def saveables_of(item: Any) -> dict[str, Any]:
    """What of an object itself is saved, by attribute: of a variable its value."""
    if isinstance(item, Variable):
        return {VARIABLE_VALUE: item}
    gather = getattr(item, "_gather_saveables_for_checkpoint", None)
    return {} if gather is None else gather()
