"""What threads do beside a step, for those who trace the step: making elements of a dataset, filling a queue."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple


class Piece(NamedTuple):
    """A piece of work that ended while somebody traced.

    Attributes:
        name: what was done.
        thread: the identity of the thread that did it.
        start, end: times of `time.perf_counter`.
    """

    name: str
    thread: int
    start: float
    end: float


_recordings: list[list[Piece]] = []


def traced() -> bool:
    """Whether anybody wants to know."""
    return bool(_recordings)


def note(name: str, start: float) -> None:
    """Tells of work that began at `start`, a time of `time.perf_counter`, and ends now."""
    piece = Piece(name, threading.get_ident(), start, time.perf_counter())
    for recording in _recordings:
        recording.append(piece)


@contextlib.contextmanager
def recorded() -> Iterator[list[Piece]]:
    """A context that gathers what other threads do meanwhile."""
    recording: list[Piece] = []
    _recordings.append(recording)
    try:
        yield recording
    finally:
        # By identity: recordings may be equal.
        _recordings[:] = [other for other in _recordings if other is not recording]
        me = threading.get_ident()
        recording[:] = [piece for piece in recording if piece.thread != me]
