"""The folders in which the shards of a checkpoint wait until one checkpoint is made of them.

TensorFlow calls them `PREFIX_temp_` and 32 digits. Who writes into one leaves a mark there, locked as long as the process
lives. A folder whose marks are all of processes of this machine that are gone is taken away by the next save of the same
checkpoint, at this step or another. Folders without marks are of other programs, and left alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import socket
import stat
import threading
import time

from headrace.files.checkpoint.atomic import is_running, try_lock

_FOLDER = re.compile(r"(.+?)(?:-\d+)?_temp_[0-9a-f]{32}", re.DOTALL)
_MARK = re.compile(r"owner-([0-9a-f]{12})-(\d+)")
_MINUTE = 60
_STEP = re.compile(r"-\d+$")
_marks: dict[str, int] = {}  # path of a mark of this process to the descriptor that holds its lock
_changing = threading.Lock()


def _machine() -> str:
    return hashlib.sha1(socket.gethostname().encode()).hexdigest()[:12]


def claim(folder: str) -> None:
    """Makes the folder, one level, and marks it as in use, if it is one for shards."""
    with contextlib.suppress(OSError):
        os.mkdir(folder)
    if not _FOLDER.fullmatch(os.path.basename(folder)):
        return
    mark = os.path.join(folder, f"owner-{_machine()}-{os.getpid()}")
    with _changing, contextlib.suppress(OSError):
        if mark in _marks and os.path.exists(mark):
            return
        for _ in range(3):
            try:
                descriptor = os.open(mark, os.O_CREAT | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 0o644)
            except FileNotFoundError:
                # Another one has just taken the empty folder away.
                os.mkdir(folder)
                continue
            try_lock(descriptor)
            if mark in _marks:
                os.close(_marks[mark])
            _marks[mark] = descriptor
            return


def release(folder: str) -> None:
    """Takes the marks out of a folder whose shards have been made one checkpoint."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _MARK.fullmatch(name):
                _unmark(os.path.join(folder, name))


def _unmark(mark: str) -> None:
    with _changing:
        descriptor = _marks.pop(mark, None)
        if descriptor is not None:
            os.close(descriptor)
    with contextlib.suppress(OSError):
        os.unlink(mark)


def remove_stale(prefix: str) -> None:
    """Takes away what killed saves of a checkpoint have left.

    Args:
        prefix: its path; a number at the end is that of the step, and those of other steps are meant too.
    """
    parent, base = os.path.split(prefix)
    base = _STEP.sub("", base)
    try:
        names = os.listdir(parent or ".")
    except OSError:
        return
    for name in names:
        match = _FOLDER.fullmatch(name) if "_temp_" in name else None
        if match is not None and match[1] == base:
            with contextlib.suppress(OSError):
                _remove_if_stale(os.path.join(parent, name))


def _remove_if_stale(folder: str) -> None:
    if os.path.islink(folder):
        return
    files = os.listdir(folder)
    marks = [file for file in files if _MARK.fullmatch(file)]
    others = [file for file in files if file not in marks]
    if not files and time.time() - os.stat(folder).st_mtime > _MINUTE:
        # Its process ended just before it left the mark, or just after it took it away.
        os.rmdir(folder)
    if not marks or not all(_is_abandoned(folder, mark) for mark in marks):
        return
    # Nothing but shards: whatever else there may be, it is not ours to delete.
    if not all(re.match(r"part-\d{5}-of-\d{5}\.", file) for file in others):
        return
    for file in [*others, *marks]:
        os.unlink(os.path.join(folder, file))
    os.rmdir(folder)


def _is_abandoned(folder: str, mark: str) -> bool:
    match = _MARK.fullmatch(mark)
    if match is None or match[1] != _machine() or is_running(int(match[2])):
        return False
    path = os.path.join(folder, mark)
    if not stat.S_ISREG(os.lstat(path).st_mode):
        # No mark of ours is a link or a FIFO, which would lead elsewhere or wait for somebody.
        return False
    descriptor = os.open(path, os.O_WRONLY)
    try:
        return try_lock(descriptor)
    finally:
        os.close(descriptor)
