"""Streaming means: of values, of errors, of what is right.

Each returns the metric and its update operation. `weights` is a scalar or broadcasts to the values,
`metrics_collections` and `updates_collections` are lists of collections that the two are added to, `name` is that of
the scope of the variables; each raises ValueError if shapes do not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.squeezing import remove_squeezable_dimensions
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.metrics.local_variables import aligned, collect, in_graphs_only, metric_variable, of_all_replicas, ratio
from headrace.ops.math.division import div
from headrace.state.updates import assign_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.variables import Variable


Metric = tuple[Tensor, Tensor]


def _weighed(values: Tensor, weights: TensorLike) -> tuple[Tensor, Tensor]:
    values, _, weights = aligned(values, None, weights)
    weights = broadcast_weights(composing.cast(weights, "float32"), values)
    return raw.Mul(values, weights), weights


def _of_sums(
    total: Variable,
    count: Variable,
    values: Tensor,
    added: Tensor,
    number: Tensor,
    metrics: Sequence[str] | None,
    updates: Sequence[str] | None,
) -> Metric:
    """The metric of two variables to which `added` and `number` are added for a batch."""
    update_total = assign_add(total, added)
    with control_dependencies([values]):
        update_count = assign_add(count, number)
    value = of_all_replicas(metrics, lambda: ratio(total, count, "value"))
    update = ratio(update_total, update_count, "update_op")
    collect(updates, update)
    return value, update


@in_graphs_only
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The weighted mean of all values so far.

    Args:
        values: tensor of numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation), float32 scalars.

    Example:
        >>> values = tf.placeholder(tf.float32, [None])
        >>> mean, update = tf.metrics.mean(values)
        >>> sess.run(tf.local_variables_initializer())
        >>> for batch in [[1.0, 2.0], [6.0]]:
        ...     sess.run(update, {values: batch})
        >>> sess.run(mean)
        3.0
    """
    with variable_scope(name, "mean", [values, weights]):
        values = composing.cast(values, "float32")
        total = metric_variable([], "float32", name="total")
        count = metric_variable([], "float32", name="count")
        if weights is None:
            number = composing.cast(composing.size(values), "float32")
        else:
            values, weights = _weighed(values, weights)
            number = reduce_sum(weights)
        # The sum is made before the variable is added to, as the operations' names show.
        return _of_sums(total, count, values, reduce_sum(values), number, metrics_collections, updates_collections)


@in_graphs_only
def mean_tensor(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The weighted mean of each element over all tensors so far.

    Args:
        values: tensor of known shape.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation), float32 tensors of the shape of `values`.

    Example:
        >>> mean, update = tf.metrics.mean_tensor(x)
    """
    with variable_scope(name, "mean", [values, weights]):
        values = composing.cast(values, "float32")
        total = metric_variable(values.get_shape(), "float32", name="total_tensor")
        count = metric_variable(values.get_shape(), "float32", name="count_tensor")
        number = composing.ones_like(values)
        if weights is not None:
            values, weights = _weighed(values, weights)
            number = raw.Mul(number, weights)
        return _of_sums(total, count, values, values, number, metrics_collections, updates_collections)


@in_graphs_only
def accuracy(
    labels: Tensor,
    predictions: Tensor,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """How often predictions equal labels.

    Args:
        labels, predictions: tensors of one shape; predictions are cast to the type of the labels.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (accuracy, update operation), float32 scalars.

    Example:
        >>> accuracy, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if labels.dtype != predictions.dtype:
        predictions = composing.cast(predictions, labels.dtype)
    right = composing.cast(raw.Equal(predictions, labels), "float32")
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


@in_graphs_only
def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean absolute difference of labels and predictions.

    Args:
        labels, predictions: tensors of one shape and type.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (error, update operation), float32 scalars.

    Example:
        >>> error, update = tf.metrics.mean_absolute_error(labels=[1.0, 2.0], predictions=[1.5, 2.0])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    errors = raw.Abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@in_graphs_only
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """One minus the mean inner product of labels and predictions, which are unit vectors.

    Args:
        labels, predictions: tensors of one shape and type.
        dim: the dimension along which the vectors lie.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (distance, update operation), float32 scalars.

    Example:
        >>> distance, update = tf.metrics.mean_cosine_distance([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], 1)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.5
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    products = reduce_sum(raw.Mul(predictions, labels), axis=[dim], keepdims=True)
    similarity, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    distance, update = raw.Sub(1.0, similarity), raw.Sub(1.0, update)
    collect(metrics_collections, distance)
    collect(updates_collections, update)
    return distance, update


@in_graphs_only
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean absolute difference of labels and predictions over a normalizer.

    Args:
        labels, predictions: tensors of one shape and type.
        normalizer: tensor of that shape; the error counts as 0 where this is 0.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (error, update operation), float32 scalars.

    Example:
        >>> labels = [1.0, 2.0]
        >>> error, update = tf.metrics.mean_relative_error(labels, [1.5, 2.0], normalizer=labels)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.get_shape().assert_is_compatible_with(normalizer.get_shape())
    without = raw.Equal(normalizer, 0.0)
    nothing = composing.zeros_like(labels)
    errors = raw.Select(without, nothing, div(raw.Abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@in_graphs_only
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean squared difference of labels and predictions.

    Args:
        labels, predictions: tensors of one shape and type.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (error, update operation), float32 scalars.

    Example:
        >>> error, update = tf.metrics.mean_squared_error(labels=[1.0, 2.0], predictions=[2.0, 4.0])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        2.5
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    errors = raw.SquaredDifference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@in_graphs_only
def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The square root of the mean squared difference of labels and predictions.

    Args:
        labels, predictions: tensors of one shape and type.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (error, update operation), float32 scalars.

    Example:
        >>> error, update = tf.metrics.root_mean_squared_error(labels=[1.0, 2.0], predictions=[2.0, 9.0])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        5.0
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    squared, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    root = of_all_replicas(metrics_collections, lambda: raw.Sqrt(squared))
    update = raw.Sqrt(update)
    collect(updates_collections, update)
    return root, update


@in_graphs_only
def percentage_below(
    values: TensorLike,
    threshold: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of values less than a threshold.

    Args:
        values: tensor of numbers.
        threshold: scalar.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (fraction, update operation), float32 scalars.

    Example:
        >>> fraction, update = tf.metrics.percentage_below([0.5, 1.5, 2.5, 3.5], 1.0)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    below = composing.cast(raw.Less(values, threshold), "float32")
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")
