"""How a long cell gets on: one line that is written anew each second."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.runtime.session import BaseSession

# Cells that end sooner show nothing; seconds.
_PATIENCE, _PAUSE = 2.0, 1.0


class Progress:
    """Counts the steps of sessions while a cell runs, and shows them.

    Args:
        show: called with the text to show in the place of the last; with None when the cell ends.
        clock: gives seconds.
    """

    def __init__(self, show: Callable[[str | None], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._show, self._clock = show, clock
        self._steps, self._started, self._next = 0, 0.0, float("inf")
        self._is_shown = False
        self._run: Callable[..., Any] | None = None

    def start(self, *_: Any) -> None:
        """A cell begins."""
        self._steps, self._is_shown = 0, False
        self._started = self._clock()
        self._next = self._started + _PATIENCE

    def stop(self, *_: Any) -> None:
        """A cell has ended."""
        self._next = float("inf")
        if self._is_shown:
            self._show(None)

    def step(self, result: object) -> None:
        """A session has run once.

        Args:
            result: what it fetched; the first number in it is shown.
        """
        self._steps += 1
        now = self._clock()
        if now < self._next:
            return
        self._next, self._is_shown = now + _PAUSE, True
        taken = now - self._started
        value = _number(result)
        said = "" if value is None else f", last value {value:.6g}"
        self._show(f"{self._steps:,} runs of sessions in {taken:.0f} s, {self._steps / taken:,.1f} a second{said}")

    def watch(self) -> None:
        """Counts the runs of all sessions from here on."""
        if self._run is not None:
            return
        self._run = run = BaseSession.run

        @functools.wraps(run)
        def counted(session: BaseSession, *args: Any, **keywords: Any) -> Any:
            result = run(session, *args, **keywords)
            self.step(result)
            return result

        BaseSession.run = counted  # type: ignore[method-assign, assignment]  # the same signature, spelled by wraps

    def unwatch(self) -> None:
        """Counts no more."""
        if self._run is not None:
            BaseSession.run = self._run  # type: ignore[method-assign]  # its own again
            self._run = None


def _number(result: object) -> float | None:
    """The first number among the results of a run."""
    if isinstance(result, (float, np.floating)):
        return float(result)
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return next((value for value in map(_number, result) if value is not None), None)
    return None
