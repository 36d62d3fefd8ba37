"""The cross entropy of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import count_nonzero, reduce_sum
from headrace.functions.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from headrace.keras.losses import Loss
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div_no_nan


def sequence_loss(
    logits: Tensor,
    targets: Tensor,
    weights: Tensor,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of sequences of logits.

    Args:
        logits: float [batch, time, classes].
        targets: int [batch, time].
        weights: float [batch, time]: 0 past the ends of sequences, for instance.
        average_across_timesteps: whether losses are summed over the steps and divided by the sum of the weights.
        average_across_batch: the same over the batch.
        sum_over_timesteps: whether losses are summed over the steps and divided by the number of weights that are
            not 0.
        sum_over_batch: the same over the batch.
        softmax_loss_function: takes `labels` and `logits`, by name, returns losses; cross entropy by default.
        name: a name for the operations.

    Returns:
        a scalar; [batch] or [time] where only one axis is averaged or summed; else [batch, time].

    Raises:
        ValueError: for arguments of another rank, or both an average and a sum over an axis.

    Example:
        >>> targets = tf.zeros([2, 5], tf.int32)
        >>> weights = tf.sequence_mask([5, 3], dtype=tf.float32)
        >>> sess.run(tf.contrib.seq2seq.sequence_loss(tf.zeros([2, 5, 4]), targets, weights))  # log(4)
        1.386...
    """
    if len(logits.get_shape()) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if len(targets.get_shape()) != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if len(weights.get_shape()) != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    for over, averaged, summed in (
        ("timesteps", average_across_timesteps, sum_over_timesteps),
        ("batch", average_across_batch, sum_over_batch),
    ):
        if averaged and summed:
            raise ValueError(f"average_across_{over} and sum_over_{over} cannot be set to True at same time.")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        rows = reshape(logits, [-1, shape(logits)[2]])
        labels = reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=rows)
        else:
            losses = softmax_loss_function(labels=labels, logits=rows)
        losses = losses * reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return div_no_nan(reduce_sum(losses), reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            return div_no_nan(reduce_sum(losses), cast(count_nonzero(weights), losses.dtype))
        losses = reshape(losses, shape(logits)[0:2])
        if average_across_timesteps or average_across_batch:
            axis = [0] if average_across_batch else [1]
            return div_no_nan(reduce_sum(losses, axis=axis), reduce_sum(weights, axis=axis))
        if sum_over_timesteps or sum_over_batch:
            axis = [0] if sum_over_batch else [1]
            count = cast(count_nonzero(weights, axis=axis), losses.dtype)
            return div_no_nan(reduce_sum(losses, axis=axis), count)
        return losses


class SequenceLoss(Loss):
    """`sequence_loss` as an object: by default the sum of the losses over the number of weights that are not 0.

    Args:
        average_across_timesteps, average_across_batch, sum_over_timesteps, sum_over_batch, softmax_loss_function: as for
            `sequence_loss`.
        name: its name.

    Example:
        >>> from headrace.contrib.seq2seq.loss import SequenceLoss
        >>> loss = SequenceLoss()(tf.zeros([2, 5], tf.int32), tf.zeros([2, 5, 4]), tf.ones([2, 5]))
        >>> sess.run(loss)  # log(4)
        1.386...
    """

    def __init__(
        self,
        average_across_timesteps: bool = False,
        average_across_batch: bool = False,
        sum_over_timesteps: bool = True,
        sum_over_batch: bool = True,
        softmax_loss_function: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.average_across_timesteps = average_across_timesteps
        self.average_across_batch = average_across_batch
        self.sum_over_timesteps = sum_over_timesteps
        self.sum_over_batch = sum_over_batch
        self.softmax_loss_function = softmax_loss_function

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The loss of logits, as `sequence_loss(y_pred, y_true, sample_weight)`.

        Args:
            y_true: int [batch, time].
            y_pred: float [batch, time, classes].
            sample_weight: float [batch, time].
        """
        return sequence_loss(
            y_pred,
            y_true,
            sample_weight,
            self.average_across_timesteps,
            self.average_across_batch,
            self.sum_over_timesteps,
            self.sum_over_batch,
            self.softmax_loss_function,
            self.name,
        )

    def call(self, y_true: Any, y_pred: Any) -> None:
        """Nothing: the weights count for the whole, so that there is no loss of an example before them."""
