"""Training, testing and predicting while executing eagerly: each batch is a call of a function made of the step."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.eager import executing_eagerly
from headrace.core.shapes import TensorShape
from headrace.data.dataset_base import DatasetBase
from headrace.data.structure import get_legacy_output_shapes
from headrace.keras.engine import training_replicas
from headrace.keras.engine.data_adapter import CompositeTensorDataAdapter, ListsOfScalarsDataAdapter
from headrace.keras.engine.training_datasets import infer_steps_for_dataset, unpack_element
from headrace.keras.engine.training_generator import (
    GeneratorBatches,
    batch_size_of,
    check_length_of_validation,
    is_generator_or_sequence,
    unpack_validation_data,
)
from headrace.keras.engine.training_input_checks import is_composite
from headrace.keras.engine.training_loop import PREDICT, TEST, TRAIN, Batch, Batches, Loop, Validation, print_train_info
from headrace.keras.engine.training_splitting import split_training_and_validation_data
from headrace.keras.engine.training_v2_arrays import (
    EagerArrays,
    arrays_of_lists,
    check_steps,
    check_steps_of_older_loops,
    whole_arrays,
)
from headrace.keras.engine.training_v2_generators import (
    EagerBatches,
    adapter_of,
    named,
    refuse_emptiness,
    tell_of_class_weight,
)
from headrace.keras.engine.training_v2_steps import run_standardized
from headrace.keras.utils.data_utils import Sequence
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.callbacks.base import CallbackList
    from headrace.keras.engine.training import Model


class EagerDataset(Batches):
    """The elements of a dataset.

    Args:
        mode: what they are for.
        dataset: the dataset.
        steps: the number of batches of an epoch, None for all.
        epochs, steps_name: what is said where the data comes to an early end.
        class_weight: weights of classes.
        may_end: whether an epoch after the data's end is no error.
    """

    def __init__(
        self,
        mode: str,
        dataset: Any,
        steps: int | None,
        epochs: int = 1,
        steps_name: str = "steps",
        class_weight: Any = None,
        may_end: bool = False,
    ) -> None:
        self._mode, self._dataset, self._epochs, self._steps_name = mode, dataset, epochs, steps_name
        self._class_weight, self.may_end = class_weight, may_end
        self._anew = steps is None
        self.steps = infer_steps_for_dataset(None, dataset, steps, epochs, steps_name)
        self._iterator: Any = None
        self.last_size = 32

    @property
    def told_samples(self) -> int | None:
        """How many batches an epoch was said to have: a dataset tells newer loops of no samples."""
        return None if self._anew and not self.may_end else self.steps

    @property
    def told_steps(self) -> int | None:
        """How many batches an epoch was said to have; outside of newer loops' training, those that the dataset tells of, too."""
        return None if self._anew and self._mode == TRAIN and not self.may_end else self.steps

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
            if model._is_graph_network and not self.may_end:
                x = named(x, model._feed_input_names)
            x, y, weights = model._standardize_user_data(
                x, None if mode == PREDICT else y, sample_weight=weights, class_weight=self._class_weight
            )
            run = functools.partial(run_standardized, model, mode, x, y, weights, any_size=any_size)
            self.last_size = batch_size_of(x)
            yield Batch(self.last_size, run)
            step += 1

    def refuse_emptiness(self, shown: bool) -> None:
        if not self.may_end:
            refuse_emptiness(None if self._anew and self._mode == TRAIN else self.steps, self._mode, shown)

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


def _check_shapes(dataset: Any, model: Model) -> None:
    """Checks that a dataset tells of its elements what 1.15's functions of steps ask.

    Raises:
        ValueError: for parts of which nothing is known but the type, or that are datasets.
    """
    for shape in nest.flatten(get_legacy_output_shapes(dataset)):
        if not isinstance(shape, TensorShape):
            raise ValueError(f"The elements of the dataset hold datasets, {shape}, where tensors are expected.")
        if shape.ndims is None and not model.run_eagerly:
            raise ValueError(
                "as_list() is not defined on an unknown TensorShape: the dataset does not tell how many dimensions its "
                "elements have. Set the shapes in a `map`, or give `output_shapes` to `from_generator`."
            )


