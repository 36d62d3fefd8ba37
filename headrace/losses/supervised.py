"""The losses themselves: each compares labels and predictions, weighs the result and adds it to a collection.

Each returns a scalar of float32 (of the type of the logits for the cross entropies), or with `Reduction.NONE` a
tensor of the shape of the losses; each raises ValueError if something is None, or shapes do not fit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.functions.squeezing import remove_squeezable_dimensions, squeeze_weights
from headrace.functions.weights import assert_broadcastable
from headrace.kernels import composing, renamed_arguments
from headrace.losses.collecting import add_loss
from headrace.losses.weighting import Reduction, compute_weighted_loss, number_present
from headrace.ops.array.identity import stop_gradient
from headrace.ops.math.division import div_no_nan

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


_LOSSES = GraphKeys.LOSSES
_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def _require(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"{name} must not be None.")


@contextlib.contextmanager
def _compared(
    scope: str | None, default_name: str, predictions: Any, labels: Any, weights: TensorLike | None
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """The name scope of a loss, and predictions and labels as float32 tensors of fitting shapes."""
    with name_scope(scope, default_name, [predictions, labels, weights]) as inner:
        predictions = composing.cast(predictions, "float32")
        labels = composing.cast(labels, "float32")
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        yield inner, predictions, labels


def absolute_difference(
    labels: Tensor | np.ndarray | Sequence[float],
    predictions: Tensor | Sequence[float],
    weights: float | Tensor | None = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The absolute difference of labels and predictions.

    Args:
        labels, predictions: tensors of one shape.
        weights, scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.Session().run(tf.losses.absolute_difference([1.0, 2.0], [1.5, 4.0]))
        1.25
    """
    _require(labels=labels, predictions=predictions)
    with _compared(scope, "absolute_difference", predictions, labels, weights) as (scope, predictions, labels):
        losses = raw.Abs(raw.Sub(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def cosine_distance(
    labels: Tensor | np.ndarray | Sequence[float],
    predictions: Tensor | Sequence[float],
    axis: int | None = None,
    weights: float | Tensor = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
    dim: int | None = None,
) -> Tensor:
    """One minus the inner product of labels and predictions, which are unit vectors.

    Args:
        labels, predictions: tensors of one shape.
        axis: the dimension along which the vectors lie.
        weights, scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.
        dim: the older name of `axis`.

    Raises:
        ValueError: without an axis too.

    Example:
        >>> tf.Session().run(tf.losses.cosine_distance([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]], axis=1))
        0.5
    """
    axis = renamed_arguments.first_given("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    _require(labels=labels, predictions=predictions)
    with _compared(scope, "cosine_distance_loss", predictions, labels, weights) as (scope, predictions, labels):
        losses = 1 - reduce_sum(raw.Mul(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def hinge_loss(
    labels: Tensor | np.ndarray | Sequence[float],
    logits: Tensor | Sequence[float],
    weights: float | Tensor = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """How far logits are from being on their label's side by 1: max(0, 1 - y z), y being -1 or 1.

    Cortes and Vapnik, "Support-vector networks", Machine Learning 20 (1995).

    Args:
        labels: tensor of 0 and 1.
        logits: tensor of that shape, positive for label 1.
        weights, scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.Session().run(tf.losses.hinge_loss([1.0, 0.0], [0.25, -3.0]))
        0.375
    """
    _require(labels=labels, logits=logits)
    with _compared(scope, "hinge_loss", logits, labels, weights) as (scope, logits, labels):
        ones = composing.ones_like(labels)
        signs = raw.Sub(2 * labels, ones)
        losses = raw.Relu(raw.Sub(ones, raw.Mul(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def huber_loss(
    labels: Tensor | np.ndarray | Sequence[float],
    predictions: Tensor | Sequence[float],
    weights: float | Tensor = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """Half the squared difference up to `delta`, and linear from there.

    Huber, "Robust estimation of a location parameter", The Annals of Mathematical Statistics 35 (1964).

    Args:
        labels, predictions: tensors of one shape.
        weights: as for `tf.losses.compute_weighted_loss`.
        delta: where the square ends.
        scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.Session().run(tf.losses.huber_loss([1.0], [4.0]))
        2.5
    """
    _require(labels=labels, predictions=predictions)
    with _compared(scope, "huber_loss", predictions, labels, weights) as (scope, predictions, labels):
        distance = raw.Abs(raw.Sub(predictions, labels))
        near = raw.Minimum(distance, delta)
        far = raw.Sub(distance, near)
        half = convert_to_tensor(0.5, dtype=near.dtype)
        losses = raw.Add(raw.Mul(half, raw.Mul(near, near)), raw.Mul(delta, far))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def log_loss(
    labels: Tensor | np.ndarray,
    predictions: Tensor,
    weights: float | Tensor = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of labels and predicted probabilities: -z log(p + epsilon) - (1 - z) log(1 - p + epsilon).

    Args:
        labels: tensor of numbers from 0 to 1.
        predictions: probabilities of the same shape.
        weights: as for `tf.losses.compute_weighted_loss`.
        epsilon: what keeps the logarithm from 0.
        scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.Session().run(tf.losses.log_loss([1.0], [0.5]))  # log(2)
        0.6931...
    """
    _require(labels=labels, predictions=predictions)
    with _compared(scope, "log_loss", predictions, labels, weights) as (scope, predictions, labels):
        positive = -raw.Mul(labels, raw.Log(predictions + epsilon))
        losses = positive - raw.Mul(1 - labels, raw.Log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
) -> Tensor:
    """The squared difference between the distances of all pairs of elements of an example.

    With d = predictions - labels, the sum of (d_i - d_j)² over all i and j is 2 n sum(d²) - 2 sum(d)².

    Args:
        labels, predictions: tensors of one shape (batch, ...).
        weights, scope, loss_collection: as for `tf.losses.compute_weighted_loss`.

    Returns:
        a scalar.

    Example:
        >>> tf.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[2.0, 5.0]])
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = composing.cast(weights, "float32")
        labels = composing.cast(labels, "float32")
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = composing.cast(predictions, "float32")
            predictions.get_shape().assert_is_compatible_with(labels.get_shape())
            differences = raw.Sub(predictions, labels)
            axes = composing.range_(1, composing.rank(differences))
            squares = reduce_sum(raw.Square(differences), axis=axes, keepdims=True)
            count = number_present(differences, weights, per_batch=True)
            others = raw.Maximum(count - 1, 0)
            of_squares = 2.0 * div_no_nan(squares, others, name="value")
            total = reduce_sum(differences, axis=axes, keepdims=True)
            squared_total = raw.Square(total)
            pairs = raw.Maximum(raw.Mul(count, count - 1), 0)
            of_total = 2.0 * div_no_nan(squared_total, pairs, name="value")
            loss = reduce_sum(raw.Mul(of_squares - of_total, weights))
            loss = raw.Select(reduce_sum(count) > 0, loss, composing.zeros_like(loss), name="value")
            add_loss(loss, loss_collection)
            return loss


def mean_squared_error(
    labels: Tensor | np.ndarray | Sequence[float | Sequence[float]] | None,
    predictions: Tensor | Sequence[float | Sequence[float]] | None,
    weights: float | Tensor | Sequence[float | Sequence[float]] = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The squared difference of labels and predictions.

    Args:
        labels, predictions: tensors of one shape.
        weights, scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.Session().run(tf.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0]))
        2.125
    """
    _require(labels=labels, predictions=predictions)
    with _compared(scope, "mean_squared_error", predictions, labels, weights) as (scope, predictions, labels):
        losses = raw.SquaredDifference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Tensor | np.ndarray | None,
    logits: TensorLike,
    weights: float | Tensor = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of each of several classes that do not exclude one another.

    Args:
        multi_class_labels: tensor of numbers from 0 to 1.
        logits: tensor of the same shape.
        weights: as for `tf.losses.compute_weighted_loss`.
        label_smoothing: how far labels are moved towards 1/2, from 0 to 1.
        scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.losses.sigmoid_cross_entropy([[1, 0, 1]], [[0.2, -1.0, 3.0]])
    """
    _require(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = composing.cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike | None,
    weights: float | Tensor = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of classes that exclude one another, labels as distributions.

    Args:
        onehot_labels: tensor of shape (batch, ..., classes), without gradient.
        logits: tensor of the same shape.
        weights: as for `tf.losses.compute_weighted_loss`; a scalar or of shape (batch, ...).
        label_smoothing: how far labels are moved towards 1/classes, from 0 to 1.
        scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.losses.softmax_cross_entropy(tf.one_hot([2], 3), [[0.2, -1.0, 3.0]])
    """
    _require(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = composing.cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            classes = composing.cast(composing.shape(labels)[-1], logits.dtype)
            others = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + others
        labels = stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Tensor:
    """The cross entropy of classes that exclude one another, labels as class indices.

    Args:
        labels: int32 or int64 tensor of shape (batch, ...), or with a last dimension of 1.
        logits: tensor of shape (batch, ..., classes).
        weights: as for `tf.losses.compute_weighted_loss`; may have a last dimension of 1 as well.
        scope, loss_collection, reduction: as for `tf.losses.compute_weighted_loss`.

    Example:
        >>> tf.losses.sparse_softmax_cross_entropy([2], [[0.2, -1.0, 3.0]])
    """
    _require(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        if weights is not None:
            weights = squeeze_weights(weights, labels)
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)
