"""Iterators in checkpoints: how far they have come, so that training goes on where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.core.defaults import get_collection
from headrace.data.iterator import GLOBAL_ITERATORS
from headrace.data.iterator_saveable import IteratorSaveable
from headrace.sessions.saving_hooks import CheckpointSaverHook
from headrace.sessions.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.runtime.session import Session
    from headrace.runtime.session_interface import SessionInterface
    from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext


def make_saveable_from_iterator(iterator: Any) -> IteratorSaveable:
    """What to add to `tf.GraphKeys.SAVEABLE_OBJECTS` so that checkpoints keep the place of an iterator.

    After restoring, the iterator goes through its dataset anew up to that place, so the dataset must give the same
    elements again: its shuffles must be seeded.

    Args:
        iterator: a `tf.data.Iterator`, initialized before the checkpoint is restored.
    """
    return IteratorSaveable(iterator._iterator_resource)


class CheckpointInputPipelineHook(SessionRunHook):
    """Keeps the places of all iterators in checkpoints beside those of the model, and restores them.

    The checkpoints are called `input.ckpt-…`, in the folder of the model; those of a worker of several have its type and
    number in their names. The place is restored, or first saved, in the first step of a session.

    Args:
        estimator: the Estimator whose folder and times of saving are used.

    Example:
        estimator.train(input_fn, hooks=[tf.data.experimental.CheckpointInputPipelineHook(estimator)])
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator._config
        prefix = "input"
        if config.num_worker_replicas > 1:
            prefix += f"_{config.task_type}_{config.task_id}"
        self._checkpoint_saver_hook = CheckpointSaverHook(
            estimator.model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            checkpoint_basename=prefix + ".ckpt",
        )
        self._latest_filename = "checkpoint_" + prefix
        self._first_run = True

    def begin(self) -> None:
        """Makes a saver of the graph's iterators."""
        hook = self._checkpoint_saver_hook
        if hook._saver is None and hook._scaffold is None:
            saveables = [IteratorSaveable(resource) for resource in get_collection(GLOBAL_ITERATORS)]
            hook._saver = _NamedSaver(saveables, self._latest_filename)
        hook.begin()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Restores or saves the places in the first step: all iterators have begun by then."""
        if self._first_run:
            self._restore_or_save(run_context.session)
            self._first_run = False
        return self._checkpoint_saver_hook.before_run(run_context)

    def _restore_or_save(self, session: Session) -> None:
        hook = self._checkpoint_saver_hook
        latest = latest_checkpoint(hook._checkpoint_dir, latest_filename=self._latest_filename)
        if latest:
            hook._get_saver().restore(session, latest)
            return
        step = session.run(hook._global_step_tensor)
        hook._save(session, step)
        hook._timer.update_last_triggered_step(step)

    def after_run(self, run_context: SessionRunContext, run_values: Any) -> None:
        """Saves the places when it is time."""
        self._checkpoint_saver_hook.after_run(run_context, run_values)

    def end(self, session: SessionLike) -> None:
        """Saves the places at the end."""
        self._checkpoint_saver_hook.end(session)


class _NamedSaver(Saver):
    """A saver that lists its checkpoints in a file of its own, beside the model's."""

    def __init__(self, var_list: Sequence[IteratorSaveable], latest_filename: str) -> None:
        super().__init__(var_list)
        self._latest_filename = latest_filename

    def save(
        self,
        sess: SessionInterface | None,
        save_path: str,
        global_step: TensorLike | None = None,
        latest_filename: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """`Saver.save`, with this file by default."""
        return super().save(sess, save_path, global_step, latest_filename or self._latest_filename, *args, **kwargs)
