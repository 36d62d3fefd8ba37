"""Streaming metrics of curves over thresholds: the area under ROC and PR curves, and one rate at another.

`weights`, collections and `name` are those of every metric, see `headrace.metrics.means`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_min, reduce_sum
from headrace.kernels import composing
from headrace.metrics.local_variables import collect, in_graphs_only, of_all_replicas, ratio
from headrace.metrics.thresholds import counts_at_thresholds, spaced_thresholds
from headrace.ops.math.argmax import argmax, argmin
from headrace.ops.math.division import div
from headrace.ops.math.scan import cumsum
from headrace.state.variable_scope import variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


Metric = tuple[Tensor, Tensor]
Counts = dict[str, Any]

# A tenth of a millionth keeps rates finite; areas use a millionth.
_RATE_EPSILON = 1e-7
_AREA_EPSILON = 1e-6


def interpolated_area(counts: Counts, last: int) -> Tensor:
    """The area under a PR curve, where true positives are linear in positives between thresholds.

    Davis and Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006.
    """
    tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
    more_right = tp[:last] - tp[1:]
    positives = tp + fp
    slope = ratio(more_right, positives[:last] - positives[1:], "prec_slope")
    intercept = tp[1:] - raw.Mul(slope, positives[1:])
    both = raw.LogicalAnd(positives[:last] > 0, positives[1:] > 0)
    growth = ratio(positives[:last], positives[1:], "recall_relative_ratio")
    growth = raw.Select(both, growth, composing.ones_like(positives[1:]))
    gain = slope * (more_right + intercept * raw.Log(growth))
    return reduce_sum(ratio(gain, tp[1:] + fn[1:], "pr_auc_increment"), name="interpolate_pr_auc")


def _area(counts: Counts, curve: str, method: str, last: int, name: str) -> Tensor:
    if curve == "PR":
        if method == "trapezoidal":
            tf_logging.warning(
                "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
                '"careful_interpolation" instead.'
            )
        elif method == "careful_interpolation":
            return interpolated_area(counts, last)
    tp, fn, tn, fp = (counts[short] for short in ("tp", "fn", "tn", "fp"))
    recall = div(tp + _AREA_EPSILON, tp + fn + _AREA_EPSILON)
    if curve == "ROC":
        x, y = div(fp, fp + tn + _AREA_EPSILON), recall
    else:
        x, y = recall, div(tp + _AREA_EPSILON, tp + fp + _AREA_EPSILON)
    if method not in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
        raise ValueError(f"Invalid summation_method: {method}")
    width = x[:last] - x[1:]
    if method == "minoring":
        height = raw.Minimum(y[:last], y[1:])
    elif method == "majoring":
        height = raw.Maximum(y[:last], y[1:])
    else:
        height = (y[:last] + y[1:]) / 2.0
    return reduce_sum(raw.Mul(width, height), name=name)


@in_graphs_only
def auc(
    labels: TensorLike | Sequence[int],
    predictions: TensorLike | Sequence[float],
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: CollectionNames | None = None,
    updates_collections: CollectionNames | None = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """The area under a curve, approximated by its points at some thresholds.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        weights: as for every metric.
        num_thresholds: how many thresholds, evenly from 0 to 1.
        metrics_collections, updates_collections: as for every metric.
        curve: "ROC" or "PR".
        name: as for every metric.
        summation_method: "trapezoidal", "careful_interpolation" (recommended for PR), "minoring" or "majoring".
        thresholds: the thresholds between 0 and 1 instead.

    Returns:
        (area, update operation), float32 scalars.

    Raises:
        ValueError: for another curve or method, or if shapes do not fit.
        InvalidArgumentError: when run, if a prediction is not from 0 to 1.

    Example:
        >>> area, update = tf.metrics.auc(tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.4, 0.35, 0.8]))
        >>> sess.run(tf.local_variables_initializer())
        >>> round(float(sess.run(update)), 4)
        0.75
    """
    with variable_scope(name, "auc", [labels, predictions, weights]):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if thresholds is None:
            limits = spaced_thresholds(num_thresholds)
        else:
            limits = [0.0 - _RATE_EPSILON, *sorted(thresholds), 1.0 + _RATE_EPSILON]
        variables, updates = counts_at_thresholds(labels, predictions, limits, weights)
        last = len(limits) - 1
        value = of_all_replicas(metrics_collections, lambda: _area(variables, curve, summation_method, last, "value"))
        update = _area(updates, curve, summation_method, last, "update_op")
        collect(updates_collections, update)
        return value, update


def _rate_at(
    rate: Callable[[Counts, str], Tensor],
    scope: str,
    limits: list[float],
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, scope, [predictions, labels, weights]):
        variables, updates = counts_at_thresholds(labels, predictions, limits, weights)
        value = of_all_replicas(metrics_collections, lambda: rate(variables, "value"))
        update = rate(updates, "update_op")
        collect(updates_collections, update)
        return value, update


@in_graphs_only
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of positive labels that are predicted, where the specificity is nearest to a given one.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        specificity: the wanted fraction of negative labels that are predicted, from 0 to 1.
        weights: as for every metric.
        num_thresholds: how many thresholds are tried.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (sensitivity, update operation), float32 scalars.

    Raises:
        ValueError: for another specificity, or if shapes do not fit.

    Example:
        >>> labels, scores = tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.4, 0.35, 0.8])
        >>> sensitivity, update = tf.metrics.sensitivity_at_specificity(labels, scores, 0.5)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        1.0
    """
    if specificity < 0 or specificity > 1:
        raise ValueError("`specificity` must be in the range [0, 1].")

    def rate(counts: Counts, suffix: str) -> Tensor:
        specificities = div(counts["tn"], counts["tn"] + counts["fp"] + _RATE_EPSILON)
        place = composing.cast(argmin(raw.Abs(specificities - specificity), 0), "int32")
        right = counts["tp"][place]
        return div(right, counts["tp"][place] + counts["fn"][place] + _RATE_EPSILON, suffix)

    limits = spaced_thresholds(num_thresholds)
    scope = "sensitivity_at_specificity"
    return _rate_at(rate, scope, limits, labels, predictions, weights, metrics_collections, updates_collections, name)


