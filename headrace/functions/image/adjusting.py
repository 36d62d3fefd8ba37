"""Brightness, contrast, hue and the like: set, or drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.image.checking import checked_image, is_tensor, require
from headrace.functions.image.conversion import convert_image_dtype
from headrace.functions.math.reduction import reduce_mean, reduce_prod, reduce_std
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.binary import add
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _floating(image: Tensor) -> Tensor:
    """`image` itself if it is of a type that the adjustments take, else as float32."""
    return image if image.dtype.name in ("float16", "float32") else convert_image_dtype(image, "float32")


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1; its deviation counts as no less than that of one pixel being 1.

    Args:
        image: tensor of three dimensions or more, the last three those of an image.

    Returns:
        images of the same shape and type.

    Raises:
        ValueError: for fewer dimensions.

    Example:
        >>> flat = sess.run(tf.image.per_image_standardization(tf.constant([[[1.0], [2.0]], [[1.0], [2.0]]])))
        >>> flat[..., 0]
        array([[-1.,  1.],
               [-1.,  1.]], dtype=float32)
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        dtype = image.dtype
        image = _floating(image)
        pixels = reduce_prod(shape_internal(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = raw.Rsqrt(cast(pixels, image.dtype))
        deviation = raw.Maximum(deviation, least)
        image -= mean
        return convert_image_dtype(div(image, deviation, name=scope), dtype, saturate=True)


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images with `delta` added, in the range [0, 1] of floats.

    Args:
        image: images.
        delta: scalar, in (-1, 1) as a rule.

    Returns:
        images of the same shape and type.
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        floating = _floating(image)
        adjusted = add(floating, cast(delta, floating.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images whose pixels are `contrast_factor` times as far from the mean of their channel.

    Args:
        images: tensor of three dimensions or more.
        contrast_factor: float32 scalar.

    Returns:
        images of the same shape and type.
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        adjusted = raw.AdjustContrastv2(_floating(images), contrast_factor, name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image: TensorLike, gamma: float | Tensor = 1, gain: float = 1) -> Tensor:
    """`gain * image ** gamma`.

    Args:
        image: images.
        gamma: scalar, not negative.
        gain: scalar.

    Returns:
        images of the same shape and type.

    Raises:
        ValueError: for a negative gamma.
    """
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        floating = _floating(image)
        checks = require(gamma >= 0, ValueError, "Gamma should be a non-negative real number.")
        if checks:
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * floating**gamma, image.dtype, saturate=True)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """RGB images with another hue.

    Args:
        image: tensor whose last dimension is 3.
        delta: scalar in [-1, 1], how far to turn the hue.
        name: a name for the operation.

    Returns:
        images of the same shape and type.
    """
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(raw.AdjustHue(_floating(image), delta), image.dtype)


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """RGB images whose colours are stronger or weaker.

    Args:
        image: tensor whose last dimension is 3.
        saturation_factor: scalar by which to multiply the saturation.
        name: a name for the operation.

    Returns:
        images of the same shape and type.
    """
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(raw.AdjustSaturation(_floating(image), saturation_factor), image.dtype)


def adjust_jpeg_quality(image: TensorLike, jpeg_quality: TensorLike, name: str | None = None) -> Tensor:
    """Images as they are after being stored as JPEG.

    Args:
        image: tensor of three dimensions, the last of size 1 or 3.
        jpeg_quality: int32 scalar in [0, 100].
        name: a name for the operation.

    Returns:
        an image of the same type.
    """
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        pixels = convert_image_dtype(image, "uint8")
        if not is_tensor(jpeg_quality):
            jpeg_quality = convert_to_tensor(jpeg_quality, "int32")
        stored = raw.EncodeJpegVariableQuality(pixels, jpeg_quality)
        return convert_image_dtype(raw.DecodeJpeg(stored), image.dtype)


def _check_bounds(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def _check_not_negative(max_delta: float) -> None:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by a number drawn from [-max_delta, max_delta).

    Raises:
        ValueError: for a negative `max_delta`.
    """
    _check_not_negative(max_delta)
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor drawn from [lower, upper).

    Raises:
        ValueError: unless 0 <= lower < upper.
    """
    _check_bounds(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """`adjust_hue` by a number drawn from [-max_delta, max_delta).

    Raises:
        ValueError: unless 0 <= max_delta <= 0.5.
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    _check_not_negative(max_delta)
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor drawn from [lower, upper).

    Raises:
        ValueError: unless 0 <= lower < upper.
    """
    _check_bounds(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """`adjust_jpeg_quality` with a quality drawn from [min_jpeg_quality, max_jpeg_quality).

    Raises:
        ValueError: unless 0 <= min_jpeg_quality < max_jpeg_quality <= 100.
    """
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype="int32")
    return adjust_jpeg_quality(image, quality)
