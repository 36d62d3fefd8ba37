"""Windows that signals are multiplied with before a Fourier transform.

F. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proceedings of the IEEE 66
(1978).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def hann_window(
    window_length: TensorLike, periodic: TensorLike = True, dtype: DTypeLike = "float32", name: str | None = None
) -> Tensor:
    """A Hann window: a raised cosine that begins at 0.

    Args:
        window_length: int scalar: the number of samples.
        periodic: bool scalar: whether it is one period of an endless window (for spectra), or symmetric (for filters).
        dtype: a floating-point type.
        name: a name for the operations.

    Returns:
        a vector [window_length].

    Raises:
        ValueError: if `dtype` is not a floating-point type, or an argument is not a scalar.

    Example:
        >>> tf.Session().run(tf.signal.hann_window(4))
        array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5)


def hamming_window(
    window_length: TensorLike, periodic: TensorLike = True, dtype: DTypeLike = "float32", name: str | None = None
) -> Tensor:
    """A Hamming window: a raised cosine that begins at 0.08.

    Args:
        window_length: int scalar: the number of samples.
        periodic: bool scalar: whether it is one period of an endless window (for spectra), or symmetric (for filters).
        dtype: a floating-point type.
        name: a name for the operations.

    Returns:
        a vector [window_length].

    Raises:
        ValueError: if `dtype` is not a floating-point type, or an argument is not a scalar.

    Example:
        >>> sess.run(tf.signal.hamming_window(2)).round(4)
        array([0.08, 1.  ], dtype=float32)
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54)


def _raised_cosine(
    name: str | None, kind: str, length: TensorLike, periodic: TensorLike, dtype: DTypeLike, mean: float
) -> Tensor:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    with name_scope(name, kind, [length, periodic]):
        length = convert_to_tensor(length, "int32", name="window_length")
        length.shape.assert_has_rank(0)
        known = constant_value(length)
        if known == 1:
            return composing.ones([1], dtype)
        periodic = convert_to_tensor(periodic, "bool", name="periodic")
        periodic.shape.assert_has_rank(0)
        periodic = composing.cast(periodic, "int32")
        # A symmetric window ends where it began; a periodic one of even length stops a sample before.
        even = 1 - raw.FloorMod(length, 2)
        period = composing.cast(length + periodic * even - 1, dtype)
        count = composing.cast(composing.range_(length), dtype)
        angle = convert_to_tensor(2 * math.pi, dtype) * count / period
        if known is not None:
            return mean - (1.0 - mean) * raw.Cos(angle)
        return cond(
            raw.Equal(length, 1),
            lambda: composing.ones([1], dtype),
            lambda: mean - (1.0 - mean) * raw.Cos(angle),
        )
