"""Colours: RGBToHSV, HSVToRGB, AdjustContrastv2, AdjustHue, AdjustSaturation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import FailedPreconditionError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, require_scalar, shape_text
from headrace.kernels.image.sizes import shape_of_images

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import NodeView, OpView


rgb_to_hsv_op = op("RGBToHSV", "images: T, *, T: floating = float -> output: T")
hsv_to_rgb_op = op("HSVToRGB", "images: T, *, T: floating = float -> output: T").not_differentiable()


def _colored_shape(op: OpView) -> list[Dims]:
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return [(*dims[:-1], merge_dim(dims[-1], 3))]


def _check_colored(images: torch.Tensor) -> None:
    if images.dim() < 1:
        raise invalid(f"input must be at least 1D{shape_text(images.shape)}")
    if images.shape[-1] != 3:
        found = f"input must have 3 channels but input only has {images.shape[-1]} channels."
        raise FailedPreconditionError(None, None, found)


def _to_hsv(images: torch.Tensor) -> torch.Tensor:
    """A. Smith, "Color gamut transform pairs", SIGGRAPH 1978; `_to_rgb` undoes it."""
    red, green, blue = images.unbind(-1)
    value, least = images.amax(-1), images.amin(-1)
    spread = value - least
    saturation = torch.where(value > 0, spread / value, 0)
    norm = 1 / (6 * spread)
    third = norm.new_full((), 1 / 3)
    hue = torch.where(
        red == value,
        norm * (green - blue),
        torch.where(green == value, norm * (blue - red) + third, norm * (red - green) + 2 * third),
    )
    hue = torch.where(spread > 0, hue, 0)
    hue = torch.where(hue < 0, hue + 1, hue)
    return torch.stack([hue, saturation, value], -1)


def _to_rgb(images: torch.Tensor) -> torch.Tensor:
    hue, saturation, value = images.unbind(-1)
    six = hue * 6
    red = ((six - 3).abs() - 1).clamp(0, 1)
    green = (2 - (six - 2).abs()).clamp(0, 1)
    blue = (2 - (six - 4).abs()).clamp(0, 1)
    plain = 1 - saturation
    return torch.stack([(plain + saturation * part) * value for part in (red, green, blue)], -1)


def _colored(decl: OpDecl, convert: Callable[..., Any]) -> None:
    decl.shape(_colored_shape)

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        def converted(images: torch.Tensor) -> torch.Tensor:
            _check_colored(images)
            return convert(images)

        return converted


_colored(rgb_to_hsv_op, _to_hsv)
_colored(hsv_to_rgb_op, _to_rgb)


def _flag(condition: Tensor, dtype: DType) -> Tensor:
    return composing.cast(condition, dtype)


@rgb_to_hsv_op.gradient
def rgb_to_hsv_gradient(op, grad):
    """Of the value: to the largest colour. Of saturation and hue: by the quotients that they are.

    The hue's slope with respect to a colour comes in five terms, by which colour is largest and which smallest; as in
    TensorFlow, colours that are 0 give none.
    """
    colors = [op.inputs[0][..., channel] for channel in range(3)]
    red, green, blue = colors
    saturation, value = op.outputs[0][..., 1], op.outputs[0][..., 2]
    largest = [
        _flag((red >= blue) & (red >= green), red.dtype),
        _flag((green > red) & (green >= blue), red.dtype),
        _flag((blue > red) & (blue > green), red.dtype),
    ]
    smallest = [
        _flag((red < blue) & (red < green), red.dtype),
        _flag((green <= red) & (green < blue), red.dtype),
        _flag((blue <= red) & (blue <= green), red.dtype),
    ]
    positive = [_flag(color > 0, color.dtype) for color in colors]
    gradients = []
    for c in range(3):
        others = [k for k in range(3) if k != c]
        as_largest = sum(smallest[k] * colors[k] for k in others) * _over(colors[c] * colors[c])
        as_smallest = smallest[c] * -1.0 * _over(sum(largest[k] * colors[k] for k in others))
        of_saturation = positive[c] * (largest[c] * as_largest + as_smallest)
        terms = _hue_terms(
            c, colors, largest, smallest, positive, _over(saturation * saturation) * _over(value * value)
        )
        of_hue = 60.0 * sum(terms) / 360.0
        gradients.append(grad[..., 0] * of_hue + grad[..., 1] * of_saturation + grad[..., 2] * largest[c])
    return composing.stack(gradients, axis=-1)


def _over(x: Tensor) -> Tensor:
    return raw.DivNoNan(convert_to_tensor(1.0, x.dtype), x, name="div_no_nan")


def _hue_terms(
    c: int,
    colors: Sequence[Tensor],
    largest: Sequence[Tensor],
    smallest: Sequence[Tensor],
    positive: Sequence[Tensor],
    inverse_range: Tensor,
) -> list[Any]:
    """The slope of the hue with respect to colour `c`."""
    after, before = (c + 1) % 3, (c + 2) % 3
    terms = [positive[c] * largest[c] * -1.0 * (colors[after] - colors[before]) * inverse_range]
    for top, bottom, sign in ((after, before, -1.0), (before, after, 1.0)):
        is_top = positive[top] * largest[top]
        # As the smallest colour, and as the one between.
        low = (colors[before] - colors[after]) * _over((colors[c] - colors[top]) * (colors[c] - colors[top]))
        terms.append(is_top * smallest[c] * low)
        terms.append(is_top * smallest[bottom] * sign * _over(colors[top] - colors[bottom]))
    return terms


def _check_image(images: torch.Tensor, factor: torch.Tensor, name: str) -> None:
    if images.dim() < 3:
        raise invalid(f"input must be at least 3-D, got shape{shape_text(images.shape)}")
    if factor.dim() != 0:
        raise invalid(f"{name} must be scalar: {shape_text(factor.shape)}")


def _contrasted(images: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    mean = images.double().mean((-3, -2), keepdim=True).to(images.dtype)
    return (images - mean) * factor.to(images.dtype) + mean


adjust_contrast_v2_op = op(
    "AdjustContrastv2", "images: T, contrast_factor: float, *, T: {half, float} = float -> output: T"
)


@adjust_contrast_v2_op.shape
def adjust_contrast_v2_shape(op):
    require_scalar(op, 1)
    return shape_of_images(op)


@adjust_contrast_v2_op.kernel
def adjust_contrast_v2_kernel(node):
    def adjust(images, factor):
        _check_image(images, factor, "contrast_factor")
        return _contrasted(images.float(), factor).to(images.dtype)

    return adjust


adjust_hue_op = op("AdjustHue", "images: T, delta: float, *, T: {half, float} = float -> output: T")
adjust_saturation_op = op("AdjustSaturation", "images: T, scale: float, *, T: {half, float} = float -> output: T")


def _in_hsv(decl: OpDecl, name: str, change: Callable[..., Any]) -> None:
    decl.shape(shape_of_images)

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        def adjusted(images: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
            _check_image(images, factor, name)
            if images.shape[-1] != 3:
                raise invalid(f"input must have 3 channels but instead has {images.shape[-1]} channels.")
            hsv = _to_hsv(images.float())
            change(hsv, factor)
            return _to_rgb(hsv).to(images.dtype)

        return adjusted


def _turn_hue(hsv: torch.Tensor, delta: torch.Tensor) -> None:
    hsv[..., 0] = torch.remainder(hsv[..., 0] + delta, 1.0)


def _scale_saturation(hsv: torch.Tensor, scale: torch.Tensor) -> None:
    hsv[..., 1] = (hsv[..., 1] * scale).clamp(0, 1)


_in_hsv(adjust_hue_op, "delta", _turn_hue)
_in_hsv(adjust_saturation_op, "scale", _scale_saturation)

for _decl in (rgb_to_hsv_op, hsv_to_rgb_op):
    _decl.accepts([2, 3])
    _decl.rejects([2, 4], error=ValueError)
for _decl in (adjust_contrast_v2_op, adjust_hue_op, adjust_saturation_op):
    _decl.accepts([2, 4, 3], np.float32(0.5))
    _decl.rejects([4, 3], np.float32(0.5), error=ValueError)
