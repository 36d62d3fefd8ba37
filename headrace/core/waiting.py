"""Waiting inside a step: what an operation waits for, and what ends the wait before it comes.

A queue, an accumulator or a staging area keeps the attempts that cannot succeed yet. Whoever changes it lets the first
of them try again, so no thread polls. A wait ends when its attempt is done, when the session closes, when the step's
time is over, or when an exception such as KeyboardInterrupt reaches the waiting thread.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import shutdown
from headrace.core.errors import CancelledError, DeadlineExceededError

if TYPE_CHECKING:
    import numpy as np
    import torch


_allocate_lock = threading.Lock
_step = threading.local()
# An entry for each context, of any thread, that may end its step from outside: who loops asks `Waits.check` while there
# is one.
limits: list[None] = []
# How long a step sleeps at most before it looks for an interrupt that it may have missed, in seconds.
_LONGEST_SLEEP = 1.0
_CANCELLED = "Loop execution was cancelled."


def _no_wake() -> None:
    """What an attempt wakes when no thread waits for it."""


class Attempt:
    """Something an operation wants of a `Waitable`.

    Attributes:
        state: of what.
        lane: the queue of attempts it stands in.
        done: whether it has succeeded or failed.
        error: why it failed.
        result: what came of it.
        wake: called once when it is done.
        drives: whether it comes to an end only by `drive`.
    """

    drives = False

    __slots__ = ("done", "error", "lane", "result", "state", "wake")

    cancelled = "Operation was cancelled"

    def __init__(self, state: Waitable, lane: deque[Attempt]) -> None:
        self.state = state
        self.lane = lane
        self.done = False
        self.error: Exception | None = None
        self.result: torch.Tensor | list[tuple[np.ndarray | torch.Tensor, ...]] | tuple[torch.Tensor, ...] | None = None
        self.wake: Callable[[], None] = _no_wake

    def advance(self) -> bool:
        """Does what can be done now, under the state's lock; sets `done` when that is all. Whether it did anything."""
        raise NotImplementedError

    def drive(self) -> None:
        """Brings it to an end, in the thread that waits; blocks until then, or until another thread cancels it."""

    def undo(self) -> None:
        """Takes back, under the state's lock, what was done of an attempt that ends before it is complete."""

    def finish(
        self, result: torch.Tensor | Sequence[torch.Tensor | Sequence[np.ndarray | torch.Tensor]] | None = None
    ) -> None:
        """Ends the attempt with its result, under the state's lock."""
        self.result = result
        self.done = True
        self.wake()

    def fail(self, error: Exception) -> None:
        """Ends the attempt with an error, under the state's lock."""
        self.error = error
        self.done = True
        self.wake()

    def cancel(self, error: Exception | None = None) -> bool:
        """Ends the attempt from outside unless it is done; whether it did."""
        state = self.state
        with state.lock:
            if self.done:
                return False
            self.lane.remove(self)
            self.undo()
            self.fail(CancelledError(None, None, self.cancelled) if error is None else error)
            state.advance_attempts()
        return True

    def value(self) -> Any:
        """The result.

        Raises:
            OpError: why there is none.
        """
        if self.error is not None:
            raise self.error
        return self.result


class Waitable:
    """State that operations may have to wait for.

    Attributes:
        lock: held while the state changes.
        lanes: attempts that wait; in each lane only the first may go on.
    """

    def __init__(self, lanes: int = 1) -> None:
        self.lock = _allocate_lock()
        self.lanes: tuple[deque[Attempt], ...] = tuple(deque() for _ in range(lanes))

    def advance_attempts(self) -> None:
        """Advances attempts until none can go on, under the lock."""
        changed = True
        while changed:
            changed = False
            for lane in self.lanes:
                while lane:
                    attempt = lane[0]
                    moved = attempt.advance()
                    if attempt.done:
                        lane.popleft()
                    elif not moved:
                        break
                    changed = True

    def submit(self, attempt: Attempt) -> Attempt:
        """Puts an attempt in its lane and lets everything go on that can."""
        with self.lock:
            attempt.lane.append(attempt)
            self.advance_attempts()
        return attempt


