"""What estimators are given: arrays as input functions, features as columns, and metrics by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.contrib.layers.feature_column_inputs import infer_real_valued_columns
from headrace.contrib.learn.data_feeder import setup_train_data_feeder
from headrace.contrib.learn.metric_spec import MetricSpec
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.util import tf_logging


def verify_input_args(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: int | None) -> None:
    """Checks that data comes from arrays or from a function, not from both.

    Raises:
        ValueError: if it comes from both, or from neither.
    """
    if input_fn is None:
        if x is None:
            raise ValueError("Either x or input_fn must be provided.")
        if isinstance(x, Tensor) or isinstance(y, Tensor):
            raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
        if feed_fn is not None:
            raise ValueError("Can not provide both feed_fn and x or y.")
        return
    if x is not None or y is not None:
        raise ValueError("Can not provide both input_fn and x or y.")
    if batch_size is not None:
        raise ValueError("Can not provide both input_fn and batch_size.")


def input_and_feed_functions(
    x: Any,
    y: Any,
    input_fn: Callable[[], Any] | None,
    feed_fn: Callable[[], Any] | None,
    batch_size: int | None,
    shuffle: bool = False,
    epochs: int | None = 1,
) -> tuple[Callable[[], Any], Callable[[], Any] | None]:
    """The input function, and what to feed in each step if the data are arrays.

    Raises:
        ValueError: as `verify_input_args`.
    """
    verify_input_args(x, y, input_fn, feed_fn, batch_size)
    if input_fn is not None:
        return input_fn, feed_fn
    feeder = setup_train_data_feeder(x, y, n_classes=None, batch_size=batch_size, shuffle=shuffle, epochs=epochs)
    return feeder.input_builder, feeder.get_feed_dict_fn()


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> list[Any]:
    """Columns of numbers for all features that an input function returns.

    Args:
        input_fn: returns (features, labels).

    Raises:
        ValueError: if a feature holds no numbers.

    Example:
        >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input_fn(input_fn)
    """
    with Graph().as_default():
        features, _ = input_fn()
        return infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Columns of numbers for all features of data.

    Args:
        x: an array, a dict of arrays, or an iterator of examples.

    Raises:
        ValueError: if a feature holds no numbers.

    Example:
        >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(np.eye(3))
    """
    input_fn, _ = input_and_feed_functions(x, None, None, None, None)
    return infer_real_valued_columns_from_input_fn(input_fn)


def make_metrics_ops(metrics: Mapping[Any, Any], features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
    """The metrics that a program asks for, built in the default graph.

    Args:
        metrics: from name to `MetricSpec`; or, as in the oldest programs, from a name, or a pair of it and a prediction's
            key, to a function of predictions and labels.
        features, labels, predictions: tensors, or dicts of them.

    Raises:
        ValueError: for metrics of another form.
        KeyError: for predictions that are not there.

    Returns:
        from name to (value, update operation).
    """
    if not isinstance(metrics, dict):
        raise ValueError(
            f"metrics must be a dict, got {type(metrics).__name__}: from names to MetricSpec. An example is "
            '{"accuracy": MetricSpec(metric_fn, prediction_key="classes")}.'
        )
    if isinstance(labels, dict) and len(labels) == 1:
        labels = next(iter(labels.values()))
    result: dict[str, Any] = {}
    for name, metric in sorted(metrics.items(), key=lambda item: str(item[0])):
        if isinstance(metric, MetricSpec):
            result[name] = metric.create_metric_ops(features, labels, predictions)
            continue
        tf_logging.warning(
            "Please specify metrics using MetricSpec. Using bare functions or (key, fn) tuples is deprecated."
        )
        key, prediction = _named(name, predictions)
        result[key] = metric(prediction, labels)
    return result


def _named(name: Any, predictions: Any) -> tuple[str, Tensor]:
    """The name of an old form of metric, and the prediction it is of."""
    if isinstance(name, tuple):
        if len(name) != 2:
            raise ValueError(f"Invalid metric for {name}. It returned a tuple with len {len(name)}, expected 2.")
        if not isinstance(predictions, dict):
            raise ValueError("Metrics passed provide (name, prediction), but predictions are not dict.")
        if name[1] not in predictions:
            raise KeyError(
                f"Metric {name[0]} is of the prediction {name[1]}, but the model gives {sorted(map(str, predictions))}."
            )
        return name[0], predictions[name[1]]
    if isinstance(predictions, dict):
        raise ValueError(
            "Metrics passed provide only name, no prediction, but predictions are dict: name one of "
            f"{sorted(map(str, predictions))}."
        )
    return name, predictions
