"""The losses of 1.0's contrib: predictions come first, and weights are of whole examples.

Each adds a float32 scalar to the collection LOSSES and returns it; each raises ValueError if shapes do not fit.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_prod, reduce_sum
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.kernels import composing, renamed_arguments
from headrace.losses import collecting
from headrace.losses.weighting import _total_over
from headrace.ops.math.division import div, div_no_nan

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


get_losses = collecting.get_losses
get_regularization_losses = collecting.get_regularization_losses


@add_arg_scope
def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of losses.

    Args:
        loss: tensor.
        loss_collection: the collection's name; nothing happens without one.
    """
    # Eagerly too, unlike that of `tf.losses`.
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Tensor:
    """The sum of the losses of the graph.

    Args:
        add_regularization_losses: add the regularization losses too.
        name: a name for the operation.
    """
    return collecting.get_total_loss(add_regularization_losses, name)


def _weighed_sum(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of losses, first within what has one weight."""
    inner = list(range(max(0, len(weights.dims or ())), len(losses.dims or ())))
    return reduce_sum(raw.Mul(reduce_sum(losses, axis=inner), weights))


def _number_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """How many losses have a weight that is not 0."""
    rank = len(weights.dims or ())
    if rank == 0:
        batch = raw.Reshape(raw.Slice(composing.shape(losses), [0], [1]), [])
        number = div(composing.cast(composing.size(losses), "float32"), composing.cast(batch, "float32"))
        number = raw.Select(raw.Equal(weights, 0), 0.0, number)
        number = raw.Mul(composing.ones(raw.Reshape(batch, [1])), number)
    else:
        there = composing.cast(raw.NotEqual(weights, 0), "float32")
        there = reduce_sum(there, axis=list(range(1, rank)))
        others = raw.Slice(composing.shape(losses), [rank], [-1])
        number = raw.Mul(there, composing.cast(reduce_prod(others), "float32"))
    return number if per_batch else reduce_sum(number)


def compute_weighted_loss(losses: TensorLike, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The weighted sum of losses over the number of those whose weight is not 0.

    Args:
        losses: tensor of shape (batch, ...).
        weights: scalar, or tensor of shape (batch,), (batch, 1) or of the first dimensions of `losses`.
        scope: a name scope.

    Returns:
        a scalar of the type of `losses`.

    Raises:
        ValueError: if a rank is unknown.
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = composing.cast(losses, "float32")
        weights = composing.cast(convert_to_tensor(weights), "float32")
        for name, tensor in (("losses", losses), ("weights", weights)):
            if tensor.dims is None:
                raise ValueError(f"{name}.get_shape().ndims cannot be None")
        if len(weights.dims) > 1 and weights.dims[-1] in (None, 1):
            weights = composing.squeeze(weights, [-1])
        total = _weighed_sum(losses, weights)
        loss = composing.cast(_total_over(total, _number_present(losses, weights)), dtype)
        add_loss(loss)
        return loss


@contextlib.contextmanager
def _compared(
    scope: str | None, default_name: str, predictions: Any, labels: Any, weights: TensorLike
) -> Iterator[tuple[str, Tensor, Tensor]]:
    with name_scope(scope, default_name, [predictions, labels, weights]) as inner:
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        yield inner, composing.cast(predictions, "float32"), composing.cast(labels, "float32")


def absolute_difference(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: float | TensorLike = 1.0,
    scope: str | None = None,
) -> Tensor:
    """The absolute difference of tensors of one shape; `weights`, `scope` as for `compute_weighted_loss`."""
    with _compared(scope, "absolute_difference", predictions, labels, weights) as (scope, predictions, labels):
        return compute_weighted_loss(raw.Abs(raw.Sub(predictions, labels)), weights, scope=scope)


def mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: float | TensorLike = 1.0,
    scope: str | None = None,
) -> Tensor:
    """The squared difference of tensors of one shape; `weights`, `scope` as for `compute_weighted_loss`."""
    with _compared(scope, "mean_squared_error", predictions, labels, weights) as (scope, predictions, labels):
        return compute_weighted_loss(raw.SquaredDifference(predictions, labels), weights, scope=scope)


def log_loss(
    predictions: TensorLike, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Tensor:
    """The cross entropy of labels and predicted probabilities.

    Args:
        predictions: probabilities.
        labels: tensor of that shape.
        weights: as for `compute_weighted_loss`.
        epsilon: what keeps the logarithm from 0.
        scope: a name scope.
    """
    with _compared(scope, "log_loss", predictions, labels, weights) as (scope, predictions, labels):
        positive = -raw.Mul(labels, raw.Log(predictions + epsilon))
        losses = positive - raw.Mul(1 - labels, raw.Log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope=scope)


def cosine_distance(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    axis: int | None = None,
    weights: float | TensorLike = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """One minus the inner product of predictions and labels, which are unit vectors along `axis`.

    Args:
        predictions, labels: tensors of one shape.
        axis: the dimension along which the vectors lie.
        weights, scope: as for `compute_weighted_loss`.
        dim: the older name of `axis`.

    Raises:
        ValueError: without an axis too.
    """
    axis = renamed_arguments.first_given("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with _compared(scope, "cosine_distance_loss", predictions, labels, weights) as (scope, predictions, labels):
        losses = 1 - reduce_sum(raw.Mul(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """How far logits are from being on their label's side by 1: a tensor, in no collection.

    Args:
        logits: float32 tensor.
        labels: 0 and 1, of that shape.
        scope: a name scope.
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = composing.cast(labels, "float32")
        ones = composing.ones_like(labels)
        signs = raw.Sub(2 * labels, ones)
        return raw.Relu(raw.Sub(ones, raw.Mul(signs, logits)))


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: Any = 0, scope: str | None = None
) -> Tensor:
    """The cross entropy of each of several classes that do not exclude one another.

    Args:
        logits: tensor.
        multi_class_labels: numbers from 0 to 1, of that shape.
        weights: as for `compute_weighted_loss`.
        label_smoothing: how far labels are moved towards 1/2.
        scope: a name scope.
    """
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        labels = composing.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(
    logits: Tensor,
    onehot_labels: Tensor,
    weights: float | Tensor = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """The cross entropy of classes that exclude one another, labels as distributions.

    Args:
        logits: tensor of shape (batch, classes).
        onehot_labels: numbers from 0 to 1, of that shape.
        weights: as for `compute_weighted_loss`.
        label_smoothing: how far labels are moved towards 1/classes.
        scope: a name scope.
    """
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        labels = composing.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = composing.cast(composing.shape(labels)[1], logits.dtype)
            others = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + others
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """The cross entropy of classes that exclude one another, labels as indices.

    Args:
        logits: tensor of shape (batch, classes).
        labels: int32 or int64 of shape (batch,) or (batch, 1).
        weights, scope: as for `compute_weighted_loss`.
    """
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels = raw.Reshape(labels, [composing.shape(labels)[0]])
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def mean_pairwise_squared_error(
    predictions: TensorLike, labels: TensorLike | None = None, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """The squared difference between the distances of all pairs of elements of an example.

    Args:
        predictions, labels: tensors of one shape (batch, ...).
        weights, scope: as for `compute_weighted_loss`.

    Raises:
        ValueError: if a rank is unknown too.
    """
    with _compared(scope, "mean_pairwise_squared_error", predictions, labels, weights) as (_, predictions, labels):
        weights = composing.cast(convert_to_tensor(weights), "float32")
        differences = raw.Sub(predictions, labels)
        for name, tensor in (("diffs", differences), ("weights", weights)):
            if tensor.dims is None:
                raise ValueError(f"{name}.get_shape().ndims cannot be None")
        axes = list(range(1, len(differences.dims or ())))
        squares = reduce_sum(raw.Square(differences), axis=axes)
        number = _number_present(differences, weights, per_batch=True)
        of_squares = 2.0 * div_no_nan(squares, number, name="value")
        total = raw.Square(reduce_sum(differences, axis=axes))
        of_total = 2.0 * div_no_nan(total, raw.Square(number), name="value")
        loss = _weighed_sum(of_squares - of_total, weights)
        loss = raw.Select(reduce_sum(number) > 0, loss, composing.zeros_like(loss), name="value")
        add_loss(loss)
        return loss
