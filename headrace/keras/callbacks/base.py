"""What every callback is, and the list that calls them."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

Logs = dict[str, Any]

# A hook that takes longer than this many seconds, and nearly as long as the batch itself, is warned of.
_SLOW_SECONDS = 0.1
_SLOW_SHARE = 0.95


class Callback:
    """What is called at the beginning and the end of training, of each epoch and of each batch.

    A subclass overrides the methods it has a use for. `logs` holds the numbers known by then: of a batch its loss,
    metrics and size, of an epoch the averages, with those of the validation under names that begin with `val_`.

    Attributes:
        params: what training was called with: `epochs`, `steps`, `samples`, `batch_size`, `verbose`, `metrics`.
        model: the model that is trained.
        validation_data: what it is validated with.

    Example:
        >>> class Losses(tf.keras.callbacks.Callback):
        ...     def on_batch_end(self, batch, logs=None):
        ...         print(batch, logs["loss"])
    """

    params: Logs
    model: Model

    def __init__(self) -> None:
        self.validation_data: Any = None
        self.model = None  # type: ignore[assignment]  # until `set_model`
        # Whether other workers of a cluster leave it alone.
        self._chief_worker_only: bool | None = None

    def set_params(self, params: Logs) -> None:
        """Takes what training was called with."""
        self.params = params

    def set_model(self, model: Model) -> None:
        """Takes the model."""
        self.model = model

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Another name for `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Another name for `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Before an epoch of training; they are counted from 0."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """After an epoch of training and its validation."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of training."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of training."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of `evaluate`, or of the validation in `fit`."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of `evaluate`, or of the validation in `fit`."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of `predict`."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of `predict`; `logs["outputs"]` is what came out."""

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Before training."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """After training."""

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Before `evaluate`, or the validation in `fit`."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """After `evaluate`, or the validation in `fit`."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Before `predict`."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """After `predict`."""


def is_one_of_workers(model: Model) -> bool:
    """Whether a model is trained by several workers of a cluster, of which this is one."""
    strategy = getattr(model, "_distribution_strategy", None)
    return strategy is not None and bool(strategy.extended._in_multi_worker_mode())


def is_other_worker(model: Model) -> bool:
    """Whether a model is trained by several workers of a cluster, and the chief is another one than this."""
    return is_one_of_workers(model) and not model._distribution_strategy.extended.should_checkpoint


class CallbackList:
    """Callbacks that are called one after the other.

    Args:
        callbacks: the callbacks.
        queue_length: over how many batches the time of a hook is looked at.
    """

    params: Logs
    model: Model

    def __init__(self, callbacks: Sequence[Callback] | None = None, queue_length: int = 10) -> None:
        self.callbacks = list(callbacks or [])
        self.params, self.model = {}, None  # type: ignore[assignment]  # until `set_model`
        self.queue_length = queue_length
        self._reset_batch_timing()

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def _reset_batch_timing(self) -> None:
        self._delta_t_batch = 0.0
        self._t_enter_batch = 0.0
        self._delta_ts: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=self.queue_length))

    def append(self, callback: Callback) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def set_params(self, params: Logs) -> None:
        """Gives all of them what training was called with."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: Model) -> None:
        """Gives all of them the model."""
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def _call_batch_hook(self, mode: str, hook: str, batch: int, logs: Logs | None = None) -> None:
        """Calls `on_<mode>_batch_<hook>` of all of them.

        Args:
            mode: "train", "test" or "predict".
            hook: "begin" or "end".
            batch: which one.
            logs: what is known of it.
        """
        if not self.callbacks:
            return
        name = f"on_{mode}_batch_{hook}"
        entered = time.time()
        if hook == "end":
            self._delta_t_batch = entered - self._t_enter_batch
        logs = {} if logs is None else logs
        for callback in self.callbacks:
            getattr(callback, name)(batch, logs)
        self._look_at_time(name, time.time() - entered)
        if hook == "begin":
            self._t_enter_batch = time.time()

    def _look_at_time(self, name: str, seconds: float) -> None:
        times = self._delta_ts[name]
        times.append(seconds)
        # The median costs more than all of this; it cannot be above what the longest is not above.
        if self._delta_t_batch <= 0 or max(times) <= _SLOW_SECONDS:
            return
        median = statistics.median(times)
        if median > _SLOW_SECONDS and median > _SLOW_SHARE * self._delta_t_batch:
            tf_logging.warning(
                "Method (%s) is slow compared to the batch update (%f). Check your callbacks.", name, median
            )

    def _call_begin_hook(self, mode: str) -> None:
        """Calls `on_<mode>_begin`."""
        getattr(self, f"on_{mode}_begin")()

    def _call_end_hook(self, mode: str) -> None:
        """Calls `on_<mode>_end`."""
        getattr(self, f"on_{mode}_end")()

    def _call(self, name: str, logs: Logs | None, *where: int) -> None:
        # An empty dict of the caller's, which may be filled later, is not given away.
        logs = logs or {}
        for callback in self.callbacks:
            getattr(callback, name)(*where, logs)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of training."""
        self._call_batch_hook("train", "begin", batch, logs)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of training."""
        self._call_batch_hook("train", "end", batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Before an epoch."""
        self._call("on_epoch_begin", logs, epoch)
        self._reset_batch_timing()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """After an epoch."""
        self._call("on_epoch_end", logs, epoch)

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of training."""
        self._call_batch_hook("train", "begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of training."""
        self._call_batch_hook("train", "end", batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of `evaluate`."""
        self._call_batch_hook("test", "begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of `evaluate`."""
        self._call_batch_hook("test", "end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Before a batch of `predict`."""
        self._call_batch_hook("predict", "begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """After a batch of `predict`."""
        self._call_batch_hook("predict", "end", batch, logs)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Before training."""
        self._begin_or_end("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """After training."""
        self._begin_or_end("on_train_end", logs)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Before `evaluate`."""
        self._begin_or_end("on_test_begin", logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """After `evaluate`."""
        self._begin_or_end("on_test_end", logs)

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Before `predict`."""
        self._begin_or_end("on_predict_begin", logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """After `predict`."""
        self._begin_or_end("on_predict_end", logs)

    def _begin_or_end(self, name: str, logs: Logs | None) -> None:
        # Programs override these with and without `logs`, so what they get is what was given.
        for callback in self.callbacks:
            getattr(callback, name)(logs)
