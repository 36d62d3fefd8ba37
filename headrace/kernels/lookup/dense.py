"""A lookup table in whose keys two are set apart, laid out as TensorFlow lays it out when it is exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.dtypes import DType
from headrace.kernels.array.arguments import shape_text
from headrace.kernels.lookup.tables import Table, invalid
from headrace.kernels.string.batched_hashes import old_hashes

_GOLDEN = 0x9E3779B97F4A7800
_ALL = (1 << 64) - 1


class Buckets:
    """Where TensorFlow's open addressing puts each key: where its hash says, else 1, 3, 6, … places further.

    Args:
        count: the number of places at first, a power of two.
        load: the fraction of places that may be taken before their number is doubled.
        hashes: gives the hashes of keys.
    """

    def __init__(self, count: int, load: float, hashes: Callable[..., Any]) -> None:
        self._count, self._load, self._hashes = count, load, hashes
        self.place_of: dict[Any, int] = {}
        self._taken: dict[int, Any] = {}
        # The value that a removed key had stays in its place.
        self.freed: dict[int, Any] = {}
        # Most tables are never exported: keys get their places when they are asked for.
        self._waiting: list[tuple[int, list[Any]]] = []

    def add(self, given: int, new: list[Any]) -> None:
        """Notes the insertion of `given` keys, of which the `new` ones were not there."""
        self._waiting.append((given, new))

    def flush(self) -> int:
        """Places the keys that wait; returns the number of places."""
        for given, new in self._waiting:
            self._grow(len(self._taken) + given)
            self._put(new)
        self._waiting.clear()
        return self._count

    def remove(self, key: bytes | int, value: float) -> None:
        """Frees the place of a key."""
        place = self.place_of.pop(key)
        del self._taken[place]
        self.freed[place] = value

    def take(self, count: int, keys: list[tuple[int, Any]], freed: dict[int, Any]) -> None:
        """Goes on from a layout: `keys` with their places among `count`."""
        self._count, self.freed, self._waiting = count, freed, []
        self._taken = dict(keys)
        self.place_of = {key: place for place, key in keys}

    def _grow(self, entries: int) -> None:
        count = self._count
        while entries > count * self._load:
            count *= 2
        if count == self._count:
            return
        keys = [self._taken[place] for place in sorted(self._taken)]
        self._count = count
        self._taken, self.place_of, self.freed = {}, {}, {}
        self._put(keys)

    def _put(self, keys: list[Any]) -> None:
        mask, taken, place_of, freed = self._count - 1, self._taken, self.place_of, self.freed
        for key, number in zip(keys, self._hashes(keys), strict=True):
            place, step = number & mask, 0
            while place in taken:
                step += 1
                place = (place + step) & mask
            taken[place] = key
            place_of[key] = place
            freed.pop(place, None)


class DenseTable(Table):
    """A table in whose keys two are set apart: TensorFlow's marks for a place that is free or was freed.

    Exported are all places, the free ones too, for checkpoints are to be read by TensorFlow. A key that is there keeps
    its place when it is given a new value, where TensorFlow may put it into a freed place, a second time.

    Args:
        key_dtype, value_dtype, value_dims: see `Table`.
        empty_key, deleted_key: keys that must not be used.
        buckets: how many places there are at first.
        load: the fraction of places that may be taken.
    """

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        value_dims: tuple[int, ...],
        empty_key: np.ndarray,
        deleted_key: np.ndarray | None,
        buckets: int,
        load: float,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_dims)
        self.key_dims = empty_key.shape
        self.empty_key = self.keys_of(empty_key[None])[0][0]
        self.deleted_key = None if deleted_key is None else self.keys_of(deleted_key[None])[0][0]
        if self.empty_key == self.deleted_key:
            raise invalid("Empty and deleted keys cannot be equal")
        self._load = load
        self._buckets = Buckets(buckets, load, self._hashes)

    def _hashes(self, keys: list[Any]) -> list[int]:
        if not self.key_dims:
            return self._hashes_of_scalars(keys)
        if not keys:
            return []
        size = len(keys[0])
        parts = self._hashes_of_scalars([part for key in keys for part in key])
        if size == 1:
            return parts
        found = []
        for start in range(0, len(parts), size):
            number = 0
            for part in parts[start : start + size]:
                number ^= (part + _GOLDEN + (number << 10) + (number >> 4)) & _ALL
            found.append(number)
        return found

    def _hashes_of_scalars(self, keys: list[Any]) -> list[int]:
        if isinstance(self.empty_key, bytes) or (self.key_dims and isinstance(self.empty_key[0], bytes)):
            return [int(number) for number in old_hashes(keys)]
        return [key & _ALL for key in keys]

    def _checked(self, keys: np.ndarray) -> None:
        items = self.keys_of(keys)[0]
        count = keys.shape[0] if keys.ndim else 1
        if len(items) != count:
            raise invalid(f"Expected key shape {shape_text((count, *self.key_dims))} got {shape_text(keys.shape)}")
        if self.empty_key in items:
            raise invalid("Using the empty_key as a table key is not allowed")
        if self.deleted_key is not None and self.deleted_key in items:
            raise invalid("Using the deleted_key as a table key is not allowed")

    def plain_contents(self) -> None:
        """Nothing: which keys may be asked for is checked."""
        return

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys, `default` for those that are not there."""
        self._checked(keys)
        return super().find(keys, default)

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Adds keys, or gives them new values."""
        self._checked(keys)
        items, dims = self.keys_of(keys)
        rows = self.values_of(values, dims)
        with self.lock:
            new = [key for key in dict.fromkeys(items) if key not in self.contents]
            self._buckets.add(len(items), new)
            self.contents.update(zip(items, rows, strict=True))

    def remove(self, keys: np.ndarray) -> None:
        """Forgets keys."""
        self._checked(keys)
        items, _ = self.keys_of(keys)
        with self.lock:
            self._buckets.flush()
            for item in items:
                if item in self.contents:
                    self._buckets.remove(item, self.contents.pop(item))

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Forgets everything but what is given: all places, those with one of the keys set apart being free."""
        if not self.key_dims and keys.ndim == 2 and keys.shape[1] == 1:
            keys = keys[:, 0]
        if not self.value_dims and values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        items, dims = self.keys_of(keys)
        if len(dims) != 1:
            raise invalid(f"Expected key shape {shape_text(self.key_dims or (1,))} got {shape_text(keys.shape[1:])}")
        rows = list(enumerate(zip(items, self.values_of(values, dims), strict=True)))
        apart = (self.empty_key, self.deleted_key)
        count = max(4, 1 << (len(items) - 1).bit_length())
        buckets = Buckets(count, self._load, self._hashes)
        contents = {key: value for _, (key, value) in rows if key not in apart}
        if count == len(items):
            freed = {place: value for place, (key, value) in rows if key == self.deleted_key}
            buckets.take(count, [(place, key) for place, (key, _) in rows if key not in apart], freed)
        else:
            buckets.add(len(contents), list(contents))
        with self.lock:
            self.contents, self._buckets = contents, buckets

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys and the values of all places: those that are free have one of the keys set apart."""
        with self.lock:
            count = self._buckets.flush()
            nothing = {"string": b"", "variant": None}.get(self.value_dtype.name, 0)
            keys = self._filled(count, self.key_dims, self.key_type, self.empty_key)
            values = self._filled(count, self.value_dims, self.value_type, nothing)
            if self.contents:
                places = [self._buckets.place_of[key] for key in self.contents]
                keys[places] = self._array(list(self.contents), self.key_type, self.key_dims).reshape(
                    -1, *keys.shape[1:]
                )
                made = self._array(list(self.contents.values()), self.value_type, self.value_dims)
                values[places] = made.reshape(-1, *values.shape[1:])
            for place, value in self._buckets.freed.items():
                keys[place] = self.deleted_key
                values[place] = value
        return keys, values

    def _filled(self, count: int, dims: tuple[int, ...], dtype: np.dtype, item: Any) -> np.ndarray:
        array = np.empty((count, *(dims or (1,))), dtype)
        array[:] = item
        return array
