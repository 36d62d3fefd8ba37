# Made by tools/make_stubs.py.

__all__ = ['dct', 'fft', 'fft2d', 'fft3d', 'fftshift', 'frame', 'hamming_window', 'hann_window', 'idct', 'ifft', 'ifft2d', 'ifft3d', 'ifftshift', 'inverse_stft', 'inverse_stft_window_fn', 'irfft', 'irfft2d', 'irfft3d', 'linear_to_mel_weight_matrix', 'mfccs_from_log_mel_spectrograms', 'overlap_and_add', 'rfft', 'rfft2d', 'rfft3d', 'stft']
from headrace.signal import dct as dct
from headrace.signal import fft as fft
from headrace.signal import fft2d as fft2d
from headrace.signal import fft3d as fft3d
from headrace.signal import fftshift as fftshift
from headrace.signal import frame as frame
from headrace.signal import hamming_window as hamming_window
from headrace.signal import hann_window as hann_window
from headrace.signal import idct as idct
from headrace.signal import ifft as ifft
from headrace.signal import ifft2d as ifft2d
from headrace.signal import ifft3d as ifft3d
from headrace.signal import ifftshift as ifftshift
from headrace.signal import inverse_stft as inverse_stft
from headrace.signal import inverse_stft_window_fn as inverse_stft_window_fn
from headrace.signal import irfft as irfft
from headrace.signal import irfft2d as irfft2d
from headrace.signal import irfft3d as irfft3d
from headrace.signal import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from headrace.signal import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from headrace.signal import overlap_and_add as overlap_and_add
from headrace.signal import rfft as rfft
from headrace.signal import rfft2d as rfft2d
from headrace.signal import rfft3d as rfft3d
from headrace.signal import stft as stft
