"""Discrete Fourier transforms over the last one, two or three dimensions.

The transform F of n numbers has F^H = n F^-1, from which the gradients follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.constant_value import constant_dims
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import GradientRule, OpDecl, ShapeRule, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import rank_at_least
from headrace.kernels.legacy_op_types import with_rules_of

if TYPE_CHECKING:
    from headrace.core.typing import OpView, TensorLike


def _axes(rank: int) -> tuple[int, ...]:
    return tuple(range(-rank, 0))


def _declare_complex(op_type: str, rank: int, inverse: bool) -> OpDecl:
    decl = op(op_type, "input: Tcomplex, *, Tcomplex: {complex64, complex128} = complex64 -> output: Tcomplex")
    decl.shape(lambda op: [rank_at_least(op.inputs[0].dims, rank)])
    function = torch.fft.ifftn if inverse else torch.fft.fftn

    @decl.kernel
    def kernel(node):
        axes = _axes(rank)

        def transform(x):
            if x.dim() < rank:
                raise InvalidArgumentError(
                    None, None, f"Input must have rank of at least {rank} but got: {list(x.shape)}"
                )
            return function(x, dim=axes) if x.numel() else x.clone()

        return transform

    shape = [3, 2, 2][3 - rank :]
    sample = np.arange(2 * np.prod(shape)).reshape(2, *shape) / 16
    decl.accepts((sample - 0.5j).astype(np.complex64)).accepts(shape, Tcomplex="complex128")
    return decl.rejects(shape[1:], error=ValueError)


fft_op = _declare_complex("FFT", 1, inverse=False)
fft2d_op = _declare_complex("FFT2D", 2, inverse=False)
fft3d_op = _declare_complex("FFT3D", 3, inverse=False)
ifft_op = _declare_complex("IFFT", 1, inverse=True)
ifft2d_op = _declare_complex("IFFT2D", 2, inverse=True)
ifft3d_op = _declare_complex("IFFT3D", 3, inverse=True)


def _gradient(rank: int, inverse_op: OpDecl) -> GradientRule:
    def gradient(op: Operation, grad: Tensor) -> list[Tensor]:
        """The transform the other way round, which differs from the adjoint by the number of elements."""
        size = raw.Prod(composing.shape(grad)[-rank:], convert_to_tensor([0], "int32"))
        factor = composing.cast(size, grad.dtype)
        return [inverse_op(grad) * factor]

    return gradient


def _inverse_gradient(rank: int, forward_op: OpDecl) -> GradientRule:
    def gradient(op: Operation, grad: Tensor) -> list[Tensor]:
        """The transform the other way round, which differs from the adjoint by the number of elements."""
        size = raw.Prod(composing.shape(grad)[-rank:], convert_to_tensor([0], "int32"))
        share = composing.cast(1.0 / composing.cast(size, grad.dtype.real_dtype), grad.dtype)
        return [forward_op(grad) * share]

    return gradient


for _rank, _forward, _inverse in ((1, fft_op, ifft_op), (2, fft2d_op, ifft2d_op), (3, fft3d_op, ifft3d_op)):
    _forward.gradient(_gradient(_rank, _inverse))
    _inverse.gradient(_inverse_gradient(_rank, _forward))


def _real_shape(rank: int, inverse: bool) -> ShapeRule:
    def rule(op: OpView) -> list[Dims]:
        dims = rank_at_least(op.inputs[0].dims, rank)
        length = op.inputs[1].dims
        if length is not None and len(length) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(length)}")
        if length is not None and length[0] not in (None, rank):
            raise ValueError(f"Dimension must be {rank} but is {length[0]}")
        if dims is None:
            return [None]
        sizes = op.constant(1)
        if sizes is None:
            return [(*dims[:-rank], *[None] * rank)]
        inner = [int(n) for n in sizes]
        if not inverse and inner:
            inner[-1] = inner[-1] // 2 + 1 if inner[-1] else 0
        return [(*dims[:-rank], *inner)]

    return rule


_OF_REAL = "input: float, fft_length: int32 -> output: complex64"
_TO_REAL = "input: complex64, fft_length: int32 -> output: float"


def _declare_real(op_type: str, rank: int, inverse: bool) -> OpDecl:
    decl = op(op_type, _TO_REAL if inverse else _OF_REAL)
    decl.on_host("fft_length").shape(_real_shape(rank, inverse))
    function = torch.fft.irfftn if inverse else torch.fft.rfftn

    @decl.kernel
    def kernel(node):
        axes = _axes(rank)

        def transform(x, length):
            sizes = length.tolist()
            if len(sizes) != rank:
                raise InvalidArgumentError(None, None, f"fft_length must have shape [{rank}]")
            if x.dim() < rank:
                raise InvalidArgumentError(
                    None, None, f"Input must have rank of at least {rank} but got: {list(x.shape)}"
                )
            for i, size in enumerate(sizes if x.numel() else ()):
                if size < 0:
                    # TensorFlow takes such a size for a very large one.
                    size += 2**64
                needed = size // 2 + 1 if inverse and i == rank - 1 else size
                if x.shape[i - rank] < needed:
                    raise InvalidArgumentError(
                        None,
                        None,
                        f"Input dimension {x.dim() - rank + i} must have length of at least {needed} but got: "
                        f"{x.shape[i - rank]}",
                    )
            if 0 in sizes or not x.numel():
                if not inverse:
                    sizes[-1] = sizes[-1] // 2 + 1 if sizes[-1] else 0
                dtype = torch.float32 if inverse else torch.complex64
                return torch.zeros((*x.shape[:-rank], *sizes), dtype=dtype, device=x.device)
            return function(x, s=sizes, dim=axes)

        return transform

    shape, length = [2, 2, 3, 4][3 - rank :], np.array([2, 3, 4][3 - rank :], np.int32)
    if inverse:
        sample = (np.arange(np.prod(shape)).reshape(shape) / 16 + 0.5j).astype(np.complex64)
        decl.accepts(sample, length).accepts(sample, np.array([*length[:-1], 6], np.int32))
    else:
        decl.accepts(shape, length).accepts(shape, length - 1)
    return decl.rejects(shape, length[1:], error=ValueError)


rfft_op = _declare_real("RFFT", 1, inverse=False)
rfft2d_op = _declare_real("RFFT2D", 2, inverse=False)
rfft3d_op = _declare_real("RFFT3D", 3, inverse=False)
irfft_op = _declare_real("IRFFT", 1, inverse=True)
irfft2d_op = _declare_real("IRFFT2D", 2, inverse=True)
irfft3d_op = _declare_real("IRFFT3D", 3, inverse=True)


def _inverse_real_gradient(rank: int, forward: Callable[..., Tensor]) -> GradientRule:
    def gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
        """All frequencies but the first (and, of even lengths, the last) stand for a conjugate pair."""
        length = op.inputs[1]
        is_odd = raw.FloorMod(length[-1], 2)
        width = composing.shape(op.inputs[0])[-1]
        inner = 2.0 * composing.ones([width - 2 + is_odd])
        mask = composing.concat([[1.0], inner, composing.ones([1 - is_odd])], 0)
        size = raw.Prod(composing.shape(grad)[-rank:], convert_to_tensor([0], "int32"))
        share = raw.Reciprocal(composing.cast(size, "float32"))
        transformed = forward(grad, length)
        return [transformed * composing.cast(share * mask, "complex64"), None]

    return gradient


def _real_gradient(rank: int, inverse: Callable[..., Tensor]) -> GradientRule:
    def gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
        """The inverse transform halves what the pairs share; the unpaired frequencies are added on."""
        length = op.inputs[1]
        shape = composing.shape(op.inputs[0])
        is_even = composing.cast(1 - (length[-1] % 2), "complex64")
        first = grad[..., 0:1]
        if rank == 1:
            last = grad[..., -1:]
            extra = first + is_even * last * _signs(shape[-1])
        else:
            mask = _mask_matrix(shape[-2])
            sizes = composing.concat([composing.ones([composing.rank(first) - 2], "int32"), composing.shape(mask)], 0)
            expanded = raw.Reshape(mask, sizes)
            tiled = raw.Tile(expanded, composing.concat([composing.shape(first)[:-2], [1, 1]], 0))
            extra = composing.matmul(tiled, composing.conj(first))
            last = grad[..., -1:]
            columns = composing.matmul(tiled, composing.conj(last))
            width = shape[-1]
            sizes = composing.concat([composing.ones([composing.rank(grad) - 1], "int32"), [width]], 0)
            extra += is_even * (raw.Tile(columns, sizes) * _signs(width))
        count = raw.Prod(composing.shape(op.inputs[0])[-rank:], convert_to_tensor([0], "int32"))
        size = composing.cast(count, "float32")
        scaled = inverse(grad, length) * size
        return [0.5 * (scaled + raw.Real(extra, Tout="float32")), None]

    return gradient


def _signs(length: Tensor) -> Tensor:
    """1, -1, 1, -1, ..."""
    return composing.cast(1 - 2 * (composing.range_(length) % 2), "complex64")


def _mask_matrix(length: Tensor) -> Tensor:
    """exp(-2 pi i j k / n) for all j and k below n."""
    rows = raw.Tile(composing.expand_dims(composing.range_(length), 0), (length, 1))
    products = composing.cast(rows * composing.transpose(rows, [1, 0]), "complex64")
    return raw.Exp(-2j * np.pi * products / composing.cast(length, "complex64"))


def _length(x: Tensor, rank: int, inverse: bool) -> Tensor:
    """The length of the transform that `x` has room for."""
    sizes: Any = None if x.dims is None else list(x.dims[-rank:])
    if sizes is None or None in sizes:
        shape = composing.shape(x)[-rank:]
        if not inverse:
            return shape
        parts = list(raw.Unpack(shape, num=rank, name="unstack"))
        parts[-1] = raw.Maximum(0, 2 * (parts[-1] - 1))
        return composing.stack(parts)
    if inverse:
        sizes[-1] = max(0, 2 * (sizes[-1] - 1))
    return convert_to_tensor(sizes, "int32")


def _padded(x: Tensor, rank: int, length: Tensor, inverse: bool) -> Tensor:
    """`x` with zeros after it where it is shorter than the transform."""
    if (x.dims is not None and 0 in x.dims) or (length.dims is not None and length.dims[0] not in (None, rank)):
        # The transform itself says what is amiss with its length.
        return x
    fft_length = constant_dims(length)
    known: Any = (None,) if x.dims is None else x.dims[-rank:]
    if (
        fft_length is not None
        and len(fft_length) == rank
        and None not in fft_length
        and x.dims is not None
        and len(known) == rank
        and None not in known
    ):
        inner: list[Any] = list(fft_length)
        if inverse:
            inner[-1] = inner[-1] // 2 + 1
        missing = [[0, max(n - have, 0)] for n, have in zip(inner, map(int, known), strict=True)]
        if not any(after for _, after in missing):
            return x
        return raw.Pad(x, [[0, 0]] * (len(x.dims) - rank) + missing)
    x_rank = composing.rank(x)
    have = composing.shape(x)[-rank:]
    outer = composing.zeros([raw.Maximum(0, x_rank - rank)], "int32")
    if inverse:
        length = composing.concat([length[:-1], length[-1:] // 2 + 1], 0)
    after = composing.concat([outer, raw.Maximum(0, length - have)], 0)
    return raw.Pad(x, composing.stack([composing.zeros_like(after), after], axis=1))


def _real_transform(decl: OpDecl, rank: int, inverse: bool) -> Callable[..., Tensor]:
    scope_name = decl.type.lower()
    kind = "complex64" if inverse else "float32"

    def transform(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
        with name_scope(name, scope_name, [input_tensor, fft_length]) as scope:
            x = convert_to_tensor(input_tensor, kind)
            x.shape.with_rank_at_least(rank)
            if fft_length is None:
                fft_length = _length(x, rank, inverse)
            else:
                fft_length = convert_to_tensor(fft_length, "int32")
                fft_length.shape.with_rank(1)
            return decl(_padded(x, rank, fft_length, inverse), fft_length, name=scope)

    over = {1: "the last dimension", 2: "the last two dimensions", 3: "the last three dimensions"}[rank]
    transform.__name__ = transform.__qualname__ = scope_name
    transform.__doc__ = f"""The {"inverse " if inverse else ""}Fourier transform of real numbers over {over}.

    Args:
        input_tensor: {"complex64, the frequencies up to half the length" if inverse else "float32"}; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape ({rank},): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        {"float32 numbers" if inverse else "complex64, the frequencies up to half the length"}.

    Raises:
        ValueError: if the input has less than {rank} dimensions.
    """
    return transform


rfft = _real_transform(rfft_op, 1, inverse=False)
rfft2d = _real_transform(rfft2d_op, 2, inverse=False)
rfft3d = _real_transform(rfft3d_op, 3, inverse=False)
irfft = _real_transform(irfft_op, 1, inverse=True)
irfft2d = _real_transform(irfft2d_op, 2, inverse=True)
irfft3d = _real_transform(irfft3d_op, 3, inverse=True)

# 1.x has none for three dimensions.
rfft_op.gradient(_real_gradient(1, irfft))
rfft2d_op.gradient(_real_gradient(2, irfft2d))
irfft_op.gradient(_inverse_real_gradient(1, rfft))
irfft2d_op.gradient(_inverse_real_gradient(2, rfft2d))


def _complex_transform(decl: OpDecl, rank: int, inverse: bool) -> Callable[..., Tensor]:
    def transform(input: TensorLike, name: str | None = None) -> Tensor:
        return decl(input, name=name)

    over = {1: "the last dimension", 2: "the last two dimensions", 3: "the last three dimensions"}[rank]
    transform.__name__ = transform.__qualname__ = decl.type.lower()
    transform.__doc__ = f"""The {"inverse " if inverse else ""}discrete Fourier transform over {over}.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than {rank} dimensions.
    """
    return transform


fft = _complex_transform(fft_op, 1, inverse=False)
fft2d = _complex_transform(fft2d_op, 2, inverse=False)
fft3d = _complex_transform(fft3d_op, 3, inverse=False)
ifft = _complex_transform(ifft_op, 1, inverse=True)
ifft2d = _complex_transform(ifft2d_op, 2, inverse=True)
ifft3d = _complex_transform(ifft3d_op, 3, inverse=True)


def _shifted(x: Any, axes: Any, sign: int, name: str | None) -> Tensor:
    default = "fftshift" if sign > 0 else "ifftshift"
    with name_scope(name, default, []) as scope:
        x = convert_to_tensor(x)
        dims = x.dims
        if dims is None:
            raise ValueError(f"{default}: the input must have a known rank.")
        where = tuple(range(len(dims))) if axes is None else axes
        shift: int | list[int] = (
            sign * (dims[where] // 2) if isinstance(where, int) else [sign * (dims[axis] // 2) for axis in where]
        )
        return raw.Roll(x, shift, where, name=scope)


def fftshift(x: TensorLike, axes: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """`x` rolled so that the frequency 0 stands in the middle.

    Args:
        x: a tensor of known shape.
        axes: an int or several; all by default.
        name: a name for the operation.

    Raises:
        ValueError: if the rank is not known.
    """
    return _shifted(x, axes, 1, name)


def ifftshift(x: TensorLike, axes: int | None = None, name: str | None = None) -> Tensor:
    """`x` rolled back: the inverse of `fftshift`.

    Args:
        x: a tensor of known shape.
        axes: an int or several; all by default.
        name: a name for the operation.

    Raises:
        ValueError: if the rank is not known.
    """
    return _shifted(x, axes, -1, name)


# ---- their names before 1.0 ----

_COMPLEX = "input: complex64 -> output: complex64"
_NO_KERNEL = "1.15 has no kernel for it"
with_rules_of(op("BatchFFT", _COMPLEX), fft_op, _NO_KERNEL)
with_rules_of(op("BatchFFT2D", _COMPLEX), fft2d_op, _NO_KERNEL)
with_rules_of(op("BatchFFT3D", _COMPLEX), fft3d_op, _NO_KERNEL)
with_rules_of(op("BatchIFFT", _COMPLEX), ifft_op, _NO_KERNEL)
with_rules_of(op("BatchIFFT2D", _COMPLEX), ifft2d_op, _NO_KERNEL)
with_rules_of(op("BatchIFFT3D", _COMPLEX), ifft3d_op, _NO_KERNEL)
