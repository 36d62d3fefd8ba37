"""Sessions that initialize or restore their model, call hooks around each run, and close tidily."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.core.defaults import get_default_graph
from headrace.sessions.hooks import StepCounterHook
from headrace.sessions.saving_hooks import CheckpointSaverHook, SummarySaverHook
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.sessions.worker_context import WorkerContext, get_current_worker_context
from headrace.sessions.wrapped_sessions import (
    CoordinatedSessionCreator,
    RecoverableSession,
    StepContext,
    WrappedSession,
)
from headrace.util import tf_logging

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np

    from headrace.core.errors import OutOfRangeError
    from headrace.core.typing import FeedDict, Fetches
    from headrace.messages import protos
    from headrace.runtime.session import Session


USE_DEFAULT = object()
# How often workers save that cannot do so by time.
_STEPS_BETWEEN_CHECKPOINTS = 1000


class _MonitoredSession:
    """The common part of MonitoredSession and SingularMonitoredSession."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph_was_finalized = get_default_graph().finalized
        self._hooks = hooks or []
        for hook in self._hooks:
            hook.begin()
        if session_creator is None:
            worker = get_current_worker_context()
            session_creator = ChiefSessionCreator() if worker is None else worker.session_creator()
        self._coordinated_creator = CoordinatedSessionCreator(session_creator, self._hooks, stop_grace_period_secs)
        self._sess: WrappedSession | None
        if should_recover:
            self._sess = RecoverableSession(self._coordinated_creator)
        else:
            self._sess = self._coordinated_creator.create_session()

    @property
    def graph(self) -> Any:
        """The graph that was launched; None once the session is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: protos.RunMetadata | None = None,
    ) -> Any:
        """`Session.run` with the hooks around it."""
        if self._sess is None:
            # Unlike a second `close`, which is a RuntimeError.
            raise AttributeError("Session is already closed.")
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> tuple[np.integer[Any], int]:
        """Calls a function of a StepContext, which may run things with and without hooks.

        Args:
            step_fn: its only parameter is `step_context`.

        Returns:
            what `step_fn` returns.

        Raises:
            StopIteration: if `step_fn` calls `step_context.request_stop()`.
            ValueError: for a function of other parameters.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        if self._sess is None:
            raise AttributeError("Session is already closed.")
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Whether training should end: a hook or the coordinator asked for it, or the session is closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Calls the hooks' `end` and closes the session."""
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self, exception_type: type | None, exception_value: OutOfRangeError | None, traceback: TracebackType | None
    ) -> bool:
        if exception_type in (errors.OutOfRangeError, StopIteration):
            # The end of the input is the end of the training.
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _close_internal(self, exception_type: Any = None) -> None:
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._coordinated_creator.tf_sess)
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError("Session is already closed.")
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                if not self._graph_was_finalized:
                    get_default_graph()._unsafe_unfinalize()

    def _is_closed(self) -> bool:
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self) -> Session:
        return self._coordinated_creator.tf_sess


class MonitoredSession(_MonitoredSession):
    """A session with hooks that is made anew where its workers were lost.

    Args:
        session_creator: makes the session; a ChiefSessionCreator by default.
        hooks: SessionRunHooks.
        stop_grace_period_secs: how long threads have to end.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step)
        >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=10)]) as sess:
        ...     while not sess.should_stop():
        ...         sess.run(train_op)
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks in this process, which `Saver` accepts by its `raw_session()`.

    Args:
        hooks: SessionRunHooks.
        scaffold: what initializes, restores and tells whether the model is ready.
        master: the session's target.
        config: its ConfigProto.
        checkpoint_dir: the folder to restore from.
        stop_grace_period_secs: how long threads have to end.
        checkpoint_filename_with_path: or the checkpoint to restore.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: protos.ConfigProto | None = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session below."""
        return self._tf_sess()


