"""Metrics of forests, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import float32, int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from headrace.kernels.composing.shapes import squeeze
from headrace.losses.supervised import log_loss
from headrace.metrics.counts import precision, precision_at_thresholds, recall, recall_at_thresholds
from headrace.metrics.curves import auc
from headrace.metrics.means import accuracy, mean
from headrace.ops.nn.topk import in_top_k

INFERENCE_PROB_NAME = "probabilities"
INFERENCE_PRED_NAME = "classes"
FEATURE_IMPORTANCE_NAME = "global_feature_importance"

Metric = Callable[..., Any]


def _flat(targets: Any) -> Tensor:
    found = convert_to_tensor(targets)
    return squeeze(found, axis=[1]) if found.shape.ndims == 2 else found


def _one_hot(targets: Any, depth: int | None) -> Tensor:
    return raw.OneHot(raw.Cast(_flat(targets), DstT=int32), depth, 1.0, 0.0)


def _weighted_mean(values: Tensor, weights: Any) -> Any:
    return mean(values, weights)


def _accuracy(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return accuracy(labels=targets, predictions=predictions, weights=weights)


def _top_k_generator(k: int) -> Metric:
    def top_k(probabilities: Any, targets: Any, weights: Any = None) -> Any:
        flat = raw.Cast(_flat(targets), DstT=int32)
        return mean(raw.Cast(in_top_k(probabilities, flat, k), DstT=float32), weights)

    return top_k


def _r2(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    wanted = raw.Cast(convert_to_tensor(targets), DstT=float32)
    average = raw.Mean(wanted, 0)
    total = reduce_sum(raw.SquaredDifference(wanted, average), axis=0)
    unexplained = reduce_sum(raw.SquaredDifference(wanted, probabilities), axis=0)
    return mean(raw.Sub(1.0, raw.RealDiv(unexplained, total)), weights)


def _sigmoid_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    depth = probabilities.shape[1].value
    losses = sigmoid_cross_entropy_with_logits(labels=_one_hot(targets, depth), logits=probabilities)
    return _weighted_mean(losses, weights)


def _softmax_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    depth = probabilities.shape[1].value
    losses = softmax_cross_entropy_with_logits(labels=_one_hot(targets, depth), logits=probabilities)
    return _weighted_mean(losses, weights)


def _predictions(predictions: Any, unused_targets: Any, **unused_kwargs: Any) -> Any:
    return predictions


def _class_log_loss(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    depth = probabilities.shape[1].value
    losses = log_loss(_one_hot(targets, depth), probabilities, weights=1.0 if weights is None else weights)
    return mean(losses)


def _precision(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return precision(labels=targets, predictions=predictions, weights=weights)


def _recall(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return recall(labels=targets, predictions=predictions, weights=weights)


def _of_second_class(probabilities: Tensor) -> Tensor:
    return probabilities[:, 1]


def _precision_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return precision_at_thresholds(
        labels=_flat(targets), predictions=_of_second_class(predictions), thresholds=_THRESHOLDS, weights=weights
    )


def _recall_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return recall_at_thresholds(
        labels=_flat(targets), predictions=_of_second_class(predictions), thresholds=_THRESHOLDS, weights=weights
    )


def _auc(probs: Any, targets: Any, weights: Any = None) -> Any:
    return auc(labels=_flat(targets), predictions=_of_second_class(probs), weights=weights)


_THRESHOLDS = [step / 100 for step in range(101)]
_SCORES = "scores"
_METRICS: dict[str, tuple[Metric, str]] = {
    "auc": (_auc, INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (_accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, _SCORES),
    "predictions": (_predictions, INFERENCE_PRED_NAME),
    "classification_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_precision, INFERENCE_PRED_NAME),
    "precision_at_thresholds": (_precision_at_thresholds, INFERENCE_PROB_NAME),
    "recall": (_recall, INFERENCE_PRED_NAME),
    "recall_at_thresholds": (_recall_at_thresholds, INFERENCE_PROB_NAME),
    "top_5": (_top_k_generator(5), INFERENCE_PROB_NAME),
}


def get_metric(metric_name: str) -> Metric:
    """The metric of a name: a function of predictions and targets; KeyError where there is none.

    Example:
        >>> from headrace.contrib.tensor_forest.client import eval_metrics
        >>> value, update = eval_metrics.get_metric("accuracy")(tf.constant([1.0, 0.0]), tf.constant([1.0, 1.0]))
    """
    return _METRICS[metric_name][0]


def get_prediction_key(metric_name: str) -> str:
    """The key of the predictions that a metric takes."""
    return _METRICS[metric_name][1]
