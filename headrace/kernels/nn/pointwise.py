"""Convolutions of images by filters of 1x1, products of matrices, by the native runner.

Filters lie in panels, made once, and bias and activation are added while results are written. 14x14 images of 512 channels take
it 62 µs on two cores of an AMD processor for 64 outputs, and oneDNN 103.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.kernels.nn.runner_convolution import ACTIVATION_NUMBERS, Pairs, RunnerConvolution, is_taken
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.kernels.nn.convolutions import ConvolutionSetting

# Up to so many channels the rows of a tile stay in a processor's first cache. Few pixels are a matter of reading the filters.
_CHANNELS, _PIXELS = 960, 12
# From so many multiplications on threads share them.
_FOR_THREADS = 1_000_000


class PointwiseConvolution(RunnerConvolution):
    """Convolutions by filters of 1x1 of so many channels and outputs."""

    def __init__(self, channels: int, outputs: int) -> None:
        arrange, multiply = direct_call("panels_of"), direct_call("multiply_by_panels")
        assert arrange is not None  # else `pointwise_convolution` gives none
        assert multiply is not None
        self._arrange, self._multiply = arrange, multiply
        self._channels, self._outputs = channels, outputs

    def turned(self, filters: torch.Tensor) -> torch.Tensor | None:
        if filters.requires_grad:
            return None
        panels: torch.Tensor | None = self._arrange(filters.reshape(self._channels, self._outputs).contiguous())
        return panels

    def pays(self, image: torch.Tensor, paddings: Pairs) -> bool:
        if not is_taken(image):
            return False
        pixels = image.shape[0] * image.shape[1] * image.shape[2]
        fits = image.shape[3] == self._channels and not any(map(any, paddings))
        return fits and pixels > 0 and (self._channels <= _CHANNELS or pixels <= _PIXELS)

    def convolve(
        self,
        image: torch.Tensor,
        turned: torch.Tensor,
        bias: torch.Tensor | None,
        paddings: Pairs,
        activation: str = "",
    ) -> torch.Tensor | None:
        if bias is not None and bias.requires_grad:
            return None
        image = image.contiguous()
        result = image.new_empty((*image.shape[:3], self._outputs))
        threads = torch.get_num_threads() if image.numel() * self._outputs >= _FOR_THREADS else 1
        done = self._multiply(image, turned, bias, result, ACTIVATION_NUMBERS[activation], threads)
        return result if done else None


def pointwise_convolution(setting: ConvolutionSetting) -> PointwiseConvolution | None:
    """What convolves as a node does, None where it is not of this kind.

    Args:
        setting: of the node.
    """
    if (
        direct_call("multiply_by_panels") is None
        or not setting.plain
        or setting.windows != (1, 1)
        or setting.strides != (1, 1)
    ):
        return None
    channels, outputs = setting.depths
    return None if channels is None or outputs is None else PointwiseConvolution(channels, outputs)
