"""Convolutions of images by filters of 3x3 with 16 multiplications for each 36, by the native runner.

It is F(2x2, 3x3) of Lavin and Gray, arXiv:1509.09308: tiles of 2x2 results from turned patches of 4x4 and turned filters.
28x28 images of 128 channels take it 1.5 ms on a core of an AMD processor for 192 outputs, and oneDNN, which computes the sums
as they are written, 3.0. The longest sums are shorter, so its results lie closer to the exact ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.kernels.nn.runner_convolution import ACTIVATION_NUMBERS, Pairs, RunnerConvolution, is_taken
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.kernels.nn.convolutions import ConvolutionSetting

# Outputs are computed in panels: so many times what is wanted may be computed. Fewer channels do not make up for the turning.
_WASTE, _PANEL, _CHANNELS = 1.4, 32, 12
# From so many tiles on it is the faster one: with filters that are turned once, and with those turned at every step.
_TILES, _TILES_FOR_TURNING = 40, 200
# From so many multiplications on threads share them.
_FOR_THREADS = 4_000_000


class MinimalFiltering(RunnerConvolution):
    """Convolutions by filters of 3x3, and gradients of the filters.

    Where one patch holds what is not finite, results beside those that see it would not be numbers either: then none is
    computed.

    Args:
        channels, outputs: of the filters.
        keeps_filters: whether the filters are turned more seldom than images come.
    """

    def __init__(self, channels: int, outputs: int, keeps_filters: bool) -> None:
        turn, fill, total = direct_call("turn_filters"), direct_call("filter_tiles"), direct_call("filter_sums")
        assert turn is not None  # else `minimal_filtering` gives none
        assert fill is not None
        assert total is not None
        self._turn, self._fill, self._sum = turn, fill, total
        self._channels, self._outputs = channels, outputs
        self._tiles = _TILES if keeps_filters else _TILES_FOR_TURNING

    def turned(self, filters: torch.Tensor) -> torch.Tensor | None:
        if filters.requires_grad:
            return None
        turned: torch.Tensor | None = self._turn(filters.contiguous())
        return turned

    def pays(self, image: torch.Tensor, paddings: Pairs) -> bool:
        if not is_taken(image):
            return False
        tiles = image.shape[0] if image.shape[3] == self._channels else 0
        for size, pair in zip(image.shape[1:3], paddings, strict=True):
            tiles *= max(0, size + sum(pair) - 1) // 2
        return tiles >= self._tiles

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
        (above, below), (before, after) = paddings
        batch, height, width, _ = image.shape
        sizes = height + above + below - 2, width + before + after - 2
        image = image.contiguous()
        result = image.new_empty((batch, *sizes, self._outputs))
        products = batch * sizes[0] * sizes[1] * 4 * self._channels * self._outputs
        threads = torch.get_num_threads() if products >= _FOR_THREADS else 1
        finite = self._fill(image, turned, bias, result, above, before, ACTIVATION_NUMBERS[activation], threads)
        return result if finite else None

    def correlate(self, image: torch.Tensor, gradient: torch.Tensor, paddings: Pairs) -> torch.Tensor | None:
        """The gradient with respect to the filters [3, 3, channels, outputs]; None where it is not computed, as in `convolve`.

        Args:
            image: batch, height, width and channels.
            gradient: with respect to the result of convolving it.
            paddings: how many zeros lie before and after height and width.
        """
        if gradient.requires_grad:
            return None
        (above, _), (before, _) = paddings
        image, gradient = image.contiguous(), gradient.contiguous()
        channels = self._channels
        result = image.new_empty((3, 3, channels, self._outputs))
        threads = torch.get_num_threads() if gradient.numel() * 4 * channels >= _FOR_THREADS else 1
        finite = self._sum(image, gradient, above, before, result, threads)
        return result if finite else None


def minimal_filtering(
    setting: ConvolutionSetting, keeps_filters: bool = False, adjoint: bool = False
) -> MinimalFiltering | None:
    """What convolves as a node does, None where it is not of this kind.

    Args:
        setting: of the node.
        keeps_filters: whether the filters are turned more seldom than images come.
        adjoint: whether it is the adjoint, which makes images of results.
    """
    if (
        direct_call("filter_tiles") is None
        or not setting.plain
        or setting.windows != (3, 3)
        or setting.strides != (1, 1)
    ):
        return None
    channels, outputs = reversed(setting.depths) if adjoint else setting.depths
    if channels is None or outputs is None or channels < _CHANNELS:
        return None
    if -(-outputs // _PANEL) * _PANEL > _WASTE * outputs:
        return None
    return MinimalFiltering(channels, outputs, keeps_filters)
