"""What a model is to predict: losses, predictions and metrics of a target, as heads had them before there were heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.losses.predictions_first import hinge_loss
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.kernels import composing
from headrace.kernels.composing.shapes import squeeze
from headrace.metrics.legacy_names import (
    streaming_accuracy,
    streaming_auc,
    streaming_precision_at_thresholds,
    streaming_recall_at_thresholds,
)
from headrace.metrics.means import mean as streaming_mean
from headrace.ops.array.shape import reshape
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.softmax import softmax

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


_Loss = Callable[[Tensor, Tensor], Tensor]


class ProblemType:
    """What kind of problem a target is."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class _TargetColumn:
    """The base of targets.

    Args:
        loss_fn: a function from logits and target to the losses of the examples.
        num_label_columns: how many logits an example has.
        label_name: the target's name where there are several.
        weight_column_name: the feature with the examples' weights, or None.
        problem_type: one of `ProblemType`.
    """

    def __init__(
        self,
        loss_fn: _Loss | None,
        num_label_columns: int,
        label_name: str | None,
        weight_column_name: str | None,
        problem_type: int,
    ) -> None:
        if loss_fn is None:
            raise ValueError("loss_fn must be provided")
        if num_label_columns is None:
            raise ValueError("num_label_columns must be provided")
        self._loss_fn = loss_fn
        self._num_label_columns = num_label_columns
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._problem_type = problem_type

    @property
    def label_name(self) -> str | None:
        """The target's name."""
        return self._label_name

    @property
    def weight_column_name(self) -> str | None:
        """The feature with the weights."""
        return self._weight_column_name

    @property
    def num_label_columns(self) -> int:
        """How many logits an example has."""
        return self._num_label_columns

    @property
    def problem_type(self) -> int:
        """One of `ProblemType`."""
        return self._problem_type

    def get_weight_tensor(self, features: Mapping[str, Any]) -> Tensor | None:
        """The weights of the examples as a vector, or None."""
        if not self._weight_column_name:
            return None
        return reshape(cast(features[self._weight_column_name], float32), (-1,))

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """What logits predict."""
        raise NotImplementedError

    def get_eval_ops(
        self,
        features: Nested[Tensor],
        logits: Tensor,
        labels: Tensor,
        metrics: Mapping[str | Sequence[str], Callable[..., Any] | None] | None = None,
    ) -> dict[str, Any]:
        """Metrics and their updates by name, the loss among them."""
        raise NotImplementedError

    def _losses(self, logits: Tensor, target: Tensor, features: Any) -> tuple[Tensor, Tensor | None]:
        """The losses of the examples, weighted where there are weights, and these."""
        target = target[self._label_name] if isinstance(target, dict) else target
        losses, weights = self._loss_fn(logits, target), self.get_weight_tensor(features)
        if weights is None:
            return losses, None
        return raw.Mul(reshape(losses, (-1,)), reshape(weights, (-1,))), weights

    def training_loss(
        self, logits: Tensor, target: Tensor, features: Nested[Tensor], name: str = "training_loss"
    ) -> Tensor:
        """The mean of the weighted losses."""
        return reduce_mean(self._losses(logits, target, features)[0], name=name)

    def loss(self, logits: Tensor, target: Tensor, features: Nested[Tensor]) -> Tensor:
        """The weighted mean of the losses."""
        losses, weights = self._losses(logits, target, features)
        if weights is None:
            return reduce_mean(losses, name="loss")
        return div(reduce_sum(losses), cast(reduce_sum(weights), float32), name="loss")

    def _measured(self, predictions: Tensor, labels: Tensor, metrics: Any, features: Any) -> dict[str, Any]:
        weights = self.get_weight_tensor(features)
        more = {} if weights is None else {"weights": weights}
        labels = cast(labels, predictions.dtype)
        return {name: metric(predictions, labels, **more) for name, metric in (metrics or {}).items()}


