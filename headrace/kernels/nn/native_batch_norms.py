"""Batch normalization of small images as native instructions; where a batch is large, torch has one pass where these have six."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.native import TYPE_CODES
from headrace.kernels.native import same_shape
from headrace.kernels.nn.windows import Layout

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import NodeView

_MOST_ELEMENTS = 1 << 15
# What a batch is taken for where nothing says how large it is.
_BATCH = 128


class _Setting:
    """Images of which everything but the batch is known.

    Args:
        node: the operation.
        dims: the sizes of the images' axes, perhaps without the first.

    Attributes:
        axes: those that are averaged.
        most: the largest batch for which instructions serve.
    """

    def __init__(self, node: NodeView, dims: Sequence[int | None]) -> None:
        self.channel = Layout(node.attrs["data_format"], len(dims)).channel
        self.channels = dims[self.channel] or 0
        self.axes = [axis for axis in range(len(dims)) if axis != self.channel]
        self._across = [-1, *[1] * (len(dims) - 1 - self.channel)]
        self.most = _MOST_ELEMENTS // max(math.prod(size or 0 for size in dims[1:]), 1)
        self._epsilon = np.float32(node.attrs["epsilon"])

    def along(self, b: NativeBuilder, vector: int) -> int:
        """A number for each channel, as it goes with images."""
        return b.apply("reshape", [vector], self._across)[0]

    def reduced(self, b: NativeBuilder, name: str, x: int) -> int:
        """A number for each channel, made of all that it has."""
        return b.apply(name, [x], [0, *self.axes])[0]

    def inverse(self, b: NativeBuilder, variance: int) -> int:
        """One over the root of a variance."""
        return b.apply("rsqrt", b.apply("add", [variance, b.constant(self._epsilon)]))[0]

    def centered(self, b: NativeBuilder, x: int, mean: int) -> int:
        """Images less their mean."""
        return b.apply("sub", [x, self.along(b, mean)])[0]

    def scaled(self, b: NativeBuilder, x: int, *factors: int) -> int:
        """Images times numbers for each channel."""
        product = factors[0]
        for factor in factors[1:]:
            (product,) = b.apply("mul", [product, factor])
        return b.apply("mul", [x, self.along(b, product)])[0]

    def count(self, b: NativeBuilder, x: int) -> int:
        """How many numbers a channel has, as a float."""
        (size,) = b.apply("size_of", [x], [TYPE_CODES["int32"]])
        return b.apply(
            "div", [*b.apply("cast", [size], [TYPE_CODES["float32"]]), b.constant(np.float32(self.channels))]
        )[0]


def _setting(node: NodeView, images: Sequence[int], vectors: Sequence[int]) -> _Setting | None:
    """None where instructions do not serve, or would not pay."""
    dims = node.inputs[images[0]].dims
    if dims is None or len(dims) != (5 if "D" in node.attrs["data_format"] else 4) or None in dims[1:] or 0 in dims:
        return None
    if any(node.inputs[i].dims != dims for i in images):
        return None
    setting = _Setting(node, dims)
    is_small = (dims[0] or _BATCH) <= setting.most
    return setting if is_small and all(node.inputs[i].dims == (setting.channels,) for i in vectors) else None


def batch_norm_rule(node: NodeView) -> Lowering | None:
    """The rule of the three versions."""
    training = node.attrs["is_training"]
    setting = _setting(node, [0], [1, 2] if training else [1, 2, 3, 4])
    if setting is None or (training and node.inputs[3].dims != (0,)):
        return None
    is_third = len(node.outputs) == 6

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (x,) = b.apply("at_most", [inputs[0]], [setting.most])
        if training:
            mean = setting.reduced(b, "mean", x)
            centered = setting.centered(b, x, mean)
            variance = setting.reduced(b, "mean", b.apply("square", [centered])[0])
            count, one = setting.count(b, x), b.constant(np.float32(1))
            # What goes into moving averages is the unbiased estimate.
            (fewer,) = b.apply("maximum", [*b.apply("sub", [count, one]), one])
            (unbiased,) = b.apply("mul", [variance, *b.apply("div", [count, fewer])])
        else:
            mean, variance = (b.apply("copy", [value])[0] for value in inputs[3:5])
            centered, unbiased = setting.centered(b, x, mean), variance
        y = setting.scaled(b, centered, setting.inverse(b, variance), inputs[1])
        (y,) = b.apply("add", [y, setting.along(b, inputs[2])])
        rest = [b.constant(np.float32(0))] if is_third else []
        return [y, mean, unbiased, mean, variance, *rest]

    return lower


def batch_norm_grad_rule(node: NodeView) -> Lowering | None:
    """The rule of the gradients of the three versions."""
    setting = _setting(node, [0, 1], [2, 3, 4])
    if setting is None:
        return None
    training = node.attrs["is_training"]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        same_shape(b, inputs[0], inputs[1])
        (gradient,) = b.apply("at_most", [inputs[0]], [setting.most])
        x, scale, mean, variance = inputs[1:5]
        inverse = setting.inverse(b, variance)
        normal = setting.scaled(b, setting.centered(b, x, mean), inverse)
        offset_gradient = setting.reduced(b, "sum", gradient)
        scale_gradient = setting.reduced(b, "sum", b.apply("mul", [gradient, normal])[0])
        if training:
            # Mean and variance depend on each of the images.
            count = setting.count(b, x)
            (mean_part,) = b.apply("div", [offset_gradient, count])
            (normal_part,) = b.apply("div", [scale_gradient, count])
            gradient = setting.centered(b, gradient, mean_part)
            (gradient,) = b.apply("sub", [gradient, setting.scaled(b, normal, normal_part)])
        zero = b.constant(np.float32(0))
        return [setting.scaled(b, gradient, scale, inverse), scale_gradient, offset_gradient, zero, zero]

    return lower
