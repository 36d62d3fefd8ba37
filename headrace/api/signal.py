"""tf.signal: signal processing."""

HOMES: dict[str, str] = {
    "ops.math.fft": "fft fft2d fft3d fftshift ifft ifft2d ifft3d ifftshift irfft irfft2d irfft3d rfft rfft2d rfft3d",
    "functions.signal.cosine": "dct idct",
    "functions.signal.framing": "frame overlap_and_add",
    "functions.signal.mel": "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms",
    "functions.signal.short_time": "inverse_stft inverse_stft_window_fn stft",
    "functions.signal.windows": "hamming_window hann_window",
}

SPELLED: dict[str, str] = {}
