"""The functions of `tf.keras.losses`, which give the loss of each example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.functions.flow.case import smart_cond
from headrace.functions.math.reduction import reduce_all, reduce_max, reduce_mean, reduce_sum
from headrace.functions.nn.moments import l2_normalize
from headrace.keras.backend import crossentropy
from headrace.keras.backend.arithmetic import clip
from headrace.keras.backend_config import epsilon, floatx
from headrace.kernels.composing.shapes import shape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Predictions as a tensor, and labels of their type."""
    y_pred = convert_to_tensor(y_pred)
    return cast(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the squared differences.

    Args:
        y_true: labels, of shape (batch, ..., n).
        y_pred: predictions of that shape.

    Returns:
        a tensor of shape (batch, ...).
    """
    labels, predictions = _pair(y_true, y_pred)
    return reduce_mean(raw.SquaredDifference(predictions, labels), axis=-1)


def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the absolute differences; arguments as in `mean_squared_error`."""
    labels, predictions = _pair(y_true, y_pred)
    return reduce_mean(raw.Abs(predictions - labels), axis=-1)


def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the absolute differences in percents of the labels; arguments as in `mean_squared_error`."""
    labels, predictions = _pair(y_true, y_pred)
    difference = labels - predictions
    return 100.0 * reduce_mean(raw.Abs(difference / clip(raw.Abs(labels), epsilon(), None)), axis=-1)


def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the squared differences of log(1 + value), values being at least epsilon; as in `mean_squared_error`."""
    labels, predictions = _pair(y_true, y_pred)
    first = raw.Log(clip(predictions, epsilon(), None) + 1.0)
    second = raw.Log(clip(labels, epsilon(), None) + 1.0)
    return reduce_mean(raw.SquaredDifference(first, second), axis=-1)


def _maybe_convert_labels(y_true: Tensor) -> Tensor:
    """Labels of -1 and 1, from such or, if all are 0 or 1, from these."""
    binary = reduce_all(raw.LogicalOr(raw.Equal(y_true, 0), raw.Equal(y_true, 1)))
    return smart_cond(binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def _margin(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """How far predictions are from being on the labels' side by 1."""
    labels, predictions = _pair(y_true, y_pred)
    return raw.Maximum(1.0 - _maybe_convert_labels(labels) * predictions, 0.0)


def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of max(0, 1 - label * prediction).

    Cortes and Vapnik, "Support-vector networks", Machine Learning 20 (1995).

    Args:
        y_true: labels of -1 and 1; all of 0 and 1 are taken for these.
        y_pred: predictions.
    """
    return reduce_mean(_margin(y_true, y_pred), axis=-1)


def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the squares of max(0, 1 - label * prediction); arguments as in `hinge`."""
    return reduce_mean(raw.Square(_margin(y_true, y_pred)), axis=-1)


def categorical_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """max(0, 1 + the largest prediction of another class - that of the class itself).

    Args:
        y_true: labels of 0 and 1, one class each.
        y_pred: predictions for all classes.
    """
    labels, predictions = _pair(y_true, y_pred)
    own = reduce_sum(labels * predictions, axis=-1)
    other = reduce_max((1.0 - labels) * predictions, axis=-1)
    return raw.Maximum(0.0, other - own + 1.0)


def huber_loss(y_true: TensorLike, y_pred: TensorLike, delta: float = 1.0) -> Tensor:
    """Half the squared difference up to `delta`, and linear from there, of each value.

    Huber, "Robust estimation of a location parameter", The Annals of Mathematical Statistics 35 (1964).

    Args:
        y_true: labels.
        y_pred: predictions.
        delta: where the square ends.

    Returns:
        a tensor of the shape of `y_pred`.
    """
    distance = raw.Abs(raw.Sub(cast(y_pred, floatx()), cast(y_true, floatx())))
    near = raw.Minimum(distance, delta)
    beyond = raw.Sub(distance, near)
    half = convert_to_tensor(0.5, near.dtype)
    return raw.Add(raw.Mul(half, raw.Mul(near, near)), raw.Mul(delta, beyond))


def logcosh(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of log(cosh(difference)), which is half its square if that is small, else its size less log(2).

    Args:
        y_true: labels.
        y_pred: predictions.
    """
    labels, predictions = _pair(y_true, y_pred)
    x = predictions - labels
    return reduce_mean(x + raw.Softplus(-2.0 * x) - raw.Log(convert_to_tensor(2.0, x.dtype)), axis=-1)


def categorical_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float | TensorLike = 0
) -> Tensor:
    """The cross entropy of distributions over classes.

    Args:
        y_true: labels, as distributions.
        y_pred: predictions; they are divided by their sum, unless they are logits.
        from_logits: whether they are logits.
        label_smoothing: the share of the labels that is spread over all classes.

    Returns:
        a tensor of shape (batch, ...).
    """
    labels, predictions = _pair(y_true, y_pred)
    smoothing = convert_to_tensor(label_smoothing, floatx())
    if not (isinstance(label_smoothing, (int, float)) and label_smoothing == 0):
        share = cast(smoothing, predictions.dtype)
        count = cast(shape(labels)[1], predictions.dtype)
        labels = labels * (1.0 - share) + share / count
    return crossentropy.categorical_crossentropy(labels, predictions, from_logits=from_logits)


def sparse_categorical_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross entropy of classes and distributions over classes.

    Args:
        y_true: labels, the numbers of classes.
        y_pred: predictions for all classes.
        from_logits: whether they are logits.
        axis: the dimension of the classes.
    """
    return crossentropy.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(
    y_true: TensorLike, y_pred: TensorLike, from_logits: bool = False, label_smoothing: float | TensorLike = 0
) -> Tensor:
    """The mean of the cross entropies of two classes.

    Args:
        y_true: labels, the probabilities of class 1.
        y_pred: predictions.
        from_logits: whether they are logits.
        label_smoothing: the share of the labels that is spread over both classes.
    """
    labels, predictions = _pair(y_true, y_pred)
    smoothing = convert_to_tensor(label_smoothing, floatx())
    if not (isinstance(label_smoothing, (int, float)) and label_smoothing == 0):
        share = cast(smoothing, predictions.dtype)
        labels = labels * (1.0 - share) + 0.5 * share
    return reduce_mean(crossentropy.binary_crossentropy(labels, predictions, from_logits=from_logits), axis=-1)


def kullback_leibler_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The sum of label * log(label / prediction), both at least epsilon and at most 1.

    Kullback and Leibler, "On information and sufficiency", The Annals of Mathematical Statistics 22 (1951).

    Args:
        y_true: labels, as distributions.
        y_pred: predictions.
    """
    labels, predictions = _pair(y_true, y_pred)
    labels = clip(labels, epsilon(), 1)
    predictions = clip(predictions, epsilon(), 1)
    return reduce_sum(labels * raw.Log(labels / predictions), axis=-1)


def poisson(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of prediction - label * log(prediction): what counts of events lose, up to what no prediction changes.

    Args:
        y_true: labels, the counts.
        y_pred: predictions of their expectation.
    """
    labels, predictions = _pair(y_true, y_pred)
    return reduce_mean(predictions - labels * raw.Log(predictions + epsilon()), axis=-1)


def cosine_proximity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The cosine of the angle between labels and predictions: 1 where they point the same way.

    Args:
        y_true: labels.
        y_pred: predictions.
        axis: the dimension along which the vectors lie.
    """
    return reduce_sum(l2_normalize(y_true, axis=axis) * l2_normalize(y_pred, axis=axis), axis=axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
cosine_similarity = cosine_proximity
