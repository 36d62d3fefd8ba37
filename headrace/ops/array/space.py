"""Moving blocks of space into the batch or the channels, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch.nn.functional as functional

from headrace.core.dims import Dims, merge_dims
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, moving, numbers, rank_is
from headrace.kernels.renamed_arguments import first_given as either

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import NodeView, OpView, TensorLike


space_to_batch_nd_op = op(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape, paddings: Tpaddings, *, Tblock_shape: index = int32, Tpaddings: index = int32 "
    "-> output: T",
)
batch_to_space_nd_op = op(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape, crops: Tcrops, *, Tblock_shape: index = int32, Tcrops: index = int32 "
    "-> output: T",
)
space_to_batch_op = op(
    "SpaceToBatch", "input: T, paddings: Tpaddings, *, Tpaddings: index = int32, block_size: int >= 2 -> output: T"
)
batch_to_space_op = op(
    "BatchToSpace", "input: T, crops: Tidx, *, block_size: int >= 2, Tidx: index = int32 -> output: T"
)
space_to_batch_nd_op.on_host("block_shape", "paddings").aliases()
batch_to_space_nd_op.on_host("block_shape", "crops").aliases()
space_to_batch_op.on_host("paddings").aliases()
batch_to_space_op.on_host("crops").aliases()


def _space_dims(
    dims: Dims, block: list[int] | None, count: int | None, pairs: np.ndarray | None, to_batch: bool
) -> Dims:
    """The static shape after blocks of `block` have gone to the batch, or come back from it."""
    if dims is None or count is None:
        return None if dims is None else (None,) * len(dims)
    if len(dims) < 1 + count:
        raise ValueError(f"Shape must be at least rank {1 + count} but is rank {len(dims)}")
    if block is None:
        return (None,) * (1 + count) + dims[1 + count :]
    if any(size < 1 for size in block):
        raise ValueError("block_shape must be positive")
    batch = dims[0]
    if batch is not None:
        for size in block:
            if not to_batch and batch % size:
                raise ValueError(f"Dimension size must be evenly divisible by {size} but is {batch}")
            batch = batch * size if to_batch else batch // size
    space: list[int | None] = []
    for i, size in enumerate(block):
        have = dims[1 + i]
        if have is None or pairs is None:
            space.append(None)
            continue
        before, after = (int(n) for n in pairs[i])
        if before < 0 or after < 0:
            raise ValueError(f"{'paddings' if to_batch else 'crops'} cannot be negative")
        if to_batch:
            if (have + before + after) % size:
                raise ValueError(f"Dimension size must be evenly divisible by {size} but is {have + before + after}")
            space.append((have + before + after) // size)
        else:
            left = have * size - before - after
            if left < 0:
                raise ValueError(f"Negative dimension size caused by subtracting {before + after} from {have * size}")
            space.append(left)
    return (batch, *space, *dims[1 + count :])


def _block_of(op: OpView) -> tuple[list[int] | None, int | None]:
    block_dims, pairs = op.inputs[1].dims, op.inputs[2].dims
    if block_dims is not None and len(block_dims) != 1:
        raise ValueError("block_shape must have rank 1.")
    if block_dims is not None:
        merge_dims(pairs, (block_dims[0], 2))
    block = op.constant(1)
    if block is not None:
        return [int(size) for size in block], block.size
    dims = op.inputs[1].dims
    if dims is not None and dims[0] is None:
        raise ValueError("block_shape must have known size")
    return None, dims[0] if dims else None


@space_to_batch_nd_op.shape
def space_to_batch_nd_shape(op):
    block, count = _block_of(op)
    return [_space_dims(op.inputs[0].dims, block, count, op.constant(2), True)]


@batch_to_space_nd_op.shape
def batch_to_space_nd_shape(op):
    block, count = _block_of(op)
    return [_space_dims(op.inputs[0].dims, block, count, op.constant(2), False)]


@space_to_batch_op.shape
def space_to_batch_shape(op):
    dims = rank_is(op.inputs[0].dims, 4)
    merge_dims(op.inputs[1].dims, (2, 2))
    return [_space_dims(dims, [op.attrs["block_size"]] * 2, 2, op.constant(1), True)]


@batch_to_space_op.shape
def batch_to_space_shape(op):
    dims = rank_is(op.inputs[0].dims, 4)
    merge_dims(op.inputs[1].dims, (2, 2))
    return [_space_dims(dims, [op.attrs["block_size"]] * 2, 2, op.constant(1), False)]


def _to_batch(x: torch.Tensor, block: list[int], pairs: list[int]) -> torch.Tensor:
    count = len(block)
    if any(n < 0 for n in pairs):
        raise invalid("Paddings must be non-negative")
    if any(pairs):
        amounts = [0, 0] * (x.ndim - 1 - count)
        for i in reversed(range(count)):
            amounts += [pairs[2 * i], pairs[2 * i + 1]]
        x = functional.pad(x, amounts)
    batch, rest = x.shape[0], list(x.shape[1 + count :])
    split = [batch]
    for size, step in zip(x.shape[1 : 1 + count], block):
        if size % step:
            raise invalid(
                f"padded_shape[{len(split) // 2}]={size} is not divisible by block_shape[{len(split) // 2}]={step}"
            )
        split += [size // step, step]
    inner = list(range(2, 2 * count + 1, 2))
    outer = list(range(1, 2 * count + 1, 2))
    order = [*inner, 0, *outer, *range(2 * count + 1, 2 * count + 1 + len(rest))]
    moved = x.reshape(split + rest).permute(order)
    space = [size // step for size, step in zip(x.shape[1 : 1 + count], block)]
    return moved.reshape([batch * math.prod(block), *space, *rest])


def _from_batch(x: torch.Tensor, block: list[int], pairs: list[int]) -> torch.Tensor:
    count, total = len(block), math.prod(block)
    if any(n < 0 for n in pairs):
        raise invalid("Crops must be non-negative")
    if x.shape[0] % total:
        raise invalid(f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({total})")
    batch, space, rest = x.shape[0] // total, list(x.shape[1 : 1 + count]), list(x.shape[1 + count :])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, 2 * count + 1 + len(rest))
    moved = x.reshape([*block, batch, *space, *rest]).permute(order)
    whole = moved.reshape([batch, *(size * step for size, step in zip(space, block)), *rest])
    for i in range(count):
        before, after = pairs[2 * i], pairs[2 * i + 1]
        if before or after:
            left = whole.shape[1 + i] - before - after
            if left < 0:
                raise invalid(f"cropped_shape[{i}]={left} must be non-negative")
            whole = whole.narrow(1 + i, before, left)
    return whole


@space_to_batch_nd_op.kernel
def space_to_batch_nd_kernel(node):
    return moving(node, lambda x, block, pairs: _to_batch(x, numbers(block), numbers(pairs)))


@batch_to_space_nd_op.kernel
def batch_to_space_nd_kernel(node):
    return moving(node, lambda x, block, pairs: _from_batch(x, numbers(block), numbers(pairs)))


@space_to_batch_op.kernel
def space_to_batch_kernel(node):
    block = [node.attrs["block_size"]] * 2
    return moving(node, lambda x, pairs: _to_batch(x, block, numbers(pairs)))


@batch_to_space_op.kernel
def batch_to_space_kernel(node):
    block = [node.attrs["block_size"]] * 2
    return moving(node, lambda x, pairs: _from_batch(x, block, numbers(pairs)))


@space_to_batch_nd_op.gradient
def space_to_batch_nd_gradient(op, grad):
    return [raw.BatchToSpaceND(grad, op.inputs[1], op.inputs[2]), None, None]


@batch_to_space_nd_op.gradient
def batch_to_space_nd_gradient(op, grad):
    return [raw.SpaceToBatchND(grad, op.inputs[1], op.inputs[2]), None, None]


@space_to_batch_op.gradient
def space_to_batch_gradient(op, grad):
    return [batch_to_space(grad, op.inputs[1], block_size=op.attrs["block_size"]), None]


@batch_to_space_op.gradient
def batch_to_space_gradient(op, grad):
    return [space_to_batch(grad, op.inputs[1], block_size=op.attrs["block_size"]), None]


_I = np.int32
space_to_batch_nd_op.accepts([1, 4, 6, 2], np.array([2, 3], _I), np.array([[0, 0], [0, 0]], _I))
batch_to_space_nd_op.accepts([6, 2, 2, 1], np.array([2, 3], _I), np.array([[1, 0], [0, 2]], _I))
space_to_batch_nd_op.rejects([1, 5], np.array([2], _I), np.array([[0, 0]], _I), error=ValueError)
space_to_batch_op.accepts([1, 4, 2, 1], np.array([[0, 0], [0, 0]], _I), block_size=2)
space_to_batch_op.accepts([2, 3, 2, 1], np.array([[1, 0], [0, 2]], _I), block_size=2)
space_to_batch_op.rejects([1, 3, 2, 1], np.array([[0, 0], [0, 0]], _I), block_size=2, error=ValueError)
batch_to_space_op.accepts([4, 2, 2, 1], np.array([[0, 0], [0, 0]], _I), block_size=2)
batch_to_space_op.accepts([4, 2, 2, 1], np.array([[1, 0], [0, 2]], _I), block_size=2)
batch_to_space_op.rejects([3, 2, 2, 1], np.array([[0, 0], [0, 0]], _I), block_size=2, error=ValueError)

_LAYOUT = "input: T, *, block_size: int >= 2, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC' -> output: T"
space_to_depth_op = op("SpaceToDepth", _LAYOUT)
depth_to_space_op = op("DepthToSpace", _LAYOUT)


def _depth_dims(op: OpView, to_depth: bool) -> list[Dims]:
    block, layout = op.attrs["block_size"], op.attrs["data_format"]
    if layout == "NCHW_VECT_C":
        raise NotImplementedError(
            f"{op.type}: data_format 'NCHW_VECT_C' (packed int8) is not supported; use 'NHWC' or 'NCHW'."
        )
    dims = list(rank_is(op.inputs[0].dims, 4) or ())
    channel, rows = (3, 1) if layout == "NHWC" else (1, 2)
    for axis in (rows, rows + 1):
        if dims[axis] is not None:
            if to_depth and dims[axis] % block:
                raise ValueError(f"Dimension size must be evenly divisible by {block} but is {dims[axis]}")
            dims[axis] = dims[axis] // block if to_depth else dims[axis] * block
    if dims[channel] is not None:
        if not to_depth and dims[channel] % block**2:
            raise ValueError(f"Dimension size must be evenly divisible by {block**2} but is {dims[channel]}")
        dims[channel] = dims[channel] * block**2 if to_depth else dims[channel] // block**2
    return [tuple(dims)]


@space_to_depth_op.shape
def space_to_depth_shape(op):
    return _depth_dims(op, True)


@depth_to_space_op.shape
def depth_to_space_shape(op):
    return _depth_dims(op, False)


def _in_nhwc(node: NodeView, kernel: Callable[..., Any]) -> Callable[..., Any]:
    if node.attrs["data_format"] == "NHWC":
        return moving(node, kernel)
    return moving(node, lambda x: _permuted(kernel(_permuted(x, 0, 2, 3, 1)), 0, 3, 1, 2))


def _permuted(x: np.ndarray | torch.Tensor, *order: int) -> np.ndarray | torch.Tensor:
    return x.transpose(order) if isinstance(x, np.ndarray) else x.permute(order)


@space_to_depth_op.kernel
def space_to_depth_kernel(node):
    block = node.attrs["block_size"]

    def to_depth(x):
        n, h, w, c = x.shape
        if h % block or w % block:
            raise invalid(f"Image width {w} and height {h} should be divisible by block_size: {block}")
        parts = _permuted(x.reshape(n, h // block, block, w // block, block, c), 0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h // block, w // block, block * block * c)

    return _in_nhwc(node, to_depth)


@depth_to_space_op.kernel
def depth_to_space_kernel(node):
    block = node.attrs["block_size"]

    def to_space(x):
        n, h, w, c = x.shape
        if c % (block * block):
            raise invalid(f"Input depth dimension {c} should be divisible by: {block * block}")
        depth = c // (block * block)
        parts = _permuted(x.reshape(n, h, w, block, block, depth), 0, 1, 3, 2, 4, 5)
        return parts.reshape(n, h * block, w * block, depth)

    return _in_nhwc(node, to_space)


# Where there is but one block, reshaping makes no copy.
space_to_depth_op.aliases()
depth_to_space_op.aliases()


@space_to_depth_op.gradient
def space_to_depth_gradient(op, grad):
    return [raw.DepthToSpace(grad, block_size=op.attrs["block_size"], data_format=op.attrs["data_format"])]


@depth_to_space_op.gradient
def depth_to_space_gradient(op, grad):
    return [raw.SpaceToDepth(grad, block_size=op.attrs["block_size"], data_format=op.attrs["data_format"])]


space_to_depth_op.accepts([1, 4, 6, 2], block_size=2).rejects([1, 5, 4, 1], block_size=2, error=ValueError)
depth_to_space_op.accepts([1, 2, 3, 8], block_size=2).rejects([1, 2, 2, 3], block_size=2, error=ValueError)


def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Pads the axes after the batch and moves the places within their blocks into the batch.

    Args:
        input: tensor of shape [batch] + space + rest.
        block_shape: int vector, the block size along each axis of space.
        paddings: int matrix with a row (before, after) for each.
        name: a name for the operation.
    """
    return raw.SpaceToBatchND(input, block_shape, paddings, name=name)


def batch_to_space_nd(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `space_to_batch_nd`: moves the batch back into blocks, then crops the axes of space."""
    return raw.BatchToSpaceND(input, block_shape, crops, name=name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """`space_to_batch_nd` over the height and width of a [batch, height, width, depth] tensor."""
    block = either("block_shape", block_shape, "block_size", block_size)
    result = space_to_batch_nd(input, paddings=paddings, block_shape=np.array([block, block], np.int64), name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """`batch_to_space_nd` over the height and width of a [batch, height, width, depth] tensor."""
    block = either("block_shape", block_shape, "block_size", block_size)
    result = batch_to_space_nd(input, crops=crops, block_shape=np.array([block, block], np.int64), name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def space_to_depth(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Moves the places within each block of height and width into the depth."""
    return raw.SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Moves the depth into blocks of height and width: the inverse of `space_to_depth`."""
    return raw.DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)
