"""Tensors of random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.backend_config import floatx
from headrace.kernels.composing.filling import ones, zeros
from headrace.ops.array.where import where
from headrace.ops.random import normal, uniform

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


def _settings(dtype: DTypeLike | None, seed: int | None) -> dict[str, Any]:
    # A seed that NumPy draws: that of NumPy decides, as Keras has it.
    seed = np.random.randint(10_000_000) if seed is None else seed
    return {"dtype": floatx() if dtype is None else dtype, "seed": seed}


def random_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Normally distributed numbers.

    Args:
        shape: the sizes.
        mean: their mean.
        stddev: their standard deviation.
        dtype: the type, `floatx()` by default.
        seed: that of the numbers; drawn by NumPy by default.
    """
    return normal.random_normal(shape, mean=mean, stddev=stddev, **_settings(dtype, seed))


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean.

    Args:
        shape: the sizes.
        mean: their mean.
        stddev: their standard deviation.
        dtype: the type, `floatx()` by default.
        seed: that of the numbers; drawn by NumPy by default.
    """
    return normal.truncated_normal(shape, mean, stddev, **_settings(dtype, seed))


def random_uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Tensor:
    """Uniformly distributed numbers.

    Args:
        shape: the sizes.
        minval, maxval: the bounds.
        dtype: the type, `floatx()` by default.
        seed: that of the numbers; drawn by NumPy by default.
    """
    return uniform.random_uniform(shape, minval=minval, maxval=maxval, **_settings(dtype, seed))


def random_binomial(shape: Any, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None) -> Tensor:
    """Ones and zeros.

    Args:
        shape: the sizes.
        p: the share of ones.
        dtype: the type, `floatx()` by default.
        seed: that of the numbers; drawn by NumPy by default.
    """
    settings = _settings(dtype, seed)
    drawn = uniform.random_uniform(shape, **settings)
    return where(drawn <= p, ones(shape, dtype=settings["dtype"]), zeros(shape, dtype=settings["dtype"]))
