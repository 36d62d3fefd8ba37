"""Short-time Fourier transforms: the spectra of a signal's frames, and the signal of such spectra."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.signal.framing import frame, overlap_and_add, scalar
from headrace.functions.signal.windows import hann_window
from headrace.kernels import composing
from headrace.ops.math.fft import irfft, rfft

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


Window = Callable[..., Any]


def _power_of_two(length: Tensor) -> Tensor:
    """The least power of two that is not below `length`."""
    known = constant_value(length)
    if known is not None:
        # Of no samples, as of the limit, there is no power.
        power = 0 if known == 0 else int(2 ** math.ceil(math.log2(known.item())))
        return convert_to_tensor(power, length.dtype)
    exponent = raw.Ceil(raw.Log(composing.cast(length, "float32")) / raw.Log(2.0))
    return composing.cast(raw.Pow(2.0, exponent), length.dtype)


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectrum of each frame of a signal.

    Args:
        signals: a tensor [..., samples] of float32.
        frame_length: int scalar: the samples of a frame.
        frame_step: int scalar: the samples from frame to frame.
        fft_length: int scalar: the size of the transforms; by default the next power of two not below `frame_length`.
        window_fn: called as `window_fn(frame_length, dtype=dtype)`, gives what frames are multiplied with; None for nothing.
        pad_end: whether frames that end beyond the signal are there too, filled up with zeros.
        name: a name for the operations.

    Returns:
        a complex64 tensor [..., frames, fft_length // 2 + 1].

    Raises:
        ValueError: if an argument that should be a scalar is not one, or `signals` has no dimensions.

    Example:
        >>> tf.signal.stft(tf.zeros([2, 1000]), 256, 128)
        <tf.Tensor 'stft/rfft:0' shape=(2, 6, 129) dtype=complex64>
    """
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        size = _power_of_two(length) if fft_length is None else convert_to_tensor(fft_length, name="fft_length")
        frames = frame(signals, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=frames.dtype)
        return rfft(frames, [size])


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Window = hann_window, name: str | None = None
) -> Callable[[Any, Any], Tensor]:
    """The window for `inverse_stft` with which a signal comes back as it was before `stft`.

    Griffin and Lim, "Signal estimation from modified short-time Fourier transform", IEEE Transactions on ASSP 32, 1984.

    Args:
        frame_step: int scalar: the step of the forward transform.
        forward_window_fn: the window of the forward transform.
        name: a name for the operations.

    Returns:
        a function `window(frame_length, dtype)`.

    Raises:
        ValueError: if `frame_step` is not a scalar.
    """
    with name_scope(name, "inverse_stft_window_fn"):
        step = scalar(frame_step, "frame_step")

    def window(frame_length: Tensor, dtype: DType) -> Tensor:
        with name_scope(name, "inverse_stft_window_fn"):
            length = scalar(frame_length, "frame_length")
            forward = forward_window_fn(length, dtype=dtype)
            # At each place of a step the squares of all frames that reach it add up.
            squares = raw.Square(forward)
            overlaps = -(-length // step)
            squares = raw.Pad(squares, [(0, overlaps * step - length)])
            sums = raw.Sum(raw.Reshape(squares, [overlaps, step]), 0, keep_dims=True)
            denominator = raw.Reshape(raw.Tile(sums, [overlaps, 1]), [overlaps * step])
            return forward / denominator[:length]

    return window


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of the spectra that `stft` made.

    Args:
        stfts: complex64 [..., frames, fft_length // 2 + 1].
        frame_length, frame_step, fft_length: as for `stft`.
        window_fn: called as `window_fn(frame_length, dtype=dtype)`: see `inverse_stft_window_fn`; None for nothing.
        name: a name for the operations.

    Returns:
        float32 [..., samples].

    Raises:
        ValueError: if an argument that should be a scalar is not one, or the rank of `stfts` is less than 2.

    Example:
        >>> signal = tf.sin(tf.range(1024.0))
        >>> spectra = tf.signal.stft(signal, 256, 128)
        >>> again = tf.signal.inverse_stft(spectra, 256, 128, window_fn=tf.signal.inverse_stft_window_fn(128))
        >>> np.allclose(*sess.run([signal[128:-128], again[128:-128]]), atol=1e-4)
        True
    """
    with name_scope(name, "inverse_stft", [stfts]):
        stfts = convert_to_tensor(stfts, name="stfts")
        stfts.shape.with_rank_at_least(2)
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        size = _power_of_two(length) if fft_length is None else scalar(fft_length, "fft_length")
        frames = _of_length(irfft(stfts, [size]), length)
        if window_fn is not None:
            frames = frames * window_fn(length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, step)


def _of_length(frames: Tensor, length: Tensor) -> Tensor:
    """Frames cut or filled up with zeros to `length` samples."""
    constant = constant_value(length)
    known = None if constant is None else int(constant)
    dims = frames.dims
    samples = None if dims is None else dims[-1]
    if dims is None or known is None or samples is None:
        frames = frames[..., :length]
        rank, shape = composing.rank(frames), composing.shape(frames)
        none = composing.zeros([rank - 1, 2], length.dtype)
        missing = raw.Maximum(0, length - shape[-1])
        frames = raw.Pad(frames, composing.concat([none, [[0, missing]]], 0))
    elif samples > known:
        frames = frames[..., :known]
    elif samples < known:
        frames = raw.Pad(frames, [[0, 0]] * (len(dims) - 1) + [[0, known - samples]])
    if known is not None and frames.dims is not None:
        frames.set_shape([None] * (len(frames.dims) - 1) + [known])
    return frames
