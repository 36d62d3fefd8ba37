"""The initializers of `tf.contrib.layers`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.attributes import check_attribute
from headrace.core.dtypes import as_dtype, float32
from headrace.core.tensor import Tensor
from headrace.ops.random.normal import truncated_normal
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike


# What cutting a normal distribution at two standard deviations takes from its variance, as rounded here from the start.
_TRUNCATION = 1.3


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: DTypeLike = float32
) -> Callable[..., Tensor]:
    """An initializer that keeps the scale of gradients alike in all layers; Glorot and Bengio 2010.

    Args:
        uniform: whether values are uniform rather than truncated normal.
        seed: the op seed.
        dtype: a floating type.

    Example:
        >>> kernel = tf.get_variable("kernel", [784, 10], initializer=tf.contrib.layers.xavier_initializer())
    """
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: DTypeLike = float32,
) -> Callable[..., Tensor]:
    """An initializer of values whose variance is `factor` divided by a number of connections.

    With the inputs and a factor of 2 it is that of He et al., arXiv:1502.01852; with the inputs and 1 that of LeCun et
    al., "Efficient BackProp" (1998); with the average and 1 that of Glorot and Bengio, AISTATS 2010.

    Args:
        factor: the factor.
        mode: which connections: "FAN_IN", "FAN_OUT" or "FAN_AVG".
        uniform: whether values are uniform rather than truncated normal.
        seed: the op seed.
        dtype: a floating type.

    Raises:
        TypeError: if `dtype` is not floating or `mode` is another.
    """
    check_attribute("variance_scaling_initializer: dtype", dtype, "is_floating", "a DType")
    preset = as_dtype(dtype)
    if not preset.is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def _initializer(shape: Sequence[int], dtype: DType = preset, partition_info: Any = None) -> Tensor:
        if not as_dtype(dtype).is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        fan_in = fan_out = 1.0
        if shape:
            fan_in = float(shape[-2]) if len(shape) > 1 else float(shape[-1])
            fan_out = float(shape[-1])
        field = math.prod(float(size) for size in shape[:-2])
        counts = {"FAN_IN": fan_in * field, "FAN_OUT": fan_out * field, "FAN_AVG": (fan_in + fan_out) * field / 2.0}
        count = counts[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        return truncated_normal(shape, 0.0, math.sqrt(_TRUNCATION * factor / count), dtype, seed=seed)

    return _initializer
