"""Gradients that are scaled on their way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.functions.flow.custom_gradient import custom_gradient
from headrace.kernels.composing.arranging import identity

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


@custom_gradient
def scale_gradient(inputs: TensorLike, gradient_multiplier: TensorLike) -> tuple[Tensor, Callable[..., Any]]:
    """The inputs; their gradient is multiplied.

    Args:
        inputs: a tensor.
        gradient_multiplier: a scalar.

    Example:
        >>> a = tf.constant(3.0)
        >>> sess.run(tf.gradients(tf.contrib.layers.scale_gradient(a, 0.5), a))
        [0.5]
    """

    def gradient(grad: Tensor) -> list[Any]:
        return [grad * gradient_multiplier, None]

    return identity(inputs), gradient
