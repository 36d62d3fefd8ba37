"""Images made larger or smaller: `resize_images` and the single methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_dims
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import compatible_dims
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.image.checking import as_batch, checks_of_image, larger, require, sizes_of
from headrace.functions.image.cropping import pad_to_bounding_box
from headrace.kernels.composing.shapes import expand_dims, shape_internal, squeeze
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Resizer = Callable[[Tensor, Any], Tensor]


class ResizeMethod:
    """The methods of `resize_images`, as numbers."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


class ResizeMethodV2:
    """The methods of `resize_images_v2`, by name."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_OP_TYPES = {
    ResizeMethod.BILINEAR: "ResizeBilinear",
    ResizeMethodV2.BILINEAR: "ResizeBilinear",
    ResizeMethod.NEAREST_NEIGHBOR: "ResizeNearestNeighbor",
    ResizeMethodV2.NEAREST_NEIGHBOR: "ResizeNearestNeighbor",
    ResizeMethod.BICUBIC: "ResizeBicubic",
    ResizeMethodV2.BICUBIC: "ResizeBicubic",
    ResizeMethod.AREA: "ResizeArea",
    ResizeMethodV2.AREA: "ResizeArea",
}
# The methods that ScaleAndTranslate computes, under its names, and those it computes where antialiasing is wanted.
_KERNELS = {name: name for name in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")}
_SMOOTH = {**_KERNELS, ResizeMethodV2.BILINEAR: "triangle", ResizeMethodV2.BICUBIC: "keyscubic"}


def _resized(
    images: TensorLike,
    size: TensorLike,
    resizer: Resizer,
    preserve_aspect_ratio: bool,
    name: str | None,
    skip_same: bool,
) -> Tensor:
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        rank = images.get_shape().ndims
        if rank is None:
            raise ValueError("'images' contains no shape.")
        if rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        batch = expand_dims(images, 0) if rank == 3 else images
        try:
            size = convert_to_tensor(size, "int32", name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not compatible_dims(size.dims, (2,)):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _fitted(batch, size)
        # As in TensorFlow, a size that was computed is not known here, so that images of it are resized all the same.
        height, width = (None, None) if preserve_aspect_ratio else _known(size)
        if skip_same and None not in (height, width) and (batch.dims or ())[1:3] == (height, width):
            return squeeze(batch, axis=[0]) if rank == 3 else batch
        resized = resizer(batch, size)
        resized.set_shape([None, height, width, None])
        return squeeze(resized, axis=[0]) if rank == 3 else resized


def _known(size: Tensor) -> tuple[Any, Any]:
    known = constant_dims(size)
    return (None, None) if known is None else (known[0], known[1])


def _fitted(images: Tensor, size: Tensor) -> Tensor:
    """The largest size within `size` of the proportions of `images`."""
    new = _known(size)
    current = sizes_of(images, 4)[1:3]
    factors = [cast(target, "float32") / cast(have, "float32") for target, have in zip(new, current)]
    factor = raw.Minimum(*factors)
    scaled = [cast(raw.Round(factor * cast(have, "float32")), "int32") for have in current]
    return convert_to_tensor(scaled, "int32", name="size")


def resize_images(
    images: TensorLike,
    size: TensorLike,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size.

    Args:
        images: tensor of shape [batch, height, width, channels], or [height, width, channels].
        size: int32 tensor of 2 elements, the new height and width; 0.x's two positional numbers work as well.
        method: a `ResizeMethod`: bilinear, nearest neighbour, bicubic or area.
        align_corners: whether the centres of the corner pixels stay where they are.
        preserve_aspect_ratio: whether to make the images only as large as fits in `size` with their proportions kept.
        name: a name for the operations.

    Returns:
        float32 images; of the type they had by nearest neighbour, or where the size is already known to be right.

    Raises:
        ValueError: if the shape is unknown or has another rank, `size` is no vector of two, or there is no such method.

    Example:
        >>> tf.image.resize_images(tf.zeros([2, 32, 32, 3]), [64, 48]).shape
        TensorShape([Dimension(2), Dimension(64), Dimension(48), Dimension(3)])
    """
    if isinstance(size, (int, np.integer)) and isinstance(method, (int, np.integer)) and method not in _OP_TYPES:
        # 0.x: resize_images(images, new_height, new_width, method, align_corners).
        size, method, align_corners, preserve_aspect_ratio = (
            [size, method],
            int(align_corners),
            bool(preserve_aspect_ratio),
            False,
        )

    return _resized(images, size, _by_method(method, align_corners), preserve_aspect_ratio, name, skip_same=True)


def _by_method(method: int, align_corners: bool) -> Resizer:
    def resizer(batch: Tensor, new_size: Tensor) -> Tensor:
        if not isinstance(method, (int, str)) or method not in _OP_TYPES:
            raise ValueError("Resize method is not implemented.")
        return getattr(raw, _OP_TYPES[method])(batch, new_size, align_corners=align_corners)

    return resizer


