"""Batches out of single examples: queues filled by threads of their own and emptied a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import convert_to_tensor_or_indexed_slices
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int32
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import smart_cond
from headrace.functions.queues.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from headrace.input_queues.components import (
    as_given,
    as_tensor_list,
    checked_keep_input,
    component_shapes,
    component_types,
    tensor_lists_of,
)
from headrace.input_queues.sparse_components import restore_sparse, store_all_sparse
from headrace.ops.array.dynamic import dynamic_partition
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.operation import Operation
    from headrace.core.typing import Nested, TensorLike


def _kept_rows(tensors: Sequence[Tensor], keep_input: Tensor) -> list[Tensor]:
    which = cast(keep_input, int32)
    return [dynamic_partition(tensor, which, num_partitions=2)[1] for tensor in tensors]


def _enqueue_op(
    queue: QueueBase, tensors: Sequence[Tensor], enqueue_many: bool, keep_input: Tensor
) -> Operation | Tensor:
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
    given: Sequence[SparseTensor | Tensor] | Mapping[str, Tensor],
    tensor_lists: list[list[Any]],
    joined: bool,
    scope_name: str,
    function: str,
    batch_size: int,
    keep_input: TensorLike,
    threads: int,
    enqueue_many: bool,
    shapes: Sequence[Sequence[int]] | None,
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
    if executing_eagerly():
        raise ValueError(
            f"tf.train.{function}: input pipelines of queues are not supported while executing eagerly; batch with tf.data."
        )
    flat = [tensor for tensors in tensor_lists for tensor in tensors]
    with name_scope(name, scope_name, [*flat, keep_input]) as scope:
        if least is not None and not joined and capacity <= least:
            raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")
        tensor_lists = [[convert_to_tensor_or_indexed_slices(t) for t in tensors] for tensors in tensor_lists]
        if not tensor_lists[0]:
            raise ValueError(f"Expected at least one {'input' if joined else 'tensor'} in {function}().")
        keep = checked_keep_input(keep_input, enqueue_many)
        stored, infos = store_all_sparse(tensor_lists, enqueue_many, keep)
        types = component_types(stored)
        queue = make_queue(types, component_shapes(stored, shapes, enqueue_many))
        ops = [_enqueue_op(queue, tensors, enqueue_many, keep) for tensors in stored]
        add_queue_runner(QueueRunner(queue, ops * threads))
        _fullness(queue, capacity, least)
        dequeue = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return as_given(given, restore_sparse(dequeue(batch_size, name=scope), infos))


def _fifo(capacity: int, dynamic_pad: bool, shared_name: str | None) -> Callable[[list[Any], Any], QueueBase]:
    kind: type = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return lambda types, shapes: kind(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)


def _shuffling(
    capacity: int, least: int, seed: int | None, shared_name: str | None
) -> Callable[[list[Any], Any], QueueBase]:
    return lambda types, shapes: RandomShuffleQueue(
        capacity=capacity, min_after_dequeue=least, seed=seed, dtypes=types, shapes=shapes, shared_name=shared_name
    )


def maybe_batch(
    tensors: Sequence[SparseTensor | Tensor] | Mapping[str, Tensor],
    keep_input: TensorLike,
    batch_size: int,
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
    tensors: Sequence[SparseTensor | Tensor] | Mapping[str, Tensor],
    batch_size: int,
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
        >>> images, labels = tf.train.batch([image, tf.constant(3)], batch_size=32, capacity=2000)
        >>> images.shape.as_list(), labels.shape.as_list()
        ([32, 8, 8, 3], [32])
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
    keep_input: TensorLike,
    batch_size: int,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch_join` of those examples for which `keep_input` is true; see `maybe_batch`."""
    lists = tensor_lists_of(tensors_list)
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
    tensors_list: Nested[TensorLike],
    batch_size: int,
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
    tensors: Sequence[Tensor],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[Sequence[int]] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
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
    tensors: Sequence[Tensor],
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Sequence[Sequence[int]] | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Tensor:
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
        >>> images, labels = tf.train.shuffle_batch(
        ...     [image, tf.constant(3)], 32, capacity=2000, min_after_dequeue=1000)
        >>> images.shape.as_list(), labels.shape.as_list()
        ([32, 8, 8, 3], [32])
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
    batch_size: int,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch_join` of those examples for which `keep_input` is true; see `maybe_batch`."""
    lists = tensor_lists_of(tensors_list)
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
    tensors_list: Nested[TensorLike],
    batch_size: int,
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
