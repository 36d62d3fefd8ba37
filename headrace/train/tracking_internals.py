"""What 1.x's tests of trackable objects import beside the objects themselves."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from headrace.train.checkpoint import _initializers
from headrace.train.object_graph import OBJECT_GRAPH_KEY, objects_below
from headrace.train.tracking import VARIABLE_VALUE, Dict, List, _Container

OBJECT_GRAPH_PROTO_KEY = OBJECT_GRAPH_KEY
VARIABLE_VALUE_KEY = VARIABLE_VALUE
OBJECT_CONFIG_JSON_KEY = "OBJECT_CONFIG_JSON"
TrackableDataStructure = _Container
ListWrapper = List
_DictWrapper = Dict


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


def gather_initializers(root_trackable: Any) -> list[Any]:
    """The operations that initialize an object and all it depends on."""
    return _initializers(objects_below(root_trackable).objects)
