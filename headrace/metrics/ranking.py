"""Streaming metrics of the best k predictions: precision and recall.

Labels are class indices: an int64 tensor or SparseTensor of shape (..., number of labels), or without the last
dimension if there is one label each. `weights`, collections and `name` are those of every metric, see
`headrace.metrics.means`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.sparse.layout import sparse_retain
from headrace.functions.weights import assert_broadcastable
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.metrics.local_variables import collect, in_graphs_only, metric_variable, of_all_replicas
from headrace.ops.array.fill import fill
from headrace.ops.math.division import div
from headrace.ops.math.reduce import reduced_shape
from headrace.ops.nn.topk import top_k
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.ops.sparse.sets import set_difference, set_intersection, set_size
from headrace.state.updates import assign_add

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Tensor, Tensor]


def at_k(name: str, k: int | None = None, class_id: int | None = None) -> str:
    """What a metric of the best k, or of one class among them, is called in graphs."""
    for what, number in (("k", k), ("class_id", class_id)):
        if isinstance(number, str):
            raise TypeError(f"{name}: {what} must be a number, got {number!r}.")
    name = f"{name}_at_{'k' if k is None else int(k)}"
    return name if class_id is None else f"{name}_class{int(class_id)}"


def with_labels_axis(labels: Any, predictions: Any) -> Any:
    """`labels` with a last dimension of 1, where it has one dimension less than the predictions."""
    with name_scope(None, "expand_labels", [labels, predictions]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            shorter = raw.Equal(composing.rank(predictions), composing.size(labels.dense_shape) + 1)

            def longer() -> SparseTensor:
                return sparse_reshape(labels, shape=composing.concat([labels.dense_shape, [1]], 0), name=scope)

            return cond(shorter, longer, lambda: labels)
        if labels.dims is not None and predictions.get_shape().ndims is not None:
            missing = predictions.get_shape().ndims - len(labels.dims)
            if missing == 0:
                return labels
            if missing == 1:
                return composing.expand_dims(labels, -1, name=scope)
            raise ValueError(
                f"Unexpected labels shape {labels.get_shape()} for predictions shape {predictions.get_shape()}."
            )
        shorter = raw.Equal(composing.rank(predictions), composing.rank(labels) + 1)
        return cond(shorter, lambda: composing.expand_dims(labels, -1, name=scope), lambda: labels)


def _only_class(ids: TensorLike | SparseTensor, class_id: int) -> SparseTensor:
    """The indices in the last dimension that are `class_id`."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, raw.Equal(ids.values, class_id))
    shape = shape_internal(ids, out_type="int64")
    last = composing.size(shape) - 1
    class_ids = fill(reduced_shape(shape, raw.Reshape(last, [1])), composing.cast(class_id, "int64"))
    found = set_intersection(class_ids, ids)
    return SparseTensor(indices=found.indices, values=found.values, dense_shape=shape)


def found_labels(predictions: Tensor, labels: TensorLike) -> SparseTensor:
    """The labels that are among the predictions."""
    return set_intersection(predictions, labels)


def _missed(predictions: SparseTensor | Tensor, labels: SparseTensor | Tensor) -> SparseTensor:
    return set_difference(predictions, labels, aminusb=False)


def _wrong(predictions: SparseTensor | Tensor, labels: SparseTensor | Tensor) -> SparseTensor:
    return set_difference(predictions, labels, aminusb=True)


def set_sizes(
    chosen: Callable[[Any, Any], SparseTensor],
    default_name: str,
    labels: Any,
    predictions: Any,
    class_id: int | None,
    weights: Any,
    name: str | None = None,
) -> Tensor:
    """For each example how many indices `chosen` leaves of predictions and labels, weighted; float64."""
    with name_scope(name, default_name, [predictions, labels, weights]):
        if class_id is not None:
            labels, predictions = _only_class(labels, class_id), _only_class(predictions, class_id)
        number = composing.cast(set_size(chosen(predictions, labels)), "float64")
        if weights is not None:
            with control_dependencies([assert_broadcastable(weights, number)]):
                weights = composing.cast(weights, "float64")
                number = raw.Mul(number, weights)
        return number


