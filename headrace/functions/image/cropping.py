"""Parts of images, and images within larger ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.image.checking import (
    as_batch,
    checked_image,
    checks_of_image,
    is_tensor,
    larger,
    require,
    same,
    sizes_of,
    smaller,
    stacked,
)
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


def _known(sizes: list[Any]) -> list[Any]:
    return [None if is_tensor(size) else size for size in sizes]


def central_crop(image: TensorLike | np.ndarray, central_fraction: float) -> Tensor:
    """The middle of an image.

    Args:
        image: tensor of shape [height, width, channels] or [batch, height, width, channels].
        central_fraction: how much of each axis to keep, in (0, 1].

    Returns:
        the part, of the same rank.

    Raises:
        ValueError: for another fraction or rank.

    Example:
        >>> tf.image.central_crop(tf.zeros([8, 8, 3]), 0.5).shape
        TensorShape([Dimension(4), Dimension(4), Dimension(3)])
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if central_fraction <= 0.0 or central_fraction > 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if central_fraction == 1.0:
            return image
        checked_image(image)
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}.")
        known = list(image.dims or ())
        begin, size = [0] * rank, [-1] * rank
        axes = (rank - 3, rank - 2)
        lengths = [shape_internal(image)[axis] if known[axis] is None else known[axis] for axis in axes]
        starts = [_margin(length, central_fraction) for length in lengths]
        for axis, length, start in zip(axes, lengths, starts):
            begin[axis], size[axis] = start, length - start * 2
            known[axis] = None if is_tensor(size[axis]) else size[axis]
        cropped = raw.Slice(image, stacked(begin), stacked(size))
        cropped.set_shape(known)
        return cropped


def _margin(length: Any, fraction: float) -> Any:
    """How much to leave out on either side."""
    if is_tensor(length):
        whole = cast(length, "float64")
        return cast((whole - whole * fraction) / 2, "int32")
    return int((float(length) - float(length) * fraction) / 2)


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: int | Tensor,
    offset_width: int | Tensor,
    target_height: int | Tensor,
    target_width: int | Tensor,
) -> Tensor:
    """An image with zeros around it.

    Args:
        image: tensor of shape [batch, height, width, channels] or [height, width, channels].
        offset_height, offset_width: how many rows of zeros above and columns at the left.
        target_height, target_width: the size of the result.

    Returns:
        images of that size, with or without a batch as given.

    Raises:
        ValueError: if the image does not fit, or an offset is negative.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, without_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = checks_of_image(image)
        batch, height, width, depth = sizes_of(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks += require(offset_height >= 0, ValueError, "offset_height must be >= 0")
        checks += require(offset_width >= 0, ValueError, "offset_width must be >= 0")
        checks += require(right >= 0, ValueError, "width must be <= target - offset")
        checks += require(below >= 0, ValueError, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        paddings = reshape(stacked([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = raw.Pad(image, paddings)
        padded.set_shape(_known([batch, target_height, target_width, depth]))
        return without_batch(padded)


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: int | Tensor,
    offset_width: int | Tensor,
    target_height: int | Tensor,
    target_width: int | Tensor,
) -> Tensor:
    """A rectangle out of an image.

    Args:
        image: tensor of shape [batch, height, width, channels] or [height, width, channels].
        offset_height, offset_width: its upper left corner.
        target_height, target_width: its size.

    Returns:
        the rectangle, with or without a batch as given.

    Raises:
        ValueError: if it is not within the image.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, without_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = checks_of_image(image)
        batch, height, width, depth = sizes_of(image, 4)
        checks += require(offset_width >= 0, ValueError, "offset_width must be >= 0.")
        checks += require(offset_height >= 0, ValueError, "offset_height must be >= 0.")
        checks += require(target_width > 0, ValueError, "target_width must be > 0.")
        checks += require(target_height > 0, ValueError, "target_height must be > 0.")
        checks += require(width >= target_width + offset_width, ValueError, "width must be >= target + offset.")
        checks += require(height >= target_height + offset_height, ValueError, "height must be >= target + offset.")
        image = with_dependencies(checks, image)
        begin, size = stacked([0, offset_height, offset_width, 0]), stacked([-1, target_height, target_width, -1])
        cropped = raw.Slice(image, begin, size)
        cropped.set_shape(_known([batch, target_height, target_width, depth]))
        return without_batch(cropped)


def resize_image_with_crop_or_pad(image: Any, target_height: int | Tensor, target_width: int | Tensor) -> Tensor:
    """An image cut at its edges where it is too large and with zeros around it where it is too small.

    Args:
        image: tensor of shape [batch, height, width, channels] or [height, width, channels].
        target_height, target_width: the size of the result.

    Returns:
        images of that size, with or without a batch as given.

    Raises:
        ValueError: for another rank, or a size that is not positive.

    Example:
        >>> tf.image.resize_image_with_crop_or_pad(tf.zeros([28, 28, 1]), 32, 24).shape
        TensorShape([Dimension(32), Dimension(24), Dimension(1)])
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, without_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = checks_of_image(image)
        checks += require(target_width > 0, ValueError, "target_width must be > 0.")
        checks += require(target_height > 0, ValueError, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        if is_tensor(target_height):
            target_height = with_dependencies(checks, target_height)
        if is_tensor(target_width):
            target_width = with_dependencies(checks, target_width)
        _, height, width, _ = sizes_of(image, 4)
        more_width = target_width - width
        crop_left, pad_left = larger(-more_width // 2, 0), larger(more_width // 2, 0)
        more_height = target_height - height
        crop_top, pad_top = larger(-more_height // 2, 0), larger(more_height // 2, 0)
        cropped = crop_to_bounding_box(
            image, crop_top, crop_left, smaller(target_height, height), smaller(target_width, width)
        )
        resized = pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)
        if resized.get_shape().ndims is None:
            raise ValueError("resized contains no shape.")
        _, resized_height, resized_width, _ = sizes_of(resized, 4)
        checks = require(same(resized_height, target_height), ValueError, "resized height is not correct.")
        checks += require(same(resized_width, target_width), ValueError, "resized width is not correct.")
        return without_batch(with_dependencies(checks, resized))
