"""Threads for work that goes on beside a step: they take tasks and end when there have been none for a while.

No task waits for room or for a consumer, so nothing keeps a thread, or what its task refers to, when a program has
forgotten about it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import torch

from headrace.core import shutdown

_InferenceMode = torch._C._InferenceMode
# How long an idle thread stays, in seconds.
_LINGER = 1.0


class Pool:
    """Threads that take tasks.

    Args:
        most: how many threads there may be at once; tasks of a pool with such a bound must not wait for one another.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._tasks: deque[Callable[[], None]] = deque()
        self._threads = self._idle = 0

    def submit(self, task: Callable[[], None]) -> None:
        """Runs `task`, which must not raise, in some thread; without a bound at once, for tasks may wait for one another."""
        with self._changed:
            self._tasks.append(task)
            if self._idle >= len(self._tasks):
                self._changed.notify()
                return
            if self._threads == self._most:
                return
            self._threads += 1
            threading.Thread(target=self._work, name="headrace-data", daemon=True).start()

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
                if shutdown.in_progress:
                    self._threads -= 1
                    return None
                self._idle += 1
                try:
                    arrived = self._changed.wait(_LINGER)
                finally:
                    self._idle -= 1
                if not arrived and not self._tasks:
                    self._threads -= 1
                    return None
            return self._tasks.popleft()


_pool = Pool()
submit = _pool.submit
