"""GIF files to frames, drawn over one another the simple way TensorFlow does."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np

from headrace.core.errors import InvalidArgumentError

# The format is that of CompuServe's "Graphics Interchange Format, version 89a", 1990. The first bytes of its blocks:
_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
# Bits of the flags of the screen and of images: a palette follows (the lowest three bits say how large), rows are
# interlaced.
_HAS_PALETTE, _INTERLACED = 0x80, 0x40
# A code stands for no more than 4096 pixels and has at least three bits.
_MAX_EXPANSION = 4096 * 8 // 3


@dataclass
class _Frame:
    """One image of the file: its place, colours, and compressed indices."""

    left: int
    top: int
    width: int
    height: int
    colours: bytes
    flags: int
    data: bytes

    def pixels(self) -> np.ndarray:
        """The colours, uint8 [height, width, 3]. Raises ValueError for broken data."""
        from PIL import UnidentifiedImageError
        from PIL.GifImagePlugin import GifImageFile

        if self.width * self.height > _MAX_EXPANSION * len(self.data):
            raise ValueError("Image EOF detected before image complete")
        # A file of its own for this frame alone, whose indices Pillow reads.
        size = struct.pack("<HH", self.width, self.height)
        bits = max(1, (len(self.colours) // 3 - 1).bit_length())
        header = b"GIF89a" + size + bytes([_HAS_PALETTE | (bits - 1), 0, 0]) + self.colours
        local = bytes([_IMAGE, 0, 0, 0, 0]) + size + bytes([self.flags & _INTERLACED])
        try:
            # Not `Image.open`, which has a limit of its own that TensorFlow does not have.
            with GifImageFile(io.BytesIO(header + local + self.data + bytes([_TRAILER]))) as image:
                indices = np.asarray(image)
        except (OSError, SyntaxError, UnidentifiedImageError, struct.error, EOFError) as error:
            raise ValueError(str(error)) from None
        if image.mode == "L":
            # A palette of greys in order: Pillow gives the colours themselves, which are the indices.
            return np.repeat(indices[..., None], 3, axis=2)
        return np.frombuffer(self.colours, np.uint8).reshape(-1, 3)[indices]


def gif_frames(data: bytes, animated: bool = True) -> np.ndarray:
    """All frames of a GIF file, uint8 [frames, height, width, 3].

    Args:
        data: the file.
        animated: whether there may be several.

    Raises:
        InvalidArgumentError: for other files.
    """
    try:
        frames = _parsed(data)
        if not frames:
            raise ValueError("Failed to read from given file")
        # The canvas that the file claims counts for nothing, so that its frames say how much memory is taken.
        width, height = max(frame.width for frame in frames), max(frame.height for frame in frames)
        first = frames[0].pixels()
        if len(frames) > 1 and not animated:
            # Before memory is taken for all of them. TensorFlow reads them first, too.
            for frame in frames[1:]:
                frame.pixels()
            raise InvalidArgumentError(
                None,
                None,
                f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.image.decode_gif or "
                "tf.image.decode_image",
            )
        out = np.zeros((len(frames), height, width, 3), np.uint8)
        for i, frame in enumerate(frames):
            box = (frame.left, frame.top, frame.width, frame.height)
            if box != (0, 0, width, height):
                if i == 0:
                    raise ValueError("the first frame does not fill the canvas")
                # What the frame leaves free shows the frame before.
                out[i] = out[i - 1]
            pixels = frame.pixels() if i else first
            part = out[i, frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
            part[...] = pixels[: part.shape[0], : part.shape[1]]
        return out
    except (ValueError, IndexError, struct.error) as error:
        reason = str(error) if "canvas" in str(error) else "failed to slurp gif file: Failed to read from given file"
        raise InvalidArgumentError(None, None, f"Invalid GIF data (size {len(data)}), {reason}") from None


def _parsed(data: bytes) -> list[_Frame]:
    """The frames."""
    if data[:6] not in (b"GIF87a", b"GIF89a"):
        raise ValueError("no signature")
    (flags,) = struct.unpack_from("<B", data, 10)
    at = 13
    common = b""
    if flags & _HAS_PALETTE:
        common, at = _palette(data, at, flags)
    frames: list[_Frame] = []
    while data[at] != _TRAILER:
        if data[at] == _EXTENSION:
            at = _blocks_end(data, at + 2)
            continue
        if data[at] != _IMAGE:
            raise ValueError("no block")
        left, top, wide, high, flags = struct.unpack_from("<HHHHB", data, at + 1)
        at += 10
        colours = common
        if flags & _HAS_PALETTE:
            colours, at = _palette(data, at, flags)
        end = _blocks_end(data, at + 1)
        frames.append(_Frame(left, top, wide, high, colours, flags, data[at:end]))
        at = end
    return frames


def _palette(data: bytes, at: int, flags: int) -> tuple[bytes, int]:
    """The palette at a place, three bytes a colour, and the place after it."""
    end = at + 3 * (2 << (flags & 7))
    if end > len(data):
        raise ValueError("no palette")
    return data[at:end], end


def _blocks_end(data: bytes, at: int) -> int:
    """The place after a row of blocks, each of which begins with its length; one of length 0 ends them."""
    while data[at]:
        at += data[at] + 1
    return at + 1
