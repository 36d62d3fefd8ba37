"""When an estimator saves while it trains, and in which tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headrace.distribute.multi_worker_mirrored import CollectiveAllReduceExtended
from headrace.sessions.saving_hooks import CheckpointSaverHook, CheckpointSaverListener
from headrace.sessions.worker_context import get_current_worker_context

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.sessions.session_run_hook import SessionRunHook


class Checkpointing(NamedTuple):
    """What saves in a training session.

    Attributes:
        chief_hooks: hooks of the chief that save.
        every_secs, every_steps: how often the session's own hook does, where it has one.
    """

    chief_hooks: list[SessionRunHook]
    every_secs: int | None = 0
    every_steps: int | None = None


def of_training(
    estimator: Estimator,
    spec: EstimatorSpec,
    worker_hooks: list[SessionRunHook],
    listeners: list[CheckpointSaverListener],
) -> Checkpointing:
    """What saves when a model is trained; nothing is added where the program has a hook that does.

    Args:
        estimator: the estimator, whose configuration says how often.
        spec: the model.
        worker_hooks: the hooks of this task.
        listeners: called when the chief saves.

    Raises:
        ValueError: for listeners where nothing saves, or all workers do.
    """
    config = estimator._config
    own = [hook for hook in (*worker_hooks, *spec.training_chief_hooks) if isinstance(hook, CheckpointSaverHook)]
    if _all_save(estimator):
        if listeners:
            raise ValueError("saving_listeners is not supported with CollectiveAllReduceStrategy.")
        if own:
            return Checkpointing([])
        return Checkpointing([], config.save_checkpoints_secs, config.save_checkpoints_steps)
    made: list[SessionRunHook] = []
    if not own and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        own = [
            CheckpointSaverHook(
                estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
            )
        ]
        made = list(own)
    if listeners:
        if not own:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        own[0]._listeners.extend(listeners)
    return Checkpointing(made)


def _all_save(estimator: Estimator) -> bool:
    """Whether all workers save, each in a folder of its own: values may be reduced over all of them to be saved."""
    in_cluster = get_current_worker_context() is not None or bool(estimator._config.cluster_spec)
    if not in_cluster or estimator._train_strategy is None:
        return False
    return isinstance(estimator._train_strategy.extended, CollectiveAllReduceExtended)
