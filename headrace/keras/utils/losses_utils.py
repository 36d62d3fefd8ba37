"""How the losses of the elements of a batch become the loss of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.squeezing import remove_squeezable_dimensions, squeeze_weights
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.state.replication import get_strategy

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class ReductionV2:
    """How a tensor of losses becomes a loss.

    `NONE` keeps the losses, `SUM` adds them, `SUM_OVER_BATCH_SIZE` divides the sum by their number, and `AUTO` is
    `SUM_OVER_BATCH_SIZE`.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every reduction."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError unless `key` is a reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def squeeze_or_expand_dimensions(
    y_pred: TensorLike, y_true: TensorLike | None = None, sample_weight: TensorLike | None = None
) -> Any:
    """Predictions, labels and weights of fitting ranks, where a last dimension of 1 of one of them may go or come.

    Args:
        y_pred: tensor.
        y_true: labels, or None.
        sample_weight: weights that broadcast to the losses or values, or None.

    Returns:
        (y_pred, y_true), and sample_weight where there is one; (y_pred, sample_weight) without `y_true`.
    """
    y_pred = convert_to_tensor(y_pred)
    if y_true is not None:
        y_true, y_pred = _of_one_rank(convert_to_tensor(y_true), y_pred)
    if sample_weight is None:
        return y_pred, y_true
    sample_weight = squeeze_weights(sample_weight, y_pred, may_expand=True)
    return (y_pred, sample_weight) if y_true is None else (y_pred, y_true, sample_weight)


def _of_one_rank(y_true: Tensor, y_pred: Tensor) -> tuple[Tensor, Tensor]:
    """Labels and predictions without a last dimension of 1 that only one has; sparse labels stay a dimension short."""
    if y_true.dims is not None and y_pred.dims is not None:
        surplus = len(y_pred.dims) - len(y_true.dims)
        if surplus == 0 or (surplus == 1 and y_pred.dims[-1] != 1):
            return y_true, y_pred
        return remove_squeezable_dimensions(y_true, y_pred)
    if y_pred.dims == ():
        return y_true, y_pred
    ends_in_one = raw.Equal(1, composing.shape(y_pred)[-1])
    return cond(ends_in_one, lambda: remove_squeezable_dimensions(y_true, y_pred), lambda: (y_true, y_pred))


def _num_elements(losses: Tensor) -> Tensor:
    with name_scope("num_elements") as scope:
        return composing.cast(composing.size(losses, name=scope), losses.dtype)


def _safe_mean(losses: Tensor, num_present: Tensor) -> Tensor:
    return raw.DivNoNan(reduce_sum(losses), num_present, name="value")


def reduce_weighted_loss(weighted_losses: Tensor, reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE) -> Tensor:
    """The loss of a batch.

    Args:
        weighted_losses: tensor of losses, times their weights.
        reduction: one of `ReductionV2`.
    """
    if reduction == ReductionV2.NONE:
        return weighted_losses
    loss = reduce_sum(weighted_losses)
    if reduction == ReductionV2.SUM_OVER_BATCH_SIZE:
        loss = _safe_mean(loss, _num_elements(weighted_losses))
    return loss


def compute_weighted_loss(
    losses: TensorLike,
    sample_weight: TensorLike | None = None,
    reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
    name: str | None = None,
) -> Tensor:
    """The weighted loss of a batch.

    Args:
        losses: tensor of shape (batch, ...).
        sample_weight: weights that broadcast to it; a last dimension of 1 may be missing or too much.
        reduction: one of `ReductionV2`.
        name: a name scope.

    Returns:
        a scalar of the type of `losses`; a tensor of their shape for `ReductionV2.NONE`.

    Raises:
        ValueError: if there is no such reduction, or the weights do not fit.
    """
    ReductionV2.validate(reduction)
    if reduction == ReductionV2.AUTO:
        reduction = ReductionV2.SUM_OVER_BATCH_SIZE
    with name_scope(name or "weighted_loss"):
        # Estimators scale the loss by it when they average over replicas.
        get_default_graph()._last_loss_reduction = reduction  # type: ignore[attr-defined]  # 1.x keeps it on the graph too, for estimators
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        weighted = composing.cast(losses, "float32")
        if sample_weight is None and not executing_eagerly():
            # Seeds of later operations are drawn from how many came before, and 1.15 has those of a weight here.
            sample_weight = 1.0
        if sample_weight is not None:
            weights = composing.cast(sample_weight, "float32")
            weights = squeeze_weights(weights, weighted, may_expand=True)
            weighted = raw.Mul(weighted, broadcast_weights(weights, weighted))
        return composing.cast(reduce_weighted_loss(weighted, reduction), dtype)


def scale_loss_for_distribution(loss_value: Tensor) -> Tensor:
    """The share of one replica of a loss that is a mean, as gradients are summed over replicas."""
    replicas = get_strategy().num_replicas_in_sync
    return loss_value * (1.0 / replicas) if replicas > 1 else loss_value


def cast_losses_to_common_dtype(losses: Any) -> list[Tensor]:
    """Losses of the largest floating type among them."""
    sizes = [loss.dtype.size for loss in losses if loss.dtype.is_floating]
    if not sizes:
        return list(losses)
    largest = next(loss.dtype for loss in losses if loss.dtype.is_floating and loss.dtype.size == max(sizes))
    return [composing.cast(loss, largest) for loss in losses]
