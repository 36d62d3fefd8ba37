"""`BinaryClassHead`: a class or its opposite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.estimator.heads.base_head import Metrics, SingleHead, update_broadcast
from headrace.estimator.heads.checking import (
    LossFn,
    call_loss_fn,
    check_keys,
    check_label_range,
    check_labels,
    check_logits_final_dim,
    check_loss_fn,
    check_loss_reduction,
    check_thresholds,
    check_vocabulary,
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
    REGRESS_SERVING_KEY,
    MetricKeys,
    PredictionKeys,
)
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headrace.keras.metrics.accuracies import Accuracy, BinaryAccuracy
from headrace.keras.metrics.confusion import Precision, Recall
from headrace.keras.metrics.curves import AUC
from headrace.keras.metrics.means import Mean
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.kernels.composing import concat, zeros_like
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import to_float
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.softmax import softmax
from headrace.saved_model.export_output import ExportOutput, PredictOutput, RegressionOutput

if TYPE_CHECKING:
    from collections.abc import Mapping

BINARY_KEYS = (
    PredictionKeys.LOGITS,
    PredictionKeys.LOGISTIC,
    PredictionKeys.PROBABILITIES,
    PredictionKeys.CLASS_IDS,
    PredictionKeys.CLASSES,
    PredictionKeys.ALL_CLASS_IDS,
    PredictionKeys.ALL_CLASSES,
)


class AccuracyBaseline(Mean):
    """The accuracy of a model that always predicts the more frequent class.

    Args:
        of_labels: the mean of the labels.
        name: its name.
    """

    def __init__(self, of_labels: Mean, name: str) -> None:
        super().__init__(name=name)
        self._of_labels = of_labels

    def result(self) -> Any:
        """The greater of the labels' mean and what is left of 1."""
        mean = self._of_labels.result()
        return maximum(mean, 1 - mean)


