"""Resampling along an axis as a sparse matrix: which input positions each output position adds up, and by what weight.

Every way of resizing is a pair of these, one for rows and one for columns, and its gradient is the pair transposed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.devices.parallel_for import parallel_for

_F = np.float32
# Bicubic weights are read from a table of so many steps, which shows in the fourth digit.
_STEPS = 1024
# Sums of weights below this are taken for zero and left alone.
_NO_WEIGHT = 1000.0 * np.finfo(_F).tiny


class Taps:
    """A sparse matrix (outputs, inputs) by rows.

    Args:
        indices: input positions, those of one output together.
        weights: a weight for each of them.
        counts: how many positions each output has.
        inputs: the length of the axis before.
    """

    def __init__(self, indices: Any, weights: Any, counts: np.ndarray, inputs: int) -> None:
        self.indices = np.ascontiguousarray(indices, np.int64).reshape(-1)
        self.weights = np.ascontiguousarray(weights, _F).reshape(-1)
        self.counts = np.ascontiguousarray(counts, np.int64)
        self.inputs, self.outputs = inputs, len(self.counts)

    def transposed(self) -> Taps:
        """The matrix that carries gradients back."""
        order = np.argsort(self.indices, kind="stable")
        rows = np.repeat(np.arange(self.outputs), self.counts)
        counts = np.bincount(self.indices, minlength=self.inputs)
        return Taps(rows[order], self.weights[order], counts, self.outputs)

    def repeated(self, times: int) -> Taps:
        """The matrix that does the same to each of `times` stretches of the axis."""
        if times == 1:
            return self
        shift = np.arange(times)[:, None] * self.inputs
        return Taps(
            self.indices + shift, np.tile(self.weights, times), np.tile(self.counts, times), self.inputs * times
        )

    @functools.cached_property
    def tensors(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Indices, where each output's begin, and weights."""
        starts = np.zeros(self.outputs, np.int64)
        np.cumsum(self.counts[:-1], out=starts[1:])
        return torch.from_numpy(self.indices), torch.from_numpy(starts), torch.from_numpy(self.weights)

    def apply(self, rows: torch.Tensor) -> torch.Tensor:
        """The product with float32 `rows` of shape (inputs, n)."""
        indices, starts, weights = (part.to(rows.device) for part in self.tensors)
        result: torch.Tensor = torch.embedding_bag(rows, indices, starts, False, 0, False, weights)[0]
        return result


def axis_scale(inputs: int, outputs: int, align_corners: bool) -> np.float32:
    """How far apart in the input two neighbouring outputs lie."""
    if align_corners and outputs > 1:
        return _F(inputs - 1) / _F(outputs - 1)
    return _F(inputs) / _F(outputs)


