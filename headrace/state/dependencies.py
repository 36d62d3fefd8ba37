"""What an object depends on, by name: checkpoints of objects save and find their contents along these names."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

from headrace.state import restoring

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class TrackableReference(collections.namedtuple("TrackableReference", ["name", "ref"])):
    """A dependency: an object and the name it has for the one that depends on it."""

    __slots__ = ()


class NoDependency:
    """Marks a value that is assigned to an attribute and not to be tracked.

    Args:
        value: the value, which becomes the attribute.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


class NamedDependencies:
    """An object whose dependencies are those it is told of."""

    @property
    def _dependencies(self) -> dict[str, Any]:
        return self.__dict__.setdefault("_own_dependencies", {})

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, ref) for name, ref in self._dependencies.items()]

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
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

    def _lookup_dependency(self, name: str) -> NamedDependencies | None:
        return next((ref for known, ref in self._checkpoint_dependencies if known == name), None)

    # ---- what classes of programs call or set, as 1.15's base class has it ----

    def _maybe_initialize_trackable(self) -> None:
        """Makes what dependencies are kept in, for classes that do not call their base's constructor; it is made anyway."""
        self._dependencies  # noqa: B018 (it is made where it is first asked for)

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return dict(self._checkpoint_dependencies)

    @property
    def _setattr_tracking(self) -> bool:
        """Whether what is assigned to an attribute becomes a dependency."""
        tracks: bool = self.__dict__.get("_self_setattr_tracking", True)
        return tracks

    @_setattr_tracking.setter
    def _setattr_tracking(self, tracks: bool) -> None:
        self._self_setattr_tracking = tracks

    def _no_dependency(self, value: Any) -> Any:
        """What to assign to an attribute so that `value` is no dependency."""
        return value


class SlotOwner(NamedDependencies):
    """What makes variables for other variables, as optimizers do: checkpoints of objects keep these slots with those."""

    def get_slot_names(self) -> list[str]:
        """The names of the kinds of slots it has made."""
        raise NotImplementedError

    def get_slot(self, var: TensorLike | NamedDependencies, name: str) -> Any:
        """The slot `name` of a variable, None if there is none."""
        raise NotImplementedError