class BinaryClassHead(SingleHead):
    """Two classes, by the sigmoid cross entropy of one logit.

    Args:
        weight_column: the key or numeric column of the weights of examples.
        thresholds: probabilities at which accuracy, precision and recall are measured besides.
        label_vocabulary: the names of both classes, where labels are strings; else labels are 0 and 1.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        loss_fn: of `labels`, `logits` and, as it likes, `features` and `loss_reduction`: the losses of examples.
        name: its name, which is part of those of its metrics.

    Raises:
        ValueError: for thresholds outside of (0, 1), a wrong reduction, or a function that takes other arguments.

    Example:
        >>> head = tf.estimator.BinaryClassHead()
        >>> loss = head.loss(labels=[[1.0], [0.0]], logits=tf.constant([[45.0], [-41.0]]))
    """

    logits_dimension = 1  # type: ignore[assignment]  # a property of the base

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        loss_fn: LossFn | None = None,
        name: str | None = None,
    ) -> None:
        check_vocabulary(label_vocabulary)
        self._thresholds = tuple(thresholds or ())
        check_thresholds(self._thresholds)
        check_loss_reduction(loss_reduction)
        check_loss_fn(loss_fn)
        self._weight_column, self._label_vocabulary, self._loss_fn = weight_column, label_vocabulary, loss_fn
        self._loss_reduction, self._name = loss_reduction, name

    def checked_logits(self, logits: Any) -> Tensor:
        """Logits of one dimension at the end."""
        return check_logits_final_dim(logits, self.logits_dimension)

    def processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """Labels as floats, 0 or 1."""
        labels = check_labels(labels, logits, 1, self.in_canned_order)
        if self._label_vocabulary is not None:
            labels = numbered(labels, self._label_vocabulary)
        scope, text = self.label_check
        return check_label_range(to_float(labels), 2, text, scope)

    def losses_and_weights(self, logits: Tensor, labels: Tensor, features: Any) -> tuple[Tensor, Any]:
        """The losses of examples, and their weights."""
        if self._loss_fn:
            losses = call_loss_fn(self._loss_fn, labels, logits, features, 1)
        else:
            losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return losses, weights_of(features, self._weight_column, logits)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions by name: logits, logistic, probabilities, classes and their numbers."""
        keys = keys or BINARY_KEYS
        check_keys(keys, BINARY_KEYS)
        logits = self.checked_logits(logits)
        with name_scope(None, "predictions", (logits,)):
            return self.predictions_of(logits, keys)

    def predictions_of(self, logits: Tensor, keys: Sequence[str] = BINARY_KEYS) -> dict[str, Tensor]:
        """The predictions of checked logits, in the name scope in force; arguments as of `predictions`."""
        made: dict[str, Tensor] = {}
        both: Tensor | None = None
        class_ids: Tensor | None = None
        if PredictionKeys.LOGITS in keys:
            made[PredictionKeys.LOGITS] = logits
        if PredictionKeys.LOGISTIC in keys:
            made[PredictionKeys.LOGISTIC] = sigmoid(logits, name=PredictionKeys.LOGISTIC)
        if not {*keys} <= {PredictionKeys.LOGITS, PredictionKeys.LOGISTIC}:
            both = concat((zeros_like(logits), logits), axis=-1, name="two_class_logits")
        if PredictionKeys.PROBABILITIES in keys:
            assert both is not None  # any other key than the first two made them
            made[PredictionKeys.PROBABILITIES] = softmax(both, name=PredictionKeys.PROBABILITIES)
        if both is not None and {PredictionKeys.CLASS_IDS, PredictionKeys.CLASSES} & {*keys}:
            class_ids = best_class(both)
            if PredictionKeys.CLASS_IDS in keys:
                made[PredictionKeys.CLASS_IDS] = class_ids
        is_named = class_ids is not None and PredictionKeys.CLASSES in keys
        if class_ids is not None and is_named and not self.in_canned_order:
            made[PredictionKeys.CLASSES] = named(class_ids, self._label_vocabulary)
        if PredictionKeys.ALL_CLASS_IDS in keys:
            made[PredictionKeys.ALL_CLASS_IDS] = all_class_ids(logits, 2)
        if PredictionKeys.ALL_CLASSES in keys:
            made[PredictionKeys.ALL_CLASSES] = all_classes(logits, 2, self._label_vocabulary)
        if class_ids is not None and is_named and self.in_canned_order:
            made[PredictionKeys.CLASSES] = named(class_ids, self._label_vocabulary)
        return {key: made[key] for key in BINARY_KEYS if key in made}

    def export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        """Probabilities as a classification, the logistic as a regression, and the predictions as they are."""
        classes = classification_output(predictions[PredictionKeys.PROBABILITIES], 2, self._label_vocabulary)
        return {
            DEFAULT_SERVING_KEY: classes,
            CLASSIFY_SERVING_KEY: classes,
            REGRESS_SERVING_KEY: RegressionOutput(value=predictions[PredictionKeys.LOGISTIC]),
            PREDICT_SERVING_KEY: PredictOutput(dict(predictions)),
        }

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name."""
        key = self._summary_key
        made: Metrics = {}
        with name_scope(None, "metrics", (regularization_losses,)):
            made[key(MetricKeys.LOSS_MEAN)] = Mean(name=MetricKeys.LOSS_MEAN)
            made[key(MetricKeys.ACCURACY)] = Accuracy(name=MetricKeys.ACCURACY)
            made[key(MetricKeys.PRECISION)] = Precision(name=MetricKeys.PRECISION)
            made[key(MetricKeys.RECALL)] = Recall(name=MetricKeys.RECALL)
            made[key(MetricKeys.PREDICTION_MEAN)] = Mean(name=MetricKeys.PREDICTION_MEAN)
            of_labels = Mean(name=MetricKeys.LABEL_MEAN)
            made[key(MetricKeys.LABEL_MEAN)] = of_labels
            made[key(MetricKeys.ACCURACY_BASELINE)] = AccuracyBaseline(of_labels, MetricKeys.ACCURACY_BASELINE)
            made[key(MetricKeys.AUC)] = AUC(name=MetricKeys.AUC)
            made[key(MetricKeys.AUC_PR)] = AUC(curve="PR", name=MetricKeys.AUC_PR)
            if regularization_losses is not None:
                made[self._regularization_key] = Mean(name=MetricKeys.LOSS_REGULARIZATION)
            for threshold in self._thresholds:
                kinds: tuple[tuple[str, type[Any], str], ...] = (
                    (MetricKeys.ACCURACY_AT_THRESHOLD, BinaryAccuracy, "threshold"),
                    (MetricKeys.PRECISION_AT_THRESHOLD, Precision, "thresholds"),
                    (MetricKeys.RECALL_AT_THRESHOLD, Recall, "thresholds"),
                )
                for pattern, kind, argument in kinds:
                    name = pattern % threshold
                    made[key(name)] = kind(name=key(name), **{argument: threshold})
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
        key = self._summary_key
        logits = self.checked_logits(logits)
        made = self.predictions(logits, [PredictionKeys.LOGISTIC, PredictionKeys.CLASS_IDS])
        logistic, class_ids = made[PredictionKeys.LOGISTIC], made[PredictionKeys.CLASS_IDS]
        labels = self.processed_labels(logits, labels)
        losses, weights = self.losses_and_weights(logits, labels, features)
        eval_metrics[key(MetricKeys.LOSS_MEAN)].update_state(values=losses, sample_weight=weights)
        for name in (MetricKeys.ACCURACY, MetricKeys.PRECISION, MetricKeys.RECALL):
            eval_metrics[key(name)].update_state(y_true=labels, y_pred=class_ids, sample_weight=weights)
        update_broadcast(eval_metrics[key(MetricKeys.PREDICTION_MEAN)], logistic, weights)
        update_broadcast(eval_metrics[key(MetricKeys.LABEL_MEAN)], labels, weights)
        update_broadcast(eval_metrics[key(MetricKeys.ACCURACY_BASELINE)], labels, weights)
        for name in (MetricKeys.AUC, MetricKeys.AUC_PR):
            eval_metrics[key(name)].update_state(y_true=labels, y_pred=logistic, sample_weight=weights)
        self._update_regularization(eval_metrics, regularization_losses)
        for threshold in self._thresholds:
            for pattern in (
                MetricKeys.ACCURACY_AT_THRESHOLD,
                MetricKeys.PRECISION_AT_THRESHOLD,
                MetricKeys.RECALL_AT_THRESHOLD,
            ):
                metric = eval_metrics[key(pattern % threshold)]
                metric.update_state(y_true=labels, y_pred=logistic, sample_weight=weights)
        return eval_metrics
