"""What a hook of a monitored session is: called around each `run`, it may ask for more and may end the training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.sessions.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run.

    Attributes:
        fetches: what to fetch too, in any structure.
        feed_dict: what to feed too.
        options: a RunOptions message to merge with those of the run.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What came of a run.

    Attributes:
        results: the values of the hook's fetches, in their structure.
        options: the RunOptions of the run.
        run_metadata: its RunMetadata.
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run, as its hooks see it.

    Args:
        original_args: what the caller asked for, a SessionRunArgs.
        session: the session below the monitored one.
    """

    def __init__(self, original_args: SessionRunArgs, session: SessionLike) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the caller asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, for runs without hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for the end of the training."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Makes the monitored session's `should_stop` true after this run."""
        self._stop_requested = True


class SessionRunHook:
    """Base class of hooks; every method does nothing.

    Example:
        >>> class Loss(tf.train.SessionRunHook):
        ...     def before_run(self, run_context):
        ...         return tf.train.SessionRunArgs("loss:0")
        ...     def after_run(self, run_context, run_values):
        ...         print(run_values.results)
    """

    def begin(self) -> None:
        """Called once, before the session is made; may add to the graph."""

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Called after a session has been made, the first and any later one; the graph is finalized."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; returns what to add to it, or None."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run that raised nothing."""

    def end(self, session: SessionLike) -> None:
        """Called at the end, unless it comes by an exception."""
