# Made by tools/make_stubs.py.

from headrace.functions.signal.cosine import dct as dct
from headrace.ops.math.fft import fft as fft
from headrace.ops.math.fft import fft2d as fft2d
from headrace.ops.math.fft import fft3d as fft3d
from headrace.ops.math.fft import fftshift as fftshift
from headrace.functions.signal.framing import frame as frame
from headrace.functions.signal.windows import hamming_window as hamming_window
from headrace.functions.signal.windows import hann_window as hann_window
from headrace.functions.signal.cosine import idct as idct
from headrace.ops.math.fft import ifft as ifft
from headrace.ops.math.fft import ifft2d as ifft2d
from headrace.ops.math.fft import ifft3d as ifft3d
from headrace.ops.math.fft import ifftshift as ifftshift
from headrace.functions.signal.short_time import inverse_stft as inverse_stft
from headrace.functions.signal.short_time import inverse_stft_window_fn as inverse_stft_window_fn
from headrace.ops.math.fft import irfft as irfft
from headrace.ops.math.fft import irfft2d as irfft2d
from headrace.ops.math.fft import irfft3d as irfft3d
from headrace.functions.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from headrace.functions.signal.mel import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from headrace.functions.signal.framing import overlap_and_add as overlap_and_add
from headrace.ops.math.fft import rfft as rfft
from headrace.ops.math.fft import rfft2d as rfft2d
from headrace.ops.math.fft import rfft3d as rfft3d
from headrace.functions.signal.short_time import stft as stft
