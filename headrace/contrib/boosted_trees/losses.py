"""Losses of each example, as boosted trees need them: with second derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits
from headrace.kernels.composing.arranging import identity
from headrace.losses.supervised import hinge_loss
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _weighted(loss: Tensor, weights: TensorLike) -> Tensor:
    return raw.Mul(loss, convert_to_tensor(weights, dtype=float32))


def _checked_columns(predictions: Tensor, name: str) -> None:
    columns = predictions.shape[1].value if predictions.shape.ndims == 2 else None
    if columns is not None and columns != 1:
        raise ValueError(f"{name} is only supported for models with one logit, got predictions of {columns} columns")


def per_example_logistic_loss(labels: TensorLike, weights: TensorLike, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """The logistic loss.

    Args:
        labels: 0 or 1, of shape [examples, 1].
        weights: of the same shape.
        predictions: logits of the same shape.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.

    Example:
        >>> from headrace.contrib.boosted_trees.python.utils import losses
        >>> loss, update = losses.per_example_logistic_loss(tf.ones([1, 1]), tf.ones([1, 1]), tf.zeros([1, 1]))
        >>> with tf.Session() as sess:
        ...     print(sess.run(loss).round(4))
        [[0.6931]]
    """
    labels = raw.Cast(convert_to_tensor(labels), DstT=float32)
    unweighted = sigmoid_cross_entropy_with_logits(labels=labels, logits=predictions)
    return _weighted(unweighted, weights), raw.NoOp()


def per_example_quantile_regression_loss(
    labels: TensorLike, weights: TensorLike | None, predictions: Tensor, quantile: float
) -> tuple[Tensor, Tensor]:
    """A loss whose least is near a quantile: errors weighted by the side they are on, squared where that is less than 1.

    Args:
        labels: of shape [examples, 1].
        weights: of the same shape, or None.
        predictions: of the same shape.
        quantile: which quantile, between 0 and 1.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.
    """
    error = raw.Sub(raw.Cast(convert_to_tensor(labels), DstT=float32), predictions)
    size = raw.Maximum(raw.Mul(error, quantile), raw.Mul(error, quantile - 1.0))
    loss = where(raw.Less(size, 1.0), raw.Square(size), size)
    return loss if weights is None else _weighted(loss, weights), raw.NoOp()


def per_example_maxent_loss(
    labels: TensorLike, weights: TensorLike | None, logits: Tensor, num_classes: int, eps: float = 1e-15
) -> tuple[Tensor, Tensor]:
    """The entropy of the classes' probabilities, of the softmax of logits.

    Args:
        labels: class numbers, of shape [examples, 1].
        weights: of the same shape, or None.
        logits: of shape [examples, classes].
        num_classes: how many classes.
        eps: the least probability.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.
    """
    classes = raw.Cast(convert_to_tensor(labels), DstT=int64)
    if classes.shape.ndims == 2:
        classes = raw.Squeeze(classes, squeeze_dims=[1])
    chosen = raw.OneHot(classes, num_classes, 1.0, 0.0)
    shifted = raw.Exp(raw.Sub(logits, reduce_max(logits, axis=1, keepdims=True)))
    total = reduce_sum(shifted, axis=1, keepdims=True)
    probabilities = raw.Maximum(raw.RealDiv(reduce_sum(raw.Mul(chosen, shifted), axis=1, keepdims=True), total), eps)
    loss = raw.Neg(raw.Log(probabilities))
    return loss if weights is None else _weighted(loss, weights), raw.NoOp()


def per_example_squared_loss(labels: TensorLike, weights: TensorLike, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """The squared error, summed over the columns.

    Args:
        labels: of shape [examples, dimensions].
        weights: of shape [examples, 1].
        predictions: of the shape of the labels.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.
    """
    labels = raw.Cast(convert_to_tensor(labels), DstT=float32)
    unweighted = reduce_sum(raw.SquaredDifference(predictions, labels), axis=1, keepdims=True)
    return _weighted(unweighted, weights), raw.NoOp()


def per_example_squared_hinge_loss(
    labels: TensorLike, weights: TensorLike, predictions: Tensor
) -> tuple[Tensor, Tensor]:
    """The square of the mean hinge loss: one number for the batch.

    Args:
        labels: 0 or 1, of shape [examples, 1].
        weights: of the same shape.
        predictions: of the same shape.

    Returns:
        a scalar, and an operation that updates nothing.
    """
    return raw.Square(
        hinge_loss(labels=convert_to_tensor(labels), logits=predictions, weights=convert_to_tensor(weights))
    ), raw.NoOp()


def per_example_exp_loss(
    labels: TensorLike, weights: TensorLike, predictions: Tensor, name: str | None = None, eps: float = 0.1
) -> tuple[Tensor, Tensor]:
    """The exponential loss of a probability's distance to one half, in units of `eps` and at most 1.

    Args:
        labels: 0 or 1, of shape [examples, 1].
        weights: of the same shape.
        predictions: of the same shape, for one logit.
        name: a name for the operation.
        eps: how near to one half probabilities are told apart.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.

    Raises:
        ValueError: for predictions of several columns.
    """
    with name_scope(name, "exp_loss"):
        _checked_columns(predictions, "per_example_exp_loss")
        truth = raw.Cast(convert_to_tensor(labels), DstT=float32)
        signs = raw.Sub(raw.Mul(truth, 2.0), 1.0)
        distance = raw.RealDiv(raw.Sub(raw.Sigmoid(predictions), 0.5), eps)
        trimmed = where(raw.LessEqual(raw.Abs(distance), 1.0), distance, raw.StopGradient(raw.Sign(distance)))
        return _weighted(raw.Exp(raw.Neg(raw.Mul(signs, trimmed))), weights), raw.NoOp()


def per_example_full_exp_loss(
    labels: TensorLike, weights: TensorLike, predictions: Tensor, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The exponential loss, exp(-label x prediction) for labels of -1 and 1.

    Args:
        labels: 0 or 1, of shape [examples, 1].
        weights: of the same shape.
        predictions: of the same shape, for one logit.
        name: a name for the operation.

    Returns:
        the losses of shape [examples, 1], and an operation that updates nothing.

    Raises:
        ValueError: for predictions of several columns.
    """
    with name_scope(name, "exp_loss"):
        _checked_columns(predictions, "per_example_full_exp_loss")
        truth = raw.Cast(convert_to_tensor(labels), DstT=float32)
        signs = raw.Sub(raw.Mul(truth, 2.0), 1.0)
        return _weighted(raw.Exp(raw.Neg(raw.Mul(signs, identity(predictions)))), weights), raw.NoOp()