class Waits:
    """The waits of one session.

    Attributes:
        closed: whether they have been cancelled.
        ending: has an entry from then on: what loops look at, which costs less than asking an attribute.
    """

    def __init__(self) -> None:
        self._open: set[Attempt] = set()
        self.closed = False
        self.ending: list[None] = []
        self._others: weakref.WeakSet[Any] = weakref.WeakSet()

    def close(self) -> None:
        """Cancels every wait, those to come as well, and ends what checks."""
        self.closed = True
        self.ending.append(None)
        for attempt in self._open.copy():
            attempt.cancel()
        for other in list(self._others):
            other.close()

    def check(self) -> None:
        """Ends what may run without an end of its own, such as a loop: called now and then by the thread that runs it.

        Raises:
            CancelledError: if the session has been closed, or the step cancelled.
            DeadlineExceededError: if the step's time is over.
        """
        if self.closed:
            raise CancelledError(None, None, _CANCELLED)
        check_step()

    def also_closes(self, other: Any) -> None:
        """Has `other`, in which steps may wait on their own account, closed as well, if it is still there."""
        self._others.add(other)

    def wait(self, attempt: Attempt) -> Any:
        """Waits until `attempt` is done and returns its result.

        Raises:
            CancelledError: if the session closes first.
            DeadlineExceededError: if the step's time ends first.
            OpError: whatever the attempt fails with.
        """
        if not attempt.done:
            self.wait_for_any((attempt,))
        return attempt.value()

    def wait_for_any(self, attempts: Iterable[Attempt]) -> None:
        """Waits until one of `attempts` is done. When the wait itself fails, all are cancelled."""
        attempts = tuple(attempts)
        gate = _allocate_lock()
        gate.acquire()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # open already
                gate.release()

        for attempt in attempts:
            with attempt.state.lock:
                attempt.wake = wake
                if attempt.done:
                    wake()
        self._open.update(attempts)
        cancellation: Cancellation | None = getattr(_step, "cancellation", None)
        if cancellation is not None:
            cancellation.watch(attempts)
        callback = getattr(_step, "on_wait", None)
        if callback is not None:
            callback()
        try:
            if self.closed:
                for attempt in attempts:
                    attempt.cancel()
            deadline = getattr(_step, "deadline", None)
            if deadline is None and len(attempts) == 1:
                attempts[0].drive()
            else:
                for attempt in attempts:
                    if attempt.drives:
                        threading.Thread(target=attempt.drive, daemon=True).start()
            if deadline is None:
                # An interrupt that comes just before the lock blocks is seen when it returns, and not sooner.
                while not gate.acquire(timeout=_LONGEST_SLEEP):
                    pass
            elif not gate.acquire(timeout=max(0.0, deadline - time.perf_counter())) and not any(
                attempt.done for attempt in attempts
            ):
                raise DeadlineExceededError(None, None, "Timed out waiting for notification")
        except BaseException:
            for attempt in attempts:
                attempt.cancel()
            raise
        finally:
            self._open.difference_update(attempts)
            if cancellation is not None:
                cancellation.forget(attempts)
        if shutdown.in_progress:
            shutdown.park_thread()


class Call(Attempt):
    """A blocking function on a thread of its own, for steps in which several operations wait at once.

    Args:
        function, arguments: what to call.
        start: runs a function on some thread; on a new one by default.
    """

    __slots__ = ()

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        start: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        state = Waitable()
        super().__init__(state, state.lanes[0])
        self.lane.append(self)
        limits = getattr(_step, "deadline", None), getattr(_step, "cancellation", None)
        if start is None:
            threading.Thread(target=self._run, args=(function, arguments, *limits), daemon=True).start()
        else:
            start(lambda: self._run(function, arguments, *limits))

    def advance(self) -> bool:
        return False

    def _run(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        deadline: float | None,
        cancellation: Cancellation | None,
    ) -> None:
        result: tuple[torch.Tensor] | None = None
        failure: Exception | None = None
        try:
            with with_deadline(deadline), with_cancellation(cancellation):
                result = function(*arguments)
        except Exception as error:  # noqa: BLE001 (told by whoever waits)
            failure = error
        with self.state.lock:
            if not self.done:
                self.lane.clear()
                if failure is None:
                    self.finish(result)
                else:
                    self.fail(failure)


