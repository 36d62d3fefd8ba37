"""Pools whose windows are of two sizes, so that an image shrinks by a ratio that is no whole number.

The windows and their random order: B. Graham, "Fractional Max-Pooling", arXiv:1412.6071, with the region boundaries
beginning at the first row and ending after the last.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from headrace.core.random_seed import get_seed
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid
from headrace.kernels.nn.windows import of_rank
from headrace.kernels.random import streams
from headrace.kernels.ranks import check_rank

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike
    from headrace.kernels.random.streams import RandomStream


_T = "T: {float, double, int32, int64}"
_POOL = (
    "value: T, *, pooling_ratio: list(float) >= 4, pseudo_random=False, overlapping=False, deterministic=False, seed=0, "
    f"seed2=0, {_T} -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64"
)

fractional_max_pool_op = op("FractionalMaxPool", _POOL)
fractional_avg_pool_op = op("FractionalAvgPool", _POOL)
fractional_max_pool_grad_op = op(
    "FractionalMaxPoolGrad",
    "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64, *, "
    f"overlapping=False, {_T} -> output: T",
).on_host("row_pooling_sequence", "col_pooling_sequence")
fractional_avg_pool_grad_op = op(
    "FractionalAvgPoolGrad",
    "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, col_pooling_sequence: int64, *, "
    f"overlapping=False, {_T} -> output: T",
).on_host("orig_input_tensor_shape", "row_pooling_sequence", "col_pooling_sequence")
# Without seeds each run has regions of its own.
fractional_max_pool_op.stateful = fractional_avg_pool_op.stateful = True


def _pooled_size(size: int, ratio: float) -> int:
    # In 32 bits, where 6 / 1.2 is 5.
    return math.floor(np.float32(size) / np.float32(ratio))


def _pooled_shape(op):
    dims, ratio = of_rank(op.inputs[0].dims, 4), op.attrs["pooling_ratio"]
    if len(ratio) != 4:
        raise ValueError("pooling_ratio field must specify 4 dimensions")
    pooled = tuple(None if d is None else _pooled_size(d, r) for d, r in zip(dims, ratio, strict=True))
    if any(size is not None and size < 0 for size in pooled):
        raise ValueError(f"Size computed for dim is negative: {min(s for s in pooled if s is not None)}")
    return [pooled, *((None if size is None else size + 1,) for size in pooled[1:3])]


fractional_max_pool_op.shape(_pooled_shape)
fractional_avg_pool_op.shape(_pooled_shape)


@fractional_max_pool_grad_op.shape
def fractional_max_pool_grad_shape(op):
    return [of_rank(op.inputs[0].dims, 4)]


@fractional_avg_pool_grad_op.shape
def fractional_avg_pool_grad_shape(op):
    known = op.constant(0)
    if known is None:
        return [(None,) * 4]
    check_rank(known.shape, 1)
    return [op.constant_dims(0)]


# ---- regions ----


def _random_steps(length: int, count: int, stream: RandomStream) -> np.ndarray:
    """Steps of two sizes in random order."""
    steps = np.full(count, length // count)
    steps[: length % count] += 1
    blocks = (count + 3) // 4
    words = stream.reserve(blocks).words(blocks)
    for place in range(count - 1):
        other = place + int(words[place]) % (count - place)
        steps[place], steps[other] = steps[other], steps[place]
    return steps


def _pseudo_random_steps(length: int, count: int, stream: RandomStream) -> np.ndarray:
    """Steps between the places ceil(alpha * (i + u)), for one random u."""
    alpha, least = length / count, length // count
    most = min((least + 2) / alpha - 1, (length + 1 - least) / alpha - (count - 1))
    low, high = (int(word) for word in stream.reserve(1).words(1)[:2])
    u = math.ldexp((low & 0xFFFFF) << 32 | high, -52) * most
    inner = [math.ceil(alpha * (i + u)) for i in range(1, count)]
    return np.diff([1, *inner, length + 1])


def _regions(length: int, count: int, stream: RandomStream, pseudo_random: bool) -> np.ndarray:
    """Where the regions along an axis begin, and the end of the last."""
    if length % count == 0:
        steps = np.full(count, length // count)
    else:
        steps = (_pseudo_random_steps if pseudo_random else _random_steps)(length, count, stream)
    return np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)


class _Spans(NamedTuple):
    """The windows along one axis: `starts[i]` to `ends[i]`, the end left out; `widest` of them."""

    starts: torch.Tensor
    ends: torch.Tensor
    widest: int

    def places(self, offset: int) -> torch.Tensor:
        """The element of each window at `offset`, or its last one."""
        return torch.minimum(self.starts + offset, self.ends - 1)

    def within(self, offset: int) -> torch.Tensor:
        """Which windows are wider than `offset`."""
        return self.starts + offset < self.ends


def _spans(sequence: torch.Tensor, overlapping: bool, size: int, device: torch.device) -> _Spans:
    """The windows between the boundaries of `sequence`; overlapping ones take the next one's first element too."""
    starts = sequence[:-1]
    ends = torch.clamp(sequence[1:] + 1, max=size) if overlapping else torch.clamp(sequence[1:], max=size)
    if len(starts) and (int(starts.min()) < 0 or bool((starts >= ends).any())):
        raise invalid(f"pooling sequence must increase from 0 to {size}, got {sequence.tolist()}")
    widest = int((ends - starts).max()) if len(starts) else 0
    return _Spans(starts.to(device), ends.to(device), widest)


