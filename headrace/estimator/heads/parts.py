"""What heads that programs write are put together from: 1.15's functions beside its base class of heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.tensor_util import is_tensor
from headrace.estimator.heads.base_head import (
    check_optimizer,
    check_trainable_variables,
    summarize_losses,
    training_step,
)
from headrace.estimator.heads.checking import checked_list
from headrace.keras.utils.losses_utils import ReductionV2

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

__all__ = ["check_optimizer", "check_trainable_variables"]


def check_update_ops(update_ops: Sequence[Any] | None = None) -> None:
    """Raises ValueError unless updates are a list or a tuple, or None."""
    if update_ops is not None:
        checked_list(update_ops, "update_ops")


def create_eval_metrics_tuple(
    fn: Callable[..., Any], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A function of tensors only, and the tensors to call it with; what else it takes it keeps.

    Args:
        fn: a function of keyword arguments.
        kwargs: its arguments.

    Example:
        >>> fn, tensors = create_eval_metrics_tuple(lambda x, by: x * by, {"x": tf.constant(2), "by": 3})
        >>> sorted(tensors)
        ['x']
    """
    tensors = {key: value for key, value in kwargs.items() if is_tensor(value)}
    others = {key: value for key, value in kwargs.items() if key not in tensors}
    return (lambda **given: fn(**others, **given)), tensors


def create_estimator_spec_train_op(
    head_name: str | None,
    optimizer: Any = None,
    trainable_variables: Sequence[Any] | None = None,
    train_op_fn: Callable[[Tensor], Any] | None = None,
    update_ops: Sequence[Any] | None = None,
    regularized_training_loss: Any = None,
    loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
) -> Any:
    """The operation of a training step of a head.

    Args:
        head_name: the head's; the operation does not depend on it.
        optimizer, trainable_variables: what trains which variables; or
        train_op_fn: from the loss to the operation.
        update_ops: what else a step runs.
        regularized_training_loss: the loss.
        loss_reduction: how it was reduced; a mean is divided by the number of replicas for the optimizer.

    Raises:
        ValueError: for both ways or none, and for other optimizers than those of Keras.
    """
    del head_name
    return training_step(
        regularized_training_loss, optimizer, trainable_variables, train_op_fn, update_ops, loss_reduction
    )


def create_estimator_spec_summary(
    regularized_training_loss: Tensor,
    regularization_losses: Sequence[Tensor] | None = None,
    summary_key_fn: Callable[[str], str] | None = None,
) -> None:
    """Writes the summaries of a training step's losses.

    Args:
        regularized_training_loss, regularization_losses: the losses.
        summary_key_fn: from the key of a metric to the name of its summary.
    """
    summarize_losses(regularized_training_loss, regularization_losses, summary_key_fn or str)
