"""Queues of batches that are ready before they are needed."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.functions.queues.queues import FIFOQueue, PaddingFIFOQueue
from headrace.ops.math.cast import cast
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary import operations as summary


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue that threads of queue runners fill with `tensors`.

    Args:
        tensors: a list or dict of tensors.
        capacity: how many of them it holds.
        num_threads: how many threads fill it.
        dynamic_pad: whether elements of different shapes are padded when they are dequeued together.
        shared_name: the name under which sessions share it.
        name: a name scope.

    Example:
        >>> queue = slim.prefetch_queue.prefetch_queue([images, labels])
        >>> images, labels = queue.dequeue()
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = tensors if names is None else [tensors[key] for key in names]
    with name_scope(name, "prefetch_queue", listed):
        queue = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in listed],
            shapes=[tensor.shape for tensor in listed],
            names=names,
            shared_name=shared_name,
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        summary.scalar(f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))
        return queue
