"""Threads that stop together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from headrace.core.errors import OutOfRangeError
from headrace.core.waiting import notified_of_waits
from headrace.util import tf_logging as logging

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]

# How often `join` looks whether its threads have ended of their own accord.
_LOOK_EVERY = 0.05
_MAX_PAUSE = 0.05


class Coordinator:
    """Lets any of several threads ask all of them to stop, and hands an exception of one to whoever waits for them.

    Args:
        clean_stop_exception_types: types of exceptions that mean a regular end, `OutOfRangeError` by default.

    Example:
        >>> coord, done = tf.train.Coordinator(), []
        >>> def work():
        ...     with coord.stop_on_exception():
        ...         while not coord.should_stop():
        ...             done.append("a step")
        ...             if len(done) >= 100:
        ...                 coord.request_stop()
        >>> threads = [threading.Thread(target=work) for _ in range(4)]
        >>> for thread in threads:
        ...     thread.start()
        >>> coord.join(threads)
    """

    def __init__(self, clean_stop_exception_types: Sequence[type[BaseException]] | None = None) -> None:
        self._clean = (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._reported: ExcInfo | None = None
        self._joined = False
        self._registered: set[threading.Thread] = set()

    def request_stop(self, ex: object = None) -> None:
        """Asks the threads to stop.

        Args:
            ex: the exception that is the reason, or what `sys.exc_info()` says; `join` raises it, unless it is one of
                the clean types. Only the first counts.

        Raises:
            Exception: `ex` itself, if `join` has returned already.
        """
        with self._lock:
            error = ex[1] if isinstance(ex, tuple) else ex
            if isinstance(error, self._clean):
                ex = None
            if self._joined and ex is not None:
                raise _complete(ex)[1]
            if self._stop.is_set():
                return
            if ex is not None and self._reported is None:
                self._reported = _complete(ex)
                logging.info("Error reported to Coordinator: %s, %s", self._reported[0], self._reported[1])
            self._stop.set()

    def clear_stop(self) -> None:
        """Forgets the request and the exception: the coordinator can be used again after `join`."""
        with self._lock:
            self._joined = False
            self._reported = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context that turns an exception into a request to stop."""
        try:
            yield
        except BaseException:  # noqa: BLE001 (told by join)
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested.

        Args:
            timeout: for how many seconds at most; without end by default.

        Returns:
            whether it was requested.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until the threads have ended, after a request to stop for a limited time only.

        Args:
            threads: started threads, besides the registered ones.
            stop_grace_period_secs: how many seconds threads may go on after the request.
            ignore_live_threads: whether threads that go on longer are left alone.

        Raises:
            Exception: what was reported with `request_stop`.
            RuntimeError: if threads go on after the grace period.
        """
        with self._lock:
            waited_for = [*self._registered.union(threads or ())]
        while any(thread.is_alive() for thread in waited_for) and not self._stop.wait(_LOOK_EVERY):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited_for:
            # In short waits, so that a signal's handler gets to run.
            while thread.is_alive() and (left := deadline - time.monotonic()) > 0:
                thread.join(min(left, _MAX_PAUSE))
        stragglers = [thread.name for thread in waited_for if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._reported is not None:
                raise self._reported[1].with_traceback(self._reported[2])
        if stragglers:
            text = f"Coordinator stopped with threads still running: {' '.join(stragglers)}"
            if not ignore_live_threads:
                raise RuntimeError(text)
            logging.info(text)

    @property
    def joined(self) -> bool:
        """Whether `join` has been called, since the last `clear_stop`."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception that was reported, if any."""
        with self._lock:
            if self._reported is not None:
                raise self._reported[1].with_traceback(self._reported[2])


def _complete(ex: object) -> ExcInfo:
    """Class, exception and traceback of what `request_stop` was given: those of the exception that is being handled.

    Raises:
        TypeError: if none is, and none was given as a tuple.
    """
    found = ex if isinstance(ex, tuple) else sys.exc_info()
    if len(found) == 3 and found[0] and found[1]:
        return found
    raise TypeError(f"ex must be a tuple or sys.exc_info must return the current exception: got {ex!r}")


class LooperThread(threading.Thread):
    """A thread that calls a function again and again until its coordinator stops; the function's exceptions stop it.

    Args:
        coord: the coordinator.
        timer_interval_secs: the seconds between the beginnings of two calls; None for calls without a pause.
        target: the function; without one, override `run_loop`.
        args, kwargs: its arguments.

    Raises:
        ValueError: if `coord` is not a coordinator, or there are arguments without a target.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._looped = None if target is None else (target, tuple(args or ()), dict(kwargs or {}))
        self._begun = threading.Event()
        coord.register_thread(self)

    def isAlive(self) -> bool:
        """As `is_alive`, which is all that Python has kept of the two."""
        return self.is_alive()

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Makes a looper thread and starts it."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """What the thread does: `start_loop`, `run_loop` again and again, `stop_loop`."""
        try:
            with self._coord.stop_on_exception():
                self.start_loop()
                if self._timer_interval_secs is None:
                    while not self._coord.should_stop():
                        self._turn()
                else:
                    due = time.monotonic()
                    while not self._coord.wait_for_stop(due - time.monotonic()):
                        due += self._timer_interval_secs
                        self._turn()
                self.stop_loop()
        finally:
            self._begun.set()

    def _turn(self) -> None:
        if self._begun.is_set():
            self.run_loop()
        else:
            with notified_of_waits(self._begun.set):
                self.run_loop()
            self._begun.set()

    def start_and_see_begun(self) -> None:
        """Starts the thread and waits for the end of its first turn, or for an operation of it that waits itself.

        Whatever steps are run afterwards come after the first one of the thread.
        """
        self.start()
        self._begun.wait()

    def start_loop(self) -> None:
        """Called when the thread starts."""

    def stop_loop(self) -> None:
        """Called when the thread stops."""

    def run_loop(self) -> None:
        """Called at each turn: calls the target."""
        if self._looped is not None:
            target, args, kwargs = self._looped
            target(*args, **kwargs)
