"""Streaming average precision of the best k predictions.

Labels, weights, collections and names are as in `metrics.ranking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.functions.sparse.join import sparse_concat
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.metrics.local_variables import collect, in_graphs_only, metric_variable, of_all_replicas
from headrace.metrics.ranking import Metric, at_k, found_labels, set_sizes, with_labels_axis
from headrace.ops.array.where import where_v2
from headrace.ops.math.division import div, div_no_nan
from headrace.ops.math.scan import cumsum
from headrace.ops.nn.topk import top_k
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.ops.sparse.sets import set_size
from headrace.state.updates import assign_add

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def expand_and_tile(tensor: Any, multiple: int, dim: int = 0, name: str | None = None) -> Any:
    """A tensor or SparseTensor repeated along a new dimension.

    Args:
        tensor: tensor or SparseTensor.
        multiple: how often, at least 1.
        dim: where the new dimension goes; from the end if negative.
        name: a name scope.

    Returns:
        a tensor or SparseTensor with one more dimension.

    Raises:
        ValueError: for a multiple below 1.
    """
    if multiple < 1:
        raise ValueError(f"Invalid multiple {multiple}, must be > 0.")
    with name_scope(name, "expand_and_tile", [tensor, multiple, dim]) as scope:
        tensor = convert_to_tensor_or_sparse_tensor(tensor)
        if isinstance(tensor, SparseTensor):
            sizes = tensor.dense_shape
            place: Any = raw.Reshape(composing.size(sizes) + dim, [1]) if dim < 0 else [dim]
            parts = [raw.Slice(sizes, [0], place), [1], raw.Slice(sizes, place, [-1])]
            shape = composing.concat(parts, 0, name="expanded_shape")
            longer = sparse_reshape(tensor, shape=shape, name="expand")
            if multiple == 1:
                return longer
            return sparse_concat(dim - 1 if dim < 0 else dim, [longer] * multiple, name=scope)
        expanded = composing.expand_dims(tensor, dim if dim >= 0 else dim - 1, name="expand")
        if multiple == 1:
            return expanded
        ones = composing.ones_like(composing.shape(tensor))
        times = composing.concat([ones[:dim], [multiple], ones[dim:]], 0, name="multiples")
        return raw.Tile(expanded, times, name=scope)


def _relevant(labels: Tensor, k: int) -> Tensor:
    """How many labels there are, at most `k`; negative ones stand for none."""
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with name_scope(None, "num_relevant", [labels]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return raw.Minimum(set_size(labels), k, name=scope)
        there = where_v2(labels >= 0, composing.ones_like(labels), composing.zeros_like(labels))
        return raw.Minimum(reduce_sum(there, axis=-1), k, name=scope)


def sparse_average_precision_at_top_k(labels: Tensor, predictions_idx: Any) -> Tensor:
    """For each example the mean of the precisions at the places of its labels among the best predictions.

    Manning, Raghavan and Schütze, "Introduction to information retrieval" (2008), section 8.4.

    Args:
        labels: class indices.
        predictions_idx: indices of the best predictions, best first, of shape (..., k), k known.

    Returns:
        a float64 tensor of shape (...).

    Raises:
        ValueError: if k is not known, or `predictions_idx` is a scalar.
    """
    with name_scope(None, "average_precision", [predictions_idx, labels]) as scope:
        predictions_idx = composing.cast(predictions_idx, "int64", name="predictions_idx")
        if predictions_idx.dims == ():
            raise ValueError("The rank of predictions_idx must be at least 1.")
        k = None if predictions_idx.dims is None else predictions_idx.dims[-1]
        if predictions_idx.dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        if k is None:
            raise ValueError("The last dimension of predictions_idx must be set.")
        labels = with_labels_axis(labels, predictions_idx)
        each = composing.expand_dims(predictions_idx, -1, name="predictions_idx_per_k")
        labels_for_each = expand_and_tile(labels, multiple=k, dim=-1, name="labels_per_k")
        relevant = set_sizes(found_labels, "true_positives", labels_for_each, each, None, None, name="relevant_per_k")
        right = cumsum(relevant, axis=-1, name="tp_per_k")
        seen = cumsum(composing.ones_like(relevant), axis=-1, name="retrieved_per_k")
        precisions = div(composing.cast(right, "float64"), composing.cast(seen, "float64"), name="precision_per_k")
        counted = raw.Mul(precisions, composing.cast(relevant, "float64"), name="relevant_precision_per_k")
        total = reduce_sum(counted, axis=(-1,), name="precision_sum")
        return div(total, composing.cast(_relevant(labels, k), "float64"), name=scope)


def streaming_average_precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of `sparse_average_precision_at_top_k` over all examples so far.

    Args:
        labels, predictions_idx: as there.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation), float64 scalars.

    Raises:
        ValueError: if shapes do not fit.
    """
    with name_scope(name, "average_precision_at_top_k", [predictions_idx, labels, weights]) as scope:
        precisions = sparse_average_precision_at_top_k(predictions_idx=predictions_idx, labels=labels)
        if weights is not None:
            weights = broadcast_weights(composing.cast(weights, "float64"), precisions)
            precisions = raw.Mul(precisions, weights)
        with name_scope(None, "max", [precisions]) as max_scope:
            most = metric_variable([], "float64", name=max_scope)
            if weights is None:
                batch_most = composing.cast(composing.size(precisions, name="batch_max"), "float64")
            else:
                batch_most = reduce_sum(weights, name="batch_max")
            update_most = assign_add(most, batch_most, name="update")
        with name_scope(None, "total", [precisions]) as total_scope:
            total = metric_variable([], "float64", name=total_scope)
            update_total = assign_add(total, reduce_sum(precisions, name="batch_total"), name="update")
        value = of_all_replicas(metrics_collections, lambda: div_no_nan(total, most, name="mean"))
        update = div_no_nan(update_total, update_most, name=scope)
        collect(updates_collections, update)
        return value, update


