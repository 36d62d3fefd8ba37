"""BMP files without compression to pixels."""

from __future__ import annotations

import struct

import numpy as np

from headrace.core.errors import InvalidArgumentError


def bmp_pixels(data: bytes, channels: int) -> np.ndarray:
    """The pixels of a BMP file, uint8 [height, width, channels].

    Args:
        data: the file.
        channels: how many it must have, 0 for any.

    Raises:
        InvalidArgumentError: for other files, those that end early, or another number of channels.
    """
    if len(data) < 32:
        raise _invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got "
            f"{len(data)} bytes"
        )
    start, width, height, bits = (struct.unpack_from("<i", data, at)[0] for at in (10, 18, 22, 28))
    if data[:2] == b"BM":
        # Behind the bits a pixel stands how the file is compressed.
        bits &= 0xFFFF
    found = int(bits / 8)
    if channels:
        if channels != found:
            raise _invalid(f"channels attribute {channels} does not match bits per pixel from file {found}")
    elif found not in (1, 3, 4):
        raise _invalid(f"Number of channels must be 1, 3 or 4, was {found}")
    if width <= 0 or height == 0:
        raise _invalid(f"Invalid bmp size: {width} x {height}")
    row = (found * width + 3) // 4 * 4
    lines = abs(height)
    least = start + row * (lines - 1) + width * found
    if start < 0 or len(data) < least:
        raise _invalid(f"Incomplete bmp content, requires at least {least} bytes, got {len(data)} bytes")
    flat = np.frombuffer(data.ljust(start + row * lines, b"\0"), np.uint8, row * lines, start)
    pixels = flat.reshape(lines, row)[:, : width * found].reshape(lines, width, found)
    if height > 0:
        pixels = pixels[::-1]
    if found >= 3:
        # Stored as blue, green, red.
        pixels = pixels[..., [2, 1, 0, 3][:found]]
    return np.array(pixels)


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