@in_graphs_only
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Sequence[str] | None = None,
    updates_collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Metric:
    """The fraction of negative labels that are predicted, where the sensitivity is nearest to a given one.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape.
        sensitivity: the wanted fraction of positive labels that are predicted, from 0 to 1.
        weights: as for every metric.
        num_thresholds: how many thresholds are tried.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (specificity, update operation), float32 scalars.

    Raises:
        ValueError: for another sensitivity, or if shapes do not fit.

    Example:
        >>> labels, scores = tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.4, 0.35, 0.8])
        >>> specificity, update = tf.metrics.specificity_at_sensitivity(labels, scores, 1.0)
        >>> sess.run(tf.local_variables_initializer())
        >>> sess.run(update)
        0.5
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")

    def rate(counts: Counts, suffix: str) -> Tensor:
        sensitivities = div(counts["tp"], counts["tp"] + counts["fn"] + _RATE_EPSILON)
        least = reduce_min(raw.Abs(sensitivities - sensitivity))
        nearest = raw.Equal(raw.Abs(sensitivities - sensitivity), least)
        # The last of several nearest thresholds is where their running count is greatest first.
        place = composing.cast(argmax(cumsum(composing.cast(nearest, "int64")), 0), "int32")
        right = counts["tn"][place]
        return div(right, counts["tn"][place] + counts["fp"][place] + _RATE_EPSILON, suffix)

    # The last threshold is below 1 here, as it is in TensorFlow.
    limits = spaced_thresholds(num_thresholds, 1.0 - _RATE_EPSILON)
    scope = "specificity_at_sensitivity"
    return _rate_at(rate, scope, limits, labels, predictions, weights, metrics_collections, updates_collections, name)
