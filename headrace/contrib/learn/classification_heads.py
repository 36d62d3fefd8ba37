"""Heads for classes: one of two, one of several, any of several, and the side of a hyperplane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.heads import Head, SingleHead, weighted_loss
from headrace.contrib.learn.metric_key import MetricKey
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int64
from headrace.core.registry import raw
from headrace.functions.flow.assertion import Assert
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.functions.sparse.building import sparse_to_indicator
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as count
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.lookup.vocabularies import index_table_from_tensor, index_to_string_table_from_tensor
from headrace.losses.supervised import hinge_loss
from headrace.losses.weighting import Reduction
from headrace.metrics.counts import precision_at_thresholds, recall_at_thresholds
from headrace.metrics.curves import auc
from headrace.metrics.means import accuracy, mean
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.softmax import softmax
from headrace.ops.string.conversion import as_string
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_Labels = Any  # tensors, sparse tensors, or dicts of them


def multi_class_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Any = None,
) -> Head:
    """A head for one class of several, with the cross entropy; with two classes there is one logit.

    Args:
        n_classes: how many classes there are, at least 2.
        label_name: the key of the labels, if they are given by name.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own, by Adagrad.
        head_name: what summaries and metrics are suffixed by; the variable scope too.
        thresholds: for two classes: probabilities at which to measure accuracy, precision and recall, besides 0.5.
        metric_class_ids: classes with metrics of their own; for two classes there are none.
        loss_fn: of `labels`, `logits` and `weights`: another loss.
        label_keys: the labels' words where these are strings; for more than two classes.

    Returns:
        a Head.

    Raises:
        ValueError: for fewer than two classes, or arguments that two classes do not have.

    Example:
        >>> head = tf.contrib.learn.multi_class_head(3)
        >>> ops = head.create_model_fn_ops({}, "eval", tf.constant([0, 2]), logits=tf.zeros([2, 3]))
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    loss = None if loss_fn is None else _own_loss(loss_fn)
    ids = _checked_ids(metric_class_ids, n_classes)
    if n_classes == 2:
        if ids:
            raise ValueError("metric_class_ids invalid for n_classes==2.")
        if label_keys:
            raise ValueError("label_keys is not supported for n_classes=2.")
        return BinaryLogisticHead(
            label_name, weight_column_name, enable_centered_bias, head_name, tuple(thresholds or (0.5,)), loss
        )
    if label_keys and len(label_keys) != n_classes:
        raise ValueError(f"Length of label_keys must equal n_classes, got {len(label_keys)} and {n_classes}.")
    return MultiClassHead(
        n_classes,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
        ids,
        loss,
        label_keys,
    )


def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
) -> Head:
    """A head for the side of a hyperplane, with the hinge loss; arguments as in `multi_class_head`.

    Args:
        thresholds: unused by 1.15 as well, whose metrics are loss and accuracy.
    """
    del thresholds
    return BinarySvmHead(label_name, weight_column_name, enable_centered_bias, head_name)


def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
) -> Head:
    """A head for any of several classes, each with a sigmoid; arguments as in `multi_class_head`.

    Args:
        thresholds: unused by 1.15 as well, whose metrics are loss, accuracy and the areas under curves.

    Raises:
        ValueError: for fewer than two classes.
    """
    del thresholds
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    loss = None if loss_fn is None else _own_loss(loss_fn)
    ids = _checked_ids(metric_class_ids, n_classes)
    return MultiLabelHead(n_classes, label_name, weight_column_name, enable_centered_bias, head_name, ids, loss)


