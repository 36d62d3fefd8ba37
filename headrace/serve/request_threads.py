"""Threads that answer requests, and a deadline for what an event loop waits for."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


_Call = Callable[[], None]


class RequestThreads:
    """Threads that run calls, for event loops and for gRPC.

    The thread that became free last takes the next call: what it needs still lies in its processor's caches, its part of the
    heap and its team of torch's threads, without which an inception v1 takes a third longer. For the same reason there are
    no more of them than can work at a time, unless all of them are held up: then more are started, for a call may wait for
    what another one brings.

    Args:
        count: how many there are; one is started when no other is free.
        name: what they are called.
        most: how many there are where those are held up; `count` by default.
        patience: for how long all of them answer nothing, while calls wait, until they count as held up, in seconds.
    """

    def __init__(self, count: int, name: str, most: int = 0, patience: float = 0.25) -> None:
        self._count, self._most, self._name, self._patience = count, max(count, most), name, patience
        self._lock = threading.Lock()
        self._started = 0
        self._closed = threading.Event()
        self._watched = False
        # How many calls that had to wait were taken.
        self._taken = 0
        self._waiting: deque[_Call] = deque()
        # What each free thread waits for, the one that became free last at the end.
        self._free: list[SimpleQueue[_Call | None]] = []

    def start(self, call: _Call) -> None:
        """Runs a call, which raises nothing, as soon as there is a thread for it."""
        with self._lock:
            if self._free:
                self._free.pop().put(call)
            elif self._started < self._count:
                self._add(call)
            else:
                self._waiting.append(call)
                if not self._watched and self._started < self._most:
                    self._watched = True
                    threading.Thread(target=self._watch, name=f"{self._name}-watch", daemon=True).start()

    def run(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """The result of a call, once it is there; for the running event loop only."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self.start(functools.partial(_answer, loop, future, call))
        return future

    def _add(self, call: _Call) -> None:
        # By way of its queue: a thread keeps its arguments for as long as it lives.
        own: SimpleQueue[_Call | None] = SimpleQueue()
        own.put(call)
        threading.Thread(target=self._work, args=(own,), name=f"{self._name}-{self._started}", daemon=True).start()
        self._started += 1

    def _work(self, own: SimpleQueue[_Call | None]) -> None:
        call = own.get()
        while call is not None:
            call()
            # A request is not kept until the next one comes.
            call = None
            with self._lock:
                if self._waiting:
                    call = self._waiting.popleft()
                    self._taken += 1
                    continue
                if self._closed.is_set():
                    self._started -= 1
                    return
                self._free.append(own)
            call = own.get()

    def _watch(self) -> None:
        """Adds threads where calls wait and none is taken, until none waits."""
        taken = self._taken
        while True:
            self._closed.wait(self._patience)
            with self._lock:
                if not self._waiting or self._closed.is_set():
                    self._watched = False
                    return
                if self._taken == taken:
                    while self._waiting and self._started < self._most:
                        self._add(self._waiting.popleft())
                taken = self._taken

    def close(self) -> None:
        """Ends the threads once they have done what was asked. What is asked later gets a thread that ends with it."""
        with self._lock:
            self._closed.set()
            for own in self._free:
                own.put(None)
            self._started -= len(self._free)
            self._free.clear()


class RequestExecutor(Executor):
    """Such threads as an executor, which gRPC wants.

    Args:
        threads: the threads; they are closed with it.
    """

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads

    def submit(self, call: Callable[..., T], /, *arguments: Any, **keywords: Any) -> Future[T]:
        """The result of a call, once it is there."""
        future: Future[T] = Future()
        self._threads.start(functools.partial(_fulfil, future, call, arguments, keywords))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads once they have done what was asked, without waiting for that."""
        if wait or cancel_futures:
            raise NotImplementedError("calls are neither waited for nor cancelled: shutdown(wait=False)")
        self._threads.close()


def _fulfil(future: Future[T], call: Callable[..., T], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call(*arguments, **keywords)
    except BaseException as error:  # noqa: BLE001 (raised again by whoever asks for the result)
        future.set_exception(error)
    else:
        future.set_result(result)


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
