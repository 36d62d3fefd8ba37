"""Callbacks made ready for a model: those that each training has, and what they are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.callbacks.base import Callback, CallbackList, Logs, is_one_of_workers, is_other_worker
from headrace.keras.callbacks.learning_rates import LearningRateScheduler, ReduceLROnPlateau
from headrace.keras.callbacks.model_checkpoint import ModelCheckpoint
from headrace.keras.callbacks.records import BaseLogger, History, ProgbarLogger
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def configure_callbacks(
    callbacks: CallbackList | Callback | Sequence[Callback] | None,
    model: Model,
    do_validation: bool = False,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    samples: int | None = None,
    verbose: int = 1,
    count_mode: str = "steps",
    mode: str = "train",
) -> CallbackList:
    """The callbacks of a training, a test or a prediction.

    In training a `BaseLogger` comes before them, and after them the model's new `history` and what prints.

    Args:
        callbacks: the program's. A list that has been made ready already is returned as it is.
        model: the model.
        do_validation: whether it is validated.
        batch_size, epochs, steps_per_epoch, samples, verbose: what it is called with.
        count_mode: "samples" or "steps": what is counted on the screen.
        mode: "train", "test" or "predict".

    Returns:
        the `CallbackList`.
    """
    if isinstance(callbacks, CallbackList):
        return callbacks
    if mode == "train" and callbacks and not isinstance(callbacks, list):
        raise TypeError(f'can only concatenate list (not "{type(callbacks).__name__}") to list: callbacks are a list')
    chosen = _listed(callbacks)
    if getattr(model, "_distribution_strategy", None) is not None:
        validate_callbacks(chosen, model.optimizer)
        # Each worker predicts for itself.
        if mode != "predict" and is_one_of_workers(model):
            chosen = _of_worker(chosen, model)
    if mode == "train":
        model.history = History()  # type: ignore[attr-defined]  # made here
        chosen = [BaseLogger(), *chosen, model.history]  # type: ignore[attr-defined]  # likewise
        if verbose:
            chosen.append(ProgbarLogger(count_mode))
    ready = CallbackList(chosen)
    ready.set_model(model._get_callback_model())
    set_callback_parameters(
        ready,
        model,
        do_validation=do_validation,
        batch_size=batch_size,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        samples=samples,
        verbose=verbose,
        mode=mode,
    )
    ready.model.stop_training = False
    return ready


def _of_worker(callbacks: Sequence[Callback], model: Model) -> list[Callback]:
    """The callbacks that this worker of a cluster calls."""
    if not any(isinstance(callback, ModelCheckpoint) for callback in callbacks):
        logging.warning("ModelCheckpoint callback is not provided. Workers will need to restart training if any fails.")
    return [callback for callback in callbacks if not (callback._chief_worker_only and is_other_worker(model))]


def first_epoch(callbacks: Iterable[Callback], initial_epoch: int) -> int:
    """The epoch that training begins with: the one given, or the one that a callback goes on with."""
    for callback in callbacks:
        if isinstance(callback, ModelCheckpoint):
            return callback._first_epoch(initial_epoch)
    return initial_epoch


def _listed(callbacks: Callback | Iterable[Callback] | None) -> list[Callback]:
    if callbacks is None:
        return []
    return [callbacks] if isinstance(callbacks, Callback) else list(callbacks)


def set_callback_parameters(
    callback_list: CallbackList,
    model: Model,
    do_validation: bool = False,
    batch_size: int | None = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    samples: int | None = None,
    verbose: int = 1,
    mode: str = "train",
) -> None:
    """Tells callbacks what training was called with, and which metrics are averages already.

    Args:
        callback_list: the callbacks.
        model, do_validation, batch_size, epochs, steps_per_epoch, samples, verbose, mode: as for `configure_callbacks`.
    """
    # A model that is compiled when it sees its first batch has no names of metrics before.
    names = list(getattr(model, "metrics_names", ()))
    for callback in callback_list:
        if isinstance(callback, (BaseLogger, ProgbarLogger)):
            callback.stateful_metrics = set(names[1:])  # the loss is of the batch
    metrics: list[str] = []
    if mode != "predict":
        metrics = names + [f"val_{name}" for name in names] if do_validation else names
    callback_list.set_params(
        {
            "batch_size": batch_size,
            "epochs": epochs,
            "steps": steps_per_epoch,
            "samples": samples,
            "verbose": verbose,
            "do_validation": do_validation,
            "metrics": metrics,
        }
    )


def make_logs(model: Model, logs: Logs, outputs: Any, mode: str, prefix: str = "") -> Logs:
    """Puts the numbers of a batch or an epoch into its logs.

    Args:
        model: the model, whose `metrics_names` they go by.
        logs: changed in place.
        outputs: the numbers; in prediction what came out, which is kept as "outputs".
        mode: "train", "test" or "predict".
        prefix: of the names.

    Returns:
        `logs`.
    """
    if mode == "predict":
        logs["outputs"] = outputs
        return logs
    for name, value in zip(getattr(model, "metrics_names", ()), outputs, strict=False):
        logs[prefix + name] = value
    return logs


def validate_callbacks(input_callbacks: Sequence[Any] | None, optimizer: Any) -> None:
    """Checks that callbacks can set what they set of an optimizer under a strategy.

    Args:
        input_callbacks: the callbacks.
        optimizer: the model's.

    Raises:
        ValueError: for one that sets the learning rate, with an optimizer of `tf.train`.
    """
    for callback in input_callbacks or ():
        if isinstance(callback, (LearningRateScheduler, ReduceLROnPlateau)) and not isinstance(optimizer, OptimizerV2):
            raise ValueError(
                f"You must specify a Keras Optimizer V2 when using {callback} callback with DistributionStrategy."
            )
