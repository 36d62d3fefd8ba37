"""Initializers v2, as TensorFlow 2 has them: the type is said in the call, and is no part of their configuration.

The formulas, and where they come from, are those of `headrace.state.initializers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import DType, as_dtype, float32, string
from headrace.core.tensor import Tensor
from headrace.functions.array.constant_v2 import constant
from headrace.ops.random.normal import (
    random_normal,
    stateless_normal,
    stateless_truncated_normal,
    truncated_normal,
)
from headrace.ops.random.uniform import random_uniform, stateless_uniform
from headrace.state import initializers as first
from headrace.state.initializers import assert_float_dtype

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class Initializer:
    """What makes initial values: called with a shape and a type."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """A tensor of `shape` and `dtype`."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, as plain values."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The initializer with the arguments that `get_config` gave; a type among them is passed over."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


class _WithTypeOfCall:
    """One that makes what the 1.x class behind it makes, of the type of the call."""

    def __call__(self, shape: Any, dtype: Any = float32) -> Tensor:
        """A tensor of `shape` and `dtype`, a floating point type."""
        made: Tensor = super().__call__(shape, self._type(as_dtype(dtype)))  # type: ignore[misc]  # the 1.x class comes after this one
        return made

    def _type(self, dtype: DType) -> DType:
        return assert_float_dtype(dtype)

    # What a seeded one draws depends on its seed alone: each call gives the same, whatever was drawn before.
    def _uniform(self, shape: Any, minval: Any, maxval: Any, dtype: DTypeLike) -> Tensor:
        pair = self._seed_pair()
        if pair is None:
            return random_uniform(shape, minval, maxval, dtype)
        return stateless_uniform(shape, pair, minval, maxval, dtype)

    def _normal(self, shape: Any, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
        pair = self._seed_pair()
        if pair is None:
            return random_normal(shape, mean, stddev, dtype)
        return stateless_normal(shape, pair, mean, stddev, dtype)

    def _truncated(self, shape: Any, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
        pair = self._seed_pair()
        if pair is None:
            return truncated_normal(shape, mean, stddev, dtype)
        return stateless_truncated_normal(shape, pair, mean, stddev, dtype)

    def _seed_pair(self) -> list[int] | None:
        seed = getattr(self, "seed", None)
        return None if seed is None else [seed, 0]

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, as plain values."""
        config: dict[str, Any] = super().get_config()  # type: ignore[misc]  # the 1.x class comes after this one
        return {key: value for key, value in config.items() if key != "dtype"}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The initializer with the arguments that `get_config` gave; a type among them is passed over."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


class Zeros(_WithTypeOfCall, first.Zeros, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes zeros, False or empty strings."""

    def __init__(self) -> None:
        super().__init__()

    def _type(self, dtype: DType) -> DType:
        if not dtype.is_numpy_compatible:
            raise ValueError(f"Expected numeric or boolean dtype, got {dtype!s}.")
        return dtype


class Ones(_WithTypeOfCall, first.Ones, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes ones, or True."""

    def __init__(self) -> None:
        super().__init__()

    def _type(self, dtype: DType) -> DType:
        if not dtype.is_numpy_compatible or dtype == string:
            raise ValueError(f"Expected numeric or boolean dtype, got {dtype!s}.")
        return dtype


class Constant(Initializer):
    """Makes a constant.

    Args:
        value: a number, a list or an array, with one element or as many as the shape has.

    Raises:
        TypeError: for a value of another type.
    """

    def __init__(self, value: Any = 0) -> None:
        # The 1.x class says which values will do.
        self.value = first.Constant(value).value

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """The value in `shape`, of its own type if `dtype` is not given."""
        return constant(self.value, dtype=None if dtype is None else as_dtype(dtype), shape=shape)

    def get_config(self) -> dict[str, Any]:
        """The value."""
        return {"value": self.value}


class RandomUniform(_WithTypeOfCall, first.RandomUniform, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes values spread evenly over [minval, maxval)."""

    def __init__(self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None) -> None:
        super().__init__(minval, maxval, seed)

    def _type(self, dtype: DType) -> DType:
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Expected float or integer dtype, got {dtype!s}.")
        return dtype


class RandomNormal(_WithTypeOfCall, first.RandomNormal, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes normally distributed values."""

    def __init__(self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)


class TruncatedNormal(_WithTypeOfCall, first.TruncatedNormal, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes normally distributed values, none of them more than two standard deviations off."""

    def __init__(self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)


class VarianceScaling(_WithTypeOfCall, first.VarianceScaling, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes random values whose variance goes with the numbers of inputs and outputs; see that of 1.x."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        super().__init__(scale, mode, distribution, seed)


class Orthogonal(_WithTypeOfCall, first.Orthogonal, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes a matrix with orthogonal rows or columns, folded into the shape."""

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(gain, seed)


class Identity(_WithTypeOfCall, first.Identity, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes the identity matrix."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain)


class GlorotUniform(_WithTypeOfCall, first.GlorotUniform, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes uniform values within sqrt(6 / (fan_in + fan_out))."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)


class GlorotNormal(_WithTypeOfCall, first.GlorotNormal, Initializer):  # type: ignore[misc]  # called as the first base says
    """Makes truncated normal values of standard deviation sqrt(2 / (fan_in + fan_out))."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)


glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """An initializer of truncated normal values of standard deviation sqrt(1 / fan_in)."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """An initializer of uniform values within sqrt(3 / fan_in)."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """An initializer of truncated normal values of standard deviation sqrt(2 / fan_in)."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """An initializer of uniform values within sqrt(6 / fan_in)."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)
