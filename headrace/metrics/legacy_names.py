"""The older names of the streaming metrics, whose first two arguments were predictions and labels in that order."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.kernels import composing
from headrace.metrics import average_precision, classes, counts, curves, means, ranking
from headrace.ops.nn.topk import in_top_k

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Any, Any]


def _predictions_first(metric: Callable[..., Metric], without: tuple[str, ...] = ()) -> Callable[..., Metric]:
    """`metric` with its first two parameters the other way round, and lacking those of `without`."""
    given = inspect.signature(metric)
    labels, predictions, *others = given.parameters.values()
    kept = [predictions, labels, *(p for p in others if p.name not in without)]
    signature = given.replace(parameters=kept)

    @functools.wraps(metric)
    def streaming(*args: Any, **kwargs: Any) -> Metric:
        return metric(**signature.bind(*args, **kwargs).arguments)

    # What signature() and the documentation show.
    streaming.__signature__ = signature  # type: ignore[attr-defined]  # functions take any attribute
    streaming.__name__ = f"streaming_{metric.__name__}"
    streaming.__qualname__ = streaming.__name__
    # Else what looks through wrappers would tell the other order.
    del streaming.__wrapped__  # type: ignore[attr-defined]  # wraps() has set it
    return streaming


streaming_accuracy = _predictions_first(means.accuracy)
streaming_mean_absolute_error = _predictions_first(means.mean_absolute_error)
streaming_mean_cosine_distance = _predictions_first(means.mean_cosine_distance)
streaming_mean_relative_error = _predictions_first(means.mean_relative_error)
streaming_mean_squared_error = _predictions_first(means.mean_squared_error)
streaming_root_mean_squared_error = _predictions_first(means.root_mean_squared_error)
streaming_true_positives = _predictions_first(counts.true_positives)
streaming_true_negatives = _predictions_first(counts.true_negatives)
streaming_false_positives = _predictions_first(counts.false_positives)
streaming_false_negatives = _predictions_first(counts.false_negatives)
streaming_precision = _predictions_first(counts.precision)
streaming_recall = _predictions_first(counts.recall)
streaming_precision_at_thresholds = _predictions_first(counts.precision_at_thresholds)
streaming_recall_at_thresholds = _predictions_first(counts.recall_at_thresholds)
streaming_auc = _predictions_first(curves.auc, without=("summation_method", "thresholds"))
streaming_sensitivity_at_specificity = _predictions_first(curves.sensitivity_at_specificity)
streaming_specificity_at_sensitivity = _predictions_first(curves.specificity_at_sensitivity)
streaming_mean_iou = _predictions_first(classes.mean_iou)
streaming_sparse_recall_at_k = _predictions_first(ranking.recall_at_k)
streaming_sparse_precision_at_k = _predictions_first(ranking.precision_at_k)
streaming_sparse_average_precision_at_k = _predictions_first(average_precision.average_precision_at_k)


def streaming_recall_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """How often the label is among the `k` classes of the greatest scores.

    Args:
        predictions: float32 scores of shape (batch, classes).
        labels: class indices, a vector.
        k: how many classes are looked at.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float32 scalars.

    Example:
        >>> recall, update = tf.contrib.metrics.streaming_recall_at_k(logits, labels, 5)
    """
    hits = composing.cast(in_top_k(predictions, labels, k), "float32")
    return means.mean(hits, weights, metrics_collections, updates_collections, name or f"recall_at_{int(k)}")


def streaming_sparse_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    class_id: int | None = None,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.precision_at_top_k` with predictions first.

    Args:
        top_k_predictions: indices of the best predictions, of shape (..., k).
        labels: class indices.
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float64 scalars.
    """
    default_name = ranking.at_k("precision", class_id=class_id)
    with name_scope(name, default_name, [top_k_predictions, labels, weights]) as scope:
        return ranking.precision_at_top_k(
            labels, top_k_predictions, None, class_id, weights, metrics_collections, updates_collections, scope
        )


def sparse_recall_at_top_k(
    labels: TensorLike,
    top_k_predictions: TensorLike,
    class_id: int | None = None,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """`tf.metrics.recall_at_top_k` without `k`.

    Args:
        labels: class indices.
        top_k_predictions: indices of the best predictions, of shape (..., k).
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float64 scalars.
    """
    default_name = ranking.at_k("recall", class_id=class_id)
    with name_scope(name, default_name, [top_k_predictions, labels, weights]) as scope:
        return ranking.recall_at_top_k(
            labels, top_k_predictions, None, class_id, weights, metrics_collections, updates_collections, scope
        )


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over examples of the precision at the places of the labels among the best predictions.

    Args:
        top_k_predictions: indices of the best predictions, best first, of shape (..., k).
        labels: class indices.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation), float64 scalars.
    """
    return average_precision.streaming_average_precision_at_top_k(
        labels, top_k_predictions, weights, metrics_collections, updates_collections, name
    )
