"""The threads of a supervisor: they write summaries, count steps and save checkpoints."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headrace.messages.protos import SessionLog, Summary
from headrace.sessions.coordinator import LooperThread
from headrace.state.global_step import global_step as value_of_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.runtime.session import Session
    from headrace.sessions.supervisor import Supervisor


class SVSummaryThread(LooperThread):
    """Writes a supervisor's summaries every so often."""

    def __init__(self, sv: Supervisor, sess: Session) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Writes them once."""
        step = None
        if self._sv.global_step is not None:
            summary, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        else:
            summary = self._sess.run(self._sv.summary_op)
        if self._sv.summary_writer:
            tf_logging.info("Recording summary at step %s.", step)
            self._sv.summary_writer.add_summary(summary, step)


class SVStepCounterThread(LooperThread):
    """Writes every so often how many steps a second a supervisor's session makes."""

    def __init__(self, sv: Supervisor, sess: Session, step_counter: Any = None) -> None:
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time, self._last_step = 0.0, 0
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._summary_tag = f"{self._step_counter.op.name}/sec"

    def start_loop(self) -> None:
        """Notes where it starts."""
        self._last_time = time.time()
        self._last_step = value_of_step(self._sess, self._step_counter)

    def run_loop(self) -> None:
        """Writes it once."""
        step, now = value_of_step(self._sess, self._step_counter), time.time()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_step, self._last_time = step, now
        rate = steps / seconds if seconds > 0.0 else float("inf")
        if self._sv.summary_writer:
            summary = Summary(value=[Summary.Value(tag=self._summary_tag, simple_value=rate)])
            self._sv.summary_writer.add_summary(summary, step)
        tf_logging.log_first_n(tf_logging.INFO, "%s: %g", 10, self._summary_tag, rate)


class SVTimerCheckpointThread(LooperThread):
    """Saves a supervisor's checkpoints every so often."""

    def __init__(self, sv: Supervisor, sess: Session) -> None:
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self) -> None:
        """Saves one."""
        sv = self._sv
        tf_logging.info("Saving checkpoint to path %s", sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=sv.save_path)
            sv.summary_writer.add_session_log(log, value_of_step(self._sess, sv.global_step))
