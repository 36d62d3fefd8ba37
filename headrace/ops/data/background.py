"""Work beside the step: elements made ahead of time, and functions that run on several elements at once.

A thread works only while there is something to make and room for it, and nothing waits for a consumer, so a forgotten
iterator leaves no thread behind.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import shutdown, spans
from headrace.core.errors import InvalidArgumentError
from headrace.devices import pool
from headrace.kernels.data.base import (
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    Passing,
    captured_count,
    dataset_op,
    integer,
    invalid,
    made_by,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, NEGATED, numbers
from headrace.kernels.data.parallel_mapped import Failed, mapped

if TYPE_CHECKING:
    import torch


_AUTOTUNED_BUFFER = 2


class Prefetched(Passing):
    """The elements of its input, up to `size` of them made before they are asked for."""

    def __init__(self, source: Dataset, size: int) -> None:
        super().__init__(source)
        if size < -1:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
        self.size = _AUTOTUNED_BUFFER if size == -1 else size

    def start(self, iteration: Iteration) -> Next:
        upstream = self.inputs[0].start(iteration)
        if self.size == 0:
            return upstream
        return ahead(upstream, self.size, iteration)


def ahead(upstream: Next, size: int, iteration: Iteration) -> Next:
    """`upstream` with up to `size` elements made by a thread before they are asked for."""
    ready: deque[Any] = deque()
    changed = threading.Condition()
    iteration.wakes(changed)
    busy = over = False

    def fill() -> None:
        nonlocal busy, over
        while True:
            start_time = time.perf_counter()
            try:
                item: Failed | tuple[int | np.ndarray | torch.Tensor, ...] | None = upstream()
            except BaseException as error:  # noqa: BLE001 -- it is raised where the element is asked for
                item = Failed(error)
            if spans.is_recording():
                spans.record("PrefetchDataset", start_time)
            with changed:
                if item is None:
                    over = True
                else:
                    ready.append(item)
                if over or iteration.closed or len(ready) >= size or shutdown.in_progress:
                    busy = False
                    changed.notify_all()
                    return
                changed.notify_all()

    def next_element() -> Element | None:
        nonlocal busy, over
        with changed:
            while not ready and busy:
                iteration.wait(changed)
            if ready:
                item = ready.popleft()
                begin = not busy and not over
                busy = busy or begin
                inline = False
            elif over:
                return None
            else:
                # Nobody is at it: the one who wants it makes it.
                busy = inline = begin = True
        if inline:
            try:
                item = upstream()
            except BaseException:
                with changed:
                    busy = False
                    changed.notify_all()
                raise
            if item is None:
                with changed:
                    over, busy = True, False
                    changed.notify_all()
                return None
        if begin:
            pool.submit(fill)
        if type(item) is Failed:
            raise item.error
        return item

    return next_element


prefetch_dataset = dataset_op(
    "PrefetchDataset",
    "input_dataset: variant, buffer_size: int64, *, {}, slack_period=0, legacy_autotune=True -> handle: variant",
)


@prefetch_dataset.kernel
def prefetch_dataset_kernel(node):
    return lambda source, size: Prefetched(source, integer(size))


parallel_map_dataset = dataset_op(
    "ParallelMapDataset",
    "input_dataset: variant, other_arguments: *Targuments, num_parallel_calls: int32, *, f: func, Targuments: list(type) "
    ">= 0, {}, use_inter_op_parallelism=True, sloppy=False, preserve_cardinality=False -> handle: variant",
)


@made_by(parallel_map_dataset)
def parallel_map_dataset_kernel(node):
    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)
    sloppy = node.attrs["sloppy"]
    return lambda source, *values: mapped(source, function, values[:count], integer(values[count]), sloppy)


prefetch_dataset.accepts(numbers(3), np.int64(2), **INT64_SCALARS).accepts(numbers(3), np.int64(-1), **INT64_SCALARS)
prefetch_dataset.rejects(numbers(3), np.int64(-2), error=InvalidArgumentError, **INT64_SCALARS)
parallel_map_dataset.accepts(numbers(3), [], np.int32(2), f=NEGATED, **INT64_SCALARS)
parallel_map_dataset.rejects(numbers(3), [], np.int32(0), f=NEGATED, error=InvalidArgumentError, **INT64_SCALARS)
