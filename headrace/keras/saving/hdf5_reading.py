"""Reading HDF5 files that may come from anybody: what lies in the file itself, and no more than it holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import h5py
import numpy as np

# Arrays up to this size are read whatever the file's own size; larger ones must be there, packed at most as tightly as
# deflate packs zeros (a factor of 1032, https://zlib.net/zlib_tech.html).
_SMALL = 1 << 24
_MOST_PACKED = 1032


def opened(path: str | os.PathLike[str], mode: str) -> h5py.File:
    """An open HDF5 file.

    Args:
        path: that of the file.
        mode: "r" to read, "w" to write anew.

    Raises:
        OSError: if it cannot be opened, whatever the reason: of that very class, as `h5py` had it in those years.
        ValueError: if there is no path to write to.
    """
    if mode == "w" and not os.fspath(path):
        raise ValueError("Invalid file name: the path of an HDF5 file is empty.")
    try:
        return h5py.File(path, mode)
    except OSError as error:
        if type(error) is OSError:
            raise
        raise OSError(f"{error.strerror or error}") from error


@contextlib.contextmanager
def damage_told(path: str) -> Iterator[None]:
    """Names the file in what the HDF5 library says of a damaged one.

    Args:
        path: that of the file.

    Raises:
        OSError: if the library can no more read the file.
    """
    try:
        yield
    except (OSError, KeyError, RuntimeError, TypeError) as error:
        if not _said_by_the_library(error) or path in str(error):
            raise
        raise OSError(f"The HDF5 file {path} is damaged: {error.args[0] if error.args else error}") from error


def _said_by_the_library(error: BaseException) -> bool:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and str(frame.tb_frame.f_globals.get("__name__")).partition(".")[0] == "h5py"


def member(group: h5py.Group, path: str) -> h5py.Group | h5py.Dataset | None:
    """The group or dataset at a path, None if there is none.

    Args:
        group: where the path begins.
        path: names with slashes between them.

    Raises:
        ValueError: for links, which may lead to other files.
    """
    place = group
    for name in path.split("/"):
        if name in ("", "."):
            continue
        link = place.get(name, getlink=True) if isinstance(place, h5py.Group) else None
        if link is None:
            return None
        if not isinstance(link, h5py.HardLink):
            target = getattr(link, "filename", None)
            raise ValueError(
                f"{name!r} in the HDF5 group {place.name!r} is a link to {link.path!r}"
                + (f" in the file {target!r}" if target else "")
                + ": links in files of models are not followed."
            )
        place = place[name]
    return place


def array_of(dataset: h5py.Dataset) -> np.ndarray:
    """The numbers of a dataset.

    Args:
        dataset: one of a file of weights.

    Raises:
        ValueError: if they lie in other files, are no numbers, or are more than the file can hold.
    """
    if dataset.external or dataset.is_virtual:
        raise ValueError(f"The HDF5 dataset {dataset.name!r} lies in other files, which are not read.")
    if dataset.shape is None or dataset.dtype.hasobject:
        raise ValueError(f"The HDF5 dataset {dataset.name!r} holds no array of numbers: its type is {dataset.dtype}.")
    claimed = int(dataset.size) * dataset.dtype.itemsize
    stored = int(dataset.id.get_storage_size())
    if claimed > max(_SMALL, stored * _MOST_PACKED):
        raise ValueError(
            f"The HDF5 dataset {dataset.name!r} of shape {dataset.shape} would take {claimed} bytes, and the file has "
            f"{stored} of them."
        )
    return np.asarray(dataset[()])
