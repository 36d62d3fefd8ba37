"""Last dimensions of size 1 that only one of two tensors has: labels, predictions and their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _may_end_in_one(dims: Dims) -> bool:
    """Whether the last dimension may have size 1, as far as is known."""
    return dims is None or dims[-1] in (None, 1)


def _squeezed_if(condition: Tensor, tensor: Tensor) -> Tensor:
    return cond(condition, lambda: composing.squeeze(tensor, [-1]), lambda: tensor)


def remove_squeezable_dimensions(
    labels: TensorLike, predictions: TensorLike, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`labels` and `predictions`, without a last dimension of 1 that only one of them has.

    Args:
        labels, predictions: tensors; where a rank is unknown, the comparison is made when run.
        expected_rank_diff: the rank of `predictions` minus that of `labels` that is to be.
        name: a name scope.

    Returns:
        (labels, predictions).

    Raises:
        ValueError: if the last dimension has to go and is known not to be 1.

    Example:
        >>> remove_squeezable_dimensions(tf.zeros([5]), tf.zeros([5, 1]))  # both of shape (5,)
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        if predictions.dims is not None and labels.dims is not None:
            surplus = len(predictions.dims) - len(labels.dims) - expected_rank_diff
            if surplus == 1:
                predictions = composing.squeeze(predictions, [-1])
            elif surplus == -1:
                labels = composing.squeeze(labels, [-1])
            return labels, predictions
        difference = composing.rank(predictions) - composing.rank(labels)
        if _may_end_in_one(predictions.dims):
            predictions = _squeezed_if(raw.Equal(expected_rank_diff + 1, difference), predictions)
        if _may_end_in_one(labels.dims):
            labels = _squeezed_if(raw.Equal(expected_rank_diff - 1, difference), labels)
        return labels, predictions


def squeeze_weights(weights: TensorLike, rank_of: Tensor, may_expand: bool = False) -> Tensor:
    """`weights` with the rank of a tensor: without a last dimension of 1 more than that has.

    Args:
        weights: tensor of any shape; a scalar is returned as it is.
        rank_of: the tensor that is weighted.
        may_expand: append a dimension where `weights` has one less.

    Returns:
        a tensor.
    """
    weights = convert_to_tensor(weights)
    if weights.dims == () and may_expand:
        return weights
    if weights.dims is not None and rank_of.dims is not None:
        surplus = len(weights.dims) - len(rank_of.dims)
        if surplus == 1:
            return composing.squeeze(weights, [-1])
        return composing.expand_dims(weights, [-1]) if surplus == -1 and may_expand else weights
    if not may_expand:
        difference = composing.rank(weights) - composing.rank(rank_of)
        if weights.dims != () and _may_end_in_one(weights.dims):
            return _squeezed_if(raw.Equal(1, difference), weights)
        return weights
    rank = composing.rank(weights)
    difference = rank - composing.rank(rank_of)

    def expanded() -> Tensor:
        longer = raw.Equal(difference, -1)
        return cond(longer, lambda: composing.expand_dims(weights, [-1]), lambda: weights)

    def shortened() -> Tensor:
        return composing.squeeze(weights, [-1]) if _may_end_in_one(weights.dims) else weights

    def adjusted() -> Tensor:
        return cond(raw.Equal(difference, 1), shortened, expanded)

    return cond(raw.Equal(rank, 0), lambda: weights, adjusted)
