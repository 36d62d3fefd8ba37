"""Elements read from files, one file after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.files.failures import failures_of
from headrace.files.paths import as_path, open_binary
from headrace.files.records import chunk_reader
from headrace.kernels.data.base import Dataset, Element, Iteration, Next, integer, invalid, text


def names_of(filenames: Any) -> list[str]:
    return [as_path(name) for name in np.asarray(filenames, dtype=object).reshape(-1)]


def opened(path: str, compression: str) -> tuple[Any, Callable[[int], bytes]]:
    """A file, and what hands out its (decompressed) bytes: some while there are any, no more than asked for."""
    with failures_of(path):
        stream = open_binary(path, "rb")
    return stream, chunk_reader(stream, path, compression)


class Read(Dataset):
    """What a function reads from each of several files in turn.

    Args:
        read: takes a path, gives elements.
        resumes: whether what it gives goes on by itself after an error.
    """

    def __init__(self, filenames: np.ndarray, read: Callable[[str], Iterator[Element]], resumes: bool = False) -> None:
        super().__init__()
        self.resumes = resumes
        self.paths = names_of(filenames)
        self.read = read

    def start(self, iteration: Iteration) -> Next:
        paths = iter(self.paths)
        current: Iterator[Element] = iter(())
        path: str | None = None
        begun = True

        def next_element() -> Element | None:
            nonlocal current, path, begun
            while True:
                try:
                    element = next(current, None)
                except errors.DataLossError:
                    # What follows in a broken file is lost: the next call goes on with the file after it.
                    begun = True
                    raise
                except errors.OpError:
                    if not begun and not self.resumes and path is not None:
                        # A file that cannot be opened is tried again.
                        current = self.read(path)
                    raise
                if element is not None:
                    begun = True
                    return element
                path = next(paths, None)
                if path is None:
                    return None
                current = self.read(path)
                begun = False

        return next_element


def checked_buffer_size(value: torch.Tensor) -> int:
    """The number of bytes to read at a time that an input of an op gives; 0 for as many as suit.

    Raises:
        InvalidArgumentError: for a negative one.
    """
    size = integer(value)
    if size < 0:
        raise invalid("`buffer_size` must be >= 0 (0 == default)")
    return size


COMPRESSIONS = ("", "GZIP", "ZLIB")


def checked_compression(value: np.ndarray) -> str:
    """The kind of compression that an input of an op names.

    Raises:
        InvalidArgumentError: for one that there is not.
    """
    kind = text(value)
    if kind not in COMPRESSIONS:
        raise invalid("Unsupported compression_type.")
    return kind
