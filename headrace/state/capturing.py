"""Variables made by names in a block of code, as dependencies of an object."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.state.variable_class import Variable


class _Open(threading.local):
    def __init__(self) -> None:
        # The objects whose blocks are open, the outermost first, with the names of their scopes.
        self.templates: list[tuple[Any, str]] = []


_open = _Open()


@contextlib.contextmanager
def capture_dependencies(template: Any) -> Iterator[None]:
    """Makes the variables of a block of code dependencies of an object, by their names below its variable scope.

    For code that knows of names of variables only. Where such blocks are nested, the outer object depends on the inner
    one, and that on the variables.

    Args:
        template: an object with dependencies, such as a `tf.contrib.checkpoint.Checkpointable`, and an attribute
            `variable_scope`, which is to be open.

    Example:
        >>> class Net(tf.contrib.checkpoint.Checkpointable):
        ...     def __init__(self):
        ...         with tf.variable_scope("net") as self.variable_scope:
        ...             with tf.contrib.checkpoint.capture_dependencies(template=self):
        ...                 self.weights = tf.get_variable("weights", [3])  # saved as net/weights
    """
    entry = (template, template.variable_scope.name)

    def tracked(next_creator: Callable[..., Any], **kwargs: Any) -> Variable:
        variable = next_creator(**kwargs)
        name = kwargs.get("name")
        # The innermost block sees to all of them.
        if name is not None and _open.templates[-1] is entry:
            item, place = variable, name
            for owner, prefix in reversed(_open.templates):
                if name.startswith(prefix):
                    owner._track_trackable(item, place[len(prefix) + 1 :], overwrite=True)
                    item, place = owner, prefix
        return variable

    _open.templates.append(entry)
    try:
        with variable_creator_scope(tracked):
            yield
    finally:
        _open.templates.remove(entry)