class _ClassificationHead(SingleHead):
    """What heads with probabilities have in common."""

    _label_keys: Any = None

    def _outputs(self, predictions: Mapping[str, Any]) -> dict[str | None, Any]:
        """Probabilities, and the names of the classes they are of."""
        scores = predictions[PredictionKey.PROBABILITIES]
        with name_scope(None, "_classification_output_alternatives", (scores,)):
            batch = composing.shape(scores)[0]
            if self._label_keys:
                names = tile(expand_dims(self._label_keys, axis=0), [batch, 1], name="classes_tensor")
            else:
                rows = tile(expand_dims(count(composing.shape(scores)[1]), axis=0), [batch, 1])
                names = as_string(rows, name="classes_tensor")
        outputs = {PredictionKey.PROBABILITIES: scores, PredictionKey.CLASSES: names}
        return {self.head_name: (self._problem_type, outputs)}

    def _with_areas(self, found: dict[str, Any], predictions: Tensor, labels: Tensor, weights: Any) -> None:
        found[self._key(MetricKey.AUC)] = _area(predictions, labels, weights)
        found[self._key(MetricKey.AUC_PR)] = _area(predictions, labels, weights, "PR")

    def _with_thresholds(
        self, found: dict[str, Any], predictions: Tensor, labels: Tensor, weights: Any, thresholds: Sequence[float]
    ) -> None:
        for threshold in thresholds:
            above = cast(raw.GreaterEqual(predictions, threshold), float32)
            found[self._key(MetricKey.ACCURACY_MEAN % threshold)] = accuracy(labels, above, weights)
            found[self._key(MetricKey.PRECISION_MEAN % threshold)] = _at(
                precision_at_thresholds, predictions, labels, weights, threshold
            )
            found[self._key(MetricKey.RECALL_MEAN % threshold)] = _at(
                recall_at_thresholds, predictions, labels, weights, threshold
            )


