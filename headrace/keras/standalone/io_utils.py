"""`keras.utils.io_utils`: arrays in HDF5 files, and such files as dicts."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike


def save_array(array: ArrayLike, name: str) -> None:
    """Writes an array to an HDF5 file.

    Args:
        array: the array.
        name: the path of the file, which is written over.
    """
    with h5py.File(name, "w") as file:
        file.create_dataset("array", data=np.asarray(array), chunks=True)


def load_array(name: str) -> np.ndarray:
    """The array that `save_array` wrote.

    Args:
        name: the path of the file.

    Raises:
        KeyError: if the file has none.
    """
    with h5py.File(name, "r") as file:
        return np.asarray(file["array"])


class H5Dict:
    """An HDF5 file or group, or a dict, that is read and written like a dict: what Keras 2.2 saves models to.

    Args:
        path: the path of a file, an open file or group, or a dict.
        mode: how a file is opened: "r", "r+", "w", "x" or "a".

    Raises:
        TypeError: for anything else.
    """

    def __init__(self, path: Any, mode: str = "a") -> None:
        self._is_file = False
        self.data: MutableMapping[str, Any]
        if isinstance(path, dict):
            self.data = path
            self.read_only = mode == "r"
            path.setdefault("_is_group", True)
            return
        if isinstance(path, h5py.Group):
            self.data = path
        elif isinstance(path, str) or hasattr(path, "__fspath__"):
            self.data = h5py.File(path, mode=mode)
            self._is_file = True
        else:
            raise TypeError(f"Required Group, str or dict. Received: {type(path)}.")
        self.read_only = mode == "r"

    @staticmethod
    def is_supported_type(path: object) -> bool:
        """Whether something can be read like this: a file's path, an open file or group, or a dict."""
        return isinstance(path, (str, dict, h5py.Group)) or hasattr(path, "__fspath__")

    def __setitem__(self, attr: str, val: Any) -> None:
        if self.read_only:
            raise ValueError("Cannot set item in read-only mode.")
        if attr in self:
            raise KeyError(f"Cannot set attribute. Group with name {attr!r} exists.")
        if isinstance(self.data, dict):
            self.data[attr] = val
        elif isinstance(val, (list, tuple)) and all(isinstance(part, (str, bytes)) for part in val):
            self.data.attrs[attr] = [part.encode() if isinstance(part, str) else part for part in val]  # type: ignore[attr-defined]  # a group
        elif isinstance(val, np.ndarray) and val.dtype.kind not in "OU":
            self.data.create_dataset(attr, data=val)  # type: ignore[attr-defined]  # a group
        else:
            self.data.attrs[attr] = val  # type: ignore[attr-defined]  # a group

    def __getitem__(self, attr: str) -> Any:
        if attr is None:
            raise KeyError("A key is needed, got None.")
        if isinstance(self.data, dict):
            if attr not in self.data:
                # As in files, a group comes into being when it is asked for.
                self.data[attr] = {"_is_group": True}
            found = self.data[attr]
            return H5Dict(found) if isinstance(found, dict) and "_is_group" in found else found
        if attr in self.data.attrs:  # type: ignore[attr-defined]  # a group
            found = self.data.attrs[attr]  # type: ignore[attr-defined]  # a group
            return [part.decode() if isinstance(part, bytes) else part for part in found] if _many(found) else found
        if attr in self.data:
            found = self.data[attr]
            return found[()] if isinstance(found, h5py.Dataset) else H5Dict(found)
        if self.read_only:
            raise ValueError("Cannot create group in read-only mode.")
        return H5Dict(self.data.create_group(attr))  # type: ignore[attr-defined]  # a group

    def __contains__(self, key: str) -> bool:
        if isinstance(self.data, dict):
            return key in self.data
        return key in self.data or key in self.data.attrs  # type: ignore[attr-defined]  # a group

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def iter(self) -> Iterator[str]:
        """The keys."""
        return iter(self.data)

    def get(self, key: str, default: Any = None) -> Any:
        """What is under a key, `default` if nothing is."""
        if key not in self:
            return default
        return self[key]

    def update(self, *args: Any) -> None:
        """Sets the items of a dict."""
        if self.read_only:
            raise ValueError("Cannot set item in read-only mode.")
        self.data.update(*args)

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self._is_file:
            self.data.close()  # type: ignore[attr-defined]  # a file

    def __enter__(self) -> H5Dict:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _many(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0
