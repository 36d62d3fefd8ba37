"""Training, testing and predicting while executing eagerly: each batch is a call of a function made of the step."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.eager import eager_mode
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data.dataset_base import DatasetBase
from headrace.data.structure import get_legacy_output_shapes
from headrace.keras import backend_config
from headrace.keras.backend.learning import eager_learning_phase_scope
from headrace.keras.engine import training_eager, training_replicas
from headrace.keras.engine.data_adapter import CompositeTensorDataAdapter, ListsOfScalarsDataAdapter
from headrace.keras.engine.replica_arrays import input_params
from headrace.keras.engine.training_arrays import batch_shuffle, make_batches, slice_arrays
from headrace.keras.engine.training_datasets import infer_steps_for_dataset, unpack_element
from headrace.keras.engine.training_generator import (
    GeneratorBatches,
    batch_size_of,
    check_validation,
    is_generator_or_sequence,
    unpack_validation_data,
)
from headrace.keras.engine.training_input_checks import is_composite
from headrace.keras.engine.training_loop import PREDICT, TEST, TRAIN, Batch, Batches, Loop, Validation, print_train_info
from headrace.keras.engine.training_splitting import split_training_and_validation_data
from headrace.keras.utils.data_utils import Sequence
from headrace.state.polymorphic_function import function
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.callbacks.base import CallbackList
    from headrace.keras.engine.training import Model


def _as_value(value: Any, dtype: str | None = None) -> Any:
    """An array as a tensor, floating ones in `dtype` or in the type of Keras; what is a tensor as it is."""
    if value is None or is_composite(value):
        return value
    dtype = dtype or backend_config.floatx()
    if isinstance(value, Tensor):
        if value.dtype.is_floating and value.dtype.name != dtype:
            return training_eager.cast(value, as_dtype(dtype))
        return value
    value = np.asarray(value)
    if value.dtype.kind == "f" and value.dtype.name != dtype:
        value = value.astype(dtype)
    return convert_to_tensor(value)


def _float_types(model: Model, is_one_batch: bool) -> list[str | None]:
    """The types that floating inputs take; None for that of Keras.

    1.15's newer loops know that one only; where it runs a batch by itself, or its older loops, it goes by the inputs.
    """
    if not model._is_graph_network or (model._experimental_run_tf_function and not is_one_batch):
        return []
    return [tensor.dtype.name if tensor.dtype.is_floating else None for tensor in model.inputs]


def _step_of(model: Model, mode: str) -> Any:
    """What runs a batch in a mode: a function that is traced once a kind of batch, or the step itself."""
    run = training_eager.run if model._distribution_strategy is None else training_replicas.run
    if model.run_eagerly:
        return run
    made = model._v2_functions.get(mode) if model._is_compiled else None
    if made is None:

        def step(inputs: Any, targets: Any, weights: Any) -> Any:
            return run(model, mode, inputs, targets, weights)

        made = function(step, autograph=False, experimental_relax_shapes=True)
        if model._is_compiled:
            model._v2_functions[mode] = made
    return lambda _model, _mode, inputs, targets, weights: made(inputs, targets, weights)


def _inputs_of(model: Model, x: list[Any]) -> Any:
    """Standardized inputs in the structure that the model is called with."""
    if not model._is_graph_network:
        names = model.input_names
        if getattr(model, "_called_with_dict", False):
            return dict(zip(names, x))
    return x[0] if len(x) == 1 else x


def _run_with_any_size(model: Model, mode: str, *batch: Any) -> Any:
    """Runs a batch by a function that knows nothing of its size, so that operations tell what does not fit."""
    parts = nest.flatten(batch)
    tensors = [part for part in parts if isinstance(part, Tensor)]

    def step(*traced: Tensor) -> Any:
        left = iter(traced)
        filled = [next(left) if isinstance(part, Tensor) else part for part in parts]
        return training_eager.run(model, mode, *nest.pack_sequence_as(batch, filled))

    specs = [TensorSpec(tensor.dims and (None, *tensor.dims[1:]), tensor.dtype) for tensor in tensors]
    return function(step, input_signature=specs, autograph=False)(*tensors)


def run_standardized(
    model: Model,
    mode: str,
    x: list[Any],
    y: list[Any],
    weights: list[Any],
    as_tensors: bool = False,
    any_size: bool = False,
) -> Any:
    """Runs a batch that has been standardized; numbers, or outputs, as arrays, or outputs as they come.

    Args:
        model: the model.
        mode: what the batch is for.
        x, y, weights: inputs, targets and sample weights.
        as_tensors: whether outputs stay tensors: the batch is run by itself.
        any_size: whether TensorFlow would not know how many samples there are.
    """
    types = _float_types(model, as_tensors and mode != PREDICT)
    inputs = _inputs_of(model, [_as_value(value, dtype) for value, dtype in zip_longest(x, types)])
    targets = [_as_value(value) for value in y or ()]
    given = [_as_value(value) for value in weights or ()]
    phase = 1 if mode == TRAIN else 0
    with eager_mode(), eager_learning_phase_scope(phase):
        try:
            outs = _step_of(model, mode)(model, mode, inputs, targets, given)
        except ValueError:
            if model.run_eagerly or model._distribution_strategy is not None or not (as_tensors or any_size):
                raise
            # A batch by itself is run operation after operation in 1.15: what the trace refuses, its operations tell.
            again = training_eager.run if as_tensors else _run_with_any_size
            outs = again(model, mode, inputs, targets, given)
    if mode == PREDICT:
        # Those of the older loops are arrays in either case.
        return outs if as_tensors and model._experimental_run_tf_function else nest.map_structure(_numpy, outs)
    return [_numpy(value) for value in outs]


def _numpy(value: Any) -> Any:
    return value.numpy() if isinstance(value, Tensor) else value  # type: ignore[attr-defined]  # an eager tensor


def on_batch(model: Model, mode: str, x: Any, y: Any, sample_weight: Any, class_weight: Any) -> Any:
    """Runs one batch; a list of numbers, or the outputs."""
    if isinstance(x, DatasetBase):
        raise ValueError(
            "A dataset is no batch: call `fit`, `evaluate` or `predict` with it, or take an element of it."
        )
    x, y, weights = model._standardize_user_data(x, y, sample_weight=sample_weight, class_weight=class_weight)
    return run_standardized(model, mode, x, y, weights, as_tensors=True)


class EagerArrays(Batches):
    """Batches of arrays and eager tensors: arguments as of `training_arrays.ArrayBatches`."""

    def __init__(
        self,
        mode: str,
        x: list[Any],
        y: list[Any],
        weights: list[Any],
        batch_size: int,
        steps: int | None,
        shuffle: bool | str,
    ) -> None:
        self._mode, self._x, self._y, self._weights, self._shuffle = mode, x, y, weights, shuffle
        self.batch_size = batch_size
        self.samples = int(x[0].shape[0])
        self._limit = steps
        self._endless: Iterator[Batch] | None = None

    def epoch(self, model: Model) -> Iterator[Batch]:
        if self._limit is None or not self.samples:
            yield from self._pass(model)
            return
        # With a number of steps an epoch goes on where the last one ended, as 1.15's newer loops do.
        if self._endless is None:
            self._endless = itertools.chain.from_iterable(self._pass(model) for _ in itertools.count())
        yield from itertools.islice(self._endless, self._limit)

    def _pass(self, model: Model) -> Iterator[Batch]:
        """The batches of all samples."""
        count, mode = self.samples or 0, self._mode
        size: int = self.batch_size  # type: ignore[assignment]  # set above
        # What is not compiled predicts by functions of batches of any size; so do batches of which the last is smaller.
        any_size = not model._is_compiled or (count > size and count % size != 0)
        order = np.arange(count)
        if self._shuffle == "batch":
            order = batch_shuffle(order, self.batch_size)  # type: ignore[arg-type]  # set above
        elif self._shuffle:
            np.random.shuffle(order)
        for start, end in make_batches(count, size):
            rows: Any = slice(start, end) if not self._shuffle else order[start:end]
            x, y, w = (_taken(part, rows) for part in (self._x, self._y, self._weights))
            run = functools.partial(run_standardized, model, mode, x, y, w, any_size=any_size)
            yield Batch(end - start, run, start, end)


def _taken(arrays: list[Any], rows: Any) -> list[Any]:
    found = []
    for array in arrays:
        if isinstance(array, Tensor) and not isinstance(rows, slice):
            array = array.numpy()  # type: ignore[attr-defined]  # an eager tensor
        if isinstance(rows, slice):
            found.append(None if array is None else array[rows])
        else:
            found.append(slice_arrays(array, rows) if array is not None else None)
    return found


class EagerDataset(Batches):
    """The elements of a dataset.

    Args:
        mode: what they are for.
        dataset: the dataset.
        steps: the number of batches of an epoch, None for all.
        epochs, steps_name: what is said where the data comes to an early end.
        class_weight: weights of classes.
    """

    def __init__(
        self,
        mode: str,
        dataset: Any,
        steps: int | None,
        epochs: int = 1,
        steps_name: str = "steps",
        class_weight: Any = None,
    ) -> None:
        self._mode, self._dataset, self._epochs, self._steps_name = mode, dataset, epochs, steps_name
        self._class_weight = class_weight
        self._anew = steps is None
        self.steps = infer_steps_for_dataset(None, dataset, steps, epochs, steps_name)
        self._iterator: Any = None

    def epoch(self, model: Model) -> Iterator[Batch]:
        # Each validation begins anew, also where its steps are not all that there are.
        if self._anew or self._mode != TRAIN or self._iterator is None:
            self._iterator = iter(self._dataset)
        step, mode = 0, self._mode
        any_size = not model._is_compiled or self._has_any_size()
        while self.steps is None or step < self.steps:
            try:
                element = next(self._iterator)
            except StopIteration:
                self.ended_early(model, step)
                return
            x, y, weights = unpack_element(element)
            x, y, weights = model._standardize_user_data(
                x, None if mode == PREDICT else y, sample_weight=weights, class_weight=self._class_weight
            )
            run = functools.partial(run_standardized, model, mode, x, y, weights, any_size=any_size)
            yield Batch(batch_size_of(x), run)
            step += 1

    def _has_any_size(self) -> bool:
        """Whether the dataset does not tell how many samples are in a batch."""
        shapes = nest.flatten(get_legacy_output_shapes(self._dataset))
        return any(not shape.ndims or shape.dims[0].value is None for shape in shapes)

    def ended_early(self, model: Model, step: int) -> None:
        if self.steps and not self._anew:
            model.stop_training = True
            tf_logging.warning(
                "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at "
                "least `%s * epochs` batches (in this case, %d batches). You may need to use the repeat() function when "
                "building your dataset.", self._steps_name, self.steps * self._epochs,
            )  # fmt: skip
        elif step:
            self.steps = step


def _arrays_of_lists(x: Any, y: Any) -> tuple[Any, Any]:
    """Lists of rows of numbers as arrays, where inputs and targets are such lists: eager loops take these."""
    if not (isinstance(x, list | tuple) and x and ListsOfScalarsDataAdapter.can_handle(x, y)):
        return x, y
    return np.asarray(x), None if y is None else np.asarray(y)


def _batches(
    model: Model,
    mode: str,
    x: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    batch_size: int | None,
    steps: int | None,
    shuffle: bool | str,
    epochs: int,
    steps_name: str,
    queue: dict[str, Any],
) -> Batches:
    if isinstance(x, DatasetBase):
        if not model.inputs:
            # The first element makes the model, whose metrics have names from then on.
            model._standardize_user_data(x, extract_tensors_from_dataset=True)
        return EagerDataset(mode, training_replicas.part_of_worker(model, x), steps, epochs, steps_name, class_weight)
    if is_generator_or_sequence(x):
        return GeneratorBatches(
            model, mode, x, steps, epochs, class_weight, bool(shuffle), steps_name=steps_name, **queue
        )
    x, y = _arrays_of_lists(x, y)
    given = model._standardize_user_data(
        x, y, sample_weight=sample_weight, class_weight=class_weight, batch_size=batch_size
    )
    return _array_batches(mode, *given, batch_size, steps, shuffle, is_validation=steps_name == "validation_steps")


def _array_batches(
    mode: str,
    x: Any,
    y: Any,
    weights: Any,
    batch_size: int | None,
    steps: int | None,
    shuffle: bool | str,
    is_validation: bool = False,
) -> Batches:
    if not x:
        raise ValueError("The model has no inputs to make batches of.")
    if any(is_composite(value) for value in x):
        # Rows of sparse and ragged tensors are those of a dataset.
        size = batch_size or (None if steps else 32)
        adapter = CompositeTensorDataAdapter(
            tuple(x),
            tuple(y) if y else None,
            None if any(part is None for part in weights or ()) else tuple(weights or ()),
            batch_size=size,
            steps=steps,
            shuffle=bool(shuffle),
        )
        return EagerDataset(mode, adapter.get_dataset(), steps)
    count = int(x[0].shape[0])
    if steps and isinstance(x[0], np.ndarray) and not is_validation:
        _check_steps(mode, count, steps, batch_size)
    if batch_size is None:
        batch_size = 32 if steps is None else -(-count // steps)
    return EagerArrays(mode, x, y or [], weights or [], batch_size, steps, shuffle)


def _check_steps(mode: str, count: int, steps: int, batch_size: int | None) -> None:
    """Raises ValueError for steps that leave rows of arrays over, or have too few; the last one may take fewer."""
    input_params(None, count, steps, batch_size, TRAIN)
    if mode == PREDICT and batch_size is not None and steps * batch_size < count:
        raise ValueError(
            f"predict: each of the {count} samples must be predicted, but {steps} steps of batch_size {batch_size} take "
            f"{steps * batch_size}."
        )


def fit(
    model: Model,
    x: Any,
    y: Any,
    *,
    batch_size: int | None,
    sample_weight: Any,
    class_weight: Any,
    validation_data: Any,
    validation_split: float,
    epochs: int,
    verbose: int,
    callbacks: Any,
    initial_epoch: int,
    steps_per_epoch: int | None,
    validation_steps: int | None,
    validation_freq: Any,
    shuffle: bool | str,
    **queue: Any,
) -> Any:
    """Trains a model: the arguments of `Model.fit`."""
    if validation_data is not None:
        check_validation(model, validation_data, validation_steps)
    batches: Batches
    held: Any = None
    if validation_split and validation_data is None:
        x, y = _arrays_of_lists(x, y)
        given = model._standardize_user_data(
            x, y, sample_weight=sample_weight, class_weight=class_weight, batch_size=batch_size
        )
        x, y, weights, *held = split_training_and_validation_data(*given, validation_split)
        batches = _array_batches(TRAIN, x, y, weights, batch_size, steps_per_epoch, shuffle)
    else:
        batches = _batches(
            model, TRAIN, x, y, sample_weight, class_weight, batch_size, steps_per_epoch, shuffle, epochs,
            "steps_per_epoch", queue,
        )  # fmt: skip
    validation = None
    if validation_data is not None or held is not None:
        size = batch_size_of(x[0][0]) if isinstance(x, Sequence) else batches.batch_size
        validation = _validation(model, validation_data, held, size, validation_steps, validation_freq, queue)
    if verbose:
        _print_train_info(batches, steps_per_epoch, validation)
    return Loop(model, TRAIN, batches, callbacks, verbose, epochs, initial_epoch, validation).run()


def _print_train_info(batches: Batches, steps: int | None, validation: Validation | None) -> None:
    """Prints how many samples are trained on, or steps, which are told of a dataset only if they were asked for."""
    if batches.samples is not None:
        print_train_info(batches.samples, "samples", validation)
    elif steps is not None or isinstance(batches, GeneratorBatches):
        more = f", validate for {validation.target} steps" if validation is not None and validation.target else ""
        print(f"Train for {batches.steps} steps{more}")


def _validation(
    model: Model, data: Any, held: Any, batch_size: int | None, steps: int | None, frequency: Any, queue: dict[str, Any]
) -> Validation:
    def batches() -> Batches:
        if held is not None:
            return _array_batches(TEST, held[0], held[1], held[2], batch_size, steps, False, is_validation=True)
        x, y, weights = unpack_validation_data(data)
        if is_generator_or_sequence(data):
            x, y, weights = data, None, None
        size = batch_size if not (isinstance(x, DatasetBase) or is_generator_or_sequence(x)) else None
        return _batches(model, TEST, x, y, weights, None, size, steps, False, 1, "validation_steps", queue)

    made: list[Batches] = []
    if not is_generator_or_sequence(data):
        made.append(batches())

    def run(callbacks: CallbackList) -> Any:
        source = made[0] if made else batches()
        return Loop(model, TEST, source, callbacks, verbose=0).run()

    return Validation(run, frequency, made[0].target if made else steps)


def evaluate_or_predict(
    model: Model,
    mode: str,
    x: Any,
    y: Any,
    batch_size: int | None,
    verbose: int,
    sample_weight: Any,
    steps: int | None,
    callbacks: Any,
    **queue: Any,
) -> Any:
    """Tests a model, or has it predict: the arguments of `Model.evaluate`."""
    batches = _batches(model, mode, x, y, sample_weight, None, batch_size, steps, False, 1, "steps", queue)
    return Loop(model, mode, batches, callbacks, verbose).run()
