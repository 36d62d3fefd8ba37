"""Datasets as the data of models: checks, iterators, the number of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core import errors
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data.dataset_base import DatasetBase
from headrace.data.eager_iterator import EagerIterator
from headrace.data.iterator import Iterator, initializable
from headrace.keras.backend.sessions import get_session
from headrace.layers.context import get_graph

if TYPE_CHECKING:
    from collections.abc import Callable

_INFINITE, _UNKNOWN = -1, -2


def is_dataset(data: object) -> bool:
    """Whether data is a dataset."""
    return isinstance(data, DatasetBase)


def is_dataset_or_iterator(data: object) -> bool:
    """Whether data is a dataset or goes through one."""
    return isinstance(data, (DatasetBase, Iterator, EagerIterator))


def is_eager_dataset_or_iterator(data: object) -> bool:
    """Whether data is a dataset, or goes through one, that gives values rather than tensors of a graph."""
    return executing_eagerly() and is_dataset_or_iterator(data)


def validate_dataset_input(x: Any, y: Any, sample_weight: Any, validation_split: float | None = None) -> None:
    """Checks that what datasets hold themselves is not given beside them.

    Raises:
        ValueError: if it is.
    """
    if y is not None:
        raise ValueError(
            f"You passed a dataset or dataset iterator ({x}) as input `x` to your model. In that case, you should not "
            "specify a target (`y`) argument, since the dataset or dataset iterator generates both input data and target "
            f"data. Received: {y}"
        )
    if sample_weight is not None:
        raise ValueError(
            "`sample_weight` argument is not supported when input `x` is a dataset or a dataset iterator. Instead, you can "
            "provide sample_weight as the third element of your dataset, i.e. (inputs, targets, sample_weight). "
            f"Received: x={x}, sample_weight={sample_weight}"
        )
    if validation_split:
        raise ValueError(
            "`validation_split` argument is not supported when input `x` is a dataset or a dataset iterator. Received: "
            f"x={x}, validation_split={validation_split}"
        )


def get_iterator(dataset: DatasetBase) -> Any:
    """An iterator over a dataset, at its beginning."""
    if executing_eagerly():
        return iter(dataset)  # type: ignore[call-overload]  # all that a program holds are `Dataset`s
    with get_graph().as_default():
        iterator = initializable(dataset, None)
    initialize_iterator(iterator)
    return iterator


def initialize_iterator(iterator: Iterator) -> None:
    """Sets an iterator to the beginning."""
    get_session((iterator.initializer.inputs[0],)).run(iterator.initializer)


def unpack_iterator_input(iterator: Any) -> tuple[Any, Any, Any]:
    """The next element of an iterator as inputs, targets and weights of samples.

    Raises:
        ValueError: if it is a tuple of more than three parts.
    """
    return unpack_element(iterator.get_next())


class InputsAlone(NamedTuple):
    """An element of a dataset made here of arrays of inputs only.

    Attributes:
        inputs: one input, or a tuple of several.
    """

    inputs: Any


def unpack_element(element: Any) -> tuple[Any, Any, Any]:
    """An element of a dataset as inputs, targets and weights of samples; what it lacks is None.

    Raises:
        TypeError, eagerly ValueError: if it is a tuple of other than one, two or three parts; ValueError for one in graphs.
    """
    if isinstance(element, InputsAlone):
        return element.inputs, None, None
    if not isinstance(element, tuple):
        return element, None, None
    eagerly = executing_eagerly()
    if len(element) not in ((1, 2, 3) if eagerly else (2, 3)):
        # In graphs 1.15 writes the element into its text by `%`, which takes a tuple of one only.
        kind = ValueError if eagerly or len(element) == 1 else TypeError
        raise kind(
            "Please provide model inputs as a list or tuple of 1, 2 or 3 elements: (input), (input, target) or (input, "
            f"target, sample_weights). Received {element}"
        )
    x, y, weights = (*element, None, None)[:3]
    return x, y, weights


def extract_tensors_from_dataset(dataset: DatasetBase) -> tuple[Any, Any, Any]:
    """The next element of a new iterator over a dataset."""
    return unpack_iterator_input(get_iterator(dataset))


def infer_steps_for_dataset(
    model: object, dataset: Any, steps: int | None, epochs: int = 1, steps_name: str = "steps"
) -> int | None:
    """The number of batches of a dataset; None where only going through it tells.

    Args:
        model: not looked at.
        dataset: the dataset; for anything else None comes back.
        steps: that number if it was given.
        epochs: how often it is gone through.
        steps_name: the name of the argument.

    Raises:
        ValueError: if the dataset has no end and `steps` was not given.
    """
    if not isinstance(dataset, DatasetBase) or steps is not None:
        return steps
    size = _size(dataset)
    if size == _INFINITE and epochs:
        raise ValueError(f"When passing an infinitely repeating dataset, you must specify the `{steps_name}` argument.")
    return size if size >= 0 else None


def _size(dataset: Any) -> int:
    if executing_eagerly():
        return int(raw.DatasetCardinality(dataset._variant_tensor).numpy())
    with get_graph().as_default():
        return int(get_session().run(raw.DatasetCardinality(dataset._variant_tensor)))


class NextElement:
    """The values of the next element of a dataset in a graph, each time it is called.

    Args:
        tensors: the tensors of the element, None where there is nothing.

    Raises:
        OutOfRangeError: by calls, after the last element.
    """

    def __init__(self, tensors: list[Any]) -> None:
        self.tensors = tensors
        self._session: Any = None
        self._next: Callable[[], list[np.ndarray]] | None = None

    def __call__(self) -> list[Any]:
        session = get_session(self.tensors[:1])
        if self._next is None or session is not self._session:
            self._session, self._next = session, session.make_callable(self.tensors)
        assert self._next is not None
        return self._next()


def ran_out(error: object) -> bool:
    """Whether an error says that data has come to its end."""
    return isinstance(error, (errors.OutOfRangeError, StopIteration))


def is_plain(tensors: list[Any]) -> bool:
    """Whether all are dense tensors."""
    return all(isinstance(tensor, Tensor) for tensor in tensors)
