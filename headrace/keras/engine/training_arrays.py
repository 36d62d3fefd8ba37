"""Training, testing and predicting on arrays, and on tensors and datasets of a graph."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.data.dataset_base import DatasetBase
from headrace.keras.backend.learning import symbolic_learning_phase
from headrace.keras.engine.replica_arrays import batch_of_replicas, dataset_of, input_params, is_divided
from headrace.keras.engine.training_datasets import (
    NextElement,
    get_iterator,
    infer_steps_for_dataset,
    initialize_iterator,
    unpack_iterator_input,
)
from headrace.keras.engine.training_endpoints import without_targets
from headrace.keras.engine.training_input_checks import is_composite, is_symbolic
from headrace.keras.engine.training_loop import PREDICT, TEST, TRAIN, Batch, Batches, Loop, Validation, print_train_info
from headrace.keras.engine.training_replicas import part_of_worker
from headrace.ops.math.cast import cast
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.callbacks.base import CallbackList
    from headrace.keras.engine.training import Model
    from headrace.keras.engine.training_functions import Step


def make_batches(size: int, batch_size: int) -> list[tuple[int, int]]:
    """Where batches of samples begin and end.

    Args:
        size: the number of samples.
        batch_size: that of a batch; the last may be smaller.

    Raises:
        ZeroDivisionError: for batches of nothing.
        ValueError: if `batch_size` is no number.
    """
    if not isinstance(batch_size, int) or not batch_size:
        math.ceil(size / float(batch_size))
    return [(start, min(size, start + batch_size)) for start in range(0, size, batch_size)]


def batch_shuffle(index_array: np.ndarray, batch_size: int) -> np.ndarray:
    """Shuffles batches as wholes, for data that is read in runs; the last samples, less than a batch, stay.

    Args:
        index_array: the numbers of samples, in order.
        batch_size: how many make a batch.
    """
    count = len(index_array) // batch_size
    rest = index_array[count * batch_size :]
    blocks = index_array[: count * batch_size].reshape(count, batch_size)
    np.random.shuffle(blocks)
    return np.append(blocks.flatten(), rest)


def slice_arrays(arrays: Any, start: Any, stop: int | None = None) -> Any:
    """Rows of arrays: those between two numbers, or those of a list of numbers.

    Args:
        arrays: an array or a list of them; None stays None.
        start: the first row, or the numbers of rows.
        stop: the row after the last.
    """
    if arrays is None:
        return [None]
    if isinstance(arrays, list):
        return [_rows(array, start, stop) for array in arrays]
    return _rows(arrays, start, stop)


def _rows(array: Any, start: Any, stop: int | None) -> Any:
    if array is None:
        return None
    if isinstance(array, (str, bytes)):
        raise ValueError(f"Batches are taken of arrays, whose first axis is that of the samples, and not of {array!r}.")
    if hasattr(start, "__len__"):
        # Files of arrays take lists of numbers only.
        return array[start if isinstance(array, np.ndarray) else list(start)]
    return array[start:stop]


class ArrayBatches(Batches):
    """Batches of arrays.

    Args:
        step: runs a batch.
        arrays: what is fed, one row a sample.
        batch_size: the size of batches.
        shuffle: whether samples are shuffled in each epoch; "batch" shuffles batches as wholes.
        phase: what is fed last, beside the arrays: the learning phase.
        goes_on: whether an epoch shuffles the order of the one before, and a single batch too, as stand-alone Keras does.
    """

    def __init__(
        self,
        step: Step,
        arrays: list[Any],
        batch_size: int,
        shuffle: bool | str = False,
        phase: list[Any] | None = None,
        goes_on: bool = False,
    ) -> None:
        self._step, self._arrays, self._shuffle, self._phase = step, arrays, shuffle, phase or []
        self._goes_on = goes_on
        self._order: np.ndarray | None = None
        self.batch_size = batch_size
        self.samples = next((int(array.shape[0]) for array in arrays if array is not None), None)
        self._sparse = [i for i, array in enumerate(arrays) if hasattr(array, "tocoo")]

    def epoch(self, model: Model) -> Iterator[Batch]:
        count, arrays, phase, step = self.samples or 0, self._arrays, self._phase, self._step
        order: np.ndarray | None = self._order if self._goes_on else None
        if self._shuffle and order is None:
            order = np.arange(count)
        if self._shuffle == "batch":
            order = batch_shuffle(order, self.batch_size)  # type: ignore[arg-type]  # set above
        elif self._shuffle:
            np.random.shuffle(order)  # type: ignore[arg-type]  # set above
        self._order = order
        spans = make_batches(count, self.batch_size)  # type: ignore[arg-type]  # set above
        for start, end in spans:
            if len(spans) == 1 and not self._goes_on:
                # One batch keeps its order: there is nothing to shuffle for.
                rows = list(arrays)
            else:
                rows = self._rows(start, end, order)
            rows = _dense_where_fed_dense(rows, self._sparse, model)
            rows += phase
            yield Batch(end - start, functools.partial(step, rows), start, end)

    def _rows(self, start: int, end: int, order: np.ndarray | None) -> list[Any]:
        try:
            if order is None:
                return slice_arrays(self._arrays, start, end)
            return slice_arrays(self._arrays, order[start:end])
        except TypeError as error:
            raise TypeError(
                'TypeError while preparing batch. If using HDF5 input data, pass shuffle="batch".'
            ) from error


def _dense_where_fed_dense(rows: list[Any], sparse: list[int], model: Model) -> list[Any]:
    """SciPy's matrices, which stand at the places `sparse`, as arrays for inputs that are not sparse."""
    for i in sparse:
        feeds = model._feed_inputs
        if i >= len(feeds) or not isinstance(feeds[i], SparseTensor):
            rows[i] = rows[i].toarray()
    return rows


