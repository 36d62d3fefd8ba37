"""Callbacks that end training early."""

from __future__ import annotations

import numpy as np

from headrace.keras.callbacks.base import Callback, Logs
from headrace.keras.callbacks.monitoring import Comparison, comparison_of, worst
from headrace.util import tf_logging


class TerminateOnNaN(Callback):
    """Ends training when the loss of a batch is infinite or not a number."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class EarlyStopping(Callback):
    """Ends training when a number no longer gets better.

    Args:
        monitor: the number's name in the logs.
        min_delta: by how much it has to get better for that to count.
        patience: how many epochs without that are waited for.
        verbose: whether the end is told.
        mode: "min" if less is better, "max" if more is, "auto" to go by the name.
        baseline: what the number has to be better than in the first place.
        restore_best_weights: whether the model gets back the weights of the best epoch.

    Example:
        >>> stop = tf.keras.callbacks.EarlyStopping(monitor="loss", min_delta=0.5, patience=3)
        >>> history = model.fit(np.ones([8, 3]), np.zeros([8, 2]), epochs=20, verbose=0, callbacks=[stop])
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.verbose = verbose
        self.baseline = baseline
        self.patience = patience
        self.restore_best_weights = restore_best_weights
        self.best_weights: list[np.ndarray] | None = None
        self.monitor_op: Comparison = comparison_of("EarlyStopping", mode, monitor)
        # Added to the number, so that it has the sign of what makes it worse.
        self.min_delta = abs(min_delta) if self.monitor_op is np.greater else -abs(min_delta)
        self.wait = self.stopped_epoch = 0
        self.best = worst(self.monitor_op)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins anew: a callback may be used for several trainings."""
        self.wait = self.stopped_epoch = 0
        self.best = worst(self.monitor_op) if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Looks at the number."""
        current = self.get_monitor_value(logs)
        if current is None:
            return
        if self.monitor_op(current - self.min_delta, self.best):
            self.best = current
            self.wait = 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait < self.patience:
            return
        self.stopped_epoch = epoch
        self.model.stop_training = True
        # There are none where no epoch was better than the baseline.
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print("Restoring model weights from the end of the best epoch.")
            self.model.set_weights(self.best_weights)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Tells when it was."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")

    def get_monitor_value(self, logs: Logs | None) -> float | None:
        """The number in the logs, or None with a warning where there is none."""
        logs = logs or {}
        value: float | None = logs.get(self.monitor)
        if value is None:
            tf_logging.warning(
                "Early stopping conditioned on metric `%s` which is not available. Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
        return value
