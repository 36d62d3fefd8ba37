"""PNG files to pixels of eight or sixteen bits."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.files.png import png_chunk

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# What libpng and TensorFlow take: a side, and pixels in all.
_MAX_SIDE = 1_000_000
_MAX_PIXELS = 1 << 29
# No byte of a deflated stream stands for more: 258 bytes take two bits.
_MAX_EXPANSION = 1032
# Rows that are converted at a time.
_STRIP = 256
# Of how many bytes of pixels on colours are decoded in strips, in half of the memory and twice the time; and of a strip.
_LARGE, _MOST_AT_ONCE = 1 << 26, 1 << 22
# Bytes of a file that are decompressed at a time: what zlib leaves of them is copied.
_PIECE = 1 << 16


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
        # Before memory is taken for what the header claims.
        if header.height * header.row > _MAX_EXPANSION * len(data):
            raise NoPng
        if header.depth == 16 and header.kind != 0:
            pixels = _deep_pixels(data, header)
        elif header.depth == 8 and header.kind != 0 and not header.interlaced and header.height * header.row > _LARGE:
            pixels = _pixels_by_strips(data, header)
        else:
            pixels = _pillow_pixels(_needed(data), header)
    except NoPng:
        raise InvalidArgumentError(None, None, f"Invalid PNG data, size {len(data)}") from None
    return _with_bits(_with_channels(pixels, channels, (1 << header.depth) - 1), sixteen_bits)


class _Header:
    """What the first chunk says."""

    def __init__(self, width: int, height: int, depth: int, kind: int, interlaced: bool) -> None:
        self.width, self.height, self.depth, self.kind, self.interlaced = width, height, depth, kind, interlaced
        self.is_palette = kind == 3

    @property
    def row(self) -> int:
        """How many bytes a row of pixels has."""
        return (self.width * _CHANNELS[self.kind] * self.depth + 7) // 8


def _header(data: bytes) -> _Header:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise InvalidArgumentError(None, None, f"Invalid PNG header, data size {len(data)}")
    width, height, depth, kind, compression, filters, interlace = struct.unpack_from(">IIBBBBB", data, 16)
    is_known = depth in _DEPTHS.get(kind, ()) and not compression and not filters and interlace < 2
    if not is_known or not 0 < width <= _MAX_SIDE or not 0 < height <= _MAX_SIDE:
        raise InvalidArgumentError(None, None, f"Invalid PNG header, data size {len(data)}")
    if width * height >= _MAX_PIXELS:
        raise InvalidArgumentError(None, None, f"PNG size too large for int: {width} by {height}")
    return _Header(width, height, depth, kind, bool(interlace))


def _pillow_pixels(data: bytes, header: _Header) -> np.ndarray:
    return _pillow_rows(data, header)[0]


def _pillow_rows(data: bytes, header: _Header) -> tuple[np.ndarray, bytes]:
    """The pixels of a file, and its last row as it stands there, where values have eight bits."""
    from PIL import UnidentifiedImageError
    from PIL.PngImagePlugin import PngImageFile

    try:
        # Not `Image.open`, which has a limit of its own, below TensorFlow's.
        with PngImageFile(io.BytesIO(data)) as image:
            image.load()
            last = np.asarray(image.crop((0, image.height - 1, image.width, image.height))).tobytes()
            return _plain(image, header), last
    except (OSError, SyntaxError, UnidentifiedImageError, struct.error, ValueError, zlib.error):
        raise NoPng from None


def _pixels_by_strips(data: bytes, header: _Header) -> np.ndarray:
    """The pixels of a large file, decoded some rows at a time: Pillow's whole picture would take more than they do.

    Each strip is a file of its own, whose first row, for the filters of the next, is the last one before it.
    """
    most = max(1, _MOST_AT_ONCE // header.row)
    colours = b"".join(png_chunk(kind, part) for kind in (b"PLTE", b"tRNS") for part in _chunks(data, kind))
    read = _rows_reader(data)
    pixels: np.ndarray | None = None
    above = b""
    for top in range(0, header.height, most):
        count = min(most, header.height - top)
        rows = read(count * (header.row + 1))
        if above:
            rows = b"\0" + above + rows
        form = struct.pack(">IIBBBBB", header.width, count + bool(above), header.depth, header.kind, 0, 0, 0)
        strip = (
            png_chunk(b"IHDR", form) + colours + png_chunk(b"IDAT", zlib.compress(rows, 0)) + png_chunk(b"IEND", b"")
        )
        part, last = _pillow_rows(_SIGNATURE + strip, header)
        if pixels is None:
            pixels = np.empty((header.height, *part.shape[1:]), part.dtype)
        pixels[top : top + count] = part[bool(above) :]
        above = last
    assert pixels is not None
    read(0)
    return pixels


def _rows_reader(data: bytes) -> Callable[[int], bytes]:
    """What gives the next bytes of a file's rows, each with its filter; asked for none, it checks that they have ended."""
    inflater = zlib.decompressobj()
    pieces = _pieces(data)
    left = b""

    def read(size: int) -> bytes:
        nonlocal left
        found: list[bytes] = []
        # The end of the stream is read only by asking for more.
        missing = size or 1
        while missing and not inflater.eof:
            left = left or next(pieces, b"")
            ends = not left
            try:
                part = inflater.decompress(left, missing)
            except zlib.error:
                raise NoPng from None
            if ends and not part:
                break
            left = inflater.unconsumed_tail
            found.append(part)
            missing -= len(part)
        if missing and (size or not inflater.eof):
            raise NoPng
        return b"".join(found)

    return read


