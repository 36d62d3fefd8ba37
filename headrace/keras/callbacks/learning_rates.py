"""Callbacks that change the learning rate."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.keras.backend.sessions import get_value, set_value
from headrace.keras.callbacks.base import Callback, Logs
from headrace.keras.callbacks.monitoring import Comparison, comparison_of, worst
from headrace.util import tf_logging


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function of the epoch, or of the epoch and the present learning rate, that gives the new one.
        verbose: whether each is told.

    Example:
        >>> tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 * 0.9**epoch)
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Sets it.

        Raises:
            ValueError: if the optimizer has no learning rate, or the schedule gives something else than a number.
        """
        optimizer = self.model.optimizer
        if not hasattr(optimizer, "lr"):
            raise ValueError(f'Optimizer must have a "lr" attribute; {optimizer} has none.')
        if _takes_two(self.schedule):
            rate = self.schedule(epoch, float(get_value(optimizer.lr)))
        else:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError(
                f'The output of the "schedule" function should be float; for epoch {epoch} it gave {rate!r}.'
            )
        set_value(optimizer.lr, rate)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Puts it into `logs` as "lr"."""
        if logs is not None:
            logs["lr"] = get_value(self.model.optimizer.lr)


def _takes_two(schedule: Callable[..., float]) -> bool:
    """Whether a schedule can be called with the epoch and the learning rate."""
    try:
        signature = inspect.signature(schedule)
    except ValueError:  # of a function of C that does not say
        return False
    try:
        signature.bind(0, 0.0)
    except TypeError:
        return False
    return True


class ReduceLROnPlateau(Callback):
    """Lowers the learning rate when a number no longer gets better.

    Args:
        monitor: the number's name in the logs.
        factor: what the learning rate is multiplied by, below 1.
        patience: how many epochs without getting better are waited for.
        verbose: whether each change is told.
        mode: "min" if less is better, "max" if more is, "auto" to go by the name.
        min_delta: by how much the number has to get better for that to count.
        cooldown: how many epochs after a change do not count.
        min_lr: what the learning rate does not fall below.
        **kwargs: `epsilon`, the older name of `min_delta`.

    Raises:
        ValueError: for a factor of 1 or more.

    Example:
        >>> tf.keras.callbacks.ReduceLROnPlateau(factor=0.2, patience=5, min_lr=0.001)
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0; it was {factor}.")
        if "epsilon" in kwargs:
            min_delta = kwargs["epsilon"]
            tf_logging.warning("`epsilon` argument is deprecated; its name is `min_delta` now.")
        self.monitor = monitor
        self.factor = factor
        self.min_lr = min_lr
        self.min_delta = min_delta
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.mode = mode
        self._reset()

    def _reset(self) -> None:
        """Begins to look and to wait anew."""
        comparison = comparison_of("Learning Rate Plateau Reducing", self.mode, self.monitor)
        if self.mode not in ("auto", "min", "max"):
            self.mode = "auto"
        self.best = worst(comparison)
        self.cooldown_counter = 0
        self.wait = 0
        self._comparison = comparison

    def monitor_op(self, current: float, best: float) -> bool:
        """Whether a number is better than the best by as much as counts."""
        comparison: Comparison = self._comparison
        return comparison(current, best + self.min_delta if comparison is np.greater else best - self.min_delta)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins anew."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Looks at the number."""
        logs = logs if logs is not None else {}
        logs["lr"] = get_value(self.model.optimizer.lr)
        current = logs.get(self.monitor)
        if current is None:
            tf_logging.warning(
                "Reduce LR on plateau conditioned on metric `%s` which is not available. Available metrics are: %s",
                self.monitor,
                ",".join(logs),
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        before = float(get_value(self.model.optimizer.lr))
        if before <= self.min_lr:
            return
        rate = max(before * self.factor, self.min_lr)
        set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter = self.cooldown
        self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether epochs do not count now."""
        return self.cooldown_counter > 0
