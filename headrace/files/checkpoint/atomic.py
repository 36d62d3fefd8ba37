"""Writing files so that under their name there is always a complete one, whenever the process ends."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from typing import IO

from headrace.files.failures import failures_of


def temporary_name(path: str) -> str:
    """A name beside `path` that no one else uses."""
    return f"{path}.tempstate{os.getpid()}_{uuid.uuid4().hex[:12]}"


def sync_file(file: IO[bytes]) -> None:
    """Waits until what was written to `file` is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(path: str) -> None:
    """Waits until the names in the folder of `path` are on the disk, where the file system knows such a thing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file that takes the name `path` once it is complete and on the disk; never if the block raises.

    Raises:
        OpError: if the file cannot be written.

    Example:
        >>> with replacing("notes.txt") as file:
        ...     file.write(b"all or nothing")
    """
    temporary = temporary_name(path)
    try:
        with failures_of(path):
            with open(temporary, "wb") as file:
                yield file
                sync_file(file)
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(path)


def write(path: str, content: bytes) -> None:
    """Writes a whole file at once; see `replacing`."""
    with replacing(path) as file:
        file.write(content)
