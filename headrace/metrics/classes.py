"""Streaming metrics of many classes: intersection over union and the mean of accuracies.

`weights`, collections and `name` are those of every metric, see `headrace.metrics.means`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.confusion import confusion_matrix
from headrace.functions.math.matrices import diag_part
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.kernels import composing
from headrace.metrics.local_variables import collect, in_graphs_only, metric_variable, of_all_replicas, ratio
from headrace.ops.math.division import div
from headrace.state.updates import assign_add, scatter_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Tensor, Tensor]


def _flat(tensor: Any) -> Tensor:
    return raw.Reshape(tensor, [-1]) if tensor.get_shape().ndims > 1 else tensor


def streaming_confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None
) -> tuple[Any, Tensor]:
    """A variable with a confusion matrix, and the operation that adds a batch to it.

    Args:
        labels, predictions: class indices, of one shape and known rank.
        num_classes: how many classes.
        weights: what each prediction counts, a tensor of that shape.

    Returns:
        (float64 variable of shape (num_classes, num_classes), update operation).
    """
    total = metric_variable([num_classes, num_classes], "float64", name="total_confusion_matrix")
    predictions, labels = composing.cast(predictions, "int64"), composing.cast(labels, "int64")
    classes = composing.cast(num_classes, "int64")
    predictions, labels = _flat(predictions), _flat(labels)
    weights = None if weights is None else _flat(weights)
    batch = confusion_matrix(labels, predictions, classes, weights=weights, dtype="float64")
    return total, assign_add(total, batch)


def _mean_overlap(total: Any) -> Tensor:
    """The mean over classes of what labels and predictions have in common over what either has."""
    predicted = composing.cast(reduce_sum(total, 0), "float32")
    labelled = composing.cast(reduce_sum(total, 1), "float32")
    hits = composing.cast(diag_part(total), "float32")
    union = predicted + labelled - hits
    occurring = reduce_sum(composing.cast(raw.NotEqual(union, 0), "float32"))
    union = raw.Select(raw.Greater(union, 0), union, composing.ones_like(union))
    overlap = div(hits, union)
    any_occurs = raw.Greater(occurring, 0)
    value: Tensor = raw.Select(any_occurs, reduce_sum(overlap, name="mean_iou") / occurring, 0)
    return value


@in_graphs_only
def mean_iou(
    labels: Tensor,
    predictions: Tensor,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of intersection over union (Jaccard's index): hits over labels and predictions together.

    Args:
        labels, predictions: class indices, tensors of one shape.
        num_classes: how many classes; those that never occur do not count.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation): a float32 scalar, and the confusion matrix so far.

    Raises:
        ValueError: if shapes do not fit.
        InvalidArgumentError: when run, for an index that is no class.

    Example:
        >>> iou, update = tf.metrics.mean_iou(labels, tf.argmax(logits, -1), num_classes=21)
    """
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total, update = streaming_confusion_matrix(labels, predictions, num_classes, weights)
        value = of_all_replicas(metrics_collections, lambda: _mean_overlap(total))
        collect(updates_collections, update)
        return value, update


@in_graphs_only
def mean_per_class_accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The mean over classes of the fraction of a class's labels that are predicted.

    Args:
        labels, predictions: class indices, tensors of one shape.
        num_classes: how many classes.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation): a float32 scalar, and the accuracies of the classes.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> labels, predictions = tf.constant([0, 0, 1]), tf.constant([0, 1, 1])
        >>> accuracy, update = tf.metrics.mean_per_class_accuracy(labels, predictions, num_classes=2)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        array([0.5, 1. ], dtype=float32)
        >>> sess.run(accuracy)
        0.75
    """
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
        labels = _flat(composing.cast(labels, "int64"))
        predictions = _flat(predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = metric_variable([num_classes], "float32", name="total")
        count = metric_variable([num_classes], "float32", name="count")
        ones = composing.ones([composing.size(labels)], "float32")
        if labels.dtype != predictions.dtype:
            predictions = composing.cast(predictions, labels.dtype)
        right = composing.cast(raw.Equal(predictions, labels), "float32")
        if weights is not None:
            weights = composing.cast(_flat(weights), "float32")
            right = right * weights
            ones = ones * weights
        update_total = scatter_add(total, labels, ones)
        update_count = scatter_add(count, labels, right)
        value = of_all_replicas(
            metrics_collections, lambda: reduce_mean(ratio(count, total, None), name="mean_accuracy")
        )
        update = ratio(update_count, update_total, "update_op")
        collect(updates_collections, update)
        return value, update
