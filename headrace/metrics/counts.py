"""Streaming counts of right and wrong decisions, and precision and recall.

Arguments and results are those of every metric, see `headrace.metrics.means`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_type
from headrace.functions.flow.rank_checks import assert_rank_in
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.metrics.local_variables import aligned, collect, in_graphs_only, metric_variable, of_all_replicas
from headrace.metrics.thresholds import counts_at_thresholds
from headrace.ops.math.division import div
from headrace.state.updates import assign_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Tensor, Tensor]


def count_condition(
    values: Tensor,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
) -> Metric:
    """The weighted number of true elements so far.

    Args:
        values: bool tensor.
        weights: a scalar or a tensor of its rank.
        metrics_collections, updates_collections: collections that the two results are added to.

    Returns:
        (number, update operation), float32 scalars.
    """
    assert_type(values, "bool")
    count = metric_variable([], "float32", name="count")
    values = composing.cast(values, "float32")
    if weights is not None:
        with control_dependencies([assert_rank_in(weights, (0, composing.rank(values)))]):
            weights = composing.cast(weights, "float32")
            values = raw.Mul(values, weights)
    value = of_all_replicas(metrics_collections, lambda: raw.Identity(count))
    update = assign_add(count, reduce_sum(values))
    collect(updates_collections, update)
    return value, update


def _as_bool(predictions: TensorLike, labels: TensorLike, weights: TensorLike | None) -> tuple[Tensor, Tensor, Any]:
    return aligned(composing.cast(predictions, "bool"), composing.cast(labels, "bool"), weights)


def _count(
    scope: str,
    label: bool,
    prediction: bool,
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None,
    metrics_collections: CollectionNames | None,
    updates_collections: CollectionNames | None,
    name: str | None,
) -> Metric:
    with variable_scope(name, scope, [predictions, labels, weights]):
        predictions, labels, weights = _as_bool(predictions, labels, weights)
        counted = raw.LogicalAnd(raw.Equal(labels, label), raw.Equal(predictions, prediction))
        return count_condition(counted, weights, metrics_collections, updates_collections)


def _count_at_thresholds(
    scope: str,
    short: str,
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, scope, [predictions, labels, weights]):
        variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights=weights, includes=[short])
        value = of_all_replicas(metrics_collections, lambda: raw.Identity(variables[short]))
        collect(updates_collections, updates[short])
        return value, updates[short]


@in_graphs_only
def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The number of positive labels that are predicted positive.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (number, update operation), float32 scalars.

    Example:
        >>> number, update = tf.metrics.true_positives([True, False], [True, True])
    """
    return _count(
        "true_positives", True, True, labels, predictions, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def true_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The number of positive labels that are predicted positive, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (numbers, update operation), float32 vectors.

    Example:
        >>> numbers, update = tf.metrics.true_positives_at_thresholds([True, False], tf.constant([0.3, 0.6]), [0.25, 0.5])
    """
    return _count_at_thresholds(
        "true_positives", "tp", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The number of positive labels that are predicted negative.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (number, update operation), float32 scalars.

    Example:
        >>> number, update = tf.metrics.false_negatives([True, False], [True, True])
    """
    return _count(
        "false_negatives", True, False, labels, predictions, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def false_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The number of positive labels that are predicted negative, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (numbers, update operation), float32 vectors.

    Example:
        >>> numbers, update = tf.metrics.false_negatives_at_thresholds([True, False], tf.constant([0.3, 0.6]), [0.25, 0.5])
    """
    return _count_at_thresholds(
        "false_negatives",
        "fn",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@in_graphs_only
def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The number of negative labels that are predicted negative.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (number, update operation), float32 scalars.

    Example:
        >>> number, update = tf.metrics.true_negatives([True, False], [True, True])
    """
    return _count(
        "true_negatives", False, False, labels, predictions, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def true_negatives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The number of negative labels that are predicted negative, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (numbers, update operation), float32 vectors.

    Example:
        >>> numbers, update = tf.metrics.true_negatives_at_thresholds([True, False], tf.constant([0.3, 0.6]), [0.25, 0.5])
    """
    return _count_at_thresholds(
        "true_negatives", "tn", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The number of negative labels that are predicted positive.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (number, update operation), float32 scalars.

    Example:
        >>> number, update = tf.metrics.false_positives([True, False], [True, True])
    """
    return _count(
        "false_positives", False, True, labels, predictions, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def false_positives_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The number of negative labels that are predicted positive, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (numbers, update operation), float32 vectors.

    Example:
        >>> numbers, update = tf.metrics.false_positives_at_thresholds([True, False], tf.constant([0.3, 0.6]), [0.25, 0.5])
    """
    return _count_at_thresholds(
        "false_positives",
        "fp",
        labels,
        predictions,
        thresholds,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def _fraction(right: Tensor, wrong: Tensor, name: str) -> Tensor:
    """`right` of all, 0 if there are none."""
    return raw.Select(raw.Greater(right + wrong, 0), div(right, right + wrong), 0, name=name)


@in_graphs_only
def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive predictions that are right.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float32 scalars.

    Example:
        >>> precision, update = tf.metrics.precision(labels=[0, 1, 1, 0], predictions=[0, 1, 0, 1])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.5
    """
    with variable_scope(name, "precision", [predictions, labels, weights]):
        predictions, labels, weights = _as_bool(predictions, labels, weights)
        right, update_right = true_positives(labels, predictions, weights)
        wrong, update_wrong = false_positives(labels, predictions, weights)
        value = of_all_replicas(metrics_collections, lambda: _fraction(right, wrong, "value"))
        update = _fraction(update_right, update_wrong, "update_op")
        collect(updates_collections, update)
        return value, update


@in_graphs_only
def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive labels that are predicted.

    Args:
        labels, predictions: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float32 scalars.

    Example:
        >>> recall, update = tf.metrics.recall(labels=[1, 1, 1, 1], predictions=[1, 1, 0, 1])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.75
    """
    with variable_scope(name, "recall", [predictions, labels, weights]):
        predictions, labels, weights = _as_bool(predictions, labels, weights)
        right, update_right = true_positives(labels, predictions, weights)
        missed, update_missed = false_negatives(labels, predictions, weights)
        value = of_all_replicas(metrics_collections, lambda: _fraction(right, missed, "value"))
        update = _fraction(update_right, update_missed, "update_op")
        collect(updates_collections, update)
        return value, update


def _fraction_at_thresholds(
    which: str,
    wrong: str,
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None,
    metrics_collections: CollectionNames | None,
    updates_collections: CollectionNames | None,
    name: str | None,
) -> Metric:
    with variable_scope(name, f"{which}_at_thresholds", [predictions, labels, weights]):
        sums, updates = counts_at_thresholds(labels, predictions, thresholds, weights, includes=["tp", wrong])

        def rate(counts: Mapping[str, Any], suffix: str) -> Tensor:
            return div(counts["tp"], 1e-7 + counts["tp"] + counts[wrong], name=f"{which}_{suffix}")

        value = of_all_replicas(metrics_collections, lambda: rate(sums, "value"))
        update = rate(updates, "update_op")
        collect(updates_collections, update)
        return value, update


@in_graphs_only
def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive predictions that are right, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float32 vectors.

    Example:
        >>> labels, scores = tf.constant([0, 1, 1, 1]), tf.constant([0.3, 0.6, 0.7, 0.8])
        >>> precision, update = tf.metrics.precision_at_thresholds(labels, scores, [0.25, 0.5])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        array([0.75, 1.  ], dtype=float32)
    """
    return _fraction_at_thresholds(
        "precision", "fp", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


@in_graphs_only
def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive labels that are predicted, at each threshold.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float32 vectors.

    Example:
        >>> labels, scores = tf.constant([0, 1, 1, 1, 1]), tf.constant([0.2, 0.3, 0.6, 0.7, 0.8])
        >>> recall, update = tf.metrics.recall_at_thresholds(labels, scores, [0.25, 0.65])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        array([1. , 0.5], dtype=float32)
    """
    return _fraction_at_thresholds(
        "recall", "fn", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )
