"""Sorting slices into several tensors and back: DynamicPartition, DynamicStitch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import merge_dim, merge_dims
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import filled_text, invalid, is_text, shape_text, view_dtype_of
from headrace.kernels.composing.shapes import shape

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import OpView, TensorLike


dynamic_partition_op = (
    op("DynamicPartition", "data: T, partitions: int32, *, num_partitions: int >= 1 -> outputs: num_partitions * T")
    .gives_no_more()
    .passes_text()
)


@dynamic_partition_op.shape
def dynamic_partition_shape(op):
    data, partitions = op.inputs[0].dims, op.inputs[1].dims
    count = op.attrs["num_partitions"]
    if data is None or partitions is None:
        return [None] * count
    if len(data) < len(partitions):
        raise ValueError(f"Shape must be at least rank {len(partitions)} but is rank {len(data)}")
    for sizes in zip(data, partitions):
        merge_dim(*sizes)
    return [(None, *data[len(partitions) :])] * count


@dynamic_partition_op.kernel
def dynamic_partition_kernel(node):
    count = node.attrs["num_partitions"]
    text = is_text(node.inputs[0])
    dtype = node.inputs[0].dtype.torch
    view_dtype = None if text else view_dtype_of(dtype)

    def partition(data, partitions):
        if tuple(data.shape[: partitions.ndim]) != tuple(partitions.shape):
            raise invalid(
                f"data.shape must start with partitions.shape, got data.shape = {shape_text(data.shape)}, partitions.shape "
                f"= {shape_text(partitions.shape)}"
            )
        flat = partitions.reshape(-1)
        if flat.numel() and (int(flat.min()) < 0 or int(flat.max()) >= count):
            bad = int(((flat < 0) | (flat >= count)).nonzero()[0, 0])
            where = np.unravel_index(bad, tuple(partitions.shape)) if partitions.ndim else ()
            index = f"[{','.join(map(str, where))}]" if len(where) else ""
            raise invalid(f"partitions{index} = {int(flat[bad])} is not in [0, {count})")
        rest = tuple(data.shape[partitions.ndim :])
        rows = data.reshape((flat.shape[0], *rest))
        if text:
            return [rows[(flat == i).numpy()] for i in range(count)]
        order = torch.sort(flat, stable=True)[1]
        sizes = torch.bincount(flat, minlength=count).tolist()
        if view_dtype is not dtype:
            return [part.view(dtype) for part in rows.view(view_dtype).index_select(0, order).split(sizes)]
        return rows.index_select(0, order).split(sizes)

    return partition


@dynamic_partition_op.gradient
def dynamic_partition_gradient(op, *grads):
    data, indices = op.inputs
    count = op.attrs["num_partitions"]
    dims = shape(indices)
    original = raw.Reshape(raw.Range(0, raw.Prod(dims, _first_axis(dims)), 1, name="range"), dims)
    places = raw.DynamicPartition(original, indices, num_partitions=count)
    merged = raw.DynamicStitch(places, list(grads))
    return [raw.Reshape(merged, shape(data)), None]


def _first_axis(vector: Tensor) -> Tensor:
    return convert_to_tensor(np.arange(len(vector.dims or (0,)), dtype=np.int32))


dynamic_partition_op.accepts([4, 2], np.array([0, 1, 1, 0], np.int32), num_partitions=2)

dynamic_stitch_op = op("DynamicStitch", "indices: N * int32, data: N * T -> merged: T")
parallel_dynamic_stitch_op = op("ParallelDynamicStitch", "indices: N * int32, data: N * T -> merged: T")


@dynamic_stitch_op.shape
def dynamic_stitch_shape(op):
    count = op.attrs["N"]
    rest = None
    largest: int | None = -1
    for i in range(count):
        indices, data = op.inputs[i].dims, op.inputs[count + i].dims
        value = op.constant(i)
        if value is None:
            largest = None
        elif largest is not None and value.size:
            largest = max(largest, int(value.max()))
        if indices is None or data is None:
            continue
        if len(data) < len(indices):
            raise ValueError(f"Shape must be at least rank {len(indices)} but is rank {len(data)}")
        for sizes in zip(data, indices):
            merge_dim(*sizes)
        rest = merge_dims(rest, data[len(indices) :])
    if rest is None:
        return [None]
    return [(None if largest is None else largest + 1, *rest)]


# Up to so many numbers in each part go through Python, which costs less than calls into torch.
_FEW = 16


def _stitched_sizes(
    indices: Sequence[torch.Tensor], data: Sequence[torch.Tensor], dtype: torch.dtype
) -> torch.Tensor | None:
    """The stitching of few single numbers, as of the sizes of a tensor; None if that is not what there is."""
    sizes: dict[int, int] = {}
    for at, part in zip(indices, data):
        shape = at.shape
        if part.shape != shape or len(shape) > 1 or at.numel() > _FEW:
            return None
        if shape:
            sizes.update(zip(at.tolist(), part.tolist()))
        else:
            sizes[at.item()] = part.item()
    if not sizes or min(sizes) < 0:
        return None
    return torch.tensor([sizes.get(i, 0) for i in range(max(sizes) + 1)], dtype=dtype)


@dynamic_stitch_op.kernel
def dynamic_stitch_kernel(node):
    count, device = node.attrs["N"], node.device
    text, dtype = is_text(node.outputs[0]), node.outputs[0].dtype.torch
    view_dtype = None if text else view_dtype_of(dtype)
    of_sizes = dtype in (torch.int32, torch.int64) and torch.device(device).type == "cpu"

    def stitch(*values):
        indices, data = values[:count], values[count:]
        if of_sizes and len(data[0].shape) < 2:
            sizes = _stitched_sizes(indices, data, dtype)
            if sizes is not None:
                return sizes
        for i, (at, part) in enumerate(zip(indices, data)):
            if tuple(part.shape[: at.ndim]) != tuple(at.shape):
                raise invalid(
                    f"data[{i}].shape = {shape_text(part.shape)} does not start with indices[{i}].shape = "
                    f"{shape_text(at.shape)}"
                )
        rest = tuple(data[0].shape[indices[0].ndim :])
        places = torch.cat([at.reshape(-1) for at in indices])
        if not places.numel():
            return filled_text((0, *rest)) if text else torch.zeros((0, *rest), dtype=dtype, device=device)
        low, high = torch.aminmax(places)
        if low < 0:
            negative = next(at for at in indices if at.numel() and int(at.min()) < 0)
            wrong = int((negative.reshape(-1) < 0).nonzero()[0])
            raise invalid(f"indices[{wrong}] is out of range: it is negative")
        shape = (int(high) + 1, *rest)
        slices = [part.reshape((at.numel(), *rest)) for at, part in zip(indices, data)]
        # Later slices win, and within a slice the later element: what `index_copy_` does on the CPU.
        if text:
            texts = filled_text(shape)
            texts[places.numpy()] = np.concatenate(slices)
            return texts
        merged = torch.zeros(shape, dtype=view_dtype, device=device)
        merged.index_copy_(0, places.long(), torch.cat([negative.view(view_dtype) for negative in slices]))
        return merged.view(dtype)

    return stitch


def _stitch_gradient(op: OpView, grad: Tensor) -> list[Any]:
    count = op.attrs["N"]
    if not isinstance(grad, Tensor):
        rows = shape(op.outputs[0])[0]
        grad = raw.UnsortedSegmentSum(grad.values, grad.indices, rows)
    return [None] * count + [raw.GatherV2(grad, at, 0) for at in op.inputs[:count]]


dynamic_stitch_op.gradient(_stitch_gradient)
parallel_dynamic_stitch_op.shape(dynamic_stitch_shape)
parallel_dynamic_stitch_op.kernel(dynamic_stitch_kernel)
parallel_dynamic_stitch_op.gradient(_stitch_gradient)


@dynamic_stitch_op.native
def dynamic_stitch_native(node):
    """Vectors and numbers whose places are known: what a reduction's gradient makes of shapes."""
    count = len(node.inputs) // 2
    places = [node.constant(i) for i in range(count)]
    if any(each is None for each in places) or any(value.dims is None for value in node.inputs[count:]):
        return None
    if any(value.dims != each.shape or len(value.dims) > 1 for value, each in zip(node.inputs[count:], places)):
        return None
    all_places = np.concatenate([each.reshape(-1) for each in places])
    # Of several for one place the last counts.
    chosen = {int(place): i for i, place in enumerate(all_places)}
    if sorted(chosen) != list(range(len(chosen))) or not chosen:
        return None
    order = np.array([chosen[place] for place in range(len(chosen))], np.int32)

    def lower(b, inputs):
        parts = [b.apply("reshape", [part], [-1])[0] for part in inputs[count:]]
        (joined,) = b.apply("concat", parts, [0])
        return b.apply("gather", [joined, b.constant(order)], [0, 0])

    return lower


for _decl in (dynamic_stitch_op, parallel_dynamic_stitch_op):
    _decl.accepts([np.int32(3), np.array([[0, 2], [1, 4]], np.int32)], [[2], [2, 2, 2]])
    _decl.accepts([np.array([1, 0], np.int32)], [[2]]).accepts(
        [np.array([1], np.int32), np.array([0], np.int32)], [[1], [1]], T="int64"
    )
    _decl.rejects([np.array([0, 1], np.int32)], [[3]], error=ValueError)
dynamic_stitch_op.accepts([np.array([0, 1], np.int32), np.array([1], np.int32)], [[2], [1]])
dynamic_stitch_op.accepts([np.array([0, 1, 2], np.int32), np.int32(1)], [[3], []])


def dynamic_partition(
    data: TensorLike | CompositeTensor, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Slices of `data` sorted into `num_partitions` tensors.

    Args:
        data: a tensor.
        partitions: int32 tensor whose shape begins that of `data`: which output each slice goes to.
        num_partitions: an int >= 1.
        name: a name for the operation.

    Example:
        >>> tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)  # [10, 30] and [20]
    """
    return raw.DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)


def dynamic_stitch(indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """One tensor of slices of several: `merged[indices[m][i]] = data[m][i]`, later ones winning.

    Example:
        >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]])  # [10, 20, 30]
    """
    return raw.DynamicStitch(list(indices), list(data), name=name)
