"""The hooks that write files: checkpoints, summaries, timelines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection, get_default_graph
from headrace.interop.meta_graph import create_meta_graph_def
from headrace.messages.graph_files import write_graph
from headrace.messages.protos import RunOptions, SessionLog
from headrace.profiler.timeline import Timeline
from headrace.sessions.hook_timers import SecondOrStepTimer
from headrace.sessions.hooks import step_to_read
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    import numpy as np

    from headrace.checkpoints.saver import Saver
    from headrace.core.typing import SessionLike
    from headrace.runtime.session import Session
    from headrace.sessions.coordinator import Coordinator


class CheckpointSaverListener:
    """Base class of what is called around each save; every method does nothing."""

    def begin(self) -> None:
        """Called once, before the session is made; may add to the graph."""

    def before_save(self, session: SessionLike, global_step_value: Any) -> None:
        """Called before each save."""

    def after_save(self, session: SessionLike, global_step_value: Any) -> bool | None:
        """Called after each save; true asks for the end of the training."""

    def end(self, session: SessionLike, global_step_value: Any) -> None:
        """Called at the end of the session."""


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints: at the first step, every so often and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs, save_steps: how often; one of the two.
        saver: what saves; by default the scaffold's, or the one of the collection SAVERS.
        checkpoint_basename: what the files' names begin with.
        scaffold: the scaffold to take the saver from.
        listeners: CheckpointSaverListeners.

    Raises:
        ValueError: if both saver and scaffold, or not one of the first two, are given.

    Example:
        >>> hook = tf.train.CheckpointSaverHook("/tmp/model", save_steps=1000)
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> None:
        tf_logging.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or [])
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and the writer."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = step_to_read("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Writes the graph, and a first checkpoint."""
        step = session.run(self._global_step_tensor)
        graph = get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        meta_graph_def = create_meta_graph_def(graph_def=graph_def, saver_def=saver.saver_def if saver else None)
        self._summary_writer.add_meta_graph(meta_graph_def)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Saves when it is time."""
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Saves, unless the last step has been."""
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Session, step: np.integer[Any]) -> bool:
        """Saves; returns whether a listener asked for the end."""
        tf_logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                tf_logging.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stop = True
        return stop

    def _get_saver(self) -> Saver:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        key = GraphKeys.SAVERS
        savers = get_collection(key)
        if not savers:
            raise RuntimeError(
                f"No items in collection {key}. Please add a saver to the collection or provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {key}. Please indicate which one to use by passing it to the "
                "constructor."
            )
        self._saver = savers[0]
        return self._saver


class SummarySaverHook(SessionRunHook):
    """Writes summaries: at the first step and every so often.

    Args:
        save_steps, save_secs: how often; one of the two.
        output_dir: the folder.
        summary_writer: or a writer.
        scaffold: the scaffold whose summary operation is run.
        summary_op: or the operation, or a list of them.

    Raises:
        ValueError: if both or none of the last two are given.

    Example:
        >>> summary = tf.summary.scalar("loss", loss)
        >>> hook = tf.train.SummarySaverHook(100, output_dir="logs", summary_op=tf.summary.merge_all())
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Finds the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._next_step: Any = None
        self._global_step_tensor = step_to_read("SummarySaverHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step, and for the summaries when it is time."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests: dict[str, Any] = {"global_step": self._global_step_tensor}
        if self._request_summary:
            summaries = self._get_summary_op()
            if summaries is not None:
                requests["summary"] = summaries
        return SessionRunArgs(requests)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes them."""
        if not self._summary_writer:
            return
        step = run_values.results["global_step"] + 1
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: SessionLike | None = None) -> None:
        """Flushes the writer."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self) -> list[Any] | None:
        summaries = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if summaries is None:
            return None
        return summaries if isinstance(summaries, list) else [summaries]


class ProfilerHook(SessionRunHook):
    """Writes timelines of runs, `timeline-STEP.json`, for Chrome's viewer.

    Args:
        save_steps, save_secs: how often; one of the two.
        output_dir: the folder.
        show_dataflow: draw arrows from producers to consumers.
        show_memory: show the sizes of tensors.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        # The timer judges the arguments before a folder is made for the writer.
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory

    def begin(self) -> None:
        """Finds the global step."""
        self._next_step: Any = None
        self._global_step_tensor = step_to_read("ProfilerHook")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step, and for a trace when it is time."""
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._request_summary else None
        return SessionRunArgs({"global_step": self._global_step_tensor}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Writes the trace."""
        before = run_values.results["global_step"]
        if self._next_step is None:
            self._timer.update_last_triggered_step(before)
        step = before + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1

    def _save(self, step: np.integer[Any], save_path: str, step_stats: Any) -> None:
        tf_logging.info("Saving timeline for %d into '%s'.", step, save_path)
        text = Timeline(step_stats).generate_chrome_trace_format(self._show_dataflow, self._show_memory)
        with open(save_path, "w", encoding="utf-8") as file:
            file.write(text)
