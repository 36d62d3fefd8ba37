"""Streaming metrics of the heads that the estimators of 1.x use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.weights import broadcast_weights
from headrace.kernels.composing import squeeze
from headrace.metrics.counts import precision_at_thresholds, recall_at_thresholds
from headrace.metrics.curves import auc
from headrace.metrics.means import accuracy, mean
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import to_float

if TYPE_CHECKING:
    from collections.abc import Callable

Pair = tuple[Any, Any]


def _broadcast(weights: Any, values: Tensor) -> Any:
    return None if weights is None else broadcast_weights(weights, values)


def accuracy_baseline(labels_mean: Pair) -> Pair:
    """The accuracy of a model that always predicts the more frequent of two classes.

    Args:
        labels_mean: the metric of the labels' mean.
    """
    with name_scope(None, "accuracy_baseline", labels_mean):
        value, update = labels_mean
        return maximum(value, 1.0 - value, name="value"), maximum(update, 1.0 - update, name="update_op")


def mean_of(values: Tensor, weights: Any, name: str, what: str) -> Pair:
    """The mean of values whose weights are those of their examples.

    Args:
        values: tensor.
        weights: of the examples.
        name: of the metric.
        what: the name of the values as floats.
    """
    with name_scope(name, f"{what}_mean", (values, weights)) as scope:
        values = to_float(values, name=what)
        return mean(values, weights=_broadcast(weights, values), name=scope)


def area_under(labels: Tensor, predictions: Tensor, weights: Any, curve: str, name: str) -> Pair:
    """The area under a curve, "ROC" or "PR", by trapezoids."""
    with name_scope(name, "auc", (predictions, labels, weights)) as scope:
        predictions = to_float(predictions, name="predictions")
        return auc(
            labels=labels,
            predictions=predictions,
            weights=_broadcast(weights, predictions),
            curve=curve,
            name=scope,
        )


def accuracy_at(labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: str) -> Pair:
    """The accuracy of predictions that are 1 from a threshold on."""
    with name_scope(name, f"accuracy_at_{threshold}", (predictions, labels, weights, threshold)) as scope:
        above = to_float(raw.GreaterEqual(predictions, threshold))
        return accuracy(labels=labels, predictions=above, weights=weights, name=scope)


def _at(
    metric: Callable[..., Any], labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: str
) -> Pair:
    with name_scope(name, f"{metric.__name__}_{threshold}", (predictions, labels, weights, threshold)) as scope:
        value, update = metric(
            labels=labels, predictions=predictions, thresholds=(threshold,), weights=weights, name=scope
        )
        return squeeze(value), squeeze(update)


def precision_at(labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: str) -> Pair:
    """The precision of predictions that are 1 above a threshold."""
    return _at(precision_at_thresholds, labels, predictions, weights, threshold, name)


def recall_at(labels: Tensor, predictions: Tensor, weights: Any, threshold: float, name: str) -> Pair:
    """The recall of predictions that are 1 above a threshold."""
    return _at(recall_at_thresholds, labels, predictions, weights, threshold, name)
