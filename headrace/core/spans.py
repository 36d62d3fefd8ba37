"""Spans of work that threads do beside a traced step: making elements of a dataset, filling a queue."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of work that ended while a step was traced.

    Attributes:
        name: what was done.
        thread: the identity of the thread that did it.
        start, end: times of `time.perf_counter`.
    """

    name: str
    thread: int
    start: float
    end: float


_recordings: list[list[Span]] = []


def is_recording() -> bool:
    """Whether any step is being traced."""
    return bool(_recordings)


def record(name: str, start: float) -> None:
    """Records work that began at `start`, a time of `time.perf_counter`, and ends now."""
    span = Span(name, threading.get_ident(), start, time.perf_counter())
    for recording in _recordings:
        recording.append(span)


@contextlib.contextmanager
def recorded_spans() -> Iterator[list[Span]]:
    """A context that collects the spans of other threads."""
    recording: list[Span] = []
    _recordings.append(recording)
    try:
        yield recording
    finally:
        # By identity: recordings may be equal.
        _recordings[:] = [other for other in _recordings if other is not recording]
        me = threading.get_ident()
        recording[:] = [span for span in recording if span.thread != me]
