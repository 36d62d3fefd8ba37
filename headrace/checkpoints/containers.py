"""Lists, tuples and dicts whose elements are their dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable, is_layer, is_trackable
from headrace.state import restoring
from headrace.state.dependencies import NamedDependencies, NoDependency, TrackableReference
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Container(Trackable):
    """A container whose elements are its dependencies, as they are when it is saved."""

    def _named(self) -> Iterable[tuple[str, Any]]:
        raise NotImplementedError

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, item) for name, item in self._named() if is_trackable(item)]

    @property
    def variables(self) -> list[Any]:
        """The variables of the elements."""
        return self._of_elements("variables", lambda variable: True)

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that are trained."""
        return self._of_elements("trainable_variables", lambda variable: variable.trainable)

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those that are not trained."""
        return self._of_elements("non_trainable_variables", lambda variable: not variable.trainable)

    non_trainable_weights = non_trainable_variables

    @property
    def layers(self) -> list[Any]:
        """The layers among the elements, and those in containers among them."""
        found: list[Any] = []
        for _, item in self._named():
            found += item.layers if isinstance(item, Container) else [item] if is_layer(item) else []
        return found

    def _of_elements(self, kind: str, predicate: Callable[[Any], bool]) -> list[Any]:
        found: dict[int, Any] = {}
        for _, item in self._named():
            if isinstance(item, Variable):
                own = [item] if predicate(item) else []
            else:
                own = getattr(item, kind, []) if isinstance(item, Container) or is_layer(item) else []
            found.update((id(variable), variable) for variable in own)
        return list(found.values())


class UntrackableError(ValueError):
    """An element of a container is nothing that checkpoints could hold."""


def _tracked(value: Variable) -> Variable:
    value = wrapped(value)
    if not is_trackable(value):
        raise UntrackableError(
            "Only trackable objects (such as Layers or Optimizers) may be stored in a List object. Got "
            f"{value}, which does not inherit from Trackable."
        )
    return value


class List(Container, list):
    """A list whose elements are dependencies named by their places.

    Args:
        items: the elements.

    Raises:
        ValueError: if one is nothing that checkpoints could hold.
    """

    def __init__(self, *items: Any) -> None:
        list.__init__(self, (self._element(item) for item in items))

    def _element(self, value: Any) -> _DictWrapper | Variable:
        return _tracked(value)

    def append(self, value: Any) -> None:
        """Adds an element."""
        list.append(self, self._element(value))
        restoring.changed()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements."""
        list.extend(self, [self._element(value) for value in values])
        restoring.changed()

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))

    def __hash__(self) -> int:  # type: ignore[override]  # by identity, though it is a container
        return id(self)


class ListWrapper(List):
    """A list that was assigned to an attribute: it takes any element, and is saved if elements have only been added."""

    # Whether elements have changed their places, which are their names.
    _moved = False

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._untracked: list[Any] = []
        self._original, self._original_items = wrapped_list, list(wrapped_list)
        super().__init__(*self._original_items)

    def _element(self, value: Any) -> Any:
        if isinstance(value, NoDependency):
            self._untracked.append(value.value)
            return value.value
        return wrapped(value)

    def _named(self) -> Iterator[tuple[str, Any]]:
        passed = {id(item) for item in self._untracked}
        return ((name, item) for name, item in super()._named() if id(item) not in passed)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        if self._moved:
            raise ValueError(
                f"Unable to save the object {self!r} (a list wrapper constructed to track trackable TensorFlow objects). A "
                "list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or moved "
                "(sort). To keep lists of such objects from being saved, assign them as NoDependency([...])."
            )
        now = self._original
        if (
            isinstance(now, list)
            and not isinstance(now, ListWrapper)
            and [*map(id, now)] != [*map(id, self._original_items)]
        ):
            raise ValueError(
                f"Unable to save the object {self!r}. The wrapped list was modified outside the wrapper (its final value was "
                f"{now}, its value when it was assigned {self._original_items}): change the attribute instead."
            )
        return super()._checkpoint_dependencies

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._moved = self._moved or any(is_trackable(item) for item in self[key])
            list.__setitem__(self, key, [wrapped(item) for item in value])
        else:
            value = wrapped(value)
            self._moved = self._moved or is_trackable(self[key]) or is_trackable(value)
            list.__setitem__(self, key, value)
        restoring.changed()

    def __repr__(self) -> str:
        return f"ListWrapper({list.__repr__(self)})"


def _moving(method: str) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._moved = True
        return getattr(list, method)(self, *args, **kwargs)

    run.__name__, run.__doc__ = method, getattr(list, method).__doc__
    return run


for _method in ("__delitem__", "clear", "insert", "pop", "remove", "reverse", "sort"):
    setattr(ListWrapper, _method, _moving(_method))


class Tuple(Container, tuple):
    """A tuple whose elements are dependencies named by their places."""

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))


class Dict(Container, dict):
    """A dict whose values are dependencies named by their keys."""

    def __setitem__(self, key: str, value: TensorLike | NamedDependencies) -> None:
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

    def __hash__(self) -> int:  # type: ignore[override]  # by identity, though it is a container
        return id(self)


class _DictWrapper(Dict):
    """A dict that was assigned to an attribute."""


class Mapping(Dict):
    """A dict of dependencies whose keys are strings and whose values stay.

    Args:
        args, kwargs: as of `dict`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        dict.__init__(self)
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __setitem__(self, key: str, value: TensorLike | NamedDependencies) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Mapping accepts only string keys, but got a key {key!r}.")
        if key in self and self[key] is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the "
                f"key '{key}' with value {value}, but it already contains {self[key]}"
            )
        super().__setitem__(key, value)


def wrapped(value: object) -> Any:
    """A plain list, tuple or dict as the container that tracks its elements; anything else as it is."""
    if type(value) is list:
        return ListWrapper(value)
    if type(value) is dict:
        made = _DictWrapper()
        for key, item in value.items():
            made[key] = item
        return made
    if type(value) is tuple and any(is_trackable(wrapped(item)) for item in value):
        return Tuple(wrapped(item) for item in value)
    return value