def _summed(
    chosen: Callable[[Any, Any], SparseTensor],
    what: str,
    labels: TensorLike | SparseTensor,
    predictions: Tensor,
    k: int | None,
    class_id: int | None,
    weights: Tensor | Sequence[float] | None,
) -> tuple[Any, Tensor]:
    """A variable with the sum of `set_sizes` of all batches, and its update."""
    with name_scope(None, at_k(what, k, class_id), [predictions, labels, weights]) as scope:
        number = set_sizes(chosen, f"{what}s", labels, predictions, class_id, weights)
        batch = composing.cast(reduce_sum(number), "float64")
        variable = metric_variable([], "float64", name=scope)
        return variable, assign_add(variable, batch, name="update")


def _rate_at_top_k(
    metric: str,
    other: Callable[[Any, Any], SparseTensor],
    other_name: str,
    labels: TensorLike | SparseTensor,
    predictions_idx: TensorLike,
    k: int | None,
    class_id: int | None,
    weights: Tensor | Sequence[float] | None,
    metrics_collections: CollectionNames | None,
    updates_collections: CollectionNames | None,
    name: str | None,
) -> Metric:
    with name_scope(name, at_k(metric, k, class_id), [predictions_idx, labels, weights]) as scope:
        labels = with_labels_axis(labels, predictions_idx)
        best = composing.cast(predictions_idx, "int64")
        right, update_right = _summed(found_labels, "true_positive", labels, best, k, class_id, weights)
        rest, update_rest = _summed(other, other_name, labels, best, k, class_id, weights)
        value = of_all_replicas(metrics_collections, lambda: div(right, raw.Add(right, rest), name=scope))
        update = div(update_right, raw.Add(update_right, update_rest), name="update")
        collect(updates_collections, update)
        return value, update


@in_graphs_only
def recall_at_top_k(
    labels: TensorLike | SparseTensor,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: Tensor | Sequence[float] | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of labels that are among the best predictions.

    Args:
        labels: class indices.
        predictions_idx: indices of the best predictions, of shape (..., k).
        k: their number, for names only.
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float64 scalars; NaN before there are labels.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> labels, scores = np.array([[2], [0]]), [[0.1, 0.7, 0.2], [0.1, 0.6, 0.3]]
        >>> recall, update = tf.metrics.recall_at_top_k(labels, tf.nn.top_k(scores, 2)[1])
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.5
    """
    return _rate_at_top_k(
        "recall", _missed, "false_negative", labels, predictions_idx, k, class_id, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


@in_graphs_only
def recall_at_k(
    labels: TensorLike | SparseTensor,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: Tensor | Sequence[float] | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of labels that are among the `k` classes of the greatest scores.

    Args:
        labels: class indices.
        predictions: scores, a tensor of shape (..., classes).
        k: how many classes are looked at.
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (recall, update operation), float64 scalars; NaN before there are labels.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> labels, scores = np.array([[2], [0]]), [[0.1, 0.7, 0.2], [0.1, 0.6, 0.3]]
        >>> recall, update = tf.metrics.recall_at_k(labels, scores, 2)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.5
    """
    with name_scope(name, at_k("recall", k, class_id), [predictions, labels, weights]) as scope:
        best = top_k(predictions, k)[1]
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@in_graphs_only
def precision_at_top_k(
    labels: TensorLike | SparseTensor,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of the best predictions that are labels.

    Args:
        labels: class indices.
        predictions_idx: indices of the best predictions, of shape (..., k).
        k: their number, for names only.
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float64 scalars; NaN before there are predictions.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> labels, scores = np.array([[2], [0]]), [[0.1, 0.7, 0.2], [0.1, 0.6, 0.3]]
        >>> precision, update = tf.metrics.precision_at_top_k(labels, tf.nn.top_k(scores, 2)[1], k=2)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    return _rate_at_top_k(
        "precision", _wrong, "false_positive", labels, predictions_idx, k, class_id, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


@in_graphs_only
def precision_at_k(
    labels: TensorLike | SparseTensor,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of the `k` classes of the greatest scores that are labels.

    Args:
        labels: class indices.
        predictions: scores, a tensor of shape (..., classes).
        k: how many classes are looked at.
        class_id: count this class alone.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float64 scalars; NaN before there are predictions.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> labels, scores = np.array([[2], [0]]), [[0.1, 0.7, 0.2], [0.1, 0.6, 0.3]]
        >>> precision, update = tf.metrics.precision_at_k(labels, scores, 2)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    with name_scope(name, at_k("precision", k, class_id), [predictions, labels, weights]) as scope:
        best = top_k(predictions, k)[1]
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@in_graphs_only
def sparse_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The older spelling of `precision_at_k`."""
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)
