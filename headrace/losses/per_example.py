"""Losses an example each, and the weights they are multiplied with: what 1.15 kept in `ops.losses.util`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.squeezing import remove_squeezable_dimensions, squeeze_weights
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def squeeze_or_expand_dimensions(
    y_pred: TensorLike, y_true: TensorLike | None, sample_weight: TensorLike | None
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Predictions, labels and weights of fitting ranks, where a last dimension of 1 of one of them may go or come.

    Args:
        y_pred: tensor.
        y_true: labels, or None.
        sample_weight: weights of the losses, or None; they are fitted to `y_pred` as it was given.

    Returns:
        all three, None where it was given.
    """
    given = predictions = convert_to_tensor(y_pred)
    labels = None
    if y_true is not None:
        labels, predictions = remove_squeezable_dimensions(y_true, predictions)
    if sample_weight is None:
        return predictions, labels, None
    return predictions, labels, squeeze_weights(sample_weight, given, may_expand=True)


def scale_losses_by_sample_weight(losses: TensorLike, sample_weight: TensorLike) -> Tensor:
    """Losses times weights, as float32.

    Args:
        losses: an element each.
        sample_weight: weights that broadcast to them, after a dimension of 1 was appended or taken away.

    Raises:
        ValueError: if they do not broadcast.

    Example:
        >>> scale_losses_by_sample_weight(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [2.0, 3.0])  # [[2, 4], [9, 12]]
    """
    values = composing.cast(losses, "float32")
    weights = composing.cast(sample_weight, "float32")
    fitting = squeeze_weights(weights, values, may_expand=True)
    return raw.Mul(values, broadcast_weights(fitting, values))


def check_per_example_loss_rank(per_example_loss: Tensor) -> AbstractContextManager[object]:
    """What to compute with losses of examples in: a scalar is refused.

    Args:
        per_example_loss: the losses.

    Returns:
        a context in which operations wait for the check, where the rank is told by a step only.

    Raises:
        ValueError: if they are known to be a scalar; InvalidArgumentError: in a step.

    Example:
        >>> each = tf.square(tf.constant([1.0, -2.0]))
        >>> with check_per_example_loss_rank(each):
        ...     loss = tf.reduce_mean(each)
    """
    message = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1"
    dims = per_example_loss.dims
    if dims is not None:
        if not dims:
            raise ValueError(f"{message}, received: {per_example_loss}")
        return nullcontext()
    return control_dependencies([assert_rank_at_least(per_example_loss, 1, message=f"{message}.")])
