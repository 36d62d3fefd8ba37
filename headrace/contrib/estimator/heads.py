"""Heads of `tf.contrib.estimator`: those of 1.x's own models, whose losses are means over batches by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.estimator.heads import streaming_metrics as streaming
from headrace.estimator.heads.canned_heads import (
    BinaryLogisticHead,
    MeanSquaredErrorHead,
    MultiClassSoftmaxHead,
    SingleCannedHead,
)
from headrace.estimator.heads.keys import MetricKeys, PredictionKeys
from headrace.estimator.heads.multi_label_head import MultiLabelHead
from headrace.estimator.heads.regression_head import logistic_loss
from headrace.functions.nn.loss_functions import log_poisson_loss
from headrace.losses.weighting import Reduction
from headrace.metrics.curves import auc
from headrace.metrics.means import mean
from headrace.ops.math.unary import exp, sigmoid

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.heads.canned_heads import CannedHead, LossSpec

LossFn = Callable[..., Any]


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: LossFn | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of two classes, by the sigmoid cross entropy.

    Args:
        weight_column: the weights of examples: a numeric column, or the key of a feature.
        thresholds: probabilities at which accuracy, precision and recall are measured besides.
        label_vocabulary: the labels, where they are strings.
        loss_reduction: how the loss of a batch is made of those of examples.
        loss_fn: of labels and logits, another loss of examples.
        name: part of the names of metrics.

    Example:
        >>> head = tf.contrib.estimator.binary_classification_head(thresholds=[0.9])
    """
    return BinaryLogisticHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: LossFn | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of more than two classes, by the softmax cross entropy.

    Args:
        n_classes: how many classes.
        weight_column, label_vocabulary, loss_reduction, loss_fn, name: as of `binary_classification_head`.

    Example:
        >>> head = tf.contrib.estimator.multi_class_head(n_classes=3)
    """
    return MultiClassSoftmaxHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: LossFn | None = None,
    classes_for_class_based_metrics: Sequence[int | str] | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of classes that do not exclude one another, by the sigmoid cross entropy of a logit for each.

    Args:
        n_classes: how many classes.
        classes_for_class_based_metrics: numbers or names of classes which are measured for themselves.
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name: as of `binary_classification_head`.

    Example:
        >>> head = tf.contrib.estimator.multi_label_head(n_classes=3, thresholds=[0.5])
    """
    return MultiLabelSigmoidHead(
        n_classes,
        weight_column,
        thresholds,
        label_vocabulary,
        loss_reduction,
        loss_fn,
        classes_for_class_based_metrics,
        name,
    )


class MultiLabelSigmoidHead(SingleCannedHead):
    """What `multi_label_head` returns; arguments as there."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        thresholds: Sequence[float] | None,
        label_vocabulary: Sequence[str] | None,
        loss_reduction: str,
        loss_fn: LossFn | None,
        classes_for_class_based_metrics: Sequence[int | str] | None,
        name: str | None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-class classification. Given: {n_classes}")
        self._multi = MultiLabelHead(
            n_classes,
            weight_column,
            thresholds,
            label_vocabulary,
            loss_fn=loss_fn,
            classes_for_class_based_metrics=classes_for_class_based_metrics,
            name=name,
        )
        super().__init__(self._multi, loss_reduction)

    def _metrics_by_key(self, parts: LossSpec, predictions: dict[str, Tensor]) -> dict[str, Any]:
        labels, weights = parts.processed_labels, parts.weights
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        made: dict[str, Any] = {
            MetricKeys.LOSS_MEAN: mean(values=parts.unreduced_loss, weights=weights, name=MetricKeys.LOSS_MEAN),
            MetricKeys.AUC: auc(labels=labels, predictions=probabilities, weights=weights, name=MetricKeys.AUC),
            MetricKeys.AUC_PR: auc(
                labels=labels, predictions=probabilities, weights=weights, curve="PR", name=MetricKeys.AUC_PR
            ),
        }
        for threshold in self._multi.thresholds:
            for pattern, metric in (
                (MetricKeys.ACCURACY_AT_THRESHOLD, streaming.accuracy_at),
                (MetricKeys.PRECISION_AT_THRESHOLD, streaming.precision_at),
                (MetricKeys.RECALL_AT_THRESHOLD, streaming.recall_at),
            ):
                key = pattern % threshold
                made[key] = metric(labels, probabilities, weights, threshold, key)
        for number in self._multi.measured_classes:
            of_probability, of_roc, of_pr = self._multi.names_of_class(number)
            of_class, label = probabilities[..., number : number + 1], labels[..., number : number + 1]
            made[of_probability] = streaming.mean_of(of_class, weights, of_probability, "predictions")
            made[of_roc] = streaming.area_under(label, of_class, weights, "ROC", of_roc)
            made[of_pr] = streaming.area_under(label, of_class, weights, "PR", of_pr)
        return made


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: LossFn | None = None,
    inverse_link_fn: Callable[[Tensor], Tensor] | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of numbers, by the squared error.

    Args:
        label_dimension: how many numbers an example has.
        inverse_link_fn: makes predictions of logits; the logits themselves by default.
        weight_column, loss_reduction, loss_fn, name: as of `binary_classification_head`.

    Example:
        >>> head = tf.contrib.estimator.regression_head(label_dimension=2)
    """
    return MeanSquaredErrorHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, name: str | None = None
) -> CannedHead:
    """A head of probabilities, by the sigmoid cross entropy.

    Args:
        weight_column, loss_reduction, name: as of `binary_classification_head`.

    Example:
        >>> head = tf.contrib.estimator.logistic_regression_head()
    """
    return MeanSquaredErrorHead(1, weight_column, loss_reduction, logistic_loss, sigmoid, name)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> CannedHead:
    """A head of counts, by the Poisson loss of the exponential of the logits.

    Args:
        label_dimension: how many counts an example has.
        compute_full_loss: whether the loss has the term of the labels' factorials, by Stirling's approximation.
        weight_column, loss_reduction, name: as of `binary_classification_head`.

    Example:
        >>> head = tf.contrib.estimator.poisson_regression_head()
    """

    def poisson_loss(labels: Tensor, logits: Tensor) -> Tensor:
        return log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=compute_full_loss)

    return MeanSquaredErrorHead(label_dimension, weight_column, loss_reduction, poisson_loss, exp, name)
