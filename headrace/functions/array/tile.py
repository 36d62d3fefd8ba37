"""Grids of coordinates, and elements repeated one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask, sequence_mask
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, rank, shape, size
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_to, reshape
from headrace.ops.array.tile import tile

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of the points of a grid, one tensor for each of the vectors that span it.

    Args:
        *args: vectors.
        indexing: 'xy', by default, runs the first vector along the second axis; 'ij' along the first.
        name: a name for the operations.

    Raises:
        TypeError: for another keyword.
        ValueError: for another `indexing`.

    Example:
        >>> x, y = tf.meshgrid([1, 2, 3], [4, 5])  # both of shape [2, 3]
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, "meshgrid", args):
        count = len(args)
        flat = (1,) * count
        output = [reshape(stack(x), (*flat[:i], -1, *flat[i + 1 :])) for i, x in enumerate(args)]
        sizes = [size(x) for x in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and count > 1:
            output[0] = reshape(output[0], (1, -1) + (1,) * (count - 2))
            output[1] = reshape(output[1], (-1, 1) + (1,) * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        whole = ones(sizes, dtype)
        return [raw.Mul(x, whole, name="mul") for x in output]


def repeat(
    input: TensorLike, repeats: int | TensorLike | Sequence[int], axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each element of `input` along `axis` repeated.

    Args:
        input: a tensor.
        repeats: an int scalar, or a vector with a count for each element along `axis`.
        axis: an int; by default the input is flattened first.
        name: a name for the operations.

    Raises:
        TypeError: if `repeats` is not of an integer type.
        ValueError: if `axis` is out of range.

    Example:
        >>> tf.repeat([3, 4], [2, 1])  # [3, 3, 4]
    """
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        counts = convert_to_tensor(repeats, name="repeats", preferred_dtype=int32)
        if not counts.dtype.is_integer:
            raise TypeError(f"repeats must be an integer tensor; dtype={counts.dtype}")
        counts = raw.Cast(counts, DstT=int32)
        counts.get_shape().with_rank_at_most(1)
        data = _with_axes(data)
        data_shape = shape(data)
        axis = _positive_axis(axis, data)
        if counts.dims is not None and len(counts.dims) == 1:
            data.get_shape()[axis].assert_is_compatible_with(counts.get_shape()[0])
        if counts.dims == ():
            tiled = _tile_axis(expand_dims(data, axis + 1), axis + 1, counts)
            return reshape(tiled, concat([data_shape[:axis], [-1], data_shape[axis + 1 :]], axis=0))
        return _repeat_by_counts(data, counts, axis, data_shape)


def _repeat_by_counts(data: Tensor, counts: Tensor, axis: int, data_shape: Tensor) -> Tensor:
    if counts.dims is None or len(counts.dims) != axis + 1:
        counts_shape, counts_rank = shape(counts), rank(counts)
        leading = data_shape[: raw.Sub(axis + 1, counts_rank, name="sub")]
        counts = broadcast_to(counts, concat([leading, counts_shape], axis=0))
        counts.set_shape([None] * (axis + 1))
    most = raw.Maximum(0, raw.Max(counts, _all_axes(counts)))
    mask = sequence_mask(counts, most)
    tiled = _tile_axis(expand_dims(data, axis + 1), axis + 1, most)
    result = boolean_mask(tiled, mask)
    if axis != 0:
        result = reshape(result, concat([data_shape[:axis], [-1], data_shape[axis + 1 :]], axis=0))
    if data.dims is not None:
        new = 0 if counts.dims is not None and counts.dims[0] == 0 else None
        result.set_shape((*data.dims[:axis], new, *data.dims[axis + 1 :]))
    return result


def _all_axes(x: Tensor) -> Tensor:
    if x.dims is not None:
        return constant(np.arange(len(x.dims)), int32)
    return raw.Range(0, rank(x), 1)


def _with_axes(data: Tensor) -> Tensor:
    if data.dims is None:
        count = rank(data)
        return reshape(data, concat([[1], shape(data)], axis=0)[raw.Neg(count) :])
    return data if data.dims else stack([data])


def _positive_axis(axis: int, data: Tensor) -> int:
    if data.dims is None:
        if axis < 0:
            raise ValueError("axis may only be negative if ndims is statically known.")
        return axis
    count = len(data.dims)
    if not -count <= axis < count:
        raise ValueError(f"axis={axis} out of bounds: expected {-count}<=axis<{count}")
    return axis % count


def _tile_axis(data: Tensor, axis: int, multiple: TensorLike) -> Tensor:
    if data.dims is not None:
        multiples: Any = [1] * len(data.dims)
        multiples[axis] = multiple
    else:
        plain = ones(rank(data), int32)
        multiples = concat([plain[:axis], [multiple], plain[axis + 1 :]], axis=0)
    return tile(data, multiples)
