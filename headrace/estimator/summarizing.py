"""Which task writes the summaries of training, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headrace.estimator.run_config import TaskType
from headrace.sessions.hooks import StepCounterHook
from headrace.sessions.saving_hooks import SummarySaverHook

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.sessions.session_run_hook import SessionRunHook


class Summarizing(NamedTuple):
    """What the training session itself writes.

    Attributes:
        every_steps: after how many steps summaries.
        rate_every_steps: after how many steps their rate.
    """

    every_steps: int | None
    rate_every_steps: int | None


def of_training(estimator: Estimator, spec: EstimatorSpec, worker_hooks: list[SessionRunHook]) -> Summarizing:
    """What writes summaries when a model is trained.

    A `master` evaluates too. Where there are workers beside it the first of them writes, by hooks of its own, so that
    evaluations leave no gaps.

    Args:
        estimator: the estimator, whose configuration says how often.
        spec: the model.
        worker_hooks: the hooks of this task, to which those are added.
    """
    config = estimator._config
    every, rate_every = config.save_summary_steps, config.log_step_count_steps
    if not {TaskType.MASTER, TaskType.WORKER} <= set(config.cluster_spec.jobs):
        return Summarizing(every, rate_every)
    if config.task_type == TaskType.WORKER and config.task_id == 0:
        folder = estimator.model_dir
        if every:
            worker_hooks.append(SummarySaverHook(save_steps=every, output_dir=folder, scaffold=spec.scaffold))
        if rate_every:
            worker_hooks.append(StepCounterHook(every_n_steps=rate_every, output_dir=folder))
    return Summarizing(0, None)
