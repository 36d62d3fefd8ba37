"""Discrete cosine transforms of types I, II and III."""

from __future__ import annotations

import math
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.math.fft import irfft, rfft

_INVERSES = {1: 1, 2: 3, 3: 2}


def _check(tensor: Any, kind: int, n: int | None, axis: int, norm: str | None) -> None:
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
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
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
        >>> tf.Session().run(tf.signal.dct([1.0, 2.0], norm="ortho"))
        array([ 2.1213202, -0.7071068], dtype=float32)
    """
    _check(input, type, n, axis, norm)
    with name_scope(name, "dct", [input]):
        tensor = convert_to_tensor(input, "float32")
        if n is not None:
            tensor = _of_size(tensor, n)
        size: Any = tensor.dims[-1] if tensor.dims is not None and tensor.dims[-1] is not None else None
        size = composing.shape(tensor)[-1] if size is None else size
        if type == 1:
            # Its even extension, of which the spectrum is real.
            return raw.Real(rfft(composing.concat([tensor, tensor[..., -2:0:-1]], -1)))
        count = composing.cast(size, "float32")
        turns = composing.cast(composing.range_(size), "float32") * (math.pi * 0.5) / count
        if type == 2:
            phases = raw.Complex(2.0 * raw.Cos(turns), -2.0 * raw.Sin(turns))
            result = raw.Real(rfft(tensor, [2 * size])[..., :size] * phases)
            return result if norm is None else result * _weights(0.5 * raw.Rsqrt(count), math.sqrt(2.0), size)
        tensor = tensor * (count if norm is None else _weights(raw.Sqrt(count), math.sqrt(0.5), size))
        phases = raw.Complex(2.0 * raw.Cos(turns), 2.0 * raw.Sin(turns))
        spectrum = phases * raw.Complex(tensor, raw.ZerosLike(tensor))
        return irfft(spectrum, [2 * size])[..., :size]


def _of_size(tensor: Tensor, n: int) -> Tensor:
    """`tensor` with n samples, and its static rank."""
    dims = tensor.dims
    tensor = tensor[..., :n]
    if dims is not None and dims[-1] is not None and dims[-1] >= n:
        return tensor
    here = raw.OneHot(composing.rank(tensor) - 1, composing.rank(tensor), n - composing.shape(tensor)[-1], 0)
    result = raw.Pad(tensor, raw.Pack([raw.ZerosLike(here), here], axis=1))
    if dims is not None:
        result.set_shape([*dims[:-1], n])
    return result


def _weights(first: Tensor, ratio: float, size: Any) -> Tensor:
    """`first`, then `ratio` times it, `size` together."""
    rest = raw.Fill(raw.Pack([size - 1]), first * ratio)
    return composing.concat([composing.expand_dims(first, 0), rest], 0)


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
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
