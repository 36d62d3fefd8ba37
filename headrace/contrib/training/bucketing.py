"""Batches of examples that are alike, such as sequences of about the same length."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.core.composite import convert_to_tensor_or_indexed_slices
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import smart_cond
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_min
from headrace.functions.queues.queues import FIFOQueue, PaddingFIFOQueue, QueueBase
from headrace.input_queues.components import (
    as_given,
    as_tensor_list,
    checked_keep_input,
    component_shapes,
    component_types,
)
from headrace.input_queues.sparse_components import restore_sparse, store_sparse
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less, less_equal
from headrace.ops.math.logical import logical_and
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_ENDS = (errors.OutOfRangeError, errors.CancelledError)


def _size(value: TensorLike) -> Any:
    tensor = convert_to_tensor(value, dtype=int32, name="batch_size")
    known = constant_value(tensor)
    return tensor if known is None else known


def bucket(
    tensors: Any,
    which_bucket: TensorLike,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: bool | TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Batches whose examples are all of one bucket.

    Args:
        tensors: the tensors of one example, in a list or dict.
        which_bucket: an int32 scalar tensor, the example's bucket.
        batch_size: how many examples make a batch, or a list with a number for each bucket.
        num_buckets: how many buckets there are.
        num_threads, shapes, dynamic_pad, allow_smaller_final_batch, shared_name, name: as for `tf.train.batch`.
        capacity: how many batches may lie ready.
        bucket_capacities: how many examples each bucket holds; `capacity` by default.
        keep_input: a bool scalar: whether the example is used at all.

    Returns:
        (bucket, batch): the batch's bucket and its tensors in the structure of `tensors`.

    Raises:
        ValueError: if lists are not of `num_buckets` elements, or a shape is not known.
    """
    per_bucket = isinstance(batch_size, (list, tuple))
    sizes = list(batch_size) if per_bucket else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    capacities = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({capacities}) must have exactly num_buckets ({num_buckets}) elements."
        )
    given = as_tensor_list(tensors)
    with name_scope(name, "bucket", given):
        components = [convert_to_tensor_or_indexed_slices(tensor) for tensor in given]
        if not components:
            raise ValueError("Expected at least one tensor in bucket().")
        keep = checked_keep_input(keep_input, enqueue_many=False)
        components, infos = store_sparse(components, False, keep)
        sizes = [_size(size) for size in sizes]
        types = component_types([components])
        shapes = component_shapes([components], shapes, False)
        which = convert_to_tensor(which_bucket, dtype=int32, name="which_bucket")
        queues = _bucket_queues(capacities, types, shapes, dynamic_pad, shared_name)
        rows = None if allow_smaller_final_batch or per_bucket or isinstance(sizes[-1], Tensor) else sizes[-1]
        top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[int32, *types],
            shapes=[TensorShape([]), *(TensorShape([rows]).concatenate(shape) for shape in queues[0].shapes)],
            shared_name=shared_name,
            name="top_queue",
        )
        enqueue = smart_cond(keep, lambda: _enqueued(queues, which, components), no_op)
        moves = _moves(queues, top, sizes, allow_smaller_final_batch)
        _add_runners(queues, top, [enqueue] * num_threads, moves)
        for queue in queues:
            scalar(f"bucket/{queue.name}/size", cast(top.size(), float32))
        scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", cast(top.size(), float32) * (1.0 / capacity))
        found, *batch = top.dequeue(name="dequeue_top")
        restored = restore_sparse(batch[0] if len(batch) == 1 else batch, infos)
        return found, as_given(tensors, restored)


def _bucket_queues(
    capacities: Sequence[int], types: list[Any], shapes: Any, dynamic_pad: bool, shared_name: str | None
) -> list[QueueBase]:
    kind: Any = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return [
        kind(
            capacity=capacity,
            dtypes=types,
            shapes=shapes,
            shared_name=None if shared_name is None else f"{shared_name}_{i}",
            name=f"bucket_queue_{i}",
        )
        for i, capacity in enumerate(capacities)
    ]


def _enqueued(queues: list[QueueBase], which: Tensor, components: list[Tensor]) -> Any:
    """The operation that puts an example into the queue of its bucket."""

    def into(queue: QueueBase) -> Callable[[], Any]:
        return lambda: queue.enqueue(components)

    ops = [cond(equal(which, i), into(queue), no_op) for i, queue in enumerate(queues)]
    return group(*ops, name="group_enqueues")


def _moves(queues: list[QueueBase], top: QueueBase, sizes: list[Any], allow_smaller_final_batch: bool) -> list[Any]:
    """The operations that move batches from the buckets to the queue of what lies ready, each with its bucket."""
    moves = []
    for i, (queue, size) in enumerate(zip(queues, sizes, strict=True)):
        number = constant(i)
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        taken = take(size, name=f"read_bucket_{i}")
        taken = list(taken) if isinstance(taken, (list, tuple)) else [taken]
        moves.append(top.enqueue([number, *taken], name=f"enqueue_from_bucket_{i}"))
    return moves


def _add_runners(queues: list[QueueBase], top: QueueBase, enqueues: list[Any], moves: list[Any]) -> None:
    add_queue_runner(
        QueueRunner(
            queues[0],
            moves,
            close_op=top.close(),
            cancel_op=top.close(cancel_pending_enqueues=True),
            queue_closed_exception_types=_ENDS,
        )
    )
    add_queue_runner(
        QueueRunner(
            top,
            enqueues,
            close_op=group(*[queue.close() for queue in queues]),
            cancel_op=group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
            queue_closed_exception_types=_ENDS,
        )
    )


def bucket_by_sequence_length(
    input_length: TensorLike,
    tensors: Any,
    batch_size: int,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: bool | TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Batches of sequences of about the same length.

    Args:
        input_length: an int32 scalar tensor, the example's length.
        tensors: the tensors of one example, in a list or dict.
        bucket_boundaries: increasing lengths at which the buckets but the first begin.
        batch_size, num_threads, capacity, bucket_capacities, shapes, dynamic_pad, allow_smaller_final_batch, keep_input,
            shared_name, name: as for `bucket`.

    Returns:
        (lengths, batch).

    Raises:
        TypeError, ValueError: if the boundaries are not increasing integers.
    """
    given = as_tensor_list(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for start, end in itertools.pairwise(bucket_boundaries):
        if not isinstance(start, int) or not isinstance(end, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {start} and {end}")
        if start >= end:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {start} before {end}")
    with name_scope(name, "bucket_by_sequence_length", [input_length, *given]):
        length = convert_to_tensor(input_length, dtype=int32, name="input_length")
        limits = np.iinfo(np.int32)
        least = [int(limits.min), *bucket_boundaries]
        most = [*bucket_boundaries, int(limits.max)]
        inside = logical_and(less_equal(least, length), less(length, most))
        which = cast(reduce_min(where_v2(inside)), int32)
        if shapes is not None:
            shapes = [TensorShape([]), *shapes]
        _, batch = bucket(
            tensors=[length, *given],
            which_bucket=which,
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=shapes,
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        return batch[0], as_given(tensors, batch[1] if len(batch) == 2 and isinstance(tensors, dict) else batch[1:])
