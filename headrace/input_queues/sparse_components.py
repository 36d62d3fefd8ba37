"""Sparse tensors in queues: kept in the session, and queued by the numbers they are kept under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import int64
from headrace.core.operation import Operation
from headrace.core.shapes import Dimension, dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import smart_cond
from headrace.functions.sparse.layout import sparse_retain
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.sparse.maps import (
    add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)


@dataclass
class SparseInfo:
    """What a queue component was before it was stored by number: nothing else (map_op None), or a sparse tensor.

    Attributes:
        map_op: the operation that stores it.
        rank: its rank within an element.
    """

    map_op: Operation | None
    rank: Dimension

    def agrees(self, other: SparseInfo) -> bool:
        """Whether both can stand in one queue component."""
        if self.map_op is None or other.map_op is None:
            return self.map_op is other.map_op
        return self.map_op == other.map_op and self.rank.is_compatible_with(other.rank)


def store_sparse(
    tensors: Sequence[Any], enqueue_many: bool, keep_input: Tensor, map_ops: Sequence[Operation | None] | None = None
) -> tuple[list[Tensor], list[SparseInfo]]:
    """The tensors with numbers in the place of sparse ones, which are kept in the session.

    Args:
        tensors: tensors and SparseTensors.
        enqueue_many: whether they are batches.
        keep_input: whether they are kept at all.
        map_ops: operations whose maps to use.
    """
    stored = []
    infos = []
    for tensor, map_op in zip(tensors, map_ops or [None] * len(tensors), strict=True):
        if not isinstance(tensor, SparseTensor):
            stored.append(tensor)
            infos.append(SparseInfo(None, Dimension(None)))
            continue
        handle = _stored(tensor, enqueue_many, keep_input, None if map_op is None else map_op.name)
        rank = tensor.dense_shape.shape.with_rank(1)[0]
        infos.append(SparseInfo(map_op or _storing_op(handle), rank - 1 if enqueue_many else rank))
        stored.append(handle)
    return [
        tensor if info.map_op is None else expand_dims(tensor, [-1]) for tensor, info in zip(stored, infos, strict=True)
    ], infos


def _stored(tensor: SparseTensor, enqueue_many: bool, keep_input: Tensor, shared_name: str | None) -> Tensor:
    if keep_input.shape.ndims == 1:
        rows = tensor.indices[:, 0]
        return add_many_sparse_to_tensors_map(sparse_retain(tensor, gather(keep_input, rows)), shared_name=shared_name)
    if not enqueue_many:
        return smart_cond(
            keep_input,
            lambda: add_sparse_to_tensors_map(tensor, shared_name=shared_name),
            lambda: constant(-1, int64),
        )
    handles: Tensor = smart_cond(
        keep_input,
        lambda: add_many_sparse_to_tensors_map(tensor, shared_name=shared_name),
        lambda: -1 * ones(shape(tensor)[0:1], int64),
    )
    handles.set_shape([None])
    return handles


def _storing_op(handle: Tensor) -> Operation:
    """The operation that stores, also where a cond lies between it and its handle."""
    for tensor in handle.op.inputs:
        if tensor.op.type in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
            return tensor.op
    return handle.op


def store_all_sparse(
    tensor_lists: Sequence[Sequence[Any]], enqueue_many: bool, keep_input: Tensor
) -> tuple[list[list[Tensor]], list[SparseInfo]]:
    """`store_sparse` of each list, all in the same maps."""
    first, infos = store_sparse(tensor_lists[0], enqueue_many, keep_input)
    stored = [first]
    for tensors in tensor_lists[1:]:
        if len(tensors) < len(first):
            raise ValueError(f"Inconsistent SparseTensors list: {tensor_lists[0]} vs. {tensors}")
        # What the first list has no place for is left out.
        tensors = tensors[: len(first)]
        more, candidates = store_sparse(tensors, enqueue_many, keep_input, [info.map_op for info in infos])
        if not all(info.agrees(candidate) for info, candidate in zip(infos, candidates, strict=True)):
            raise ValueError(f"Inconsistent SparseTensors list: {tensor_lists[0]} vs. {tensors}")
        infos = [
            SparseInfo(info.map_op, info.rank.merge_with(candidate.rank))
            for info, candidate in zip(infos, candidates, strict=True)
        ]
        stored.append(more)
    return stored, infos


def restore_sparse(stored: Tensor | Sequence[Tensor], infos: Sequence[SparseInfo]) -> Any:
    """Dequeued batches with sparse tensors again in the place of their numbers."""
    single = not isinstance(stored, (list, tuple))
    tensors: list[Any] = []
    for tensor, info in zip([stored] if single else stored, infos, strict=True):
        if info.map_op is None:
            tensors.append(tensor)
        else:
            handles = squeeze(tensor, [1])
            tensors.append(take_many_sparse_from_tensors_map(info.map_op, handles, rank=dimension_value(info.rank + 1)))
    if any(info.map_op is not None for info in infos):
        # All of a batch are taken, whichever of them a step asks for.
        values = [tensor.values if isinstance(tensor, SparseTensor) else tensor for tensor in tensors]
        together = [
            SparseTensor(
                indices=with_dependencies(values, tensor.indices),
                values=with_dependencies(values, tensor.values),
                dense_shape=with_dependencies(values, tensor.dense_shape),
            )
            if isinstance(tensor, SparseTensor)
            else with_dependencies(values, tensor)
            for tensor in tensors
        ]
        # One that stands alone is given as it was taken; what would have bound it to itself is in the graph.
        tensors = tensors if single else together
    return tensors[0] if single else tensors
