"""What programs put in the place of names of internal modules, as tests do: it holds in the implementation too."""

from __future__ import annotations

from types import ModuleType
from typing import Any


class Replacements:
    """The names of implementation modules that hold another value for now."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], tuple[ModuleType, Any]] = {}
        # By the identity of what stands in; of functions and classes alone, since a number may be that of others.
        self._originals: dict[int, tuple[Any, Any]] = {}

    def put(self, path: str, name: str, value: Any, places: list[Any]) -> None:
        """Sets a name in the module behind an internal one.

        Args:
            path: the internal module's.
            name: the name in it.
            value: what it holds from now on.
            places: the modules that may lie behind it, the likely ones first. One without the name is passed over.
        """
        held = self._places.get((path, name))
        place = held[0] if held is not None else next((place for place in places if _holds(place, name)), None)
        if place is None:
            return
        present = place.__dict__[name]
        _, original = self._places.setdefault((path, name), (place, self.original(present)))
        self._originals.pop(id(present), None)
        if value is not original and callable(value):
            self._originals[id(value)] = value, original
        setattr(place, name, value)

    def undo(self, path: str, name: str) -> None:
        """Gives a name back what it held first."""
        if (path, name) in self._places:
            place, original = self._places.pop((path, name))
            self._originals.pop(id(place.__dict__[name]), None)
            setattr(place, name, original)

    def original(self, value: Any) -> Any:
        """What a value stands in for, or the value itself: other modules than the one it was put in go on with that."""
        held = self._originals.get(id(value))
        return value if held is None else held[1]


def _holds(place: Any, name: str) -> bool:
    """Whether a place is an implementation module, not a public one made of tables, and has a name."""
    return isinstance(place, ModuleType) and "__served__" not in place.__dict__ and name in place.__dict__
