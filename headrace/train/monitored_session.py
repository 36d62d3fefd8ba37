"""Sessions that initialize or restore their model, call hooks around each run, and close tidily."""

from __future__ import annotations

import abc
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection, get_default_graph
from headrace.interop.protos import RunMetadata, RunOptions
from headrace.platform import tf_logging
from headrace.train.coordinator import Coordinator
from headrace.train.hooks import StepCounterHook
from headrace.train.queue_runner import start_queue_runners
from headrace.train.saving_hooks import CheckpointSaverHook, SummarySaverHook
from headrace.train.scaffold import Scaffold
from headrace.train.session_manager import SessionManager
from headrace.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues

# What a session that lost its workers raises: a new session may go on from the last checkpoint.
_LOST = (errors.AbortedError, errors.UnavailableError)
USE_DEFAULT = object()


class SessionCreator(abc.ABC):
    """Makes the session below a monitored one."""

    @abc.abstractmethod
    def create_session(self) -> Any:
        """A new session."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class _ScaffoldedCreator(SessionCreator):
    """A creator that finalizes a scaffold and uses a SessionManager over it."""

    def __init__(self, scaffold: Scaffold | None, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op,
                ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_ScaffoldedCreator):
    """Makes sessions that restore or initialize the model.

    Args:
        scaffold: what initializes, restores and tells whether it is ready.
        master: the session's target.
        config: its ConfigProto.
        checkpoint_dir: the folder to restore from.
        checkpoint_filename_with_path: or the checkpoint to restore.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self) -> Any:
        """A session whose model is ready."""
        scaffold = self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(_ScaffoldedCreator):
    """Makes sessions that wait until another has made the model ready.

    Args:
        scaffold: what tells whether it is ready.
        master: the session's target.
        config: its ConfigProto.
        max_wait_secs: how long to wait.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """A session whose model is ready."""
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )


class StepContext:
    """What a step function of `run_step_fn` gets.

    Args:
        session: the session without hooks.
        run_with_hooks_fn: runs with them.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """`session.run` with the hooks around it; at most once in a step."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the training, by raising StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


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
        self._coordinated_creator = _CoordinatedSessionCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        self._sess: _WrappedSession | None
        if should_recover:
            self._sess = _RecoverableSession(self._coordinated_creator)
        else:
            self._sess = self._coordinated_creator.create_session()

    @property
    def graph(self) -> Any:
        """The graph that was launched; None once the session is closed."""
        session = self._tf_sess()
        return None if session is None else session.graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """`Session.run` with the hooks around it."""
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
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
            raise RuntimeError("Session is already closed.")
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    def should_stop(self) -> bool:
        """Whether training should end: a hook or the coordinator asked for it, or the session is closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Calls the hooks' `end` and closes the session."""
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, exception_value: Any, traceback: Any) -> bool:
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

    def _tf_sess(self) -> Any:
        return self._coordinated_creator.tf_sess


class MonitoredSession(_MonitoredSession):
    """A session with hooks that is made anew where its workers were lost.

    Args:
        session_creator: makes the session; a ChiefSessionCreator by default.
        hooks: SessionRunHooks.
        stop_grace_period_secs: how long threads have to end.

    Example:
        >>> with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=100)]) as sess:
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
        config: Any = None,
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
    config: Any = None,
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
        >>> with tf.train.MonitoredTrainingSession(checkpoint_dir="/tmp/model", hooks=hooks) as sess:
        ...     while not sess.should_stop():
        ...         sess.run(train_op)
    """
    save_summaries_steps, save_summaries_secs = _choice(save_summaries_steps, save_summaries_secs, (100, None))
    save_checkpoint_steps, save_checkpoint_secs = _choice(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    scaffold = scaffold or Scaffold()
    creator: SessionCreator
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks or [], stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if _positive(log_step_count_steps):
            all_hooks.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=summary_dir))
        if _positive(save_summaries_steps, save_summaries_secs):
            all_hooks.append(
                SummarySaverHook(
                    scaffold=scaffold,
                    save_steps=save_summaries_steps,
                    save_secs=save_summaries_secs,
                    output_dir=summary_dir,
                )
            )
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


# ---- the layers of a monitored session ----


class _CoordinatedSessionCreator(SessionCreator):
    """Makes the session, its coordinator and the threads of its queues, and tells the hooks."""

    def __init__(
        self, session_creator: SessionCreator, hooks: Sequence[SessionRunHook], stop_grace_period_secs: float
    ) -> None:
        self._session_creator = session_creator
        self._hooks = hooks
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None
        self._stop_grace_period_secs = stop_grace_period_secs

    def create_session(self) -> _CoordinatedSession:
        """A session with hooks and a coordinator."""
        self.tf_sess = self._session_creator.create_session()
        # Nothing ends the training quietly: the end of the input is for the caller to see.
        self.coord = Coordinator(clean_stop_exception_types=[])
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        hooked = _HookedSession(self.tf_sess, self._hooks)
        return _CoordinatedSession(hooked, self.coord, self._stop_grace_period_secs)


