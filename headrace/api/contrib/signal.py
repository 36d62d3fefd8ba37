"""tf.contrib.signal: signal processing, in its spelling before tf.signal."""

HOMES: dict[str, str] = {
    "functions.signal.framing": "frame overlap_and_add",
    "functions.signal.mel": "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms",
    "functions.signal.short_time": "inverse_stft inverse_stft_window_fn stft",
    "functions.signal.windows": "hamming_window hann_window",
}
