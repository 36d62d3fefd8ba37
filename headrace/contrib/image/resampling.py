"""Pixels at any places of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def resampler(data: TensorLike, warp: TensorLike, name: str = "resampler") -> Tensor:
    """Bilinear values of images at given places (Jaderberg et al., arXiv:1506.02025, section 3.3).

    Args:
        data: float tensor of shape [batch, height, width, channels].
        warp: float tensor of shape [batch, ..., 2] of (x, y) in pixels.
        name: a name for the operation.

    Returns:
        float tensor of shape [batch, ..., channels].
    """
    with name_scope(name, "resampler", [data, warp]):
        return raw.Resampler(convert_to_tensor(data, name="data"), convert_to_tensor(warp, name="warp"))