class _WrappedSession:
    """A session around a session."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(sess, _WrappedSession)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._sess.graph

    @property
    def sess_str(self) -> Any:
        """The target."""
        return self._sess.sess_str

    def should_stop(self) -> bool:
        """Whether this or a session inside asks for the end."""
        if self._check_stop():
            return True
        if self._sess:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self) -> bool:
        return False

    def close(self) -> None:
        """Closes the session inside."""
        if not self._sess:
            return
        try:
            self._sess.close()
        except _LOST as error:
            tf_logging.warning("The session's workers were gone when it was closed: %s", error)
        finally:
            self._sess = None

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs."""
        return self._sess.run(*args, **kwargs)

    def run_step_fn(
        self, step_fn: Callable[..., Any], raw_session: Any, run_with_hooks: Callable[..., Any] | None
    ) -> Any:
        """Calls `step_fn` with a context whose runs go through this session."""
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class _RecoverableSession(_WrappedSession):
    """Makes a new session where the old one lost its workers."""

    def __init__(self, sess_creator: SessionCreator) -> None:
        self._sess_creator = sess_creator
        super().__init__(self._create_session())

    def _create_session(self) -> Any:
        while True:
            try:
                return self._sess_creator.create_session()
            except _LOST as error:
                tf_logging.info("A session is made again, as its workers were lost while it was made: %s", error)

    def _again(self, error: Exception) -> None:
        tf_logging.info("A new session is made, as the workers of the last one were lost: %s", error)
        self.close()
        self._sess = None

    def _check_stop(self) -> bool:
        try:
            return self._sess._check_stop() if self._sess else True
        except _LOST as error:
            self._again(error)
            self._sess = self._create_session()
            return False
        except Exception:  # noqa: BLE001
            # Whatever a thread raised, the next run tells; until then there is nothing more to do.
            return True

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs, again if the workers were lost."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
            except _LOST as error:
                self._again(error)

    def run_step_fn(
        self, step_fn: Callable[..., Any], raw_session: Any, run_with_hooks: Callable[..., Any] | None
    ) -> Any:
        """Calls `step_fn`, again if the workers were lost."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return self._sess.run_step_fn(step_fn, raw_session, self._sess.run)
            except _LOST as error:
                self._again(error)


class _CoordinatedSession(_WrappedSession):
    """Ends the coordinator's threads when it is closed, and raises what they raised."""

    def __init__(self, sess: Any, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
        super().__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self) -> bool:
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """Ends the threads and closes the session."""
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            super().close()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs; if that fails because the workers were lost in a thread, that is what is raised."""
        try:
            return self._sess.run(*args, **kwargs)
        except _LOST:
            raise
        except Exception as error:
            try:
                self._coord.raise_requested_exception()
            except _LOST:
                raise
            except Exception:  # noqa: BLE001
                # The caller's own error says more than what a thread raised on account of it.
                raise error from None
            raise


def _is_default(options: Any) -> bool:
    return options is None or not options.ListFields()


class _HookedSession(_WrappedSession):
    """Calls hooks around each run."""

    def __init__(self, sess: Any, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs with what the hooks ask for."""
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        asked_options = options
        options = RunOptions() if options is None else options
        wanted, asking, feeds = [fetches], [], feed_dict
        requests = [hook.before_run(context) for hook in self._hooks]
        if any(request is not None for request in requests):
            for place, request in enumerate(requests):
                if request is not None and request.fetches is not None:
                    wanted.append(request.fetches)
                    asking.append(place)
            feeds = self._merged_feeds(requests, feed_dict)
            for request in requests:
                if request is not None and request.options:
                    _merge_options(options, request.options)
        metadata = RunMetadata() if run_metadata is None else run_metadata
        # A run with options goes another, slower way, so it is not asked for in vain.
        plain = _is_default(options) and asked_options is None and run_metadata is None
        keywords = {} if plain else {"options": options, "run_metadata": metadata}
        outputs = self._sess.run(wanted, feed_dict=feeds, **keywords)
        results = dict(zip(asking, outputs[1:], strict=True))
        for place, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(results.get(place), options, metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return outputs[0]

    @staticmethod
    def _merged_feeds(requests: Sequence[SessionRunArgs | None], feed_dict: Any) -> Any:
        feeds: dict[Any, Any] = {}
        for request in requests:
            if request is not None and request.feed_dict:
                _refuse_common(feeds, request.feed_dict, "Same tensor is fed by two hooks.")
                feeds.update(request.feed_dict)
        if not feeds:
            return feed_dict
        if feed_dict:
            _refuse_common(feed_dict, feeds, "Same tensor is fed by a SessionRunHook and user.")
            feeds.update(feed_dict)
        return feeds


def _refuse_common(feeds: Any, others: Any, message: str) -> None:
    common = [feed for feed in others if feed in feeds]
    if common:
        raise RuntimeError(f"{message} Conflict(s): {common}")


def _merge_options(options: Any, incoming: Any) -> None:
    """Adds what `incoming` asks for to `options`."""
    for name in ("trace_level", "timeout_in_ms", "inter_op_thread_pool", "output_partition_graphs"):
        setattr(options, name, max(getattr(options, name), getattr(incoming, name)))
    debug, more = options.debug_options, incoming.debug_options
    if more.ListFields():
        debug.debug_tensor_watch_opts.extend(more.debug_tensor_watch_opts)
        debug.reset_disk_byte_usage = debug.reset_disk_byte_usage or more.reset_disk_byte_usage
    if incoming.report_tensor_allocations_upon_oom:
        options.report_tensor_allocations_upon_oom = True