def _known_classes(labels: Any, number: Tensor) -> Any:
    """`labels` with -1 instead of indices that are not less than `number`."""
    sparse = isinstance(labels, (SparseTensor, SparseTensorValue))

    def cleaned(values: Any) -> Tensor:
        return where_v2(raw.GreaterEqual(values, number), -1 * composing.ones_like(values), values)

    def all_cleaned() -> Any:
        if sparse:
            return type(labels)(indices=labels.indices, values=cleaned(labels.values), dense_shape=labels.dense_shape)
        return cleaned(labels)

    greatest = reduce_max(labels.values if sparse else labels)
    return cond(raw.GreaterEqual(greatest, number), all_cleaned, lambda: labels)


@in_graphs_only
def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over examples of the precision at the places of the labels among the `k` greatest scores.

    Args:
        labels: class indices; those that are no class are never found.
        predictions: scores, a tensor of shape (..., classes).
        k: how many classes are looked at.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (mean, update operation), float64 scalars.

    Raises:
        ValueError: for k below 1, or if shapes do not fit.

    Example:
        >>> labels, scores = np.array([[2], [0]]), [[0.1, 0.7, 0.2], [0.1, 0.6, 0.3]]
        >>> precision, update = tf.metrics.average_precision_at_k(labels, scores, 2)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.25
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with name_scope(name, at_k("average_precision", k), [predictions, labels, weights]) as scope:
        predictions = convert_to_tensor(predictions) if not isinstance(predictions, Tensor) else predictions
        best = top_k(predictions, k)[1]
        labels = _known_classes(labels, composing.cast(composing.shape(predictions)[-1], "int64"))
        return streaming_average_precision_at_top_k(
            labels, best, weights, metrics_collections, updates_collections, name=scope
        )


@in_graphs_only
def sparse_average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The older spelling of `average_precision_at_k`."""
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
