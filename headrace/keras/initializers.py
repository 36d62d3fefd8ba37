"""Initializers, with the scales that Keras gives the random ones, and the names that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.config import tf2
from headrace.core.dtypes import float32
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.state import initializers, initializers_v2

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


class RandomNormal(initializers.RandomNormal):
    """Normally distributed numbers.

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


class RandomUniform(initializers.RandomUniform):
    """Uniformly distributed numbers.

    Args:
        minval, maxval: the bounds.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(minval=minval, maxval=maxval, seed=seed, dtype=dtype)


class TruncatedNormal(initializers.TruncatedNormal):
    """Normally distributed numbers within two standard deviations of the mean.

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal = TruncatedNormal

_OF_FUNCTIONS = ("he_normal", "he_uniform", "lecun_normal", "lecun_uniform")
_NAMES: dict[str, Any] = {
    **{
        name: getattr(initializers, name)
        for name in (
            *("Initializer", "Zeros", "Ones", "Constant", "Identity", "Orthogonal", "VarianceScaling"),
            *("GlorotNormal", "GlorotUniform", "UniformUnitScaling"),
            *("ConvolutionDeltaOrthogonal", *_OF_FUNCTIONS),
        )
    },
    "zero": initializers.Zeros,
    "zeros": initializers.Zeros,
    "one": initializers.Ones,
    "ones": initializers.Ones,
    "constant": initializers.Constant,
    "identity": initializers.Identity,
    "orthogonal": initializers.Orthogonal,
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "RandomNormal": RandomNormal,
    "RandomUniform": RandomUniform,
    "TruncatedNormal": TruncatedNormal,
    "normal": RandomNormal,
    "random_normal": RandomNormal,
    "uniform": RandomUniform,
    "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal,
}
# With the behavior of 2.x the same names stand for initializers that are told the type when they are called. Others have none.
_NAMES_V2: dict[str, Any] = {
    name: getattr(initializers_v2, value.__name__)
    for name, value in _NAMES.items()
    if hasattr(initializers_v2, value.__name__)
}


def serialize(initializer: Callable[..., Any] | None) -> Any:
    """What stands for an initializer in settings."""
    return serialize_keras_object(initializer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The initializer that `serialize` described: one of 2.x with that behavior enabled.

    Args:
        config: a name, or a dictionary of class and settings.
        custom_objects: the program's own initializers by name.

    Raises:
        ValueError: if there is none of the name.
    """
    names = _NAMES_V2 if tf2.enabled() else _NAMES
    return deserialize_keras_object(config, names, custom_objects, "initializer")


def get(identifier: Any) -> Any:
    """The initializer an argument stands for: None, a function, a name such as "he_normal", or its settings.

    Raises:
        ValueError: for others.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        # These are functions that make initializers, which a plain name would stand for themselves.
        if identifier in _OF_FUNCTIONS:
            return deserialize({"class_name": identifier, "config": {}})
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")
