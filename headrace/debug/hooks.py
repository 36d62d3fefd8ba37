"""The debugger for `MonitoredSession`s and `Estimator`s."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.debug.commands import TensorFilter
from headrace.debug.local_cli import LocalCLIDebugWrapperSession
from headrace.debug.session_requests import OnRunEndRequest, OnRunStartAction, OnRunStartRequest, OnRunStartResponse
from headrace.debug.sessions import DumpingDebugWrapperSession
from headrace.debug.watch_options import watch_graph
from headrace.messages import protos
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunHook

if TYPE_CHECKING:
    from headrace.sessions.session_run_hook import SessionRunContext


class LocalCLIDebugHook(SessionRunHook):
    """Stops runs at a command line.

    Args:
        ui_type, dump_root, thread_name_filter, config_file_path: see `LocalCLIDebugWrapperSession`.

    Example:
        with tf.train.MonitoredSession(hooks=[tf_debug.LocalCLIDebugHook()]) as sess:
            sess.run(train_op)
    """

    def __init__(
        self,
        ui_type: str = "curses",
        dump_root: str | None = None,
        thread_name_filter: str | None = None,
        config_file_path: str | None = None,
    ) -> None:
        self._arguments: dict[str, Any] = {
            "ui_type": ui_type,
            "dump_root": dump_root,
            "thread_name_filter": thread_name_filter,
            "config_file_path": config_file_path,
        }
        self._session_wrapper: LocalCLIDebugWrapperSession | None = None
        self._pending: dict[str, TensorFilter] = {}
        self._performed = OnRunStartAction.NON_DEBUG_RUN

    def add_tensor_filter(self, filter_name: str, tensor_filter: TensorFilter) -> None:
        """See `LocalCLIDebugWrapperSession.add_tensor_filter`."""
        if self._session_wrapper is not None:
            self._session_wrapper.add_tensor_filter(filter_name, tensor_filter)
        else:
            self._pending[filter_name] = tensor_filter

    def begin(self) -> None:
        """There is no session yet."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks what to do with the run."""
        wrapper = self._session_wrapper
        if wrapper is None:
            wrapper = LocalCLIDebugWrapperSession(run_context.session, **self._arguments)
            self._session_wrapper = wrapper
            for name, tensor_filter in self._pending.items():
                wrapper.add_tensor_filter(name, tensor_filter)
        wrapper.increment_run_call_count()
        arguments = run_context.original_args
        options = protos.RunOptions()
        if wrapper._is_disabled_thread():
            start = OnRunStartResponse(OnRunStartAction.NON_DEBUG_RUN, [])
        else:
            request = OnRunStartRequest(arguments.fetches, arguments.feed_dict, None, None, wrapper.run_call_count)
            start = wrapper.on_run_start(request)
        self._performed = start.action
        if start.action == OnRunStartAction.DEBUG_RUN:
            wrapper._decorate_for(options, start)
        elif start.action == OnRunStartAction.PROFILE_RUN:
            wrapper._decorate_run_options_for_profile(options)
        return SessionRunArgs(None, feed_dict=None, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Shows what the run has made."""
        assert self._session_wrapper is not None
        self._session_wrapper.on_run_end(OnRunEndRequest(self._performed, run_values.run_metadata))


class DumpingDebugHook(SessionRunHook):
    """Writes the tensors of runs to files.

    Args:
        session_root, watch_fn, thread_name_filter, log_usage: see `DumpingDebugWrapperSession`.
    """

    def __init__(
        self,
        session_root: str,
        watch_fn: Callable[[Any, Any], Any] | None = None,
        thread_name_filter: str | None = None,
        log_usage: bool = True,
    ) -> None:
        self._session_root = session_root
        self._watch_fn = watch_fn
        self._thread_name_filter = thread_name_filter
        self._log_usage = log_usage
        self._session_wrapper: DumpingDebugWrapperSession | None = None

    def begin(self) -> None:
        """There is no session yet."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks the run to write its tensors."""
        wrapper = self._session_wrapper
        first = wrapper is None
        if wrapper is None:
            wrapper = self._session_wrapper = DumpingDebugWrapperSession(
                run_context.session,
                self._session_root,
                self._watch_fn,
                self._thread_name_filter,
                log_usage=self._log_usage,
            )
        wrapper.increment_run_call_count()
        arguments = run_context.original_args
        options = protos.RunOptions()
        if not wrapper._is_disabled_thread():
            urls, watch = wrapper._prepare_run_watch_config(arguments.fetches, arguments.feed_dict)
            watch_graph(options, run_context.session.graph, debug_urls=urls, reset_disk_byte_usage=first, **vars(watch))
        return SessionRunArgs(None, feed_dict=None, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: object) -> None:
        """All has been written."""
