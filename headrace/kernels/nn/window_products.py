"""Convolutions of few windows as products of matrices: the native runner lays windows side by side, and adds them up.

A library of convolutions takes its time to begin, and fills channels up to those of a vector: of 5 images of 28x28 with one
channel, by 64 filters of 3x3 that step by two, oneDNN takes 66 µs for the gradient of the filters and 202 for that of the images.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.kernels.nn.runner_convolution import ACTIVATIONS, Pairs, RunnerConvolution, is_taken
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.kernels.nn.convolutions import ConvolutionSetting

# Windows take memory, which has to stay in a processor's cache, and are copied run by run. Of more the library's ways are the
# faster ones, but for images of few channels, which it takes far longer to make.
_ELEMENTS, _RUNS, _MULTIPLICATIONS = 150_000, 6_000, 20_000_000
_FEW_CHANNELS, _ELEMENTS_OF_FEW = 4, 1_000_000
# From so many elements on threads share the images.
_FOR_THREADS = 50_000


class WindowProducts(RunnerConvolution):
    """Convolutions by filters of one size, and both halves of their gradients.

    Args:
        window: the sizes of the filters: rows, columns, channels and outputs.
        strides: how far windows are from each other, down and across.
    """

    def __init__(self, window: tuple[int, int, int, int], strides: tuple[int, int]) -> None:
        lay_out, add_up = direct_call("lay_out_windows"), direct_call("add_windows_up")
        assert lay_out is not None  # else `window_products` gives none
        assert add_up is not None
        self._lay_out, self._add_up = lay_out, add_up
        self._window, self._strides = window, strides
        self._row = window[0] * window[1] * window[2]

    def turned(self, filters: torch.Tensor) -> torch.Tensor | None:
        if filters.requires_grad or tuple(filters.shape) != self._window:
            return None
        return filters.reshape(self._row, self._window[3])

    def pays(self, image: torch.Tensor, paddings: Pairs) -> bool:
        elements = self._elements(image.shape, paddings) if is_taken(image) else 0
        return self._is_small(elements) and elements <= _RUNS * self._window[1] * self._window[2]

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
        windows = self._windows(image, paddings)
        if windows is None:
            return None
        result = torch.mm(windows, turned) if bias is None else torch.addmm(bias, windows, turned)
        result = result.view(image.shape[0], *self._counts(image.shape, paddings), self._window[3])
        return ACTIVATIONS[activation](result) if activation else result

    def correlate(self, image: torch.Tensor, gradient: torch.Tensor, paddings: Pairs) -> torch.Tensor | None:
        """The gradient with respect to the filters; None where it is not computed.

        Args:
            image: batch, height, width and channels.
            gradient: with respect to the result of convolving it.
            paddings: how many zeros lie before and after height and width.
        """
        if gradient.requires_grad:
            return None
        windows = self._windows(image, paddings)
        if windows is None:
            return None
        return torch.mm(windows.t(), gradient.reshape(-1, self._window[3])).view(self._window)

    def scatter(
        self, sizes: Sequence[int], filters: torch.Tensor, gradient: torch.Tensor, paddings: Pairs
    ) -> torch.Tensor | None:
        """The gradient with respect to images of these sizes; None where it is not computed, or would not pay.

        Args:
            sizes: batch, height, width and channels.
            filters: rows, columns, channels and outputs.
            gradient: with respect to the result.
            paddings: how many zeros lie before and after height and width.
        """
        turned = self.turned(filters) if is_taken(gradient) else None
        if turned is None:
            return None
        elements = self._elements(sizes, paddings)
        few = self._window[2] <= _FEW_CHANNELS and 0 < elements <= _ELEMENTS_OF_FEW
        if not (few or self._is_small(elements)):
            return None
        windows = torch.mm(gradient.reshape(-1, self._window[3]), turned.t())
        image = gradient.new_empty(sizes)
        done = self._add_up(image, windows, *self._numbers(gradient.shape[1:3], paddings, windows))
        return image if done else None

    def _counts(self, sizes: Sequence[int], paddings: Pairs) -> tuple[int, ...]:
        """How many windows there are, down and across."""
        axes = zip(sizes[1:3], paddings, self._window[:2], self._strides, strict=True)
        return tuple((size + sum(pair) - span) // stride + 1 for size, pair, span, stride in axes)

    def _elements(self, sizes: Sequence[int], paddings: Pairs) -> int:
        """How many elements the windows of such images hold; 0 where there are none."""
        down, across = self._counts(sizes, paddings)
        fits = down > 0 and across > 0 and sizes[3] == self._window[2]
        return sizes[0] * down * across * self._row if fits else 0

    def _is_small(self, elements: int) -> bool:
        return 0 < elements <= _ELEMENTS and elements * self._window[3] <= _MULTIPLICATIONS

    def _numbers(self, counts: Sequence[int], paddings: Pairs, windows: torch.Tensor) -> tuple[Any, ...]:
        """What the runner is told besides images and windows."""
        threads = torch.get_num_threads() if windows.numel() >= _FOR_THREADS else 1
        return (*counts, *self._window[:2], *self._strides, paddings[0][0], paddings[1][0], threads)

    def _windows(self, image: torch.Tensor, paddings: Pairs) -> torch.Tensor | None:
        """The windows of images, a row each; None where the runner does not read the memory that they lie in."""
        counts = self._counts(image.shape, paddings)
        windows = image.new_empty((image.shape[0] * counts[0] * counts[1], self._row))
        done = self._lay_out(image.contiguous(), windows, *self._numbers(counts, paddings, windows))
        return windows if done else None


def window_products(setting: ConvolutionSetting) -> WindowProducts | None:
    """What convolves as a node does, None where it is not of this kind.

    Args:
        setting: of the node.
    """
    if direct_call("lay_out_windows") is None or not setting.plain:
        return None
    rows, columns, channels, outputs = (*setting.windows, *setting.depths)
    if (
        rows is None
        or columns is None
        or channels is None
        or outputs is None
        or not rows * columns * channels * outputs
    ):
        return None
    return WindowProducts((rows, columns, channels, outputs), setting.strides)
