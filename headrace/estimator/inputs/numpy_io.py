"""Input functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.estimator.inputs.feeding import enqueue_data

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike

# What labels are called in the queue where they have no name.
_TARGET = "__target_key__"


def numpy_input_fn(
    x: ArrayLike | Mapping[str, ArrayLike],
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function of arrays.

    Args:
        x: the features: an array, or a dict of arrays of one length.
        y: the labels, likewise; None for none.
        batch_size: how many examples a batch has.
        num_epochs: how often all examples come, None for ever.
        shuffle: whether in random order; to be said.
        queue_capacity: how many examples are kept ready.
        num_threads: how many threads put them there; one keeps their order.

    Returns:
        a function that returns (features, labels), or the features where there are no labels.

    Raises:
        ValueError: if `shuffle` was not said; from the function if arrays differ in length, names are given twice, or a
            dict is empty.
        TypeError: from the function if `x` is something else.

    Example:
        >>> x, labels = np.linspace(0, 1, 100)[:, None], np.ones([100, 1])
        >>> train = tf.estimator.inputs.numpy_input_fn({"x": np.float32(x)}, labels, num_epochs=None, shuffle=True)
        >>> estimator.train(train, steps=10)
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for training); "
            f"got {shuffle}"
        )

    def input_fn() -> Any:
        features = _features(x)
        labels = _labels(y, features)
        data = {**features, **labels}
        lengths = {values.shape[0] for values in data.values()}
        if len(lengths) != 1:
            shapes = None if y is None else {key: value.shape for key, value in labels.items()}
            if shapes is not None and not isinstance(y, Mapping):
                shapes = shapes[_TARGET]
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
                f"Shapes in x: { {key: value.shape for key, value in features.items()} }\nShapes in y: {shapes}\n"
            )
        queue = enqueue_data(
            data,
            queue_capacity,
            shuffle=shuffle,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        batch = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        # The first is the number of the row.
        taken = dict(zip(data, batch[1:], strict=True))
        made = {key: taken[key] for key in features}
        given = {key: taken[key] for key in labels}
        result_features = made if isinstance(x, Mapping) else next(iter(made.values()))
        if y is None:
            return result_features
        return result_features, (given if isinstance(y, Mapping) else given[_TARGET])

    return input_fn


def _features(x: Any) -> dict[str, Any]:
    """The features by name, in the order of the names."""
    if isinstance(x, np.ndarray):
        if x.size == 0:
            raise ValueError("x cannot be an empty array")
        return {"__direct_np_input__": x}
    if not isinstance(x, Mapping):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if not x:
        raise ValueError("x cannot be an empty dict")
    return {key: x[key] for key in sorted(x)}


def _labels(y: Any, features: Mapping[str, Any]) -> dict[str, Any]:
    if y is None:
        return {}
    if not isinstance(y, Mapping):
        return {_TARGET: y}
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    both = set(features) & set(y)
    if both:
        raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {both}")
    return {key: y[key] for key in sorted(y)}