class _RegressionTargetColumn(_TargetColumn):
    """Numbers."""

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The logits; a vector where there is one an example."""
        return squeeze(logits, axis=[1]) if self._num_label_columns == 1 else logits

    def get_eval_ops(
        self,
        features: Nested[Tensor],
        logits: Tensor,
        labels: Tensor,
        metrics: Mapping[str | Sequence[str], Callable[..., Any] | None] | None = None,
    ) -> dict[str, Any]:
        """The mean loss, and `metrics` of the predictions."""
        result = {"loss": streaming_mean(self.loss(logits, labels, features))}
        if metrics:
            result.update(self._measured(self.logits_to_predictions(logits), labels, metrics, features))
        return result


class _MultiClassTargetColumn(_TargetColumn):
    """Classes: one logit where there are two, else one each."""

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The likeliest classes, or with `proba` the probabilities of all."""
        if self._num_label_columns == 1:
            logits = composing.concat([composing.zeros_like(logits), logits], 1)
        return softmax(logits) if proba else argmax(logits, 1)

    def get_eval_ops(
        self, features: Nested[Tensor], logits: Tensor, labels: Tensor, metrics: Any = None
    ) -> dict[str, Any]:
        """The mean loss, for two classes the usual metrics, and `metrics`, by default the accuracy.

        A metric's name is a string, or a pair of one and "classes" or "probabilities": what it is a metric of.

        Raises:
            ValueError: for other names.
        """
        result = {"loss": streaming_mean(self.loss(logits, labels, features))}
        if metrics is None:
            metrics = {("accuracy", "classes"): streaming_accuracy}
        found = sigmoid(logits)
        numbers = cast(labels, float32)
        if self._num_label_columns == 1:
            for name, metric in get_default_binary_metrics_for_eval([0.5]).items():
                result[name] = metric(found, numbers)
        by_kind: dict[str, dict[str, Any]] = {"classes": {}, "probabilities": {}}
        for name, metric in metrics.items():
            key, kind = _metric_name(name)
            by_kind[kind][key] = metric
        for kind, chosen in by_kind.items():
            if chosen:
                predictions = self.logits_to_predictions(logits, proba=kind == "probabilities")
                result.update(self._measured(predictions, labels, chosen, features))
        return result


class _BinarySvmTargetColumn(_MultiClassTargetColumn):
    """Two classes by the side of a hyperplane."""

    def logits_to_predictions(self, logits: Tensor, proba: bool = False) -> Tensor:
        """The classes.

        Raises:
            ValueError: with `proba`.
        """
        if proba:
            raise ValueError("logits to probabilities is not supported for _BinarySvmTargetColumn")
        return super().logits_to_predictions(logits)


def _metric_name(name: str | Sequence[str]) -> tuple[str, str]:
    """A metric's name, and what it is a metric of."""
    if isinstance(name, str):
        return name, "classes"
    if not isinstance(name, tuple):
        raise ValueError(f"Ignoring metric {name}. Its name is not in the correct form.")
    if len(name) != 2:
        raise ValueError(f"Ignoring metric {name}. It returned a tuple with len {len(name)}, expected 2.")
    if name[1] not in ("classes", "probabilities"):
        raise ValueError(
            f"Ignoring metric {name}. The 2nd element of its name should be either 'classes' or 'probabilities'."
        )
    return name


def regression_target(
    label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1
) -> _RegressionTargetColumn:
    """A target of numbers, with squared errors.

    Args:
        label_name: the target's name where there are several.
        weight_column_name: the feature with the examples' weights, or None.
        label_dimension: how many numbers an example has.

    Example:
        >>> loss = tf.contrib.layers.regression_target().loss(tf.constant([[1.0], [2.0]]), tf.constant([2.0, 4.0]), {})
        >>> sess.run(loss)
        2.5
    """
    kind = ProblemType.LINEAR_REGRESSION
    return _RegressionTargetColumn(_squared_error, label_dimension, label_name, weight_column_name, kind)


