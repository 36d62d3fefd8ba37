"""Threads that answer requests for an event loop, and a deadline for what it waits for."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


_Task = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class RequestThreads:
    """Threads that run calls of an event loop's coroutines.

    A `ThreadPoolExecutor` does the same by two futures for each call, which cost as much as a small model does. The thread
    that became free last takes the next call: what it needs still lies in its processor's caches, its part of the heap and
    its team of torch's threads, without which an inception v1 takes a third longer.

    Args:
        count: how many there are at most; one is started when no other is free.
        name: what they are called.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._lock = threading.Lock()
        self._started = 0
        self._closed = False
        self._waiting: deque[_Task] = deque()
        # What each free thread waits for, the one that became free last at the end.
        self._free: list[SimpleQueue[_Task | None]] = []

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """The result of a call, once it is there; for the running event loop only."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        task = loop, future, call
        with self._lock:
            if self._free:
                self._free.pop().put(task)
            elif self._started < self._count:
                # By way of its queue: a thread keeps its arguments for as long as it lives.
                own: SimpleQueue[_Task | None] = SimpleQueue()
                own.put(task)
                name = f"{self._name}-{self._started}"
                threading.Thread(target=self._work, args=(own,), name=name, daemon=True).start()
                self._started += 1
            else:
                self._waiting.append(task)
        return future

    def _work(self, own: SimpleQueue[_Task | None]) -> None:
        task = own.get()
        while task is not None:
            _answer(*task)
            # A request is not kept until the next one comes.
            task = None
            with self._lock:
                if self._waiting:
                    task = self._waiting.popleft()
                    continue
                if self._closed:
                    self._started -= 1
                    return
                self._free.append(own)
            task = own.get()

    def close(self) -> None:
        """Ends the threads once they have done what was asked. What is asked later gets a thread that ends with it."""
        with self._lock:
            self._closed = True
            for own in self._free:
                own.put(None)
            self._started -= len(self._free)
            self._free.clear()


def _answer(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], call: Callable[[], T]) -> None:
    """Runs a call and has its future finished by its loop."""
    failure: BaseException | None = None
    result: Any = None
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 (raised again by whoever waits)
        failure = error
    # A loop that ended in the meantime waits for nothing.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(finish, future, result, failure)


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
