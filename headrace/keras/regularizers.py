"""Regularizers: penalties on the size of weights or outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend.arrays import cast_to_floatx
from headrace.keras.backend.variables import constant
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.ops.math.unary import abs as absolute
from headrace.ops.math.unary import square

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class Regularizer:
    """The base class of regularizers: objects that give the penalty of a tensor."""

    def __call__(self, x: TensorLike) -> Any:
        """The penalty of a tensor; none by default."""
        return 0.0

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The regularizer that `get_config` describes."""
        return cls(**config)


class L1L2(Regularizer):
    """The sum of absolute values, of squares, or of both.

    Args:
        l1: the factor of the sum of absolute values.
        l2: that of the sum of squares.

    Example:
        >>> layer = tf.keras.layers.Dense(4, kernel_regularizer=tf.keras.regularizers.L1L2(l2=0.01))
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = cast_to_floatx(l1), cast_to_floatx(l2)

    def __call__(self, x: TensorLike) -> Tensor:
        """The penalty of a tensor."""
        if not self.l1 and not self.l2:
            return constant(0.0)
        penalty: Any = 0.0
        if self.l1:
            penalty += self.l1 * reduce_sum(absolute(x))
        if self.l2:
            penalty += self.l2 * reduce_sum(square(x))
        return penalty

    def get_config(self) -> dict[str, float]:
        """The two factors."""
        return {"l1": float(self.l1), "l2": float(self.l2)}


def l1(l: float = 0.01) -> L1L2:  # noqa: E741  # programs call it by this name
    """A penalty of `l` times the sum of absolute values."""
    return L1L2(l1=l)


def l2(l: float = 0.01) -> L1L2:  # noqa: E741  # as above
    """A penalty of `l` times the sum of squares."""
    return L1L2(l2=l)


def l1_l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """A penalty of `l1` times the sum of absolute values and `l2` times that of squares."""
    return L1L2(l1=l1, l2=l2)


_NAMES: dict[str, Any] = {"L1L2": L1L2, "Regularizer": Regularizer, "l1": l1, "l2": l2, "l1_l2": l1_l2}


def serialize(regularizer: Callable[..., Any] | None) -> Any:
    """What stands for a regularizer in settings."""
    return serialize_keras_object(regularizer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The regularizer that `serialize` described.

    Args:
        config: a name, or a dictionary of class and settings.
        custom_objects: the program's own regularizers by name.

    Raises:
        ValueError: if there is none of the name.
    """
    return deserialize_keras_object(config, _NAMES, custom_objects, "regularizer")


def get(identifier: Any) -> Any:
    """The regularizer an argument stands for: None, a function, a name such as "l2", or its settings.

    Raises:
        ValueError: for others.
    """
    if identifier is None or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        if identifier in ("l1", "l2", "l1_l2"):
            return deserialize({"class_name": identifier, "config": {}})
        return deserialize(identifier)
    raise ValueError("Could not interpret regularizer identifier:", identifier)
