"""Activations that are composed of others: swish."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.custom_gradient import custom_gradient

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


@custom_gradient
def swish(features: TensorLike) -> tuple[Tensor, Callable[..., Any]]:
    """features * sigmoid(features) (Ramachandran, Zoph and Le, arXiv:1710.05941).

    The gradient computes the sigmoid again instead of keeping it.

    Args:
        features: floats of any shape.

    Example:
        >>> tf.Session().run(tf.nn.swish([0.0, 1.0]))
        array([0.       , 0.7310586], dtype=float32)
    """
    features = convert_to_tensor(features, name="features")

    def gradient(dy: Tensor) -> Tensor:
        with control_dependencies([dy]):
            gate = _sigmoid(features)
        return dy * (gate * (1.0 + features * (1.0 - gate)))

    return features * _sigmoid(features), gradient


def _sigmoid(x: Tensor) -> Tensor:
    with name_scope(None, "Sigmoid", [x]) as scope:
        return raw.Sigmoid(x, name=scope)