def _positions(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    scale, steps = axis_scale(inputs, outputs, align_corners), np.arange(outputs, dtype=_F)
    if half_pixel_centers:
        return (steps + _F(0.5)) * scale - _F(0.5)
    return steps * scale


@functools.lru_cache(maxsize=256)
def nearest(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """The input position that each output copies, an int64 array."""
    scale, steps = axis_scale(inputs, outputs, align_corners), np.arange(outputs, dtype=_F)
    places = (steps + _F(0.5)) * scale if half_pixel_centers else steps * scale
    # Halves are rounded away from zero.
    places = np.floor(places + _F(0.5)) if align_corners else np.floor(places)
    return np.clip(places.astype(np.int64), 0, inputs - 1)


@functools.lru_cache(maxsize=256)
def linear(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """Two neighbours, each weighted by how near it is; one where every output lies on an input."""
    places = _positions(inputs, outputs, align_corners, half_pixel_centers)
    floor = np.floor(places)
    fraction = places - floor
    lower = np.clip(floor.astype(np.int64), 0, inputs - 1)
    if not fraction.any():
        return Taps(lower, np.ones(outputs), np.ones(outputs), inputs)
    # Where an output lies on an input, no neighbour counts, whatever it holds.
    indices = np.stack([lower, np.clip(np.ceil(places).astype(np.int64), 0, inputs - 1)], 1)
    return Taps(indices, np.stack([1 - fraction, fraction], 1), np.full(outputs, 2), inputs)


@functools.lru_cache(maxsize=2)
def _cubic_table(sharpness: float) -> tuple[Any, Any]:
    """The weights at distances up to 1 and from 1 to 2, by R. Keys' kernel with a = `sharpness`; his own a is -1/2.

    "Cubic convolution interpolation for digital image processing", IEEE Transactions on ASSP 29 (1981).
    """
    x = np.arange(_STEPS + 1) / _STEPS
    a = sharpness
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = x + 1
    return near.astype(_F), (((a * x - 5 * a) * x + 8 * a) * x - 4 * a).astype(_F)


@functools.lru_cache(maxsize=256)
def cubic(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """Four neighbours. With half-pixel centres those outside weigh nothing; without, the edge is repeated."""
    places = _positions(inputs, outputs, align_corners, half_pixel_centers)
    floor = np.floor(places)
    step = np.rint((places - floor) * _F(_STEPS)).astype(np.int64)
    near, far = _cubic_table(-0.5 if half_pixel_centers else -0.75)
    weights = np.stack([far[step], near[step], near[_STEPS - step], far[_STEPS - step]], 1)
    positions = floor.astype(np.int64)[:, None] + np.arange(-1, 3)
    indices = np.clip(positions, 0, inputs - 1)
    if half_pixel_centers:
        weights = _normalized(np.where(indices == positions, weights, _F(0)))
    return Taps(indices, weights, np.full(outputs, 4), inputs)


def _normalized(weights: np.ndarray) -> np.ndarray:
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(np.abs(sums) >= _NO_WEIGHT, weights / np.where(sums == 0, _F(1), sums), weights)


@functools.lru_cache(maxsize=256)
def area(inputs: int, outputs: int, align_corners: bool) -> Taps:
    """All that an output's stretch of the input covers, by how much of it is covered."""
    scale = axis_scale(inputs, outputs, align_corners)
    begin = np.arange(outputs, dtype=_F) * scale
    end = np.arange(1, outputs + 1, dtype=_F) * scale
    first, last = np.floor(begin).astype(np.int64), np.ceil(end).astype(np.int64)
    counts = last - first
    cell = _ranges(first, counts)
    low, high = np.repeat(begin, counts), np.repeat(end, counts)
    over = np.where(cell + 1 > high, high - cell, _F(1))
    weights = np.where(cell < low, np.where(cell + 1 > high, scale, cell + 1 - low), over) / scale
    return Taps(np.clip(cell, 0, inputs - 1), weights, counts, inputs)


def _ranges(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """`start`, `start + 1`, ... `count` of them, for each pair."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts - starts, counts)


def _lanczos(radius: float) -> Callable[[Any], Any]:
    # sinc(x) sinc(x / radius): C. Duchon, "Lanczos filtering in one and two dimensions", Journal of Applied Meteorology
    # 18 (1979).
    def kernel(x: np.ndarray) -> np.ndarray:
        at = np.where(np.abs(x) <= 1e-3, 1.0, x)
        value = radius * np.sin(np.pi * at) * np.sin(np.pi * at / radius) / (np.pi * np.pi * at * at)
        return np.where(x > radius, 0.0, np.where(x <= 1e-3, 1.0, value))

    return kernel


def _box(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.where(x < 1, 1 - x, 0.0)


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0.0, np.exp(-x * x / (2.0 * 0.5 * 0.5)))


def _keys_cubic(x: np.ndarray) -> np.ndarray:
    # As in `_cubic_table`, with a = -1/2.
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, outer, ((1.5 * x - 2.5) * x) * x + 1.0))


def _mitchell_cubic(x: np.ndarray) -> np.ndarray:
    # B = C = 1/3: Mitchell and Netravali, "Reconstruction filters in computer graphics", SIGGRAPH 1988.
    outer = (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return np.where(x >= 2, 0.0, np.where(x >= 1, outer, (((7.0 / 6.0) * x - 2.0) * x) * x + 8.0 / 9.0))


# Each kernel with how far it reaches.
KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "lanczos1": (_lanczos(1.0), 1.0),
    "lanczos3": (_lanczos(3.0), 3.0),
    "lanczos5": (_lanczos(5.0), 5.0),
    "gaussian": (_gaussian, 1.5),
    "box": (_box, 0.5),
    "triangle": (_triangle, 1.0),
    "keyscubic": (_keys_cubic, 2.0),
    "mitchellcubic": (_mitchell_cubic, 2.0),
}


def scaled(inputs: int, outputs: int, scale: float, translation: float, kernel: str, antialias: bool) -> Taps:
    """The kernel around where each output comes from; outputs from outside the input are 0."""
    function, radius = KERNELS[kernel]
    inverse = _F(1) / _F(scale)
    width = max(inverse, _F(1)) if antialias else _F(1)
    sample = (np.arange(outputs, dtype=_F) + _F(0.5)) * inverse - inverse * _F(translation)
    inside = (sample >= 0) & (sample <= inputs)
    first = np.ceil(sample - _F(radius) * width - _F(0.5)).clip(0, inputs - 1).astype(np.int64)
    last = np.minimum(np.floor(sample + _F(radius) * width - _F(0.5)), inputs - 1).astype(np.int64)
    counts = np.where(inside, np.maximum(last - first + 1, 0), 0)
    indices = _ranges(first, counts)
    distance = np.abs((indices + _F(0.5) - np.repeat(sample, counts)) / width)
    weights = function(distance.astype(np.float64)).astype(_F)
    rows = np.repeat(np.arange(outputs), counts)
    sums = np.bincount(rows, weights, outputs)[rows] if len(rows) else weights
    weights = np.where(np.abs(sums) >= _NO_WEIGHT, weights / np.where(sums == 0, 1, sums), weights)
    return Taps(indices, weights, counts, inputs)


# From so many channels on, the elements of one position are long enough to be summed where they lie.
_WIDE = 16


def resample(images: torch.Tensor, rows: Taps, columns: Taps) -> torch.Tensor:
    """Float32 `images` (batch, height, width, channels) with both axes resampled."""
    # Lines are read whole where rows are added up, element by element where columns are, each as often as it has
    # neighbours there.
    each = len(columns.indices)
    rows_first = rows.outputs * (columns.inputs + each)
    columns_first = rows.inputs * each + rows.outputs * columns.outputs
    if columns_first <= rows_first:
        return _over_rows(_over_columns(images, columns), rows)
    batch, _, width, channels = images.shape
    # So many images at a time that what lies between the steps stays in the cache.
    group = max(1, _CACHED // max(1, rows.outputs * width * channels))
    if batch <= group or channels >= _WIDE:
        return _over_columns(_over_rows(images, rows), columns)
    out = images.new_empty((batch, rows.outputs, columns.outputs, channels))

    def some(begin: int, end: int) -> None:
        for first in range(begin, end, group):
            part = slice(first, min(first + group, end))
            _over_columns(_over_rows(images[part], rows), columns, out[part])

    parallel_for(some, batch)
    return out


# In float32s. On a core of an AMD EPYC 32 images of 256 x 256 x 3 take 1.5 ms in groups of so many, 1.8 in groups of a quarter
# as many, 2.4 in those of a sixteenth, and 1.7 all at once.
_CACHED = 1 << 19


@functools.lru_cache(maxsize=64)
def _repeated(taps: Taps, times: int) -> Taps:
    return taps.repeated(times)


def _over_rows(images: torch.Tensor, taps: Taps) -> torch.Tensor:
    batch, height, width, channels = images.shape
    flat = images.reshape(batch * height, width * channels)
    return _repeated(taps, batch).apply(flat).view(batch, taps.outputs, width, channels)


def _over_columns(images: torch.Tensor, taps: Taps, out: torch.Tensor | None = None) -> torch.Tensor:
    batch, height, width, channels = images.shape
    if out is None:
        out = images.new_empty((batch, height, taps.outputs, channels))
    lines = images.reshape(batch * height, width * channels)
    if channels >= _WIDE:
        flat = images.reshape(batch * height * width, channels)
        return _repeated(taps, batch * height).apply(flat).view(out.shape)
    lines_out = out.view(batch * height, -1)
    gathered = _gathers(taps, channels, lines.device)
    if gathered is not None:
        parallel_for(
            lambda first, last: _gather_columns(lines[first:last], *gathered, lines_out[first:last]), len(lines)
        )
        return out
    # A product with a band takes all of a block for each output, and what is not finite must not leak to others.
    if bool(torch.isfinite(lines.sum())):
        for low, high, first, last, dense in _blocks(taps, channels, lines.device):
            torch.mm(lines[:, low:high], dense, out=lines_out[:, first:last])
        return out
    by_column = lines.view(batch * height, width, channels).transpose(0, 1).reshape(width, -1)
    summed = taps.apply(by_column).view(taps.outputs, batch * height, channels)
    return out.copy_(summed.transpose(0, 1).reshape(out.shape))


# Up to so many neighbours are quicker picked one by one than multiplied by a band.
_MAX_GATHERS = 2


@functools.lru_cache(maxsize=64)
def _gathers(
    taps: Taps, channels: int, device: torch.device
) -> tuple[list[torch.Tensor], list[torch.Tensor], bool] | None:
    """Where the elements of a line's outputs come from, neighbour by neighbour, and by what weights.

    Returns:
        Indices, weights, and whether the weights are those of a linear interpolation; None where the outputs have
        not all the same number of neighbours, or too many.
    """
    count = int(taps.counts[0]) if taps.outputs else 0
    if not 0 < count <= _MAX_GATHERS or (taps.counts != count).any():
        return None
    indices = taps.indices.reshape(-1, 1, count) * channels + np.arange(channels)[:, None]
    weights = np.repeat(taps.weights.reshape(-1, count), channels, axis=0)
    linear = count == 2 and np.array_equal(weights[:, 0], 1 - weights[:, 1])
    parts = (np.ascontiguousarray(each.reshape(-1, count).T) for each in (indices, weights))
    picked, weighed = (list(torch.from_numpy(part).to(device)) for part in parts)
    return picked, weighed, linear


def _gather_columns(
    lines: torch.Tensor, indices: list[torch.Tensor], weights: list[torch.Tensor], linear: bool, out: torch.Tensor
) -> None:
    """Write the resampled lines to `out`, so many at a time that what lies between the operations stays in the cache."""
    count, width = out.shape
    group = max(1, min(count, _CACHED // max(1, width)))
    buffers = [lines.new_empty((group, width)) for _ in range(2 if linear else 1)]
    for first in range(0, count, group):
        some, target = lines[first : first + group], out[first : first + group]
        parts = [buffer[: len(some)] for buffer in buffers]
        if linear:
            for index, part in zip(indices, parts):
                torch.index_select(some, 1, index, out=part)
            torch.lerp(*parts, weights[1], out=target)
            continue
        for position, (index, weight) in enumerate(zip(indices, weights)):
            torch.index_select(some, 1, index, out=parts[0])
            if position:
                target.addcmul_(parts[0], weight)
            else:
                torch.mul(parts[0], weight, out=target)


# Wide enough for the product to be quick, narrow enough for the band to be most of a block; whole vectors.
_BLOCK_COLUMNS = 48


@functools.lru_cache(maxsize=64)
def _blocks(taps: Taps, channels: int, device: torch.device) -> list[tuple[int, int, int, int, torch.Tensor]]:
    """The matrix by blocks of outputs: where each begins and ends before and after, and its dense part."""
    step = max(1, _BLOCK_COLUMNS // channels)
    if taps.inputs > taps.outputs and step % 2 == 0:
        step //= 2  # A block covers more of the input where the output is smaller.
    ends = np.cumsum(taps.counts)
    blocks = []
    for first in range(0, taps.outputs, step):
        last = min(first + step, taps.outputs)
        part = slice(ends[first] - taps.counts[first], ends[last - 1])
        indices = taps.indices[part]
        low, high = (int(indices.min()), int(indices.max()) + 1) if len(indices) else (0, 1)
        rows = np.repeat(np.arange(last - first), taps.counts[first:last])
        dense = np.zeros((high - low, last - first), _F)
        np.add.at(dense, (indices - low, rows), taps.weights[part])
        each = np.kron(dense, np.eye(channels, dtype=_F))
        spans = [bound * channels for bound in (low, high, first, last)]
        blocks.append((*spans, torch.from_numpy(each).to(device)))
    return blocks
