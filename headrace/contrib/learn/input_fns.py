"""Input functions of arrays and data frames that shuffle unless they are told not to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.estimator.inputs import numpy_io, pandas_io


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function of arrays; arguments as of `tf.estimator.inputs.numpy_input_fn`, which asks whether to shuffle."""
    return numpy_io.numpy_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function of a data frame; arguments as of `tf.estimator.inputs.pandas_input_fn`."""
    return pandas_io.pandas_input_fn(x, y, batch_size, num_epochs, shuffle, queue_capacity, num_threads, target_column)
