"""What ends the processes of a cluster when the one that started them is gone, however it went.

Who starts them holds a lock on a file for as long as it lives, and each of them waits for that lock: the system lets go of
it even where a process is killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

GRACE_SECONDS = 10


@contextlib.contextmanager
def held_lock(path: Path) -> Iterator[dict[str, str]]:
    """Holds the lock inside; gives the environment by which processes know it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield {"HEADRACE_LAUNCHER_LOCK": str(path)}


def end_with_launcher() -> None:
    """Lets this process, and those of its group, end with the one that started it and holds the lock."""
    path = os.environ["HEADRACE_LAUNCHER_LOCK"]
    threading.Thread(target=_wait, args=(path,), name="headrace-launcher-watch", daemon=True).start()


def _wait(path: str) -> None:
    # A file that is not there any more: who made it has removed it, as the last thing it did.
    with contextlib.suppress(FileNotFoundError), open(path) as file:
        fcntl.flock(file, fcntl.LOCK_SH)
    os.killpg(os.getpgrp(), signal.SIGTERM)
    # A program that hears the signal may save what it has.
    threading.Event().wait(GRACE_SECONDS)
    os.killpg(os.getpgrp(), signal.SIGKILL)
