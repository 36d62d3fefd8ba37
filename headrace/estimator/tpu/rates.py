"""How many examples a second are trained on."""

from __future__ import annotations

from headrace.messages.protos import Summary
from headrace.sessions.hooks import StepCounterHook
from headrace.util import tf_logging


class ExamplesPerSecondHook(StepCounterHook):
    """Logs the rates of steps and of examples, and writes them as summaries.

    Args:
        batch_size: how many examples a step takes.
        every_n_steps, every_n_secs: how often; one of the two.
        output_dir: the folder of the summaries.
    """

    def __init__(
        self,
        batch_size: int,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps, every_n_secs=every_n_secs, output_dir=output_dir)
        self._batch_size = batch_size

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        super()._log_and_record(elapsed_steps, elapsed_time, global_step)
        rate = self._batch_size * elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = Summary(value=[Summary.Value(tag="examples/sec", simple_value=rate)])
            self._summary_writer.add_summary(summary, global_step)
        tf_logging.info("examples/sec: %g", rate)
