"""Activations: what layers apply to their outputs, and the names that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.keras.backend import activations as backend
from headrace.keras.backend import arithmetic
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.layers.named import linear as linear
from headrace.ops.math import unary
from headrace.ops.nn import activations as nn
from headrace.ops.nn.activations import SELU_ALPHA, SELU_SCALE
from headrace.ops.nn.softmax import softmax as softmax_of_last_axis

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """Positive numbers that sum to one along an axis.

    Args:
        x: a tensor of two axes or more.
        axis: the axis.

    Raises:
        ValueError: for a tensor of one axis.
    """
    rank = len(x.shape)
    if rank == 2:
        return softmax_of_last_axis(x)
    if rank > 2:
        powers = unary.exp(x - reduce_max(x, axis=axis, keepdims=True))
        return powers / reduce_sum(powers, axis=axis, keepdims=True)
    raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """The exponential linear unit: `x` where it is positive, else `alpha * (exp(x) - 1)`."""
    return backend.elu(x, alpha)


def selu(x: TensorLike) -> Tensor:
    """The scaled exponential linear unit (Klambauer et al., 2017), which keeps means and variances."""
    return SELU_SCALE * elu(x, SELU_ALPHA)


def softplus(x: TensorLike) -> Tensor:
    """`log(exp(x) + 1)`."""
    return nn.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """`x / (abs(x) + 1)`."""
    return nn.softsign(x)


def relu(x: TensorLike, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0) -> Tensor:
    """The rectified linear unit: `x` where it is above the threshold.

    Args:
        x: a tensor.
        alpha: the slope below the threshold.
        max_value: the greatest output.
        threshold: below it the output is `alpha * (x - threshold)`.
    """
    return backend.relu(x, alpha=alpha, max_value=max_value, threshold=threshold)


def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
    return unary.tanh(x)


def sigmoid(x: TensorLike) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return unary.sigmoid(x)


def exponential(x: TensorLike) -> Tensor:
    """`exp(x)`."""
    return arithmetic.exp(x)


def hard_sigmoid(x: TensorLike) -> Tensor:
    """A sigmoid of three straight lines: `0.2 * x + 0.5`, between 0 and 1."""
    return backend.hard_sigmoid(x)


_NAMES: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(softmax, elu, selu, softplus, softsign, relu, tanh, sigmoid, exponential, hard_sigmoid),
        linear,
    )
}


def serialize(activation: Callable[..., Any]) -> Any:
    """What stands for an activation in settings: its name, as a rule."""
    return serialize_keras_object(activation)


def deserialize(name: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The activation of a name.

    Args:
        name: the name.
        custom_objects: the program's own activations by name.

    Raises:
        ValueError: if there is none of the name.
    """
    return deserialize_keras_object(name, _NAMES, custom_objects, "activation function")


def get(identifier: Any) -> Any:
    """The activation an argument stands for: None (linear), a function, a name such as "relu", or a layer's settings.

    Raises:
        ValueError: if there is none of the name; TypeError: for other things.
    """
    if identifier is None:
        return linear
    if isinstance(identifier, str):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return deserialize_keras_object(identifier, printable_module_name="activation")
    raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
