"""Ending a training at a step that a checkpoint has."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.checkpoint_utils import load_variable
from headrace.core.collections import GraphKeys
from headrace.sessions.hooks import StopAtStepHook
from headrace.sessions.session_run_hook import SessionRunContext, SessionRunHook, SessionRunValues

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.estimator.estimator import Estimator
    from headrace.sessions.coordinator import Coordinator


class StopAtCheckpointStepHook(SessionRunHook):
    """Ends a worker when the checkpoint of a step has been saved.

    Args:
        model_dir: the folder of the checkpoints.
        last_step: the step.
        wait_after_file_check_secs: how long to wait after a look.

    Raises:
        ValueError: if the step or the folder is missing.
    """

    def __init__(self, model_dir: str, last_step: int, wait_after_file_check_secs: float = 30) -> None:
        if last_step is None:
            raise ValueError("last_step must be specified.")
        if model_dir is None:
            raise ValueError("model_dir must be specified.")
        self._model_dir, self._last_step = model_dir, last_step
        self._wait = wait_after_file_check_secs

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Notes that nothing was looked at yet."""
        self._looked_at: str | None = None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks for the checkpoint."""
        path = latest_checkpoint(self._model_dir)
        if path is not None and path != self._looked_at:
            self._looked_at = path
            if int(load_variable(path, GraphKeys.GLOBAL_STEP)) >= self._last_step:
                run_context.request_stop()
                return
        time.sleep(self._wait)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: float = 30
) -> SessionRunHook:
    """A hook that ends a training at a step: the chief when it gets there, a worker when the checkpoint is saved.

    Args:
        estimator: the model.
        last_step: the step.
        wait_after_file_check_secs: how long a worker waits after a look at the folder.
    """
    if estimator.config.is_chief:
        return StopAtStepHook(last_step=last_step)
    return StopAtCheckpointStepHook(estimator.model_dir, last_step, wait_after_file_check_secs)
