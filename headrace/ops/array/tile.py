"""Repeating tensors: Tile, repeat, meshgrid."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import unknown_dims
from headrace.ops.array.common import constants, invalid, is_text, moving, numbers, rank_is
from headrace.ops.array.fill import ones
from headrace.ops.array.join import concat, stack
from headrace.ops.array.shape import broadcast_to, expand_dims, rank, reshape, shape, size
from headrace.ops.array.transpose import transpose

tile_op = op("Tile", "input: T, multiples: Tmultiples, *, Tmultiples: index = int32 -> output: T").on_host("multiples")
# One row again and again is a view.
tile_op.aliases()


@tile_op.shape
def tile_shape(op):
    dims, multiples = op.inputs[0].dims, op.constant_dims(1)
    rank_is(op.inputs[1].dims, 1)
    if multiples is None:
        return [unknown_dims(None if dims is None else len(dims))]
    if dims is None:
        return [unknown_dims(len(multiples))]
    if len(dims) != len(multiples):
        raise ValueError(f"Shape must be rank {len(dims)} but is rank {len(multiples)}")
    return [tuple(None if d is None or m is None else d * m for d, m in zip(dims, multiples))]


@tile_op.same_as
def tile_same(node):
    multiples = node.constant(1)
    known = multiples is not None and (multiples == 1).all()
    return node.inputs[0] if known and not node.inputs[0].dtype._is_ref_dtype else None


@tile_op.kernel
def tile_kernel(node):
    known = constants(node, 1)
    if is_text(node.inputs[0]):
        return lambda x, multiples: np.tile(x, numbers(multiples))
    if known is not None and node.inputs[0].dims is not None:
        for i, count in enumerate(known):
            if count < 0:
                raise invalid(f"Expected multiples[{i}] >= 0, but got {count}")
        return moving(node, lambda x, _: _repeated(x, known))

    def tile(x, multiples):
        counts = numbers(multiples)
        if len(counts) != x.ndim:
            raise invalid(f"Expected multiples argument to be a vector of length {x.ndim} but got length {len(counts)}")
        for i, count in enumerate(counts):
            if count < 0:
                raise invalid(f"Expected multiples[{i}] >= 0, but got {count}")
        return _repeated(x, counts)

    return moving(node, tile)


def _repeated(x, counts):
    sizes = []
    for dim, count in zip(x.shape, counts):
        if dim != 1 and count != 1:
            return x.repeat(counts)
        sizes.append(dim * count)
    return x.expand(sizes)


@tile_op.gradient
def tile_gradient(op, grad):
    x, multiples = op.inputs
    input_shape = shape(x, out_type=multiples.dtype.base_dtype)
    parts = reshape(transpose(stack([multiples, input_shape])), [-1])
    axes = raw.Range(0, size(parts), 2, name="range")
    if not isinstance(grad, Tensor):
        first = raw.Cast(input_shape[0], DstT=grad.indices.dtype)
        grad = raw.UnsortedSegmentSum(grad.values, raw.FloorMod(grad.indices, first), first)
        parts = concat([[1], parts[1:]], axis=0)
    result = raw.Sum(reshape(grad, parts), axes)
    result.set_shape(x.get_shape())
    return [result, None]


tile_op.accepts([2, 3], np.array([2, 1], np.int32)).accepts([2], np.array([0], np.int32))
tile_op.rejects([2, 3], np.array([2], np.int32), error=ValueError)

tile_grad_op = op("TileGrad", "input: T, multiples: int32 -> output: T").on_host("multiples")


@tile_grad_op.shape
def tile_grad_shape(op):
    dims, multiples = op.inputs[0].dims, op.constant_dims(1)
    if dims is None or multiples is None:
        return [unknown_dims(None if dims is None else len(dims))]
    return [tuple(None if d is None or not m else d // m for d, m in zip(dims, multiples))]


@tile_grad_op.kernel
def tile_grad_kernel(node):
    def tile_grad(grad, multiples):
        parts: list[int] = []
        for have, count in zip(grad.shape, numbers(multiples)):
            parts += [count, have // count]
        return grad.reshape(parts).sum(tuple(range(0, len(parts), 2))) if parts else grad.clone()

    return tile_grad


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i.

    Args:
        input: a tensor of rank r.
        multiples: int32 or int64 vector of length r.
        name: a name for the operation.

    Example:
        >>> tf.tile([[1, 2]], [2, 2])  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return raw.Tile(input, multiples, name=name)


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


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
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
    from headrace.ops.array.where import boolean_mask, sequence_mask

    if counts.dims is None or len(counts.dims) != axis + 1:
        counts_shape, counts_rank = shape(counts), rank(counts)
        lead = data_shape[: raw.Sub(axis + 1, counts_rank, name="sub")]
        counts = broadcast_to(counts, concat([lead, counts_shape], axis=0))
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


def _all_axes(x: Tensor) -> Any:
    from headrace.ops.array.constant import constant

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


def _tile_axis(data: Tensor, axis: int, multiple: Any) -> Tensor:
    if data.dims is not None:
        multiples: Any = [1] * len(data.dims)
        multiples[axis] = multiple
    else:
        plain = ones(rank(data), int32)
        multiples = concat([plain[:axis], [multiple], plain[axis + 1 :]], axis=0)
    return tile(data, multiples)
