"""What runs beside a training loop: recovery, checkpoints, summaries, queue runners."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from headrace.core.collections import GraphKeys
from headrace.core.errors import FailedPreconditionError
from headrace.interop import protos
from headrace.interop.graph_files import write_graph
from headrace.platform import tf_logging
from headrace.runtime.session import Session
from headrace.summary.writer import FileWriter
from headrace.train.checkpoint_state import latest_checkpoint
from headrace.train.coordinator import Coordinator, LooperThread
from headrace.train.steps import global_step as value_of_step


class Services:
    """The services of one training run.

    Args:
        graph: its graph.
        is_chief: whether this process initializes and saves; others wait until the model is ready.
        logdir: the folder for checkpoints and summaries, or None.
        init_op, init_feed_dict, init_fn: how the model is initialized where there is no checkpoint.
        local_init_op: what initializes the rest.
        ready_op: the names of the variables without a value.
        summary_op: what to summarize, or None.
        summary_writer: a writer, `OWN_WRITER` for one in `logdir`, or None.
        global_step: the step counter.
        saver: what saves.
        save_summaries_secs, save_model_secs: how often; 0 for never.
    """

    OWN_WRITER = object()

    def __init__(
        self,
        graph: Any,
        is_chief: bool,
        logdir: str | None,
        init_op: Any,
        init_feed_dict: Any,
        init_fn: Any,
        local_init_op: Any,
        ready_op: Any,
        summary_op: Any,
        summary_writer: Any,
        global_step: Any,
        saver: Any,
        save_summaries_secs: float,
        save_model_secs: float,
    ) -> None:
        self.graph, self.is_chief, self.logdir = graph, is_chief, logdir
        self._init_op, self._init_feed_dict, self._init_fn = init_op, init_feed_dict, init_fn
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._summary_op, self._global_step, self._saver = summary_op, global_step, saver
        self._save_summaries_secs, self._save_model_secs = save_summaries_secs, save_model_secs
        self.summary_writer = summary_writer
        if summary_writer is self.OWN_WRITER:
            self.summary_writer = FileWriter(logdir) if logdir and is_chief else None
        self.coord = Coordinator()
        self._threads: list[Any] = []
        self._savers: list[LooperThread] = []

    @property
    def save_path(self) -> str:
        """The prefix of checkpoints."""
        assert self.logdir is not None
        return os.path.join(self.logdir, "model.ckpt")

    @contextlib.contextmanager
    def session(self, master: str, config: Any) -> Iterator[Any]:
        """A session with the model recovered or initialized, as the default one."""
        self.graph.finalize()
        with self.graph.as_default(), Session(master, graph=self.graph, config=config) as sess:
            self.coord.clear_stop()
            if self.is_chief:
                self._prepare(sess)
            while (missing := self._missing(sess)).size:
                if self.is_chief:
                    raise RuntimeError(
                        "Init operations did not make model ready.  "
                        f"Variables not initialized: {', '.join(name.decode() for name in missing)}"
                    )
                tf_logging.info("Waiting for model to be ready.")
                time.sleep(1.0)
            yield sess

    def _prepare(self, sess: Any) -> None:
        found = latest_checkpoint(self.logdir) if self.logdir else None
        if found:
            self._saver.restore(sess, found)
        else:
            if self._init_op is None and self._init_fn is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn was given.")
            if self._init_op is not None:
                sess.run(self._init_op, feed_dict=self._init_feed_dict)
            if self._init_fn is not None:
                self._init_fn(sess)
        if self._local_init_op is not None:
            sess.run(self._local_init_op)

    def _missing(self, sess: Any) -> Any:
        if self._ready_op is None:
            return np.array([])
        try:
            return sess.run(self._ready_op)
        except FailedPreconditionError as error:
            return np.array([str(error).encode()])

    def start(self, sess: Any) -> None:
        """Starts the threads that summarize and save, and the queue runners."""
        if self.is_chief and self.logdir:
            write_graph(self.graph, self.logdir, "graph.pbtxt")
            if self.summary_writer is not None:
                self.summary_writer.add_graph(self.graph)
                start = protos.SessionLog(status=protos.SessionLog.START)
                self.summary_writer.add_session_log(start, value_of_step(sess, self._global_step))
                if self._summary_op is not None and self._save_summaries_secs:
                    self._every(self._save_summaries_secs, self._summarize, sess)
            if self._save_model_secs:
                self._every(self._save_model_secs, self._save, sess)
        for runner in self.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            self._threads.extend(runner.create_threads(sess, coord=self.coord, daemon=True, start=True))

    def _every(self, seconds: float, target: Any, sess: Any) -> None:
        thread = LooperThread.loop(self.coord, seconds, target=target, args=(sess,))
        self._savers.append(thread)
        self._threads.append(thread)

    def _summarize(self, sess: Any) -> None:
        text, step = sess.run([self._summary_op, self._global_step])
        self.summary_writer.add_summary(text, step)

    def _save(self, sess: Any) -> None:
        self._saver.save(sess, self.save_path, global_step=self._global_step)

    def finish(self, sess: Any, ignore_live_threads: bool) -> None:
        """Saves once more and ends the threads."""
        self.coord.request_stop()
        # The last checkpoint is to be the one of the last step.
        for thread in self._savers:
            thread.join()
        if self.logdir and self.is_chief:
            tf_logging.info("Finished training! Saving model to disk.")
            self._save(sess)
        self.coord.join(self._threads, stop_grace_period_secs=120, ignore_live_threads=ignore_live_threads)
        self._threads, self._savers = [], []
        if self.summary_writer is not None:
            self.summary_writer.add_session_log(protos.SessionLog(status=protos.SessionLog.STOP))
            self.summary_writer.close()
