"""Threads that answer requests for an event loop, and a deadline for what it waits for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class RequestThreads:
    """Threads that run calls of an event loop's coroutines.

    A `ThreadPoolExecutor` does the same by two futures for each call, which cost as much as a small model does.

    Args:
        count: how many there are at most; each of the first calls starts one.
        name: what they are called.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._calls: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Callable[[], Any]] | None] = (
            SimpleQueue()
        )
        self._threads: list[threading.Thread] = []

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """The result of a call, once it is there; for the running event loop only."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._calls.put((loop, future, call))
        return future

    def _work(self) -> None:
        while True:
            task = self._calls.get()
            if task is None:
                return
            loop, future, call = task
            failure: BaseException | None = None
            result = None
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 (raised again by whoever waits)
                failure = error
            # A loop that ended in the meantime waits for nothing.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(finish, future, result, failure)
            del task, loop, future, call, result, failure

    def close(self) -> None:
        """Ends the threads once they have done what was asked."""
        for _ in self._threads:
            self._calls.put(None)


def finish(future: asyncio.Future[T], result: T, failure: BaseException | None = None) -> None:
    """Gives a future its result or failure, unless nobody waits for it any more."""
    if future.done():
        return
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)


class Deadline:
    """A context in which the current task may wait so long; TimeoutError if it takes longer.

    `asyncio.wait_for` makes a task of what it waits for, which costs more than all else that a small request needs.

    Args:
        seconds: how long.
    """

    __slots__ = ("_expired", "_handle", "_seconds", "_task")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._expired = False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._handle = asyncio.get_running_loop().call_later(self._seconds, self._expire)

    def _expire(self) -> None:
        self._expired = True
        if self._task is not None:
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._handle.cancel()
        if self._expired and kind is asyncio.CancelledError:
            # Tasks count who cancels them since Python 3.11.
            uncancel = getattr(self._task, "uncancel", None)
            if uncancel is not None:
                uncancel()
            raise asyncio.TimeoutError from None
