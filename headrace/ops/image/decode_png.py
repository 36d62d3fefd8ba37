"""PNG files to pixels of eight or sixteen bits."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


class NoPng(ValueError):
    """Bytes that are no PNG file, or not a whole one."""


def png_pixels(data: bytes, channels: int, sixteen_bits: bool) -> np.ndarray:
    """The pixels of a PNG file, [height, width, channels], uint8 or uint16.

    Args:
        data: the file.
        channels: 1 to 4, or 0 for as many as it has.
        sixteen_bits: whether values have sixteen bits.

    Raises:
        InvalidArgumentError: for other files.
    """
    header = _header(data)
    try:
        pixels = _deep_pixels(data, header) if header.depth == 16 and header.kind != 0 else _pillow_pixels(data, header)
    except NoPng:
        raise InvalidArgumentError(None, None, f"Invalid PNG data, size {len(data)}") from None
    return _with_bits(_with_channels(pixels, channels, (1 << header.depth) - 1), sixteen_bits)


class _Header:
    """What the first chunk says."""

    def __init__(self, width: int, height: int, depth: int, kind: int, interlaced: bool) -> None:
        self.width, self.height, self.depth, self.kind, self.interlaced = width, height, depth, kind, interlaced
        self.is_palette = kind == 3


def _header(data: bytes) -> _Header:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise InvalidArgumentError(None, None, f"Invalid PNG header, data size {len(data)}")
    width, height, depth, kind, _, _, interlace = struct.unpack_from(">IIBBBBB", data, 16)
    return _Header(width, height, depth, kind, bool(interlace))


def _pillow_pixels(data: bytes, header: _Header) -> np.ndarray:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            image.load()
            return _plain(image, header)
    except (OSError, SyntaxError, UnidentifiedImageError, struct.error, ValueError, zlib.error):
        raise NoPng from None


def _plain(image: Any, header: _Header) -> np.ndarray:
    """The pixels of an image, each with all of its channels."""
    transparent = image.info.get("transparency")
    if header.is_palette:
        return np.array(image.convert("RGB" if transparent is None else "RGBA"))
    if transparent is not None and image.mode in ("L", "1", "RGB"):
        return np.array(image.convert("LA" if image.mode in ("L", "1") else "RGBA"))
    if image.mode.startswith("I"):
        return np.array(image).astype(np.uint16)[..., None]
    if image.mode == "1":
        return np.array(image.convert("L"))[..., None]
    pixels = np.array(image)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _with_bits(pixels: np.ndarray, sixteen_bits: bool) -> np.ndarray:
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint16) * 257 if sixteen_bits else pixels
    return pixels if sixteen_bits else (pixels >> 8).astype(np.uint8)


def _with_channels(pixels: np.ndarray, channels: int, opaque: int) -> np.ndarray:
    """As many channels as are wanted: colours made grey, greys repeated, `opaque` as alpha where there is none."""
    count = pixels.shape[2]
    if channels in (0, count):
        return pixels
    colours = pixels[..., : 3 if count > 2 else 1]
    alpha = pixels[..., -1:] if count in (2, 4) else np.full_like(pixels[..., :1], opaque)
    if channels < 3 and count > 2:
        colours = _grey(colours)
    elif channels > 2 and count < 3:
        colours = np.repeat(colours, 3, axis=2)
    return np.concatenate([colours, alpha], axis=2) if channels in (2, 4) else colours


def _grey(colours: np.ndarray) -> np.ndarray:
    """Colours as greys, in libpng's arithmetic: weights of 15 bits, rounded for values of sixteen bits only."""
    red, green = 9797, 19234
    wide = colours.astype(np.int64)
    sums = wide[..., 0] * red + wide[..., 1] * green + wide[..., 2] * (32768 - red - green)
    if colours.dtype == np.uint16:
        sums += 16384
    return (sums >> 15).astype(colours.dtype)[..., None]


# ---- colours of sixteen bits, which Pillow cuts to eight ----

# Where Adam7's passes begin, and their steps: x, y, dx, dy.
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def _deep_pixels(data: bytes, header: _Header) -> np.ndarray:
    channels = _CHANNELS[header.kind]
    try:
        stream = zlib.decompress(b"".join(_chunks(data, b"IDAT")))
    except zlib.error:
        raise NoPng from None
    out = np.empty((header.height, header.width, channels), np.uint16)
    at = 0
    for x, y, dx, dy in _PASSES if header.interlaced else ((0, 0, 1, 1),):
        part = out[y::dy, x::dx]
        if part.size:
            rows, at = _unfiltered(stream, at, part.shape[0], part.shape[1] * channels * 2, channels * 2)
            part[...] = rows.view(">u2").reshape(part.shape)
    return out


def _chunks(data: bytes, kind: bytes) -> list[bytes]:
    found = []
    at = len(_SIGNATURE)
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        if data[at + 4 : at + 8] == kind:
            found.append(data[at + 8 : at + 8 + size])
        at += 12 + size
    return found


def _unfiltered(stream: bytes, at: int, height: int, size: int, step: int) -> tuple[np.ndarray, int]:
    """Rows of bytes without the filters they were written with, and where the next ones begin."""
    if len(stream) < at + height * (size + 1):
        raise NoPng
    lines = np.frombuffer(stream, np.uint8, height * (size + 1), at).reshape(height, size + 1)
    rows = np.zeros((height + 1, size), np.uint8)
    for i, line in enumerate(lines):
        kind, row, above = line[0], line[1:], rows[i]
        if kind == 0:
            rows[i + 1] = row
        elif kind == 1:
            rows[i + 1] = np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
        elif kind == 2:
            rows[i + 1] = row + above
        elif kind in (3, 4):
            rows[i + 1] = (_averaged if kind == 3 else _predicted)(row.tolist(), above.tolist(), step)
        else:
            raise NoPng
    return rows[1:], at + height * (size + 1)


def _averaged(row: list[int], above: list[int], step: int) -> list[int]:
    out = [0] * step
    for i, value in enumerate(row):
        out.append((value + (out[i] + above[i]) // 2) & 255)
    return out[step:]


def _predicted(row: list[int], above: list[int], step: int) -> list[int]:
    """Paeth's predictor: the neighbour nearest to left + above - corner."""
    out = [0] * step
    corners = [0] * step + above
    for i, value in enumerate(row):
        left, up, corner = out[i], above[i], corners[i]
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        if to_left <= to_up and to_left <= to_corner:
            guess = left
        elif to_up <= to_corner:
            guess = up
        else:
            guess = corner
        out.append((value + guess) & 255)
    return out[step:]
