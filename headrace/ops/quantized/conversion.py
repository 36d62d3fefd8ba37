"""Floats to integers of a range and back, and integers of one range to those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid
from headrace.kernels.quantized.ranges import (
    F32,
    Levels,
    Range,
    bounds,
    check_scalars,
    ends,
    half_away,
    narrowed,
    number_of,
    scalars,
    wide,
)

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike


# One, in fixed point of 16 bits.
_FIXED = 1 << 16

_MODE = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"

quantize_op = op(
    "QuantizeV2",
    f"input: float, min_range: float, max_range: float, *, T: quantized, {_MODE}, "
    "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO' -> output: T, output_min: float, "
    "output_max: float",
)
dequantize_op = op(
    "Dequantize", f"input: T, min_range: float, max_range: float, *, T: quantized, {_MODE} -> output: float"
)
shrink_op = op(
    "QuantizeDownAndShrinkRange",
    "input: Tinput, input_min: float, input_max: float, *, Tinput: quantized, out_type: quantized -> output: out_type, "
    "output_min: float, output_max: float",
)
requantize_op = op(
    "Requantize",
    "input: Tinput, input_min: float, input_max: float, requested_output_min: float, requested_output_max: float, *, "
    "Tinput: quantized, out_type: quantized -> output: out_type, output_min: float, output_max: float",
)
range_op = op(
    "RequantizationRange",
    "input: Tinput, input_min: float, input_max: float, *, Tinput: quantized -> output_min: float, output_max: float",
)
for _op in (quantize_op, dequantize_op):
    _op.on_host("min_range", "max_range")
for _op in (shrink_op, requantize_op, range_op):
    _op.on_host("input_min", "input_max")
requantize_op.on_host("input_min", "input_max", "requested_output_min", "requested_output_max")


def _like_input(op):
    check_scalars(op, *range(1, len(op.inputs)))
    return [op.inputs[0].dims, *[()] * (len(op.outputs) - 1)]


for _op in (quantize_op, dequantize_op, shrink_op, requantize_op):
    _op.shape(_like_input)


@range_op.shape
def range_shape(op):
    check_scalars(op, 1, 2)
    return [(), ()]


def _scale_of(range_: Range, lowest: int, highest: int) -> np.float32:
    """Integers a unit for a range that keeps zero at zero, so that both ends fit."""
    low, high = F32(range_.low), F32(range_.high)
    most = np.finfo(F32).max
    by_low = F32(F32(lowest) / low) if F32(lowest) * low > 0 else most
    by_high = F32(F32(highest) / high) if F32(highest) * high > 0 else most
    return min(by_low, by_high)


@quantize_op.kernel
def quantize_kernel(node):
    mode, rounding, dtype = node.attrs["mode"], node.attrs["round_mode"], as_dtype(node.attrs["T"])
    lowest, highest = bounds(dtype)
    if rounding == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    half = (highest - lowest + 1) / 2 if lowest < 0 else 0.0

    def quantize(x, low, high):
        given = ends(low, high)
        if given.low > given.high:
            raise invalid("input_max_range must be larger than input_min_range.")
        # A range that holds zero and is not empty.
        least = F32(min(0.0, given.low))
        width = F32(max(F32(1.0), F32(max(abs(given.low), abs(given.high))))) / F32(100.0)
        most = F32(max(0.0, max(F32(given.high), F32(least + width))))
        if mode == "MIN_FIRST":
            range_ = Range(float(least), float(most))
            return Levels(range_, dtype).integers(x), *scalars(node, *range_)
        if mode == "SCALED":
            scale = _scale_of(Range(float(least), float(most)), lowest, highest)
            least, most = F32(F32(lowest) / scale), F32(F32(highest) / scale)
            scaled = x.clamp(float(least), float(most)) * float(scale)
            levels = torch.round(scaled) if rounding == "HALF_TO_EVEN" else half_away(scaled)
        else:
            scale = F32((float(highest) - float(lowest)) / float(most - least))
            above = (x.clamp(float(least), float(most)) - float(least)) * float(scale)
            levels = half_away(above - half) if half else torch.floor(above + 0.5)
        return narrowed(levels, dtype), *scalars(node, least, most)

    return quantize


@dequantize_op.kernel
def dequantize_kernel(node):
    mode, dtype = node.attrs["mode"], as_dtype(node.attrs["T"])
    lowest, highest = bounds(dtype)
    half = (highest - lowest + 1) / 2.0 if lowest < 0 else 0.0

    def dequantize(values, low, high):
        range_ = ends(low, high)
        if mode == "MIN_FIRST":
            return Levels(range_, dtype).floats(values)
        if mode == "SCALED":
            scale = F32(F32(range_.high) / F32(highest))
            if lowest:
                scale = max(F32(F32(range_.low) / F32(lowest)), scale)
            return values.to(torch.float32) * float(scale)
        scale = F32((F32(range_.high) - F32(range_.low)) / F32(float(highest) - float(lowest)))
        return (wide(values).float() + half) * float(scale) + range_.low

    return dequantize


def _used(values: torch.Tensor, range_: Range, dtype: DType) -> Range:
    """The range that a tensor really takes up, with zero in it."""
    if not values.numel():
        return Range(*(number_of(level, range_, dtype) for level in reversed(bounds(dtype))))
    low, high = (int(value) for value in torch.aminmax(wide(values)))
    return Range(min(0.0, number_of(low, range_, dtype)), number_of(high, range_, dtype))


@range_op.kernel
def range_kernel(node):
    dtype = as_dtype(node.attrs["Tinput"])
    return lambda values, low, high: scalars(node, *_used(values, ends(low, high), dtype))


def _moved(values: torch.Tensor, dtype: DType, before: Range, target: DType, after: Range) -> torch.Tensor:
    """Integers of one range as those of another; sums of products to bytes in fixed point, as TensorFlow does it."""
    if dtype.base_dtype.torch != torch.int32 or target.base_dtype.torch != torch.uint8:
        return Levels(after, target).integers(Levels(before, dtype).floats(values))
    width, new_width = F32(before.high) - F32(before.low), F32(after.high) - F32(after.low)
    if new_width:
        middle = F32((F32(before.low) + F32(before.high)) / 2.0) * F32(255.0 / new_width)
        scale = int(255.0 * _FIXED * width / new_width)
        offset = int(middle * _FIXED) - int(_FIXED * (F32(after.low) * 255.0) / new_width)
    else:
        scale = offset = 0
    # The scale may have more than 32 bits, so each half of it is multiplied by itself.
    high, low = scale >> 32, scale & 0xFFFFFFFF
    levels = wide(values)
    product = levels * high + ((levels * (low >> 16) + ((levels * (low & 0xFFFF)) >> 16)) >> 16)
    return ((product + offset + _FIXED // 2) >> 16).clamp(0, 255).to(torch.uint8)


@shrink_op.kernel
def shrink_kernel(node):
    dtype, target = as_dtype(node.attrs["Tinput"]), as_dtype(node.attrs["out_type"])

    def shrink(values, low, high):
        before = ends(low, high)
        after = _used(values, before, dtype)
        return _moved(values, dtype, before, target, after), *scalars(node, *after)

    return shrink


@requantize_op.kernel
def requantize_kernel(node):
    dtype, target = as_dtype(node.attrs["Tinput"]), as_dtype(node.attrs["out_type"])

    def requantize(values, low, high, wanted_low, wanted_high):
        before, after = ends(low, high), ends(wanted_low, wanted_high)
        if after.low > 0:
            raise invalid(f"requested_output_min must be <= 0, but got {after.low:g}")
        if after.high < after.low:
            raise invalid(
                f"requested_output_max must be >= requested_output_min, but got {after.high:g} and {after.low:g}"
            )
        return _moved(values, dtype, before, target, after), *scalars(node, *after)

    return requantize


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
) -> Any:
    """Floats as integers of a range.

    Args:
        input: a float32 tensor.
        min_range, max_range: scalars, the floats for which the lowest and highest integer stand; widened to hold zero.
        T: the integers' type: `tf.quint8`, `tf.qint8`, `tf.quint16`, `tf.qint16` or `tf.qint32`.
        mode: "MIN_COMBINED", "MIN_FIRST" (zero is an integer's very value) or "SCALED" (zero stands for zero).
        round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" for mode "SCALED".
        name: a name for the operation.

    Returns:
        (output, output_min, output_max): the integers, and the range that was used.

    Raises:
        InvalidArgumentError: when run, if the range is upside down or the rounding does not fit the mode.

    Example:
        >>> integers, low, high = tf.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8)
    """
    return raw.QuantizeV2(input, min_range, max_range, T=T, mode=mode, round_mode=round_mode, name=name)


_floats = np.array([[-1.2, -0.5, 0], [0.3, 0.75, 2]], np.float32)
_ends = (np.float32(-1), np.float32(1))
for _type, _mode in (("quint8", "MIN_COMBINED"), ("qint8", "MIN_FIRST"), ("qint8", "SCALED"), ("qint32", "MIN_FIRST")):
    quantize_op.accepts(_floats, *_ends, T=_type, mode=_mode)
    _integers = made("QuantizeV2", _floats, *_ends, T=_type, mode=_mode)
    dequantize_op.accepts(_integers, _integers[1], _integers[2], mode=_mode)
quantize_op.accepts(_floats, *_ends, T="quint8", mode="SCALED", round_mode="HALF_TO_EVEN")
quantize_op.rejects(_floats, *_ends[::-1], T="quint8", error=InvalidArgumentError)
dequantize_op.rejects([2], [2], np.float32(1), T="quint8", error=ValueError)
_wide = made("QuantizeV2", _floats, np.float32(-20), np.float32(20), T="qint32", mode="MIN_FIRST")
range_op.accepts(_wide, _wide[1], _wide[2])
shrink_op.accepts(_wide, _wide[1], _wide[2], out_type="quint8")
requantize_op.accepts(_wide, _wide[1], _wide[2], *_ends, out_type="quint8")
for _decl in (range_op, shrink_op):
    _settings = {"out_type": "quint8"} if _decl is shrink_op else {}
    _decl.rejects([2], [2], np.float32(1), Tinput="qint32", error=ValueError, **_settings)
requantize_op.rejects(_wide, _wide[1], _wide[2], *_ends[::-1], out_type="quint8", error=InvalidArgumentError)


def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
) -> Any:
    """`quantize` with its last arguments in the older order."""
    return quantize(input, min_range, max_range, T, mode, round_mode, name)


def dequantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str = "MIN_COMBINED", name: str | None = None
) -> Tensor:
    """The floats for which integers of a range stand.

    Args:
        input: a tensor of a quantized type.
        min_range, max_range: scalars, the ends of the range.
        mode: as of `quantize`.
        name: a name for the operation.

    Returns:
        a float32 tensor of the same shape.

    Example:
        >>> floats = tf.dequantize(*tf.quantize(x, 0.0, 1.0, tf.quint8))
    """
    return raw.Dequantize(input, min_range, max_range, mode=mode, name=name)