def _combined(x: torch.Tensor, axis: int, spans: _Spans, average: bool) -> torch.Tensor:
    """The largest value, or the sum, of each window along one axis."""
    total = x.index_select(axis, spans.starts)
    shape = [-1 if i == axis else 1 for i in range(x.dim())]
    for offset in range(1, spans.widest):
        part = x.index_select(axis, spans.places(offset))
        if average:
            total = total + part * spans.within(offset).reshape(shape).to(part.dtype)
        else:
            total = torch.maximum(total, part)
    return total


def _counts(rows: _Spans, columns: _Spans) -> torch.Tensor:
    return ((rows.ends - rows.starts)[:, None] * (columns.ends - columns.starts))[None, :, :, None]


def _pool(average: bool) -> Callable[[Any], Callable[..., Any]]:
    def rule(node):
        attrs = node.attrs
        ratio: Sequence[float] = [float(np.float32(value)) for value in attrs["pooling_ratio"]]
        if len(ratio) != 4:
            raise invalid("pooling_ratio field must specify 4 dimensions")
        if any(value < 1 for value in ratio):
            raise invalid(f"pooling_ratio cannot be smaller than 1, got: {min(ratio)}")
        if ratio[0] != 1 or ratio[3] != 1:
            raise invalid("Fractional pooling is not yet supported on the batch nor channel dimension.")
        seeds = attrs["seed"], attrs["seed2"]
        if attrs["deterministic"]:
            if seeds == (0, 0):
                seeds = tuple(int.from_bytes(os.urandom(8), "little") for _ in range(2))
        elif seeds != (0, 0):
            raise invalid("Both seed and seed2 should be 0 if deterministic is false.")
        overlapping, pseudo_random = attrs["overlapping"], attrs["pseudo_random"]

        def pooled(x):
            if x.dim() != 4:
                raise invalid("tensor_in must be 4-dimensional")
            sizes = x.shape[1:3]
            for axis, size in zip((1, 2), sizes, strict=True):
                if size < ratio[axis]:
                    raise invalid(
                        f"Pooling ratio is higher than input dimension size for dimension {axis}. "
                        f"Input dim size: {size} pooling ratio: {ratio[axis]}"
                    )
            # Each run begins the stream again.
            stream = streams.RandomStream(*seeds)
            sequences = [
                torch.from_numpy(_regions(size, _pooled_size(size, part), stream, pseudo_random))
                for size, part in zip(sizes, ratio[1:3], strict=True)
            ]
            rows, columns = (
                _spans(sequence, overlapping, size, x.device) for sequence, size in zip(sequences, sizes, strict=True)
            )
            result = _combined(_combined(x, 1, rows, average), 2, columns, average)
            if average:
                count = _counts(rows, columns)
                if x.dtype.is_floating_point:
                    result = result / count.to(x.dtype)
                else:
                    result = torch.div(result, count.to(x.dtype), rounding_mode="trunc")
            return result, *(sequence.to(x.device) for sequence in sequences)

        return pooled

    return rule


