"""Objects whose attributes are their dependencies."""

from __future__ import annotations

from typing import Any

from headrace.checkpoints.containers import wrapped
from headrace.checkpoints.tracking import Trackable, is_trackable
from headrace.state import restoring
from headrace.state.dependencies import NoDependency


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
