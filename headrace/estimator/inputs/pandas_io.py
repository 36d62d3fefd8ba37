"""Input functions of data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.estimator.inputs.feeding import enqueue_data


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function of a data frame.

    Args:
        x: the features: a pandas `DataFrame`.
        y: the labels: a `Series` or `DataFrame` of the same index; None for none.
        batch_size: how many examples a batch has.
        num_epochs: how often all examples come, None for ever.
        shuffle: whether in random order; to be said.
        queue_capacity: how many examples are kept ready.
        num_threads: how many threads put them there; one keeps their order.
        target_column: what the labels are called beside the features, if they are a `Series`.

    Returns:
        a function that returns (features by name, labels), or the features where there are no labels.

    Raises:
        ValueError: if `shuffle` was not said, a column of `x` is called as the labels are, or the indices differ.
        TypeError: if `x` is no data frame.

    Example:
        >>> frame = pd.DataFrame({"age": [20, 30], "name": ["a", "b"]})
        >>> input_fn = tf.estimator.inputs.pandas_input_fn(frame, pd.Series([0, 1]), shuffle=False)
    """
    _check(x, shuffle)
    frame, targets = _with_targets(x, y, target_column)

    def input_fn() -> Any:
        queue = enqueue_data(
            frame,
            queue_capacity,
            shuffle=bool(shuffle),
            min_after_dequeue=None,
            num_threads=num_threads,
            enqueue_size=batch_size,
            num_epochs=num_epochs,
        )
        batch = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        # The first is the index.
        features = dict(zip(list(frame.columns), batch[1:], strict=True))
        if targets is None:
            return features
        if isinstance(targets, list):
            return features, {column: features.pop(column) for column in targets}
        return features, features.pop(targets)

    return input_fn


def _check(x: Any, shuffle: bool | None) -> None:
    import pandas as pd

    if not isinstance(x, pd.DataFrame):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for training); "
            f"got {shuffle}"
        )


def _with_targets(x: Any, y: Any, target_column: str) -> tuple[Any, Any]:
    """The frame with the labels in it, and what they are called there: a name, a list of names, or None."""
    frame = x.copy()
    if y is None:
        return frame, None
    if not x.index.equals(y.index):
        raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n")
    if hasattr(y, "columns"):
        targets = list(y.columns)
        both = set(targets) & set(frame.columns)
        if both:
            raise ValueError(f"Columns of x and y have names in common: {sorted(both)}")
        frame[targets] = y
        return frame, targets
    if target_column in frame:
        raise ValueError(
            f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: "
            f"{frame.columns}"
        )
    frame[target_column] = y
    return frame, target_column
