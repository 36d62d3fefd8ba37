"""Sessions that show each of their runs to a debugger."""

from __future__ import annotations

import os
import re
import threading
import uuid
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.core import errors, nest
from headrace.core.defaults import default_session_stack
from headrace.debug.dump_files import (
    FEED_KEYS_INFO_FILE_TAG,
    FETCHES_INFO_FILE_TAG,
    METADATA_FILE_PREFIX,
    write_log_message,
)
from headrace.debug.session_requests import (
    OnRunEndRequest,
    OnRunEndResponse,
    OnRunStartAction,
    OnRunStartRequest,
    OnRunStartResponse,
    OnSessionInitAction,
    OnSessionInitRequest,
    OnSessionInitResponse,
    checked,
)
from headrace.debug.watch_options import watch_graph
from headrace.messages import protos
from headrace.runtime.session import BaseSession
from headrace.runtime.session_interface import SessionInterface
from headrace.runtime.watching import micros
from headrace.sessions.monitored_session import _MonitoredSession

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import numpy as np

    from headrace.core.graph import Graph
    from headrace.core.typing import FeedDict, Fetches, SessionLike, TensorLike
    from headrace.runtime.session import Session


class BaseDebugWrapperSession(SessionInterface):
    """A session around another, which asks its own methods before and after each run.

    Args:
        sess: the `tf.Session`, `InteractiveSession` or `MonitoredSession` to wrap.
        thread_name_filter: a regular expression; runs of threads with other names pass by. All are looked at by default.
        pass_through_operrors: whether errors of runs are raised at once, without `on_run_end`.

    Raises:
        TypeError: if `sess` is no session.
        ValueError: if `on_session_init` returns an unknown action.
    """

    def __init__(self, sess: Any, thread_name_filter: str | None = None, pass_through_operrors: bool | None = False):
        checked(sess, (BaseSession, _MonitoredSession))
        self._sess = sess
        self._thread_name_filter = re.compile(thread_name_filter) if thread_name_filter else None
        self._pass_through_operrors = pass_through_operrors
        self._run_call_count = 0
        self._default_session_context_manager: Any = None
        response = checked(self.on_session_init(OnSessionInitRequest(sess)), OnSessionInitResponse)
        if response.action == OnSessionInitAction.REMOTE_INSTR_LOOP:
            raise NotImplementedError(
                "OnSessionInitAction REMOTE_INSTR_LOOP: there is no remote debugger; use PROCEED."
            )
        if response.action != OnSessionInitAction.PROCEED:
            raise ValueError(f"Invalid OnSessionInitAction value: {response.action}")

    # ---- what a subclass decides ----

    def on_session_init(self, request: OnSessionInitRequest) -> OnSessionInitResponse:
        """Called when the wrapper is made."""
        return OnSessionInitResponse(OnSessionInitAction.PROCEED)

    def on_run_start(self, request: OnRunStartRequest) -> OnRunStartResponse:
        """Called before each run; says what to do with it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to do when a run starts: on_run_start.")

    def on_run_end(self, request: OnRunEndRequest) -> OnRunEndResponse:
        """Called after each run."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to do when a run ends: on_run_end.")

    # ---- a session's properties ----

    @property
    def graph(self) -> Graph:
        """The graph of the wrapped session."""
        return self._sess.graph

    @property
    def graph_def(self) -> protos.GraphDef:
        """The graph as a `GraphDef`."""
        return self._sess.graph_def

    @property
    def sess_str(self) -> Any:
        """The target of the wrapped session."""
        return self._sess.sess_str

    @property
    def session(self) -> Any:
        """The wrapped session."""
        return self._sess

    @property
    def run_call_count(self) -> int:
        """How many runs there were."""
        return self._run_call_count

    def increment_run_call_count(self) -> None:
        """Counts a run."""
        self._run_call_count += 1

    # ---- runs ----

    def run(
        self,
        fetches: Fetches | None,
        feed_dict: FeedDict | None = None,
        options: protos.RunOptions | None = None,
        run_metadata: protos.RunMetadata | None = None,
        callable_runner: Callable[..., Any] | None = None,
        callable_runner_args: Sequence[Sequence[Sequence[float]]] | None = None,
        callable_options: Any = None,
    ) -> Any:
        """`Session.run` under the debugger.

        Args:
            fetches, feed_dict, options, run_metadata: as in `Session.run`.
            callable_runner: a function that `make_callable` of the wrapped session returned, to run instead of `fetches`.
            callable_runner_args: its arguments.
            callable_options: not supported: `make_callable` says the same.

        Returns:
            what the run returns; the error itself where a debugged run fails, after the debugger has shown it.

        Raises:
            ValueError: if both `fetches` and `callable_runner` are given.
        """
        if callable_options is not None:
            raise NotImplementedError("run(callable_options=...): make a callable with make_callable instead.")
        if callable_runner is not None and (fetches or feed_dict):
            raise ValueError(
                "callable_runner and fetches/feed_dict are mutually exclusive, but are used simultaneously."
            )
        self.increment_run_call_count()

        def plain(**more: Any) -> Any:
            if callable_runner is not None:
                return callable_runner(*(callable_runner_args or ()), **more)
            return self._sess.run(
                fetches, feed_dict=feed_dict, **{"options": options, "run_metadata": run_metadata, **more}
            )

        nothing = callable_runner is None and nest.is_nested(fetches) and not nest.flatten(fetches)
        if nothing or self._is_disabled_thread():
            return plain()
        request = OnRunStartRequest(
            fetches, feed_dict, options, run_metadata, self._run_call_count, callable_runner is not None
        )
        start = checked(self.on_run_start(request), OnRunStartResponse)
        if start.action == OnRunStartAction.NON_DEBUG_RUN:
            result = plain()
            end = OnRunEndRequest(start.action)
        elif start.action in (OnRunStartAction.DEBUG_RUN, OnRunStartAction.PROFILE_RUN):
            result, end = self._run_watched(start, plain, options, run_metadata)
        else:
            raise ValueError(f"Invalid OnRunStartAction value: {start.action}")
        checked(self.on_run_end(end), OnRunEndResponse)
        return result

    def _run_watched(
        self, start: OnRunStartResponse, plain: Callable[..., Any], options: Any, run_metadata: protos.RunMetadata
    ) -> tuple[Any, OnRunEndRequest]:
        decorated = protos.RunOptions()
        if options is not None:
            decorated.CopyFrom(options)
        metadata = run_metadata if run_metadata is not None else protos.RunMetadata()
        if start.action == OnRunStartAction.PROFILE_RUN:
            self._decorate_run_options_for_profile(decorated)
            return plain(options=decorated, run_metadata=metadata), OnRunEndRequest(start.action, metadata)
        self._decorate_for(decorated, start)
        tf_error = None
        try:
            result = plain(options=decorated, run_metadata=metadata)
        except errors.OpError as error:
            if self._pass_through_operrors:
                raise
            result = tf_error = error
        return result, OnRunEndRequest(start.action, metadata, self._sess.graph.as_graph_def(), tf_error)

    def _decorate_for(self, run_options: protos.RunOptions, start: OnRunStartResponse) -> None:
        self._decorate_run_options_for_debug(
            run_options,
            start.debug_urls,
            start.debug_ops,
            start.node_name_regex_whitelist,
            start.op_type_regex_whitelist,
            start.tensor_dtype_regex_whitelist,
            start.tolerate_debug_op_creation_failures,
        )

    def _decorate_run_options_for_debug(
        self,
        run_options: protos.RunOptions,
        debug_urls: Sequence[str],
        debug_ops: str | Sequence[str] = "DebugIdentity",
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        run_options.output_partition_graphs = True
        watch_graph(
            run_options,
            self._sess.graph,
            debug_ops,
            debug_urls,
            node_name_regex_whitelist,
            op_type_regex_whitelist,
            tensor_dtype_regex_whitelist,
            tolerate_debug_op_creation_failures,
            reset_disk_byte_usage=self._run_call_count == 1 or self._is_disk_usage_reset_each_run(),
        )

    @staticmethod
    def _decorate_run_options_for_profile(run_options: protos.RunOptions) -> None:
        run_options.trace_level = protos.RunOptions.FULL_TRACE

    def _is_disk_usage_reset_each_run(self) -> bool:
        return False

    def _is_disabled_thread(self) -> bool:
        name = threading.current_thread().name or ""
        return self._thread_name_filter is not None and not self._thread_name_filter.match(name)

    def run_step_fn(self, step_fn: Callable[[Any], Any]) -> Any:
        """`MonitoredSession.run_step_fn`, with this session in the step's context."""
        return step_fn(_StepContext(self))

    def partial_run_setup(self, fetches: Fetches, feeds: Any = None) -> Any:
        """Not under a debugger.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("partial_run_setup is not implemented for debug-wrapper sessions; use sess.session.")

    def partial_run(self, handle: Any, fetches: Fetches, feed_dict: FeedDict | None = None) -> Any:
        """Not under a debugger.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions; use sess.session.")

    def list_devices(self, *args: Any, **kwargs: Any) -> Any:
        """The devices of the wrapped session."""
        return self._sess.list_devices(*args, **kwargs)

    def reset(self, *args: Any, **kwargs: Any) -> Any:
        """`reset` of the wrapped session."""
        return self._sess.reset(*args, **kwargs)

    def make_callable(
        self, fetches: Fetches, feed_list: Sequence[TensorLike] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs `fetches` under the debugger, as `Session.make_callable`."""
        runner = self._sess.make_callable(fetches, feed_list=feed_list, accept_options=True)

        def wrapped_runner(*runner_args: Any, **kwargs: Any) -> np.floating[Any] | None:
            return self.run(
                None,
                feed_dict=None,
                options=kwargs.get("options"),
                run_metadata=kwargs.get("run_metadata"),
                callable_runner=runner,
                callable_runner_args=runner_args,
            )

        return wrapped_runner

    # ---- life ----

    def as_default(self) -> AbstractContextManager[Any]:
        """A context in which this is the default session."""
        return default_session_stack().opened(self)

    def __enter__(self) -> Any:
        if self._default_session_context_manager is None:
            self._default_session_context_manager = self.as_default()
        return self._default_session_context_manager.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # The wrapped session is closed by whoever has opened it.
        context, self._default_session_context_manager = self._default_session_context_manager, None
        context.__exit__(kind, error, traceback)

    def close(self) -> None:
        """Closes the wrapped session."""
        self._sess.close()

    def should_stop(self) -> bool:
        """`MonitoredSession.should_stop` of the wrapped session.

        Raises:
            ValueError: if it is a plain session.
        """
        if hasattr(self._sess, "should_stop"):
            return bool(self._sess.should_stop())
        raise ValueError(f"The wrapped session {self._sess!r} does not have a method called 'should_stop'.")


class _StepContext:
    """What a step function gets: the session, and how to run with hooks (none here) and to stop."""

    def __init__(self, session: SessionLike) -> None:
        self.session = session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        return self.session.run(*args, **kwargs)

    def request_stop(self) -> None:
        raise StopIteration("step_fn has requested the iterations to stop.")


class WatchOptions:
    """What a `watch_fn` returns: which tensors to show. See `watch_graph` for the arguments."""

    def __init__(
        self,
        debug_ops: str | Sequence[str] | None = None,
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        self.debug_ops = debug_ops or ["DebugIdentity"]
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"WatchOptions({fields})"


class NonInteractiveDebugWrapperSession(BaseDebugWrapperSession):
    """A wrapper that debugs every run and asks no one.

    Args:
        sess: the session.
        watch_fn: takes the fetches and feeds of a run and returns its `WatchOptions`.
        thread_name_filter, pass_through_operrors: see `BaseDebugWrapperSession`.

    Raises:
        TypeError: if `watch_fn` is not callable.
    """

    def __init__(
        self,
        sess: str | Session,
        watch_fn: Callable[[Any, Any], Any] | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = False,
    ) -> None:
        super().__init__(sess, thread_name_filter, pass_through_operrors)
        if watch_fn is not None and not callable(watch_fn):
            raise TypeError("watch_fn is not callable")
        self._watch_fn = watch_fn

    def prepare_run_debug_urls(self, fetches: Fetches | None, feed_dict: FeedDict | None) -> Any:
        """The URL, or URLs, to which a run writes."""
        raise NotImplementedError(f"{type(self).__name__} does not say where runs write: prepare_run_debug_urls.")

    def _prepare_run_watch_config(
        self, fetches: Fetches | None, feed_dict: FeedDict | None
    ) -> tuple[list[str], WatchOptions]:
        urls = self.prepare_run_debug_urls(fetches, feed_dict)
        options = WatchOptions() if self._watch_fn is None else self._watch_fn(fetches, feed_dict)
        if isinstance(options, tuple):
            options = WatchOptions(*options)
        return [urls] if isinstance(urls, str) else list(urls), options

    def on_run_start(self, request: OnRunStartRequest) -> OnRunStartResponse:
        """Every run is debugged."""
        urls, options = self._prepare_run_watch_config(request.fetches, request.feed_dict)
        return OnRunStartResponse(OnRunStartAction.DEBUG_RUN, urls, **vars(options))

    def on_run_end(self, request: OnRunEndRequest) -> OnRunEndResponse:
        """There is nothing left to do."""
        return OnRunEndResponse()


class DumpingDebugWrapperSession(NonInteractiveDebugWrapperSession):
    """A wrapper that writes the tensors of every run to a folder of its own.

    Args:
        sess: the session.
        session_root: the folder for the runs' folders; must be empty or not exist.
        watch_fn, thread_name_filter, pass_through_operrors: see `NonInteractiveDebugWrapperSession`.
        log_usage: for callers of 1.x; nothing is logged.

    Raises:
        ValueError: if `session_root` is a file or not empty.

    Example:
        >>> from headrace.python import debug as tf_debug
        >>> watched = tf_debug.DumpingDebugWrapperSession(sess, "dumps")
        >>> value = watched.run(tf.square(w, name="squares"))
        >>> dump = tf_debug.DebugDumpDir(tf.gfile.Glob("dumps/run_*")[0])
        >>> dump.get_tensors("squares", 0, "DebugIdentity")[0].shape
        (3, 2)
    """

    def __init__(
        self,
        sess: str | Session,
        session_root: str,
        watch_fn: Callable[[Any, Any], Any] | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(sess, watch_fn, thread_name_filter, pass_through_operrors)
        self._session_root = free_folder(session_root, "session_root")
        os.makedirs(self._session_root, exist_ok=True)
        self._run_counter = 0
        self._run_counter_lock = threading.Lock()

    def prepare_run_debug_urls(self, fetches: Fetches | None, feed_dict: FeedDict | None) -> str:
        """Makes a run's folder, and writes there what is fetched and fed."""
        with self._run_counter_lock:
            folder = os.path.join(self._session_root, f"run_{micros()}_{self._run_counter}")
            self._run_counter += 1
        os.mkdir(folder)
        write_log_message(os.path.join(folder, METADATA_FILE_PREFIX + FETCHES_INFO_FILE_TAG), repr(fetches))
        keys = repr(feed_dict.keys()) if feed_dict else repr(feed_dict)
        write_log_message(os.path.join(folder, METADATA_FILE_PREFIX + FEED_KEYS_INFO_FILE_TAG), keys)
        return f"file://{folder}"


def free_folder(path: str, argument: str) -> str:
    """`path`, which must be an empty folder or nothing yet.

    Raises:
        ValueError: if it is neither.
    """
    path = os.path.expanduser(path)
    if os.path.isfile(path):
        raise ValueError(f"{argument} path points to a file: {path}")
    if os.path.isdir(path) and os.listdir(path):
        raise ValueError(f"{argument} path points to a non-empty directory: {path}")
    return path


def fresh_name(prefix: str) -> str:
    """A name for a folder that no one else has."""
    return prefix + uuid.uuid4().hex[:12]
