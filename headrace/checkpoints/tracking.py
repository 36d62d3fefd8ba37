"""Objects that depend on one another by name: what checkpoints of objects save, rather than names of variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import as_dtype, float32
from headrace.core.shapes import TensorShape
from headrace.state import restoring
from headrace.state.dependencies import NamedDependencies, SlotOwner, TrackableReference
from headrace.state.initializers import glorot_uniform_initializer, zeros_initializer
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import InitializerLike, TensorLike


VARIABLE_VALUE = "VARIABLE_VALUE"


class Trackable(NamedDependencies):
    """An object with dependencies; see `AutoTrackable` for one that finds them itself."""

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
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
        return super()._track_trackable(trackable, name, overwrite)

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: DType = float32,
        initializer: InitializerLike | None = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable that becomes a dependency named `name`; returns it.

        Args:
            name: its name, and that of the dependency.
            shape, dtype: its shape and type.
            initializer: what makes its value; of default kind where None.
            getter: what makes the variable, called with all that; `tf.Variable` by default.
            overwrite: whether it may take the name of another dependency.
            kwargs: more for `getter`.

        Raises:
            ValueError: if another dependency has the name, unless `overwrite`.
        """
        if not overwrite and self._lookup_dependency(name) is not None:
            raise ValueError(
                f"A variable named '{name}' already exists in this Trackable, but Trackable._add_variable called to create "
                "another with that name. Variable names must be unique within a Trackable object."
            )
        getter = _plain_variable if getter is None else getter
        made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs)
        return self._track_trackable(made, name, overwrite) if is_trackable(made) else made

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Lets checkpoints that wait for objects look again; called when `trackable` has become reachable."""
        restoring.changed()

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {}


def _plain_variable(
    name: str,
    shape: Any = None,
    dtype: DType = float32,
    initializer: InitializerLike | None = None,
    trainable: bool = True,
    **kwargs: Any,
) -> Any:
    dtype = as_dtype(dtype)
    if initializer is None:
        initializer = glorot_uniform_initializer() if dtype.is_floating else zeros_initializer()
    sizes = TensorShape(shape).as_list()
    return Variable(
        initial_value=(lambda: initializer(sizes, dtype=dtype)) if callable(initializer) else initializer,
        name=name,
        dtype=dtype,
        trainable=trainable,
        use_resource=True,
        **kwargs,
    )


class NoDependency:
    """Marks a value that is assigned to an attribute and not to be tracked.

    Args:
        value: the value, which becomes the attribute.
    """

    def __init__(self, value: TensorLike) -> None:
        self.value = value


class AutoTrackable(Trackable):
    """An object whose attributes are its dependencies: variables, optimizers, layers, other such objects, and lists,
    tuples and dicts of them.

    Example:
        >>> class Net(tf.contrib.checkpoint.Checkpointable):
        ...     def __init__(self):
        ...         self.weights = tf.get_variable("w", [3])
    """

    def __setattr__(self, name: str, value: object) -> None:
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
            found += item.layers if isinstance(item, _Container) else [item] if _is_layer(item) else []
        return found

    def _of_elements(self, kind: str, predicate: Callable[[Any], bool]) -> list[Any]:
        found: dict[int, Any] = {}
        for _, item in self._named():
            if isinstance(item, Variable):
                own = [item] if predicate(item) else []
            else:
                own = getattr(item, kind, []) if isinstance(item, _Container) or _is_layer(item) else []
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


class List(_Container, list):
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
        super().__init__(*wrapped_list)

    def _element(self, value: Any) -> _DictWrapper | Variable:
        return wrapped(value)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        if self._moved:
            raise ValueError(
                f"Unable to save the object {self!r} (a list wrapper constructed to track trackable TensorFlow objects). A "
                "list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or moved "
                "(sort). To keep lists of such objects from being saved, assign them as NoDependency([...])."
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


class Tuple(_Container, tuple):
    """A tuple whose elements are dependencies named by their places."""

    def _named(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), item) for i, item in enumerate(self))


class Dict(_Container, dict):
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


def _is_layer(item: object) -> bool:
    # Asked of the class: a model that has no weights yet refuses to tell them.
    return hasattr(type(item), "trainable_weights") and hasattr(type(item), "add_weight")


def is_trackable(item: object) -> bool:
    """Whether checkpoints of objects can hold an object."""
    if isinstance(item, type):
        return False
    return (
        isinstance(item, (Trackable, Variable, SlotOwner))
        or _is_layer(item)
        or hasattr(item, "_checkpoint_dependencies")
    )


def dependencies_of(item: object) -> list[TrackableReference]:
    """The dependencies of an object, by the names and in the order that 1.15 gives them."""
    if isinstance(item, Variable):
        return []
    if hasattr(item, "_checkpoint_dependencies"):
        return [TrackableReference(name, ref) for name, ref in item._checkpoint_dependencies]
    return dependencies_of_layer(item)


def dependencies_of_layer(item: object) -> list[TrackableReference]:
    """The variables of a layer and the layers in it, by the names of attributes and in the order they became such."""
    # Its variables and the layers in it, in the order they became attributes.
    found: list[TrackableReference] = []
    containers = item.__dict__.setdefault("_tracked_containers", {})
    # Weights by the names they were made under, each before the attributes that it is.
    weights = {id(made): (name, made) for name, made in item.__dict__.get("_named_weights", {}).items()}
    for name, value in list(vars(item).items()):
        if type(value) in (list, dict, tuple):
            # One container for each attribute, however often it is asked for; its elements are those of now.
            value = _refilled(containers, name, value)
        made_as = weights.pop(id(value), None)
        if made_as is not None and made_as[0] != name and is_trackable(value):
            found.append(TrackableReference(*made_as))
        if not name.startswith("_") and is_trackable(value) and not (isinstance(value, _Container) and not value):
            found.append(TrackableReference(name, value))
    taken = {name for name, _ in found}
    found += [
        TrackableReference(name, made) for name, made in weights.values() if name not in taken and is_trackable(made)
    ]
    return found


def _refilled(containers: dict[str, Any], name: str, value: Any) -> Any:
    made = wrapped(value)
    kept = containers.setdefault(name, made)
    if isinstance(kept, List) and isinstance(made, List):
        # The layer's own list is what says which elements there are now.
        list.__setitem__(kept, slice(None), made)
    elif isinstance(kept, Dict) and isinstance(made, Dict):
        kept.clear()
        kept.update(made)
    elif kept != made:
        kept = containers[name] = made
    return kept


def saveables_of(item: object) -> dict[str, Any]:
    """What of an object itself is saved, by attribute: of a variable its value."""
    if isinstance(item, Variable):
        return {VARIABLE_VALUE: item}
    gather = getattr(item, "_gather_saveables_for_checkpoint", None)
    return {} if gather is None else gather()
