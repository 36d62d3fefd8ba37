"""tf.signal: signal processing."""

HOMES: dict[str, str] = {
    "ops.math.fft": "fft fft2d fft3d fftshift ifft ifft2d ifft3d ifftshift irfft irfft2d irfft3d rfft rfft2d rfft3d",
}

SPELLED: dict[str, str] = {}
