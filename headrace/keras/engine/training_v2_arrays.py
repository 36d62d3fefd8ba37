"""Arrays in batches while executing eagerly."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.keras.engine.data_adapter import ListsOfScalarsDataAdapter
from headrace.keras.engine.replica_arrays import input_params
from headrace.keras.engine.training_arrays import StepBatches, batch_shuffle, make_batches, slice_arrays
from headrace.keras.engine.training_loop import PREDICT, TRAIN, Batch, Batches
from headrace.keras.engine.training_v2_generators import refuse_emptiness
from headrace.keras.engine.training_v2_steps import run_standardized

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


class EagerArrays(Batches):
    """Batches of arrays and eager tensors: arguments as of `training_arrays.ArrayBatches`.

    Args:
        is_validation: whether they are for the validation of a model in training, where 1.15 counts no steps.
    """

    def __init__(
        self,
        mode: str,
        x: list[Any],
        y: list[Any],
        weights: list[Any],
        batch_size: int,
        steps: int | None,
        shuffle: bool | str,
        is_validation: bool = False,
    ) -> None:
        self._mode, self._x, self._y, self._weights, self._shuffle = mode, x, y, weights, shuffle
        self.batch_size = batch_size
        self.samples = samples = int(x[0].shape[0])
        for part in y:
            if part is not None and not len(part.shape):
                raise ValueError(f"Targets have a row for each of the {samples} samples, but {part} is a single value.")
            if part is not None and samples > int(part.shape[0]):
                # What tensors hold nothing looks at before rows of them are taken.
                raise errors.InvalidArgumentError(
                    None, None, f"indices of {samples} samples of `x` are not in [0, {part.shape[0]}): `y` has fewer."
                )
        self._limit = steps
        self._known_steps = steps if is_validation else steps or 0
        self._endless: Iterator[Batch] | None = None

    @property
    def told_steps(self) -> int | None:
        """How many batches callbacks are told that an epoch has."""
        return self._limit or -(-(self.samples or 0) // self.batch_size)  # type: ignore[operator]  # set above

    def epoch(self, model: Model) -> Iterator[Batch]:
        if self._limit is None or not self.samples:
            yield from self._pass(model)
            return
        # With a number of steps an epoch goes on where the last one ended, as 1.15's newer loops do.
        if self._endless is None:
            self._endless = itertools.chain.from_iterable(self._pass(model) for _ in itertools.count())
        yield from itertools.islice(self._endless, self._limit)

    def refuse_emptiness(self, shown: bool) -> None:
        refuse_emptiness(self._known_steps, self._mode, shown)

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
        if not isinstance(rows, slice) and hasattr(array, "numpy"):
            array = array.numpy()  # an eager tensor, or a variable
        if isinstance(rows, slice):
            found.append(None if array is None else array[rows])
        else:
            found.append(slice_arrays(array, rows) if array is not None else None)
    return found


def whole_arrays(model: Model, mode: str, x: Any, y: Any, weights: Any, steps: int) -> Batches:
    """The arrays as one batch, `steps` times: what the older loops make of a number of steps."""
    if not x:
        raise ValueError("The model has no inputs to make batches of.")

    def step(_: list[Any]) -> Any:
        return run_standardized(model, mode, x, y, weights, any_size=True)

    return StepBatches(step, [], steps)


def check_steps_of_older_loops(steps: int, batch_size: int | None) -> None:
    """Checks what the older loops are told that run batches eagerly: they go through arrays once, whatever the steps.

    Raises:
        ValueError: for steps instead of a size of batches.
    """
    if batch_size is None:
        raise ValueError(
            f"When passing input data as arrays, do not specify `steps_per_epoch`/`steps` argument, which is {steps}. Please "
            "use `batch_size` instead."
        )


def arrays_of_lists(x: Any, y: Any) -> tuple[Any, Any]:
    """Lists of rows of numbers as arrays, where inputs and targets are such lists: eager loops take these.

    Raises:
        IndexError: for a single number or text, which has no rows.
    """
    if (isinstance(x, list | tuple) and not x) or not ListsOfScalarsDataAdapter.can_handle(x, y):
        return x, y
    x, y = np.asarray(x), None if y is None else np.asarray(y)
    if not x.ndim:
        raise IndexError(f"tuple index out of range: {x} is a single value, and no row of values or rows of them.")
    return x, y


def check_steps(mode: str, count: int, steps: int, batch_size: int | None) -> None:
    """Raises ValueError for steps that leave rows of arrays over, or have too few; the last one may take fewer."""
    input_params(None, count, steps, batch_size, TRAIN)
    if mode == PREDICT and batch_size is not None and steps * batch_size < count:
        raise ValueError(
            f"predict: each of the {count} samples must be predicted, but {steps} steps of batch_size {batch_size} take "
            f"{steps * batch_size}."
        )
