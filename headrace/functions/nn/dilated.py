"""Dilated windows by way of batches: the image is dealt out into a batch of smaller ones, and put together again.

Chen et al., "DeepLab", arXiv:1606.00915, section 3.1; Yu and Koltun, "Multi-scale context aggregation by dilated
convolutions", arXiv:1511.07122.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.space import required_space_to_batch_paddings
from headrace.kernels import composing
from headrace.kernels.composing.arranging import concat, stack

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: np.ndarray | Sequence[int],
    padding: str,
    op: Callable[[Any, int, str], Tensor],
    filter_shape: Tensor | Sequence[int] | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Does `op` with dilated windows, for an `op` that knows none.

    Args:
        input: of rank 3 or more.
        dilation_rate: int vector, one for each spatial axis.
        padding: "SAME" or "VALID".
        op: called as op(tensor, number of spatial axes, padding).
        filter_shape: the shape of the filter, spatial axes first; for "SAME" only.
        spatial_dims: the axes, ascending; those that `data_format` makes spatial by default.
        data_format: "NHWC", or "N...C": channels last; "NC...": channels second.

    Returns:
        what `op` returns for the whole image; just `op` of `input` where all rates are 1.

    Raises:
        ValueError: for arguments that do not fit.
    """
    x = convert_to_tensor(input, name="input")
    return dilate(x, x.dims, dilation_rate, padding, op, filter_shape, spatial_dims, data_format)


def dilate(
    x: TensorLike,
    dims: Dims,
    dilation_rate: Tensor | np.ndarray | Sequence[int],
    padding: str,
    op: Callable[[Any, int, str], Tensor],
    filter_shape: Tensor | TensorShape | Sequence[int] | None,
    spatial_dims: Sequence[int] | None,
    data_format: str | None,
    channels: int | None = None,
) -> Tensor:
    """`with_space_to_batch` of a value of shape `dims`; `channels` are those of the result, if known."""
    rate = convert_to_tensor(dilation_rate, "int32", name="dilation_rate")
    if rate.dims is not None and len(rate.dims) != 1:
        raise ValueError("rate must be rank 1")
    if rate.dims is None or rate.dims[0] is None:
        raise ValueError("rate must have known shape")
    count = rate.dims[0]
    second = data_format is not None and data_format.startswith("NC")
    start = 2 if second else 1
    axes = list(range(start, start + count) if spatial_dims is None else spatial_dims)
    if axes != sorted(set(axes)) or any(axis < 1 for axis in axes):
        raise ValueError("spatial_dims must be a montonically increasing sequence of positive integers")
    least = axes[-1] if second else axes[-1] + 1
    if dims is not None and len(dims) < least:
        raise ValueError(f"input tensor must have rank {least} at least")

    known = constant_value(rate)
    if known is not None:
        if (known < 1).any():
            raise ValueError("dilation_rate must be positive")
        if (known == 1).all():
            return op(x, count, padding)
    base: Tensor | np.ndarray
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("filter_shape must be specified for SAME padding")
        base = _base_paddings(filter_shape, count, rate if known is None else known)
    elif padding == "VALID":
        base = np.zeros([count, 2], np.int32)
    else:
        raise ValueError(f"Invalid padding method {padding!r}")

    sizes: Any = None if dims is None else [dims[axis] for axis in axes]
    if sizes is None or None in sizes:
        shape = composing.shape(x)
        sizes = stack([shape[axis] for axis in axes])
    paddings, crops = required_space_to_batch_paddings(input_shape=sizes, base_paddings=base, block_shape=rate)
    block = _for_axes_before(rate, 1, axes)
    blocks = raw.SpaceToBatchND(x, block, _for_axes_before(paddings, 0, axes))
    result = raw.BatchToSpaceND(op(blocks, count, "VALID"), block, _for_axes_before(crops, 0, axes))
    if second and channels is not None and result.dims is not None and not result.dims[1]:
        result.set_shape([result.dims[0], channels, *result.dims[2:]])
    return result


def _base_paddings(filter_shape: Any, count: int, rate: Any) -> Tensor:
    """What "SAME" pads for a window that is spread out by `rate`."""
    shape = convert_to_tensor(filter_shape, name="filter_shape")
    known = constant_value(shape)
    window = shape[:count] if known is None else known[:count]
    extra = window + (window - 1) * (rate - 1) - 1
    before = extra // 2
    after = extra - before
    return stack([[before[i], after[i]] for i in range(count)])


def _for_axes_before(rows: Tensor, fill: int, axes: list[int]) -> Tensor | np.ndarray:
    """`rows`, one for each of `axes`, with `fill` for the axes after the batch that are none of these."""
    known = constant_value(rows)
    values: Any = rows if known is None else known
    assert rows.dims is not None
    rest: Any = rows.dims[1:]
    parts = []
    last = i = 0
    while i < len(axes):
        first = i
        if axes[i] > 1:
            parts.append(np.full([axes[i] - 1 - last, *rest], fill, rows.dtype.as_numpy_dtype))
        while i + 1 < len(axes) and axes[i + 1] == axes[i] + 1:
            i += 1
        parts.append(values[first : i + 1])
        last = axes[i]
        i += 1
    return np.concatenate(parts) if known is not None else concat(parts, 0)
