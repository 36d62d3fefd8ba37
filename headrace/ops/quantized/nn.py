"""Convolution, pools, normalization and resizing of integers of a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import Made, made
from headrace.core.dtypes import as_dtype
from headrace.core.multiply_adds import convolution
from headrace.core.registry import op, raw
from headrace.kernels.array.arguments import invalid
from headrace.kernels.nn.windows import Layout, Padding, check_strides, of_rank, window_count
from headrace.kernels.quantized.ranges import (
    F32,
    Levels,
    Range,
    bounds,
    check_scalars,
    ends,
    from_levels,
    half_away,
    narrowed,
    number_of,
    product_range,
    requantized,
    scalars,
    to_levels,
    unclamped,
    wide,
)

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, NodeView, TensorLike


_POOL = (
    "input: T, min_input: float, max_input: float, *, T: quantized, ksize: list(int), strides: list(int), "
    "padding: {'SAME', 'VALID'} -> output: T, min_output: float, max_output: float"
)

conv2d_op = op(
    "QuantizedConv2D",
    "input: Tinput, filter: Tfilter, min_input: float, max_input: float, min_filter: float, max_filter: float, *, "
    "Tinput: quantized, Tfilter: quantized, out_type: quantized = qint32, strides: list(int), "
    "padding: {'SAME', 'VALID'}, dilations: list(int) = [1, 1, 1, 1] -> output: out_type, min_output: float, "
    "max_output: float",
).work(convolution())
max_pool_op = op("QuantizedMaxPool", _POOL)
avg_pool_op = op("QuantizedAvgPool", _POOL)
batch_norm_op = op(
    "QuantizedBatchNormWithGlobalNormalization",
    "t: Tinput, t_min: float, t_max: float, m: Tinput, m_min: float, m_max: float, v: Tinput, v_min: float, v_max: float, "
    "beta: Tinput, beta_min: float, beta_max: float, gamma: Tinput, gamma_min: float, gamma_max: float, *, "
    "Tinput: quantized, out_type: quantized, variance_epsilon: float, scale_after_normalization: bool -> "
    "result: out_type, result_min: float, result_max: float",
)
instance_norm_op = op(
    "QuantizedInstanceNorm",
    "x: T, x_min: float, x_max: float, *, T: quantized, output_range_given=False, given_y_min=0.0, given_y_max=0.0, "
    "variance_epsilon=1e-05, min_separation=0.001 -> y: T, y_min: float, y_max: float",
)
resize_op = op(
    "QuantizedResizeBilinear",
    "images: T, size: int32, min: float, max: float, *, T: {quint8, qint32, float}, align_corners=False, "
    "half_pixel_centers=False -> resized_images: T, out_min: float, out_max: float",
)
conv2d_op.on_host("min_input", "max_input", "min_filter", "max_filter")
max_pool_op.on_host("min_input", "max_input")
avg_pool_op.on_host("min_input", "max_input")
batch_norm_op.on_host(*(name + end for name in ("t", "m", "v", "beta", "gamma") for end in ("_min", "_max")))
instance_norm_op.on_host("x_min", "x_max")
resize_op.on_host("size", "min", "max")

_NHWC = Layout("NHWC", 4)


# ---- static shapes ----


@conv2d_op.shape
def conv2d_shape(op):
    check_scalars(op, 2, 3, 4, 5)
    dims, kernel = of_rank(op.inputs[0].dims, 4), of_rank(op.inputs[1].dims, 4)
    check_strides(op, 4)
    if dims[3] is not None and kernel[2] is not None and dims[3] != kernel[2]:
        raise ValueError(f"Dimensions must be equal, but are {dims[3]} and {kernel[2]}")
    spatial = [
        window_count(dims[axis], kernel[axis - 1], op.attrs["strides"][axis], op.attrs["padding"]) for axis in (1, 2)
    ]
    return [(dims[0], *spatial, kernel[3]), (), ()]


def _pooled(op):
    check_scalars(op, 1, 2)
    dims = of_rank(op.inputs[0].dims, 4)
    attrs = op.attrs
    if len(attrs["ksize"]) != 4:
        raise ValueError(f"{op.type} requires the ksize attribute to contain 4 values, but got: {len(attrs['ksize'])}")
    check_strides(op, 4)
    counts = zip(dims, attrs["ksize"], attrs["strides"], strict=True)
    return [tuple(window_count(*of_axis, attrs["padding"]) for of_axis in counts), (), ()]


max_pool_op.shape(_pooled)
avg_pool_op.shape(_pooled)


@batch_norm_op.shape
def batch_norm_shape(op):
    check_scalars(op, 1, 2, 4, 5, 7, 8, 10, 11, 13, 14)
    return [of_rank(op.inputs[0].dims, 4), (), ()]


@instance_norm_op.shape
def instance_norm_shape(op):
    check_scalars(op, 1, 2)
    return [of_rank(op.inputs[0].dims, 4), (), ()]


@resize_op.shape
def resize_shape(op):
    check_scalars(op, 2, 3)
    dims = of_rank(op.inputs[0].dims, 4)
    sizes = op.constant_dims(1)
    return [(dims[0], *(sizes or (None, None)), dims[3]), (), ()]


# ---- kernels ----


def _padded(x: torch.Tensor, padding: Padding, window: Sequence[int], value: float) -> torch.Tensor:
    """Images, channels second, with `value` around them where windows reach over the edges."""
    (top, bottom), (left, right) = padding.paddings(x.shape[2:], window)
    if not (top or bottom or left or right):
        return x
    return torch.constant_pad_nd(x, [left, right, top, bottom], value)


@conv2d_op.kernel
def conv2d_kernel(node):
    first, second, target = (as_dtype(node.attrs[name]) for name in ("Tinput", "Tfilter", "out_type"))
    strides = _NHWC.sizes(node.attrs["strides"])
    if node.attrs["strides"][0] != 1 or node.attrs["strides"][3] != 1:
        raise invalid("Current implementation does not yet support strides in the batch and depth dimensions.")
    if strides[0] != strides[1]:
        raise invalid("Current implementation only supports equal length strides in the row and column dimensions.")
    if any(rate != 1 for rate in node.attrs["dilations"]):
        raise invalid("Current implementation only supports dilated rate as 1 in each dimension.")
    padding = Padding(node, _NHWC, strides, (1, 1))

    def convolve(x, kernel, *limits):
        if x.dim() != 4 or kernel.dim() != 4:
            raise invalid(f"input and filter must be 4-dimensional, got {list(x.shape)} and {list(kernel.shape)}")
        if x.shape[3] != kernel.shape[2]:
            raise invalid(f"input and filter must have the same depth: {x.shape[3]} vs {kernel.shape[2]}")
        of_x, of_kernel = ends(*limits[:2]), ends(*limits[2:])
        # Sums of whole numbers below 2^53 are exact in float64.
        images = (wide(x) - unclamped(0.0, of_x, first)).double().permute(0, 3, 1, 2)
        weights = (wide(kernel) - unclamped(0.0, of_kernel, second)).double().permute(3, 2, 0, 1)
        images = _padded(images, padding, kernel.shape[:2], 0.0)
        sums = torch.nn.functional.conv2d(images, weights, stride=strides).permute(0, 2, 3, 1)
        after = product_range(of_x, first, of_kernel, second, target)
        return narrowed(torch.round(sums), target), *scalars(node, *after)

    return convolve


def _windows(node: NodeView) -> tuple[Any, Any, Any]:
    ksize, strides = node.attrs["ksize"], node.attrs["strides"]
    if ksize[0] != 1 or strides[0] != 1:
        raise invalid("Pooling is not yet supported on the batch dimension.")
    if ksize[3] != 1 or strides[3] != 1:
        raise invalid("Pooling over the depth dimension is not supported for integers of a range.")
    spatial = _NHWC.sizes(strides)
    return _NHWC.sizes(ksize), spatial, Padding(node, _NHWC, spatial, (1, 1))


@max_pool_op.kernel
def max_pool_kernel(node):
    ksize, strides, padding = _windows(node)
    lowest = bounds(as_dtype(node.attrs["T"]))[0]

    def pool(x, low, high):
        # Every integer of these types but 32 bits is exact in float32, and those in float64.
        images = _padded(wide(x).double().permute(0, 3, 1, 2), padding, ksize, float(lowest))
        largest = torch.nn.functional.max_pool2d(images, ksize, strides)
        return largest.permute(0, 2, 3, 1).to(torch.int64).to(x.dtype), *scalars(node, *ends(low, high))

    return pool


@avg_pool_op.kernel
def avg_pool_kernel(node):
    ksize, strides, padding = _windows(node)
    dtype = as_dtype(node.attrs["T"])

    def pool(x, low, high):
        images = wide(x).double().permute(0, 3, 1, 2)
        area = ksize[0] * ksize[1]
        ones = images.new_ones((1, 1, *images.shape[2:]))
        sums, counts = (
            torch.nn.functional.avg_pool2d(_padded(part, padding, ksize, 0.0), ksize, strides) * area
            for part in (images, ones)
        )
        sums, counts = torch.round(sums).to(torch.int64), torch.round(counts).to(torch.int64)
        means = torch.div(sums, counts, rounding_mode="trunc")
        means = means.clamp(*bounds(dtype)).permute(0, 2, 3, 1)
        return narrowed(means, dtype), *scalars(node, *ends(low, high))

    return pool


@batch_norm_op.kernel
def batch_norm_kernel(node):
    dtype, target = as_dtype(node.attrs["Tinput"]), as_dtype(node.attrs["out_type"])
    epsilon, scaled = F32(node.attrs["variance_epsilon"]), node.attrs["scale_after_normalization"]

    def normalize(*args):
        (x, of_x), *rest = ((args[i], ends(args[i + 1], args[i + 2])) for i in range(0, 15, 3))
        if x.dim() != 4:
            raise invalid(f"input must be 4-dimensional{list(x.shape)}")
        vectors = []
        for (values, range_), name in zip(rest, ("mean", "var", "beta", "gamma"), strict=True):
            if values.dim() != 1:
                raise invalid(f"{name} must be 1-dimensional{list(values.shape)}")
            if values.shape[0] != x.shape[3]:
                raise invalid(f"Must provide as many {name}s as the last dimension of the input tensor")
            vectors.append(np.array([number_of(level, range_, dtype) for level in values.tolist()], np.float32))
        mean, variance, beta, gamma = vectors
        after = Range(-float(1 << 20), float(1 << 20))
        scale = F32(1) / np.sqrt(variance + epsilon, dtype=np.float32)
        if scaled:
            scale = scale * gamma
        shift = -mean * scale + beta
        scale_levels, shift_levels = (
            torch.tensor([to_levels(float(value), after, target) for value in values], device=x.device)
            for values in (scale, shift)
        )
        one = to_levels(1.0, after, target)
        levels = requantized(x, dtype, of_x, target, after)
        product = torch.div(levels * scale_levels, one, rounding_mode="trunc")
        return narrowed(product + shift_levels, target), *scalars(node, *after)

    return normalize


@instance_norm_op.kernel
def instance_norm_kernel(node):
    """Ulyanov, Vedaldi and Lempitsky, "Instance normalization", arXiv:1607.08022, without scale and offset."""
    attrs, dtype = node.attrs, as_dtype(node.attrs["T"])
    if attrs["output_range_given"] and not attrs["given_y_min"] < attrs["given_y_max"]:
        raise invalid(f"given_y_min must be less than given_y_max : {attrs['given_y_min']} >= {attrs['given_y_max']}")

    def normalize(x, low, high):
        if x.dim() != 4:
            raise invalid("Input tensor must be 4D")
        floats = from_levels(x, ends(low, high), dtype)
        variance, mean = torch.var_mean(floats, (1, 2), correction=0, keepdim=True)
        result = (floats - mean) * torch.rsqrt(variance + attrs["variance_epsilon"])
        if attrs["output_range_given"]:
            least, most = attrs["given_y_min"], attrs["given_y_max"]
        else:
            least, most = (value.item() for value in torch.aminmax(result))
            most = max(most, least + attrs["min_separation"])
        after = Range(float(F32(least)), float(F32(most)))
        return Levels(after, dtype).integers(result), *scalars(node, *after)

    return normalize


_UNIT = 1 << 7


def _taps(size: int, target: int, corners: bool, half: bool) -> tuple[Any, Any, Any]:
    """Of each place of the resized axis the two neighbours, and how far between them it lies."""
    scale = F32(size - 1) / F32(target - 1) if corners and target > 1 else F32(size) / F32(target)
    places = np.arange(target, dtype=np.float32)
    where = (places + F32(0.5)) * scale - F32(0.5) if half else places * scale
    floor = np.floor(where)
    before = np.maximum(floor, 0).astype(np.int64)
    after = np.minimum(np.ceil(where) if half else floor + 1, size - 1).astype(np.int64)
    return tuple(torch.from_numpy(part) for part in (before, after, (where - floor).astype(np.float32)))


@resize_op.kernel
def resize_kernel(node):
    corners, half = node.attrs["align_corners"], node.attrs["half_pixel_centers"]
    if corners and half:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    dtype = as_dtype(node.attrs["T"])

    def resize(x, size, low, high):
        if x.dim() != 4:
            raise invalid("input must be 4-dimensional")
        height, width = (int(value) for value in size.tolist())
        if height <= 0 or width <= 0:
            raise invalid("output dimensions must be positive")
        rows = _taps(x.shape[1], height, corners, half)
        columns = _taps(x.shape[2], width, corners, half)
        top, bottom, down = (part.to(x.device) for part in rows)
        left, right, along = (part.to(x.device) for part in columns)
        down, along = down[None, :, None, None], along[None, None, :, None]
        if dtype.base_dtype.torch == torch.uint8:
            # Fixed point of 7 bits, quotients cut off, as TensorFlow computes bytes.
            values = x.to(torch.int32)
            across, beyond = (torch.trunc(part * _UNIT).to(torch.int32) for part in (along, down))
            lines = values[:, :, left] * _UNIT + (values[:, :, right] - values[:, :, left]) * across
            steps = torch.div(lines[:, bottom] - lines[:, top], _UNIT, rounding_mode="trunc")
            total = lines[:, top] + steps * beyond
            result = torch.div(total + _UNIT // 2, _UNIT, rounding_mode="trunc").to(x.dtype)
            return result, *scalars(node, *ends(low, high))
        range_ = ends(low, high)
        values = x if dtype.is_floating else from_levels(x, range_, dtype)
        lines = values[:, :, left] + (values[:, :, right] - values[:, :, left]) * along
        result = lines[:, top] + (lines[:, bottom] - lines[:, top]) * down
        if not dtype.is_floating:
            lowest, highest = bounds(dtype)
            scale = (highest - lowest) / (range_.high - range_.low)
            levels = half_away(result.double() * scale) - (
                half_away(torch.tensor(range_.low * scale).double()) - lowest
            )
            result = narrowed(levels.clamp(lowest, highest), dtype)
        return result, *scalars(node, *range_)

    return resize


# ---- functions ----


def _integers(*shape: int, low: float = -1.0) -> Made:
    floats = np.linspace(low, 1, math.prod(shape), dtype=np.float32).reshape(shape)
    return made("QuantizeV2", floats, np.float32(low), np.float32(1), T="quint8", mode="MIN_FIRST")


_images, _filter = _integers(1, 3, 4, 2), _integers(2, 2, 2, 1, low=-0.5)
_ends = (_images[1], _images[2])
for _padding in ("SAME", "VALID"):
    for _decl in (max_pool_op, avg_pool_op):
        _decl.accepts(_images, *_ends, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=_padding)
    conv2d_op.accepts(_images, _filter, *_ends, _filter[1], _filter[2], strides=[1, 2, 2, 1], padding=_padding)
max_pool_op.rejects(
    [3, 4, 2], *_ends, T="quint8", ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME", error=ValueError
)
conv2d_op.rejects(_filter, _images, *_ends, *_ends, strides=[1, 1, 1, 1], padding="VALID", error=ValueError)
_channels = _integers(2, low=0.1)
_vectors = [part for _ in range(4) for part in (_channels, _channels[1], _channels[2])]
for _scaled in (True, False):
    _settings: dict[str, Any] = {"variance_epsilon": 0.01, "scale_after_normalization": _scaled, "out_type": "qint32"}
    batch_norm_op.accepts(_images, *_ends, *_vectors, **_settings)
instance_norm_op.accepts(_images, *_ends)
instance_norm_op.accepts(_images, *_ends, output_range_given=True, given_y_min=-2.0, given_y_max=2.0)
resize_op.accepts(_images, np.array([2, 3], np.int32), *_ends).accepts(
    [1, 2, 2, 1], np.array([3, 3], np.int32), *_ends, T="float32"
)


def quantized_conv2d(
    input: TensorLike,
    filter: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    min_filter: TensorLike,
    max_filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    out_type: DTypeLike = "qint32",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Convolution of images of integers of a range.

    Args:
        input: images of a quantized type, [batch, height, width, channels].
        filter: weights of a quantized type, [height, width, channels, filters].
        min_input, max_input, min_filter, max_filter: float32 scalars, the ranges.
        strides: four ints, equal for height and width.
        padding: "SAME" or "VALID".
        out_type: the type of the sums.
        dilations: four ones.
        name: a name for the operation.

    Returns:
        (output, min_output, max_output).

    Raises:
        InvalidArgumentError: when run, for other strides and dilations, and for depths that differ.
    """
    return raw.QuantizedConv2D(
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        strides=strides,
        padding=padding,
        out_type=out_type,
        dilations=list(dilations),
        name=name,
    )


def quantized_max_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The largest integer of every window.

    Args:
        input: images of a quantized type, [batch, height, width, channels].
        min_input, max_input: float32 scalars, the range.
        ksize, strides: four ints, 1 for batch and channels.
        padding: "SAME" or "VALID".
        name: a name for the operation.

    Returns:
        (output, min_output, max_output), of the same range.
    """
    return raw.QuantizedMaxPool(input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name)


def quantized_avg_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Any:
    """The rounded mean of every window. Arguments and results as of `quantized_max_pool`."""
    return raw.QuantizedAvgPool(input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name)
