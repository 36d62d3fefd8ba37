"""The layers of a monitored session: hooks, a coordinator and recovery, each a session around a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.messages.protos import RunMetadata, RunOptions
from headrace.sessions.coordinator import Coordinator
from headrace.sessions.queue_runner import start_queue_runners
from headrace.sessions.session_creators import SessionCreator
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.util import tf_logging

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import FeedDict, Fetches, SessionLike
    from headrace.messages import protos
    from headrace.runtime.session import Session


# What a session that lost its workers raises: a new session may go on from the last checkpoint.
_LOST = (errors.AbortedError, errors.UnavailableError)


class StepContext:
    """What a step function of `run_step_fn` gets.

    Args:
        session: the session without hooks.
        run_with_hooks_fn: runs with them.
    """

    def __init__(self, session: SessionLike, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> np.integer[Any]:
        """`session.run` with the hooks around it; at most once in a step."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the training, by raising StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class CoordinatedSessionCreator(SessionCreator):
    """Makes the session, its coordinator and the threads of its queues, and tells the hooks."""

    def __init__(
        self, session_creator: SessionCreator, hooks: Sequence[SessionRunHook], stop_grace_period_secs: float
    ) -> None:
        self._session_creator = session_creator
        self._hooks = hooks
        self.coord: Coordinator | None = None
        self.tf_sess: Any = None
        self._stop_grace_period_secs = stop_grace_period_secs

    def create_session(self) -> CoordinatedSession:
        """A session with hooks and a coordinator."""
        self.tf_sess = self._session_creator.create_session()
        # Nothing ends the training quietly: the end of the input is for the caller to see.
        self.coord = Coordinator(clean_stop_exception_types=[])
        if get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        hooked = HookedSession(self.tf_sess, self._hooks)
        return CoordinatedSession(hooked, self.coord, self._stop_grace_period_secs)


class WrappedSession:
    """A session around a session."""

    def __init__(self, sess: Any) -> None:
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(sess, WrappedSession)

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


class RecoverableSession(WrappedSession):
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

    def _discard_session(self, error: Exception) -> None:
        tf_logging.info(
            "An error was raised. This may be due to a preemption in a connected worker or parameter server. The session is "
            "closed and another one is made. Where this happens again and again, servers may be short of memory or network: "
            "use more of them. Error: %s",
            error,
        )
        self.close()
        self._sess = None

    def _check_stop(self) -> bool:
        try:
            return self._sess._check_stop() if self._sess else True
        except _LOST as error:
            self._discard_session(error)
            self._sess = self._create_session()
            return False
        except Exception:  # noqa: BLE001
            # Whatever a thread raised, the next run tells; until then there is nothing more to do.
            return True

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: protos.RunMetadata | None = None,
    ) -> Any:
        """Runs, again if the workers were lost."""
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)
            except _LOST as error:
                self._discard_session(error)

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
                self._discard_session(error)


class CoordinatedSession(WrappedSession):
    """Ends the coordinator's threads when it is closed, and raises what they raised."""

    def __init__(self, sess: SessionLike, coord: Coordinator, stop_grace_period_secs: float = 120) -> None:
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


class HookedSession(WrappedSession):
    """Calls hooks around each run."""

    def __init__(self, sess: Session, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self) -> bool:
        return self._should_stop

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: Any = None,
        run_metadata: protos.RunMetadata | None = None,
    ) -> Any:
        """Runs with what the hooks ask for."""
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        asked_options = options
        options = RunOptions() if options is None else options
        all_fetches, asking, feeds = [fetches], [], feed_dict
        requests = [hook.before_run(context) for hook in self._hooks]
        if any(request is not None for request in requests):
            for place, request in enumerate(requests):
                if request is not None and request.fetches is not None:
                    all_fetches.append(request.fetches)
                    asking.append(place)
            feeds = self._merged_feeds(requests, feed_dict)
            for request in requests:
                if request is not None and request.options:
                    _merge_options(options, request.options)
        metadata = RunMetadata() if run_metadata is None else run_metadata
        # A run with options goes another, slower way, so it is not asked for in vain.
        plain = asked_options is None and run_metadata is None and not options.ListFields()
        keywords = {} if plain else {"options": options, "run_metadata": metadata}
        outputs = self._sess.run(all_fetches, feed_dict=feeds, **keywords)
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


def _merge_options(options: protos.RunOptions, incoming: protos.RunOptions) -> None:
    """Adds what `incoming` asks for to `options`."""
    for name in ("trace_level", "timeout_in_ms", "inter_op_thread_pool", "output_partition_graphs"):
        setattr(options, name, max(getattr(options, name), getattr(incoming, name)))
    debug, more = options.debug_options, incoming.debug_options
    if more.ListFields():
        debug.debug_tensor_watch_opts.extend(more.debug_tensor_watch_opts)
        debug.reset_disk_byte_usage = debug.reset_disk_byte_usage or more.reset_disk_byte_usage
    if incoming.report_tensor_allocations_upon_oom:
        options.report_tensor_allocations_upon_oom = True
