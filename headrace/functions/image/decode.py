"""Images from files of any of the formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, uint8, uint16
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.functions.image.conversion import convert_image_dtype
from headrace.kernels import composing
from headrace.ops.image.decode import decode_bmp, decode_gif, decode_jpeg, decode_png

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, TensorLike


def _is_png(contents: TensorLike) -> Tensor:
    with name_scope(None, "is_png"):
        return _starts_with(contents, b"\x89PN", "Equal")


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = uint8,
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
        >>> contents = tf.image.encode_png(tf.zeros([20, 30, 3], tf.uint8))
        >>> image = tf.image.decode_image(contents, channels=3)
        >>> image.set_shape([None, None, 3])  # as no GIF is among the files
        >>> sess.run(image).shape
        (20, 30, 3)
    """
    dtype = as_dtype(dtype)
    with name_scope(name, "decode_image"):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        count = channels or 0
        start = raw.Substr(contents, 0, 3, name="Substr")

        def checked(allowed: str, kind: str, *refused: int) -> Operation:
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


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether a string is a JPEG file, by its first bytes: a bool scalar.

    Example:
        >>> tf.image.is_jpeg(tf.read_file("photo.jpg"))
    """
    with name_scope(name, "is_jpeg"):
        return _starts_with(contents, b"\xff\xd8\xff", name or "Equal")


def _starts_with(contents: TensorLike, mark: bytes, name: str) -> Tensor:
    return raw.Equal(raw.Substr(contents, 0, 3, name="Substr"), mark, name=name)
