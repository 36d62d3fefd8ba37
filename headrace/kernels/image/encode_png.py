"""Pixels to PNG files, of eight or sixteen bits."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def png_file(pixels: np.ndarray, compression: int = -1) -> bytes:
    """The PNG file of an array [height, width, channels] of uint8 or uint16."""
    height, width, channels = pixels.shape
    depth = pixels.dtype.itemsize * 8
    header = struct.pack(">IIBBBBB", width, height, depth, _KINDS[channels], 0, 0, 0)
    rows = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">")).view(np.uint8).reshape(height, -1)
    # Each row as its difference from the one above: cheap, and good for photographs and drawings alike.
    lines = np.empty((height, rows.shape[1] + 1), np.uint8)
    lines[:, 0] = 2
    lines[:1, 1:] = rows[:1]
    lines[1:, 1:] = rows[1:] - rows[:-1]
    body = zlib.compress(lines.tobytes(), compression)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
