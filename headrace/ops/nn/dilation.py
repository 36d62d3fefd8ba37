"""Grayscale dilation and erosion, the morphology of images: the largest of image plus filter over a window.

Haralick, Sternberg and Zhuang, "Image analysis using mathematical morphology", IEEE Transactions on PAMI 9 (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.defaults import name_scope
from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.nn.windows import Layout, Padding, check_lengths, of_rank, pad_arguments
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, TensorLike


_SETTINGS = "*, T: realnumeric, strides: list(int) >= 4, rates: list(int) >= 4, padding: {'SAME', 'VALID'}"

dilation_op = op("Dilation2D", f"input: T, filter: T, {_SETTINGS} -> output: T")
dilation_input_op = op(
    "Dilation2DBackpropInput", f"input: T, filter: T, out_backprop: T, {_SETTINGS} -> in_backprop: T"
)
dilation_filter_op = op(
    "Dilation2DBackpropFilter", f"input: T, filter: T, out_backprop: T, {_SETTINGS} -> filter_backprop: T"
)


@dilation_op.shape
def dilation_shape(op):
    image, weights = of_rank(op.inputs[0].dims, 4), of_rank(op.inputs[1].dims, 3)
    strides, rates = op.attrs["strides"], op.attrs["rates"]
    for name, values in (("stride", strides), ("rates", rates)):
        if len(values) != 4:
            raise ValueError(f"Dilation2D requires the {name} attribute to contain 4 values, but got: {len(values)}")
    if min(strides) <= 0:
        raise ValueError(f"Stride must be > 0, but got {min(strides)}")
    if image[3] is not None and weights[2] is not None and image[3] != weights[2]:
        raise ValueError(f"Dimensions must be equal, but are {image[3]} and {weights[2]}")
    spatial = []
    for axis in (1, 2):
        size, window = image[axis], weights[axis - 1]
        if size is None or window is None:
            spatial.append(None)
        elif op.attrs["padding"] == "SAME":
            spatial.append(-(-size // strides[axis]))
        else:
            reach = (window - 1) * rates[axis] + 1
            if size - reach + strides[axis] < 0:
                raise ValueError(f"Negative dimension size caused by subtracting {reach} from {size}")
            spatial.append((size - reach + strides[axis]) // strides[axis])
    return [(image[0], *spatial, image[3] if image[3] is not None else weights[2])]


@dilation_input_op.shape
def dilation_input_shape(op):
    return [op.inputs[0].dims]


@dilation_filter_op.shape
def dilation_filter_shape(op):
    return [op.inputs[1].dims]


class _Windows:
    """The elements of all windows, one offset within the window after the other."""

    def __init__(self, node: NodeView) -> None:
        strides, rates = node.attrs["strides"], node.attrs["rates"]
        check_lengths(node, 4, strides=strides, rates=rates)
        if min(strides) < 1:
            raise InvalidArgumentError(None, None, f"All strides must be > 0, got {strides}.")
        if strides[0] != 1 or strides[3] != 1 or rates[0] != 1 or rates[3] != 1:
            raise UnimplementedError(
                None,
                None,
                f"{'Stride' if strides[0] != 1 or strides[3] != 1 else 'Rate'} is only supported across spatial dimensions.",
            )
        self.strides, self.rates = strides[1:3], rates[1:3]
        self.padding = Padding(node, Layout("NHWC", 4), self.strides, self.rates)

    def paddings(self, x: torch.Tensor, weights: torch.Tensor) -> list[tuple[int, int]]:
        """The paddings of height and width."""
        if x.shape[3] != weights.shape[2]:
            raise InvalidArgumentError(
                None, None, f"input and filter must have the same depth: {x.shape[3]} vs {weights.shape[2]}"
            )
        return self.padding.paddings(x.shape[1:3], weights.shape[:2])

    def padded(self, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """`x` surrounded by the least value there is, which no window chooses."""
        paddings = self.paddings(x, weights)
        if not any(pair != (0, 0) for pair in paddings):
            return x
        # Far below all others, yet so that a negative filter on top does not wrap it around.
        least = -torch.inf if x.dtype.is_floating_point else -(2**62)
        return torch.constant_pad_nd(x, [0, 0, *pad_arguments(paddings)], least)

    def places(self, padded: torch.Tensor, weights: torch.Tensor) -> list[tuple[Any, Any]]:
        """For each offset, how to slice the padded image to get the element of every window there, and which it is."""
        slices: list[list[slice]] = []
        for axis in (0, 1):
            reach = (weights.shape[axis] - 1) * self.rates[axis]
            count = (padded.shape[axis + 1] - reach - 1) // self.strides[axis] + 1
            stop = (count - 1) * self.strides[axis] + 1
            starts = range(0, reach + 1, self.rates[axis])
            slices.append([slice(start, start + stop, self.strides[axis]) for start in starts])
        return [
            ((slice(None), rows, columns), (i, j))
            for i, rows in enumerate(slices[0])
            for j, columns in enumerate(slices[1])
        ]

    def chosen(self, x: torch.Tensor, weights: torch.Tensor) -> tuple[Any, list[tuple[Any, Any]], Any]:
        """The padded image, its places, and which of these is the first largest in every window."""
        padded = self.padded(x, weights)
        places = self.places(padded, weights)
        best: torch.Tensor | None = None
        which: Any = None
        for number, (place, (i, j)) in enumerate(places):
            value = padded[place] + weights[i, j]
            if best is None:
                best, which = value, torch.zeros(value.shape, dtype=torch.int32, device=x.device)
                continue
            better = value > best
            best = torch.where(better, value, best)
            which.masked_fill_(better, number)
        return padded, places, which


def _widened(x: torch.Tensor) -> torch.Tensor:
    return x if x.dtype.is_floating_point else x.to(torch.int64)


@dilation_op.kernel
def dilation_kernel(node):
    windows = _Windows(node)
    own = node.inputs[0].dtype.torch

    def dilated(x, weights):
        x, weights = _widened(x), _widened(weights)
        padded = windows.padded(x, weights)
        best = None
        for place, (i, j) in windows.places(padded, weights):
            value = padded[place] + weights[i, j]
            best = value if best is None else torch.maximum(best, value)
        return best.to(own)

    return dilated


@dilation_input_op.kernel
def dilation_input_kernel(node):
    windows = _Windows(node)
    own = node.outputs[0].dtype.torch

    def sent_back(x, weights, gradient):
        gradient = _widened(gradient)
        padded, places, which = windows.chosen(_widened(x), _widened(weights))
        result = torch.zeros(padded.shape, dtype=gradient.dtype, device=x.device)
        for number, (place, _) in enumerate(places):
            result[place] += gradient.masked_fill(which != number, 0)
        (top, _), (left, _) = windows.paddings(x, weights)
        return result[:, top : top + x.shape[1], left : left + x.shape[2]].to(own)

    return sent_back


@dilation_filter_op.kernel
def dilation_filter_kernel(node):
    windows = _Windows(node)
    own = node.outputs[0].dtype.torch

    def summed(x, weights, gradient):
        weights, gradient = _widened(weights), _widened(gradient)
        _, places, which = windows.chosen(_widened(x), weights)
        result = torch.zeros_like(weights)
        for number, (_, (i, j)) in enumerate(places):
            result[i, j] = gradient.masked_fill(which != number, 0).sum((0, 1, 2), dtype=weights.dtype)
        return result.to(own)

    return summed


@dilation_op.gradient
def dilation_gradient(op, grad):
    settings = {name: op.attrs[name] for name in ("strides", "rates", "padding")}
    image, weights = op.inputs
    return [
        raw.Dilation2DBackpropInput(image, weights, grad, **settings),
        raw.Dilation2DBackpropFilter(image, weights, grad, **settings),
    ]


_ones: dict[str, Any] = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}
dilation_op.accepts([2, 5, 6, 3], [3, 2, 3], **_ones).rejects([2, 5, 6, 3], [3, 2, 2], error=ValueError, **_ones)
dilation_op.accepts([2, 7, 6, 3], [2, 2, 3], strides=[1, 2, 1, 1], rates=[1, 2, 2, 1], padding="VALID")
_apart: dict[str, Any] = {"strides": [1, 2, 1, 1], "rates": [1, 2, 2, 1], "padding": "VALID"}
for _decl in (dilation_input_op, dilation_filter_op):
    _decl.accepts([1, 3, 4, 2], [2, 2, 2], [1, 3, 4, 2], T="uint16", **_ones)
    _decl.accepts([1, 3, 4, 2], [2, 2, 2], [1, 3, 4, 2], **_ones).accepts(
        [1, 5, 4, 1], [2, 2, 1], [1, 2, 2, 1], **_apart
    )
    _decl.rejects([1, 3, 4, 2], [2, 2, 2], [1, 3, 3, 2], error=InvalidArgumentError, **_ones)


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The largest of image plus filter over every window: output[y, x] = max(input[y + dy, x + dx] + filter[dy, dx]).

    Args:
        input: real numbers, [batch, height, width, depth].
        filter: [filter_height, filter_width, depth], of the same type.
        strides: by how much the window moves, a list of 4.
        rates: how far apart its elements are, a list of 4.
        padding: "SAME" or "VALID".
        name: a name for the operation.
        filters: another name of `filter`.
        dilations: another name of `rates`.

    Returns:
        a tensor of shape [batch, out_height, out_width, depth].
    """
    filter = first_given("filters", filters, "filter", filter)
    rates = first_given("dilations", dilations, "rates", rates)
    return raw.Dilation2D(input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The least of image minus filter over every window; the dilation of the negative, with the filter turned around.

    Args:
        value: real numbers, [batch, height, width, depth].
        kernel: [kernel_height, kernel_width, depth], of the same type.
        strides, rates: lists of 4.
        padding: "SAME" or "VALID".
        name: a name for the operation.

    Returns:
        a tensor of shape [batch, out_height, out_width, depth].
    """
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        eroded = raw.Dilation2D(
            raw.Neg(value),
            raw.ReverseV2(kernel, [0, 1]),
            strides=strides,
            rates=rates,
            padding=padding,
            name=scope,
        )
        return raw.Neg(eroded)


def dilation2d_v2(
    input: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """As `dilation2d`, with the arguments of TensorFlow 2.

    Raises:
        ValueError: for a `data_format` other than "NHWC".
    """
    _check_format(data_format)
    return raw.Dilation2D(input, filters, strides=strides, rates=dilations, padding=padding, name=name)


def erosion2d_v2(
    value: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """As `erosion2d`, with the arguments of TensorFlow 2.

    Raises:
        ValueError: for a `data_format` other than "NHWC".
    """
    _check_format(data_format)
    return erosion2d(value, filters, strides, dilations, padding, name)


def _check_format(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(f"Data formats other than NHWC are not yet supported, got {data_format!r}")
