"""Regularizers: functions of weights that give a loss."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, get_collection, name_scope
from headrace.functions.math.reduction import reduce_sum
from headrace.ops.array.constant import constant
from headrace.ops.math.add_n import add_n
from headrace.ops.math.binary import multiply
from headrace.ops.math.unary import abs
from headrace.ops.nn.l2_loss import l2_loss
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


Regularizer = Callable[[Any], Any]


def _checked(scale: float, end: str = "") -> bool:
    """Whether a scale is one that does something."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}{end}")
        if scale == 0.0:
            tf_logging.info("Scale of 0 disables regularizer.")
            return False
    return True


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A regularizer: scale * the sum of absolute values.

    Args:
        scale: a float, or a scalar tensor; 0.0 for none.
        scope: a name scope.

    Raises:
        ValueError: if `scale` is negative or an int.
    """
    if not _checked(scale):
        return lambda _: None

    def l1(weights: Variable, name: str | None = None) -> Tensor:
        with name_scope(scope, "l1_regularizer", [weights]) as opened:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, reduce_sum(abs(weights)), name=opened)

    return l1


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """A regularizer: scale * half the sum of squares.

    Args:
        scale: a float, or a scalar tensor; 0.0 for none.
        scope: a name scope.

    Raises:
        ValueError: if `scale` is negative or an int.

    Example:
        >>> kernel = tf.get_variable("kernel", [784, 10], regularizer=tf.contrib.layers.l2_regularizer(1e-4))
    """
    if not _checked(scale, "."):
        return lambda _: None

    def l2(weights: Tensor | Variable) -> Tensor:
        with name_scope(scope, "l2_regularizer", [weights]) as opened:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return multiply(factor, l2_loss(weights), name=opened)

    return l2


def l1_l2_regularizer(scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None) -> Any:
    """The sum of an `l1_regularizer` and an `l2_regularizer`.

    Args:
        scale_l1, scale_l2: their scales.
        scope: a name scope.

    Raises:
        ValueError: if a scale is negative or an int.
    """
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(
    regularizer_list: Sequence[Callable[..., Any] | None], scope: str | None = None
) -> Callable[..., Any] | None:
    """The sum of several regularizers; None of no one.

    Args:
        regularizer_list: regularizers, or None.
        scope: a name scope.
    """
    regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not regularizers:
        return None

    def sum_of_all(weights: Variable) -> Any:
        with name_scope(scope, "sum_regularizer", [weights]) as opened:
            losses = [loss for loss in (regularizer(weights) for regularizer in regularizers) if loss is not None]
            return add_n(losses, name=opened) if losses else None

    return sum_of_all


def apply_regularization(regularizer: Regularizer, weights_list: Sequence[TensorLike] | None = None) -> Tensor:
    """The sum of a regularizer's losses, which joins `GraphKeys.REGULARIZATION_LOSSES`.

    Args:
        regularizer: a regularizer.
        weights_list: the weights; those of `GraphKeys.WEIGHTS` by default.

    Raises:
        ValueError: if there are no weights, or a loss is no scalar.
    """
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights_list) as opened:
        penalties = [regularizer(weights) for weights in weights_list]
        penalties = [constant(0.0) if penalty is None else penalty for penalty in penalties]
        for penalty in penalties:
            if penalty.shape.ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {penalty.shape.ndims}."
                )
        total = add_n(penalties, name=opened)
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
