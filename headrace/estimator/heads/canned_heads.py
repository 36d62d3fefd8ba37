"""The heads of the estimators of 1.x: as the public ones, with optimizers, losses and streaming metrics of 1.x."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection, name_scope
from headrace.core.tensor import Tensor
from headrace.estimator.heads import streaming_metrics as streaming
from headrace.estimator.heads.base_head import SingleHead
from headrace.estimator.heads.binary_class_head import BinaryClassHead
from headrace.estimator.heads.checking import LossFn
from headrace.estimator.heads.keys import MetricKeys, PredictionKeys, summary_key
from headrace.estimator.heads.multi_class_head import MULTI_CLASS_KEYS, MultiClassHead
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing import ones_like
from headrace.losses.weighting import Reduction, compute_weighted_loss
from headrace.metrics.counts import precision, recall
from headrace.metrics.means import accuracy, mean
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n
from headrace.state.global_step import get_global_step
from headrace.summary.operations import scalar


class LossSpec(NamedTuple):
    """The loss of a batch, and what it is made of.

    Attributes:
        training_loss: a scalar.
        unreduced_loss: the losses of examples.
        weights: of the examples.
        processed_labels: labels as the losses take them.
    """

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class CannedHead(abc.ABC):
    """What a model's logits mean, for estimators of 1.x."""

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """Its name, which is part of those of its metrics."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""

    @abc.abstractmethod
    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """The loss of a batch.

        Args:
            features: from key to tensor, for weights.
            mode: a `ModeKeys`.
            logits, labels: tensors.
        """

    def _create_tpu_estimator_spec(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("TPUEstimatorSpec not available for this model head.")

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns.

        Args:
            features, labels: of the batch.
            mode: a `ModeKeys`.
            logits: a tensor whose last dimension is `logits_dimension`.
            optimizer: a `tf.train.Optimizer`.
            train_op_fn: of the loss; it returns the operation of a training step. Instead of `optimizer`.
            regularization_losses: losses that are added.

        Raises:
            ValueError: for training, without `optimizer` and `train_op_fn` or with both.
        """
        # Heads of programs may have written this one instead.
        try:
            spec = self._create_tpu_estimator_spec(
                features=features,
                mode=mode,
                logits=logits,
                labels=labels,
                optimizer=optimizer,
                train_op_fn=train_op_fn,
                regularization_losses=regularization_losses,
            )
        except NotImplementedError as error:
            raise NotImplementedError(
                "Subclasses of _Head must implement `create_estimator_spec()` or _create_tpu_estimator_spec()."
            ) from error
        return spec.as_estimator_spec()


