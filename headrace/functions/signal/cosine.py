"""Discrete cosine transforms of types I, II and III.

J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Transactions on ASSP 28 (1980): by the Fourier
transform of a longer signal.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range
from headrace.ops.math.complex import complex, real
from headrace.ops.math.fft import irfft, rfft

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_INVERSES = {1: 1, 2: 3, 3: 2}


def _check(tensor: TensorLike, kind: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in _INVERSES:
        raise ValueError("Only Types I, II and III (I)DCT are supported.")
    if kind == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        size = convert_to_tensor(tensor).dims
        if size is not None and size[-1] is not None and size[-1] < 2:
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform of the last dimension.

    Args:
        input: float32 [..., samples].
        type: 1, 2 or 3.
        n: to how many samples the input is cut, or filled up with zeros, first.
        axis: -1.
        norm: "ortho" for an orthonormal transform (not of type 1), or None.
        name: a name for the operations.

    Returns:
        float32 [..., samples] (or n).

    Raises:
        ValueError: for a type, n or norm there is not, or a type I transform of one sample.
        NotImplementedError: for another axis; transpose first.

    Example:
        >>> sess.run(tf.signal.dct([1.0, 2.0], norm="ortho")).round(4)
        array([ 2.1213, -0.7071], dtype=float32)
    """
    _check(input, type, n, axis, norm)
    with name_scope(name, "dct", [input]):
        tensor = convert_to_tensor(input, "float32")
        size = _samples(tensor)
        if n is not None:
            tensor = tensor[..., 0:n] if n <= size else _filled_up(tensor, n, size)
        size = _samples(tensor)
        count = composing.cast(size, "float32")
        if type == 1:
            # Its even extension, of which the spectrum is real.
            return real(rfft(composing.concat([tensor, tensor[..., -2:0:-1]], -1)))
        if type == 2:
            turns = -range(count) * math.pi * 0.5 / count
            phases = 2.0 * raw.Exp(complex(0.0, turns))
            result = real(rfft(tensor, [2 * size])[..., :size] * phases)
            return result if norm is None else result * _weights(0.5 * raw.Rsqrt(count), 2.0, size)
        tensor = tensor * (count if norm is None else _weights(raw.Sqrt(count), 0.5, size))
        turns = range(count) * math.pi * 0.5 / count
        phases = 2.0 * raw.Exp(complex(0.0, turns))
        spectrum = phases * complex(tensor, 0.0)
        return real(irfft(spectrum, [2 * size]))[..., :size]


def _samples(tensor: Tensor) -> Any:
    """The size of the last dimension: a number where it is known."""
    known = tensor.dims[-1] if tensor.dims else None
    return known or composing.shape(tensor)[-1]


def _filled_up(tensor: Tensor, n: int, size: int) -> Tensor:
    rank = len(tensor.shape)
    return raw.Pad(tensor, convert_to_tensor([[0, 0]] * (rank - 1) + [[0, n - size]], "int32"))


def _weights(first: Tensor, squared_ratio: float, size: Any) -> Tensor:
    """`first`, then the root of `squared_ratio` times it, `size` together."""
    others = first * raw.Sqrt(squared_ratio)
    return raw.PadV2(composing.expand_dims(first, 0), [[0, size - 1]], others)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of the discrete cosine transform of `type`, but for a factor unless `norm` is "ortho".

    Args:
        input: float32 [..., samples].
        type: 1, 2 or 3: the transform it is the inverse of.
        n, axis, norm: as for `dct`.
        name: a name for the operations.

    Returns:
        float32 [..., samples] (or n).

    Raises:
        ValueError, NotImplementedError: as for `dct`.

    Example:
        >>> tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho")
    """
    _check(input, type, n, axis, norm)
    return dct(input, type=_INVERSES[type], n=n, axis=axis, norm=norm, name=name)
