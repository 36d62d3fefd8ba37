"""Weighted losses and how they become one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.weights import assert_broadcastable, broadcast_weights
from headrace.kernels import composing
from headrace.losses.collecting import add_loss

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Reduction:
    """How a tensor of losses becomes the loss.

    `NONE` keeps the weighted losses, `SUM` adds them, `MEAN` divides the sum by the sum of the weights,
    `SUM_OVER_BATCH_SIZE` by the number of losses, `SUM_BY_NONZERO_WEIGHTS` (also `SUM_OVER_NONZERO_WEIGHTS`) by the
    number of losses whose weight is not 0.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every reduction, with its second spelling."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError unless `key` is a reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def _total_over(losses: Tensor, count: Tensor) -> Tensor:
    """The sum of `losses` over `count`, 0 where that is 0."""
    return raw.DivNoNan(reduce_sum(losses), count, name="value")


def _number_of(losses: Tensor) -> Tensor:
    with name_scope(None, "num_elements", [losses]) as scope:
        return composing.cast(composing.size(losses, name=scope), losses.dtype)


def number_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """How many elements of `losses` have a weight that is not 0.

    Args:
        losses: float32 tensor of shape (batch, ...).
        weights: tensor that broadcasts to it.
        per_batch: count for each first index, keeping the other dimensions at 1.

    Returns:
        float32 scalar, or tensor of shape (batch, 1, ...).
    """
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = composing.cast(weights, "float32")
        absent = raw.Equal(weights, 0.0)
        present = raw.Select(absent, composing.zeros_like(weights), composing.ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = composing.range_(1, composing.rank(present))
            return reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def compute_weighted_loss(
    losses: TensorLike,
    weights: float | Tensor | Sequence[float | Sequence[float]] | None = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Weighs losses, reduces them and adds the result to a collection.

    Args:
        losses: tensor of shape (batch, ...).
        weights: a scalar, or a tensor of as many dimensions, each 1 or as in `losses`. Gradients flow into it too.
        scope: a name scope.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        a scalar of the type of `losses`; a tensor of their shape for `Reduction.NONE`.

    Raises:
        ValueError: if `weights` does not fit, or there is no such reduction.

    Example:
        >>> sess.run(tf.losses.compute_weighted_loss([[3.0], [5.0]], weights=[[1.0], [0.0]]))
        3.0
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        # Estimators scale the loss by it when they average over replicas.
        get_default_graph()._last_loss_reduction = reduction  # type: ignore[attr-defined]  # 1.x keeps it on the graph too, for estimators
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            dtype = losses.dtype
            losses = composing.cast(losses, "float32")
            weights = composing.cast(weights, "float32")
            loss = raw.Mul(losses, weights)
            if reduction != Reduction.NONE:
                loss = reduce_sum(loss)
                if reduction == Reduction.MEAN:
                    loss = _total_over(loss, reduce_sum(composing.ones_like(losses) * weights))
                elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                    loss = _total_over(loss, number_present(losses, weights))
                elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                    loss = _total_over(loss, _number_of(losses))
            loss = composing.cast(loss, dtype)
            add_loss(loss, loss_collection)
            return loss
