"""The mel scale of pitch: spectra on it, and their cepstral coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.signal.cosine import dct
from headrace.functions.signal.framing import frame
from headrace.kernels import composing
from headrace.ops.array.range import linspace
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike


# HTK's scale, 2595 log10(1 + f / 700): D. O'Shaughnessy, "Speech communication: human and machine" (1987).
_BREAK_HERTZ = 700.0
_Q = 1127.0


def _mel(hertz: Tensor) -> Tensor:
    with name_scope(None, "hertz_to_mel", [hertz]):
        return _Q * raw.Log(1.0 + hertz / _BREAK_HERTZ)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """The matrix that takes spectra of evenly spaced frequencies to bins evenly spaced in pitch, by triangles.

    Args:
        num_mel_bins: the number of bins on the mel scale.
        num_spectrogram_bins: int scalar: the number of bins of the spectra, from 0 to half the sample rate.
        sample_rate: the samples per second; a number or a constant tensor.
        lower_edge_hertz, upper_edge_hertz: where the lowest triangle begins and the highest ends.
        dtype: a floating-point type.
        name: a name for the result.

    Returns:
        a matrix [num_spectrogram_bins, num_mel_bins].

    Raises:
        ValueError: if a number makes no sense, or the sample rate is not known while the graph is built.

    Example:
        >>> spectra = tf.abs(tf.signal.stft(tf.random_normal([8000]), 256, 128))
        >>> mel = tf.tensordot(spectra, tf.signal.linear_to_mel_weight_matrix(40, 129, sample_rate=8000), 1)
        >>> sess.run(mel).shape
        (61, 40)
    """
    with name_scope(name, "linear_to_mel_weight_matrix") as scope:
        if isinstance(sample_rate, Tensor):
            known = constant_value(sample_rate)
            if known is None:
                raise ValueError(
                    "`sample_rate` was a non-constant Tensor. Must be a Python float or a constant Tensor."
                )
            sample_rate = known
        dtype = as_dtype(dtype)
        _check_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate = convert_to_tensor(sample_rate, dtype, name="sample_rate")
        low = convert_to_tensor(lower_edge_hertz, dtype, name="lower_edge_hertz")
        high = convert_to_tensor(upper_edge_hertz, dtype, name="upper_edge_hertz")
        zero = convert_to_tensor(0.0, dtype)
        # The bin of frequency 0 belongs to no triangle.
        pitches = composing.expand_dims(_mel(linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]), 1)
        edges = frame(linspace(_mel(low), _mel(high), num_mel_bins + 2), frame_length=3, frame_step=1)
        left, centre, right = (raw.Reshape(each, [1, num_mel_bins]) for each in split(edges, 3, axis=1))
        rising, falling = (pitches - left) / (centre - left), (right - pitches) / (right - centre)
        return raw.Pad(raw.Maximum(zero, raw.Minimum(rising, falling)), [[1, 0], [0, 0]], name=scope)


def _check_mel(bins: int, rate: Any, low: float, high: float, dtype: DType) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if high > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got: {high} for "
            f"sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients of logarithmic mel spectra.

    Davis and Mermelstein, "Comparison of parametric representations for monosyllabic word recognition in continuously
    spoken sentences", IEEE Transactions on ASSP 28 (1980), scaled as in Young et al., "The HTK book", chapter 5.

    Args:
        log_mel_spectrograms: float32 [..., num_mel_bins].
        name: a name for the operations.

    Returns:
        float32 [..., num_mel_bins], of which recognition mostly uses the first 13.

    Raises:
        ValueError: if there are no bins.

    Example:
        >>> mel = tf.random_uniform([61, 40])
        >>> sess.run(tf.signal.mfccs_from_log_mel_spectrograms(tf.log(mel + 1e-6))[..., :13]).shape
        (61, 13)
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms, "float32")
        bins: Any = spectra.dims[-1] if spectra.dims else None
        if bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
        bins = composing.shape(spectra)[-1] if bins is None else bins
        return dct(spectra, type=2) * raw.Rsqrt(composing.cast(bins, "float32") * 2.0)
