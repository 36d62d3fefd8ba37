"""Types and colour spaces of images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.image.checking import checked_grayscale
from headrace.functions.math.products import tensordot
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import expand_dims, rank_internal
from headrace.ops.math.binary import multiply
from headrace.ops.math.cast import cast, saturate_cast
from headrace.ops.math.division import div

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import DTypeLike, TensorLike


def convert_image_dtype(
    image: TensorLike | np.ndarray, dtype: DTypeLike, saturate: bool = False, name: str | None = None
) -> Tensor:
    """An image of another type, its values scaled with the range: floats are in [0, 1], integers up to their greatest.

    Args:
        image: an image.
        dtype: the element type of the result.
        saturate: whether values out of range become the nearest there is, not what is left of their bits.
        name: a name for the operation.

    Returns:
        the image in that type.

    Raises:
        AttributeError: if the type is neither floating nor an integer type.

    Example:
        >>> tf.image.convert_image_dtype(np.uint8([255, 0]), tf.float32)  # [1.0, 0.0]
    """
    image = convert_to_tensor(image, name="image")
    dtype = as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if dtype == image.dtype:
        return identity(image, name=name)
    with name_scope(name, "convert_image", [image]) as scope:
        convert = saturate_cast if saturate else cast
        have = image.dtype
        if have.is_integer and dtype.is_integer:
            if have.max > dtype.max:
                smaller = div(image, (have.max + 1) // (dtype.max + 1))
                return convert(smaller, dtype, name=scope)
            return multiply(convert(image, dtype), (dtype.max + 1) // (have.max + 1), name=scope)
        if have.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if have.is_integer:
            return multiply(cast(image, dtype), 1.0 / have.max, name=scope)
        return convert(multiply(image, dtype.max + 0.5), dtype, name=scope)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of RGB images: luma as in ITU-R BT.601.

    Args:
        images: tensor whose last dimension is 3.
        name: a name for the operation.

    Returns:
        images of the same type whose last dimension is 1.
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        colored = convert_image_dtype(images, "float32")
        gray = expand_dims(tensordot(colored, [0.2989, 0.587, 0.114], [-1, -1]), -1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: Tensor, name: str | None = None) -> Tensor:
    """Grey images with three equal channels.

    Args:
        images: tensor whose last dimension is 1.
        name: a name for the operation.

    Raises:
        ValueError: if it is known to be another.
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(checked_grayscale(images), name="images")
        outer = expand_dims(rank_internal(images) - 1, 0)
        multiples = composing.concat([composing.ones(outer, "int32"), expand_dims(3, 0)], 0)
        rgb = raw.Tile(images, multiples, name=scope)
        rgb.set_shape(None if images.dims is None else (*images.dims[:-1], 3))
        return rgb


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value of RGB images, all in [0, 1] (A. Smith, "Color gamut transform pairs", SIGGRAPH 1978).

    Args:
        images: floating tensor whose last dimension is 3, values in [0, 1].
        name: a name for the operation.
    """
    return raw.RGBToHSV(images, name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """RGB images from hue, saturation and value: what `rgb_to_hsv` undoes."""
    return raw.HSVToRGB(images, name=name)


# Y is luma of ITU-R BT.601; I and Q are those of NTSC, U and V 0.492 (B - Y) and 0.877 (R - Y), as in PAL.
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _mixed(images: Any, kernel: list[list[float]]) -> Tensor:
    images = convert_to_tensor(images, name="images")
    weights = convert_to_tensor(kernel, images.dtype, name="kernel")
    return tensordot(images, weights, axes=[[images.get_shape().ndims - 1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """RGB images in the colour space YIQ; `images` has a last dimension of 3, values in [0, 1]."""
    return _mixed(images, _RGB_TO_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """YIQ images in RGB: what `rgb_to_yiq` undoes."""
    return _mixed(images, _YIQ_TO_RGB)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """RGB images in the colour space YUV; `images` has a last dimension of 3, values in [0, 1]."""
    return _mixed(images, _RGB_TO_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """YUV images in RGB: what `rgb_to_yuv` undoes."""
    return _mixed(images, _YUV_TO_RGB)
