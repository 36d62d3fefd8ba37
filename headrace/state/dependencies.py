"""What an object depends on, by name: checkpoints of objects save and find their contents along these names."""

from __future__ import annotations

import collections
from typing import Any

from headrace.state import restoring


class TrackableReference(collections.namedtuple("TrackableReference", ["name", "ref"])):
    """A dependency: an object and the name it has for the one that depends on it."""

    __slots__ = ()


class NamedDependencies:
    """An object whose dependencies are those it is told of."""

    @property
    def _dependencies(self) -> dict[str, Any]:
        return self.__dict__.setdefault("_own_dependencies", {})

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._dependencies.items()]

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Makes `trackable` a dependency named `name`; returns it.

        Raises:
            ValueError: if another has the name, unless `overwrite`.
        """
        there = self._dependencies.get(name)
        if there is not None and there is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        self._dependencies[name] = trackable
        restoring.changed()
        return trackable

    def _lookup_dependency(self, name: str) -> Any:
        return next((ref for known, ref in self._checkpoint_dependencies if known == name), None)
