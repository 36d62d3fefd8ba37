"""What a thread's writing summaries go by: the writer in use, whether they are recorded, and their step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor


class _State(threading.local):
    """A thread's settings.

    Attributes:
        writer: the writer in use, or None.
        recording: whether summaries are recorded: a bool, a bool tensor or a function that returns one; None where
            nothing has been said.
        recording_here: the same, as whoever runs several copies of a program sets it for each.
        step: the step of summaries that are given none.
    """

    writer: Any = None
    recording: Any = None
    recording_here: Any = True
    step: Any = None


state = _State()


def settings_here() -> tuple[Any, ...]:
    """The settings of this thread, for another one that does part of its work."""
    return state.writer, state.recording, state.recording_here, state.step


def take_over(settings: tuple[Any, ...]) -> None:
    """Gives this thread the settings of another one.

    Args:
        settings: from `settings_here`.
    """
    state.writer, state.recording, state.recording_here, state.step = settings


def current_writer() -> Any:
    """The writer in use in this thread, or None."""
    return state.writer


def _resolved(value: bool | Callable[..., Any] | None) -> Any:
    return value() if callable(value) else value


def _recorded(unsaid: bool) -> Tensor:
    here, asked = _resolved(state.recording_here), _resolved(state.recording)
    return raw.LogicalAnd(here, unsaid if asked is None else asked)


def should_record_summaries() -> Tensor:
    """Whether summaries are recorded, as a bool tensor; they are not where nothing has been said."""
    return _recorded(False)


def should_record_by_default() -> Tensor:
    """Whether summaries are recorded, as a bool tensor; they are where nothing has been said."""
    return _recorded(True)


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Records the summaries in the block only if a condition holds.

    Args:
        condition: a bool, a bool tensor of shape [], or a function that returns one of them, called for each summary.

    Example:
        >>> writer = tf.compat.v2.summary.create_file_writer("logs")
        >>> step = tf.constant(1, tf.int64)
        >>> with writer.as_default(), tf.compat.v2.summary.record_if(lambda: tf.equal(step % 100, 0)):
        ...     written = tf.compat.v2.summary.scalar("loss", loss, step=step)
        >>> sess.run(writer.init())
        >>> sess.run(written)
        False
    """
    before, state.recording = state.recording, condition
    try:
        yield
    finally:
        state.recording = before


def get_step() -> Any:
    """The step of this thread's summaries that are given none, or None."""
    return state.step


def set_step(step: Any) -> None:
    """Sets the step of this thread's summaries that are given none.

    Args:
        step: a number, a tensor or a variable (which is read when a summary is written); None for none.
    """
    state.step = step


def required_step(step: Any) -> Any:
    """`step`, or the thread's where it is None.

    Raises:
        ValueError: if there is neither.
    """
    if step is None:
        step = state.step
    if step is None:
        raise ValueError("No step set via 'step' argument or tf.summary.experimental.set_step()")
    return step
