"""Spectrograms of sound, and the cepstral coefficients that speech recognition takes of them.

Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word recognition in continuously
spoken sentences", IEEE Transactions on ASSP 28 (1980); the mel scale and the cosine transform: Young et al., "The HTK
book", chapter 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


spectrogram_op = op(
    "AudioSpectrogram",
    "input: float, *, window_size: int, stride: int, magnitude_squared=False -> spectrogram: float",
)
mfcc_op = op(
    "Mfcc",
    "spectrogram: float, sample_rate: int32, *, upper_frequency_limit=4000.0, lower_frequency_limit=20.0, "
    "filterbank_channel_count=40, dct_coefficient_count=13 -> output: float",
)
mfcc_op.on_host("sample_rate")


def _frequencies(window: int) -> int:
    """How many frequencies the transform of a window has, once it is filled up to a power of two."""
    return (1 << max(window - 1, 0).bit_length()) // 2 + 1


@spectrogram_op.shape
def spectrogram_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
    samples, channels = (None, None) if dims is None else dims
    window, stride = op.attrs["window_size"], op.attrs["stride"]
    frames = None if samples is None or stride < 1 else max(0, 1 + (samples - window) // stride)
    return [(channels, frames, _frequencies(window))]


@spectrogram_op.kernel
def spectrogram_kernel(node):
    window, stride = node.attrs["window_size"], node.attrs["stride"]
    squared = node.attrs["magnitude_squared"]
    size = 2 * (_frequencies(window) - 1)
    hann = torch.hann_window(window, dtype=torch.float64) if window > 0 else None

    def transform(samples):
        if samples.dim() != 2:
            raise invalid(f"input must be 2-dimensional, got shape {list(samples.shape)}")
        if window < 2 or stride < 1:
            raise invalid(f"Spectrogram initialization failed for window size {window} and stride {stride}")
        if len(samples) < window:
            return samples.new_zeros((samples.shape[1], 0, size // 2 + 1))
        frames = samples.T.to(torch.float64).unfold(1, window, stride)
        found = torch.fft.rfft(frames * hann.to(samples.device), n=size)
        power = found.real.square() + found.imag.square()
        return (power if squared else power.sqrt()).to(torch.float32)

    return transform


@mfcc_op.shape
def mfcc_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 3:
        raise ValueError(f"Shape must be rank 3 but is rank {len(dims)}")
    rate = op.inputs[1].dims
    if rate:
        raise ValueError(f"Shape must be rank 0 but is rank {len(rate)}")
    return [(*((None, None) if dims is None else dims[:2]), op.attrs["dct_coefficient_count"])]


def _mel(frequency: float) -> Any:
    # 2595 log10(1 + f / 700): D. O'Shaughnessy, "Speech communication: human and machine" (1987).
    return 1127.0 * np.log1p(np.asarray(frequency) / 700.0)


def _mel_filters(bins: int, rate: int, channels: int, lower: float, upper: float) -> np.ndarray | None:
    """Triangles that are equally wide on the mel scale, float64 [bins, channels]; None if `bins` end below `upper`."""
    width = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + lower / width), int(upper / width)
    if last >= bins:
        return None
    lowest = _mel(lower)
    centers = lowest + (_mel(upper) - lowest) / (channels + 1) * np.arange(1, channels + 2)
    edges = np.concatenate([[lowest], centers])
    filters = np.zeros((bins, channels))
    for i in range(first, last + 1):
        mel = _mel(i * width)
        # A frequency falls on the falling side of the triangle below it and the rising side of the one above.
        above = min(int(np.searchsorted(centers, mel)), channels)
        weight = (edges[above + 1] - mel) / (edges[above + 1] - edges[above])
        if above > 0:
            filters[i, above - 1] += weight
        if above < channels:
            filters[i, above] += 1 - weight
    return filters


def _cosines(channels: int, coefficients: int) -> np.ndarray:
    """The discrete cosine transform, float64 [channels, coefficients]."""
    angles = np.pi / channels * np.outer(np.arange(channels) + 0.5, np.arange(coefficients))
    return np.sqrt(2.0 / channels) * np.cos(angles)


@mfcc_op.kernel
def mfcc_kernel(node):
    attrs = node.attrs
    channels, coefficients = attrs["filterbank_channel_count"], attrs["dct_coefficient_count"]
    lower, upper = attrs["lower_frequency_limit"], attrs["upper_frequency_limit"]
    made = {}

    def filters(bins: int, rate: int) -> torch.Tensor | None:
        if (
            min(channels, coefficients) < 1
            or coefficients > channels
            or bins < 2
            or rate <= 0
            or not 0 <= lower < upper
        ):
            raise invalid(f"Mfcc initialization failed for channel count {bins} and sample rate {rate}")
        key = (bins, rate)
        if key not in made:
            found = _mel_filters(bins, rate, channels, lower, upper)
            made[key] = None if found is None else torch.from_numpy(found)
        return made[key]

    cosines = torch.from_numpy(_cosines(max(channels, 1), max(coefficients, 1)))

    def transform(spectrogram, sample_rate):
        if spectrogram.dim() != 3:
            raise invalid(f"spectrogram must be 3-dimensional, got shape {list(spectrogram.shape)}")
        if sample_rate.dim():
            raise invalid(f"sample_rate must be scalar, got shape {list(sample_rate.shape)}")
        triangles = filters(spectrogram.shape[2], int(sample_rate))
        if triangles is None:
            return spectrogram.new_zeros((*spectrogram.shape[:2], coefficients))
        device = spectrogram.device
        energies = spectrogram.to(torch.float64).sqrt() @ triangles.to(device)
        return (energies.clamp_min(1e-12).log() @ cosines.to(device)).to(torch.float32)

    return transform


def audio_spectrogram(
    input: TensorLike, window_size: int, stride: int, magnitude_squared: bool = False, name: str | None = None
) -> Tensor:
    """How much of each frequency there is in sound as time goes on.

    Args:
        input: float32 tensor of shape (frames, channels).
        window_size: how many frames are looked at together, with a Hann window.
        stride: how many frames lie between the beginnings of two windows.
        magnitude_squared: whether to give the squares of the magnitudes.
        name: a name for the operation.

    Returns:
        a float32 tensor of shape (channels, windows, frequencies).

    Example:
        >>> audio = tf.random_uniform([16000, 1], -1.0, 1.0)
        >>> spectrogram = audio_spectrogram(audio, window_size=480, stride=160, magnitude_squared=True)
        >>> sess.run(spectrogram).shape
        (1, 98, 257)
    """
    squared = False if magnitude_squared is None else magnitude_squared
    return raw.AudioSpectrogram(input, window_size=window_size, stride=stride, magnitude_squared=squared, name=name)


def mfcc(
    spectrogram: TensorLike,
    sample_rate: TensorLike,
    upper_frequency_limit: float = 4000,
    lower_frequency_limit: float = 20,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
    name: str | None = None,
) -> Tensor:
    """The mel-frequency cepstral coefficients of a spectrogram.

    Args:
        spectrogram: float32 tensor of shape (channels, windows, frequencies), squared magnitudes.
        sample_rate: int32 scalar tensor, frames a second.
        upper_frequency_limit, lower_frequency_limit: the highest and lowest frequency to use.
        filterbank_channel_count: how many bands of the mel scale.
        dct_coefficient_count: how many coefficients.
        name: a name for the operation.

    Returns:
        a float32 tensor of shape (channels, windows, coefficients).

    Example:
        >>> audio = tf.random_uniform([16000, 1], -1.0, 1.0)
        >>> spectrogram = audio_spectrogram(audio, window_size=480, stride=160, magnitude_squared=True)
        >>> sess.run(mfcc(spectrogram, 16000, dct_coefficient_count=40)).shape
        (1, 98, 40)
    """
    return raw.Mfcc(
        spectrogram,
        sample_rate,
        upper_frequency_limit=upper_frequency_limit,
        lower_frequency_limit=lower_frequency_limit,
        filterbank_channel_count=filterbank_channel_count,
        dct_coefficient_count=dct_coefficient_count,
        name=name,
    )


spectrogram_op.accepts(np.sin(np.arange(12, dtype=np.float32)).reshape(12, 1), window_size=6, stride=3)
spectrogram_op.accepts([10, 1], window_size=8, stride=2, magnitude_squared=True)
spectrogram_op.accepts([3, 1], window_size=4, stride=2)
spectrogram_op.rejects([3], window_size=4, stride=2, error=ValueError)
_BANDS = {"filterbank_channel_count": 5, "dct_coefficient_count": 3}
mfcc_op.accepts([1, 2, 17], np.int32(16000), **_BANDS)
mfcc_op.accepts([1, 1, 9], np.int32(8000), upper_frequency_limit=3000.0, lower_frequency_limit=100.0, **_BANDS)
mfcc_op.rejects([1, 2, 17], np.int32(-1), **_BANDS, error=Exception)
