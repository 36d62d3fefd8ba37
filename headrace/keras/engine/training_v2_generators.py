"""What 1.15's newer loops take, and how they read generators: the first batch tells what all the others are like."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors, nest
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.keras.engine.data_adapter import DataAdapter, select_data_adapter
from headrace.keras.engine.training_generator import (
    ReadBatches,
    batch_parts,
    batch_size_of,
    read_ahead,
    step_of,
    with_arrays,
)
from headrace.keras.engine.training_loop import PREDICT, Batch
from headrace.keras.utils.data_utils import Sequence
from headrace.ops.flow.py_func import translated
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


class Likeness:
    """What the first batch of a generator says of all: their structure, types and shapes.

    Args:
        first: the first batch.

    Raises:
        AttributeError: if a part is neither array nor tensor; TypeError: if parts lie in a list.
    """

    def __init__(self, first: Any) -> None:
        for part in nest.flatten(first):
            if not (hasattr(part, "dtype") and hasattr(part, "shape")):
                raise AttributeError(
                    f"A generator's batches are arrays or tensors, in tuples and dicts; it gave {part!r}, which has no "
                    "attribute 'dtype'."
                )
        _refuse_lists(first)
        self._structure = nest.map_structure(lambda part: 0, first)
        flat = nest.flatten(first)
        self._dtypes = [None if isinstance(part, Tensor) else part.dtype for part in flat]
        self._shapes = [as_shape(part.shape) for part in flat]
        self.batch_size = batch_size_of(first)

    def check(self, batch: Any) -> Any:
        """A batch, with its parts in the types of those of the first.

        Raises:
            TypeError: for another structure or what is not of the types; ValueError: for other shapes. Batches may have
                another number of samples, as long as all parts of one agree.
        """
        try:
            nest.assert_same_structure(self._structure, batch)
        except (TypeError, ValueError):
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The first one was like "
                f"{self._structure}, but the yielded element was {batch}."
            ) from None
        parts = [
            part if dtype is None or getattr(part, "dtype", None) == dtype else np.asarray(part, dtype)
            for part, dtype in zip(nest.flatten(batch), self._dtypes)
        ]
        # Programs end sequences with the rest of their samples.
        together = all(
            len({*(shape.as_list()[0] for shape in shapes if shape.ndims)}) == 1
            for shapes in (self._shapes, [as_shape(part.shape) for part in parts])
        )
        for part, shape in zip(parts, self._shapes):
            expected = [None, *shape.as_list()[1:]] if together and shape.ndims else shape
            if not as_shape(expected).is_compatible_with(part.shape):
                raise ValueError(
                    f"`generator` yielded an element of shape {tuple(part.shape)} where an element of shape {shape} was "
                    "expected."
                )
        return nest.pack_sequence_as(batch, parts)


def _refuse_lists(part: Any) -> None:
    if isinstance(part, list):
        raise TypeError(
            "The parts of a generator's batch lie in tuples or dicts where eager loops read it; it gave a list, which would "
            f"be one tensor: {part}"
        )
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, tuple) else ():
        _refuse_lists(inner)


class EagerBatches(ReadBatches):
    """The batches of a generator or a `Sequence`.

    Args:
        model, mode: what they are for.
        data: the generator or sequence.
        steps: the number of batches of an epoch; by default that of a sequence, and all that a generator gives.
        epochs, steps_name: what is said where the data comes to an early end.
        shuffle: whether a sequence is gone through in another order each time.
        class_weight: weights of classes, which these loops do not look at.
        **queue: how batches are made ahead.

    Raises:
        StopIteration: for a generator that gives nothing; what `Likeness` says of the first batch.
    """

    tells_last = False

    def __init__(
        self,
        model: Model,
        mode: str,
        data: Any,
        steps: int | None,
        epochs: int = 1,
        steps_name: str = "steps",
        shuffle: bool = False,
        class_weight: Any = None,
        **queue: Any,
    ) -> None:
        tell_of_class_weight(class_weight)
        self._is_sequence = isinstance(data, Sequence)
        super().__init__(data)
        # Workers of 1.15 lose batches, so that its data never ends with an epoch: no error comes of that here.
        self.may_end = queue["workers"] > 0
        self._first = data[0] if self._is_sequence else next(data)
        self._likeness, self._mode = Likeness(self._first), mode
        self._is_finite = self._is_sequence or steps is None
        if self._is_sequence:
            if shuffle and not len(data):
                raise errors.InvalidArgumentError(None, None, "A sequence of no batches cannot be shuffled.")
            if steps_name == "steps":
                self._count_samples(len(data), steps)
            steps = steps or len(data)
        self.steps, self._steps_name, self._epochs = steps, steps_name, epochs
        self.batch_size = self._likeness.batch_size
        self._run = with_arrays(step_of(model, mode))
        self._begin: Callable[[Any], tuple[Iterator[Any], Any]] = functools.partial(
            read_ahead, shuffle=shuffle, **queue
        )

    @property
    def told_batch_size(self) -> int | None:
        """A generator does not tell the size of its batches."""
        return None

    def _count_samples(self, length: int, steps: int | None) -> None:
        """Has samples counted where other steps are asked for than a sequence has batches.

        Raises:
            ValueError: for predictions: there is an output for each sample of the sequence.
        """
        if steps in (None, 0, length):
            return
        if self._mode == PREDICT:
            raise ValueError(
                f"predict: {steps} steps are no pass of a sequence of {length} batches, of all of which outputs are kept."
            )
        self.samples = length * self._likeness.batch_size

    def epoch(self, model: Model) -> Iterator[Batch]:
        # What ends with an epoch begins anew with the next one: a generator by its first batch, which has been kept.
        if self._source is None or self._is_finite:
            self.close()
            data = self._data if self._is_sequence else itertools.chain([self._first], self._data)
            self._source, self._enqueuer = self._begin(data)
        step = 0
        while self.steps is None or step < self.steps:
            try:
                element = self._likeness.check(next(self._source))
            except StopIteration:
                self.ended_early(model, step)
                return
            except Exception as error:
                # In 1.15 generators are read by an operation.
                raise translated(error) from error
            x, y, weights = batch_parts(element, self._mode)
            if model._is_graph_network:
                x = named(x, model._feed_input_names)
            size = batch_size_of(x)
            yield Batch(size, functools.partial(self._run, x, y, weights, None), 0, size)
            step += 1

    def ended_early(self, model: Model, step: int) -> None:
        if self.steps is None and step:
            return
        model.stop_training = True
        tf_logging.warning(
            "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at "
            "least `%s * epochs` batches (in this case, %d batches). You may need to use the repeat() function when "
            "building your dataset.", self._steps_name, (self.steps or 0) * self._epochs,
        )  # fmt: skip

    def refuse_emptiness(self, shown: bool) -> None:
        refuse_emptiness(self.steps, self._mode, shown)


def named(parts: Any, names: list[str]) -> Any:
    """Those parts that a model has use for, where they are told by names.

    Raises:
        KeyError: for one that is not there.
    """
    return {name: parts[name] for name in names} if isinstance(parts, dict) else parts


def refuse_emptiness(steps: int | None, mode: str, shown: bool) -> None:
    """Refuses an epoch without a batch as 1.15's newer loops do.

    Args:
        steps: how many batches there should have been, None if that was not known.
        mode: what they were for.
        shown: whether there is a bar on the screen.

    Raises:
        TypeError: if no number of batches was known; OverflowError: for a bar of none.
    """
    if steps is None:
        raise TypeError("The data gave no batch, and there is no number of steps of which none was taken.")
    if not steps and shown and mode != PREDICT:
        raise OverflowError("There is no data: no bar shows the progress of no steps.")


def tell_of_class_weight(class_weight: Any) -> None:
    """Warns, if there are weights of classes, that they have no effect."""
    if class_weight is not None:
        tf_logging.warning(
            "`class_weight` has no effect on datasets, generators and sequences while executing eagerly: give weights of "
            "samples as the third part of each batch."
        )


def adapter_of(model: Model, x: Any, y: Any) -> type[DataAdapter] | None:
    """The adapter for arrays and lists; None where the older loops take them.

    Raises:
        ValueError: if there is one for the inputs by themselves, and none for them with these targets.
    """
    if not model._experimental_run_tf_function:
        return None
    try:
        select_data_adapter(x, None)
    except ValueError as error:
        tf_logging.warning("The older loops take the data: %s", error)
        return None
    return select_data_adapter(x, y)
