"""What integers of a range mean, and how to go from one range to another.

The lowest integer of a type stands for the low end of the range and the highest for the high end. Results must agree
with TensorFlow's to the last integer, so the arithmetic keeps to its precisions: `Levels` is float32, as its kernels over
whole tensors are, and the functions of single numbers are float64.

The map, real = scale (integer - zero point), is that of Jacob et al., "Quantization and training of neural networks for
efficient integer-arithmetic-only inference", arXiv:1712.05877, equation 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from headrace.core.dtypes import DType
from headrace.core.operation import Operation
from headrace.kernels.array.arguments import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


F32 = np.float32


class Range(NamedTuple):
    """The ends of a range."""

    low: float
    high: float


def ends(low: torch.Tensor, high: torch.Tensor) -> Range:
    """Two scalar tensors (or tensors of one element) as a range.

    Raises:
        InvalidArgumentError: if they hold more than one element.
    """
    if low.numel() != 1 or high.numel() != 1:
        raise invalid(f"the ends of a range must be scalars, got shapes {list(low.shape)} and {list(high.shape)}")
    return Range(low.item(), high.item())


def scalars(node: NodeView, *values: float) -> tuple[torch.Tensor, ...]:
    """Numbers as float32 scalars of the node's device."""
    return tuple(torch.tensor(float(value), dtype=torch.float32, device=node.device) for value in values)


def bounds(dtype: DType) -> tuple[int, int]:
    """The lowest and highest integer of a quantized type."""
    info = torch.iinfo(dtype.base_dtype.torch)
    return info.min, info.max


def check_scalars(op: Operation | Any, *inputs: int) -> None:
    """Raises ValueError where one of these inputs is known not to be a scalar."""
    for index in inputs:
        dims = op.inputs[index].dims
        if dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")


def wide(values: torch.Tensor) -> torch.Tensor:
    """Integers in a type with room for products and sums."""
    return values.to(torch.int64)


def half_away(values: torch.Tensor) -> torch.Tensor:
    """Rounded, halves away from zero."""
    # Adding a half may itself round up; what is left over the whole part decides without error.
    whole = torch.trunc(values)
    return whole + ((values - whole).abs() >= 0.5) * torch.sign(values)


def narrowed(values: torch.Tensor, dtype: DType) -> torch.Tensor:
    """Whole floats or wide integers cut to a type's own integers, wrapping around where they do not fit."""
    return values.to(torch.int64).to(dtype.base_dtype.torch)


# ---- one number at a time, in float64 ----


def _round(value: float) -> float:
    return float(np.trunc(value + np.copysign(0.5, value))) if abs(value) < 2**52 else value


def unclamped(value: float, range_: Range, dtype: DType) -> int:
    """The integer that stands for `value`, which may lie outside the type's."""
    if range_.low == range_.high:
        return 0
    lowest, highest = bounds(dtype)
    steps = highest - lowest + 1
    scale = steps / ((range_.high - range_.low) * (steps / (steps - 1.0)))
    return int(_round(value * scale) - _round(range_.low * scale)) + lowest


def to_levels(value: float, range_: Range, dtype: DType) -> int:
    """The type's integer that stands for `value`."""
    lowest, highest = bounds(dtype)
    return min(max(unclamped(value, range_, dtype), lowest), highest)


def _offset_and_scale(range_: Range, dtype: DType) -> tuple[float, float]:
    lowest, highest = bounds(dtype)
    steps = highest - lowest + 1
    scale = (range_.high - range_.low) * (steps / (steps - 1.0)) / steps
    single = float(F32(scale))
    return (_round(range_.low / single) * single if single else range_.low), scale


def number_of(level: int, range_: Range, dtype: DType) -> float:
    """What one integer of a type stands for, in float32."""
    if range_.low == range_.high:
        return range_.low
    offset, scale = _offset_and_scale(range_, dtype)
    return float(F32(offset + (level - bounds(dtype)[0]) * scale))


def requantized(values: torch.Tensor, own: DType, before: Range, dtype: DType, after: Range) -> torch.Tensor:
    """Integers of one type and range as wide integers of another, each number by itself."""
    lowest, highest = bounds(dtype)
    if before.low == before.high:
        floats = torch.full(values.shape, before.low, dtype=torch.float64, device=values.device)
    else:
        offset, scale = _offset_and_scale(before, own)
        floats = ((wide(values) - bounds(own)[0]).double() * scale + offset).float().double()
    if after.low == after.high:
        return torch.zeros(values.shape, dtype=torch.int64, device=values.device).clamp_(lowest, highest)
    steps = highest - lowest + 1
    scale = steps / ((after.high - after.low) * (steps / (steps - 1.0)))
    levels = half_away(floats * scale) - (_round(after.low * scale) - lowest)
    return levels.clamp(lowest, highest).to(torch.int64)


# ---- whole tensors, in float32 ----


class Levels:
    """The integers of a type as float32 numbers of a range, whole tensors at a time."""

    def __init__(self, range_: Range, dtype: DType) -> None:
        self.dtype = dtype
        self.lowest, self.highest = bounds(dtype)
        low, high = F32(range_.low), F32(range_.high)
        width, steps = float(high - low), self.highest - self.lowest
        self.step = F32(width / steps)
        self.per_unit = F32(steps / width) if width else F32(0)
        self.offset = F32(F32(_round(float(low / self.step))) * self.step) if width else low
        self.low_level = F32(_round(float(low * self.per_unit)))

    def floats(self, values: torch.Tensor) -> torch.Tensor:
        """What integers stand for."""
        start = float(F32(self.offset - F32(F32(self.lowest) * self.step)))
        return start + wide(values).float() * float(self.step)

    def integers(self, values: torch.Tensor) -> torch.Tensor:
        """The nearest integers of floats, those outside the range at its ends."""
        shift = float(F32(self.low_level - F32(self.lowest)))
        levels = half_away(values * float(self.per_unit)) - shift
        high = self.highest if self.highest < 2**31 - 1 else 2**31 - 128
        return levels.clamp(self.lowest, high).to(torch.int64).to(self.dtype.base_dtype.torch)


def from_levels(values: torch.Tensor, range_: Range, dtype: DType) -> torch.Tensor:
    """What integers of a type stand for, in float32."""
    return Levels(range_, dtype).floats(values)


# ---- ranges of results ----


def level_size(range_: Range, dtype: DType) -> np.float32:
    """How far two neighbouring integers are apart."""
    lowest, highest = bounds(dtype)
    return F32(F32(range_.high) - F32(range_.low)) / F32(highest - lowest)


def product_range(a: Range, a_type: DType, b: Range, b_type: DType, dtype: DType) -> Range:
    """The range in which a product of integers, zero points taken off, is that of the floats."""
    size = level_size(a, a_type) * level_size(b, b_type)
    lowest, highest = bounds(dtype)
    return Range(float(size * F32(lowest)), float(size * F32(highest)))


def sum_range(a: Range, b: Range, extra_bits: int) -> Range:
    """A range around zero that holds both and is `extra_bits` bits wider, so that sums fit."""
    most = max(a.high, -a.low, b.high, -b.low) * (1 << extra_bits)
    return Range(-most, most)