def has_deadline() -> bool:
    """Whether this thread's waits end at some time."""
    return getattr(_step, "deadline", None) is not None


def check_step() -> None:
    """Raises CancelledError if this thread's step was cancelled, DeadlineExceededError if its time is over."""
    cancellation: Cancellation | None = getattr(_step, "cancellation", None)
    if cancellation is not None and cancellation.requested:
        raise CancelledError(None, None, _CANCELLED)
    check_deadline()


def check_deadline() -> None:
    """Raises DeadlineExceededError if the time of this thread's step is over."""
    deadline = getattr(_step, "deadline", None)
    if deadline is not None and time.perf_counter() > deadline:
        raise DeadlineExceededError(None, None, "The step took longer than its timeout.")


def remaining_time() -> float | None:
    """How many seconds this thread's waits have left; None where they have no end."""
    deadline = getattr(_step, "deadline", None)
    return None if deadline is None else max(0.001, deadline - time.perf_counter())


class Cancellation:
    """What ends the waits of one step from outside, those to come as well."""

    def __init__(self) -> None:
        self._attempts: set[Attempt] = set()
        self.requested = False

    def request(self) -> None:
        """Cancels what the step waits for."""
        self.requested = True
        for attempt in self._attempts.copy():
            attempt.cancel()

    def watch(self, attempts: Iterable[Attempt]) -> None:
        """Notes that the step waits for one of `attempts`."""
        self._attempts.update(attempts)
        if self.requested:
            self.request()

    def forget(self, attempts: Iterable[Attempt]) -> None:
        """Notes that it waits for them no more."""
        self._attempts.difference_update(attempts)


@contextlib.contextmanager
def with_cancellation(cancellation: Cancellation | None) -> Iterator[None]:
    """A context in which `cancellation` ends this thread's waits and loops."""
    outer = getattr(_step, "cancellation", None)
    _step.cancellation = cancellation
    try:
        with _limited(cancellation is not None):
            yield
    finally:
        _step.cancellation = outer


@contextlib.contextmanager
def with_deadline(deadline: float | None) -> Iterator[None]:
    """A context in which this thread's waits and loops end at `deadline`, a time of `time.perf_counter`."""
    outer = getattr(_step, "deadline", None)
    _step.deadline = deadline if outer is None else outer if deadline is None else min(deadline, outer)
    try:
        with _limited(deadline is not None):
            yield
    finally:
        _step.deadline = outer


@contextlib.contextmanager
def _limited(is_limited: bool) -> Iterator[None]:
    """A context in which loops ask whether they are to end, if there is something to ask for."""
    if not is_limited:
        yield
        return
    limits.append(None)
    try:
        yield
    finally:
        limits.pop()


@contextlib.contextmanager
def notified_of_waits(callback: Callable[[], None]) -> Iterator[None]:
    """A context in which `callback` is called whenever an operation that this thread runs begins to wait."""
    _step.on_wait = callback
    try:
        yield
    finally:
        _step.on_wait = None


@contextlib.contextmanager
def holding(lock: threading.Lock) -> Iterator[None]:
    """A context that holds a lock whose holder may wait itself, and gives up when the step's time is over.

    Raises:
        DeadlineExceededError: if it is over first.
    """
    deadline = getattr(_step, "deadline", None)
    if deadline is None:
        lock.acquire()
    elif not lock.acquire(timeout=max(0.0, deadline - time.perf_counter())):
        raise DeadlineExceededError(None, None, "Timed out waiting for notification")
    try:
        yield
    finally:
        lock.release()
