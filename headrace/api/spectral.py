"""tf.spectral: Fourier transforms, in their spelling before tf.signal."""

HOMES: dict[str, str] = {
    "ops.math.fft": "fft fft2d fft3d ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d",
    "functions.signal.cosine": "dct idct",
}

SPELLED: dict[str, str] = {}
