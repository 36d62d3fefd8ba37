"""`MultiClassHead`: one class of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.estimator.heads.base_head import Metrics, SingleHead
from headrace.estimator.heads.checking import (
    LossFn,
    call_loss_fn,
    check_keys,
    check_label_range,
    check_labels,
    check_logits_final_dim,
    check_loss_fn,
    check_loss_reduction,
    check_vocabulary,
    checked_n_classes,
    weights_of,
)
from headrace.estimator.heads.classes import (
    all_class_ids,
    all_classes,
    best_class,
    classification_output,
    named,
    numbered,
)
from headrace.estimator.heads.keys import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    MetricKeys,
    PredictionKeys,
)
from headrace.keras.metrics.accuracies import SparseCategoricalAccuracy
from headrace.keras.metrics.means import Mean
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.kernels.composing import expand_dims
from headrace.losses.supervised import sparse_softmax_cross_entropy
from headrace.losses.weighting import Reduction
from headrace.ops.nn.softmax import softmax
from headrace.saved_model.export_output import ExportOutput, PredictOutput

MULTI_CLASS_KEYS = (
    PredictionKeys.LOGITS,
    PredictionKeys.PROBABILITIES,
    PredictionKeys.CLASS_IDS,
    PredictionKeys.CLASSES,
    PredictionKeys.ALL_CLASS_IDS,
    PredictionKeys.ALL_CLASSES,
)


class MultiClassHead(SingleHead):
    """Classes that exclude one another, by the softmax cross entropy of a logit for each.

    Args:
        n_classes: how many classes, more than 2; also as a scalar tensor of int32.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings; else labels are numbers of classes.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        loss_fn: of `labels`, `logits` and, as it likes, `features` and `loss_reduction`: the losses of examples.
        name: its name, which is part of those of its metrics.

    Raises:
        ValueError: for 2 classes and less, names of more or fewer, a wrong reduction, or a function that takes other
            arguments.

    Example:
        >>> head = tf.estimator.MultiClassHead(n_classes=3)
        >>> loss = head.loss(labels=[[1], [0]], logits=tf.constant([[10.0, 0.0, 0.0], [0.0, 10.0, 0.0]]))
    """

    def __init__(
        self,
        n_classes: int | Tensor,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        loss_fn: LossFn | None = None,
        name: str | None = None,
    ) -> None:
        self._n_classes = checked_n_classes(n_classes)
        check_vocabulary(label_vocabulary)
        if label_vocabulary is not None and isinstance(n_classes, int) and len(label_vocabulary) != n_classes:
            raise ValueError(
                f'"label_vocabulary" does not have "n_classes" items: there are {n_classes} classes, got {label_vocabulary}'
            )
        check_loss_reduction(loss_reduction)
        check_loss_fn(loss_fn)
        self._weight_column, self._label_vocabulary, self._loss_fn = weight_column, label_vocabulary, loss_fn
        self._loss_reduction, self._name = loss_reduction, name

    @property
    def logits_dimension(self) -> Any:
        """How many classes there are, as it was given."""
        return self._n_classes

    def checked_logits(self, logits: Any) -> Tensor:
        """Logits of as many dimensions at the end as there are classes."""
        return check_logits_final_dim(logits, self.logits_dimension)

    def processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """Labels as numbers of classes."""
        labels = check_labels(labels, logits, 1, self.in_canned_order)
        if self._label_vocabulary is None:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        elif labels.dtype.name != "string":
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got {labels.dtype}")
        else:
            labels = numbered(labels, self._label_vocabulary)
        scope, text = self.label_check
        return check_label_range(labels, self._n_classes, text, scope)

    def losses_and_weights(self, logits: Tensor, labels: Tensor, features: Any) -> tuple[Tensor, Any]:
        """The losses of examples, and their weights."""
        if self._loss_fn:
            losses = call_loss_fn(self._loss_fn, labels, logits, features, 1)
        else:
            losses = expand_dims(sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE), -1)
        return losses, weights_of(features, self._weight_column, logits)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions by name: logits, probabilities, classes and their numbers."""
        keys = keys or MULTI_CLASS_KEYS
        check_keys(keys, MULTI_CLASS_KEYS)
        logits = self.checked_logits(logits)
        with name_scope(None, "predictions", (logits,)):
            return self.predictions_of(logits, keys)

    def predictions_of(self, logits: Tensor, keys: Sequence[str]) -> dict[str, Tensor]:
        """Some predictions by name, of logits whose shape has been checked."""
        made: dict[str, Tensor] = {}
        if PredictionKeys.LOGITS in keys:
            made[PredictionKeys.LOGITS] = logits
        if PredictionKeys.PROBABILITIES in keys:
            made[PredictionKeys.PROBABILITIES] = softmax(logits, name=PredictionKeys.PROBABILITIES)
        if {PredictionKeys.CLASS_IDS, PredictionKeys.CLASSES} & {*keys}:
            class_ids = best_class(logits)
            if PredictionKeys.CLASS_IDS in keys:
                made[PredictionKeys.CLASS_IDS] = class_ids
            if PredictionKeys.CLASSES in keys:
                made[PredictionKeys.CLASSES] = named(class_ids, self._label_vocabulary)
        if PredictionKeys.ALL_CLASS_IDS in keys:
            made[PredictionKeys.ALL_CLASS_IDS] = all_class_ids(logits, self._n_classes)
        if PredictionKeys.ALL_CLASSES in keys:
            made[PredictionKeys.ALL_CLASSES] = all_classes(logits, self._n_classes, self._label_vocabulary)
        return made

    def export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        """Probabilities as a classification, and the predictions as they are."""
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        classes = classification_output(probabilities, self._n_classes, self._label_vocabulary)
        return {
            DEFAULT_SERVING_KEY: classes,
            CLASSIFY_SERVING_KEY: classes,
            PREDICT_SERVING_KEY: PredictOutput(dict(predictions)),
        }

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name."""
        with name_scope(None, "metrics", (regularization_losses,)):
            made: Metrics = {
                self._summary_key(MetricKeys.LOSS_MEAN): Mean(name=MetricKeys.LOSS_MEAN),
                self._summary_key(MetricKeys.ACCURACY): SparseCategoricalAccuracy(name=MetricKeys.ACCURACY),
            }
            if regularization_losses is not None:
                made[self._regularization_key] = Mean(name=MetricKeys.LOSS_REGULARIZATION)
        return made

    def update_metrics(  # type: ignore[override]  # the order of 1.15's heads, which differs from their base's
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Tensor] | None = None,
        mode: str | None = None,
    ) -> Metrics:
        """Updates the metrics by a batch; arguments as of `Head.update_metrics`."""
        logits = self.checked_logits(logits)
        labels = self.processed_labels(logits, labels)
        losses, weights = self.losses_and_weights(logits, labels, features)
        eval_metrics[self._summary_key(MetricKeys.LOSS_MEAN)].update_state(values=losses, sample_weight=weights)
        accuracy = eval_metrics[self._summary_key(MetricKeys.ACCURACY)]
        accuracy.update_state(y_true=labels, y_pred=logits, sample_weight=weights)
        self._update_regularization(eval_metrics, regularization_losses)
        return eval_metrics
