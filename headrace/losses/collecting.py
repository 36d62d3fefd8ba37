"""The losses of a graph, by collection, and their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def add_loss(loss: TensorLike, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of losses.

    Args:
        loss: tensor.
        loss_collection: the collection's name; nothing happens without one, or while executing eagerly.
    """
    if loss_collection and not executing_eagerly():
        add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection whose names begin as the regular expression `scope` does."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The regularization losses whose names begin as the regular expression `scope` does."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of the regularization losses.

    Args:
        scope: a regular expression that their names begin with.
        name: a name for the operation.

    Returns:
        a scalar; the constant 0.0 if there are none.
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of the losses of the graph.

    Args:
        add_regularization_losses: add the regularization losses too.
        name: a name for the operation.
        scope: a regular expression that the names of the losses begin with.

    Returns:
        a scalar.

    Raises:
        ValueError: if there are no losses.

    Example:
        >>> tf.losses.sparse_softmax_cross_entropy(labels, logits)
        >>> train_op = optimizer.minimize(tf.losses.get_total_loss())
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope=scope)
    return add_n(losses, name=name)
