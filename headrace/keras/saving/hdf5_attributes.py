"""Lists of names and JSON as attributes of HDF5 groups, in parts where they are longer than an object header may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py

# The header of an object of HDF5 holds 64 kB, some of which it needs itself.
HDF5_OBJECT_HEADER_LIMIT = 64512


def save_attributes_to_hdf5_group(group: h5py.Group, name: str, data: Sequence[bytes]) -> None:
    """Writes a list of names as one attribute, or as `name0`, `name1`, … where it is too long for one.

    Args:
        group: where it goes.
        name: what it is called.
        data: the names, as bytes.

    Raises:
        RuntimeError: if one name alone is too long.
    """
    too_long = [item for item in data if len(item) > HDF5_OBJECT_HEADER_LIMIT]
    if too_long:
        raise RuntimeError(
            "The following attributes cannot be saved to HDF5 file because they are larger than "
            f"{HDF5_OBJECT_HEADER_LIMIT} bytes: {', '.join(str(item) for item in too_long)}"
        )
    names = np.asarray(data)
    parts = 1
    chunks = [names]
    while any(chunk.nbytes > HDF5_OBJECT_HEADER_LIMIT for chunk in chunks):
        parts += 1
        chunks = np.array_split(names, parts)
    if parts == 1:
        group.attrs[name] = names
        return
    for number, chunk in enumerate(chunks):
        group.attrs[f"{name}{number}"] = chunk


def load_attributes_from_hdf5_group(group: h5py.Group, name: str) -> list[str]:
    """The list of names that `save_attributes_to_hdf5_group` wrote; empty if there is none.

    Raises:
        ValueError: if what is there is not a list of names.
    """
    if name in group.attrs:
        return _names(group.attrs[name], name)
    data: list[str] = []
    number = 0
    while f"{name}{number}" in group.attrs:
        data.extend(_names(group.attrs[f"{name}{number}"], name))
        number += 1
    return data


def _names(value: Any, what: str) -> list[str]:
    if not isinstance(value, np.ndarray | list | tuple):
        raise ValueError(
            f"The HDF5 attribute {what!r} is of type {type(value).__name__}; a list of names was expected."
        )
    if isinstance(value, np.ndarray) and not value.size:
        return []  # an empty list is stored as one of numbers
    return [text_of(item, what) for item in value]


def text_of(value: Any, what: str) -> str:
    """An attribute that holds text, whichever way h5py gives it.

    Raises:
        ValueError: if it holds no text.
    """
    if isinstance(value, bytes | np.bytes_):
        try:
            return bytes(value).decode("utf8")
        except UnicodeDecodeError as error:
            raise ValueError(f"The HDF5 attribute {what!r} is not text in UTF-8: {error}") from error
    if isinstance(value, str):
        return str(value)
    raise ValueError(f"The HDF5 attribute {what!r} is of type {type(value).__name__}; text was expected.")
