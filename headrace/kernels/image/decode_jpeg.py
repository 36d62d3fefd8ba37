"""JPEG files to pixels, by libjpeg-turbo, which is the decoder TensorFlow has too.

Pillow has it as well, but not its fast transform, which is TensorFlow's default and differs by up to six units.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.image.jpeg_planes import jpeg_planes, rgb_of

# Frames that Huffman coding writes, and those that arithmetic coding does.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Of these, the frames by Huffman coding that send each block once and whole.
_SEQUENTIAL = frozenset({0xC0, 0xC1})
# Markers without a length: fillers, restarts, the start of an image.
_ALONE = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})
_ADOBE = 0xEE


# What TensorFlow takes: numbers of an image.
_MAX_VALUES = 1 << 29


class NoJpeg(ValueError):
    """Bytes that are no JPEG file, or not a whole one."""


class JpegHeader(NamedTuple):
    """What the markers before the data say.

    `factors`: of each component how many blocks it has side by side and above one another, four bits each.
    `least_bytes`: how many bytes the blocks of such an image have at least.
    """

    height: int
    width: int
    components: int
    factors: bytes
    is_adobe: bool
    least_bytes: int

    @property
    def subsampled(self) -> bool:
        """Whether some components have a lower resolution."""
        return len(set(self.factors)) > 1

    @property
    def is_sampled_oddly(self) -> bool:
        """Whether others than colours have a lower resolution, or colours different ones."""
        colours_alike = self.factors[1:3] == b"\x11\x11"
        return self.subsampled and not (colours_alike and self.factors[3:] in (b"", self.factors[:1]))


def jpeg_header(data: bytes) -> JpegHeader:
    """The size and form of a JPEG file.

    Raises:
        NoJpeg: if there is no frame header.
    """
    if data[:2] != b"\xff\xd8":
        raise NoJpeg
    at = 2
    is_adobe = False
    while at + 4 <= len(data):
        marker = data[at + 1]
        if data[at] != 0xFF or marker == 0xFF:
            at += 1
            continue
        if marker in _ALONE:
            at += 2
            continue
        (size,) = struct.unpack_from(">H", data, at + 2)
        if marker == _ADOBE and data[at + 4 : at + 9] == b"Adobe":
            is_adobe = True
        if marker in _FRAMES:
            if at + 10 > len(data):
                raise NoJpeg
            height, width, components = struct.unpack_from(">HHB", data, at + 5)
            factors = data[at + 11 : at + 10 + 3 * components : 3]
            least = _least_bytes(height, width, factors) if marker in _SEQUENTIAL else 0
            return JpegHeader(height, width, components, factors, is_adobe, least)
        at += 2 + size
    raise NoJpeg


def _least_bytes(height: int, width: int, factors: bytes) -> int:
    """A bound from below: each block of 8 by 8 has two codes, for its mean and for its end, of a bit each or more.

    Args:
        height, width: of the image.
        factors: of each component how many blocks it has side by side and above one another, four bits each.
    """
    across, down = (max((f >> shift & 15 for f in factors), default=1) or 1 for shift in (4, 0))
    blocks = sum((f >> 4) * (f & 15) for f in factors) * (width // (8 * across)) * (height // (8 * down))
    return blocks * 2 // 8


def jpeg_pixels(
    data: bytes,
    channels: int,
    ratio: int = 1,
    recover: bool = False,
    acceptable_fraction: float = 1.0,
    fancy_upscaling: bool = True,
    accurate: bool = False,
) -> np.ndarray:
    """The pixels of a JPEG file, uint8 [height, width, channels].

    Args:
        data: the file.
        channels: 1 or 3, or 0 for as many as it has.
        ratio: 1, 2, 4 or 8: how much smaller to make it while decoding.
        recover: whether what a file that ends early lacks is made up, in grey.
        acceptable_fraction: of the lines, the least fraction that such a file must have; the other lines are zero.
        fancy_upscaling: whether colours stored at a lower resolution are interpolated.
        accurate: whether to use the accurate transform rather than the fast one.

    Raises:
        InvalidArgumentError: for other files.
    """
    if channels not in (0, 1, 3):
        raise InvalidArgumentError(None, None, f"channels must be 0, 1, or 3 for JPEG, got {channels}")
    try:
        header = jpeg_header(data)
        if header.components == 4 and channels == 1:
            raise NoJpeg
        values = -(-header.height // ratio) * -(-header.width // ratio) * (channels or min(header.components, 3))
        is_whole = not recover and acceptable_fraction >= 1.0
        if values >= _MAX_VALUES or (is_whole and header.least_bytes > len(data)):
            # Before memory is taken for what the header claims.
            raise NoJpeg

        def decoded(strict: bool = True) -> np.ndarray:
            return _decoded(
                data, header, channels or min(header.components, 3), ratio, fancy_upscaling, accurate, strict
            )

        try:
            return decoded()
        except NoJpeg:
            if recover:
                return decoded(strict=False)
            if acceptable_fraction < 1.0:
                return _beginning(decoded(strict=False), header, acceptable_fraction)
            raise
    except NoJpeg:
        raise InvalidArgumentError(None, None, f"Invalid JPEG data or crop window, data size {len(data)}") from None


def _beginning(pixels: np.ndarray, header: JpegHeader, fraction: float) -> np.ndarray:
    """The lines of a file that ends early, zeros for the others; NoJpeg if they are too few.

    The decoder goes on with grey where the data end, in whole blocks; of the blocks before, the last line is missing
    where colours are interpolated between lines.
    """
    made_up = (pixels[:, -1] == 128).all(axis=1)
    lines = len(pixels) - int(np.argmin(made_up[::-1])) if not made_up.all() else 0
    if lines < len(pixels):
        lines = max(0, lines // 8 * 8 - header.subsampled)
    if lines < fraction * len(pixels):
        raise NoJpeg
    pixels[lines:] = 0
    return pixels


def _decoded(
    data: bytes, header: JpegHeader, channels: int, ratio: int, fancy: bool, accurate: bool, strict: bool
) -> np.ndarray:
    import simplejpeg

    ink = header.components == 4
    try:
        pixels = simplejpeg.decode_jpeg(
            data,
            "CMYK" if ink else "GRAY" if channels == 1 else "RGB",
            fastdct=not accurate,
            fastupsample=not fancy,
            min_height=-(-header.height // ratio),
            min_width=-(-header.width // ratio),
            min_factor=ratio,
            strict=strict,
        )
    except ValueError:
        if header.components not in (3, 4) or not header.is_sampled_oddly:
            raise NoJpeg from None
        pixels = _oddly_sampled(data, header, ratio, fancy, accurate, strict)
        if not ink:
            return np.ascontiguousarray(pixels[..., :1]) if channels == 1 else rgb_of(pixels)
    if not ink:
        return pixels
    wide = pixels.astype(np.int32)
    if not header.is_adobe:
        wide = 255 - wide
    # Adobe's files hold what the ink leaves of the light.
    return (wide[..., :3] * wide[..., 3:] // 255).astype(np.uint8)


def _oddly_sampled(
    data: bytes, header: JpegHeader, ratio: int, fancy: bool, accurate: bool, strict: bool
) -> np.ndarray:
    # A file that ends early is decoded to its end, and on in grey, if it has an end.
    whole = data if strict else data + b"\xff\xd9"
    try:
        return jpeg_planes(whole, header.factors, (header.width, header.height), ratio, fancy, accurate)
    except (OSError, SyntaxError, ValueError):
        raise NoJpeg from None