class StepBatches(Batches):
    """As many batches as were asked for, each of all arrays: those of tensors of a graph have new values each time.

    Args:
        step: runs a batch.
        values: what is fed: arrays and tensors.
        steps: the number of batches.
        phase: what is fed last: the learning phase.
    """

    def __init__(self, step: Step, values: list[Any], steps: int | None, phase: list[Any] | None = None) -> None:
        values = _of_fed_types(values, getattr(step, "inputs", ()))
        self._step, self._values, self._phase, self.steps = step, values, phase or [], steps
        self._tensors = [value for value in values if is_symbolic(value)]
        self._next = NextElement(self._tensors) if self._tensors else None

    def _run(self) -> Any:
        values = self._values
        if self._next is not None:
            fresh = iter(self._next())
            values = [next(fresh) if is_symbolic(value) else value for value in values]
        return self._step([*values, *self._phase])

    def epoch(self, model: Model) -> Iterator[Batch]:
        step = 0
        while self.steps is None or step < self.steps:
            yield Batch(1, self._run)
            step += 1


def _of_fed_types(values: list[Any], fed: Sequence[Any]) -> list[Any]:
    """Values with tensors of other types than the placeholders they are fed to cast to these."""
    if any(is_composite(value) for value in values):
        return values
    kept = list(values)
    for i, (value, placeholder) in enumerate(zip(values, fed)):
        if isinstance(value, Tensor) and value.dtype.base_dtype != placeholder.dtype.base_dtype:
            with value.graph.as_default():
                kept[i] = cast(value, placeholder.dtype.base_dtype)
    return kept


class DatasetBatches(StepBatches):
    """The elements of a dataset in a graph.

    Args:
        iterator: goes through it.
        steps: the number of batches of an epoch, None for all.
        anew: whether each epoch begins anew, as where the steps are all that there are.
        epochs, steps_name: what is said where the data comes to an early end.
        others: as of `StepBatches`.
    """

    def __init__(
        self,
        step: Step,
        values: list[Any],
        iterator: Any,
        steps: int | None,
        anew: bool,
        epochs: int = 1,
        steps_name: str = "steps",
        phase: list[Any] | None = None,
    ) -> None:
        super().__init__(step, values, steps, phase)
        self._iterator, self._anew, self._epochs, self._steps_name = iterator, anew, epochs, steps_name

    def ended_early(self, model: Model, step: int) -> None:
        if self.steps:
            model.stop_training = True
            tf_logging.warning(
                "Your dataset ran out of data; interrupting training. Make sure that your dataset can generate at least "
                "`%s * epochs` batches (in this case, %d batches). You may need to use the repeat() function when "
                "building your dataset.", self._steps_name, self.steps * self._epochs,
            )  # fmt: skip
        elif step:
            self.steps = step

    def epoch_done(self, last: bool) -> None:
        if self._anew and not last:
            initialize_iterator(self._iterator)

    def restart(self) -> None:
        """Begins anew."""
        initialize_iterator(self._iterator)


def _phase(mode: str) -> list[Any]:
    """What is fed for the learning phase, which is 0 where none is."""
    return [True] if mode == TRAIN and isinstance(symbolic_learning_phase(), Tensor) else []


def _phase_is_target(model: Model, y: list[Any]) -> bool:
    """Whether the learning phase, 1 in training, is fed as the target of the only output: 1.15 feeds in order."""
    fed_in_order = model._distribution_strategy is None and not executing_eagerly()
    return not y and fed_in_order and len(model._feed_targets) == 1 and any(_phase(TRAIN))


