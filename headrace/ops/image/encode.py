"""Tensors to image files: EncodeJpeg, EncodePng."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import made, result
from headrace.core.errors import InternalError, InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.image.encode_png import png_file

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


encode_jpeg_op = op(
    "EncodeJpeg",
    "image: uint8, *, format: {'', 'grayscale', 'rgb'} = '', quality=95, progressive=False, optimize_size=False, "
    "chroma_downsampling=True, density_unit: {'in', 'cm'} = 'in', x_density=300, y_density=300, xmp_metadata='' -> "
    "contents: string",
)
variable_quality_op = op("EncodeJpegVariableQuality", "images: uint8, quality: int32 -> contents: string")
encode_png_op = op("EncodePng", "image: T, *, compression=-1, T: {uint8, uint16} = uint8 -> contents: string")
encode_jpeg_op.on_host("image")
variable_quality_op.on_host("images", "quality")
encode_png_op.on_host("image")


@encode_jpeg_op.shape
@variable_quality_op.shape
@encode_png_op.shape
def encode_shape(op):
    rank_is(op.inputs[0].dims, 3)
    return [()]


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _jpeg_writer(
    format: str,
    quality: int,
    density: tuple[int, int, int] = (1, 300, 300),
    xmp: str = "",
    subsampled: bool = True,
    **options: Any,
) -> Callable[[np.ndarray], bytes]:
    """What writes an array [height, width, channels] as a JPEG file; `density` as the file holds it: unit, x, y."""
    if not 0 <= quality <= 100:
        raise _invalid(f"quality must be in [0,100], got {quality}")
    expected = {"": 0, "grayscale": 1, "rgb": 3}[format]
    if xmp:
        options["xmp"] = xmp.encode()

    def write(pixels: np.ndarray) -> bytes:
        from PIL import Image

        shape = "[" + ",".join(map(str, pixels.shape)) + "]"
        if pixels.ndim != 3:
            raise _invalid(f"image must be 3-dimensional{shape}")
        channels = pixels.shape[2]
        if expected and channels != expected:
            raise _invalid(f"format {format} expects {expected} channels, got {shape}")
        if channels not in (1, 3):
            raise _invalid(f"image must have 1 or 3 channels, got {shape}")
        if not pixels.size:
            raise InternalError(None, None, f"JPEG encoding failed: image must not be empty, got {shape}")
        image = Image.fromarray(np.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels))
        stream = io.BytesIO()
        sampling = -1 if channels == 1 else 2 if subsampled else 0
        # A quality of zero is not refused, it is the least one; the density is there to be written over.
        image.save(stream, "JPEG", quality=max(quality, 1), subsampling=sampling, dpi=(1, 1), **options)
        written = bytearray(stream.getvalue())
        struct.pack_into(">BHH", written, _DENSITY_AT, *density)
        return bytes(written)

    return write


# In the first segment, after the markers, its length, "JFIF" and the version.
_DENSITY_AT = 13


@encode_jpeg_op.kernel
def encode_jpeg_kernel(node):
    attrs = node.attrs
    write = _jpeg_writer(
        attrs["format"],
        attrs["quality"],
        (1 if attrs["density_unit"] == "in" else 2, attrs["x_density"], attrs["y_density"]),
        attrs["xmp_metadata"],
        attrs["chroma_downsampling"],
        progressive=attrs["progressive"],
        optimize=attrs["optimize_size"],
    )
    return lambda image: boxed(write(to_array(image)))


@variable_quality_op.kernel
def variable_quality_kernel(node):
    def encode(images, quality):
        # What is beyond the scale is its end.
        return boxed(_jpeg_writer("", min(max(int(quality), 0), 100))(to_array(images)))

    return encode


@encode_png_op.kernel
def encode_png_kernel(node):
    compression = node.attrs["compression"]
    if not -1 <= compression <= 9:
        raise _invalid(f"compression should be in [-1,9], got {compression}")

    def encode(image):
        pixels = to_array(image)
        if pixels.ndim != 3:
            raise _invalid(f"image must be 3-dimensional, got shape {list(pixels.shape)}")
        if not pixels.size:
            raise InternalError(
                None, None, f"PNG encoding failed: image must not be empty, got shape {list(pixels.shape)}"
            )
        if pixels.shape[2] > 4:
            raise _invalid(f"image must have 1, 2, 3, or 4 channels, got {pixels.shape[2]}")
        return boxed(png_file(pixels, compression))

    return encode


_packing = {"varies": "how it is packed is left to the encoder", "after": [made("DecodePng", result)]}
encode_png_op.accepts(np.arange(6, dtype=np.uint8).reshape(2, 3, 1), **_packing)
encode_png_op.accepts(np.zeros([2, 3, 4], np.uint16), compression=9, **_packing)
encode_jpeg_op.accepts(np.zeros([2, 3, 3], np.uint8))
variable_quality_op.accepts(np.zeros([2, 3, 3], np.uint8), np.int32(50))
variable_quality_op.rejects(np.zeros([2, 3], np.uint8), np.int32(50), error=ValueError)


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image as a JPEG file.

    Args:
        image: uint8 [height, width, 1 or 3].
        format: "grayscale", "rgb" or "" for whichever it is.
        quality: from 0 to 100.
        progressive: whether a part of the file shows the whole image.
        optimize_size: whether to look for the shortest code.
        chroma_downsampling: whether colours are stored at half the resolution.
        density_unit: "in" or "cm", of `x_density` and `y_density`.
        x_density, y_density: dots a unit.
        xmp_metadata: XMP to store in the file.
        name: a name for the operation.

    Returns:
        a string scalar, the file.

    Raises:
        InvalidArgumentError: at run time, for another shape.

    Example:
        >>> pixels = tf.image.convert_image_dtype(image, tf.uint8)
        >>> sess.run(tf.write_file("out.jpg", tf.image.encode_jpeg(pixels, quality=90)))
    """
    return raw.EncodeJpeg(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """An image as a PNG file.

    Args:
        image: uint8 or uint16 [height, width, channels]: grey, grey and alpha, colours, or colours and alpha.
        compression: from 0 (none) to 9, -1 for the usual one.
        name: a name for the operation.

    Returns:
        a string scalar, the file.

    Raises:
        InvalidArgumentError: at run time, for another shape.

    Example:
        >>> pixels = tf.image.convert_image_dtype(image, tf.uint8)
        >>> sess.run(tf.write_file("out.png", tf.image.encode_png(pixels)))
    """
    return raw.EncodePng(image, compression=compression, name=name)
