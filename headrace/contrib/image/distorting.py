"""Hue, saturation and value in the colour space YIQ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.image.conversion import convert_image_dtype
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def adjust_hsv_in_yiq(
    image: TensorLike,
    delta_hue: TensorLike = 0,
    scale_saturation: TensorLike = 1,
    scale_value: TensorLike = 1,
    name: str | None = None,
) -> Tensor:
    """Images with their hue turned and their saturation and value scaled: a linear map, quick and without clipping.

    Args:
        image: RGB images, the last dimension 3.
        delta_hue: how far to turn the hue, in radians.
        scale_saturation, scale_value: what to multiply saturation and value with.
        name: a name scope.

    Returns:
        images of the same shape and type.

    Example:
        >>> tf.contrib.image.adjust_hsv_in_yiq(image, delta_hue=0.2, scale_value=1.1)
    """
    with name_scope(name, "adjust_hsv_in_yiq", [image]):
        image = convert_to_tensor(image, name="image")
        adjusted = raw.AdjustHsvInYiq(convert_image_dtype(image, "float32"), delta_hue, scale_saturation, scale_value)
        return convert_image_dtype(adjusted, image.dtype)


def random_hsv_in_yiq(
    image: TensorLike,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: int | None = None,
) -> Tensor:
    """`adjust_hsv_in_yiq` by random amounts.

    Args:
        image: RGB images, the last dimension 3.
        max_delta_hue: the hue is turned by at most so much in either direction, in radians.
        lower_saturation, upper_saturation: between what the factor of the saturation lies.
        lower_value, upper_value: between what the factor of the value lies.
        seed: the seed of the operations.

    Returns:
        images of the same shape and type.

    Raises:
        ValueError: for a negative bound, or a lower one above its upper one.
    """
    for name, bound in (
        ("max_delta", max_delta_hue),
        ("lower_saturation", lower_saturation),
        ("lower_value", lower_value),
    ):
        if bound < 0:
            raise ValueError(f"{name} must be non-negative.")
    if lower_saturation > upper_saturation:
        raise ValueError("lower_saturation must be < upper_saturation.")
    if lower_value > upper_value:
        raise ValueError("lower_value must be < upper_value.")

    def between(low: float, high: float) -> Any:
        return low if low == high else random_uniform([], low, high, seed=seed)

    hue = between(-max_delta_hue, max_delta_hue) if max_delta_hue else 0
    saturation = between(lower_saturation, upper_saturation)
    return adjust_hsv_in_yiq(image, hue, saturation, between(lower_value, upper_value))
