"""What the batches of an epoch give, put together: mean losses and last metrics, or all outputs."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.functions.composite_values import SparseTensorValue
from headrace.functions.ragged.value import RaggedTensorValue

if TYPE_CHECKING:
    # What a batch gives: numbers, or arrays in the structure of the outputs.
    BatchOuts = Any


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
        self.results[0] += np.float64(batch_outs[0]) * weight
        self.results[1:] = batch_outs[1:]

    def finalize(self) -> None:
        if not self.results:
            raise ValueError("Empty training data.")
        self.results[0] /= self.num_samples or self.steps or 1


class OutputsAggregator(Aggregator):
    """All outputs one after the other, in the structure of a batch's."""

    _structure: Any = None
    _parts: list[list[Any]]
    _whole: list[Any]

    def create(self, batch_outs: BatchOuts) -> None:
        flat = _flat(batch_outs)
        self._structure = batch_outs
        self._parts = [[] for _ in flat]
        self._whole = [None] * len(flat)

    def aggregate(self, batch_outs: BatchOuts, batch_start: int | None = None, batch_end: int | None = None) -> None:
        for i, value in enumerate(_flat(batch_outs)):
            if batch_start is None or self.num_samples is None or not isinstance(value, np.ndarray):
                self._parts[i].append(value)
                continue
            if self._whole[i] is None:
                if batch_end is not None and batch_end - batch_start == self.num_samples:
                    # The only batch needs no copy.
                    self._whole[i] = value
                    continue
                self._whole[i] = np.empty((self.num_samples, *value.shape[1:]), value.dtype)
            self._whole[i][batch_start:batch_end] = value

    def finalize(self) -> None:
        if self._structure is None:
            self.results = []
            return
        made = [whole if whole is not None else concatenated(parts) for whole, parts in zip(self._whole, self._parts)]
        self.results = nest.pack_sequence_as(self._structure, made)


def _flat(outs: BatchOuts) -> list[Any]:
    return nest.flatten(outs)


def concatenated(parts: Sequence[Any]) -> Any:
    """Arrays, sparse or ragged values one after the other along the axis of the batch."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], SparseTensorValue):
        return _sparse_concatenated(parts)
    if isinstance(parts[0], RaggedTensorValue):
        return _ragged_concatenated(parts)
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
