"""The callback that saves the model during training."""

from __future__ import annotations

import os
import re
import tempfile
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import checkpoint_exists, latest_checkpoint
from headrace.files import file_io
from headrace.keras.callbacks.base import Callback, Logs, is_one_of_workers, is_other_worker
from headrace.keras.callbacks.monitoring import Comparison, comparison_of, worst
from headrace.keras.callbacks.training_state import TrainingState
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

# What `str.format` fills in.
_FIELD = re.compile(r"\{.*?\}")


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, after each epoch or each so many samples.

    Args:
        filepath: where. It may have fields that are filled in: `{epoch:02d}`, which counts from 1, and numbers of the
            logs such as `{val_loss:.2f}`.
        monitor: the name of the number that says which model is best.
        verbose: whether each saving is told.
        save_best_only: whether it is saved only where the number is better than it has been.
        save_weights_only: whether `Model.save_weights` saves, not `Model.save`.
        mode: "min" if less is better, "max" if more is, "auto" to go by the name.
        save_freq: "epoch", or the number of samples after which it is saved.
        **kwargs: `load_weights_on_restart`: whether training begins with the weights of the last file that is there
            (`Model.load_weights` before `fit` is better); `period`: every how many epochs it is saved.

    Raises:
        ValueError: for another `save_freq`.

    Example:
        >>> tf.keras.callbacks.ModelCheckpoint("weights.{epoch:02d}-{val_loss:.2f}.h5", save_best_only=True)
    """

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: str | int = "epoch",
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.verbose = verbose
        self.filepath = filepath
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.epochs_since_last_save = 0
        self._samples_seen_since_last_saving = 0
        self._current_epoch = 0
        self._training_state: TrainingState | None = None
        self.load_weights_on_restart = False
        self.period = 1
        self._take_older_arguments(kwargs)
        self.monitor_op: Comparison = comparison_of("ModelCheckpoint", mode, monitor, fmeasure=True)
        self.best = worst(self.monitor_op)
        if self.save_freq != "epoch" and not isinstance(self.save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {self.save_freq}; it is 'epoch' or a number of samples.")
        # On each worker of a cluster the model is the same.
        self._chief_worker_only = False

    def _take_older_arguments(self, kwargs: dict[str, Any]) -> None:
        if "load_weights_on_restart" in kwargs:
            self.load_weights_on_restart = kwargs["load_weights_on_restart"]
            tf_logging.warning(
                "`load_weights_on_restart` argument is deprecated. "
                "Call `model.load_weights()` before `model.fit()` instead."
            )
        if "period" in kwargs:
            self.period = kwargs["period"]
            tf_logging.warning(
                "`period` argument is deprecated. `save_freq` says after how many samples the model is saved."
            )

    def set_model(self, model: Model) -> None:
        """Takes the model; one that is not made of a graph of layers has weights only."""
        self.model = model
        if not self.save_weights_only and not model._is_graph_network and type(model).__name__ != "Sequential":
            self.save_weights_only = True

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Loads what an earlier training has saved: where workers have been restarted, or if that is asked for."""
        self._training_state = None
        if is_one_of_workers(self.model):
            self._training_state = TrainingState(self.model, os.fspath(self.filepath))
            if self._training_state.restore():
                return
        if not self.load_weights_on_restart:
            return
        path = self._get_most_recently_modified_file_matching_pattern(self.filepath)
        if path is None or not (checkpoint_exists(path) or os.path.isfile(path)):
            return
        try:
            self.model.load_weights(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"Error loading file from {path}. Reason: {error}") from error

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Saves where so many samples have been seen."""
        if not isinstance(self.save_freq, int):
            return
        logs = logs or {}
        self._samples_seen_since_last_saving += logs.get("size", 1)
        if self._samples_seen_since_last_saving >= self.save_freq:
            self._save_model(self._current_epoch, logs)
            self._samples_seen_since_last_saving = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Notes which epoch it is."""
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Saves where epochs are counted."""
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch":
            self._save_model(epoch, logs or {})
        if self._training_state is not None:
            self._training_state.back_up(epoch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Forgets what workers would have gone on with."""
        if self._training_state is not None:
            self._training_state.delete()
            self._training_state = None

    def _first_epoch(self, initial_epoch: int) -> int:
        """The epoch that training begins with: after a restart of workers the one that they were in."""
        return initial_epoch if self._training_state is None else self._training_state.first_epoch(initial_epoch)

    def _save_model(self, epoch: int, logs: Logs) -> None:
        if not isinstance(self.save_freq, int) and self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        path = self._get_file_path(epoch, logs)
        if not self.save_best_only:
            self._tell(f"\nEpoch {epoch + 1:05d}: saving model to {path}")
            self._write(path)
            return
        current = logs.get(self.monitor)
        if current is None:
            tf_logging.warning("Can save best model only with %s available, skipping.", self.monitor)
            return
        if not self.monitor_op(current, self.best):
            self._tell(f"\nEpoch {epoch + 1:05d}: {self.monitor} did not improve from {self.best:0.5f}")
            return
        self._tell(
            f"\nEpoch {epoch + 1:05d}: {self.monitor} improved from {self.best:0.5f} to {current:0.5f}, "
            f"saving model to {path}"
        )
        self.best = current
        self._write(path)

    def _tell(self, text: str) -> None:
        if self.verbose > 0:
            print(text)

    def _write(self, path: str) -> None:
        if not is_other_worker(self.model):
            self._save(path)
            return
        # Values that workers keep apart are put together by all of them; the chief's file is the one that is kept.
        with tempfile.TemporaryDirectory() as folder:
            self._save(os.path.join(folder, os.path.basename(path)))

    def _save(self, path: str) -> None:
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)

    def _get_file_path(self, epoch: int, logs: Logs) -> str:
        """The path with its fields filled in."""
        path = os.fspath(self.filepath) if isinstance(self.filepath, os.PathLike) else self.filepath
        return path.format(epoch=epoch + 1, **logs)

    def _get_most_recently_modified_file_matching_pattern(self, pattern: str) -> str | None:
        """The newest of the files whose names are the pattern's with its fields filled in.

        A checkpoint that the `checkpoint` file of the folder names as the latest counts as the newest. Where several
        files are of the same age, the one whose name comes last is taken.

        Args:
            pattern: a path with fields in its last part.

        Returns:
            its path, or None where there is none.
        """
        folder, base = os.path.split(pattern)
        names = re.compile(f"^{_FIELD.sub('.*', base)}$")
        latest = latest_checkpoint(folder)
        if latest is not None and names.match(os.path.basename(latest)):
            return latest
        if not file_io.file_exists(folder):
            return None
        paths = [os.path.join(folder, name) for name in os.listdir(folder) if names.match(name)]
        return _newest(paths)


def _newest(paths: list[str]) -> str | None:
    if not paths:
        return None
    ages = [os.path.getmtime(path) for path in paths]
    # Where several were written within one tick of the clock, the order of names says which came last.
    return max(paths) if ages.count(max(ages)) > 1 else paths[ages.index(max(ages))]
