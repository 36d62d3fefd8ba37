"""Threads for work that goes on beside a step: they take tasks and end when there have been none for a while.

No task waits for room or for a consumer, so nothing keeps a thread, or what its task refers to, when a program has
forgotten about it.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable

import torch

_InferenceMode = torch._C._InferenceMode
# How long an idle thread stays, in seconds.
_LINGER = 1.0
# How long the end of the process waits for tasks under way.
_PATIENCE = 2.0


class _Pool:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tasks: deque[Callable[[], None]] = deque()
        self._idle = 0
        self._threads: set[threading.Thread] = set()
        self.closing = False

    def submit(self, task: Callable[[], None]) -> None:
        """Runs `task`, which must not raise, in some thread; at once, for tasks may wait for one another."""
        with self._changed:
            self._tasks.append(task)
            if self._idle >= len(self._tasks):
                self._changed.notify()
                return
            # A thread stays here until it is really gone: one still on its way out counts when the process ends.
            self._threads = {thread for thread in self._threads if thread.is_alive()}
            thread = threading.Thread(target=self._work, name="headrace-data", daemon=True)
            thread.start()
            self._threads.add(thread)

    def close(self) -> None:
        """Ends the threads: one that is left when the interpreter goes would take it down."""
        with self._changed:
            self.closing = True
            self._changed.notify_all()
            threads = list(self._threads)
        until = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        torch.set_num_threads(1)
        guard = _InferenceMode(True)
        try:
            while True:
                task = self._take()
                if task is None:
                    return
                task()
                # What the task refers to must not wait for the next one.
                del task
        finally:
            del guard

    def _take(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._tasks:
                if self.closing:
                    return None
                self._idle += 1
                try:
                    arrived = self._changed.wait(_LINGER)
                finally:
                    self._idle -= 1
                if not arrived and not self._tasks:
                    return None
            return self._tasks.popleft()


_pool = _Pool()
submit = _pool.submit
atexit.register(_pool.close)


def is_closing() -> bool:
    """Whether the process is about to end."""
    return _pool.closing