def multi_class_target(
    n_classes: int, label_name: Any = None, weight_column_name: str | None = None
) -> _MultiClassTargetColumn:
    """A target of classes, with cross entropies.

    Args:
        n_classes: how many there are.
        label_name, weight_column_name: as for `regression_target`.

    Raises:
        ValueError: for fewer than two.

    Example:
        >>> loss = tf.contrib.layers.multi_class_target(10).loss(tf.zeros([4, 10]), labels, {})
        >>> sess.run(loss)  # log(10)
        2.302...
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    loss, columns = (_log_loss, 1) if n_classes == 2 else (_cross_entropy, n_classes)
    return _MultiClassTargetColumn(loss, columns, label_name, weight_column_name, ProblemType.CLASSIFICATION)


def binary_svm_target(label_name: Any = None, weight_column_name: Any = None) -> _BinarySvmTargetColumn:
    """A target of two classes, with hinge losses; the arguments are those of `regression_target`.

    Example:
        >>> loss = binary_svm_target().loss(tf.constant([[0.5], [-2.0]]), tf.constant([1, 0]), {})
        >>> sess.run(loss)
        0.25
    """
    kind = ProblemType.CLASSIFICATION
    return _BinarySvmTargetColumn(_hinge, 1, label_name, weight_column_name, kind)


def _as_column(target: Tensor) -> Tensor:
    return composing.expand_dims(target, 1) if len(target.get_shape()) == 1 else target


def _squared_error(logits: Tensor, target: Tensor) -> Tensor:
    target = _as_column(target)
    logits.get_shape().assert_is_compatible_with(target.get_shape())
    return raw.SquaredDifference(logits, cast(target, float32))


def _log_loss(logits: Tensor, target: Tensor) -> Tensor:
    return sigmoid_cross_entropy_with_logits(labels=cast(_as_column(target), float32), logits=logits)


def _cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    if not target.dtype.is_integer:
        raise ValueError(f"Target's dtype should be integer Instead got {target.dtype}.")
    if len(target.get_shape()) == 2:
        target = squeeze(target, axis=[1])
    return sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)


def _hinge(logits: Tensor, target: Tensor) -> Tensor:
    message = "target's shape should be either [batch_size, 1] or [batch_size]"
    with control_dependencies([Assert(raw.LessEqual(composing.rank(target), 2), [message])]):
        target = reshape(target, [composing.shape(target)[0], 1])
    return hinge_loss(logits, target)


def get_default_binary_metrics_for_eval(thresholds: Sequence[float]) -> dict[str, Any]:
    """The usual metrics of two classes, by name: functions of predictions, labels and weights.

    Args:
        thresholds: numbers from which on a probability counts as the class; each has metrics of its own.

    Example:
        >>> metrics = get_default_binary_metrics_for_eval([0.5])
    """
    metrics: dict[str, Any] = {
        "labels/prediction_mean": lambda predictions, labels, weights=None: streaming_mean(
            predictions, weights=weights
        ),
        "labels/actual_target_mean": _label_mean,
        "accuracy/baseline_target_mean": _label_mean,
        "auc": lambda predictions, labels, weights=None: streaming_auc(predictions, labels, weights=_floats(weights)),
    }
    precision, recall = streaming_precision_at_thresholds, streaming_recall_at_thresholds
    for threshold in thresholds:
        metrics[f"accuracy/threshold_{threshold:f}_mean"] = _accuracy_at(threshold)
        metrics[f"precision/positive_threshold_{threshold:f}_mean"] = _at_threshold(precision, threshold)
        metrics[f"recall/positive_threshold_{threshold:f}_mean"] = _at_threshold(recall, threshold)
    return metrics


def _floats(weights: Any) -> Any:
    return None if weights is None else cast(weights, float32)


def _label_mean(predictions: Tensor, labels: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    return streaming_mean(labels, weights=weights)


def _accuracy_at(threshold: float) -> Callable[..., Any]:
    def accuracy(predictions: Tensor, labels: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
        classes = cast(raw.GreaterEqual(predictions, threshold), float32)
        return streaming_accuracy(predictions=classes, labels=labels, weights=weights)

    return accuracy


def _at_threshold(metric: Callable[..., Any], threshold: float) -> Callable[..., Any]:
    def measured(predictions: Tensor, labels: Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
        value, update = metric(predictions, labels=labels, thresholds=[threshold], weights=_floats(weights))
        return squeeze(value), update

    return measured
