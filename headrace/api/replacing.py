"""What programs put in the place of names of internal modules, as tests do: it holds in the implementation too.

1.x's modules find each other's functions in modules when they call them, so that a function put there is called by all of
them. Those here import functions by name: it is put in each that has the name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any


class Replacements:
    """The names of implementation modules that hold another value for now.

    Args:
        package: the package they belong to.
    """

    def __init__(self, package: str) -> None:
        self._inside = f"{package}."
        # By the internal module and the name, what it held at first, what it holds, and in which module; None for all.
        self._held: dict[tuple[str, str], tuple[Any, Any, ModuleType | None]] = {}

    def put(self, path: str, name: str, value: Any, places: list[Any]) -> None:
        """Sets a name in the modules behind an internal one.

        Args:
            path: the internal module's.
            name: the name in it.
            value: what it holds from now on.
            places: the modules that may lie behind it, the likely ones first. One without the name is passed over.
        """
        if (path, name) in self._held:
            original, present, only = self._held.pop((path, name))
        else:
            place = next((place for place in places if isinstance(place, ModuleType) and _holds(place, name)), None)
            if place is None:
                return
            present = place.__dict__[name]
            original = self.original(present)
            # Many modules may have the same number under one name, and mean it otherwise.
            only = None if callable(original) else place
        self._change(name, present, value, only)
        if value is not original:
            self._held[path, name] = original, value, only

    def undo(self, path: str, name: str) -> None:
        """Gives a name back what it held first."""
        if (path, name) in self._held:
            original, present, only = self._held.pop((path, name))
            self._change(name, present, original, only)

    def original(self, value: Any) -> Any:
        """What a value stands in for, or the value itself: other internal modules go on with that."""
        held = self._held.values()
        return next((first for first, present, only in held if present is value and only is None), value)

    def _change(self, name: str, present: Any, value: Any, only: ModuleType | None) -> None:
        """Sets a name in all modules that have it, those that were imported meanwhile among them."""
        for module in self._modules() if only is None else [only]:
            if _holds(module, name) and module.__dict__[name] is present:
                setattr(module, name, value)

    def _modules(self) -> Iterator[ModuleType]:
        return (module for key, module in list(sys.modules.items()) if key.startswith(self._inside))


def _holds(place: ModuleType, name: str) -> bool:
    """Whether a module is one of the implementation, not a public one made of tables, and has a name."""
    return "__served__" not in place.__dict__ and name in place.__dict__