class SingleCannedHead(CannedHead):
    """A head of 1.x that is made of a public one.

    Args:
        of: the public head, which says what labels, losses and predictions are.
        loss_reduction: how the losses of a batch become one: a `tf.losses.Reduction`.
    """

    def __init__(self, of: SingleHead, loss_reduction: str) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self._of, self._loss_reduction = of, loss_reduction
        of.label_check = ("assert_range", "Labels must <= n_classes - 1")
        of.in_canned_order = True

    @property
    def name(self) -> str | None:
        """Its name."""
        return self._of.name

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        return self._of.logits_dimension

    @property
    def weight_column(self) -> Any:
        """The key or column of the weights of examples."""
        return self._of.weight_column

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """The loss of a batch; arguments as of `CannedHead.create_loss`."""
        logits = convert_to_tensor(logits)
        labels = self._of.processed_labels(logits, labels)
        losses, weights = self._of.losses_and_weights(logits, labels, features)
        loss = compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
        return LossSpec(loss, losses, weights, labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns; arguments as of `CannedHead.create_estimator_spec`."""
        with name_scope(self.name, "head"):
            predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._of.export_outputs(predictions)
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            # Those whose shape has been checked.
            logits = predictions.get(PredictionKeys.LOGITS, predictions.get(PredictionKeys.PREDICTIONS))
            parts = self.create_loss(features=features, mode=mode, logits=logits, labels=labels)
            loss, regularization = parts.training_loss, None
            if regularization_losses:
                regularization = add_n(list(regularization_losses))
                loss = add_n([loss, regularization])
            if mode == ModeKeys.TRAIN:
                train_op = training_step(loss, optimizer, train_op_fn)
                per_example = None
                if self._loss_reduction == Reduction.SUM:
                    per_example = parts.training_loss / reduce_sum(parts.weights * ones_like(parts.unreduced_loss))
        if mode == ModeKeys.EVAL:
            metrics = self._metrics(parts, logits, predictions, regularization)
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        self._summarize(loss, per_example, regularization)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        return self._of.predictions(logits)

    def _summarize(self, loss: Tensor, per_example: Tensor | None, regularization: Tensor | None) -> None:
        with name_scope(""):
            for key, value in (
                (MetricKeys.LOSS, loss),
                (MetricKeys.LOSS_MEAN, per_example),
                (MetricKeys.LOSS_REGULARIZATION, regularization),
            ):
                if value is not None:
                    scalar(summary_key(self.name, key), value)

    def _metrics(
        self, parts: LossSpec, logits: Any, predictions: dict[str, Tensor], regularization: Tensor | None
    ) -> dict[str, Any]:
        with self._metrics_scope(parts, regularization):
            made = self._metrics_by_key(parts, predictions)
            if regularization is not None:
                key = MetricKeys.LOSS_REGULARIZATION
                made[key] = mean(values=regularization, name=key)
        return {summary_key(self.name, key): metric for key, metric in made.items()}

    def _metrics_scope(self, parts: LossSpec, regularization: Tensor | None) -> AbstractContextManager[Any]:
        values = (parts.processed_labels, parts.weights, parts.unreduced_loss, regularization)
        return name_scope(None, "metrics", values)

    @abc.abstractmethod
    def _metrics_by_key(self, parts: LossSpec, predictions: dict[str, Tensor]) -> dict[str, Any]:
        """The metrics, by names without that of the head."""


def _mean_loss(parts: LossSpec) -> Any:
    return mean(values=parts.unreduced_loss, weights=parts.weights, name=MetricKeys.LOSS_MEAN)


class BinaryLogisticHead(SingleCannedHead):
    """Two classes, by the sigmoid cross entropy; arguments as of `BinaryClassHead`."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM,
        loss_fn: LossFn | None = None,
        name: str | None = None,
    ) -> None:
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            # 1.15 has another class for it here than in the heads of several classes and of 2.x.
            raise TypeError(f"label_vocabulary should be a list or tuple. Given type: {type(label_vocabulary)}")
        self._binary = BinaryClassHead(weight_column, thresholds, label_vocabulary, loss_fn=loss_fn, name=name)
        super().__init__(self._binary, loss_reduction)
        self._thresholds = tuple(thresholds or ())

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        # 1.x names the check of these logits as a part of the predictions.
        with name_scope(None, "predictions", (logits,)):
            return self._binary.predictions_of(self._binary.checked_logits(logits))

    def _metrics_by_key(self, parts: LossSpec, predictions: dict[str, Tensor]) -> dict[str, Any]:
        labels, weights = parts.processed_labels, parts.weights
        class_ids = predictions[PredictionKeys.CLASS_IDS]
        logistic = predictions[PredictionKeys.LOGISTIC]
        of_labels = streaming.mean_of(labels, weights, MetricKeys.LABEL_MEAN, "labels")
        classes = {"labels": labels, "predictions": class_ids, "weights": weights}
        made: dict[str, Any] = {
            MetricKeys.LOSS_MEAN: _mean_loss(parts),
            MetricKeys.ACCURACY: accuracy(name=MetricKeys.ACCURACY, **classes),
            MetricKeys.PRECISION: precision(name=MetricKeys.PRECISION, **classes),
            MetricKeys.RECALL: recall(name=MetricKeys.RECALL, **classes),
            MetricKeys.PREDICTION_MEAN: streaming.mean_of(logistic, weights, MetricKeys.PREDICTION_MEAN, "predictions"),
            MetricKeys.LABEL_MEAN: of_labels,
            MetricKeys.ACCURACY_BASELINE: streaming.accuracy_baseline(of_labels),
            MetricKeys.AUC: streaming.area_under(labels, logistic, weights, "ROC", MetricKeys.AUC),
            MetricKeys.AUC_PR: streaming.area_under(labels, logistic, weights, "PR", MetricKeys.AUC_PR),
        }
        for threshold in self._thresholds:
            for pattern, metric in (
                (MetricKeys.ACCURACY_AT_THRESHOLD, streaming.accuracy_at),
                (MetricKeys.PRECISION_AT_THRESHOLD, streaming.precision_at),
                (MetricKeys.RECALL_AT_THRESHOLD, streaming.recall_at),
            ):
                name = pattern % threshold
                made[name] = metric(labels, logistic, weights, threshold, name)
        return made


