"""Classes of the stand-alone package made from those of `tf.keras`: other defaults, arguments as Keras 1 spelled them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from headrace.keras.standalone.renames import Renames

_NOTHING = Renames()


@functools.cache
def _instance_checking(metaclass: type) -> type:
    """A metaclass whose classes take all instances of those they stand for as their own.

    Networks of `keras.applications` and models from files are of layers of `tf.keras`; programs ask them for
    `isinstance(layer, keras.layers.Conv2D)`.
    """

    class StandIn(metaclass):  # type: ignore[misc, valid-type]  # the metaclass is known when it runs
        def __instancecheck__(cls, instance: object) -> bool:
            stands_for = cls.__dict__.get("_stands_for")
            return type.__instancecheck__(cls if stands_for is None else stands_for, instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            stands_for = cls.__dict__.get("_stands_for")
            return type.__subclasscheck__(cls if stands_for is None else stands_for, subclass)

    return StandIn


def stand_in(
    base: type,
    renames: Renames | None = None,
    defaults: Mapping[str, object] | None = None,
    module: str = "keras.layers",
    members: Mapping[str, object] | None = None,
    within: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> type:
    """A subclass of a class of `tf.keras` that the stand-alone package has under the same name.

    Args:
        base: the class of `tf.keras`.
        renames: how Keras 1 called the arguments.
        defaults: arguments of other defaults.
        module: the public module it belongs to.
        members: further attributes.
        within: the context in which objects are made.
    """
    accepted = tuple(inspect.signature(base).parameters)
    renames, defaults = renames or _NOTHING, dict(defaults or {})

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self) is made or kwargs.keys() & renames.names.keys() or renames.prepare is not None:
            given, kwargs = renames.convert(base.__name__, args, kwargs, 2)
            args = tuple(given)
        for name, value in defaults.items():
            if name not in accepted[: len(args)]:
                kwargs.setdefault(name, value)
        with within():
            base.__init__(self, *args, **kwargs)  # type: ignore[misc]  # the class is known when it runs

    contents: dict[str, Any] = {"__module__": module, "__doc__": base.__doc__, "_stands_for": base, **(members or {})}
    if renames is not _NOTHING or defaults or within is not nullcontext:
        __init__.__doc__ = base.__init__.__doc__  # type: ignore[misc]  # the class is known when it runs
        __init__.__wrapped__ = base.__init__  # type: ignore[attr-defined, misc]  # `inspect` reads the arguments from it
        contents["__init__"] = __init__
    made: type = _instance_checking(type(base))(base.__name__, (base,), contents)
    return made
