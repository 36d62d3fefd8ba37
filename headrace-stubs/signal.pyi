# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor
from headrace.core.typing import TensorLike
__all__ = ['dct', 'fft', 'fft2d', 'fft3d', 'fftshift', 'frame', 'hamming_window', 'hann_window', 'idct', 'ifft', 'ifft2d', 'ifft3d', 'ifftshift', 'inverse_stft', 'inverse_stft_window_fn', 'irfft', 'irfft2d', 'irfft3d', 'linear_to_mel_weight_matrix', 'mfccs_from_log_mel_spectrograms', 'overlap_and_add', 'rfft', 'rfft2d', 'rfft3d', 'stft']
from headrace.functions.signal.cosine import dct as dct
from headrace import batch_fft as fft
from headrace import batch_fft2d as fft2d
from headrace import batch_fft3d as fft3d
from headrace.ops.math.fft import fftshift as fftshift
from headrace.functions.signal.framing import frame as frame
from headrace.functions.signal.windows import hamming_window as hamming_window
from headrace.functions.signal.windows import hann_window as hann_window
from headrace.functions.signal.cosine import idct as idct
from headrace import batch_ifft as ifft
from headrace import batch_ifft2d as ifft2d
from headrace import batch_ifft3d as ifft3d
from headrace.ops.math.fft import ifftshift as ifftshift
from headrace.functions.signal.short_time import inverse_stft as inverse_stft
from headrace.functions.signal.short_time import inverse_stft_window_fn as inverse_stft_window_fn
def irfft(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The inverse Fourier transform of real numbers over the last dimension.

    Args:
        input_tensor: complex64, the frequencies up to half the length; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (1,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        float32 numbers.

    Raises:
        ValueError: if the input has less than 1 dimensions.
    """
def irfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The inverse Fourier transform of real numbers over the last two dimensions.

    Args:
        input_tensor: complex64, the frequencies up to half the length; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (2,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        float32 numbers.

    Raises:
        ValueError: if the input has less than 2 dimensions.
    """
def irfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The inverse Fourier transform of real numbers over the last three dimensions.

    Args:
        input_tensor: complex64, the frequencies up to half the length; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (3,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        float32 numbers.

    Raises:
        ValueError: if the input has less than 3 dimensions.
    """
from headrace.functions.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from headrace.functions.signal.mel import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from headrace.functions.signal.framing import overlap_and_add as overlap_and_add
def rfft(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The Fourier transform of real numbers over the last dimension.

    Args:
        input_tensor: float32; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (1,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        complex64, the frequencies up to half the length.

    Raises:
        ValueError: if the input has less than 1 dimensions.
    """
def rfft2d(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The Fourier transform of real numbers over the last two dimensions.

    Args:
        input_tensor: float32; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (2,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        complex64, the frequencies up to half the length.

    Raises:
        ValueError: if the input has less than 2 dimensions.
    """
def rfft3d(input_tensor: TensorLike, fft_length: TensorLike | None = ..., name: str | None = ...) -> Tensor:
    """The Fourier transform of real numbers over the last three dimensions.

    Args:
        input_tensor: float32; it is padded with
            zeros or cut to the length.
        fft_length: int32 of shape (3,): the lengths of the transform; what the input has room for by default.
        name: a name for the operation.

    Returns:
        complex64, the frequencies up to half the length.

    Raises:
        ValueError: if the input has less than 3 dimensions.
    """
from headrace.functions.signal.short_time import stft as stft
