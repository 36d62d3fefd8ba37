"""Workers that call a function: threads, or threads with a process each."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

# NumPy imports it when it is first used: a fork while another thread does so would wait for that thread for ever.
import numpy.random
import torch

# While a process is started no other may be: it would keep the ends of pipes open that are not its own.
_starting = threading.Lock()
# How many seconds a process has to end by itself.
_PATIENCE = 5.0

# Those of them that a program still uses.
_pools_of_processes: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


class WorkerPool:
    """Calls a function in several threads or processes.

    Processes are copies of this one at the time the pool is made, or begin anew with a pickled copy of the function where
    `multiprocessing.set_start_method` says so or the system knows no copies. They end with `close`, with this process (also where
    it is killed), and leave the keyboard's interrupt to it.

    Args:
        workers: how many.
        function: what is called.
        processes: whether in processes.
        seed: NumPy's seed in the first process; each next one has one more.

    Example:
        >>> pool = WorkerPool(2, str.upper, processes=True)
        >>> pool.submit("word").result()
        'WORD'
        >>> pool.close()
    """

    def __init__(
        self, workers: int, function: Callable[..., Any], *, processes: bool = False, seed: int | None = None
    ) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._processes = [_Process(function, i, seed) for i in range(workers)] if processes else []
        calls = [process.call for process in self._processes] or [function] * workers
        for call in calls:
            threading.Thread(target=self._work, args=(call,), name="batch worker", daemon=True).start()
        self._count = len(calls)
        if processes:
            _pools_of_processes.add(self)

    def submit(self, *arguments: Any) -> Future[Any]:
        """Asks for a call of the function.

        Returns:
            a future, cancelled if the pool is closed before the call has been begun.
        """
        future: Future[Any] = Future()
        with self._lock:
            if self._closed:
                future.cancel()
            else:
                self._jobs.put((future, arguments))
        return future

    def close(self, patience: float = _PATIENCE, kill: bool = False) -> None:
        """Ends the workers. Threads end after what they are at, processes at once.

        Args:
            patience: after how many seconds a process that is asked to end is killed.
            kill: whether it is killed without being asked.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            while not self._jobs.empty():
                try:
                    waiting = self._jobs.get_nowait()
                except queue.Empty:  # a worker was quicker
                    break
                if waiting is not None:
                    waiting[0].cancel()
            for _ in range(self._count):
                self._jobs.put(None)
        for worker in self._processes:
            worker.end(patience, kill)

    def _work(self, call: Callable[..., Any]) -> None:
        while (job := self._jobs.get()) is not None:
            future, arguments = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call(*arguments)
            except BaseException as error:  # noqa: BLE001 -- it is raised where the result is asked for
                future.set_exception(CancelledError() if self._closed and isinstance(error, WorkerDied) else error)
            else:
                future.set_result(result)


def terminate_keras_multiprocessing_pools(grace_period: float = 0.1, use_sigkill: bool = False) -> list[str]:
    """Ends the processes of all pools that make batches, as a program may want to before it forks or ends.

    Args:
        grace_period: after how many seconds a process that is asked to end is killed.
        use_sigkill: whether it is killed without being asked.

    Returns:
        what went wrong: nothing, as processes that do not end are killed.

    Example:
        >>> tf.keras.experimental.terminate_keras_multiprocessing_pools()
        []
    """
    for pool in list(_pools_of_processes):
        pool.close(grace_period, use_sigkill)
    return []


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """A block in which the keyboard's interrupt waits: a process that is just beginning would not know yet to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _context() -> Any:
    """How processes are started: as the program has said, or as copies of this one where the system has that."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is None and "fork" in multiprocessing.get_all_start_methods():
        chosen = "fork"
    return multiprocessing.get_context(chosen)


class WorkerDied(RuntimeError):
    """A process has ended without an answer."""


class _Process:
    """A process that calls a function for a thread of this one."""

    def __init__(self, function: Callable[..., Any], number: int, seed: int | None) -> None:
        context = _context()
        forks = context.get_start_method() == "fork"
        with _starting:
            self._connection, theirs = context.Pipe()
            # A fork inherits this end too, and would not see this process end as long as it is open there.
            ours = self._connection if forks else None
            arguments = function, theirs, ours, None if seed is None else seed + number
            self._process = context.Process(target=_serve, args=arguments, name=f"Keras_worker_{number}", daemon=True)
            with _interrupts_held():
                self._process.start()
            theirs.close()
        # Of two threads that wait for one process, one alone is told of its end.
        self._waiting = threading.Lock()

    def call(self, *arguments: Any) -> Any:
        """What the function gives there.

        Raises:
            WorkerDied: if the process ends before it has answered.
            Exception: what the function raises.
        """
        try:
            self._connection.send(arguments)
            done, result, told = self._connection.recv()
        except (EOFError, OSError) as error:
            with self._waiting:
                self._process.join(1)
            raise WorkerDied(
                f"A process that makes batches ended before it gave one (exit code {self._process.exitcode})."
            ) from error
        if not done:
            raise result from RuntimeError(f"in a process that makes batches:\n{told}")
        return result

    def end(self, patience: float, kill: bool) -> None:
        """Ends the process, whatever it is at."""
        with self._waiting:
            if not kill:
                self._process.terminate()
                self._process.join(patience)
            if self._process.exitcode is None:
                self._process.kill()
                self._process.join()


def _serve(function: Callable[..., Any], ours: Connection, theirs: Connection | None, seed: int | None) -> None:
    """What a process does: it calls the function as often as it is asked to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if theirs is not None:
        theirs.close()
    # The threads of the process it is a copy of are not in the copy: what counts on them would wait for ever.
    torch.set_num_threads(1)
    if seed is not None:
        np.random.seed(seed)
    while True:
        try:
            arguments = ours.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[bool, Any, str] = True, function(*arguments), ""
        except Exception as error:  # noqa: BLE001 -- it is raised where the result is asked for
            answer = False, _sendable(error), traceback.format_exc()
        try:
            ours.send(answer)
        except (EOFError, BrokenPipeError):
            return
        except Exception as error:  # noqa: BLE001 -- pickling fails with whatever class the value's own code raises
            ours.send((False, _sendable(error), traceback.format_exc()))


def _sendable(error: Exception) -> Exception:
    """An error that can be sent, and made again on the other side."""
    try:
        ForkingPickler.loads(ForkingPickler.dumps(error))
    except Exception:  # noqa: BLE001 -- whatever the error's own class raises
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
