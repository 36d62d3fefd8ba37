"""`MultiLabelHead`: any number of several classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
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
    weights_of,
)
from headrace.estimator.heads.classes import classification_output, numbered
from headrace.estimator.heads.keys import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    MetricKeys,
    PredictionKeys,
)
from headrace.functions.math.reduction import reduce_mean
from headrace.functions.sparse.building import sparse_to_indicator
from headrace.keras.metrics.accuracies import BinaryAccuracy
from headrace.keras.metrics.confusion import Precision, Recall
from headrace.keras.metrics.curves import AUC
from headrace.keras.metrics.means import Mean
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.losses.supervised import sigmoid_cross_entropy
from headrace.losses.weighting import Reduction
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sigmoid
from headrace.saved_model.export_output import ExportOutput, PredictOutput

_KEYS = (PredictionKeys.LOGITS, PredictionKeys.PROBABILITIES)


class MultiLabelHead(SingleHead):
    """Classes that do not exclude one another, by the sigmoid cross entropy of a logit for each.

    Args:
        n_classes: how many classes, at least 2.
        weight_column: the key or numeric column of the weights of examples.
        thresholds: probabilities at which accuracy, precision and recall are measured besides.
        label_vocabulary: the names of the classes, where labels are strings.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        loss_fn: of `labels`, `logits` and, as it likes, `features` and `loss_reduction`: the losses of examples.
        classes_for_class_based_metrics: numbers or names of classes which are measured for themselves.
        name: its name, which is part of those of its metrics.

    Raises:
        ValueError: for less than 2 classes, a vocabulary of another length, classes that are none, thresholds outside of
            (0, 1), a wrong reduction, or a function that takes other arguments.

    Example:
        >>> head = tf.estimator.MultiLabelHead(n_classes=2)
        >>> loss = head.loss(labels=[[1, 0], [1, 1]], logits=tf.constant([[-10.0, 10.0], [-15.0, 10.0]]))
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        loss_fn: LossFn | None = None,
        classes_for_class_based_metrics: Sequence[int | str] | None = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-label classification. Given: {n_classes}")
        self._n_classes = n_classes
        self.thresholds = tuple(thresholds or ())
        for threshold in self.thresholds:
            if threshold <= 0.0 or threshold >= 1.0:
                raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(f"label_vocabulary must be a list or tuple. Given type: {type(label_vocabulary)}")
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}"
            )
        check_loss_fn(loss_fn)
        check_loss_reduction(loss_reduction)
        self._weight_column, self._label_vocabulary, self._loss_fn = weight_column, label_vocabulary, loss_fn
        self._loss_reduction, self._name = loss_reduction, name
        self.measured_classes = tuple(self._class_number(each) for each in classes_for_class_based_metrics or ())

    def _class_number(self, given: int | str) -> int:
        if isinstance(given, str):
            if not self._label_vocabulary:
                raise ValueError("label_vocabulary must be provided when classes_for_class_based_metrics are strings.")
            return list(self._label_vocabulary).index(given)
        if not 0 <= given < self._n_classes:
            raise ValueError(
                f"All classes_for_class_based_metrics must be in range [0, {self._n_classes - 1}]. Given: {given}"
            )
        return given

    @property
    def logits_dimension(self) -> int:
        """How many classes there are."""
        return self._n_classes

    def checked_logits(self, logits: Any) -> Tensor:
        """Logits of as many dimensions at the end as there are classes."""
        return check_logits_final_dim(logits, self._n_classes)

    def processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """Labels as 0 and 1 for each class."""
        if labels is None:
            return check_labels(labels, logits, self._n_classes, self.in_canned_order)
        if not isinstance(labels, SparseTensor):
            text = "labels must be an integer indicator Tensor with values in [0, 1]"
            ranged = check_label_range(convert_to_tensor(labels), 2, text, self.label_check[0])
            return check_labels(ranged, logits, self._n_classes, self.in_canned_order)
        values = labels.values
        if values.dtype.name == "string":
            values = numbered(values, self._label_vocabulary)
        elif not values.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {values.dtype}.")
        else:
            text = f"labels must be an integer SparseTensor with values in [0, {self._n_classes})"
            values = check_label_range(values, self._n_classes, text, self.label_check[0])
        ids = SparseTensor(labels.indices, cast(values, int64), labels.dense_shape)
        indicator = cast(sparse_to_indicator(ids, self._n_classes), int64)
        return check_labels(indicator, logits, self._n_classes, self.in_canned_order)

    def losses_and_weights(self, logits: Tensor, labels: Tensor, features: Any) -> tuple[Tensor, Any]:
        """The losses of examples, each the mean over the classes, and their weights."""
        if self._loss_fn:
            losses = call_loss_fn(self._loss_fn, labels, logits, features, 1)
        else:
            losses = sigmoid_cross_entropy(labels, logits, reduction=Reduction.NONE)
            losses = reduce_mean(losses, axis=-1, keepdims=True)
        return losses, weights_of(features, self._weight_column, logits)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions by name: logits and probabilities."""
        keys = keys or _KEYS
        check_keys(keys, _KEYS)
        made: dict[str, Tensor] = {}
        logits = self.checked_logits(logits)
        with name_scope(None, "predictions", (logits,)):
            if PredictionKeys.LOGITS in keys:
                made[PredictionKeys.LOGITS] = logits
            if PredictionKeys.PROBABILITIES in keys:
                made[PredictionKeys.PROBABILITIES] = sigmoid(logits, name=PredictionKeys.PROBABILITIES)
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

    def names_of_class(self, number: int) -> tuple[str, str, str]:
        """The names of the metrics of a class: of its mean probability, and its areas under curves."""
        if self._label_vocabulary:
            name = self._label_vocabulary[number]
            return (
                MetricKeys.PROBABILITY_MEAN_AT_NAME % name,
                MetricKeys.AUC_AT_NAME % name,
                MetricKeys.AUC_PR_AT_NAME % name,
            )
        return (
            MetricKeys.PROBABILITY_MEAN_AT_CLASS % number,
            MetricKeys.AUC_AT_CLASS % number,
            MetricKeys.AUC_PR_AT_CLASS % number,
        )

    def _threshold_metrics(self) -> Iterator[tuple[str, type[Any], dict[str, float]]]:
        for threshold in self.thresholds:
            yield MetricKeys.ACCURACY_AT_THRESHOLD % threshold, BinaryAccuracy, {"threshold": threshold}
            yield MetricKeys.PRECISION_AT_THRESHOLD % threshold, Precision, {"thresholds": threshold}
            yield MetricKeys.RECALL_AT_THRESHOLD % threshold, Recall, {"thresholds": threshold}

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name."""
        key = self._summary_key
        with name_scope(None, "metrics", (regularization_losses,)):
            made: Metrics = {
                key(MetricKeys.LOSS_MEAN): Mean(name=MetricKeys.LOSS_MEAN),
                key(MetricKeys.AUC): AUC(name=MetricKeys.AUC),
                key(MetricKeys.AUC_PR): AUC(curve="PR", name=MetricKeys.AUC_PR),
            }
            if regularization_losses is not None:
                made[self._regularization_key] = Mean(name=MetricKeys.LOSS_REGULARIZATION)
            for name, kind, settings in self._threshold_metrics():
                made[key(name)] = kind(name=key(name), **settings)
            for number in self.measured_classes:
                of_probability, of_roc, of_pr = self.names_of_class(number)
                made[key(of_probability)] = Mean(name=key(of_probability))
                made[key(of_roc)] = AUC(name=key(of_roc))
                made[key(of_pr)] = AUC(curve="PR", name=key(of_pr))
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
        labels = self.processed_labels(logits, labels)
        losses, weights = self.losses_and_weights(logits, labels, features)
        made = self.predictions(logits, [PredictionKeys.PROBABILITIES])
        probabilities = made[PredictionKeys.PROBABILITIES]
        eval_metrics[key(MetricKeys.LOSS_MEAN)].update_state(values=losses, sample_weight=weights)
        for name in (MetricKeys.AUC, MetricKeys.AUC_PR, *(name for name, _, _ in self._threshold_metrics())):
            eval_metrics[key(name)].update_state(y_true=labels, y_pred=probabilities, sample_weight=weights)
        self._update_regularization(eval_metrics, regularization_losses)
        for number in self.measured_classes:
            of_probability, of_roc, of_pr = self.names_of_class(number)
            of_class, label = probabilities[..., number : number + 1], labels[..., number : number + 1]
            update_broadcast(eval_metrics[key(of_probability)], of_class, weights)
            for name in (of_roc, of_pr):
                eval_metrics[key(name)].update_state(y_true=label, y_pred=of_class, sample_weight=weights)
        return eval_metrics
