"""`tf.Module`: an object that owns variables and modules, names its operations and can be saved."""

from __future__ import annotations

import re

from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.core.defaults import name_scope
from headrace.core.module import ModuleMembers

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])")
_IDENTIFIER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class Module(ModuleMembers, AutoTrackable):
    """The base of objects that own variables and modules.

    Args:
        name: a Python identifier; by default the class's name in lower case, words apart by underscores.

    Raises:
        ValueError: if the name is no identifier.

    Example:
        >>> class Dense(tf.Module):
        ...     def __init__(self, size):
        ...         super().__init__()
        ...         self.w = tf.Variable(tf.ones([size, size]))
        >>> [v.name for v in Dense(3).trainable_variables]
        ['Variable:0']
    """

    # Where the object is told of what it depends on: the same members as among its attributes.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_own_dependencies"})

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORD_STARTS.sub("_", type(self).__name__).lower()
        elif not _IDENTIFIER.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid class "
                "name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name."""
        return self._name
