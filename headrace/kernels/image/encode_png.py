"""Pixels to PNG files, of eight or sixteen bits."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from headrace.files.png import png_chunk

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# How much is filtered at a time: what is compared then lies in the processor's caches.
_STRIP_BYTES = 1 << 18
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def png_file(pixels: np.ndarray, compression: int = -1) -> bytes:
    """The PNG file of an array [height, width, channels] of uint8 or uint16."""
    height, width, channels = pixels.shape
    depth = pixels.dtype.itemsize * 8
    header = struct.pack(">IIBBBBB", width, height, depth, _KINDS[channels], 0, 0, 0)
    rows = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">")).view(np.uint8).reshape(height, -1)
    lines = np.empty((height, rows.shape[1] + 1), np.uint8)
    strip = max(1, _STRIP_BYTES // max(1, rows.shape[1]))
    for start in range(0, height, strip):
        _filter_rows(rows, slice(start, min(start + strip, height)), channels * pixels.dtype.itemsize, lines)
    packer = zlib.compressobj(compression, strategy=zlib.Z_FILTERED)
    body = packer.compress(lines.data) + packer.flush()
    return _SIGNATURE + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", body) + png_chunk(b"IEND", b"")


def _filter_rows(rows: np.ndarray, part: slice, pixel: int, lines: np.ndarray) -> None:
    """Writes a part of the rows as differences from what is beside and above, each in the way that makes it small.

    The five filters of the PNG specification (ISO/IEC 15948, clause 9), and its heuristic of the smallest sum of
    differences taken as signed numbers (clause 12.8).

    Args:
        rows: the bytes of all rows.
        part: which rows are written.
        pixel: the bytes of a pixel.
        lines: what is written: a byte that names the filter, then the row.
    """
    here = rows[part]
    above = np.zeros_like(here)
    above[1:] = here[:-1]
    if part.start:
        above[0] = rows[part.start - 1]
    left, corner = np.zeros_like(here), np.zeros_like(here)
    left[:, pixel:], corner[:, pixel:] = here[:, :-pixel], above[:, :-pixel]
    mean = (left & above) + ((left ^ above) >> 1)
    best: np.ndarray | None = None
    for kind, guess in enumerate((None, left, above, mean, _paeth(left, above, corner))):
        found = here if guess is None else here - guess
        cost = np.abs(found.view(np.int8).astype(np.int16)).sum(1, dtype=np.int64)
        if best is None:
            best, better = cost, np.ones(len(here), bool)
        else:
            better = cost < best
            best = np.where(better, cost, best)
        lines[part, 0][better] = kind
        lines[part, 1:][better] = found[better]


def _paeth(left: np.ndarray, above: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Whichever neighbour is nearest to `left + above - corner`, in this order."""
    a, b, c = (part.astype(np.int16) for part in (left, above, corner))
    to_left, to_above = np.abs(b - c), np.abs(a - c)
    to_corner = np.abs(a + b - 2 * c)
    nearest = np.where(to_above <= to_corner, above, corner)
    return np.where((to_left <= to_above) & (to_left <= to_corner), left, nearest)
