"""Training, testing and predicting on generators and sequences of batches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors, nest
from headrace.core.eager import EagerTensor
from headrace.core.tensor import Tensor
from headrace.keras.engine.training_arrays import make_batches
from headrace.keras.engine.training_datasets import is_dataset_or_iterator
from headrace.keras.engine.training_loop import PREDICT, TEST, TRAIN, Batch, Batches, Loop, Validation
from headrace.keras.utils import data_utils
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.callbacks.base import CallbackList
    from headrace.keras.engine.training import Model


def is_generator_or_sequence(data: object) -> bool:
    """Whether data gives batches: a generator or a `Sequence`."""
    return data_utils.is_generator_or_sequence(data)


class ReadBatches(Batches):
    """Batches of a generator or a `Sequence`, made ahead or by no one.

    Args:
        data: the generator or sequence.
    """

    def __init__(self, data: Any) -> None:
        self._data = data
        self._source: Iterator[Any] | None = None
        self._enqueuer: Any = None

    def epoch_done(self, last: bool) -> None:
        if self._enqueuer is None and isinstance(self._data, data_utils.Sequence):
            self._data.on_epoch_end()

    def close(self) -> None:
        if self._enqueuer is not None:
            self._enqueuer.stop()
            self._enqueuer = None


class GeneratorBatches(ReadBatches):
    """Batches from a generator or a `Sequence`, made ahead by workers.

    Args:
        model, mode: what they are for.
        data: the generator or sequence.
        steps: the number of batches of an epoch; that of a sequence by default.
        epochs: how often it is gone through, for what is said of an early end.
        class_weight: weights of classes.
        shuffle: whether a sequence is gone through in another order each time.
        max_queue_size, workers, use_multiprocessing: how batches are made.
        steps_name: the name of the argument `steps`.

    Raises:
        ValueError: if the number of batches is not known, or arrays are given.
    """

    def __init__(
        self,
        model: Model,
        mode: str,
        data: Any,
        steps: int | None,
        epochs: int = 1,
        class_weight: Any = None,
        shuffle: bool = False,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        steps_name: str = "steps",
    ) -> None:
        if isinstance(data, (np.ndarray, Tensor, list, tuple)):
            data, steps = convert_to_generator_like(data)
        is_sequence = isinstance(data, data_utils.Sequence)
        if not is_generator_or_sequence(data):
            raise AttributeError(
                f"{type(data).__name__!r} object has no attribute 'shape': batches come from a generator or from a class "
                "derived of `keras.utils.Sequence`."
            )
        if steps is None:
            if not is_sequence:
                raise ValueError(f"Please specify the number of steps via the `{steps_name}` argument.")
            steps = len(data)
        if not is_sequence and use_multiprocessing and workers > 1:
            tf_logging.warning(
                "Using a generator with `use_multiprocessing=True` and multiple workers may duplicate your data. Please "
                "consider using the `tf.data.Dataset`."
            )
        self.steps, self._steps_name, self._epochs = steps, steps_name, epochs
        self._mode, self._class_weight = mode, class_weight
        self._run = with_arrays(step_of(model, mode)) if mode == PREDICT else step_of(model, mode)
        super().__init__(data)
        self.last_size = 32
        self._source: Iterator[Any]
        self._source, self._enqueuer = read_ahead(data, shuffle, max_queue_size, workers, use_multiprocessing)

    def epoch(self, model: Model) -> Iterator[Batch]:
        step = 0
        while step < (self.steps or 0):
            try:
                element = next(self._source)
            except (StopIteration, errors.OutOfRangeError):
                self.ended_early(model, step)
                return
            x, y, weights = batch_parts(element, self._mode)
            size = self.last_size = _size_of_arrays(element)
            yield Batch(size, functools.partial(self._run, x, y, weights, self._class_weight))
            step += 1

    def ended_early(self, model: Model, step: int) -> None:
        model.stop_training = True
        tf_logging.warning(
            "Your dataset iterator ran out of data; interrupting training. Make sure that your iterator can generate at "
            "least `%s * epochs` batches (in this case, %d batches). You may need to use the repeat() function when "
            "building your dataset.", self._steps_name, (self.steps or 0) * self._epochs,
        )  # fmt: skip


def read_ahead(
    data: Any, shuffle: bool = False, max_queue_size: int = 10, workers: int = 1, use_multiprocessing: bool = False
) -> tuple[Iterator[Any], Any]:
    """An iterator over the batches of a generator, or again and again over those of a sequence.

    Args:
        data: the generator or sequence.
        shuffle: whether a sequence is gone through in another order each time.
        max_queue_size, workers, use_multiprocessing: how batches are made ahead; by no one, with no workers.

    Returns:
        the iterator, and what is to be stopped at the end; None where there are no workers.
    """
    is_sequence = isinstance(data, data_utils.Sequence)
    if workers <= 0:
        return data_utils.iter_sequence_infinite(data) if is_sequence else iter(data), None
    enqueuer: Any
    if is_sequence:
        enqueuer = data_utils.OrderedEnqueuer(data, use_multiprocessing=use_multiprocessing, shuffle=bool(shuffle))
    else:
        enqueuer = data_utils.GeneratorEnqueuer(data, use_multiprocessing=use_multiprocessing)
    enqueuer.start(workers=workers, max_queue_size=max_queue_size)
    return enqueuer.get(), enqueuer


def step_of(model: Model, mode: str) -> Callable[..., Any]:
    """What runs a batch, of inputs, targets, weights of samples and of classes, in a mode."""
    if mode == TRAIN:
        return lambda x, y, w, classes: model.train_on_batch(
            x, y, sample_weight=w, class_weight=classes, reset_metrics=False
        )
    if mode == TEST:
        return lambda x, y, w, classes: model.test_on_batch(x, y, sample_weight=w, reset_metrics=False)
    return lambda x, y, w, classes: model.predict_on_batch(x)


def with_arrays(run: Callable[..., Any]) -> Callable[..., Any]:
    """A step that gives arrays for the tensors that another gives."""

    def as_arrays(*batch: Any) -> Any:
        return nest.map_structure(lambda part: part.numpy() if isinstance(part, EagerTensor) else part, run(*batch))

    return as_arrays


def batch_parts(element: Any, mode: str) -> tuple[Any, Any, Any]:
    """What a generator gave as inputs, targets and weights of samples."""
    if not isinstance(element, tuple):
        # Models whose losses layers add have no targets.
        return element, None, None
    if len(element) not in (1, 2, 3):
        raise ValueError(
            "Output of generator should be a tuple of 1 or 2 or 3 elements: (input,) or (input, target) or (input, target, "
            f"sample_weights). Received {element}"
        )
    x, y, weights = (*element, None, None)[:3]
    return x, y, weights


def batch_size_of(x: Any) -> int:
    first = next(iter(nest.flatten(x, expand_composites=True)), None)
    if first is None:
        return 1
    shape = getattr(first, "shape", None)
    if shape is None:
        shape = np.shape(first)
    return int(shape[0]) if len(shape) else 1


def _size_of_arrays(batch: Any) -> int:
    """How many samples a batch has by its first array.

    Raises:
        AttributeError: if that is no array.
    """
    first = nest.flatten(batch, expand_composites=True)[0]
    if not hasattr(first, "shape"):
        raise AttributeError(
            f"A generator's batches are arrays: {type(first).__name__!r} object has no attribute 'shape'. It gave {batch}"
        )
    return batch_size_of(first)


def convert_to_generator_like(
    data: Any, batch_size: int | None = None, steps_per_epoch: int | None = None, epochs: int = 1, shuffle: bool = False
) -> tuple[Any, int | None]:
    """Data as something that gives batches, and how many of them make an epoch.

    Args:
        data: what gives batches already, which comes back as it is; or arrays, also in structures, None for what is missing.
        batch_size: the size of batches of arrays.
        steps_per_epoch: how many batches of what is no array make an epoch; all of a sequence by default.
        epochs: how often arrays are gone through.
        shuffle: whether each epoch has the samples of arrays in another order.

    Raises:
        ValueError: if arrays are given without `batch_size`.
    """
    if isinstance(data, tuple):
        data = tuple(part for part in data if not (part is None or (isinstance(part, list) and not part)))
    if is_generator_or_sequence(data) or is_dataset_or_iterator(data):
        if isinstance(data, data_utils.Sequence) and steps_per_epoch is None:
            steps_per_epoch = len(data)
        return data, steps_per_epoch
    if batch_size is None:
        raise ValueError(
            "When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument. Please use `batch_size` "
            "instead."
        )
    count = batch_size_of(data)
    spans = make_batches(count, batch_size)

    def batches() -> Iterator[Any]:
        order = np.arange(count)
        for _ in range(epochs):
            if shuffle:
                np.random.shuffle(order)
            for start, end in spans:
                rows = order[start:end] if shuffle else slice(start, end)
                yield nest.map_structure(lambda array: array[rows], data)  # noqa: B023  called at once

    return batches(), len(spans)


def check_validation(validation_data: Any, validation_steps: int | None) -> None:
    if (
        is_generator_or_sequence(validation_data)
        and not isinstance(validation_data, data_utils.Sequence)
        and not validation_steps
    ):
        raise ValueError("Please specify the `validation_steps` argument.")


def check_length_of_validation(validation_data: Any, validation_steps: int | None) -> None:
    """Raises TypeError for a generator to validate with, of which nothing tells how many batches it has."""
    try:
        check_validation(validation_data, validation_steps)
    except ValueError as error:
        # 1.15 asks what is no sequence for its length.
        raise TypeError(f"object of type {type(validation_data).__name__!r} has no len(): {error}") from None


def fit(
    model: Model,
    generator: Generator[Any, None, None] | data_utils.Sequence | Batches,
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
    """Trains a model on batches of a generator or a sequence, or such as are read already: arguments of `fit_generator`."""
    check_validation(validation_data, validation_steps)
    queue: dict[str, Any] = {
        "max_queue_size": max_queue_size,
        "workers": workers,
        "use_multiprocessing": use_multiprocessing,
    }
    batches: Any = generator
    if not isinstance(generator, Batches):
        batches = GeneratorBatches(
            model,
            TRAIN,
            generator,
            steps_per_epoch,
            epochs,
            class_weight,
            shuffle,
            steps_name="steps_per_epoch",
            **queue,
        )
    validation = None
    if validation_data is not None:
        validation = validation_by(model, validation_data, validation_steps, validation_freq, queue, batches)
    return Loop(model, TRAIN, batches, callbacks, verbose, epochs, initial_epoch, validation).run()


def validation_by(
    model: Model,
    data: Any,
    steps: int | None,
    frequency: Any,
    queue: dict[str, Any],
    training: Any = None,
) -> Validation:
    """What validates with batches of a generator or sequence, a dataset or arrays.

    Args:
        model: the model.
        data, steps, frequency: `validation_data`, `validation_steps` and `validation_freq` of `fit`.
        queue: how generators are read ahead.
        training: what the model is trained on: arrays are cut into batches of the size of its last one.
    """
    return Validation(_validator(model, data, steps, queue, training), frequency, steps)


def _validator(
    model: Model, data: Any, steps: int | None, queue: dict[str, Any], training: Any
) -> Callable[[CallbackList], Any]:
    if is_generator_or_sequence(data):
        # Read by one worker in order, as the batches of several runs are not to overlap.
        def run_generator(callbacks: CallbackList) -> Any:
            batches = GeneratorBatches(model, TEST, data, steps, steps_name="validation_steps", **queue)
            return Loop(model, TEST, batches, callbacks, verbose=0).run()

        return run_generator
    if is_dataset_or_iterator(data):
        return lambda callbacks: model.evaluate(data, steps=steps, verbose=0, callbacks=callbacks)

    def run_arrays(callbacks: CallbackList) -> Any:
        # All of the arrays, whatever `validation_steps` says, and as one input what is no tuple.
        cut, count = convert_to_generator_like(data, training.last_size if training is not None else 32)
        batches = GeneratorBatches(model, TEST, cut, count, workers=0)
        return Loop(model, TEST, batches, callbacks, verbose=0).run()

    return run_arrays


def unpack_validation_data(validation_data: Any) -> tuple[Any, Any, Any]:
    """What `validation_data` holds: inputs, targets and weights of samples.

    Raises:
        ValueError: if it has another length; TypeError for a tuple of none or more than three.
    """
    if is_dataset_or_iterator(validation_data) or is_generator_or_sequence(validation_data):
        return validation_data, None, None
    if len(validation_data) not in (2, 3):
        # 1.15 writes it into its text by `%`, which takes a tuple of one only.
        kind = TypeError if isinstance(validation_data, tuple) and len(validation_data) != 1 else ValueError
        raise kind(
            "When passing a `validation_data` argument, it must contain either 2 items (x_val, y_val), or 3 items (x_val, "
            "y_val, val_sample_weights), or alternatively it could be a dataset or a dataset iterator. However we received "
            f"`validation_data={validation_data}`"
        )
    x, y, weights = (*validation_data, None)[:3]
    return x, y, weights


def evaluate_or_predict(
    model: Model,
    mode: str,
    generator: Any,
    steps: int | None = None,
    verbose: int = 0,
    callbacks: Any = None,
    max_queue_size: int = 10,
    workers: int = 1,
    use_multiprocessing: bool = False,
) -> Any:
    """Tests a model, or has it predict, on batches of a generator or a sequence."""
    assert mode in (TEST, PREDICT)
    batches: Batches = generator
    if not isinstance(generator, Batches):
        batches = GeneratorBatches(
            model,
            mode,
            generator,
            steps,
            max_queue_size=max_queue_size,
            workers=workers,
            use_multiprocessing=use_multiprocessing,
        )
    return Loop(model, mode, batches, callbacks, verbose).run()
