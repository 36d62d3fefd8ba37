"""Hue, saturation and value turned and scaled in the colour space YIQ: one matrix for all pixels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, shape_text
from headrace.kernels.image.sizes import shape_of_images

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


adjust_hsv_op = op(
    "AdjustHsvInYiq",
    "images: T, delta_h: float, scale_s: float, scale_v: float, "
    "*, T: {uint8, int8, int16, int32, int64, half, float, double} -> output: T",
)
adjust_hsv_op.on_host("delta_h", "scale_s", "scale_v")

# The NTSC's definition of 1953, to three digits.
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_FROM_YIQ = np.linalg.inv(_TO_YIQ)


adjust_hsv_op.shape(shape_of_images)


@adjust_hsv_op.kernel
def adjust_hsv_kernel(node: NodeView) -> Callable[..., Any]:
    device = node.device

    def adjust(
        images: torch.Tensor, delta_h: torch.Tensor, scale_s: torch.Tensor, scale_v: torch.Tensor
    ) -> torch.Tensor:
        if images.dim() < 3:
            raise invalid(f"input must be at least 3-D, got shape {shape_text(images.shape)}")
        if images.shape[-1] != 3:
            raise invalid(f"input must have 3 channels but instead has {images.shape[-1]} channels.")
        angle, chroma, value = float(delta_h), float(scale_s) * float(scale_v), float(scale_v)
        cosine, sine = chroma * math.cos(angle), chroma * math.sin(angle)
        turn = np.array([[value, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
        matrix = torch.from_numpy((_FROM_YIQ @ turn @ _TO_YIQ).T).to(device, torch.float32)
        return torch.matmul(images.to(torch.float32), matrix).to(images.dtype)

    return adjust


adjust_hsv_op.accepts(
    np.linspace(0, 1, 12, dtype=np.float32).reshape(2, 2, 3), np.float32(0.3), np.float32(1.2), np.float32(0.9)
)
