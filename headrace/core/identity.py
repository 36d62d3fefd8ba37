"""Dicts and sets whose keys are compared with `is`: 1.x's `object_identity`."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any

from headrace.core.tensor import Reference

__all__ = [
    "ObjectIdentityDictionary", "ObjectIdentitySet", "ObjectIdentityWeakKeyDictionary", "ObjectIdentityWeakSet",
    "Reference",
]  # fmt: skip


class _Key:
    """Stands for an object: equal where it is the very same one. A weak key keeps no object alive."""

    __slots__ = ("_get", "_id")

    def __init__(self, target: Any, weak: bool) -> None:
        self._id = id(target)
        self._get = weakref.ref(target) if weak else lambda: target

    @property
    def unwrapped(self) -> list[int] | None:
        """The object, None once it is gone."""
        return self._get()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        # A new object may have the address of one that is gone.
        return isinstance(other, _Key) and self._id == other._id and self._get() is other._get()


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dict whose keys are compared with `is` and need not be hashable."""

    _weak = False

    def __init__(self) -> None:
        self._storage: dict[_Key, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._storage[_Key(key, self._weak)]

    def __setitem__(self, key: Any, value: int | str) -> None:
        self._storage[_Key(key, self._weak)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[_Key(key, self._weak)]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        yield from _alive(self._storage)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[(key.unwrapped, value) for key, value in self._storage.items()]!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """An `ObjectIdentityDictionary` that forgets keys nothing else refers to."""

    _weak = True


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements are compared with `is` and need not be hashable."""

    _weak = False

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._storage: dict[_Key, None] = {}
        self.update(items)

    def __contains__(self, key: Any) -> bool:
        return _Key(key, self._weak) in self._storage

    def add(self, key: Any) -> None:
        """Puts an object in."""
        self._storage[_Key(key, self._weak)] = None

    def discard(self, key: Any) -> None:
        """Takes an object out if it is there."""
        self._storage.pop(_Key(key, self._weak), None)

    def update(self, items: Iterable[Any]) -> None:
        """Puts several objects in."""
        for item in items:
            self.add(item)

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The elements that are among `items` too."""
        return type(self)(item for item in items if item in self)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The elements that are not among `items`."""
        others = ObjectIdentitySet(items)
        return type(self)(item for item in self if item not in others)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Any]:
        yield from _alive(self._storage)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """An `ObjectIdentitySet` that forgets elements nothing else refers to."""

    _weak = True


def _alive(storage: dict[_Key, Any]) -> Iterator[Any]:
    for key in list(storage):
        item = key.unwrapped
        if item is None:
            del storage[key]
        else:
            yield item
