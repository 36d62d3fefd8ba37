"""tf.compat.v2.signal: the names that mean the same in 1.x."""

HOMES = {
    "signal": "dct fft fft2d fft3d fftshift frame hamming_window hann_window idct ifft ifft2d ifft3d ifftshift "
    "inverse_stft inverse_stft_window_fn irfft irfft2d irfft3d linear_to_mel_weight_matrix "
    "mfccs_from_log_mel_spectrograms overlap_and_add rfft rfft2d rfft3d stft",
}
