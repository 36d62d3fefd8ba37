"""Image files to tensors: DecodeJpeg, DecodePng, DecodeGif, DecodeBmp and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, uint8, uint16
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims
from headrace.ops import composing
from headrace.ops.array.common import rank_is
from headrace.ops.flow.assertion import Assert
from headrace.ops.flow.cond import cond
from headrace.ops.host_values import boxed, to_tensor
from headrace.ops.image.conversion import convert_image_dtype
from headrace.ops.image.decode_bmp import bmp_pixels
from headrace.ops.image.decode_gif import gif_frames
from headrace.ops.image.decode_jpeg import NoJpeg, jpeg_header, jpeg_pixels
from headrace.ops.image.decode_png import png_pixels
from headrace.ops.ranks import ranked

_JPEG = (
    "*, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1.0, "
    "dct_method='' -> image: uint8"
)
decode_jpeg_op = op("DecodeJpeg", f"contents: string, {_JPEG}")
decode_and_crop_jpeg_op = op("DecodeAndCropJpeg", f"contents: string, crop_window: int32, {_JPEG}")
decode_png_op = op("DecodePng", "contents: string, *, channels=0, dtype: {uint8, uint16} = uint8 -> image: dtype")
decode_gif_op = op("DecodeGif", "contents: string -> image: uint8")
decode_bmp_op = op("DecodeBmp", "contents: string, *, channels=0 -> image: uint8")
jpeg_shape_op = op("ExtractJpegShape", "contents: string, *, output_type: index = int32 -> image_shape: output_type")
decode_and_crop_jpeg_op.on_host("crop_window", outputs=True)
for _decl in (decode_jpeg_op, decode_png_op, decode_gif_op, decode_bmp_op, jpeg_shape_op):
    _decl.on_host(outputs=True)


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _channels(op: Any) -> int | None:
    rank_is(op.inputs[0].dims, 0)
    channels = op.attrs.get("channels", 0)
    if channels < 0:
        raise ValueError("channels must be non-negative")
    return channels or None


@decode_jpeg_op.shape
@decode_png_op.shape
@decode_bmp_op.shape
def image_shape(op):
    return [(None, None, _channels(op))]


@decode_and_crop_jpeg_op.shape
@ranked(0, 1)
def cropped_shape(op):
    channels = _channels(op)
    window = op.constant(1)
    size: Dims = (None, None) if window is None else tuple(int(v) for v in window[2:4])
    return [(*(size or ()), channels)]


@decode_gif_op.shape
def frames_shape(op):
    rank_is(op.inputs[0].dims, 0)
    return [(None, None, None, 3)]


@jpeg_shape_op.shape
def jpeg_shape_shape(op):
    rank_is(op.inputs[0].dims, 0)
    return [(3,)]


def _data(contents: Any) -> bytes:
    array = boxed(contents)
    if array.ndim:
        raise _invalid(f"contents must be scalar, got shape {list(array.shape)}")
    return array.item()


def _checked_jpeg(attrs: Any) -> dict[str, Any]:
    """The arguments of `jpeg_pixels`."""
    if attrs["ratio"] not in (1, 2, 4, 8):
        raise _invalid(f"ratio must be 1, 2, 4, or 8, got {attrs['ratio']}")
    if attrs["dct_method"] not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise _invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    return {
        "ratio": attrs["ratio"],
        "recover": attrs["try_recover_truncated"],
        "acceptable_fraction": attrs["acceptable_fraction"],
        "fancy_upscaling": attrs["fancy_upscaling"],
        "accurate": attrs["dct_method"] == "INTEGER_ACCURATE",
    }


def _decoder(node: Any, jpeg: dict[str, Any] | None = None) -> Callable[[bytes], np.ndarray]:
    """What decodes any of the formats: the ops for JPEG, PNG and GIF files all take the other two as well."""
    op_type = node.type
    channels = node.attrs.get("channels", 3)
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"channels must be 0, 1, 3, or 4, got {channels}")
    sixteen_bits = node.attrs.get("dtype", uint8) is uint16
    options = jpeg or {}

    def decode(data: bytes) -> np.ndarray:
        if data[:3] == b"\xff\xd8\xff":
            if sixteen_bits:
                raise _invalid("JPEG does not support uint16 output")
            pixels = jpeg_pixels(data, channels, **options)
            return pixels[None] if op_type == "DecodeGif" else pixels
        if data[:4] == b"\x89PNG":
            pixels = png_pixels(data, channels, sixteen_bits)
            return pixels[None] if op_type == "DecodeGif" else pixels
        if data[:3] == b"GIF":
            if sixteen_bits:
                raise _invalid("GIF does not support uint16 output")
            if channels not in (0, 3):
                raise _invalid(f"channels must be 0 or 3 for GIF, got {channels}")
            frames = gif_frames(data, animated=op_type == "DecodeGif")
            return frames if op_type == "DecodeGif" else frames[0]
        if not data:
            raise _invalid("Expected image (JPEG, PNG, or GIF), got empty file")
        shown = "".join(chr(b) if 32 <= b < 127 else _ESCAPES.get(b, f"\\{b:03o}") for b in data[:16])
        raise _invalid(f"Expected image (JPEG, PNG, or GIF), got unknown format starting with '{shown}'")

    return decode


_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r"}


@decode_png_op.kernel
@decode_gif_op.kernel
def decode_kernel(node):
    decode = _decoder(node)
    return lambda contents: to_tensor(decode(_data(contents)))


@decode_jpeg_op.kernel
def decode_jpeg_kernel(node):
    decode = _decoder(node, _checked_jpeg(node.attrs))
    return lambda contents: to_tensor(decode(_data(contents)))


@decode_and_crop_jpeg_op.kernel
def decode_and_crop_jpeg_kernel(node):
    decode = _decoder(node, _checked_jpeg(node.attrs))

    def crop(contents, crop_window):
        data = _data(contents)
        window = crop_window.reshape(-1).tolist()
        if len(window) != 4:
            raise _invalid(f"crop_window must have four elements {len(window)}")
        top, left, height, width = window
        pixels = decode(data)
        if data[:3] != b"\xff\xd8\xff":
            return to_tensor(pixels)
        fits = top >= 0 and left >= 0 and height > 0 and width > 0
        if not fits or top + height > pixels.shape[0] or left + width > pixels.shape[1]:
            raise _invalid(f"Invalid JPEG data or crop window, data size {len(data)}")
        return to_tensor(np.ascontiguousarray(pixels[top : top + height, left : left + width]))

    return crop


@decode_bmp_op.kernel
def decode_bmp_kernel(node):
    channels = node.attrs["channels"]
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"channels must be 0, 1, 3 or 4, got {channels}")
    return lambda contents: to_tensor(bmp_pixels(_data(contents), channels))


@jpeg_shape_op.kernel
def jpeg_shape_kernel(node):
    dtype = node.attrs["output_type"].as_numpy_dtype

    def shape(contents):
        data = _data(contents)
        try:
            return to_tensor(np.array(jpeg_header(data)[:3], dtype))
        except NoJpeg:
            raise _invalid(f"Invalid JPEG data, size {len(data)}") from None

    return shape


# ---- the public functions ----


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file (or of a PNG or still GIF file).

    Args:
        contents: a string scalar, the file.
        channels: 1 for grey, 3 for colours, 0 for as the file has it.
        ratio: 1, 2, 4 or 8: how much smaller to make the image while decoding.
        fancy_upscaling: whether colours stored at a lower resolution are interpolated.
        try_recover_truncated: whether what a file that ends early lacks is filled with grey.
        acceptable_fraction: the least fraction of lines such a file must have otherwise; the others are zero.
        dct_method: "INTEGER_FAST" (as by default) or "INTEGER_ACCURATE".
        name: a name for the operation.

    Returns:
        a uint8 tensor [height, width, channels].

    Raises:
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> image = tf.image.decode_jpeg(tf.read_file("photo.jpg"), channels=3)
    """
    return raw.DecodeJpeg(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of the pixels of a JPEG file.

    Args:
        contents: a string scalar, the file.
        crop_window: an int32 vector: top, left, height and width of the part, after `ratio`.
        channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: see `decode_jpeg`.
        name: a name for the operation.

    Returns:
        a uint8 tensor [height, width, channels].

    Raises:
        InvalidArgumentError: at run time, for other files, or a part that is not within the image.

    Example:
        >>> corner = tf.image.decode_and_crop_jpeg(contents, [0, 0, 32, 32], channels=3)
    """
    return raw.DecodeAndCropJpeg(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_png(contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None) -> Tensor:
    """The pixels of a PNG file (or of a JPEG or still GIF file).

    Args:
        contents: a string scalar, the file.
        channels: 1 for grey, 3 for colours, 4 with alpha, 0 for as the file has it.
        dtype: uint8 or uint16.
        name: a name for the operation.

    Returns:
        a tensor [height, width, channels] of `dtype`.

    Raises:
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> image = tf.image.decode_png(tf.read_file("mask.png"), channels=1)
    """
    return raw.DecodePng(contents, channels=channels, dtype=as_dtype(dtype), name=name)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of a GIF file.

    Args:
        contents: a string scalar, the file.
        name: a name for the operation.

    Returns:
        a uint8 tensor [frames, height, width, 3].

    Raises:
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> frames = tf.image.decode_gif(tf.read_file("wheel.gif"))
    """
    return raw.DecodeGif(contents, name=name)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of an uncompressed BMP file.

    Args:
        contents: a string scalar, the file.
        channels: how many the file must have: 1, 3 or 4; 0 for any.
        name: a name for the operation.

    Returns:
        a uint8 tensor [height, width, channels].

    Raises:
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> image = tf.image.decode_bmp(tf.read_file("icon.bmp"))
    """
    return raw.DecodeBmp(contents, channels=channels, name=name)


def extract_jpeg_shape(contents: Any, output_type: Any = "int32", name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG file, from its header alone.

    Args:
        contents: a string scalar, the file.
        output_type: int32 or int64.
        name: a name for the operation.

    Returns:
        a vector of three.

    Raises:
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> height, width, channels = tf.unstack(tf.image.extract_jpeg_shape(contents))
    """
    return raw.ExtractJpegShape(contents, output_type=as_dtype(output_type), name=name)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a string is a JPEG file, by its first bytes: a bool scalar.

    Example:
        >>> tf.image.is_jpeg(tf.read_file("photo.jpg"))
    """
    with name_scope(name, "is_jpeg"):
        return _starts_with(contents, b"\xff\xd8\xff", name or "Equal")


def _is_png(contents: Any) -> Tensor:
    with name_scope(None, "is_png"):
        return _starts_with(contents, b"\x89PN", "Equal")


def _starts_with(contents: Any, mark: bytes, name: str) -> Tensor:
    return raw.Equal(raw.Substr(contents, 0, 3, name="Substr"), mark, name=name)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a BMP, GIF, JPEG or PNG file, whichever it is.

    Args:
        contents: a string scalar, the file.
        channels: 0 or None for as the file has it, 1, 3 or 4.
        dtype: the type of the values; floats lie in [0, 1].
        name: a name for the operation.
        expand_animations: whether a GIF file gives all its frames; if not, it gives the first one.

    Returns:
        a tensor [height, width, channels], of a GIF file [frames, height, width, 3]; its static shape is unknown
        unless only first frames are taken: then its rank is 3.

    Raises:
        ValueError: for another number of channels.
        InvalidArgumentError: at run time, for other files.

    Example:
        >>> image = tf.image.decode_image(contents, channels=3)
        >>> image.set_shape([None, None, 3])  # as no GIF is among the files
    """
    dtype = as_dtype(dtype)
    with name_scope(name, "decode_image"):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        count = channels or 0
        start = raw.Substr(contents, 0, 3, name="Substr")

        def checked(allowed: str, kind: str, *refused: int) -> Any:
            check = "check_channels" if kind == "BMP" else f"check_{kind.lower()}_channels"
            good = raw.NotEqual(count, refused[0], name=check)
            for number in refused[1:]:
                good = raw.LogicalAnd(good, raw.NotEqual(count, number, name=check))
            return Assert(good, [f"Channels must be in (None, {allowed}) when decoding {kind} images"])

        def jpeg() -> Tensor:
            with control_dependencies([checked("0, 1, 3", "JPEG", 4)]):
                return convert_image_dtype(decode_jpeg(contents, count), dtype)

        def png() -> Tensor:
            # Whatever is not for eight bits may as well have sixteen.
            bits = uint8 if dtype is uint8 else uint16
            return convert_image_dtype(decode_png(contents, count, dtype=bits), dtype)

        def gif() -> Tensor:
            with control_dependencies([checked("0, 3", "GIF", 1, 4)]):
                frames = convert_image_dtype(decode_gif(contents), dtype)
                return frames if expand_animations else composing.gather(frames, 0)

        def bmp() -> Tensor:
            is_bmp = raw.Equal(raw.Substr(contents, 0, 2, name="Substr"), b"BM", name="is_bmp")
            known = Assert(is_bmp, ["Unable to decode bytes as JPEG, PNG, GIF, or BMP"])
            with control_dependencies([checked("0, 3", "BMP", 1), known]):
                return convert_image_dtype(decode_bmp(contents), dtype)

        def gif_or_bmp() -> Tensor:
            return cond(raw.Equal(start, b"GIF", name="is_gif"), gif, bmp, name="cond_gif")

        def png_gif_or_bmp() -> Tensor:
            return cond(_is_png(contents), png, gif_or_bmp, name="cond_png")

        return cond(is_jpeg(contents), jpeg, png_gif_or_bmp, name="cond_jpeg")
