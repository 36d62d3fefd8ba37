"""What the batches of an epoch give, put together: mean losses and last metrics, or all outputs."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.composite_tensors import CompositeTensor
from headrace.core.nest_paths import flatten_up_to, get_traverse_shallow_structure
from headrace.functions.composite_values import SparseTensorValue
from headrace.functions.ragged.joining import concat
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.functions.sparse.join import sparse_concat
from headrace.keras.utils.np_utils import number_of

if TYPE_CHECKING:
    # What a batch gives: numbers, or arrays in the structure of the outputs.
    BatchOuts = Any

_COMPOSITE = (SparseTensorValue, RaggedTensorValue, CompositeTensor)


class Aggregator(abc.ABC):
    """Puts together what batches give.

    Args:
        use_steps: whether batches count alike, however many samples they have.
        num_samples: the number of samples, if it is known.
        steps: the number of batches, if it is known.
        batch_size: the size of batches.

    Attributes:
        results: what has been put together.
    """

    def __init__(
        self,
        use_steps: bool,
        num_samples: int | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        self.use_steps, self.num_samples, self.steps, self.batch_size = use_steps, num_samples, steps, batch_size
        self.results: Any = []

    @abc.abstractmethod
    def create(self, batch_outs: BatchOuts) -> None:
        """Gets ready for batches like this, the first."""

    @abc.abstractmethod
    def aggregate(self, batch_outs: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        """Takes a batch of the samples from `batch_start` to `batch_end`."""

    @abc.abstractmethod
    def finalize(self) -> None:
        """Ends: `results` is complete."""


class MetricsAggregator(Aggregator):
    """The mean of the first number, the loss; of the others, which are means already, the last."""

    def create(self, batch_outs: BatchOuts) -> None:
        self.results = [0.0] * len(batch_outs)

    def aggregate(self, batch_outs: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        weight = 1 if self.use_steps or batch_start is None or batch_end is None else batch_end - batch_start
        self.results[0] += number_of(batch_outs[0]) * weight
        self.results[1:] = batch_outs[1:]

    def finalize(self) -> None:
        if not self.results:
            raise ValueError("Empty training data.")
        self.results[0] /= self.num_samples or self.steps or 1


class ConcatAggregator(Aggregator):
    """The parts of one output, one after the other: where it is not known how many samples there are.

    Args:
        batch_size: the size of batches.
    """

    def __init__(self, batch_size: int | None) -> None:
        super().__init__(use_steps=True, batch_size=batch_size)

    def create(self, batch_element: BatchOuts) -> None:
        """Has nothing to get ready."""

    def aggregate(self, batch_element: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        self.results.append(batch_element)

    def finalize(self) -> None:
        self.results = concatenated(self.results)


class SliceAggregator(Aggregator):
    """The parts of one output in an array for all samples, which is made beforehand.

    Args:
        num_samples: how many there are.
        batch_size: the size of batches.
    """

    def __init__(self, num_samples: int, batch_size: int | None) -> None:
        super().__init__(use_steps=False, num_samples=num_samples, batch_size=batch_size)

    def create(self, batch_element: BatchOuts) -> None:
        self.results = np.empty((self.num_samples, *batch_element.shape[1:]), batch_element.dtype)

    def aggregate(self, batch_element: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        if len(batch_element) == self.num_samples:
            # The only batch needs no copy.
            self.results = batch_element
            return
        self.results[batch_start:batch_end] = batch_element

    def finalize(self) -> None:
        """Has nothing left to do."""


class OutputsAggregator(Aggregator):
    """All outputs one after the other, in the structure of a batch's."""

    _structure: Any = None
    _is_list: bool
    _parts: list[Aggregator]

    def create(self, batch_outs: BatchOuts) -> None:
        # Values of sparse and ragged tensors are named tuples, and leaves here.
        self._structure = get_traverse_shallow_structure(lambda value: not isinstance(value, _COMPOSITE), batch_outs)
        self._is_list = isinstance(batch_outs, list) and all(isinstance(value, np.ndarray) for value in batch_outs)
        self._parts = []
        for value in self._leaves(batch_outs):
            self._parts.append(self._part_for(value))
            self._parts[-1].create(value)

    def _leaves(self, batch_outs: BatchOuts) -> list[Any]:
        return batch_outs if self._is_list else flatten_up_to(self._structure, batch_outs)  # type: ignore[no-any-return]  # a list

    def _part_for(self, value: Any) -> Aggregator:
        if not isinstance(value, _COMPOSITE) and not len(getattr(value, "shape", ())):
            raise RuntimeError(f"Attempted to aggregate unsupported object {value}.")
        if self.use_steps or self.num_samples is None or not isinstance(value, np.ndarray):
            return ConcatAggregator(self.batch_size)
        return SliceAggregator(self.num_samples, self.batch_size)

    def aggregate(self, batch_outs: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        for part, value in zip(self._parts, self._leaves(batch_outs), strict=True):
            part.aggregate(value, batch_start, batch_end)

    def finalize(self) -> None:
        if self._structure is None:
            raise ValueError("There are no outputs to put together: no batch was predicted, of no samples or no steps.")
        for part in self._parts:
            part.finalize()
        self.results = nest.pack_sequence_as(self._structure, [part.results for part in self._parts])


def concatenated(parts: Sequence[Any]) -> Any:
    """Arrays, sparse or ragged values one after the other along the axis of the batch."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], SparseTensorValue):
        return _sparse_concatenated(parts)
    if isinstance(parts[0], RaggedTensorValue):
        return _ragged_concatenated(parts)
    if isinstance(parts[0], SparseTensor):
        return sparse_concat(0, parts, expand_nonconcat_dim=False)
    if isinstance(parts[0], CompositeTensor):
        return concat(parts, axis=0)
    return np.concatenate(parts, axis=0)


def _sparse_concatenated(parts: Sequence[Any]) -> SparseTensorValue:
    rows, indices = 0, []
    for part in parts:
        moved = np.array(part.indices)
        moved[:, 0] += rows
        indices.append(moved)
        rows += int(part.dense_shape[0])
    shape = np.array([rows, *np.max([part.dense_shape[1:] for part in parts], axis=0)], dtype=np.int64)
    return SparseTensorValue(np.concatenate(indices), np.concatenate([part.values for part in parts]), shape)


def _ragged_concatenated(parts: Sequence[Any]) -> RaggedTensorValue:
    splits, total = [np.zeros([1], parts[0].row_splits.dtype)], 0
    for part in parts:
        splits.append(part.row_splits[1:] + total)
        total += int(part.row_splits[-1])
    return RaggedTensorValue(concatenated([part.values for part in parts]), np.concatenate(splits))