def _fed_last(model: Model, mode: str, y: list[Any]) -> list[Any]:
    """What is fed after arrays: the learning phase, in its own place or in that of a target."""
    if mode != TRAIN or not _phase_is_target(model, y):
        return _phase(mode)
    tf_logging.log_first_n(
        tf_logging.WARN,
        "No targets were given for the output %r, which has a loss: it is trained to be 1, as in TensorFlow 1.15.",
        1,
        model._fed_endpoints()[0].output_name,
    )
    target = model._feed_targets[0]
    return [np.ones([1] * (target.shape.ndims or 0), target.dtype.as_numpy_dtype)]


def _note_weights(model: Model, mode: str, weights: list[Any]) -> None:
    """Lets a model take weights of samples where they are given now and were not before, or the other way round."""
    if mode != "predict":
        model._update_sample_weight_modes(sample_weights=weights)


def _feeds(model: Model, mode: str, x: list[Any], y: list[Any], weights: list[Any]) -> list[Any]:
    """What is fed in the order of the function of a mode, without the learning phase."""
    if mode == "predict":
        return list(x)
    if len(y) < len(model._feed_targets):
        if mode == TRAIN and _phase_is_target(model, y):
            return list(x)
        missing = [endpoint.output_name for endpoint in model._fed_endpoints()[len(y) :]]
        raise without_targets(missing, executing_eagerly())
    given = [weight for weight in weights if weight is not None]
    if len(given) != len(model._feed_sample_weights):
        given = _with_ones(model, y, weights)
    return [*x, *y, *given]


def _with_ones(model: Model, y: list[Any], weights: list[Any]) -> list[Any]:
    """Weights for all outputs that take some: ones where none were given."""
    found = []
    for endpoint, target, weight in zip(model._fed_endpoints(), y, weights or [None] * len(y)):
        if endpoint.sample_weight is None:
            continue
        if weight is None and not is_symbolic(target):
            rank = 2 if endpoint.sample_weight_mode == "temporal" else 1
            weight = np.ones(target.shape[:rank], dtype="float32")
        found.append(weight)
    return found


def batches_for(
    model: Model,
    mode: str,
    x: Any,
    y: Any = None,
    weights: Any = None,
    batch_size: int | None = None,
    steps: int | None = None,
    shuffle: bool | str = False,
    epochs: int = 1,
    steps_name: str = "steps",
) -> Batches:
    """The batches of data that has been standardized; a dataset is taken as it is.

    Args:
        model, mode: what they are for.
        x, y, weights: inputs, targets and weights of samples.
        batch_size, steps, shuffle, epochs: as of `fit`.
        steps_name: the name of the argument `steps`.
    """
    if isinstance(x, DatasetBase):
        return _dataset_batches(model, mode, x, steps, epochs, steps_name)
    if is_divided(model, x, y, weights):
        steps, size = input_params(model._distribution_strategy, len(x[0]), steps, batch_size, mode)
        dataset = dataset_of(mode, x, y or (), weights or (), size, shuffle, epochs)
        # It has the samples of all epochs; validation begins anew each time.
        batches = _dataset_batches(model, mode, dataset, steps, epochs, steps_name, anew=mode == TEST)
        batches.batch_size = batch_size
        return batches
    _note_weights(model, mode, weights or [])
    step = model._make_execution_function(mode)
    values, last = _feeds(model, mode, x, y or [], weights or []), _fed_last(model, mode, y or [])
    if steps is not None or any(is_symbolic(value) for value in values) or not values:
        return StepBatches(step, values, steps, last)
    if any(is_composite(value) for value in values):
        raise ValueError(
            "Values of sparse or ragged tensors cannot be cut into batches: give `steps`, or a dataset of batches."
        )
    size = 32 if batch_size is None else batch_size
    if mode == PREDICT:
        step = _for_smaller_batches(model, step)
    return ArrayBatches(step, values, size, shuffle, last, model._goes_on_shuffling)


def _for_smaller_batches(model: Model, step: Step) -> Step:
    """A step of predictions that takes smaller batches than the inputs, where these are of a fixed size.

    1.15 does not look at shapes that are fed. Here such a batch is filled up, and what comes of the filling is cut off.
    """
    sizes = {shape[0] if shape else None for shape in model._feed_input_shapes}
    size, count = next(iter(sizes), None), len(model._feed_inputs)
    if len(sizes) != 1 or size is None:
        return step

    def filled(values: list[Any]) -> Any:
        rows = len(values[0])
        if rows >= size:
            return step(values)
        if model.stateful:
            raise ValueError(
                f"The states are those of {size} samples, and a batch has {rows}: predict in whole batches."
            )
        whole = [np.concatenate([value, np.repeat(value[-1:], size - rows, axis=0)]) for value in values[:count]]
        outs = step([*whole, *values[count:]])
        cut = [out[:rows] if np.ndim(out) else out for out in (outs if isinstance(outs, list) else [outs])]
        return cut if isinstance(outs, list) else cut[0]

    return filled