fractional_max_pool_op.kernel(_pool(False))
fractional_avg_pool_op.kernel(_pool(True))


@fractional_max_pool_grad_op.kernel
def fractional_max_pool_grad_kernel(node):
    overlapping = node.attrs["overlapping"]

    def spread(x, output, gradient, row_sequence, column_sequence):
        if x.dim() != 4 or output.dim() != 4:
            raise invalid("orig_input and orig_output must be 4-dimensional")
        rows = _spans(row_sequence, overlapping, x.shape[1], x.device)
        columns = _spans(column_sequence, overlapping, x.shape[2], x.device)
        batch, _, width, channels = x.shape
        shape = (batch, len(rows.starts), len(columns.starts), channels)
        if tuple(output.shape) != shape or tuple(gradient.shape) != shape:
            raise invalid(
                f"Output dimensions should be {list(shape)}, got {list(output.shape)} and {list(gradient.shape)}"
            )
        best: Any = None
        where: Any = None
        # The first of equal values, row by row.
        for down in range(rows.widest):
            row = rows.places(down)
            of_row = x.index_select(1, row)
            for along in range(columns.widest):
                column = columns.places(along)
                part = of_row.index_select(2, column)
                place = (row[:, None] * width + column)[None, :, :, None].expand(part.shape)
                if best is None:
                    best, where = part, place
                else:
                    larger = part > best
                    best, where = torch.where(larger, part, best), torch.where(larger, place, where)
        result = torch.zeros_like(x, memory_format=torch.contiguous_format).view(batch, -1, channels)
        if best is not None:
            result.scatter_add_(1, where.reshape(batch, -1, channels), gradient.reshape(batch, -1, channels))
        return result.view(x.shape)

    return spread


@fractional_avg_pool_grad_op.kernel
def fractional_avg_pool_grad_kernel(node):
    overlapping = node.attrs["overlapping"]

    def spread(shape, gradient, row_sequence, column_sequence):
        sizes = shape.tolist()
        if len(sizes) != 4 or gradient.dim() != 4:
            raise invalid("orig_input_tensor_shape must have 4 elements and out_backprop be 4-dimensional")
        rows = _spans(row_sequence, overlapping, sizes[1], gradient.device)
        columns = _spans(column_sequence, overlapping, sizes[2], gradient.device)
        if tuple(gradient.shape[1:3]) != (len(rows.starts), len(columns.starts)):
            raise invalid(
                f"out_backprop must have the spatial shape {[len(rows.starts), len(columns.starts)]}, "
                f"got {list(gradient.shape[1:3])}"
            )
        part = gradient.double() / _counts(rows, columns)
        for axis, spans, size in ((1, rows, sizes[1]), (2, columns, sizes[2])):
            total = part.new_zeros([size if i == axis else n for i, n in enumerate(part.shape)])
            mask_shape = [-1 if i == axis else 1 for i in range(4)]
            for offset in range(spans.widest):
                total.index_add_(axis, spans.places(offset), part * spans.within(offset).reshape(mask_shape))
            part = total
        return part.to(gradient.dtype)

    return spread


@fractional_max_pool_op.gradient
def fractional_max_pool_gradient(op, grad, _rows, _columns):
    return [
        raw.FractionalMaxPoolGrad(
            op.inputs[0], op.outputs[0], grad, *op.outputs[1:], overlapping=op.attrs["overlapping"]
        )
    ]


@fractional_avg_pool_op.gradient
def fractional_avg_pool_gradient(op, grad, _rows, _columns):
    shape = raw.Shape(op.inputs[0], out_type="int64")
    return [raw.FractionalAvgPoolGrad(shape, grad, *op.outputs[1:], overlapping=op.attrs["overlapping"])]


