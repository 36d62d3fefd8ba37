"""`tf.train.Supervisor`: the older way to a session that restores, saves and writes summaries in threads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph
from headrace.interop.meta_graph import create_meta_graph_def
from headrace.lookup.tables import tables_initializer
from headrace.messages.graph_files import write_graph
from headrace.messages.protos import SessionLog
from headrace.ops.flow.grouping import group
from headrace.sessions.coordinator import Coordinator, LooperThread
from headrace.sessions.session_manager import SessionManager
from headrace.sessions.supervisor_threads import SVStepCounterThread, SVSummaryThread, SVTimerCheckpointThread
from headrace.state.collecting import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headrace.state.global_step import global_step as value_of_step
from headrace.summary.operations import merge_all
from headrace.summary.writer import FileWriter
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.messages import protos
    from headrace.runtime.session import Session
    from headrace.state.variables import Variable


def _first(key: str) -> Variable | None:
    """The first element of a collection, or None."""
    found = get_collection(key)
    if len(found) > 1:
        tf_logging.info("Found %d %s operations. Returning the first one.", len(found), key)
    return found[0] if found else None


def _local_init_op() -> Operation:
    return group(local_variables_initializer(), tables_initializer())


def _saver() -> Any:
    return Saver() if global_variables() else None


def _global_step() -> Any:
    try:
        step = get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if step.dtype.base_dtype.name in ("int32", "int64"):
        return step
    tf_logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


class Supervisor:
    """A session for training, with threads that save checkpoints and write summaries.

    Args:
        graph: the graph; the default one if not given. It is finalized.
        ready_op: a string vector of what is uninitialized; None for no check.
        ready_for_local_init_op: likewise, before `local_init_op` may run.
        is_chief: whether it initializes, saves and writes.
        init_op: initializes the model.
        init_feed_dict: fed to `init_op`.
        local_init_op: run for each session.
        logdir: the folder of checkpoints and summaries.
        summary_op: gives a serialized Summary; None for no thread of summaries.
        saver: saves and restores; None for none.
        global_step: the step's tensor.
        save_summaries_secs, save_model_secs: how often; 0 for never.
        recovery_wait_secs: how long to wait between looks whether the model is ready.
        stop_grace_secs: how long threads have to end.
        checkpoint_basename: what the files' names begin with.
        session_manager: makes the session.
        summary_writer: writes the summaries; None for none.
        init_fn: called with the session after `init_op`.
        local_init_run_options: RunOptions for `local_init_op`.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step)
        >>> sv = tf.train.Supervisor(logdir="train")
        >>> with sv.managed_session() as sess:
        ...     while not sv.should_stop():
        ...         sess.run(train_op)
        ...         if sess.run(global_step) >= 10:
        ...             sv.request_stop()
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: TensorLike = USE_DEFAULT,
        ready_for_local_init_op: int | None = USE_DEFAULT,
        is_chief: bool = True,
        init_op: int | Operation = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: int | Operation = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: TensorLike | None = USE_DEFAULT,
        saver: int | Saver | None = USE_DEFAULT,
        global_step: TensorLike = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: int | FileWriter | None = USE_DEFAULT,
        init_fn: Any = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._ready_op = self._given(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = self._given(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = self._given(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._init_feed_dict = init_feed_dict
            self._local_init_op = self._given(local_init_op, GraphKeys.LOCAL_INIT_OP, _local_init_op)
            self._saver = self._given(saver, GraphKeys.SAVERS, _saver)
            self._summary_op = self._given(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = self._given(global_step, GraphKeys.GLOBAL_STEP, _global_step)
        self._meta_graph_def = create_meta_graph_def(
            graph_def=self._graph.as_graph_def(add_shapes=True),
            saver_def=self._saver.saver_def if self._saver else None,
            graph=self._graph,
        )
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        self._summary_writer: Any = None
        self._graph_added_to_summary = False
        if is_chief and summary_writer is not Supervisor.USE_DEFAULT:
            self._summary_writer = summary_writer
        elif self._logdir:
            self._summary_writer = FileWriter(self._logdir)
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._verify_setup()
        self._graph.finalize()

    @staticmethod
    def _given(value: TensorLike | Saver | Operation | None, key: str, make: Callable[..., Any]) -> Any:
        """What was given, or the first of a collection, or a new one that is put there."""
        if value is not Supervisor.USE_DEFAULT:
            return value
        found = _first(key)
        if found is None:
            found = make()
            if found is not None:
                add_to_collection(key, found)
        return found

    def _verify_setup(self) -> None:
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ("Variable", "VariableV2") and not op.device:
                raise ValueError(f"When using replicas, all Variables must have their device set: {op}")

    @property
    def is_chief(self) -> bool:
        """Whether it initializes, saves and writes."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """Makes the session."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The threads' coordinator."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """Initializes the model."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """Fed to `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """Gives what is uninitialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """Gives what is uninitialized that `local_init_op` needs."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """Writes summaries, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Tensor:
        """Gives a serialized Summary, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        """How often summaries are written."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Variable:
        """The step's tensor, or None."""
        return self._global_step

    @property
    def saver(self) -> Saver:
        """Saves and restores, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        """How often checkpoints are saved."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """What the checkpoints' paths begin with, or None."""
        return self._save_path

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess: Session) -> list[LooperThread] | None:
        """Starts the threads that write summaries, count steps and save.

        Returns:
            the threads; None without a `logdir`.

        Raises:
            RuntimeError: if it is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            tf_logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            log = SessionLog(status=SessionLog.START)
            self._summary_writer.add_session_log(log, value_of_step(sess, self._global_step))
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        # The steps of the caller come after the first ones of the services, which so draw the same random numbers and
        # save the same step every time. Python code in the graph may wait for whatever the caller does next.
        graphs = [self._graph, *(function.graph for function in self._graph._functions.values())]
        in_order = not any(op.decl.runs_python for graph in graphs for op in graph.get_operations())
        for thread in threads:
            if in_order:
                thread.start_and_see_begun()
            else:
                thread.start()
        return threads

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: protos.ConfigProto | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session whose model is ready.

        Args:
            master: the session's target.
            config: its ConfigProto.
            wait_for_checkpoint: wait until there is one.
            max_wait_secs: how long to wait.
            start_standard_services: start the threads, those of queues too.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                tf_logging.info("Starting standard services.")
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            tf_logging.info("Starting queue runners.")
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(self, sess: SessionLike, queue_runners: Sequence[Any] | None = None) -> list[Any]:
        """Starts the threads of queue runners, by default those of the graph; returns the threads."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Any] = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
        return threads

    def loop(
        self, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Starts a thread that calls a function every so often, without pause if None; returns the thread."""
        looper = LooperThread(self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def stop(
        self, threads: Sequence[Any] | None = None, close_summary_writer: bool = True, ignore_live_threads: bool = False
    ) -> None:
        """Ends the threads.

        Args:
            threads: what to wait for; those registered with the coordinator by default.
            close_summary_writer: close the writer too.
            ignore_live_threads: do not raise if some do not end.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to end."""
        self._coord.request_stop(ex=ex)

    def should_stop(self) -> bool:
        """Whether the end was asked for."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """A context manager that asks for the end when its body raises."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until the end is asked for."""
        self._coord.wait_for_stop()

    def summary_computed(
        self, sess: SessionLike, summary: protos.Summary, global_step: TensorLike | None = None
    ) -> None:
        """Writes a summary that the caller computed.

        Raises:
            RuntimeError: if there is no writer.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = value_of_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: protos.ConfigProto | None = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A context manager that gives a session; what its body or a thread raises ends all and is raised.

        Args:
            master, config, start_standard_services: as for `prepare_or_wait_for_session`.
            close_summary_writer: close the writer at the end.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services
            )
            yield sess
        except Exception as error:  # noqa: BLE001
            # The coordinator raises it again when its threads have ended.
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed
