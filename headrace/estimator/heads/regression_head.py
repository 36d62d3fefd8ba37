"""`RegressionHead`: numbers; and the heads of the other distributions that numbers may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.estimator.heads.base_head import Metrics, SingleHead, update_broadcast
from headrace.estimator.heads.checking import (
    LossFn,
    call_loss_fn,
    check_label_range,
    check_labels,
    check_logits_final_dim,
    check_loss_fn,
    check_loss_reduction,
    weights_of,
)
from headrace.estimator.heads.keys import (
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    REGRESS_SERVING_KEY,
    MetricKeys,
    PredictionKeys,
)
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headrace.functions.nn.loss_functions import log_poisson_loss
from headrace.keras.metrics.means import Mean
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.losses.supervised import mean_squared_error
from headrace.losses.weighting import Reduction
from headrace.ops.math.cast import to_float
from headrace.ops.math.unary import exp, sigmoid
from headrace.saved_model.export_output import ExportOutput, PredictOutput, RegressionOutput


class RegressionHead(SingleHead):
    """Numbers, by their squared error.

    Args:
        label_dimension: how many numbers an example has.
        weight_column: the key or numeric column of the weights of examples.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        loss_fn: of `labels`, `logits` and, as it likes, `features` and `loss_reduction`: the losses of examples.
        inverse_link_fn: of logits: the predictions. The identity by default.
        name: its name, which is part of those of its metrics.

    Raises:
        ValueError: for a dimension below 1, a wrong reduction, or a function that takes other arguments.

    Example:
        >>> head = tf.estimator.RegressionHead()
        >>> loss = head.loss(labels=[[1.0], [2.0]], logits=tf.constant([[1.5], [4.0]]))
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        loss_fn: LossFn | None = None,
        inverse_link_fn: Callable[[Tensor], Tensor] | None = None,
        name: str | None = None,
    ) -> None:
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        check_loss_reduction(loss_reduction)
        check_loss_fn(loss_fn)
        self._logits_dimension, self._weight_column, self._loss_fn = label_dimension, weight_column, loss_fn
        self._loss_reduction, self._inverse_link_fn, self._name = loss_reduction, inverse_link_fn, name

    @property
    def logits_dimension(self) -> int:
        """How many numbers an example has."""
        return self._logits_dimension

    def checked_logits(self, logits: Any) -> Tensor:
        """Logits of as many dimensions at the end as labels have."""
        return check_logits_final_dim(logits, self._logits_dimension)

    def processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """Labels as floats."""
        return to_float(check_labels(labels, logits, self._logits_dimension, self.in_canned_order))

    def losses_and_weights(self, logits: Tensor, labels: Tensor, features: Any) -> tuple[Tensor, Any]:
        """The losses of each number, and the weights."""
        if self._loss_fn:
            losses = call_loss_fn(self._loss_fn, labels, logits, features, self._logits_dimension)
        else:
            losses = mean_squared_error(labels=labels, predictions=logits, reduction=Reduction.NONE)
        return losses, weights_of(features, self._weight_column, logits, allow_per_logit_weights=True)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions by name: the numbers, and with a link function the logits.

        Args:
            logits: tensor.
            keys: which ones; all by default.
        """
        logits = self.checked_logits(logits)
        with name_scope(None, "predictions", (logits,)):
            made = self.predictions_of(logits)
        return made if keys is None else {key: made[key] for key in keys}

    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        """The predictions by name, of logits whose shape has been checked, below no name of their own."""
        if self._inverse_link_fn is None:
            return {PredictionKeys.PREDICTIONS: logits}
        return {PredictionKeys.PREDICTIONS: self._inverse_link_fn(logits), PredictionKeys.LOGITS: logits}

    def export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        """The numbers as a regression, and the predictions as they are."""
        numbers = RegressionOutput(value=predictions[PredictionKeys.PREDICTIONS])
        return {
            DEFAULT_SERVING_KEY: numbers,
            REGRESS_SERVING_KEY: numbers,
            PREDICT_SERVING_KEY: PredictOutput(dict(predictions)),
        }

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name."""
        with name_scope(None, "metrics", (regularization_losses,)):
            made: Metrics = {
                self._summary_key(name): Mean(name=name)
                for name in (MetricKeys.LOSS_MEAN, MetricKeys.PREDICTION_MEAN, MetricKeys.LABEL_MEAN)
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
        predicted = self.predictions(logits)[PredictionKeys.PREDICTIONS]
        labels = self.processed_labels(logits, labels)
        losses, weights = self.losses_and_weights(logits, labels, features)
        key = self._summary_key
        eval_metrics[key(MetricKeys.LOSS_MEAN)].update_state(values=losses, sample_weight=weights)
        eval_metrics[key(MetricKeys.LABEL_MEAN)].update_state(values=labels, sample_weight=weights)
        update_broadcast(eval_metrics[key(MetricKeys.PREDICTION_MEAN)], predicted, weights)
        self._update_regularization(eval_metrics, regularization_losses)
        return eval_metrics


class PoissonRegressionHead(RegressionHead):
    """Counts, by the Poisson loss of the exponential of the logits.

    Args:
        label_dimension, weight_column, loss_reduction, name: as of `RegressionHead`.
        compute_full_loss: whether the loss has the term of the labels' factorials, by Stirling's approximation.

    Example:
        >>> head = tf.estimator.PoissonRegressionHead()
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(label_dimension, weight_column, loss_reduction, self._poisson_loss, exp, name)
        self._compute_full_loss = compute_full_loss

    def _poisson_loss(self, labels: Tensor, logits: Tensor) -> Tensor:
        return log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=self._compute_full_loss)


class LogisticRegressionHead(RegressionHead):
    """Probabilities, by the sigmoid cross entropy of the logits.

    Args:
        weight_column, loss_reduction, name: as of `RegressionHead`.

    Example:
        >>> head = tf.estimator.LogisticRegressionHead()
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:
        super().__init__(1, weight_column, loss_reduction, _checked_logistic_loss, sigmoid, name)


def logistic_loss(labels: Tensor, logits: Tensor) -> Tensor:
    """The cross entropy of probabilities, which must lie in [0, 1]."""
    return _logistic_loss(labels, logits, "assert_range")


def _checked_logistic_loss(labels: Tensor, logits: Tensor) -> Tensor:
    return _logistic_loss(labels, logits, "check_label_range")


def _logistic_loss(labels: Tensor, logits: Tensor, scope: str) -> Tensor:
    labels = check_label_range(labels, n_classes=2, message="Labels must be in range [0, 1]", scope=scope)
    return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
