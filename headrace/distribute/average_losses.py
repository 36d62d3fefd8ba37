"""Losses of a replica as its part of those of all replicas, whose gradients are summed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.state.replication import get_strategy, has_strategy, in_cross_replica_context

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _replicas(name: str) -> int:
    """How many replicas share a batch.

    Raises:
        RuntimeError: where code is one for all of them.
    """
    if has_strategy() and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{name}` in cross replica context, while it was expected to be called in replica context."
        )
    count: int = get_strategy().num_replicas_in_sync
    return count


def compute_average_loss(
    per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the losses of examples over the size of the batch.

    Args:
        per_example_loss: losses, their first axis being the batch.
        sample_weight: weights of the examples, or None.
        global_batch_size: the size of the batch; that of `per_example_loss` times the number of replicas by default.

    Returns:
        a scalar.

    Raises:
        ValueError: if `per_example_loss` is a scalar.
        RuntimeError: in cross-replica context of a strategy, without `global_batch_size`.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.dims == ():
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1, got a scalar."
        )
    dtype = losses.dtype.base_dtype
    if sample_weight is not None:
        wide = composing.cast(losses, "float32")
        losses = composing.cast(wide * composing.cast(sample_weight, "float32"), dtype)
    if global_batch_size is None:
        size = composing.shape(losses)[0] * _replicas("compute_average_loss")
        global_batch_size = composing.cast(size, dtype)
    return reduce_sum(losses) / global_batch_size


def scale_regularization_loss(regularization_loss: Sequence[float]) -> Tensor:
    """The sum of the losses over the number of replicas, to be added to the average loss of each.

    Args:
        regularization_loss: a loss, of any shape.

    Returns:
        a scalar.

    Raises:
        RuntimeError: in cross-replica context of a strategy.
    """
    replicas = _replicas("scale_regularization_loss")
    total: Tensor = reduce_sum(regularization_loss)
    return total / replicas
