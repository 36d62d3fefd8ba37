"""Convolutions with filters as wide as the image, as those over sentences are: products of matrices, row by row.

A window then holds whole rows, which lie side by side in memory. torch's convolutions see images one place wide, for
which they are up to a hundred times slower: a filter gradient or a fully connected layer written as a convolution too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import Dims

if TYPE_CHECKING:
    from headrace.kernels.nn.convolutions import ConvolutionSetting


# Windows that share rows are copied for a product, of which no more numbers at a time than the caches hold.
_COPIED, _AT_ONCE = 100_000, 1 << 20
# With vectors of 512 bits torch's convolution makes up for the copies from there on; with others it takes three to six times
# as long as they and the product.
_CONVOLVES_MANY = torch.backends.cpu.get_cpu_capability() == "AVX512"


class Rows:
    """A convolution, without padding, of images [batch, height, width, channels] by filters of their width.

    Args:
        window: the static shape of the filter: [height, width, channels, outputs].
        stride: how many rows one result is from the next.
    """

    def __init__(self, window: Any, stride: int) -> None:
        self.window, self.stride = window, stride
        self.height, width, channels, self.outputs = window
        self.row = width * channels
        self.part = window[1:3]

    def _count(self, height: int) -> int:
        return (height - self.height) // self.stride + 1

    def _windows(self, x: torch.Tensor, count: int) -> torch.Tensor:
        """The windows as a matrix, a row each: a view where no two share a row."""
        batch, height, row = x.shape[0], x.shape[1], self.row
        sizes, strides = (batch, count, self.height * row), (height * row, self.stride * row, 1)
        x = x.contiguous()
        return x.as_strided(sizes, strides).reshape(batch * count, self.height * row)

    def convolving(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The convolution, with a bias or without one; `otherwise` does it where that is faster, and refuses."""
        window, outputs = self.window, self.outputs

        def times(
            windows: torch.Tensor, matrix: torch.Tensor, bias: torch.Tensor | None, out: torch.Tensor | None = None
        ) -> torch.Tensor:
            return torch.mm(windows, matrix, out=out) if bias is None else torch.addmm(bias, windows, matrix, out=out)

        def convolve(x: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
            batch, height = x.shape[0], x.shape[1]
            count = self._count(height)
            copied = count * self.height * self.row if count > 1 else 0
            is_large = batch * copied > _COPIED
            if count < 1 or weights.shape != window or (is_large and (_CONVOLVES_MANY or x.is_cuda)):
                return otherwise(x, weights) if bias is None else otherwise(x, weights, bias)
            matrix = weights.reshape(-1, outputs)
            if not is_large:
                return times(self._windows(x, count), matrix, bias).view(batch, count, 1, outputs)
            step = max(1, _AT_ONCE // copied)
            result = x.new_empty((batch, count, 1, outputs))
            for first in range(0, batch, step):
                images = x[first : first + step]
                times(self._windows(images, count), matrix, bias, result[first : first + step].view(-1, outputs))
            return result

        return convolve

    def scattering(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The gradient for the image: each result's share of its window, added up where windows overlap."""
        row, stride, rows = self.row, self.stride, self.height

        def scatter(sizes: torch.Tensor, weights: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
            batch, height = sizes.tolist()[:2]
            count = self._count(height)
            if gradient.shape != (batch, count, 1, self.outputs) or weights.shape != self.window or not count:
                return otherwise(sizes, weights, gradient)
            shares = torch.mm(gradient.reshape(-1, self.outputs), weights.reshape(-1, self.outputs).t())
            if rows == height:
                return shares.view(batch, height, *self.part)
            shares = shares.view(batch, count, rows, row)
            result = gradient.new_zeros((batch, height, row))
            span = (count - 1) * stride + 1
            for first in range(rows):
                result[:, first : first + span : stride].add_(shares[:, :, first])
            return result.view(batch, height, *self.part)

        return scatter

    def correlating(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The gradient for the filter."""

        def correlate(x: torch.Tensor, sizes: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
            batch, count = x.shape[0], self._count(x.shape[1])
            if gradient.shape != (batch, count, 1, self.outputs) or count < 1:
                return otherwise(x, sizes, gradient)
            windows = self._windows(x, count)
            return torch.mm(windows.t(), gradient.reshape(-1, self.outputs)).view(self.window)

        return correlate


def rows_of(setting: ConvolutionSetting, value: Dims, weights: Dims) -> Rows | None:
    """The convolution by rows that a setting comes to, if it is one.

    Args:
        setting: the convolution's parameters, a `ConvolutionSetting`.
        value: the static shape of the image.
        weights: the static shape of the filter.
    """
    if setting.rank != 4 or not setting.one_group or setting.layout.to_torch is None or value is None:
        return None
    if weights is None or None in weights or value[2] != weights[1] or any(d != 1 for d in setting.dilations):
        return None
    if setting.known is None or any(any(pair) for pair in setting.known):
        return None
    # Of a window of one place the general way makes the same product.
    if weights[0] == weights[1] == 1:
        return None
    return Rows(weights, setting.strides[0])
