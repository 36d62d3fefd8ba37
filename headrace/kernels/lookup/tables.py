"""What a lookup table holds, in one session."""

from __future__ import annotations

import threading
from itertools import repeat
from typing import Any

import numpy as np

from headrace.core.dtypes import DType
from headrace.core.errors import AbortedError, FailedPreconditionError, InvalidArgumentError, UnimplementedError
from headrace.kernels.array.arguments import shape_text


def invalid(message: str) -> InvalidArgumentError:
    """The error about arguments that do not fit."""
    return InvalidArgumentError(None, None, message)


def shown(item: bytes | int) -> str:
    """A key or value as messages show it."""
    return item.decode("utf-8", "backslashreplace") if isinstance(item, bytes) else str(item)


class Table:
    """A mapping from keys to values of one shape.

    Keys are Python values, or tuples of them where a key is a vector; values are Python values, or arrays where a value
    is no scalar.

    Args:
        key_dtype, value_dtype: the types.
        value_dims: the shape of a value.
    """

    is_mutable = True

    def __init__(self, key_dtype: DType, value_dtype: DType, value_dims: tuple[int, ...] = ()) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.value_dims = value_dims
        self.key_type = np.dtype(key_dtype.as_numpy_dtype)
        # Variants are Python objects.
        self.value_type = np.dtype(object if value_dtype.name == "variant" else value_dtype.as_numpy_dtype)
        self.key_dims: tuple[int, ...] = ()
        self.contents: dict[Any, Any] = {}
        # Several threads may run ops on one table.
        self.lock = threading.Lock()

    def keys_of(self, keys: np.ndarray) -> tuple[list[Any], tuple[int, ...]]:
        """The keys in an array, as the contents have them, and the shape they are arranged in."""
        if not self.key_dims:
            return keys.reshape(-1).tolist(), keys.shape
        rank = len(self.key_dims)
        if keys.shape[keys.ndim - rank :] != self.key_dims:
            raise invalid(
                f"Input key shape {shape_text(keys.shape)} must end with the table's key shape {shape_text(self.key_dims)}"
            )
        rows = keys.reshape(-1, *self.key_dims).tolist()
        return [tuple(row) for row in rows], keys.shape[: keys.ndim - rank]

    def plain_contents(self) -> dict[Any, Any] | None:
        """The contents, where a key is one element and so is a value, and looking up is no more than that."""
        return None if self.key_dims or self.value_dims else self.contents

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys, `default` for those that are not there."""
        items, dims = self.keys_of(keys)
        if default.shape != self.value_dims:
            raise invalid(
                f"Expected shape {shape_text(self.value_dims)} for default value, got {shape_text(default.shape)}"
            )
        if self.value_dims:
            rows = list(map(self.contents.get, items, repeat(default)))
            found = np.empty((len(rows), *self.value_dims), self.value_type)
            if rows:
                found[:] = rows
            return found.reshape(*dims, *self.value_dims)
        values = map(self.contents.get, items, repeat(default.item()))
        return np.fromiter(values, self.value_type, len(items)).reshape(dims)

    def values_of(self, values: np.ndarray, dims: tuple[int, ...]) -> list[Any]:
        """The values in an array for keys arranged in `dims`."""
        expected = dims + self.value_dims
        if values.shape != expected:
            raise invalid(f"Expected shape {shape_text(expected)} for value, got {shape_text(values.shape)}")
        if not self.value_dims:
            return values.reshape(-1).tolist()
        return list(np.array(values).reshape(-1, *self.value_dims))

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Adds keys, or gives them new values."""
        items, dims = self.keys_of(keys)
        new = self.values_of(values, dims)
        with self.lock:
            self.contents.update(zip(items, new, strict=True))

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Forgets everything but what is given."""
        items, dims = self.keys_of(keys)
        new = dict(zip(items, self.values_of(values, dims), strict=True))
        with self.lock:
            self.contents = new

    def remove(self, keys: np.ndarray) -> None:
        """Forgets keys; those that are not there do not matter."""
        items, _ = self.keys_of(keys)
        with self.lock:
            for item in items:
                self.contents.pop(item, None)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys and their values."""
        with self.lock:
            keys, values = list(self.contents), list(self.contents.values())
        return self._array(keys, self.key_type, self.key_dims), self._array(values, self.value_type, self.value_dims)

    def _array(self, items: list[Any], dtype: np.dtype, dims: tuple[int, ...]) -> np.ndarray:
        if not dims:
            return np.fromiter(items, dtype, len(items))
        array = np.empty((len(items), *dims), dtype)
        if items:
            array[:] = items
        return array

    def size(self) -> int:
        """How many keys there are."""
        return len(self.contents)


class StaticTable(Table):
    """A table that is filled once; filling it again must not change it."""

    is_mutable = False

    def __init__(self, key_dtype: DType, value_dtype: DType) -> None:
        super().__init__(key_dtype, value_dtype)
        self.is_initialized = False
        self.by_number: np.ndarray | None = None

    def initialize(self, keys: list[Any], values: list[Any]) -> None:
        """Fills the table.

        Raises:
            FailedPreconditionError: if a key is there with another value.
        """
        with self.lock:
            filled = dict(self.contents)
            filled.update(zip(keys, values, strict=True))
            # A key met twice must have had one value.
            if len(filled) < len(keys) + len(self.contents) or self.contents:
                seen = dict(self.contents)
                for key, value in zip(keys, values, strict=True):
                    before = seen.setdefault(key, value)
                    if before != value:
                        raise FailedPreconditionError(
                            None,
                            None,
                            f"HashTable has different value for same key. Key {shown(key)} has {shown(before)} and trying "
                            f"to add value {shown(value)}",
                        )
            self.contents = filled
            self.by_number = self._numbered(filled)
            self.is_initialized = True

    def _numbered(self, contents: dict[Any, Any]) -> np.ndarray | None:
        """The values as an array to index, where the keys are the numbers from 0 in order."""
        if not self.key_dtype.is_integer or list(contents) != list(range(len(contents))):
            return None
        array = np.empty(len(contents) + 1, self.value_type)
        # The last place is for the default value.
        array[:-1] = list(contents.values())
        return array

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Fills the table with keys and values."""
        items, dims = self.keys_of(keys)
        self.initialize(items, self.values_of(values, dims))

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Not for this kind of table."""
        raise _unimplemented("Insert not supported by InitializableLookupTable implementations")

    def remove(self, keys: np.ndarray) -> None:
        """Not for this kind of table."""
        raise _unimplemented("Remove not supported by InitializableLookupTable implementations")

    def plain_contents(self) -> dict[Any, Any] | None:
        """The contents, once the table is filled."""
        return self.contents if self.is_initialized else None

    def _check(self) -> None:
        if not self.is_initialized:
            raise FailedPreconditionError(None, None, "Table not initialized.")

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The values of keys, `default` for those that are not there; only once the table is filled."""
        self._check()
        if self.by_number is not None and default.shape == ():
            array = self.by_number.copy()
            array[-1] = default.item()
            known = (keys >= 0) & (keys < len(array) - 1)
            places = np.where(known, keys, len(array) - 1)
            return array[places.reshape(-1)].reshape(places.shape)
        return super().find(keys, default)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys and their values; only once the table is filled."""
        if not self.is_initialized:
            raise AbortedError(None, None, "HashTable is not initialized.")
        return super().export()


def _unimplemented(message: str) -> Exception:
    return UnimplementedError(None, None, message)
