"""Evaluations of checkpoints as training saves them: what evaluates, what it comes to, and who is told of it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.sessions.hook_timers import SecondOrStepTimer
from headrace.sessions.saving_hooks import CheckpointSaverListener
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.estimator.estimator import Estimator
    from headrace.estimator.training import EvalSpec
    from headrace.sessions.session_run_hook import SessionRunContext, SessionRunValues


class EvaluationResult(NamedTuple):
    """What an evaluation came to.

    Attributes:
        status: one of `EvalStatus`; `metrics`: what it gave; `checkpoint_path`: of which checkpoint.
    """

    status: str
    metrics: dict[str, Any] | None = None
    checkpoint_path: str | None = None


class EvalStatus:
    """What may become of an evaluation."""

    EVALUATED = "evaluated"
    MISSING_CHECKPOINT = "missing checkpoint"
    NO_NEW_CHECKPOINT = "no new checkpoint"


class ContinuousEvaluationListener:
    """What is told of evaluations while a model is trained, and may end them; this one never does."""

    def before_eval(self) -> bool:
        """Whether to evaluate; where not, evaluations and the training that makes them end."""
        return True

    def after_eval(self, eval_result: EvaluationResult) -> bool:
        """Whether to go on after an evaluation.

        Args:
            eval_result: what it came to.
        """
        return True


class StopAtSecsHook(SessionRunHook):
    """Ends training some time after it began.

    Args:
        stop_after_secs: how many seconds.
    """

    def __init__(self, stop_after_secs: float) -> None:
        self._stop_after_secs = stop_after_secs

    def begin(self) -> None:
        """Looks at the clock."""
        self._begun = time.time()

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks to stop if it is time."""
        if time.time() - self._begun >= self._stop_after_secs:
            run_context.request_stop()


class CheckpointEvaluator:
    """Evaluates the newest checkpoint, unless it was before, and calls the exporters."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._eval_spec, self._max_steps = estimator, eval_spec, max_steps
        self._previous: str | None = None
        self._exported_finally = False

    @property
    def is_final(self) -> bool:
        """Whether the last checkpoint of training was exported."""
        return self._exported_finally

    def evaluate_and_export(self) -> tuple[EvaluationResult, list[Any]]:
        """Evaluates and exports the newest checkpoint, finally if its step is the last that was asked for."""
        path = self._estimator.latest_checkpoint()
        if not path:
            tf_logging.warning("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.")
            return EvaluationResult(EvalStatus.MISSING_CHECKPOINT), []
        if path == self._previous:
            tf_logging.warning(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation "
                "results are expected to be same for the same checkpoint."
            )
            return EvaluationResult(EvalStatus.NO_NEW_CHECKPOINT), []
        spec = self._eval_spec
        metrics = self._estimator.evaluate(
            input_fn=spec.input_fn, steps=spec.steps, name=spec.name, checkpoint_path=path, hooks=spec.hooks
        )
        if not metrics or GraphKeys.GLOBAL_STEP not in metrics:
            raise ValueError(f"Estimator.evaluate should return dict with global step: got {metrics}.")
        self._previous = path
        final = bool(self._max_steps and metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps)
        exports = self._export(metrics, path, final)
        if final:
            self._exported_finally = True
        return EvaluationResult(EvalStatus.EVALUATED, metrics, path), exports

    def _export(self, metrics: dict[str, Any], path: str, final: bool) -> list[Any]:
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(folder, exporter.name),
                checkpoint_path=path,
                eval_result=metrics,
                is_the_final_export=final,
            )
            for exporter in self._eval_spec.exporters
        ]


class EvaluatingListener(CheckpointSaverListener):
    """Evaluates after a checkpoint was saved, not too often, and at the end.

    Args:
        evaluator: what evaluates.
        throttle_secs: how long after an evaluation the next one begins at the earliest.
        listener: what is told of evaluations, and may end training.
    """

    def __init__(
        self, evaluator: CheckpointEvaluator, throttle_secs: int, listener: ContinuousEvaluationListener
    ) -> None:
        self._evaluator, self._throttle_secs, self._listener = evaluator, throttle_secs, listener
        self.eval_result: EvaluationResult | None = None
        self.export_results: list[Any] | None = None

    def begin(self) -> None:
        """Begins anew."""
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session: SessionLike, global_step_value: Any) -> bool | None:
        """Evaluates, unless this is the checkpoint that training begins with, or it is too early.

        Returns:
            True if training is to end.
        """
        if self._is_first:
            self._is_first = False
            return None
        if not self._listener.before_eval():
            tf_logging.info("Exiting training and evaluation, as requested by _ContinuousEvalListener.before_eval.")
            return True
        if not self._timer.should_trigger_for_step(global_step_value):
            tf_logging.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle_secs)
            return None
        if not self._listener.after_eval(self._evaluate(global_step_value)):
            tf_logging.info("Exiting training and evaluation, as requested by _ContinuousEvalListener.after_eval.")
            return True
        return None

    def end(self, session: SessionLike, global_step_value: Any) -> None:
        """Evaluates the last checkpoint, unless it was when it was saved."""
        if global_step_value != self._timer.last_triggered_step() and self._listener.before_eval():
            self._listener.after_eval(self._evaluate(global_step_value))

    def _evaluate(self, step: Any) -> EvaluationResult:
        self._timer.update_last_triggered_step(step)
        self.eval_result, self.export_results = self._evaluator.evaluate_and_export()
        if self.eval_result.status != EvalStatus.EVALUATED:
            raise RuntimeError(
                f"There was no new checkpoint after the training. Eval status: {self.eval_result.status}"
            )
        return self.eval_result
