"""Streaming rates of wrong decisions, counts at thresholds, points of curves, and one rate at another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_greater_equal, assert_less_equal, assert_type
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels import composing
from headrace.metrics.counts import (
    _as_bool,
    _fraction,
    false_negatives,
    false_positives,
    true_negatives,
    true_positives,
)
from headrace.metrics.curves import _AREA_EPSILON, _RATE_EPSILON
from headrace.metrics.local_variables import aligned, collect, metric_variable, of_all_replicas
from headrace.metrics.thresholds import counts_at_thresholds, spaced_thresholds
from headrace.ops.array.range import lin_space
from headrace.ops.flow.grouping import group
from headrace.ops.math.argmax import argmax, argmin
from headrace.ops.math.division import div
from headrace.ops.math.scan import cumsum
from headrace.state.updates import scatter_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Any, Any]
Counts = dict[str, Any]


def _wrong_rate(
    scope: str,
    wrong: Callable[..., Metric],
    right: Callable[..., Metric],
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, scope, [predictions, labels, weights]):
        predictions, labels, weights = _as_bool(predictions, labels, weights)
        bad, update_bad = wrong(labels, predictions, weights)
        good, update_good = right(labels, predictions, weights)
        rate = of_all_replicas(metrics_collections, lambda: _fraction(bad, good, "value"))
        update = _fraction(update_bad, update_good, "update_op")
        collect(updates_collections, update)
        return rate, update


def streaming_false_positive_rate(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of negative labels that are predicted positive.

    Args:
        predictions, labels: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (rate, update operation), float32 scalars.
    """
    return _wrong_rate(
        "false_positive_rate", false_positives, true_negatives, predictions, labels, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


def streaming_false_negative_rate(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive labels that are predicted negative.

    Args:
        predictions, labels: tensors of one shape, cast to bool.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (rate, update operation), float32 scalars.
    """
    return _wrong_rate(
        "false_negative_rate", false_negatives, true_positives, predictions, labels, weights, metrics_collections,
        updates_collections, name,
    )  # fmt: skip


def _count_at_thresholds(
    short: str, predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float], weights: TensorLike | None
) -> Metric:
    sums, updates = counts_at_thresholds(labels, predictions, thresholds, weights, [short], check=False)
    return sums[short], updates[short]


def streaming_true_positives_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None
) -> Metric:
    """The number of positive labels predicted above each threshold: (variable, update operation)."""
    return _count_at_thresholds("tp", predictions, labels, thresholds, weights)


def streaming_false_negatives_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None
) -> Metric:
    """The number of positive labels not predicted above each threshold: (variable, update operation)."""
    return _count_at_thresholds("fn", predictions, labels, thresholds, weights)


def streaming_false_positives_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None
) -> Metric:
    """The number of negative labels predicted above each threshold: (variable, update operation)."""
    return _count_at_thresholds("fp", predictions, labels, thresholds, weights)


def streaming_true_negatives_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float], weights: TensorLike | None = None
) -> Metric:
    """The number of negative labels not predicted above each threshold: (variable, update operation)."""
    return _count_at_thresholds("tn", predictions, labels, thresholds, weights)


def _by_thresholds(
    value_of: Callable[[Counts, str], Tensor],
    scope: str,
    thresholds: Sequence[float],
    includes: Sequence[str] | None,
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
    check: bool = False,
    suffixes: tuple[str, str] = ("value", "update_op"),
) -> Metric:
    with variable_scope(name, scope, [predictions, labels, weights]):
        sums, updates = counts_at_thresholds(labels, predictions, thresholds, weights, includes, check)
        value = of_all_replicas(metrics_collections, lambda: value_of(sums, suffixes[0]))
        update = value_of(updates, suffixes[1])
        collect(updates_collections, update)
        return value, update


def streaming_false_positive_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of negative labels that are predicted positive, at each threshold.

    Args:
        predictions: numbers.
        labels: tensor of that shape, cast to bool.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (rates, update operation), float32 vectors.
    """

    def rate(counts: Counts, suffix: str) -> Tensor:
        return div(counts["fp"], _RATE_EPSILON + counts["fp"] + counts["tn"], name=f"fpr_{suffix}")

    return _by_thresholds(
        rate, "false_positive_rate_at_thresholds", thresholds, ("fp", "tn"), predictions, labels, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


def streaming_false_negative_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive labels that are predicted negative, at each threshold.

    Args:
        predictions: numbers.
        labels: tensor of that shape, cast to bool.
        thresholds: Python numbers.
        weights, metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (rates, update operation), float32 vectors.
    """

    def rate(counts: Counts, suffix: str) -> Tensor:
        return div(counts["fn"], _RATE_EPSILON + counts["fn"] + counts["tp"], name=f"fnr_{suffix}")

    return _by_thresholds(
        rate, "false_negative_rate_at_thresholds", thresholds, ("fn", "tp"), predictions, labels, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


def streaming_curve_points(
    labels: TensorLike | None = None,
    predictions: TensorLike | None = None,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    curve: str = "ROC",
    name: str | None = None,
) -> tuple[Tensor, Operation]:
    """Points of a ROC or PR curve.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers of that shape.
        weights: as for every metric.
        num_thresholds: how many points.
        metrics_collections, updates_collections: as for every metric.
        curve: "ROC" or "PR".
        name: as for every metric.

    Returns:
        (points, update operation); points of shape (num_thresholds, 2).

    Raises:
        ValueError: for another curve.
    """
    with variable_scope(name, "curve_points", [labels, predictions, weights]):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        limits = spaced_thresholds(num_thresholds)
        sums, updates = counts_at_thresholds(labels, predictions, limits, weights, check=False)
        right = sums["tp"] + _AREA_EPSILON
        recall = div(right, sums["tp"] + sums["fn"] + _AREA_EPSILON)
        if curve == "ROC":
            points = [div(sums["fp"], sums["fp"] + sums["tn"] + _AREA_EPSILON), recall]
        else:
            right = sums["tp"] + _AREA_EPSILON
            points = [recall, div(right, sums["tp"] + sums["fp"] + _AREA_EPSILON)]
        value = composing.stack(points, axis=1)
        update = group(*updates.values())
        collect(metrics_collections, value)
        collect(updates_collections, update)
        return value, update


def recall_at_precision(
    labels: TensorLike,
    predictions: TensorLike,
    precision: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Metric:
    """The recall at the threshold whose precision is nearest to a given one.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers of that shape.
        precision: from 0 to 1.
        weights: as for every metric.
        num_thresholds: how many thresholds are tried.
        metrics_collections, updates_collections, name: as for every metric.
        strict_mode: only thresholds of at least that precision, 0 if there are none.

    Returns:
        (recall, update operation), float32 scalars.

    Raises:
        ValueError: for another precision.
    """
    if not 0 <= precision <= 1:
        raise ValueError("`precision` must be in the range [0, 1].")

    def value(counts: Counts, suffix: str) -> Tensor:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        precisions = div(tp, tp + fp + _RATE_EPSILON)

        def recall_at(place: Tensor) -> Tensor:
            right = tp[place]
            return div(right, tp[place] + fn[place] + _RATE_EPSILON, suffix)

        if not strict_mode:
            return recall_at(argmin(raw.Abs(precisions - precision), 0, output_type="int32"))
        # The greatest reciprocal belongs to the least difference that is not negative.
        place = argmax(div(1.0, precisions - precision + _RATE_EPSILON), 0, output_type="int32")
        return cond(precisions[place] >= precision, lambda: recall_at(place), lambda: convert_to_tensor(0.0))

    return _by_thresholds(
        value, "recall_at_precision", spaced_thresholds(num_thresholds), None, predictions, labels, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


def precision_at_recall(
    labels: TensorLike,
    predictions: TensorLike,
    target_recall: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The precision at the greatest threshold whose recall is at least a given one.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers of that shape.
        target_recall: from 0 to 1.
        weights: as for every metric.
        num_thresholds: how many thresholds are tried.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (precision, update operation), float32 scalars.

    Raises:
        ValueError: for another recall.
    """
    if target_recall < 0 or target_recall > 1:
        raise ValueError("`target_recall` must be in the range [0, 1].")

    def value(counts: Counts, suffix: str) -> Tensor:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        recalls = div(tp, tp + fn + _RATE_EPSILON)
        enough = composing.cast(raw.GreaterEqual(recalls, target_recall), "int64")
        place = reduce_sum(enough) - 1
        right = tp[place] + _RATE_EPSILON
        return div(right, tp[place] + fp[place] + _RATE_EPSILON, suffix)

    return _by_thresholds(
        value, "precision_at_recall", spaced_thresholds(num_thresholds), None, predictions, labels, weights,
        metrics_collections, updates_collections, name,
    )  # fmt: skip


def f1_score(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    name: str | None = None,
) -> Metric:
    """The greatest harmonic mean of precision and recall over thresholds.

    C. van Rijsbergen, "Information retrieval" (1979), chapter 7.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        weights: as for every metric.
        num_thresholds: how many thresholds are tried.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (score, update operation), float32 scalars.
    """

    def best(counts: Counts, suffix: str) -> Tensor:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        precision = div(tp, _RATE_EPSILON + tp + fp, name=f"precision_{suffix}")
        recall = div(tp, _RATE_EPSILON + tp + fn, name=f"recall_{suffix}")
        return reduce_max(2.0 * precision * recall / (precision + recall + _RATE_EPSILON))

    with variable_scope(name, "f1", [labels, predictions, weights]):
        predictions, labels, weights = aligned(predictions, labels, weights)
        limits = spaced_thresholds(num_thresholds)
        sums, updates = counts_at_thresholds(labels, predictions, limits, weights, ("tp", "fp", "fn"))
        value = of_all_replicas(metrics_collections, lambda: best(sums, "value"))
        update = best(updates, "update")
        collect(updates_collections, update)
        return value, update


class PrecisionRecallData(NamedTuple):
    """Counts, precision and recall at thresholds evenly from 0 to 1."""

    tp: Tensor
    fp: Tensor
    tn: Tensor
    fn: Tensor
    precision: Tensor
    recall: Tensor
    thresholds: Tensor


def precision_recall_at_equal_thresholds(
    labels: Tensor,
    predictions: Tensor,
    weights: TensorLike | None = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> tuple[PrecisionRecallData, Operation]:
    """Counts, precision and recall at evenly spaced thresholds, by one pass over the predictions.

    Args:
        labels: bool tensor.
        predictions: numbers from 0 to 1 of that shape.
        weights: what each prediction counts, 1 by default.
        num_thresholds: how many thresholds, 201 by default.
        use_locking: whether the counts are added under a lock, true by default.
        name: the name of the scope of the variables.

    Returns:
        (PrecisionRecallData of vectors of the type of `predictions`, update operation).

    Raises:
        TypeError: if labels are not bool.
        InvalidArgumentError: when run, if a prediction is not from 0 to 1.
    """
    number = 201 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    locking = True if use_locking is None else use_locking
    assert_type(labels, "bool")
    with variable_scope(name, "precision_recall_at_equal_thresholds", [labels, predictions, weights]):
        message = "predictions must be in [0, 1]"
        checks = [
            assert_greater_equal(predictions, composing.cast(0.0, predictions.dtype), message=message),
            assert_less_equal(predictions, composing.cast(1.0, predictions.dtype), message=message),
        ]
        with control_dependencies(checks):
            predictions, labels, weights = aligned(predictions, labels, weights)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        positive = composing.cast(labels, "float64")
        weights = composing.cast(weights, "float64")
        positive_weights = positive * weights
        negative_weights = (1.0 - positive) * weights
        predictions = raw.Reshape(predictions, [-1])
        positive_weights = raw.Reshape(positive_weights, [-1])
        negative_weights = raw.Reshape(negative_weights, [-1])
        buckets = composing.cast(raw.Floor(predictions * (number - 1)), "int32")
        with name_scope("variables"):
            tp_buckets = metric_variable([number], "float64", name="tp_buckets")
            fp_buckets = metric_variable([number], "float64", name="fp_buckets")
        with name_scope("update_op"):
            update_tp = scatter_add(tp_buckets, buckets, positive_weights, use_locking=locking)
            update_fp = scatter_add(fp_buckets, buckets, negative_weights, use_locking=locking)
        tp = cumsum(tp_buckets, reverse=True, name="tp")
        fp = cumsum(fp_buckets, reverse=True, name="fp")
        tn, fn = fp[0] - fp, tp[0] - tp
        least = convert_to_tensor(1e-7, dtype="float64")
        precision = tp / raw.Maximum(least, tp + fp)
        recall = tp / raw.Maximum(least, tp + fn)
        values = [composing.cast(value, predictions.dtype) for value in (tp, fp, tn, fn, precision, recall)]
        values.append(composing.cast(lin_space(0.0, 1.0, number), predictions.dtype))
        result = PrecisionRecallData(*values)
        return result, group(update_tp, update_fp)
