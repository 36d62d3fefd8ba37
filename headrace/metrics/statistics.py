"""Streaming statistics: counts, covariance and correlation, agreement; and maps of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.confusion import confusion_matrix
from headrace.functions.math.matrices import diag_part
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.metrics.local_variables import aligned, collect, metric_variable, of_all_replicas
from headrace.ops.math.division import div, div_no_nan, truediv
from headrace.state.updates import assign_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.variables import Variable


Metric = tuple[Any, Any]


def accuracy(predictions: Tensor, labels: Tensor, weights: TensorLike | None = None, name: str | None = None) -> Tensor:
    """How often predictions equal labels in one batch.

    Args:
        predictions, labels: bool, integer or string tensors of one shape and type.
        weights: what each counts, a scalar or a tensor of that shape.
        name: a name scope.

    Returns:
        a float32 scalar.

    Raises:
        ValueError: for other types, or different ones.
    """
    if not (labels.dtype.is_integer or labels.dtype.base_dtype.name in ("bool", "string")):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            "Dtypes of predictions and labels should match. Given: predictions "
            f"({predictions.dtype!r}) and labels ({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        right = composing.cast(raw.Equal(predictions, labels), "float32")
        if weights is None:
            return reduce_mean(right)
        right = raw.Mul(right, weights)
        number = raw.Mul(weights, composing.ones_like(right))
        return div(reduce_sum(right), reduce_sum(number))


def count(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The number of values so far, or the sum of their weights.

    Args:
        values: tensor.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (number, update operation), float32 scalars.
    """
    with variable_scope(name, "count", [values, weights]):
        number = metric_variable([], "float32", name="count")
        if weights is None:
            more = composing.cast(composing.size(values), "float32")
        else:
            values = composing.cast(values, "float32")
            values, _, weights = aligned(values, None, weights)
            more = reduce_sum(broadcast_weights(composing.cast(weights, "float32"), values))
        with control_dependencies([values]):
            update = convert_to_tensor(assign_add(number, more))
        value = of_all_replicas(metrics_collections, lambda: raw.Identity(number))
        collect(updates_collections, update)
        return value, update


