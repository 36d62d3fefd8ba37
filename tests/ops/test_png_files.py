"""PNG files: the filters of rows are those of the specification, and make files small."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from headrace.kernels.image.encode_png import png_file

RAMP = np.add.outer(np.arange(40), 3 * np.arange(50))


def filters_of(png, row_bytes):
    """The filter of each row of a file with one IDAT chunk."""
    at = png.index(b"IDAT")
    (length,) = struct.unpack(">I", png[at - 4 : at])
    return np.frombuffer(zlib.decompress(png[at + 4 : at + 4 + length]), np.uint8)[:: row_bytes + 1]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("compression", [-1, 0, 9])
def test_another_decoder_reads_the_same_pixels(channels, compression):
    noise = np.random.RandomState(0).randint(0, 256, (40, 50, channels))
    for pixels in (noise, RAMP[..., None] * np.arange(1, channels + 1), noise // 64 + RAMP[..., None]):
        pixels = pixels.astype(np.uint8)
        read = np.asarray(Image.open(io.BytesIO(png_file(pixels, compression))))
        np.testing.assert_array_equal(read.reshape(pixels.shape), pixels)


def test_sixteen_bits():
    pixels = (RAMP * 300).astype(np.uint16)[..., None]
    read = np.asarray(Image.open(io.BytesIO(png_file(pixels))))
    np.testing.assert_array_equal(read, pixels[..., 0])


def test_each_row_has_the_filter_of_the_smallest_differences():
    noise = np.random.RandomState(1).randint(0, 256, 48)
    zeros, up = np.zeros(48, int), noise
    left = np.cumsum(np.full(48, 3))
    pixels = np.stack([zeros, noise, up, left, left]).astype(np.uint8)[..., None]
    assert filters_of(png_file(pixels), 48).tolist()[::2] == [0, 2, 2]
    assert filters_of(png_file(pixels), 48)[3] == 1


# What TensorFlow 1.15.5 makes of the same pixels, in bytes.
@pytest.mark.parametrize(
    ("size", "dtype", "scale", "expected"),
    [
        (4, "uint8", 1, 77),
        (30, "uint8", 1, 217),
        (30, "uint16", 100, 315),
        (200, "uint8", 1, 903),
        (200, "uint16", 100, 2533),
    ],
)
def test_files_are_as_small_as_those_of_tensorflow(size, dtype, scale, expected):
    pixels = (np.arange(size * size * 3).reshape(size, size, 3) * scale).astype(dtype)
    assert len(png_file(pixels)) <= expected
