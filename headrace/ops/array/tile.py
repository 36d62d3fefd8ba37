"""Repeating tensors: Tile, repeat, meshgrid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.core.dims import unknown_dims
from headrace.core.errors import UnimplementedError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, invalid, is_text, moving, numbers, rank_is
from headrace.kernels.composing.arranging import concat, stack, transpose
from headrace.kernels.composing.shapes import shape, size
from headrace.kernels.native import integers, is_sized

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import TensorLike


tile_op = (
    op("Tile", "input: T, multiples: Tmultiples, *, Tmultiples: index = int32 -> output: T")
    .on_host("multiples")
    .never_fails()
    .passes_text()
)
# One row again and again is a view.
tile_op.aliases()


_NOT_TILED = frozenset(("uint16", "uint32", "uint64"))


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
    dtype = node.inputs[0].dtype
    if dtype.name in _NOT_TILED:
        raise UnimplementedError(None, None, f"Tile takes no elements of type {dtype.name}")
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
    parts = raw.Reshape(transpose(stack([multiples, input_shape])), [-1])
    axes = raw.Range(0, size(parts), 2, name="range")
    if not isinstance(grad, Tensor):
        first = raw.Cast(input_shape[0], DstT=grad.indices.dtype)
        grad = raw.UnsortedSegmentSum(grad.values, raw.FloorMod(grad.indices, first), first)
        parts = concat([[1], parts[1:]], axis=0)
    result = raw.Sum(raw.Reshape(grad, parts), axes)
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


for _sizes, _counts in (([4, 3], [2, 1]), ([2, 6], [1, 3])):
    tile_grad_op.accepts(
        *(_sizes, np.array(_counts, np.int32)),
        differs="1.15 registers its kernel for an attribute it has not",
        gives=lambda grad, counts: np.sum(np.split(grad, counts.max(), counts.argmax()), 0),
    )


def tile(input: TensorLike | CompositeTensor, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i.

    Args:
        input: a tensor of rank r.
        multiples: int32 or int64 vector of length r.
        name: a name for the operation.

    Example:
        >>> tf.tile([[1, 2]], [2, 2])  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return raw.Tile(input, multiples, name=name)


# ---- native instructions


def _tiled_as_told(b, inputs):
    b.apply("not_negative", [inputs[1]])
    return b.apply("tile", [inputs[0]], [b.contents(inputs[1])])


@tile_op.native
def _tile_native(node):
    multiples = integers(node, 1)
    if multiples is None and is_sized(node, 1):
        return _tiled_as_told
    return None if multiples is None or any(m < 0 for m in multiples) else applied("tile", multiples, take=[0])
