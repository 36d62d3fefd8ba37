"""Lists, tuples and dicts whose elements are their dependencies."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

from headrace.checkpoints.layer_weights import gather_non_trainable_weights, gather_trainable_weights, has_weights
from headrace.checkpoints.tracking import Trackable, is_layer, is_trackable
from headrace.state import restoring
from headrace.state.dependencies import NamedDependencies, NoDependency, TrackableReference
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from typing_extensions import Self

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
        """The variables of the elements: those that are trained, then the others."""
        return [*self.trainable_variables, *self.non_trainable_variables]

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that are trained."""
        return gather_trainable_weights(self._trainable, self._elements_with_weights(), self._own_variables())

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those that are not trained."""
        return gather_non_trainable_weights(self._trainable, self._elements_with_weights(), self._own_variables())

    non_trainable_weights = non_trainable_variables

    @property
    def trainable(self) -> bool:
        """Whether variables of its elements are told to be trained; the elements themselves stay as they are."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value

    _trainable = True

    @property
    def losses(self) -> list[Any]:
        """The losses of its layers."""
        return [loss for layer in self.layers for loss in layer.losses]

    @property
    def updates(self) -> list[Any]:
        """The updates of its layers."""
        return [update for layer in self.layers for update in layer.updates]

    @property
    def _values(self) -> list[Any]:
        """The elements, without their names."""
        return [item for _, item in self._named()]

    @property
    def layers(self) -> list[Any]:
        """The layers among the elements, and those in containers among them."""
        found: list[Any] = []
        for item in self._values:
            found += item.layers if isinstance(item, Container) else [item] if is_layer(item) else []
        return found

    def _elements_with_weights(self) -> list[Any]:
        """The layers and containers among the elements, as often as they are there."""
        return [item for item in self._values if isinstance(item, Container) or is_layer(item) or has_weights(item)]

    def _own_variables(self) -> list[Any]:
        return [item for item in self._values if isinstance(item, Variable)]


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
    """A list whose elements are dependencies named by their places; elements can be added, and stay.

    Args:
        items: the elements.

    Raises:
        ValueError: if one is nothing that checkpoints could hold.
    """

    def __init__(self, items: Iterable[Any] = ()) -> None:
        list.__init__(self, (self._element(item) for item in items))

    def _element(self, value: Any) -> DictWrapper | Variable:
        return _tracked(value)

    def append(self, value: Any) -> None:
        """Adds an element."""
        list.append(self, self._element(value))
        restoring.changed()

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements."""
        list.extend(self, [self._element(value) for value in values])
        restoring.changed()

    def __iadd__(self, values: Iterable[Any]) -> Self:  # type: ignore[misc, override]  # a list's own takes lists only
        self.extend(values)
        return self

    def __add__(self, other: Iterable[Any]) -> Self:  # type: ignore[override]  # the sum is of its own kind
        return type(self)([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> Self:
        return type(self)([*other, *self])

    def __mul__(self, count: SupportsIndex) -> Self:
        return type(self)(list.__mul__(self, count))

    __rmul__ = __mul__  # type: ignore[assignment]  # as above

    def __imul__(self, count: SupportsIndex) -> Self:
        self.extend(list.__mul__(self, operator.index(count) - 1) if operator.index(count) > 0 else ())
        return self

    def __copy__(self) -> Self:
        return type(self)(self)

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))

    def __repr__(self) -> str:
        return f"List({list.__repr__(self)})"

    def __hash__(self) -> int:  # type: ignore[override]  # by identity, though it is a container
        return id(self)


def _refused(kind: type, method: str) -> None:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{type(self).__name__}.{method} is not supported: checkpoints name its elements, which therefore stay. Use a "
            "plain list or dict as an attribute where elements come and go."
        )

    refuse.__name__ = method
    refuse.__doc__ = "Not supported: the elements stay."
    setattr(kind, method, refuse)


for _method in ("__setitem__", "__delitem__", "clear", "insert", "pop", "remove", "reverse", "sort"):
    _refused(List, _method)


class ListWrapper(List):
    """A list that was assigned to an attribute: it takes any element, and is saved if elements have only been added.

    It is the program's own list by another name: what is done to either is seen by both.

    Args:
        wrapped_list: the list; a copy is kept of what is none.
    """

    # Whether elements have changed their places, which are their names.
    _moved = False
    # Whether the list was changed by its other name before this one added to it.
    _changed_outside = False

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._untracked: list[Any] = []
        self._storage: list[Any] = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        self._storage[:] = [self._element(item) for item in self._storage]
        # As a list of its own, this object is what it knows of the storage: what differs was changed by the other name.
        list.__init__(self, self._storage)

    def replace(self, items: Iterable[Any]) -> None:
        """Takes other elements, whatever they were before."""
        self._storage[:] = items
        self._take_note()

    def _take_note(self) -> None:
        list.__init__(self, self._storage)

    def _element(self, value: Any) -> Any:
        if isinstance(value, NoDependency):
            self._untracked.append(value.value)
            return value.value
        return wrapped(value)

    def append(self, value: Any) -> None:
        """Adds an element."""
        self.extend((value,))

    def extend(self, values: Iterable[Any]) -> None:
        """Adds elements."""
        self._changed_outside = self._changed_outside or len(self._storage) != list.__len__(self)
        added = [self._element(value) for value in values]
        self._storage.extend(added)
        list.extend(self, added)
        restoring.changed()

    def __mul__(self, count: SupportsIndex) -> Self:
        return type(self)(self._storage * count)

    __rmul__ = __mul__  # type: ignore[assignment]  # as of lists

    def __imul__(self, count: SupportsIndex) -> Self:
        self.extend(self._storage * (operator.index(count) - 1))
        return self

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
        known = [*list.__iter__(self)]
        if self._changed_outside or [*map(id, self._storage)] != [*map(id, known)]:
            raise ValueError(
                f"Unable to save the object {self!r}. The wrapped list was modified outside the wrapper (its final value was "
                f"{self._storage}, its value when it was known last {known}): change the attribute instead."
            )
        return super()._checkpoint_dependencies

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._moved = self._moved or any(is_trackable(item) for item in self[key])
            self._storage[key] = [wrapped(item) for item in value]
        else:
            value = wrapped(value)
            self._moved = self._moved or is_trackable(self[key]) or is_trackable(value)
            self._storage[key] = value
        self._take_note()
        restoring.changed()

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    def __reduce__(self) -> Any:
        return ListWrapper, (list(self._storage),), {"_moved": self._moved}


def _of_storage(kind: type, methods: str) -> None:
    """Gives wrappers the methods of what they wrap that change nothing."""
    for method in methods.split():

        def run(self: Any, *args: Any, _method: str = method) -> Any:
            return getattr(self._storage, _method)(*args)

        run.__name__ = method
        setattr(kind, method, run)


def _changing_storage(kind: type, methods: str, moves: bool) -> None:
    """Gives wrappers the methods of what they wrap that change it."""
    for method in methods.split():

        def run(self: Any, *args: Any, _method: str = method, **kwargs: Any) -> Any:
            if moves:
                self._moved = True
            result = getattr(self._storage, _method)(*args, **kwargs)
            self._take_note()
            return result

        run.__name__ = method
        setattr(kind, method, run)


_COMPARING = "__eq__ __ne__ __lt__ __le__ __gt__ __ge__"
_of_storage(ListWrapper, f"__len__ __iter__ __getitem__ __contains__ __reversed__ index count copy {_COMPARING}")
_changing_storage(ListWrapper, "__delitem__ clear insert pop remove reverse sort", moves=True)


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
                        f"Unable to save the object {self}: it has a non-string key {key!r} for a value that checkpoints hold, "
                        "and these name values by keys."
                    )
                yield key, item

    @property
    def _values(self) -> list[Any]:
        """The values, in the order of their keys; these need not be strings where nothing is saved."""
        return [self[key] for key in sorted(self, key=str)]

    def __hash__(self) -> int:  # type: ignore[override]  # by identity, though it is a container
        return id(self)


class DictWrapper(Dict):
    """A dict that was assigned to an attribute; as `ListWrapper`, the program's own by another name.

    Args:
        wrapped_dict: the dict.
    """

    def __init__(self, wrapped_dict: dict[Any, Any] | None = None) -> None:
        self._storage: dict[Any, Any] = {} if wrapped_dict is None else wrapped_dict
        for key, item in self._storage.items():
            self._storage[key] = wrapped(item)
        self._take_note()

    def replace(self, items: dict[Any, Any]) -> None:
        """Takes other items, whatever they were before."""
        self._storage.clear()
        self._storage.update(items)
        self._take_note()

    def _take_note(self) -> None:
        dict.clear(self)
        dict.update(self, self._storage)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        known = {key: dict.__getitem__(self, key) for key in dict.__iter__(self)}
        if {key: id(item) for key, item in self._storage.items()} != {key: id(item) for key, item in known.items()}:
            raise ValueError(
                f"Unable to save the object {self} (a dictionary wrapper constructed automatically on attribute assignment). "
                f"The wrapped dictionary was modified outside the wrapper (its final value was {self._storage}, its value "
                f"when it was known last {known}): change the attribute instead."
            )
        return super()._checkpoint_dependencies

    def __setitem__(self, key: Any, value: Any) -> None:
        value = wrapped(value)
        self._storage[key] = value
        dict.__setitem__(self, key, value)
        restoring.changed()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets items."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The item of a key, which is set where there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def __copy__(self) -> DictWrapper:
        return DictWrapper(dict(self))

    def __reduce__(self) -> Any:
        return DictWrapper, (dict(self),)

    def __str__(self) -> str:
        return repr(self._storage)

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"


_of_storage(
    DictWrapper, "__len__ __iter__ __getitem__ __contains__ __reversed__ __eq__ __ne__ keys values items get copy"
)
_changing_storage(DictWrapper, "__delitem__ clear pop popitem", moves=False)
# The name that programs are told in 1.15.
DictWrapper.__name__ = "_DictWrapper"


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
        super().__setitem__(key, _tracked(value))  # type: ignore[arg-type]  # it says itself what it takes

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Sets items."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __repr__(self) -> str:
        return f"Mapping({dict.__repr__(self)})"


for _method in ("__delitem__", "clear", "pop", "popitem"):
    _refused(Mapping, _method)


def wrapped(value: object) -> Any:
    """A plain list, tuple or dict as the container that tracks its elements; anything else as it is."""
    if type(value) is list:
        return ListWrapper(value)
    if type(value) is dict:
        return DictWrapper(value)
    if type(value) is tuple and any(is_trackable(wrapped(item)) for item in value):
        return Tuple(wrapped(item) for item in value)
    return value