def _dataset_batches(
    model: Model,
    mode: str,
    dataset: DatasetBase,
    steps: int | None,
    epochs: int,
    steps_name: str,
    anew: bool = False,
) -> DatasetBatches:
    anew = anew or steps is None
    steps = infer_steps_for_dataset(model, dataset, steps, epochs, steps_name)
    iterator = get_iterator(part_of_worker(model, dataset))
    x, y, weights = unpack_iterator_input(iterator)
    x, y, weights = model._standardize_user_data(x, y, sample_weight=weights)
    if mode == "predict":
        y, weights = [], []
    _note_weights(model, mode, weights)
    step = model._make_execution_function(mode)
    values = _feeds(model, mode, x, y, weights)
    return DatasetBatches(step, values, iterator, steps, anew, epochs, steps_name, _fed_last(model, mode, y))


def fit(
    model: Model,
    x: Any,
    y: Any,
    weights: Any,
    batch_size: int | None,
    epochs: int,
    verbose: int,
    callbacks: Any,
    validation_data: tuple[Any, Any, Any] | Validation | None,
    shuffle: bool | str,
    initial_epoch: int,
    steps_per_epoch: int | None,
    validation_steps: int | None,
    validation_freq: Any,
) -> Any:
    """Trains a model on data that has been standardized, or on a dataset.

    Args:
        model: the model.
        x, y, weights: inputs, targets and weights of samples.
        validation_data: the same for validation, or None.
        batch_size, epochs, verbose, callbacks, shuffle, initial_epoch, steps_per_epoch: as of `fit`.
        validation_steps, validation_freq: as of `fit`.
    """
    if validation_data is not None and is_divided(model, x, y, weights):
        # Validation takes batches of the same size.
        batch_size = batch_of_replicas(model._distribution_strategy, len(x[0]), steps_per_epoch, batch_size)
    batches = batches_for(model, TRAIN, x, y, weights, batch_size, steps_per_epoch, shuffle, epochs, "steps_per_epoch")
    validation = validation_data if isinstance(validation_data, Validation) else None
    if validation_data is not None and validation is None:
        validation = _validation(model, validation_data, batch_size, validation_steps, validation_freq)
    if verbose:
        # Steps of arrays are told as samples, as in 1.15.
        print_train_info(batches.target, "steps" if isinstance(batches, DatasetBatches) else "samples", validation)
    return Loop(model, TRAIN, batches, callbacks, verbose, epochs, initial_epoch, validation).run()


def _validation(
    model: Model, data: tuple[Any, Any, Any], batch_size: int | None, steps: int | None, frequency: Any
) -> Validation:
    batches: list[Batches] = []

    def run(callbacks: CallbackList) -> Any:
        if not batches:
            # 1.15 shuffles here too, which tells in what NumPy's stream gives the next epoch; stand-alone Keras does not.
            shuffle = not model._goes_on_shuffling
            batches.append(batches_for(model, TEST, *data, batch_size, steps, shuffle, steps_name="validation_steps"))
        elif isinstance(batches[0], DatasetBatches):
            batches[0].restart()
        return Loop(model, TEST, batches[0], callbacks, verbose=0).run()

    if isinstance(data[0], DatasetBase):
        target = infer_steps_for_dataset(model, data[0], steps, 1, "validation_steps")
    else:
        target = steps if steps is not None else _rows_of(data[0])
    return Validation(run, frequency, target)


def _rows_of(x: Any) -> int | None:
    for value in x or ():
        if value is not None and not is_symbolic(value) and getattr(value, "shape", None):
            return int(value.shape[0])
    return None


def evaluate_or_predict(
    model: Model,
    mode: str,
    x: Any,
    y: Any,
    weights: Any,
    batch_size: int | None,
    verbose: int,
    steps: int | None,
    callbacks: Any,
) -> Any:
    """Tests a model, or has it predict, on data that has been standardized, or on a dataset."""
    batches = batches_for(model, mode, x, y, weights, batch_size, steps)
    return Loop(model, mode, batches, callbacks, verbose).run()


def run_batch(model: Model, mode: str, x: list[Any], y: list[Any], weights: list[Any]) -> list[Any]:
    """Runs one batch that has been standardized: its numbers, or the outputs."""
    _note_weights(model, mode, weights)
    if mode != "predict":
        model._set_untracked(_has_touched_metrics=True)
    step = model._make_execution_function(mode)
    values = _feeds(model, mode, x, y, weights)
    values = _dense_where_fed_dense(values, [i for i, value in enumerate(values) if hasattr(value, "tocoo")], model)
    tensors = [value for value in values if is_symbolic(value)]
    if tensors:
        # Together, as they may be parts of one element of a dataset.
        fresh = iter(NextElement(tensors)())
        values = [next(fresh) if is_symbolic(value) else value for value in values]
    outs = step([*values, *_fed_last(model, mode, y)])
    return outs if isinstance(outs, list) else [outs]
