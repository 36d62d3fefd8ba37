"""Constraints: functions that project a weight after each update."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.functions.array.gather import gather_nd
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend.arithmetic import clip, sqrt, square
from headrace.keras.backend_config import epsilon, floatx
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.ops.array.gather import gather
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import greater_equal

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

    Axes = int | list[int] | tuple[int, ...]


class Constraint:
    """The base class of constraints: objects that give the projection of a weight."""

    def __call__(self, w: Any) -> Any:
        """The projected weight: here the weight as it is."""
        return w

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such constraint with."""
        return {}


def _norms(w: Any, axis: Axes) -> Tensor:
    return sqrt(reduce_sum(square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Keeps the norm of the weights of a unit below a bound (Srivastava et al., "Dropout", 2014).

    Args:
        max_value: the bound.
        axis: the axes over which norms are taken: 0 for the kernel of a dense layer, [0, 1, 2] for that of a
            convolution of images.

    Example:
        >>> layer = tf.keras.layers.Dense(4, kernel_constraint=tf.keras.constraints.MaxNorm(2.0))
    """

    def __init__(self, max_value: float = 2, axis: Axes = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Tensor:
        """The projected weight."""
        norms = _norms(w, self.axis)
        return w * (clip(norms, 0, self.max_value) / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        """The bound and the axes."""
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """Sets negative weights to zero."""

    def __call__(self, w: Any) -> Tensor:
        """The projected weight."""
        return w * cast(greater_equal(w, 0.0), floatx())


class UnitNorm(Constraint):
    """Scales the weights of a unit to a norm of one.

    Args:
        axis: the axes over which norms are taken.
    """

    def __init__(self, axis: Axes = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Tensor:
        """The projected weight."""
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        """The axes."""
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Moves the norm of the weights of a unit into an interval.

    Args:
        min_value, max_value: the interval.
        rate: how far towards it: 1 all the way.
        axis: the axes over which norms are taken.
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Axes = 0) -> None:
        self.min_value, self.max_value = min_value, max_value
        self.rate, self.axis = rate, axis

    def __call__(self, w: Any) -> Tensor:
        """The projected weight."""
        norms = _norms(w, self.axis)
        wanted = self.rate * clip(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
        return w * (wanted / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        """The interval, the rate and the axes."""
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


class RadialConstraint(Constraint):
    """Makes the kernels of a convolution of images the same in all directions: one value for each ring of a square.

    Example:
        >>> layer = tf.keras.layers.Conv2D(8, 3, kernel_constraint=tf.keras.constraints.RadialConstraint())
    """

    def __call__(self, w: Any) -> Tensor:
        """The projected weight.

        Raises:
            ValueError: if it has not four axes.
        """
        if w.shape.rank is None or w.shape.rank != 4:
            raise ValueError(f"The weight tensor must be of rank 4, but is of shape: {w.shape}")
        size = w.shape.as_list()[0]
        middle = size // 2
        # The value of each ring, from the innermost, is one of the diagonal's.
        first = [middle - 1] if size > 1 else [0]
        diagonal = first + list(range(middle + 1 - size % 2, size - size % 2))
        places = np.abs(np.arange(size) - (size - 1) / 2)
        ring = np.maximum(places[:, None], places[None, :]).astype(np.int32)
        values = gather_nd(w, [[i, i] for i in diagonal])
        return gather(values, ring)


max_norm, non_neg, unit_norm = MaxNorm, NonNeg, UnitNorm
min_max_norm, radial_constraint = MinMaxNorm, RadialConstraint
maxnorm, nonneg, unitnorm = MaxNorm, NonNeg, UnitNorm

_NAMES: dict[str, Any] = {
    **{made.__name__: made for made in (Constraint, MaxNorm, NonNeg, UnitNorm, MinMaxNorm, RadialConstraint)},
    "max_norm": MaxNorm,
    "maxnorm": MaxNorm,
    "non_neg": NonNeg,
    "nonneg": NonNeg,
    "unit_norm": UnitNorm,
    "unitnorm": UnitNorm,
    "min_max_norm": MinMaxNorm,
    "radial_constraint": RadialConstraint,
}


def serialize(constraint: Callable[..., Any] | None) -> Any:
    """What stands for a constraint in settings."""
    return serialize_keras_object(constraint)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The constraint that `serialize` described.

    Args:
        config: a name, or a dictionary of class and settings.
        custom_objects: the program's own constraints by name.

    Raises:
        ValueError: if there is none of the name.
    """
    return deserialize_keras_object(config, _NAMES, custom_objects, "constraint")


def get(identifier: Any) -> Any:
    """The constraint an argument stands for: None, a function, a name such as "max_norm", or its settings.

    Raises:
        ValueError: for others.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": str(identifier), "config": {}})
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret constraint identifier: {identifier}")
