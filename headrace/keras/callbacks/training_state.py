"""How far workers of a cluster have trained a model: after a restart they go on with the epoch that they were in."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from headrace.checkpoints import checkpoint_state
from headrace.checkpoints.checkpoint import Checkpoint
from headrace.files import file_io
from headrace.keras.backend.sessions import get_value, set_value
from headrace.keras.backend.variables import variable
from headrace.keras.callbacks.base import is_other_worker

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

# The name of the attribute of models, and what it is before an epoch has been saved.
CKPT_SAVED_EPOCH = "_ckpt_saved_epoch"
CKPT_SAVED_EPOCH_UNUSED_VALUE = -1

_FOLDER, _FILE = "backup", "training_state"


def checkpoint_exists(filepath: str) -> bool:
    """Whether a model has been saved under a path: a file, a folder, or a checkpoint of that name."""
    if file_io.file_exists(filepath):
        return True
    # Names of checkpoints are looked for in the folder, which is to be there.
    return file_io.file_exists(os.path.dirname(filepath)) and checkpoint_state.checkpoint_exists(filepath)


def remove_checkpoint_if_exists(ckpt_dir: str, filepath: str) -> bool:
    """Deletes a folder if a model has been saved there under a path; whether it has."""
    if not checkpoint_exists(filepath):
        return False
    file_io.delete_recursively(ckpt_dir)
    return True


class TrainingState:
    """The weights, those of the optimizer and the last epoch of a model, in a folder beside its checkpoints.

    Args:
        model: the model.
        filepath: where its checkpoints are; workers that restart find the folder by it.
    """

    def __init__(self, model: Model, filepath: str) -> None:
        self._model = model
        self._folder = os.path.join(os.path.dirname(filepath), _FOLDER)
        with model._distribution_strategy.scope():
            self._epoch = variable(CKPT_SAVED_EPOCH_UNUSED_VALUE, "int64", "ckpt_saved_epoch")
        # Callbacks may look at it; it is none of the model's weights.
        model._set_untracked(**{CKPT_SAVED_EPOCH: self._epoch})
        self._checkpoint = Checkpoint(model=model, epoch=self._epoch)

    def restore(self) -> bool:
        """Takes what has been saved, if anything has been; whether it has."""
        path = os.path.join(self._folder, _FILE)
        if not checkpoint_exists(path):
            return False
        self._checkpoint.restore(path).initialize_or_restore()
        return True

    def first_epoch(self, initial_epoch: int) -> int:
        """The epoch to go on with."""
        saved = int(get_value(self._epoch))
        return initial_epoch if saved == CKPT_SAVED_EPOCH_UNUSED_VALUE else saved + 1

    def back_up(self, epoch: int) -> None:
        """Saves what an epoch has come to; the chief's files are those that are kept."""
        set_value(self._epoch, epoch)
        if not is_other_worker(self._model):
            self._checkpoint.write(os.path.join(self._folder, _FILE))
            return
        with tempfile.TemporaryDirectory() as folder:
            self._checkpoint.write(os.path.join(folder, _FILE))

    def delete(self) -> None:
        """Forgets it all, as training has come to its end."""
        object.__delattr__(self._model, CKPT_SAVED_EPOCH)
        if not is_other_worker(self._model):
            remove_checkpoint_if_exists(self._folder, os.path.join(self._folder, _FILE))