def _choice(first: Any, second: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two settings of which at most one is given, or their defaults."""
    if first is USE_DEFAULT and second is USE_DEFAULT:
        return default
    return (None if first is USE_DEFAULT else first), (None if second is USE_DEFAULT else second)


def _positive(*values: Any) -> bool:
    return any(value and value > 0 for value in values)


def _folders_of(
    worker: WorkerContext, checkpoint_dir: str | None, summary_dir: str | None
) -> tuple[str | None, str | None]:
    """Where a worker saves and writes summaries, None for nowhere.

    Where collectives may be among what runs for these files all workers write them, one of them those to be kept.
    """

    def folder(path: str | None, kept: bool) -> str | None:
        if path is None or kept:
            return path
        return None if worker.scratch_folder is None else os.path.join(path, worker.scratch_folder)

    return folder(checkpoint_dir, worker.should_checkpoint), folder(summary_dir, worker.should_save_summary)


def _saving_together(
    worker: WorkerContext, steps: int | None, seconds: float | None
) -> tuple[int | None, float | None]:
    """How often a worker saves: in steps where all have to do so together."""
    if worker.scratch_folder is None or not seconds:
        return steps, seconds
    tf_logging.warning(
        "Workers that wait for each other cannot save by the clock, as theirs differ: checkpoints are saved every %d steps "
        "instead of every %s seconds. Give save_checkpoint_steps.",
        _STEPS_BETWEEN_CHECKPOINTS,
        seconds,
    )
    return _STEPS_BETWEEN_CHECKPOINTS, None


def _summary_hooks(
    scaffold: Scaffold,
    folder: str,
    log_step_count_steps: int | None,
    save_summaries_steps: int | None,
    save_summaries_secs: float | None,
) -> list[SessionRunHook]:
    """What writes the steps a second and the summaries; arguments as of `MonitoredTrainingSession`."""
    found: list[SessionRunHook] = []
    if _positive(log_step_count_steps):
        found.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=folder))
    if _positive(save_summaries_steps, save_summaries_secs):
        found.append(
            SummarySaverHook(
                scaffold=scaffold,
                save_steps=save_summaries_steps,
                save_secs=save_summaries_secs,
                output_dir=folder,
            )
        )
    return found


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: protos.ConfigProto | None = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
) -> MonitoredSession:
    """A session for training: it restores, saves checkpoints and summaries, counts steps and calls hooks.

    Args:
        master: the session's target.
        is_chief: whether it initializes, saves and writes; a worker waits for the chief.
        checkpoint_dir: the folder of the checkpoints.
        scaffold: what initializes and restores.
        hooks: SessionRunHooks.
        chief_only_hooks: hooks of the chief, which come first.
        save_checkpoint_secs: how often to save; 600 by default, None or 0 for never.
        save_summaries_steps, save_summaries_secs: how often to write summaries; every 100 steps by default.
        config: the session's ConfigProto.
        stop_grace_period_secs: how long threads have to end.
        log_step_count_steps: how often to log the steps a second; None or 0 for never.
        max_wait_secs: how long a worker waits for the chief.
        save_checkpoint_steps: how often to save, in steps.
        summary_dir: the folder of the summaries; that of the checkpoints by default.

    Returns:
        a MonitoredSession.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step)
        >>> hooks = [tf.train.StopAtStepHook(last_step=10)]
        >>> with tf.train.MonitoredTrainingSession(checkpoint_dir="train", hooks=hooks) as sess:
        ...     while not sess.should_stop():
        ...         sess.run(train_op)
        >>> tf.train.latest_checkpoint("train")
        'train/model.ckpt-10'
    """
    save_summaries_steps, save_summaries_secs = _choice(save_summaries_steps, save_summaries_secs, (100, None))
    save_checkpoint_steps, save_checkpoint_secs = _choice(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold, summary_dir = scaffold or Scaffold(), summary_dir or checkpoint_dir
    creator: SessionCreator
    worker = get_current_worker_context()
    if worker is not None:
        creator = worker.session_creator(scaffold, config, checkpoint_dir, max_wait_secs=max_wait_secs)
        checkpoint_dir, summary_dir = _folders_of(worker, checkpoint_dir, summary_dir)
        save_checkpoint_steps, save_checkpoint_secs = _saving_together(
            worker, save_checkpoint_steps, save_checkpoint_secs
        )
        chief_only_hooks = chief_only_hooks if worker.is_chief else None
    elif not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks or [], stop_grace_period_secs)
    else:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    all_hooks = list(chief_only_hooks or [])
    if summary_dir:
        save = save_summaries_steps, save_summaries_secs
        all_hooks += _summary_hooks(scaffold, summary_dir, log_step_count_steps, *save)
    if checkpoint_dir and _positive(save_checkpoint_secs, save_checkpoint_steps):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=save_checkpoint_steps,
                save_secs=save_checkpoint_secs,
                scaffold=scaffold,
            )
        )
    all_hooks.extend(hooks or [])
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