def resize_images_v2(
    images: TensorLike,
    size: Sequence[TensorLike],
    method: str = ResizeMethodV2.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images of another size, by methods that put the centre of a pixel at its middle.

    Args:
        images, size, preserve_aspect_ratio, name: as for `resize_images`.
        method: a `ResizeMethodV2`.
        antialias: whether to smooth when making images smaller.

    Raises:
        ValueError: as for `resize_images`.
    """

    def resizer(batch: Tensor, new_size: Tensor) -> Tensor:
        kernel = (_SMOOTH if antialias else _KERNELS).get(method)
        if kernel is not None:
            scale = cast(new_size, "float32") / cast(shape_internal(batch)[1:3], "float32")
            return raw.ScaleAndTranslate(batch, new_size, scale, [0.0, 0.0], kernel_type=kernel, antialias=antialias)
        if not isinstance(method, str) or method not in _OP_TYPES:
            raise ValueError("Resize method is not implemented.")
        if method == ResizeMethodV2.AREA:
            return raw.ResizeArea(batch, new_size)
        return getattr(raw, _OP_TYPES[method])(batch, new_size, half_pixel_centers=True)

    return _resized(images, size, resizer, preserve_aspect_ratio, name, skip_same=False)


def _with_pad(image: Any, target_height: int, target_width: int, resizer: Resizer) -> Tensor:
    with name_scope(None, "resize_image_with_pad", [image]):
        image, without_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = checks_of_image(image)
        checks += require(target_width > 0, ValueError, "target_width must be > 0.")
        checks += require(target_height > 0, ValueError, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        have = [cast(size, "float64") for size in sizes_of(image, 4)[1:3]]
        target = [cast(size, "float64") for size in (target_height, target_width)]
        ratio = larger(have[1] / target[1], have[0] / target[0])
        fitted = [size / ratio for size in have]
        new_size = [cast(raw.Floor(size), "int32") for size in fitted]
        space = [(there - taken) / 2 for there, taken in zip(target, fitted)]
        floors = [raw.Floor(part) for part in space]
        offsets = [larger(0, cast(part, "int32")) for part in floors]
        resized = resizer(image, new_size)
        padded = pad_to_bounding_box(resized, offsets[0], offsets[1], target_height, target_width)
        if padded.dims is None or None in padded.dims:
            # TensorFlow takes the sizes apart here once more, to compare what it knows of them.
            sizes_of(padded, 4)
        return without_batch(padded)


def resize_image_with_pad(
    image: TensorLike | np.ndarray,
    target_height: int,
    target_width: int,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """An image made to fit a size with its proportions kept, and zeros around it.

    Args:
        image: tensor of shape [batch, height, width, channels], or [height, width, channels].
        target_height, target_width: the size of the result.
        method, align_corners: as for `resize_images`.

    Returns:
        images of that size, with or without a batch as given.

    Raises:
        ValueError: for another rank, or a size that is not positive.

    Example:
        >>> tf.image.resize_image_with_pad(tf.zeros([4, 8, 3]), 6, 6).shape
        TensorShape([Dimension(6), Dimension(6), Dimension(3)])
    """
    resizer = _by_method(method, align_corners)
    return _with_pad(
        image,
        target_height,
        target_width,
        # The size counts as computed, so that an image of the right size becomes one of floats like any other.
        lambda batch, size: _resized(batch, size, resizer, False, None, skip_same=False),
    )


def resize_image_with_pad_v2(
    image: np.ndarray,
    target_height: int,
    target_width: int,
    method: str = ResizeMethodV2.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """As `resize_image_with_pad`, with the methods of `resize_images_v2`."""
    return _with_pad(
        image,
        target_height,
        target_width,
        lambda batch, size: resize_images_v2(batch, size, method, antialias=antialias),
    )


def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size, each pixel from its four neighbours by distance.

    Args:
        images: tensor of shape [batch, height, width, channels].
        size: int32 vector, the new height and width.
        align_corners: whether the centres of the corner pixels stay where they are.
        name: a name for the operation.
        half_pixel_centers: whether a pixel's centre is at its middle.

    Returns:
        float32 images.

    Raises:
        ValueError: for another rank.

    Example:
        >>> tf.image.resize_bilinear([[[[0.0]], [[1.0]]]], [4, 1])  # [[[[0.0]], [[0.5]], [[1.0]], [[1.0]]]]
    """
    return raw.ResizeBilinear(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size by bicubic interpolation. Arguments as for `resize_bilinear`."""
    return raw.ResizeBicubic(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images of another size and the same type, each pixel a copy of the nearest. Arguments as for `resize_bilinear`."""
    return raw.ResizeNearestNeighbor(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_area(images: TensorLike, size: TensorLike, align_corners: bool = False, name: str | None = None) -> Tensor:
    """Images of another size, each pixel the mean of what it covers. Arguments as for `resize_bilinear`."""
    return raw.ResizeArea(images, size, align_corners=align_corners, name=name)