_seeded = {"deterministic": True, "seed": 3, "seed2": 5}
for _op in (fractional_max_pool_op, fractional_avg_pool_op):
    _op.accepts([2, 7, 9, 3], pooling_ratio=[1.0, 1.5, 1.7, 1.0], **_seeded)
    _op.accepts([1, 6, 5, 2], pooling_ratio=[1.0, 1.44, 1.73, 1.0], pseudo_random=True, overlapping=True, **_seeded)

_numbers = np.arange(20, dtype=np.float32).reshape(1, 4, 5, 1)
_rows, _columns = np.array([0, 2, 4], np.int64), np.array([0, 1, 3, 5], np.int64)
fractional_max_pool_grad_op.accepts(_numbers, _numbers[:, 1::2, ::2], [1, 2, 3, 1], _rows, _columns)
fractional_max_pool_grad_op.accepts(
    _numbers, _numbers[:, [2, 3]][:, :, [1, 3, 4]], [1, 2, 3, 1], _rows, _columns, overlapping=True
)
fractional_avg_pool_grad_op.accepts(np.array([1, 4, 5, 1], np.int64), [1, 2, 3, 1], _rows, _columns)
fractional_avg_pool_grad_op.accepts(np.array([1, 4, 5, 1], np.int64), [1, 2, 3, 1], _rows, _columns, overlapping=True)


# ---- functions ----


def _full_ratio(pooling_ratio: Any, spatial: int) -> list[float]:
    ratio = list(pooling_ratio) if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio]
    if len(ratio) == 1:
        return [1.0, *([float(ratio[0])] * spatial), 1.0]
    if len(ratio) == spatial:
        return [1.0, *map(float, ratio), 1.0]
    return ratio


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The largest values of windows of two sizes, in random order, by which an image shrinks by `pooling_ratio`.

    Args:
        value: images, [batch, height, width, channels] of float32, float64, int32 or int64.
        pooling_ratio: four floats >= 1, by how much each dimension shrinks; 1.0 for batch and channels.
        pseudo_random: whether all boundaries follow from one random number.
        overlapping: whether a window holds the first row (column) of the next one too.
        deterministic: whether `seed` and `seed2` fix the regions; each run then has the same.
        seed, seed2: the seeds.
        name: a name for the operation.

    Returns:
        (output, row_pooling_sequence, col_pooling_sequence): the pooled images, and where the regions begin.

    Raises:
        InvalidArgumentError: when run, for ratios below 1 or of batch or channels, and for seeds without
            `deterministic`.

    Example:
        >>> pooled, rows, columns = tf.nn.fractional_max_pool(images, [1.0, 1.44, 1.73, 1.0])
    """
    return raw.FractionalMaxPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The means of windows of two sizes. Arguments and results as of `fractional_max_pool`."""
    return raw.FractionalAvgPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


def _pooled_v2(
    apply: OpDecl,
    value: np.ndarray,
    pooling_ratio: float | Sequence[float],
    pseudo: bool,
    overlapping: bool,
    seed: int,
    name: Any,
) -> Any:
    seeds = {"deterministic": True, **dict(zip(("seed", "seed2"), get_seed(seed), strict=True))} if seed else {}
    ratio = _full_ratio(pooling_ratio, 2)
    return apply(value, pooling_ratio=ratio, pseudo_random=pseudo, overlapping=overlapping, name=name, **seeds)


def fractional_max_pool_v2(
    value: np.ndarray,
    pooling_ratio: float,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """`fractional_max_pool` whose ratio may be a number or one for height and width, deterministic where `seed` is not 0."""
    return _pooled_v2(raw.FractionalMaxPool, value, pooling_ratio, pseudo_random, overlapping, seed, name)


def fractional_avg_pool_v2(
    value: np.ndarray,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Tensor:
    """`fractional_avg_pool` whose ratio may be a number or one for height and width, deterministic where `seed` is not 0."""
    return _pooled_v2(raw.FractionalAvgPool, value, pooling_ratio, pseudo_random, overlapping, seed, name)
