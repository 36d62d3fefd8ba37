"""What objects of a SavedModel are made again as: kinds of objects, by name and version."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headrace.messages import protos

# By name, in the order of their registration: whether an object is of the kind, and its versions, the newest first.
_kinds: dict[str, tuple[Callable[[Any], bool], list[VersionedTypeRegistration]]] = {}


class VersionedTypeRegistration:
    """One version of a kind of objects.

    Args:
        object_factory: makes an object from a `SavedUserObject`.
        version: its number.
        min_producer_version: the oldest version that wrote what this one reads.
        min_consumer_version: the oldest version that reads what this one writes.
        bad_consumers: versions that may not read what this one writes.
        setter: gives an object its attributes, as `setattr` does.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Iterable[int] | None = None,
        setter: Callable[[Any, str, Any], Any] = setattr,
    ) -> None:
        self.setter = setter
        # Set by the registration.
        self.identifier: str | None = None
        self._object_factory = object_factory
        self.version = version
        self._min_consumer_version = min_consumer_version
        self._min_producer_version = min_producer_version
        self._bad_consumers = list(bad_consumers or ())

    def to_proto(self) -> Any:
        """A `SavedUserObject` for an object of this version."""
        node = protos.SavedObject()
        node.user_object.identifier = self.identifier or ""
        version = node.user_object.version
        version.producer, version.min_consumer = self.version, self._min_consumer_version
        version.bad_consumers.extend(self._bad_consumers)
        return node.user_object

    def from_proto(self, proto: Any) -> Any:
        """The object that a `SavedUserObject` describes."""
        return self._object_factory(proto)

    def should_load(self, proto: Any) -> bool:
        """Whether this version reads what a `SavedUserObject` describes."""
        return (
            proto.identifier == self.identifier
            and self.version >= proto.version.min_consumer
            and proto.version.producer >= self._min_producer_version
            and self.version not in proto.version.bad_consumers
        )


def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: Sequence[VersionedTypeRegistration]
) -> None:
    """Registers a kind of objects.

    Args:
        identifier: its name in files.
        predicate: whether an object is of the kind.
        versions: those that can be read; the newest is written.

    Raises:
        AssertionError: if two versions have one number, a version is registered already, or the name is.
    """
    newest_first = sorted(versions, key=operator.attrgetter("version"), reverse=True)
    if not newest_first:
        raise AssertionError("Need at least one version of a registered type.")
    numbers: set[int] = set()
    for registration in newest_first:
        if registration.identifier is not None:
            raise AssertionError(
                f"Type registrations can only be made once: this one is of {registration.identifier!r}."
            )
        registration.identifier = identifier
        if registration.version in numbers:
            raise AssertionError(
                f"Got multiple registrations with version {registration.version} for type {identifier}."
            )
        numbers.add(registration.version)
    if identifier in _kinds:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'.")
    _kinds[identifier] = (predicate, newest_first)


def registered_identifiers() -> list[str]:
    """The names of all kinds."""
    return list(_kinds)


def serialize(obj: Any) -> Any:
    """A `SavedUserObject` for an object, None if it is of no registered kind."""
    return next((newest.to_proto() for predicate, (newest, *_) in _kinds.values() if predicate(obj)), None)


def deserialize(proto: Any) -> tuple[Any, Callable[[Any, str, Any], Any]] | None:
    """The object that a `SavedUserObject` describes and how its attributes are set; None if no version reads it."""
    _, versions = _kinds.get(proto.identifier, (None, []))
    for registration in versions:
        if registration.should_load(proto):
            return registration.from_proto(proto), registration.setter
    return None
