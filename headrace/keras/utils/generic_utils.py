"""Objects as names and settings and back, and small helpers on arguments, lists and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.keras.utils.progress import Progbar as Progbar
from headrace.keras.utils.stored_code import allow_code_in_models as allow_code_in_models
from headrace.keras.utils.stored_code import func_dump as func_dump
from headrace.keras.utils.stored_code import func_load as func_load
from headrace.keras.utils.stored_settings import faults_of_settings
from headrace.layers.context import to_snake_case as to_snake_case
from headrace.util.decorators import unwrap

if TYPE_CHECKING:
    Objects = Mapping[str, Any]

_GLOBAL_CUSTOM_OBJECTS: dict[str, Any] = {}


class CustomObjectScope:
    """A context in which names of classes and functions stand for the program's own.

    Args:
        *args: dictionaries of name to object.

    Example:
        >>> class Scaled(tf.keras.layers.Layer):
        ...     def call(self, inputs):
        ...         return 2.0 * inputs
        >>> with tf.keras.utils.CustomObjectScope({"Scaled": Scaled}):
        ...     layer = tf.keras.layers.deserialize({"class_name": "Scaled", "config": {}})
    """

    def __init__(self, *args: Objects) -> None:
        self.custom_objects = args
        self.backup: dict[str, Any] = {}

    def __enter__(self) -> CustomObjectScope:
        self.backup = _GLOBAL_CUSTOM_OBJECTS.copy()
        for objects in self.custom_objects:
            _GLOBAL_CUSTOM_OBJECTS.update(objects)
        return self

    def __exit__(self, *args: object, **kwargs: object) -> None:
        _GLOBAL_CUSTOM_OBJECTS.clear()
        _GLOBAL_CUSTOM_OBJECTS.update(self.backup)


def custom_object_scope(*args: Objects) -> CustomObjectScope:
    """A context in which names of classes and functions stand for the program's own.

    Args:
        *args: dictionaries of name to object.

    Example:
        >>> with tf.keras.utils.custom_object_scope({"swish": tf.nn.swish}):
        ...     layer = tf.keras.layers.Dense(3, activation="swish")
    """
    return CustomObjectScope(*args)


def get_custom_objects() -> dict[str, Any]:
    """The dictionary of the program's own classes and functions by name; adding to it makes them known.

    Example:
        >>> tf.keras.utils.get_custom_objects()["swish"] = tf.nn.swish
        >>> layer = tf.keras.layers.Dense(3, activation="swish")
        >>> del tf.keras.utils.get_custom_objects()["swish"]
    """
    return _GLOBAL_CUSTOM_OBJECTS


def serialize_keras_class_and_config(cls_name: str, cls_config: Any) -> dict[str, Any]:
    """What stands for an object in settings: the name of its class and its own settings."""
    return {"class_name": cls_name, "config": cls_config}


def serialize_keras_object(instance: Any) -> Any:
    """What stands for an object in settings.

    Args:
        instance: None, an object with `get_config`, or a function or class.

    Returns:
        None, a dictionary of its class and settings, or its name.

    Raises:
        ValueError: for other objects.
    """
    if instance is None:
        return None
    instance = unwrap(instance)[1]
    if hasattr(instance, "get_config"):
        return serialize_keras_class_and_config(type(instance).__name__, instance.get_config())
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def _find(name: str, own: Objects | None, objects: Objects | None) -> Any:
    """The object of a name: one that was given, else the program's own, else one of Keras'; None if there is none."""
    if own and name in own:
        return own[name]
    if name in _GLOBAL_CUSTOM_OBJECTS:
        return _GLOBAL_CUSTOM_OBJECTS[name]
    return None if objects is None else objects.get(name)


def class_and_config_for_serialized_keras_object(
    config: Any,
    module_objects: Objects | None = None,
    custom_objects: Objects | None = None,
    printable_module_name: str = "object",
) -> tuple[Any, Any]:
    """The class and the settings that a dictionary of `serialize_keras_object` names.

    Raises:
        ValueError: if it is not such a dictionary or nothing has the name.
    """
    if not isinstance(config, dict) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    if not isinstance(name, str):
        raise ValueError(f"Improper config format: the class_name of a {printable_module_name} is {name!r}, no text.")
    found = _find(name, custom_objects, module_objects)
    if found is None:
        raise ValueError(f"Unknown {printable_module_name}: {name}")
    return found, config["config"]


def deserialize_keras_object(
    identifier: Any,
    module_objects: Objects | None = None,
    custom_objects: Objects | None = None,
    printable_module_name: str = "object",
) -> Any:
    """The object that a name or a dictionary of settings stands for.

    Args:
        identifier: what `serialize_keras_object` gave.
        module_objects: Keras' objects of the kind by name.
        custom_objects: further ones, which come first.
        printable_module_name: what the kind is called in errors.

    Raises:
        ValueError: if nothing has the name, or the dictionary has another form.
        TypeError: if `identifier` is neither.
    """
    if identifier is None:
        return None
    if not custom_objects:
        custom_objects = None
    if custom_objects is not None and not hasattr(custom_objects, "items"):
        # In 1.15 a name is looked for in it first.
        raise (AttributeError if hasattr(custom_objects, "__contains__") else TypeError)(
            f"{type(custom_objects).__name__!r} object has no attribute 'items': `custom_objects` is a dictionary of classes "
            f"and functions by name, got {custom_objects!r}"
        )
    if isinstance(identifier, dict):
        found, config = class_and_config_for_serialized_keras_object(
            identifier, module_objects, custom_objects, printable_module_name
        )
        with faults_of_settings(f"the {printable_module_name} {identifier['class_name']!r}"):
            return _from_settings(found, config, custom_objects)
    if isinstance(identifier, str):
        found = _find(identifier, custom_objects, module_objects)
        if found is None:
            raise ValueError(f"Unknown {printable_module_name}:{identifier}")
        # Classes are meant as objects of them with default arguments; functions as themselves.
        return found() if inspect.isclass(found) else found
    raise TypeError(f"Could not interpret serialized {printable_module_name}: {identifier}")


def _from_settings(found: Any, config: Any, custom_objects: Objects | None) -> Any:
    if hasattr(found, "from_config"):
        if custom_objects is not None and has_arg(found.from_config, "custom_objects"):
            everything = {**_GLOBAL_CUSTOM_OBJECTS, **custom_objects}
            return found.from_config(config, custom_objects=everything)
        if custom_objects is None:
            return found.from_config(config)
        with CustomObjectScope(custom_objects):
            return found.from_config(config)
    if custom_objects is None:
        return found(**config)
    with CustomObjectScope(custom_objects):
        return found(**config)


def has_arg(fn: Callable[..., Any], name: str, accept_all: bool = False) -> bool:
    """Whether a function has an argument of this name.

    Args:
        fn: the function.
        name: that of the argument.
        accept_all: whether `**kwargs` counts.
    """
    spec = inspect.getfullargspec(unwrap(fn)[1])
    if accept_all and spec.varkw is not None:
        return True
    return name in spec.args or name in spec.kwonlyargs


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """The begin and end of each batch of `size` samples."""
    return [
        (start, min(size, start + batch_size))
        for start in range(0, int(np.ceil(size / batch_size)) * batch_size, batch_size)
    ]


def slice_arrays(arrays: Any, start: Any = None, stop: int | None = None) -> Any:
    """A part of an array, or of each array of a list.

    Args:
        arrays: an array, or a list of arrays and Nones.
        start: where the part begins, or the list of the rows to take.
        stop: where it ends; None if `start` is a list.

    Raises:
        ValueError: if `stop` is given besides a list of rows.
    """
    if arrays is None:
        return [None]
    if isinstance(start, list) and stop is not None:
        raise ValueError("The stop argument has to be None if the value of start is a list.")
    rows = start
    if hasattr(start, "__len__"):
        # HDF5 data sets take no arrays as indices.
        rows = start.tolist() if hasattr(start, "shape") else start
    if isinstance(arrays, list):
        if hasattr(start, "__len__"):
            return [None if x is None else x[rows] for x in arrays]
        return [None if x is None else None if not hasattr(x, "__getitem__") else x[start:stop] for x in arrays]
    if hasattr(start, "__len__"):
        return arrays[rows]
    # As in 1.15, which cuts lists of arrays only.
    return [None]


def to_list(x: Any) -> list[Any]:
    """`x` if it is a list, else a list of it."""
    return x if isinstance(x, list) else [x]


def unpack_singleton(x: Any) -> Any:
    """The element of a sequence of one; else the sequence."""
    return x[0] if len(x) == 1 else x


def object_list_uid(object_list: Any) -> str:
    """A string that tells lists of objects apart."""
    return ", ".join(str(abs(id(x))) for x in nest.flatten(object_list))


def is_all_none(structure: Any) -> bool:
    """Whether a structure holds nothing but None."""
    return all(element is None for element in nest.flatten(structure))


def check_for_unexpected_keys(name: str, input_dict: Mapping[str, object], expected_values: Sequence[str]) -> None:
    """Checks the keys of a dictionary.

    Raises:
        ValueError: if there are others than the expected ones.
    """
    unknown = set(input_dict).difference(expected_values)
    if unknown:
        raise ValueError(
            f"Unknown entries in {name} dictionary: {list(unknown)}. "
            f"Only expected following keys: {list(expected_values)}"
        )


def validate_kwargs(
    kwargs: Mapping[str, object],
    allowed_kwargs: Container[str],
    error_message: str = "Keyword argument not understood:",
) -> None:
    """Checks the names of keyword arguments.

    Raises:
        TypeError: for others than the allowed ones.
    """
    for name in kwargs:
        if name not in allowed_kwargs:
            raise TypeError(error_message, name)
