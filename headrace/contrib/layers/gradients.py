"""Gradients that are scaled on their way back."""

from __future__ import annotations

from typing import Any

from headrace.ops.array.identity import identity
from headrace.ops.flow.custom_gradient import custom_gradient


@custom_gradient
def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """The inputs; their gradient is multiplied.

    Args:
        inputs: a tensor.
        gradient_multiplier: a scalar.

    Example:
        >>> features = tf.contrib.layers.scale_gradient(features, 0.1)
    """

    def gradient(grad: Any) -> list[Any]:
        return [grad * gradient_multiplier, None]

    return identity(inputs), gradient