def streaming_covariance(
    predictions: Tensor,
    labels: Tensor,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The covariance of predictions and labels, by Chan's update of a comoment.

    Args:
        predictions, labels: float32 tensors of one shape.
        weights: how often each pair counts.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (covariance, update operation), float32 scalars; NaN for less than two pairs.

    Raises:
        ValueError: if shapes do not fit.
    """
    with variable_scope(name, "covariance", [predictions, labels, weights]):
        predictions, labels, weights = aligned(predictions, labels, weights)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        number = metric_variable([], "float32", name="count")
        mean_prediction = metric_variable([], "float32", name="mean_prediction")
        mean_label = metric_variable([], "float32", name="mean_label")
        comoment = metric_variable([], "float32", name="comoment")
        weighed_predictions, weighed_labels = predictions, labels
        if weights is None:
            batch_number = composing.cast(composing.size(labels), "float32")
        else:
            weights = broadcast_weights(weights, labels)
            batch_number = reduce_sum(weights)
            weighed_predictions, weighed_labels = raw.Mul(predictions, weights), raw.Mul(labels, weights)
        new_number = assign_add(number, batch_number)
        old_number = new_number - batch_number

        def moved(mean: Variable, weighed: Tensor) -> tuple[Tensor, Tensor]:
            """The mean of the batch, and the mean of all batches before; the variable has the new mean."""
            batch_mean = div_no_nan(reduce_sum(weighed), batch_number)
            change = div_no_nan((batch_mean - mean) * batch_number, new_number)
            return batch_mean, assign_add(mean, change) - change

        batch_prediction, old_prediction = moved(mean_prediction, weighed_predictions)
        batch_label, old_label = moved(mean_label, weighed_labels)
        products = (predictions - batch_prediction) * (labels - batch_label)
        batch_comoment = reduce_sum(products if weights is None else products * weights)
        # Two sets made one: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
        # variances", 1979.
        between = (old_prediction - batch_prediction) * (old_label - batch_label)
        change = batch_comoment + between * (old_number * batch_number / new_number)
        update_comoment = assign_add(comoment, change)

        def covariance(result: str) -> Tensor:
            few = raw.LessEqual(number, 1.0)
            return raw.Select(few, float("nan"), truediv(comoment, number - 1), name=result)

        value = of_all_replicas(metrics_collections, lambda: covariance("covariance"))
        with control_dependencies([update_comoment]):
            update = covariance("update_op")
    collect(updates_collections, update)
    return value, update


def streaming_pearson_correlation(
    predictions: Tensor,
    labels: Tensor,
    weights: TensorLike | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """Pearson's correlation of predictions and labels: their covariance over the product of their deviations.

    Args:
        predictions, labels: float32 tensors of one shape.
        weights: how often each pair counts.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (correlation, update operation), float32 scalars.

    Raises:
        ValueError: if shapes do not fit.
    """
    with variable_scope(name, "pearson_r", [predictions, labels, weights]):
        predictions, labels, weights = aligned(predictions, labels, weights)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        if weights is not None:
            weights = broadcast_weights(weights, labels)
        both, update_both = streaming_covariance(predictions, labels, weights, name="covariance")
        first, update_first = streaming_covariance(predictions, predictions, weights, name="variance_predictions")
        second, update_second = streaming_covariance(labels, labels, weights, name="variance_labels")
        value = truediv(both, raw.Mul(raw.Sqrt(first), raw.Sqrt(second)), name="pearson_r")
        stddev_product = raw.Mul(raw.Sqrt(update_first), raw.Sqrt(update_second))
        update = truediv(update_both, stddev_product, name="update_op")
    collect(metrics_collections, value)
    collect(updates_collections, update)
    return value, update


def cohen_kappa(
    labels: Tensor,
    predictions_idx: Tensor,
    num_classes: int,
    weights: Tensor | None = None,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """Cohen's kappa: how much more labels and predictions agree than they would by chance.

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960).

    Args:
        labels, predictions_idx: class indices, vectors (or with a last dimension of 1).
        num_classes: how many classes, at least 2.
        weights: what each prediction counts.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (kappa, update operation), float64 scalars.

    Raises:
        ValueError: for fewer classes, or if shapes do not fit.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with variable_scope(name, "cohen_kappa", [labels, predictions_idx, weights]):
        labels.get_shape().with_rank_at_most(2)
        if labels.get_shape().ndims == 2:
            labels = composing.squeeze(labels, [-1])
        predictions_idx, labels, weights = aligned(predictions_idx, labels, weights)
        predictions_idx.get_shape().assert_is_compatible_with(labels.get_shape())
        dtype = "int64" if weights is None or weights.dtype.is_integer else "float32"
        sums = [metric_variable((num_classes,), dtype, name=part) for part in ("po", "pe_row", "pe_col")]
        table = confusion_matrix(labels, predictions_idx, num_classes, dtype, "counts_in_table", weights)
        batch = [diag_part(table), reduce_sum(table, axis=0), reduce_sum(table, axis=1)]
        updates = [assign_add(total, more) for total, more in zip(sums, batch, strict=True)]

        def kappa(counts: list[Any], result: str) -> Tensor:
            agreeing, rows, columns = counts
            agreement = reduce_sum(agreeing)
            total = reduce_sum(rows)
            product = composing.cast(rows * columns, "float64")
            chance = reduce_sum(div_no_nan(product, composing.cast(total, "float64")))
            agreement, total = composing.cast(agreement, "float64"), composing.cast(total, "float64")
            return div_no_nan(agreement - chance, total - chance, name=result)

        value, update = of_all_replicas(metrics_collections, lambda: kappa(sums, "value")), kappa(updates, "update_op")
        collect(updates_collections, update)
        return value, update


def aggregate_metrics(*value_update_tuples: Metric) -> tuple[list[Any], list[Any]]:
    """The values and the updates of several metrics, as two lists.

    Raises:
        ValueError: without metrics.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[str, Metric]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values and the updates of a dict of metrics, as two dicts.

    Example:
        >>> error = tf.metrics.mean_squared_error(labels=[1.0, 2.0], predictions=[2.0, 4.0])
        >>> values, updates = tf.contrib.metrics.aggregate_metric_map({"mse": error})
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(updates)
        {'mse': 2.5}
    """
    values, updates = zip(*names_to_tuples.values(), strict=True)
    return dict(zip(names_to_tuples, values, strict=True)), dict(zip(names_to_tuples, updates, strict=True))