class MultiClassSoftmaxHead(SingleCannedHead):
    """Classes that exclude one another, by the softmax cross entropy; arguments as of `MultiClassHead`."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM,
        loss_fn: LossFn | None = None,
        name: str | None = None,
    ) -> None:
        self._multi_class = MultiClassHead(n_classes, weight_column, label_vocabulary, loss_fn=loss_fn, name=name)
        super().__init__(self._multi_class, loss_reduction)

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        # In the order of 1.x's heads, which the names of operations tell.
        logits = self._multi_class.checked_logits(logits)
        made: dict[str, Tensor] = {}
        with name_scope(None, "predictions", (logits,)):
            for keys in (MULTI_CLASS_KEYS[4:], MULTI_CLASS_KEYS[2:4], MULTI_CLASS_KEYS[:2]):
                made.update(self._multi_class.predictions_of(logits, keys))
        return {key: made[key] for key in MULTI_CLASS_KEYS}

    def _metrics_by_key(self, parts: LossSpec, predictions: dict[str, Tensor]) -> dict[str, Any]:
        return {
            MetricKeys.LOSS_MEAN: _mean_loss(parts),
            MetricKeys.ACCURACY: accuracy(
                labels=parts.processed_labels,
                predictions=predictions[PredictionKeys.CLASS_IDS],
                weights=parts.weights,
                name=MetricKeys.ACCURACY,
            ),
        }


class MeanSquaredErrorHead(SingleCannedHead):
    """Numbers, by their squared error or another loss; arguments as of `RegressionHead`."""

    def __init__(
        self,
        label_dimension: int,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM,
        loss_fn: LossFn | None = None,
        inverse_link_fn: Callable[[Tensor], Tensor] | None = None,
        name: str | None = None,
    ) -> None:
        self._regression = RegressionHead(
            label_dimension, weight_column, loss_fn=loss_fn, inverse_link_fn=inverse_link_fn, name=name
        )
        super().__init__(self._regression, loss_reduction)

    def _predictions(self, logits: Any) -> dict[str, Tensor]:
        # Those of 1.x lie below the name of the head alone.
        return self._regression.predictions_of(self._regression.checked_logits(logits))

    def _metrics_scope(self, parts: LossSpec, regularization: Tensor | None) -> AbstractContextManager[Any]:
        # Those of 1.x have none.
        return contextlib.nullcontext()

    def _metrics_by_key(self, parts: LossSpec, predictions: dict[str, Tensor]) -> dict[str, Any]:
        labels, predicted = parts.processed_labels, predictions[PredictionKeys.PREDICTIONS]
        return {
            MetricKeys.LOSS_MEAN: mean(values=parts.unreduced_loss, weights=parts.weights),
            MetricKeys.PREDICTION_MEAN: streaming.mean_of(
                predicted, parts.weights, MetricKeys.PREDICTION_MEAN, "predictions"
            ),
            MetricKeys.LABEL_MEAN: mean(values=labels, weights=parts.weights),
        }


def training_step(loss: Tensor, optimizer: Any, train_op_fn: Callable[[Tensor], Any] | None) -> Any:
    """The operation of a training step, with the updates of the graph's collection.

    Raises:
        ValueError: without `optimizer` and `train_op_fn`, or with both.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        train_op = optimizer.minimize(loss, global_step=get_global_step())
    elif train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    updates = get_collection(GraphKeys.UPDATE_OPS)
    return group(train_op, *updates) if updates else train_op


def binary_logistic_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM,
    loss_fn: LossFn | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of two classes; arguments as of `tf.estimator.BinaryClassHead`, the reduction one of 1.x."""
    return BinaryLogisticHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = Reduction.SUM,
    loss_fn: LossFn | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of several classes; arguments as of `tf.estimator.MultiClassHead`, the reduction one of 1.x."""
    return MultiClassSoftmaxHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM,
    loss_fn: LossFn | None = None,
    inverse_link_fn: Callable[[Tensor], Tensor] | None = None,
    name: str | None = None,
) -> CannedHead:
    """A head of numbers; arguments as of `tf.estimator.RegressionHead`, the reduction one of 1.x."""
    return MeanSquaredErrorHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def binary_or_multi_class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> CannedHead:
    """The head of a classifier of so many classes."""
    if n_classes == 2:
        return binary_logistic_head(weight_column, None, label_vocabulary, loss_reduction)
    return multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
