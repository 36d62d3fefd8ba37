"""What 1.x's tests of trackable objects import beside the objects themselves."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.containers import Container, wrapped
from headrace.checkpoints.load_status import initializers_of
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY, objects_below
from headrace.checkpoints.tracking import VARIABLE_VALUE
from headrace.core.dtypes import float32
from headrace.state.dependencies import NoDependency

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import InitializerLike


OBJECT_GRAPH_PROTO_KEY = OBJECT_GRAPH_KEY
VARIABLE_VALUE_KEY = VARIABLE_VALUE
OBJECT_CONFIG_JSON_KEY = "OBJECT_CONFIG_JSON"
TrackableDataStructure = Container


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A context in which attributes of an object are set as they are, and are no dependencies."""
    before = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = before


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method in which the attributes of its object are set as they are, and are no dependencies."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked


def cached_per_instance(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method without arguments that is called once for each object; the object itself is left as it is.

    Threads that ask at the same time, before there is an answer, each call it: a lock around what it does could be one of
    two that threads wait for.
    """
    found: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
    lock = threading.Lock()

    @functools.wraps(function)
    def cached(item: Any) -> Any:
        with lock:
            if item in found:
                return found[item]
        made = function(item)
        with lock:
            return found.setdefault(item, made)

    return cached


def add_variable(
    trackable: Any,
    name: str,
    shape: Any = None,
    dtype: DType = float32,
    initializer: InitializerLike | None = None,
    trainable: bool = True,
) -> Any:
    """Makes a variable that is a dependency of `trackable`."""
    return trackable._add_variable_with_custom_getter(
        name=name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable
    )


def wrap_or_unwrap(value: Any) -> Any:
    """A list, tuple or dict as the container that tracks its elements; what a `NoDependency` holds."""
    return value.value if isinstance(value, NoDependency) else wrapped(value)


def delete_tracking(obj: Any, name: str) -> None:
    """Makes an attribute of an object no dependency any more."""
    obj._dependencies.pop(name, None)


def gather_initializers(root_trackable: Any) -> list[Any]:
    """The operations that initialize an object and all it depends on."""
    return initializers_of(objects_below(root_trackable).objects)
