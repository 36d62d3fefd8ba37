"""1.x's executors: whether a thread's eager operations may still be running when they have been called.

They never are here: each has run when its call returns, which is one of the ways in which an asynchronous executor may
run them. What a program notices of `tfe.ASYNC` is that errors come from the call itself, not from a later one.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

SYNC, ASYNC = 0, 1


class Executor:
    """What runs the eager operations of threads.

    Args:
        is_async: whether operations may return before they have run.
    """

    def __init__(self, is_async: bool = False) -> None:
        self._is_async = is_async

    def is_async(self) -> bool:
        """Whether operations may return before they have run."""
        return self._is_async

    def wait(self) -> None:
        """Returns when all operations have run, as they have."""

    def clear_error(self) -> None:
        """Forgets errors that no call has raised yet: there are none."""


class _Chosen(threading.local):
    executor: Executor | None = None


_chosen = _Chosen()
_default = Executor()


def new_executor(enable_async: bool) -> Executor:
    """An executor of its own.

    Args:
        enable_async: whether operations may return before they have run.
    """
    return Executor(enable_async)


def current_executor() -> Executor:
    """That of this thread."""
    return _chosen.executor or _default


def set_executor(executor: Executor | None) -> None:
    """Gives this thread an executor; None for that of the process."""
    _chosen.executor = executor


def set_default_mode(mode: int | None) -> None:
    """Sets how the operations of threads run that have not said it themselves.

    Raises:
        ValueError: for something that is no mode.
    """
    global _default
    _default = _of_mode(mode)


@contextlib.contextmanager
def executor_scope(e: Executor) -> Iterator[None]:
    """A context in which this thread's operations belong to the executor `e`."""
    outer = _chosen.executor
    _chosen.executor = e
    try:
        yield
    finally:
        _chosen.executor = outer


def set_execution_mode(mode: int | None) -> None:
    """Sets how operations of this thread run.

    Args:
        mode: `tfe.SYNC`, `tfe.ASYNC`, or None for the first.

    Raises:
        ValueError: for something that is no mode.
    """
    if _of_mode(mode).is_async() != current_executor().is_async():
        _chosen.executor = _of_mode(mode)


@contextlib.contextmanager
def execution_mode(mode: int | None) -> Iterator[None]:
    """A context in which `set_execution_mode(mode)` has been called."""
    with executor_scope(_of_mode(mode)):
        yield


def is_async() -> bool:
    """Whether operations of this thread may return before they have run."""
    return current_executor().is_async()


def async_wait() -> None:
    """Returns when the operations of this thread have run, as they have."""
    current_executor().wait()


def async_clear_error() -> None:
    """Forgets errors that no call has raised yet: there are none."""
    current_executor().clear_error()


def check_execution_mode(mode: int | None) -> int:
    """An execution mode, the first for None.

    Raises:
        ValueError: for something that is none.
    """
    if mode not in (None, SYNC, ASYNC):
        raise ValueError(f"Execution mode should be None/SYNC/ASYNC. Got {mode}")
    return SYNC if mode is None else mode


def _of_mode(mode: int | None) -> Executor:
    return Executor(check_execution_mode(mode) == ASYNC)
