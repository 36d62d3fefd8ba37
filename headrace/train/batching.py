"""Batches out of single examples: queues filled by threads of their own and emptied a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headrace.core.composite import SparseTensor, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int32, int64
from headrace.core.operation import Operation, Tensor
from headrace.core.shapes import Dimension, TensorShape, dimension_value
from headrace.ops.array.constant import constant
from headrace.ops.array.dynamic import dynamic_partition
from headrace.ops.array.fill import ones
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import expand_dims, shape, squeeze
from headrace.ops.flow.case import smart_cond
from headrace.ops.flow.grouping import no_op, with_dependencies
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.queues.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from headrace.ops.sparse.layout import sparse_retain
from headrace.ops.sparse.maps import (
    add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)
from headrace.summary.functions import scalar
from headrace.train.queue_runner import QueueRunner, add_queue_runner


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


# ---- arguments ----


def as_tensor_list(tensors: Any) -> list[Any]:
    if isinstance(tensors, Mapping):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return list(tensors)


def _tensor_lists(tensors_list: Any) -> list[list[Any]]:
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], Mapping):
        keys = set(tensors_list[0])
        if any(set(tensors.keys()) != keys for tensors in tensors_list[1:]):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
    elif any(isinstance(tensors, Mapping) for tensors in tensors_list):
        raise TypeError("values must be a sequence.")
    return [as_tensor_list(tensors) for tensors in tensors_list]


def as_given(given: Any, tensors: Any) -> Any:
    """The batches in the structure of what was given."""
    if isinstance(given, Mapping):
        batches = [tensors] if len(given) == 1 else tensors
        return dict(zip(sorted(given, key=str), batches, strict=True))
    return tensors


def checked_keep_input(keep_input: Any, enqueue_many: bool) -> Tensor:
    """`keep_input` as a tensor.

    Raises:
        ValueError: if its rank does not fit.
    """
    keep = convert_to_tensor(keep_input)
    rank = keep.shape.ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def component_types(tensor_lists: Sequence[Sequence[Tensor]]) -> list[Any]:
    """The types that all lists have.

    Raises:
        TypeError: if they differ.
    """
    types = [tensor.dtype for tensor in tensor_lists[0]]
    for tensors in tensor_lists[1:]:
        others = [tensor.dtype for tensor in tensors]
        if others != types:
            raise TypeError(
                f"Expected types to be consistent: {', '.join(t.name for t in types)} vs. "
                f"{', '.join(t.name for t in others)}."
            )
    return types


def component_shapes(tensor_lists: Sequence[Sequence[Tensor]], shapes: Any, enqueue_many: bool) -> Any:
    """The shapes of the queue's components: those given, or what the tensors say.

    Raises:
        ValueError: if a rank is unknown.
    """
    if shapes is not None:
        return shapes
    for tensors in tensor_lists:
        for tensor in tensors:
            if tensor.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    found = []
    # As many columns as the shortest list has.
    for column in zip(*tensor_lists, strict=False):
        column_shapes = [TensorShape(tensor.shape) for tensor in column]
        if enqueue_many:
            column_shapes = [item.with_rank_at_least(1)[1:] for item in column_shapes]
        for item in column_shapes[1:]:
            column_shapes[0].merge_with(item)
        found.append(column_shapes[0].as_list())
    return found


# ---- sparse tensors ----


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
        return smart_cond(  # type: ignore[no-any-return]
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


def _store_all_sparse(
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


def restore_sparse(stored: Any, infos: Sequence[SparseInfo]) -> Any:
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
        tensors = [
            SparseTensor(
                indices=with_dependencies(values, tensor.indices),
                values=with_dependencies(values, tensor.values),
                dense_shape=with_dependencies(values, tensor.dense_shape),
            )
            if isinstance(tensor, SparseTensor)
            else with_dependencies(values, tensor)
            for tensor in tensors
        ]
    return tensors[0] if single else tensors


# ---- queues ----


def _kept_rows(tensors: Sequence[Tensor], keep_input: Tensor) -> list[Tensor]:
    which = cast(keep_input, int32)
    return [dynamic_partition(tensor, which, num_partitions=2)[1] for tensor in tensors]


def _enqueue_op(queue: QueueBase, tensors: Sequence[Tensor], enqueue_many: bool, keep_input: Tensor) -> Any:
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        return enqueue(_kept_rows(tensors, keep_input))
    return smart_cond(keep_input, lambda: enqueue(tensors), no_op)


def _fullness(queue: QueueBase, capacity: int, least: int | None) -> None:
    """The summary of how full a queue is."""
    if least is None:
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))
        return
    full = cast(maximum(0, queue.size() - least), float32) * (1.0 / (capacity - least))
    scalar(f"fraction_over_{least}_of_{capacity - least}_full", full)


def _batched(
    given: Any,
    tensor_lists: list[list[Any]],
    joined: bool,
    scope_name: str,
    function: str,
    batch_size: Any,
    keep_input: Any,
    threads: int,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    name: str | None,
    make_queue: Callable[[list[Any], Any], QueueBase],
    capacity: int,
    least: int | None,
) -> Any:
    """What all the batching functions do.

    Args:
        given: one set of tensors as it was given, for the structure of the result.
        tensor_lists: the sets of tensors.
        joined: whether each set has a thread of its own.
        scope_name: the default name scope.
        function: the public function's name, for errors.
        make_queue: from types and shapes to the queue.
        least: how many elements a shuffling queue keeps.
    """
    flat = [tensor for tensors in tensor_lists for tensor in tensors]
    with name_scope(name, scope_name, [*flat, keep_input]) as scope:
        if least is not None and not joined and capacity <= least:
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")
        tensor_lists = [[convert_to_tensor_or_indexed_slices(t) for t in tensors] for tensors in tensor_lists]
        if not tensor_lists[0]:
            raise ValueError(f"Expected at least one {'input' if joined else 'tensor'} in {function}().")
        keep = checked_keep_input(keep_input, enqueue_many)
        stored, infos = _store_all_sparse(tensor_lists, enqueue_many, keep)
        types = component_types(stored)
        queue = make_queue(types, component_shapes(stored, shapes, enqueue_many))
        ops = [_enqueue_op(queue, tensors, enqueue_many, keep) for tensors in stored]
        add_queue_runner(QueueRunner(queue, ops * threads))
        _fullness(queue, capacity, least)
        dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return as_given(given, restore_sparse(dequeue(batch_size, name=scope), infos))


def _fifo(capacity: int, dynamic_pad: bool, shared_name: str | None) -> Callable[[list[Any], Any], QueueBase]:
    kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return lambda types, shapes: kind(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)


def _shuffling(
    capacity: int, least: int, seed: int | None, shared_name: str | None
) -> Callable[[list[Any], Any], QueueBase]:
    return lambda types, shapes: RandomShuffleQueue(
        capacity=capacity, min_after_dequeue=least, seed=seed, dtypes=types, shapes=shapes, shared_name=shared_name
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of those examples for which `keep_input` is true.

    Args:
        tensors: as for `batch`.
        keep_input: a bool scalar; with `enqueue_many` it may be a vector, one for each row.
        batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name,
            name: as for `batch`.
    """
    return _batched(
        tensors,
        [as_tensor_list(tensors)],
        False,
        "batch",
        "batch",
        batch_size,
        keep_input,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        _fifo(capacity, dynamic_pad, shared_name),
        capacity,
        None,
    )


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples, in the order they come.

    A queue runner computes `tensors` again and again in threads of its own; see `start_queue_runners`.

    Args:
        tensors: the tensors (or SparseTensors) of one example, in a list or dict.
        batch_size: how many examples make a batch, an integer or integer tensor.
        num_threads: how many threads; with more than one the order varies.
        capacity: how many examples may lie ready.
        enqueue_many: whether `tensors` are several examples, along a first dimension.
        shapes: an example's shapes, where they are not known.
        dynamic_pad: whether examples may differ in size and are filled up with zeros.
        allow_smaller_final_batch: whether the examples left at the end make a smaller batch.
        shared_name: the queue's shared name.
        name: a name for the operations.

    Returns:
        the structure of `tensors`, each with a first dimension of `batch_size`.

    Raises:
        ValueError: if a shape is not known.
        tf.errors.OutOfRangeError: when it runs, at the end of the examples.

    Example:
        >>> images, labels = tf.train.batch([image, label], batch_size=32, capacity=2000)
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch_join` of those examples for which `keep_input` is true; see `maybe_batch`."""
    lists = _tensor_lists(tensors_list)
    return _batched(
        tensors_list[0],
        lists,
        True,
        "batch_join",
        "batch_join",
        batch_size,
        keep_input,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        _fifo(capacity, dynamic_pad, shared_name),
        capacity,
        None,
    )


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of examples that are made in several ways at once, such as from several files.

    Args:
        tensors_list: a list of lists or dicts of tensors; each has a thread of its own.
        batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name, name: as for
            `batch`.
    """
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of those examples for which `keep_input` is true; see `maybe_batch`."""
    return _batched(
        tensors,
        [as_tensor_list(tensors)],
        False,
        "shuffle_batch",
        "batch",
        batch_size,
        keep_input,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        _shuffling(capacity, min_after_dequeue, seed, shared_name),
        capacity,
        min_after_dequeue,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of examples in random order.

    Args:
        tensors, batch_size, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name: as for
            `batch`.
        capacity: how many examples may lie ready; more than `min_after_dequeue`.
        min_after_dequeue: how many must lie ready to choose from.
        seed: the seed of the order.

    Raises:
        ValueError: if `capacity` is too small or a shape is not known.

    Example:
        >>> images, labels = tf.train.shuffle_batch([image, label], 32, capacity=2000, min_after_dequeue=1000)
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch_join` of those examples for which `keep_input` is true; see `maybe_batch`."""
    lists = _tensor_lists(tensors_list)
    return _batched(
        tensors_list[0],
        lists,
        True,
        "shuffle_batch_join",
        "batch_join",
        batch_size,
        keep_input,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        _shuffling(capacity, min_after_dequeue, seed, shared_name),
        capacity,
        min_after_dequeue,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of examples that are made in several ways at once; see `batch_join`."""
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )
