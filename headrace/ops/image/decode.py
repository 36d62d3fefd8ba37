"""Image files to tensors: DecodeJpeg, DecodePng, DecodeGif, DecodeBmp and what is made of them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import made
from headrace.core.dims import Dims, merge_dim
from headrace.core.dtypes import as_dtype, float32, uint8, uint16
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.host_values import boxed, to_tensor
from headrace.kernels.image.decode_bmp import bmp_pixels
from headrace.kernels.image.decode_gif import gif_frames
from headrace.kernels.image.decode_jpeg import NoJpeg, jpeg_header, jpeg_pixels
from headrace.kernels.image.decode_png import png_pixels
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, NodeView, OpView, TensorLike


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


def _channels(op: OpView) -> int | None:
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
    for count in op.inputs[1].dims or ():
        merge_dim(count, 4)
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


def _data(contents: np.ndarray) -> bytes:
    array = boxed(contents)
    if array.ndim:
        raise _invalid(f"contents must be scalar, got shape {list(array.shape)}")
    return array.item()


def _checked_jpeg(attrs: Mapping[str, bool | float]) -> dict[str, Any]:
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


def _decoder(node: NodeView, jpeg: dict[str, Any] | None = None) -> Callable[[bytes], np.ndarray]:
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

# An op of TensorFlow 2, for graphs it has written.
decode_image_op = op(
    "DecodeImage",
    "contents: string, *, channels=0, dtype: {uint8, uint16, float} = uint8, expand_animations=True -> image: dtype",
)
decode_image_op.not_differentiable()


@decode_image_op.shape
def decode_image_shape(op):
    if op.attrs["expand_animations"]:
        return [None]
    return [(None, None, op.attrs["channels"] or None)]


@decode_image_op.kernel
def decode_image_kernel(node):
    channels, dtype = node.attrs["channels"], node.attrs["dtype"]
    animated = node.attrs["expand_animations"]
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"channels must be 0, 1, 3, or 4, got {channels}")

    def pixels(data: bytes) -> np.ndarray:
        if data[:3] == b"\xff\xd8\xff":
            return jpeg_pixels(data, channels)
        if data[:4] == b"\x89PNG":
            return png_pixels(data, channels, dtype is not uint8)
        if data[:3] == b"GIF":
            if channels not in (0, 3):
                raise _invalid(f"channels must be 0 or 3 for GIF, got {channels}")
            frames = gif_frames(data)
            return frames if animated else frames[0]
        if data[:2] == b"BM":
            return bmp_pixels(data, channels)
        raise _invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")

    def decode(contents):
        found = pixels(_data(contents))
        if dtype is float32:
            found = found.astype(np.float32) / np.float32(255 if found.dtype == np.uint8 else 65535)
        elif dtype is uint16 and found.dtype == np.uint8:
            found = found.astype(np.uint16) * np.uint16(256)
        return to_tensor(np.ascontiguousarray(found))

    return decode


def decode_jpeg(
    contents: TensorLike,
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
    contents: TensorLike,
    crop_window: TensorLike,
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
        >>> contents = tf.image.encode_jpeg(tf.zeros([64, 48, 3], tf.uint8))
        >>> corner = tf.image.decode_and_crop_jpeg(contents, [0, 0, 32, 32], channels=3)
        >>> sess.run(corner).shape
        (32, 32, 3)
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


def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Tensor:
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


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
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


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
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


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = "int32", name: str | None = None) -> Tensor:
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
        >>> contents = tf.image.encode_jpeg(tf.zeros([64, 48, 3], tf.uint8))
        >>> sess.run(tf.image.extract_jpeg_shape(contents))
        array([64, 48,  3], dtype=int32)
    """
    return raw.ExtractJpegShape(contents, output_type=as_dtype(output_type), name=name)


_FLAT = np.full([16, 16, 3], 100, np.uint8)
_JPEG_FILE = made("EncodeJpeg", _FLAT)
_PNG_FILE = made("EncodePng", np.arange(12, dtype=np.uint8).reshape(2, 2, 3))
_DEEP_FILE = made("EncodePng", np.array([[[0], [65535]]], np.uint16))
# Two pixels a row, in rows of eight bytes, the lowest row first.
_BMP_FILE = (
    b"BM"
    + struct.pack("<IHHI", 70, 0, 0, 54)
    + struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0)
    + bytes([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0])
)
_GIF_FILE = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x05\x06\x07\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
decode_jpeg_op.accepts(_JPEG_FILE, ratio=4)
decode_jpeg_op.accepts(_JPEG_FILE, channels=1, ratio=8, dct_method="INTEGER_ACCURATE")
decode_and_crop_jpeg_op.accepts(_JPEG_FILE, np.array([3, 5, 2, 1], np.int32))
decode_and_crop_jpeg_op.rejects(_JPEG_FILE, np.array([3, 5, 20, 1], np.int32), error=InvalidArgumentError)
decode_png_op.accepts(_PNG_FILE)
decode_png_op.accepts(_PNG_FILE, channels=4)
decode_png_op.accepts(_DEEP_FILE, dtype="uint16")
decode_bmp_op.accepts(_BMP_FILE)
decode_bmp_op.rejects(_BMP_FILE, channels=4, error=InvalidArgumentError)
decode_gif_op.accepts(_GIF_FILE)
jpeg_shape_op.accepts(_JPEG_FILE)
jpeg_shape_op.accepts(_JPEG_FILE, output_type="int64")
for _decl in (decode_jpeg_op, decode_png_op, decode_bmp_op, decode_gif_op, jpeg_shape_op):
    _decl.rejects(b"no image", error=InvalidArgumentError)
for _file in (_PNG_FILE, _BMP_FILE, _GIF_FILE):
    decode_image_op.accepts(_file)
decode_image_op.accepts(_GIF_FILE, dtype="float32", expand_animations=False)
decode_image_op.rejects(b"no image", error=InvalidArgumentError)
