"""PNG files (RFC 2083), written."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}


def encode_png(image: np.ndarray, level: int = -1) -> bytes:
    """An image as a PNG file.

    Args:
        image: [height, width, channels], uint8 or uint16; 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels.
        level: how much work zlib does, 0 to 9, or -1 for its default.

    Example:
        >>> encode_png(np.zeros([1, 1, 3], np.uint8))[1:4]
        b'PNG'
    """
    height, width, channels = image.shape
    wide = image.dtype.itemsize
    rows = np.zeros((height, 1 + width * channels * wide), np.uint8)  # a row begins with its filter: none
    rows[:, 1:] = np.ascontiguousarray(image.astype(f">u{wide}", copy=False)).view(np.uint8).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8 * wide, _COLOUR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(rows.tobytes(), level)
    return _SIGNATURE + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """A part of a file: its length, its kind, what it holds and a checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
