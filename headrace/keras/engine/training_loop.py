"""The loop over epochs and batches, whatever the batches come from: callbacks, progress, aggregation, validation."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import errors
from headrace.keras.callbacks.base import CallbackList
from headrace.keras.callbacks.configuring import configure_callbacks, first_epoch, make_logs
from headrace.keras.callbacks.records import ProgbarLogger
from headrace.keras.engine.training_aggregators import MetricsAggregator, OutputsAggregator

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

TRAIN, TEST, PREDICT = "train", "test", "predict"


class Batch(NamedTuple):
    """A batch that waits to be run.

    Attributes:
        size: what callbacks are told of its size.
        run: runs it: the loss and metrics, or the outputs.
        start, end: which samples it holds, if they are counted.
    """

    size: int
    run: Callable[[], Any]
    start: int | None = None
    end: int | None = None


class Batches(abc.ABC):
    """Where batches come from.

    Attributes:
        samples: the number of samples where they are counted rather than batches.
        steps: the number of batches of an epoch, None if only its end will tell.
        batch_size: the size of batches, if it is known.
        may_end: whether an epoch without a batch after others is an end like another.
        tells_last: whether it then has the numbers of the last epoch, as in 1.15's older loops, or none.
    """

    samples: int | None = None
    steps: int | None = None
    batch_size: int | None = None
    may_end: bool = True
    tells_last: bool = True

    @property
    def count_mode(self) -> str:
        """What progress counts: "samples" or "steps"."""
        return "steps" if self.samples is None else "samples"

    @property
    def target(self) -> int | None:
        """How many samples or batches an epoch has."""
        return self.steps if self.samples is None else self.samples

    @property
    def told_batch_size(self) -> int | None:
        """Which size of batches callbacks are told."""
        return self.batch_size

    @property
    def told_samples(self) -> int | None:
        """How many samples callbacks are told that an epoch has; where batches are counted, 1.15 tells their number."""
        return self.target

    @property
    def told_steps(self) -> int | None:
        """How many batches callbacks are told that an epoch has."""
        return self.steps

    @abc.abstractmethod
    def epoch(self, model: Model) -> Iterator[Batch]:
        """The batches of an epoch."""

    def ended_early(self, model: Model, step: int) -> None:  # noqa: B027  most sources end as expected
        """Called where a batch that was expected could not be had."""

    def refuse_emptiness(self, shown: bool) -> None:  # noqa: B027  what puts the batches together refuses none
        """Called where an epoch had no batch; `shown` is whether there is a bar on the screen."""

    def epoch_done(self, last: bool) -> None:  # noqa: B027  most sources begin anew by themselves
        """Called after an epoch."""

    def close(self) -> None:  # noqa: B027  most sources hold nothing
        """Called at the end."""


class Progress:
    """The bar on the screen, which callbacks do not see.

    Args:
        model: the model.
        count_mode: "samples" or "steps".
        verbose: 0, 1 or 2.
        params: what callbacks are told.
    """

    def __init__(self, model: Model, count_mode: str, verbose: int, params: dict[str, Any]) -> None:
        self.bar: Any = None
        if verbose:
            self.bar = ProgbarLogger(count_mode, stateful_metrics=_names(model)[1:])
            self.bar.set_model(model)
            self.bar.params = {**params, "verbose": verbose}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bar, name) if self.bar is not None else _nothing

    def expect(self, steps: int) -> None:
        """Takes how many batches an epoch has, where only its end could tell."""
        if self.bar is not None and self.bar.use_steps:
            self.bar.params["steps"] = self.bar.progbar.target = steps


def _nothing(*args: object) -> None:
    """What is called where nothing is shown."""


def _names(model: Model) -> list[str]:
    return list(getattr(model, "metrics_names", ()))


class Validation(NamedTuple):
    """What a model in training is validated with.

    Attributes:
        run: validates once, with the callbacks of training; gives the loss and metrics.
        frequency: after how many epochs, or after which.
        target: how many samples or batches there are, None if that is not known.
    """

    run: Callable[[CallbackList], Any]
    frequency: Any
    target: int | None


def should_run_validation(validation_freq: Any, epoch: int) -> bool:
    """Whether a model is validated after an epoch.

    Args:
        validation_freq: after how many epochs, or a list of their numbers, from 1.
        epoch: the epoch, from 0.

    Raises:
        ValueError: if it is below 1, or no number nor collection.
    """
    if isinstance(validation_freq, int):
        if validation_freq < 1:
            raise ValueError("`validation_freq` can not be less than 1.")
        return (epoch + 1) % validation_freq == 0
    if not hasattr(validation_freq, "__contains__"):
        raise ValueError(
            f"`validation_freq` must be an Integer or `collections.abc.Container` (e.g. list, tuple, etc.), got: "
            f"{validation_freq}"
        )
    return epoch + 1 in validation_freq


class Loop:
    """Runs a model over epochs of batches.

    Args:
        model: the model.
        mode: "train", "test" or "predict".
        batches: where batches come from.
        callbacks: the program's, or a list made ready already.
        verbose: how much is shown.
        epochs, initial_epoch: the last epoch and the first.
        validation: what validates, in training.
    """

    def __init__(
        self,
        model: Model,
        mode: str,
        batches: Batches,
        callbacks: Any = None,
        verbose: int = 1,
        epochs: int = 1,
        initial_epoch: int = 0,
        validation: Validation | None = None,
    ) -> None:
        self.model, self.mode, self.batches = model, mode, batches
        self.epochs, self.initial_epoch, self.validation = epochs, initial_epoch, validation
        self._aggregator: Any = None
        # Validation has the callbacks of training, which know its steps.
        self._tells_steps = not isinstance(callbacks, CallbackList) and batches.count_mode == "steps"
        self.callbacks = configure_callbacks(
            callbacks,
            model,
            do_validation=validation is not None,
            batch_size=batches.told_batch_size,
            epochs=epochs,
            steps_per_epoch=batches.told_steps,
            samples=batches.told_samples,
            verbose=0,
            mode=mode,
        )
        self.progress = Progress(model, batches.count_mode, verbose, self.callbacks.params)

    def run(self) -> Any:
        """Goes through the epochs.

        Returns:
            in training the model's `history`; else the numbers of the last epoch, or the outputs.
        """
        try:
            results = self._epochs()
            self.callbacks._call_end_hook(self.mode)
        finally:
            # After an interrupt, too: there may be processes that make batches.
            self.batches.close()
        if self.mode == TRAIN:
            return self.model.history
        if isinstance(results, list) and len(results) == 1:
            return results[0]
        return results

    def _epochs(self) -> Any:
        """Goes through the epochs; the numbers or outputs of the last one."""
        model, mode, callbacks, progress = self.model, self.mode, self.callbacks, self.progress
        callbacks.model.stop_training = False
        callbacks._call_begin_hook(mode)
        progress.on_train_begin()
        results: Any = []
        begin = first_epoch(callbacks, self.initial_epoch) if mode == TRAIN else self.initial_epoch
        for epoch in range(begin, self.epochs):
            if callbacks.model.stop_training:
                break
            logs: dict[str, Any] = {}
            if mode != PREDICT or model._has_touched_metrics:
                model.reset_metrics()
            if mode == TRAIN:
                callbacks.on_epoch_begin(epoch, logs)
            progress.on_epoch_begin(epoch, logs)
            results = self._epoch()
            logs = make_logs(model, logs, results, mode)
            if mode != PREDICT:
                self._validate(epoch, logs)
            if mode == TRAIN:
                callbacks.on_epoch_end(epoch, logs)
            progress.on_epoch_end(epoch, logs)
            self.batches.epoch_done(last=epoch == self.epochs - 1)
        return results

    def _epoch(self) -> Any:
        """Runs the batches of an epoch; their numbers, or the outputs."""
        model, mode, callbacks, progress, batches = self.model, self.mode, self.callbacks, self.progress, self.batches
        if self._aggregator is None or not batches.may_end:
            self._aggregator = self._new_aggregator()
        aggregator = self._aggregator
        names = _names(model)
        predicting = mode == PREDICT
        if not predicting:
            model._set_untracked(_has_touched_metrics=True)
        step, waiting = 0, batches.epoch(model)
        for batch in waiting:
            logs: dict[str, Any] = {"batch": step, "size": batch.size}
            callbacks._call_batch_hook(mode, "begin", step, logs)
            progress.on_batch_begin(step, logs)
            try:
                outs = batch.run()
            except errors.OutOfRangeError:
                batches.ended_early(model, step)
                break
            if not isinstance(outs, list):
                outs = [outs]
            if step == 0:
                aggregator.create(outs)
                names = _names(model)
            aggregator.aggregate(outs, batch.start, batch.end)
            if predicting:
                logs["outputs"] = outs
            else:
                logs.update(zip(names, outs))
            callbacks._call_batch_hook(mode, "end", step, logs)
            progress.on_batch_end(step, logs)
            step += 1
            if callbacks.model.stop_training:
                break
        if aggregator.steps is None:
            aggregator.steps = step
        if step and self._tells_steps and callbacks.params["steps"] is None and not callbacks.model.stop_training:
            # From now on it is known.
            callbacks.params["steps"] = step
            progress.expect(step)
        if not step and aggregator.results and not batches.tells_last:
            return []
        if not step and not aggregator.results:
            batches.refuse_emptiness(progress.bar is not None)
        aggregator.finalize()
        return aggregator.results

    def _new_aggregator(self) -> Any:
        batches = self.batches
        if self.mode == PREDICT:
            return OutputsAggregator(
                batches.samples is None, num_samples=batches.samples, steps=batches.steps, batch_size=batches.batch_size
            )
        return MetricsAggregator(
            batches.samples is None,
            num_samples=batches.samples,
            steps=None if batches.samples is not None else batches.steps,
        )

    def _validate(self, epoch: int, logs: dict[str, Any]) -> None:
        validation = self.validation
        if validation is None or not should_run_validation(validation.frequency, epoch):
            return
        if self.callbacks.model.stop_training:
            return
        found = validation.run(self.callbacks)
        make_logs(self.model, logs, found if isinstance(found, list) else [found], self.mode, prefix="val_")


def print_train_info(target: int | None, unit: str, validation: Validation | None) -> None:
    """Prints how much is trained and validated on.

    Args:
        target: the number of samples or batches.
        unit: "samples" or "steps".
        validation: what validates.
    """
    text = f"Train on {target} {unit}"
    if validation is not None and validation.target:
        text += f", validate on {validation.target} {unit}"
    print(text)
