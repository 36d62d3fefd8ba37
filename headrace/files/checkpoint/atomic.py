"""Writing files so that under their name there is always a complete one, whenever the process ends.

Temporary files tell by their names which process writes them, and are locked while it does. What a killed process has
left is therefore known for what it is, and taken away when the next checkpoint is written to the folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import uuid
from collections.abc import Iterator
from typing import IO

from headrace.core.errors import AlreadyExistsError
from headrace.files.failures import failures_of

try:
    import fcntl
except ImportError:  # not on Windows, where a file that is open cannot be deleted anyway
    fcntl = None  # type: ignore[assignment]  # what says that there is no such module

_TEMPORARY = re.compile(r".+\.tempstate(\d+)_[0-9a-f]{12}", re.DOTALL)


def temporary_name(path: str) -> str:
    """A name beside `path` that no one else uses."""
    return f"{path}.tempstate{os.getpid()}_{uuid.uuid4().hex[:12]}"


def open_temporary(temporary: str, buffering: int = -1) -> IO[bytes]:
    """Opens a new file for writing, locked until it is closed."""
    # Never what somebody put there before, such as a link to another file.
    file = open(temporary, "xb", buffering=buffering)  # noqa: SIM115  the caller closes it
    # Some network file systems have no locks; there the name must do.
    try_lock(file.fileno())
    return file


def try_lock(descriptor: int) -> bool:
    """Locks a file until it is closed, where that can be done; False if another has it or there are no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_abandoned(folder: str) -> None:
    """Deletes the temporary files in a folder whose writers are gone: no such process here, and no one holds the lock."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return
    for name in names:
        match = _TEMPORARY.fullmatch(name) if ".tempstate" in name else None
        if match is None or is_running(int(match[1])):
            continue
        path = os.path.join(folder, name)
        # Not those that another program put there under such a name: opening a FIFO waits for somebody to write to it.
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                continue
            with open(path, "rb") as file:
                if try_lock(file.fileno()):
                    os.unlink(path)


def is_running(process: int) -> bool:
    """Whether there is a process of this number here."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


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
def replacing(path: str, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """A file that takes the name `path` once it is complete and on the disk; never if the block raises.

    Args:
        path: the file.
        overwrite: whether it may replace one that is there.

    Raises:
        OpError: if the file cannot be written; AlreadyExistsError if it may not be replaced.

    Example:
        >>> with replacing("notes.txt") as file:
        ...     file.write(b"all or nothing")
    """
    temporary = temporary_name(path)
    try:
        with failures_of(path), open_temporary(temporary) as file:
            yield file
            sync_file(file)
            if not overwrite and os.path.exists(path):
                raise AlreadyExistsError(None, None, f"{path}; File exists")
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
