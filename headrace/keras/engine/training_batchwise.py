"""Models that are given one batch at a time, or a generator of batches."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from headrace.keras.engine import training_arrays, training_generator, training_v2, training_v2_steps
from headrace.keras.engine.training_datasets import is_dataset
from headrace.keras.engine.training_loop import PREDICT, TEST, TRAIN
from headrace.keras.engine.training_replicas import check_no_strategy

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


class Batchwise:
    """The part of `Model` that takes batches one by one."""

    if TYPE_CHECKING:
        optimizer: Any
        call: Any

        def _steps_are_eager(self) -> bool: ...
        def _standardize_user_data(self, x: Any, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]: ...
        def reset_metrics(self) -> None: ...

    @property
    def _model(self) -> Model:
        return self  # type: ignore[return-value]  # it is a part of a model

    def _assert_compile_was_called(self) -> None:
        if not self.optimizer:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
            )

    def _check_call_args(self, method: str) -> None:
        """Checks that `call` can be given one argument, which is the inputs.

        Raises:
            ValueError: if it needs more.
        """
        spec = inspect.getfullargspec(self.call)
        needed = spec.args[: len(spec.args) - len(spec.defaults or ())]
        extra = [name for name in needed if name != "training"][2:]
        if extra:
            raise ValueError(
                f"Models passed to `{method}` can only have `training` and the first argument in `call` as positional "
                f"arguments, found: {extra}. Pass the others as one structure, in the first argument."
            )

    def _get_callback_model(self) -> Model:
        """The model that callbacks are told of."""
        return getattr(self, "callback_model", None) or self._model

    # ---- one batch ----

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, reset_metrics: bool = True
    ) -> Any:
        """Trains on one batch.

        Args:
            x, y, sample_weight, class_weight: as of `fit`.
            reset_metrics: whether the metrics are of this batch only.

        Returns:
            the loss before the step, or a list of it and the metrics.
        """
        self._assert_compile_was_called()
        self._check_call_args("train_on_batch")
        if self._steps_are_eager():
            outs = training_v2_steps.on_batch(self._model, TRAIN, x, y, sample_weight, class_weight)
        else:
            self._require_batch(x)
            self._require_dataset(x)
            x, y, weights = self._standardize_user_data(
                x, y, sample_weight=sample_weight, class_weight=class_weight, extract_tensors_from_dataset=True
            )
            outs = training_arrays.run_batch(self._model, TRAIN, x, y, weights)
        if reset_metrics:
            self.reset_metrics()
        return outs[0] if len(outs) == 1 else outs

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, reset_metrics: bool = True) -> Any:
        """The loss, and the metrics if there are any, on one batch.

        Args:
            x, y, sample_weight, reset_metrics: as of `train_on_batch`.
        """
        self._assert_compile_was_called()
        self._check_call_args("test_on_batch")
        if self._steps_are_eager():
            outs = training_v2_steps.on_batch(self._model, TEST, x, y, sample_weight, None)
        else:
            self._require_batch(x)
            self._require_dataset(x)
            x, y, weights = self._standardize_user_data(
                x, y, sample_weight=sample_weight, extract_tensors_from_dataset=True
            )
            outs = training_arrays.run_batch(self._model, TEST, x, y, weights)
        if reset_metrics:
            self.reset_metrics()
        return outs[0] if len(outs) == 1 else outs

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for one batch.

        Args:
            x: as of `fit`.
        """
        self._check_call_args("predict_on_batch")
        if self._steps_are_eager():
            return training_v2_steps.on_batch(self._model, PREDICT, x, None, None, None)
        self._require_batch(x)
        x, _, _ = self._standardize_user_data(x, extract_tensors_from_dataset=True)
        outs = training_arrays.run_batch(self._model, PREDICT, x, [], [])
        return outs[0] if isinstance(outs, list) and len(outs) == 1 else outs

    # ---- generators ----

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> Any:
        """Trains on the batches of a generator or a `Sequence`: the arguments are those of `fit`."""
        self._assert_compile_was_called()
        check_no_strategy(self._model, "fit_generator")
        self._check_call_args("fit_generator")
        if is_dataset(generator):
            generator = training_v2.read_by_older_loops(
                TRAIN, generator, steps_per_epoch, epochs, "steps_per_epoch", class_weight
            )
        return training_generator.fit(
            self._model, generator, steps_per_epoch=steps_per_epoch, epochs=epochs, verbose=verbose, callbacks=callbacks,
            validation_data=validation_data, validation_steps=validation_steps, validation_freq=validation_freq,
            class_weight=class_weight, max_queue_size=max_queue_size, workers=workers,
            use_multiprocessing=use_multiprocessing, shuffle=shuffle, initial_epoch=initial_epoch,
        )  # fmt: skip

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """The loss and metrics on batches of a generator or a `Sequence`: the arguments are those of `evaluate`."""
        self._assert_compile_was_called()
        check_no_strategy(self._model, "evaluate_generator")
        self._check_call_args("evaluate_generator")
        if is_dataset(generator):
            generator = training_v2.read_by_older_loops(TEST, generator, steps)
        return training_generator.evaluate_or_predict(
            self._model, TEST, generator, steps, verbose, callbacks, max_queue_size, workers, use_multiprocessing
        )

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """The outputs for batches of a generator or a `Sequence`: the arguments are those of `predict`."""
        check_no_strategy(self._model, "predict_generator")
        if is_dataset(generator):
            generator = training_v2.read_by_older_loops(PREDICT, generator, steps)
        return training_generator.evaluate_or_predict(
            self._model, PREDICT, generator, steps, verbose, callbacks, max_queue_size, workers, use_multiprocessing
        )

    def _require_batch(self, x: Any) -> None:
        """Raises TypeError for a batch that is None, unless the model has tensors of its own for all inputs."""
        if x is None and getattr(self._model, "_feed_input_names", True):
            raise TypeError("A model's batch `x` must be arrays or tensors, got None.")

    def _require_dataset(self, x: Any) -> None:
        """Raises AssertionError for a batch of a model of a strategy, in a graph, that is no dataset."""
        if self._model._distribution_strategy is not None and not is_dataset(x):
            raise AssertionError(
                f"Under a strategy, in a graph, a batch is a dataset; got {x!r}. Use `fit` or `evaluate`."
            )