class BinaryLogisticHead(_ClassificationHead):
    """A head for two classes; arguments as in `multi_class_head`."""

    def __init__(
        self,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        thresholds: Sequence[float],
        loss_fn: Any = None,
    ) -> None:
        super().__init__(
            ProblemType.LOGISTIC_REGRESSION,
            1,
            loss_fn or _log_loss,
            "binary_logistic_head",
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )
        self._thresholds = thresholds

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        with name_scope(None, "predictions", (logits,)):
            both = _of_two_classes(logits)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.LOGISTIC: sigmoid(logits, name=PredictionKey.LOGISTIC),
                PredictionKey.PROBABILITIES: softmax(both, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: argmax(both, 1, name=PredictionKey.CLASSES),
            }

    def _metrics(self, reported: Tensor, predictions: Mapping[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        found = super()._metrics(reported, predictions, labels, weights)
        logistic, classes = predictions[PredictionKey.LOGISTIC], predictions[PredictionKey.CLASSES]
        found[self._key(MetricKey.ACCURACY)] = accuracy(labels, classes, weights)
        found[self._key(MetricKey.PREDICTION_MEAN)] = _mean(logistic, weights)
        found[self._key(MetricKey.LABEL_MEAN)] = _mean(cast(labels, float32), weights)
        found[self._key(MetricKey.ACCURACY_BASELINE)] = _mean(cast(labels, float32), weights)
        self._with_areas(found, logistic, labels, weights)
        self._with_thresholds(found, logistic, labels, weights, self._thresholds)
        return found


class MultiClassHead(_ClassificationHead):
    """A head for one class of more than two; arguments as in `multi_class_head`."""

    def __init__(
        self,
        n_classes: int,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        metric_class_ids: Sequence[int] = (),
        loss_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        super().__init__(
            ProblemType.CLASSIFICATION,
            n_classes,
            loss_fn or _cross_entropy,
            "multi_class_head",
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )
        self._metric_class_ids, self._label_keys = metric_class_ids, label_keys

    def _labels(self, labels: _Labels) -> Any:
        found = super()._labels(labels)
        if self._label_keys is None:
            return found
        return index_table_from_tensor(self._label_keys, name="label_id_lookup").lookup(found)

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        with name_scope(None, "predictions", (logits,)):
            classes = argmax(logits, 1, name=PredictionKey.CLASSES)
            if self._label_keys is not None:
                table = index_to_string_table_from_tensor(self._label_keys, name="class_string_lookup")
                classes = table.lookup(classes)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: softmax(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: classes,
            }

    def _metrics(self, reported: Tensor, predictions: Mapping[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        found = super()._metrics(reported, predictions, labels, weights)
        classes = predictions[PredictionKey.CLASSES]
        if self._label_keys is not None:
            classes = argmax(predictions[PredictionKey.LOGITS], 1)
        found[self._key(MetricKey.ACCURACY)] = accuracy(labels, classes, weights)
        # Where classes have names there are no metrics of each, in 1.15 too.
        for number in () if self._label_keys is not None else self._metric_class_ids:
            each = {
                MetricKey.CLASS_PREDICTION_MEAN: raw.Equal(classes, number),
                MetricKey.CLASS_LABEL_MEAN: raw.Equal(labels, number),
                MetricKey.CLASS_PROBABILITY_MEAN: predictions[PredictionKey.PROBABILITIES][:, number],
                MetricKey.CLASS_LOGITS_MEAN: predictions[PredictionKey.LOGITS][:, number],
            }
            for key, values in each.items():
                found[self._key(key % number)] = _column_mean(values, weights)
        return found


class BinarySvmHead(SingleHead):
    """A head for the side of a hyperplane; arguments as in `binary_svm_head`."""

    def __init__(
        self,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
    ) -> None:
        super().__init__(
            ProblemType.LOGISTIC_REGRESSION,
            1,
            _hinge,
            "binary_svm_head",
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        with name_scope(None, "predictions", (logits,)):
            classes = argmax(_of_two_classes(logits), 1, name=PredictionKey.CLASSES)
            return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _metrics(self, reported: Tensor, predictions: Mapping[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        found = super()._metrics(reported, predictions, labels, weights)
        found[self._key(MetricKey.ACCURACY)] = accuracy(labels, predictions[PredictionKey.CLASSES], weights)
        return found


class MultiLabelHead(_ClassificationHead):
    """A head for any of several classes; arguments as in `multi_label_head`."""

    def __init__(
        self,
        n_classes: int,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        metric_class_ids: Sequence[int],
        loss_fn: Any = None,
    ) -> None:
        super().__init__(
            ProblemType.CLASSIFICATION,
            n_classes,
            loss_fn or _sigmoid_loss,
            "multi_label_head",
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )
        self._metric_class_ids = metric_class_ids

    def _labels(self, labels: _Labels) -> Any:
        """0 or 1 for each class; sparse labels hold the numbers of those that an example has."""
        given = convert_to_tensor_or_sparse_tensor(labels[self.label_name] if isinstance(labels, dict) else labels)
        if isinstance(given, SparseTensor):
            if self._logits_dimension < 2:
                raise ValueError(
                    f"Must set num_classes >= 2 when passing labels as a SparseTensor; got {self._logits_dimension}."
                )
            return cast(sparse_to_indicator(given, self._logits_dimension), int64)
        return given

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        with name_scope(None, "predictions", (logits,)):
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.PROBABILITIES: sigmoid(logits, name=PredictionKey.PROBABILITIES),
                PredictionKey.CLASSES: cast(raw.Greater(logits, 0.0), int64, name=PredictionKey.CLASSES),
            }

    def _metrics(self, reported: Tensor, predictions: Mapping[str, Any], labels: Any, weights: Any) -> dict[str, Any]:
        found = super()._metrics(reported, predictions, labels, weights)
        classes, probabilities = predictions[PredictionKey.CLASSES], predictions[PredictionKey.PROBABILITIES]
        found[self._key(MetricKey.ACCURACY)] = accuracy(labels, classes, weights)
        self._with_areas(found, probabilities, labels, weights)
        for number in self._metric_class_ids:
            each = {
                MetricKey.CLASS_PREDICTION_MEAN: classes,
                MetricKey.CLASS_LABEL_MEAN: labels,
                MetricKey.CLASS_PROBABILITY_MEAN: probabilities,
                MetricKey.CLASS_LOGITS_MEAN: predictions[PredictionKey.LOGITS],
            }
            for key, values in each.items():
                found[self._key(key % number)] = _class_mean(values, weights, number)
            of_class = (probabilities[:, number], labels[:, number], _class_weights(weights, probabilities, number))
            found[self._key(MetricKey.CLASS_AUC % number)] = _area(*of_class)
            found[self._key(MetricKey.CLASS_AUC_PR % number)] = _area(*of_class, "PR")
        return found


def _checked_ids(ids: Sequence[int] | None, n_classes: int) -> tuple[int, ...]:
    found = tuple(ids or ())
    for number in found:
        if number < 0 or number >= n_classes:
            raise ValueError(f"Class ID {number} not in [0, {n_classes}).")
    return found


def _of_two_classes(logits: Tensor) -> Tensor:
    """The logits of two classes, the first of which has 0 (the sigmoid is a softmax over these)."""
    return composing.concat([composing.zeros_like(logits), logits], 1)


def _own_loss(loss_fn: Callable[..., Any]) -> Any:
    taken = fn_args(loss_fn)
    for name in ("labels", "logits", "weights"):
        if name not in taken:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def loss(labels: Tensor, logits: Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
        value = loss_fn(labels=labels, logits=logits, weights=weights)
        return value, value

    return loss


def _log_loss(labels: Tensor, logits: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "log_loss_with_two_classes", (logits, labels)) as name:
        logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
        numbers = cast(labels, float32)
        if len(labels.get_shape()) == 1:
            numbers = expand_dims(numbers, axis=1)
        return weighted_loss(sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits, name=name), weights)


def _cross_entropy(labels: Tensor, logits: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "softmax_cross_entropy_loss", (logits, labels)) as name:
        labels = convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype!r}.")
        is_column = len(labels.get_shape()) == 2
        if is_column:
            labels = squeeze(labels, axis=(1,))
        loss = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        # Weights are a column where labels are.
        return weighted_loss(expand_dims(loss, axis=1) if is_column else loss, weights)


def _sigmoid_loss(labels: Tensor, logits: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "sigmoid_cross_entropy_loss", (logits, labels)) as name:
        numbers = cast(labels, float32)
        return weighted_loss(sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits, name=name), weights)


def _hinge(labels: Tensor, logits: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "hinge_loss", (logits, labels)) as name:
        message = "labels shape should be either [batch_size, 1] or [batch_size]"
        with control_dependencies([Assert(raw.LessEqual(composing.rank(labels), 2), [message])]):
            labels = reshape(labels, (-1, 1))
        loss = hinge_loss(labels=labels, logits=logits, scope=name, reduction=Reduction.NONE)
        return weighted_loss(loss, weights)


def _broadcast(weights: Any, values: Tensor) -> Any:
    return None if weights is None else broadcast_weights(weights, values)


def _mean(values: Tensor, weights: Any) -> Any:
    return mean(values, weights=_broadcast(weights, values))


def _column_mean(values: Tensor, weights: Any) -> Any:
    """The mean of a vector or column whose weights are a column."""
    numbers = cast(values, float32)
    if weights is not None and numbers.get_shape().ndims == 1:
        numbers = expand_dims(numbers, axis=1)
    return mean(numbers, weights=_broadcast(weights, numbers))


def _class_mean(values: Tensor, weights: Any, number: int) -> Any:
    numbers = cast(values, float32)
    return mean(numbers[:, number], weights=_class_weights(weights, numbers, number))


def _class_weights(weights: Any, values: Tensor, number: int) -> Any:
    return None if weights is None else broadcast_weights(weights, values)[:, number]


def _area(predictions: Tensor, labels: Tensor, weights: Any, curve: str = "ROC") -> Any:
    if labels.dtype.base_dtype.name != "bool":
        tf_logging.warning("Casting %s labels to bool.", labels.dtype)
        labels = cast(labels, "bool")
    return auc(labels, predictions, weights=_broadcast(weights, predictions), curve=curve)


def _at(metric: Callable[..., Any], predictions: Tensor, labels: Tensor, weights: Any, threshold: float) -> Any:
    value, update = metric(labels, predictions, thresholds=(threshold,), weights=_broadcast(weights, predictions))
    return squeeze(value), squeeze(update)
