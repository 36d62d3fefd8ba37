# Made by tools/make_stubs.py.

__all__ = ['frame', 'hamming_window', 'hann_window', 'inverse_stft', 'inverse_stft_window_fn', 'linear_to_mel_weight_matrix', 'mfccs_from_log_mel_spectrograms', 'overlap_and_add', 'stft']
from headrace.functions.signal.framing import frame as frame
from headrace.functions.signal.windows import hamming_window as hamming_window
from headrace.functions.signal.windows import hann_window as hann_window
from headrace.functions.signal.short_time import inverse_stft as inverse_stft
from headrace.functions.signal.short_time import inverse_stft_window_fn as inverse_stft_window_fn
from headrace.functions.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from headrace.functions.signal.mel import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from headrace.functions.signal.framing import overlap_and_add as overlap_and_add
from headrace.functions.signal.short_time import stft as stft
