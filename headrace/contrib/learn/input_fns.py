"""Input functions of arrays, data frames and generators that shuffle unless they are told not to."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator
from types import FunctionType
from typing import Any

from headrace.estimator.inputs import numpy_io, pandas_io
from headrace.estimator.inputs.feeding import enqueue_data


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


def _targets(target_key: Any, names: list[str]) -> list[str]:
    """The names of the columns that are targets."""
    if target_key is None:
        return []
    if isinstance(target_key, str):
        return [target_key]
    if not isinstance(target_key, Container):
        raise TypeError(f"target_key must be str or Container of str; got {type(target_key).__name__}")
    keys: Any = target_key
    for key in keys:
        if not isinstance(key, str):
            raise TypeError(f"target_key must be str or Container of str; got {type(key).__name__}")
        if key not in names:
            raise KeyError(f"target_key not in yielded dict. Expected {names} keys; got {key}")
    return [*keys]


def generator_input_fn(
    x: Callable[[], Generator[dict[str, Any], None, None]],
    target_key: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """An input function of a generator.

    Args:
        x: generator function, whose generator gives one row after the other, a dict of arrays each.
        target_key: the name of the target, or names of several, which then come as a dict; None for no target.
        batch_size: how many rows a batch has.
        num_epochs: how often the generator is begun, None for ever.
        shuffle: whether rows come in random order.
        queue_capacity: how many rows the queue between holds.
        num_threads: how many threads fill it.
        pad_value: what shorter rows are filled with, None where all are of one shape.

    Returns:
        a function that returns the features, a dict, or (features, targets).

    Raises:
        TypeError: if `x` is no function, gives no generator, or that no dicts; if `target_key` has something else than
            strings.
        KeyError: when called, if the rows have no `target_key`.

    Example:
        >>> def rows():
        ...     for size in range(10):
        ...         yield {"size": np.array([size]), "price": np.array([3.0 * size])}
        >>> input_fn = tf.contrib.learn.io.generator_input_fn(rows, target_key="price", batch_size=2)
    """
    if not isinstance(x, FunctionType):
        raise TypeError(f"x must be generator function; got {type(x).__name__}")
    generator = x()
    if not isinstance(generator, Generator):
        raise TypeError(f"x() must be generator; got {type(generator).__name__}")
    first = next(generator)
    if not isinstance(first, dict):
        raise TypeError(f"x() must yield dict; got {type(first).__name__}")
    names = sorted(first)
    targets = _targets(target_key, names)

    def input_fn() -> Any:
        queue = enqueue_data(
            x,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
            pad_value=pad_value,
        )
        batch = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        # Of one column only the queue gives the tensor itself.
        features = dict(zip(names, batch if isinstance(batch, list) else [batch], strict=True))
        if not targets:
            return features
        given = {key: features.pop(key) for key in targets}
        return features, (given if len(given) > 1 else next(iter(given.values())))

    return input_fn