def _pieces(data: bytes) -> Iterator[bytes]:
    """What the chunks of pixels hold, whose checksums are right, in small pieces."""
    at = len(_SIGNATURE)
    while at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        if data[at + 4 : at + 8] == b"IDAT":
            body = memoryview(data)[at + 4 : at + 8 + size]
            if data[at + 8 + size : at + 12 + size] != struct.pack(">I", zlib.crc32(body)):
                raise NoPng
            for start in range(4, len(body), _PIECE):
                yield bytes(body[start : start + _PIECE])
        at += 12 + size


def _needed(data: bytes) -> bytes:
    """The file without the chunks that no pixel depends on: texts and profiles may stand for far more than they hold."""
    parts, at = [data[: len(_SIGNATURE)]], len(_SIGNATURE)
    while at + 8 <= len(data):
        end = at + 12 + struct.unpack_from(">I", data, at)[0]
        # Those whose name begins with a small letter may be left out.
        if not data[at + 4] & 0x20 or data[at + 4 : at + 8] == b"tRNS":
            parts.append(data[at:end])
        at = end
    return b"".join(parts)


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
    pixels = np.empty((image.height, image.width, len(image.getbands())), np.uint8)
    for top in range(0, image.height, _STRIP):
        # In pieces, as Pillow's own conversion has the whole image twice more.
        part = np.asarray(image.crop((0, top, image.width, min(top + _STRIP, image.height))))
        pixels[top : top + _STRIP] = part.reshape(len(part), image.width, -1)
    return pixels


def _with_bits(pixels: np.ndarray, sixteen_bits: bool) -> np.ndarray:
    if pixels.dtype == np.uint8:
        if not sixteen_bits:
            return pixels
        wide = pixels.astype(np.uint16)
        wide *= 257
        return wide
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
    """Colours as greys, in libpng's arithmetic: weights of 15 bits, rounded for values of sixteen bits only.

    The weights are those of luma in ITU-R BT.601: 0.299, 0.587 and 0.114.
    """
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
    step = channels * 2
    passes = _PASSES if header.interlaced else ((0, 0, 1, 1),)
    sizes = [(len(range(y, header.height, dy)), len(range(x, header.width, dx)) * step) for x, y, dx, dy in passes]
    stream = _inflated(b"".join(_chunks(data, b"IDAT")), sum(height * (row + 1) for height, row in sizes if row))
    out = np.empty((header.height, header.width, channels), np.uint16)
    at = 0
    for (x, y, dx, dy), (height, row) in zip(passes, sizes, strict=True):
        part = out[y::dy, x::dx]
        if part.size:
            rows, at = _unfiltered(stream, at, height, row, step)
            part[...] = rows.view(">u2").reshape(part.shape)
    return out


def _inflated(stream: bytes, size: int) -> bytes:
    """The first `size` bytes of what was compressed, whose checksum is right if there are no more."""
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(stream, size)
        # The end of the stream is read only by asking for more.
        more = inflater.decompress(inflater.unconsumed_tail, 1)
    except zlib.error:
        raise NoPng from None
    if len(found) < size or not (inflater.eof or more):
        raise NoPng
    return found


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
    """Paeth's predictor (RFC 2083, section 6.6): the neighbour nearest to left + above - corner."""
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
