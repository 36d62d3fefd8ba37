"""Small convolutions of images as native instructions: windows put side by side, and one product with the filter.

A library of convolutions takes tens of microseconds to begin. Of some hundred thousand multiplications that is most of the
time, as in networks that see boards or digits one at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.multiply_adds import AMOUNT
from headrace.kernels.native import known
from headrace.kernels.nn.convolutions import ConvolutionSetting

if TYPE_CHECKING:
    from headrace.core.dims import Dims
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import NodeView

Pairs = Sequence[tuple[int, int]]

# On one core: 450 thousand multiply-adds took 70 microseconds here and 120 by oneDNN, 1.2 million 130 and 105; backwards
# 320 and 640, 460 and 540. Windows that lie side by side take memory, of which caches hold so many elements.
_MOST_MULTIPLY_ADDS = 500_000
_MOST_ELEMENTS = 1 << 17


class _Setting(ConvolutionSetting):
    """A convolution of which everything is known but the batch.

    Args:
        node: the convolution, or one half of its gradient.
        image, filters, result: the sizes of the axes, without the batch.

    Attributes:
        filter_dims: the sizes of the filter's axes.
        sizes, counts: those of the image's and the result's spatial axes.
        pads: how the image is padded.
        spans: how far windows reach along the axes.
        most: the largest batch for which instructions serve.
    """

    def __init__(
        self, node: NodeView, image: Sequence[int], filters: Sequence[int], result: Sequence[int], spread: bool
    ) -> None:
        super().__init__(node, 4, False, (None, *image), tuple(filters))
        self.filter_dims = tuple(filters)
        self.windows = self.filter_dims[:2]
        self.sizes, self.counts = tuple(image[:2]), tuple(result[:2])
        self.spans = [(size - 1) * step + 1 for size, step in zip(self.windows, self.dilations, strict=True)]
        self.pads: Pairs = self.padding.paddings(self.sizes, self.windows)
        products = math.prod(self.sizes if spread else self.counts) * math.prod(self.filter_dims)
        self.most = min(_MOST_MULTIPLY_ADDS // products, _MOST_ELEMENTS * min(self.filter_dims[2:]) // products)

    def fits(self) -> bool:
        """Whether the sizes belong together, and no window lies in the padding alone."""
        axes = zip(self.sizes, self.counts, self.pads, self.spans, self.strides, strict=True)
        return all(
            count == (size + before + after - span) // stride + 1 and 0 <= before < span and 0 <= after < span
            for size, count, (before, after), span, stride in axes
        )


def _setting(node: NodeView, image: Dims, filters: Dims, result: Dims, spread: bool = False) -> _Setting | None:
    """The convolution of a node; None where instructions do not serve, or would not pay.

    Args:
        node: the convolution, or one half of its gradient.
        image, filters, result: the shapes.
        spread: whether windows begin at each place of the image, whatever the strides.
    """
    sizes, window, results = known((image or ())[1:]), known(filters), known((result or ())[1:])
    if node.attrs["data_format"] != "NHWC" or sizes is None or window is None or results is None:
        return None
    if [len(sizes), len(window), len(results)] != [3, 4, 3] or 0 in (*sizes, *window, *results):
        return None
    # As many as the plan takes a batch for; of other sizes that come it is asked again.
    amount = node.notes.get(AMOUNT, math.inf)
    if sizes[2] != window[2] or results[2] != window[3] or amount == math.inf:
        return None
    setting = _Setting(node, sizes, window, results, spread)
    batch = amount / (math.prod(results[:2]) * math.prod(window))
    return setting if batch <= setting.most and setting.fits() else None


def _small(b: NativeBuilder, value: int, setting: _Setting) -> int:
    """A batch, which has to be as small as instructions serve for."""
    return b.apply("at_most", [value], [setting.most])[0]


def _rows_of_windows(
    b: NativeBuilder, image: int, setting: _Setting, strides: Sequence[int], counts: Sequence[int]
) -> int:
    """The windows of an image, `counts` of them along its axes, a row each."""
    parts: list[int] = []
    for y, x in itertools.product(*map(range, setting.filter_dims[:2])):
        begin = [0, y * setting.dilations[0], x * setting.dilations[1], 0]
        parts += b.apply("slice", [image], [*begin, -1, *counts, -1, 1, *strides, 1])
    return b.apply("concat", parts, [3])[0] if len(parts) > 1 else parts[0]


def _matrix(b: NativeBuilder, rows: int, columns: int) -> int:
    """What lies along the last axis, or the last axes, as rows of so many columns."""
    return b.apply("reshape", [rows], [-1, columns])[0]


def _seen(b: NativeBuilder, image: int, setting: _Setting) -> int:
    """What the convolution sums up: the elements of a window for each place of its result."""
    image = _small(b, image, setting)
    if any(map(any, setting.pads)):
        zero = b.constant(np.zeros((), b.dtype(image)))
        (image,) = b.apply("pad", [image, zero], [0, 0, *setting.pads[0], *setting.pads[1], 0, 0])
    rows = _rows_of_windows(b, image, setting, setting.strides, setting.counts)
    return _matrix(b, rows, math.prod(setting.filter_dims[:3]))


def convolution_rule(node: NodeView) -> Lowering | None:
    """The rule of a convolution, with a bias or without one."""
    setting = _setting(node, node.inputs[0].dims, node.inputs[1].dims, node.outputs[0].dims)
    if setting is None:
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (filters,) = b.apply("reshape", [inputs[1]], [-1, setting.filter_dims[3]])
        (result,) = b.apply("matmul", [_seen(b, inputs[0], setting), filters, *inputs[2:]], [0, 0])
        return b.apply("reshape", [result], [-1, *setting.counts, setting.filter_dims[3]])

    return lower


def filter_gradient_rule(node: NodeView) -> Lowering | None:
    """The rule of the gradient that goes to the filter: the windows by what comes back to each of them."""
    setting = _setting(node, node.inputs[0].dims, node.outputs[0].dims, node.inputs[2].dims)
    if setting is None:
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        gradient = _matrix(b, inputs[2], setting.filter_dims[3])
        (product,) = b.apply("matmul", [_seen(b, inputs[0], setting), gradient], [1, 0])
        return b.apply("reshape", [product], setting.filter_dims)

    return lower


def _spread(b: NativeBuilder, gradient: int, setting: _Setting) -> int:
    """What comes back, at the places of the image that its windows began at: zeros lie between."""
    rows, columns = setting.counts
    if setting.strides != (1, 1):
        (down, right), channels = setting.strides, setting.filter_dims[3]
        (gradient,) = b.apply("reshape", [gradient], [-1, rows, 1, columns, 1, channels])
        zero = b.constant(np.zeros((), b.dtype(gradient)))
        (gradient,) = b.apply("pad", [gradient, zero], [0, 0, 0, 0, 0, down - 1, 0, 0, 0, right - 1, 0, 0])
        rows, columns = rows * down, columns * right
        (gradient,) = b.apply("reshape", [gradient], [-1, rows, columns, channels])
    most = [size + before for size, (before, _) in zip(setting.sizes, setting.pads, strict=True)]
    if rows > most[0] or columns > most[1]:
        # Only zeros lie there.
        rows, columns = min(rows, most[0]), min(columns, most[1])
        (gradient,) = b.apply("slice", [gradient], [0, 0, 0, 0, -1, rows, columns, -1, 1, 1, 1, 1])
    pads = []
    for span, size, (before, _), count in zip(setting.spans, setting.sizes, setting.pads, (rows, columns), strict=True):
        pads += [span - 1 - before, size + before - count]
    if any(pads):
        zero = b.constant(np.zeros((), b.dtype(gradient)))
        (gradient,) = b.apply("pad", [gradient, zero], [0, 0, *pads, 0, 0])
    return gradient


def image_gradient_rule(node: NodeView) -> Lowering | None:
    """The rule of the gradient that goes to the image: a convolution by the filter turned around, by single steps."""
    setting = _setting(node, node.outputs[0].dims, node.inputs[1].dims, node.inputs[2].dims, spread=True)
    if setting is None:
        return None
    height, width, channels, results = setting.filter_dims

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (filters,) = b.apply("reverse", [inputs[1]], [0, 1])
        (filters,) = b.apply("transpose", [filters], [0, 1, 3, 2])
        spread = _spread(b, _small(b, inputs[2], setting), setting)
        rows = _rows_of_windows(b, spread, setting, (1, 1), setting.sizes)
        product = b.apply("matmul", [_matrix(b, rows, height * width * results), _matrix(b, filters, channels)], [0, 0])
        return b.apply("reshape", product, [-1, *setting.sizes, channels])

    return lower
