"""Arrays under a distribution strategy: they become a dataset, as in TensorFlow 1.15, where epochs follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.data.dataset import Dataset
from headrace.data.dataset_base import DatasetBase
from headrace.keras.engine.training_datasets import InputsAlone
from headrace.keras.engine.training_loop import PREDICT, TRAIN
from headrace.keras.engine.training_replicas import global_batch_size_supported

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

_BATCH = 32
_SHUFFLED = 1024


def is_divided(model: Model, x: Any, y: Any, weights: Any) -> bool:
    """Whether a strategy's replicas divide what is given: arrays only."""
    if model._distribution_strategy is None or isinstance(x, DatasetBase):
        return False
    values = [value for value in (*x, *(y or ()), *(weights or ())) if value is not None]
    return bool(values) and all(isinstance(value, np.ndarray) for value in values)


def input_params(
    distribution_strategy: Any, num_samples: int, steps: int | None, batch_size: int | None, mode: str
) -> tuple[int, int]:
    """How many steps an epoch has, and how many samples a step of all replicas takes.

    Args:
        distribution_strategy: the strategy, or None.
        num_samples: how many samples there are.
        steps, batch_size: as of `fit`.
        mode: "train", "test" or "predict"; only the last step of training may take fewer samples.

    Raises:
        ValueError: if there are too few samples for the steps, or some are left over by them.
    """
    replicas = _factor(distribution_strategy)
    if steps is None:
        size = (min(num_samples, _BATCH) if batch_size is None else batch_size) * replicas
        if mode != TRAIN and num_samples % size:
            raise ValueError(f"The number of samples {num_samples} is not divisible by batch size {size}.")
        return -(-num_samples // size), size
    if batch_size is None:
        if num_samples % steps:
            raise ValueError(
                f"The number of samples {num_samples} is not divisible by steps {steps}. Please change the number of steps "
                "to a value that can consume all the samples"
            )
        return steps, num_samples // steps
    size = batch_size * replicas
    if num_samples < (size * (steps - 1) + 1 if mode == TRAIN else size * steps):
        raise ValueError(
            f"Number of samples {num_samples} is less than samples required for specified batch_size {batch_size} and "
            f"steps {steps}"
        )
    return steps, size


def _factor(distribution_strategy: Any) -> int:
    """How many times a batch size is taken: that of contrib's strategies is of one replica."""
    if distribution_strategy is None or global_batch_size_supported(distribution_strategy):
        return 1
    count: int = distribution_strategy.num_replicas_in_sync
    return count


def batch_of_replicas(distribution_strategy: Any, num_samples: int, steps: int | None, batch_size: int | None) -> int:
    """The batch size that comes to what training takes; arguments as of `input_params`."""
    _, size = input_params(distribution_strategy, num_samples, steps, batch_size, TRAIN)
    return size // _factor(distribution_strategy)


def dataset_of(
    mode: str, x: Sequence[Any], y: Sequence[Any], weights: Sequence[Any], size: int, shuffle: Any, epochs: int
) -> Dataset:
    """The batches of all epochs; one may end an epoch and begin the next.

    Args:
        mode: "train", "test" or "predict".
        x, y, weights: arrays that have been standardized.
        size: how many samples a batch has.
        shuffle, epochs: as of `fit`.
    """
    parts: tuple[Any, ...] = InputsAlone(_one_or_all(x))
    if mode != PREDICT and y:
        parts = (_one_or_all(x), _one_or_all(y))
        if any(weight is not None for weight in weights):
            parts = (*parts, _one_or_all([_ones(each) if own is None else own for each, own in zip(y, weights)]))
    dataset = Dataset.from_tensor_slices(parts)
    if shuffle and mode == TRAIN:
        dataset = dataset.shuffle(max(_SHUFFLED, 8 * size))
    if epochs > 1:
        dataset = dataset.repeat(epochs)
    return dataset.batch(size)


def _one_or_all(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _ones(target: np.ndarray) -> np.ndarray:
    return np.ones(len(target), np.float32)