def read_by_older_loops(
    mode: str,
    dataset: Any,
    steps: int | None,
    epochs: int = 1,
    steps_name: str = "steps",
    class_weight: Any = None,
) -> EagerDataset:
    """The batches of a dataset for loops that are given generators: arguments as of `EagerDataset`.

    Raises:
        ValueError: for an endless dataset without `steps`, and in graphs for an empty one.
        TypeError: in graphs, where no loop over generators reads datasets.
    """
    if not executing_eagerly():
        if infer_steps_for_dataset(None, dataset, steps, epochs, steps_name) == 0:
            raise ValueError("Empty training data.")
        raise TypeError(
            f"{type(dataset).__name__!r} object is not an iterator: in a graph `fit_generator` and its kin read generators "
            "and sequences; give a dataset to `fit`, `evaluate` or `predict`."
        )
    return EagerDataset(mode, dataset, steps, epochs, steps_name, class_weight, may_end=True)


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
    is_newer = model._experimental_run_tf_function
    if isinstance(x, DatasetBase):
        if not model.inputs:
            # The first element makes the model, whose metrics have names from then on.
            model._standardize_user_data(x, extract_tensors_from_dataset=True)
        dataset = training_replicas.part_of_worker(model, x)
        if is_newer:
            tell_of_class_weight(class_weight)
            class_weight = None
            _check_shapes(x, model)
        return EagerDataset(mode, dataset, steps or None, epochs, steps_name, class_weight, may_end=not is_newer)
    if is_generator_or_sequence(x):
        kind: Any = EagerBatches if is_newer else GeneratorBatches
        return kind(
            model,
            mode,
            x,
            steps,
            epochs,
            class_weight=class_weight,
            shuffle=bool(shuffle),
            steps_name=steps_name,
            **queue,
        )
    adapter_of(model, x, y)
    x, y = arrays_of_lists(x, y)
    given = model._standardize_user_data(
        x, y, sample_weight=sample_weight, class_weight=class_weight, batch_size=batch_size
    )
    if steps and not is_newer:
        if not model.run_eagerly:
            return whole_arrays(model, mode, *given, steps)
        check_steps_of_older_loops(steps, batch_size)
        steps = None
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
        check_steps(mode, count, steps, batch_size)
    if batch_size is None:
        batch_size = 32 if steps is None else -(-count // steps)
    return EagerArrays(mode, x, y or [], weights or [], batch_size, steps, shuffle, is_validation)


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
    training_replicas.check_scope(model)
    if isinstance(validation_data, list | tuple) and not validation_data:
        validation_data = None
    if validation_data is not None:
        check_length_of_validation(validation_data, validation_steps)
    batches: Batches
    held: Any = None
    is_split = 0.0 < validation_split < 1.0
    if is_split and validation_data is not None:
        raise ValueError("`validation_data` and `validation_split` cannot be given together.")
    if is_split:
        if adapter_of(model, x, y) is ListsOfScalarsDataAdapter:
            raise ValueError(
                f"`validation_split` is for arrays and tensors; `x` is lists of numbers: {x}. Make an array of it."
            )
        given = model._standardize_user_data(
            x, y, sample_weight=sample_weight, class_weight=class_weight, batch_size=batch_size
        )
        x, y, weights, *held = split_training_and_validation_data(*given, validation_split, may_be_empty=True)
        batches = _array_batches(TRAIN, x, y, weights, batch_size, steps_per_epoch, shuffle)
    else:
        batches = _batches(
            model, TRAIN, x, y, sample_weight, class_weight, batch_size, steps_per_epoch, shuffle, epochs,
            "steps_per_epoch", queue,
        )  # fmt: skip
    if isinstance(batches, EagerArrays):
        _check_epochs(epochs, initial_epoch)
    validation = None
    if validation_data is not None or held is not None:
        size = batch_size_of(x[0][0]) if isinstance(x, Sequence) else batches.batch_size
        validation = _validation(model, validation_data, held, size, validation_steps, validation_freq, queue)
    if verbose and (model._experimental_run_tf_function or not model.run_eagerly):
        _print_train_info(batches, steps_per_epoch, validation)
    return Loop(model, TRAIN, batches, callbacks, verbose, epochs, initial_epoch, validation).run()


def _check_epochs(epochs: int, initial_epoch: int) -> None:
    """Checks that arrays are gone through at all, and as often as there are epochs, for which 1.15 repeats them `epochs` times.

    Raises:
        TypeError: if `epochs` is below 1; ValueError: if `initial_epoch` is below 0.
    """
    if epochs < 1:
        raise TypeError(f"`epochs` is {epochs}: arrays cannot be repeated so often.")
    if initial_epoch < 0:
        raise ValueError(f"Empty training data: there is none of the epochs before the first, {initial_epoch}.")


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
        if isinstance(x, DatasetBase) or is_generator_or_sequence(x):
            size = None
        elif batch_size is None and not steps and model._experimental_run_tf_function:
            raise ValueError(
                "`batch_size` or `steps` is required for arrays to validate with: a dataset does not tell the size of its "
                "batches, so give `validation_steps`."
            )
        else:
            size = batch_size
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
    training_replicas.check_scope(model)
    batches = _batches(model, mode, x, y, sample_weight, None, batch_size, steps, False, 1, "steps", queue)
    loop = Loop(model, mode, batches, callbacks, verbose)
    if model._experimental_run_tf_function:
        # 1.15 tells here whether samples are counted, not how many there are.
        loop.callbacks.params["samples"] = batches.samples is not None or isinstance(x, Sequence)
    return loop.run()
