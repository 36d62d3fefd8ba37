"""A function of rows run once for the rows of several runs that come at about the same time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.core.cases import body
from headrace.core.graph_functions import attr_function
from headrace.core.registry import op, raw
from headrace.kernels.queues.elements import kept
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    import torch


batch_function_op = op(
    "BatchFunction",
    "in_tensors: *Tin, captured_tensors: *Tcaptured, *, f: func, num_batch_threads: int, max_batch_size: int, "
    "batch_timeout_micros: int, max_enqueued_batches=10, allowed_batch_sizes: list(int) = [], container='', "
    "shared_name='', batching_queue='', Tin: list(type) >= 1, Tcaptured: list(type) >= 0, Tout: list(type) >= 1 "
    "-> out_tensors: *Tout",
)
batch_function_op.checks().writes("captured_tensors")


class _Batch:
    """The rows of several runs: each run's values, and in the end the results.

    Attributes:
        tasks: the values of each run, row counts with them.
        rows: how many rows there are.
        closed: whether it takes no more.
        done: whether there are results or an error.
    """

    def __init__(self) -> None:
        self.tasks: list[tuple[int, Sequence[Any]]] = []
        self.rows = 0
        self.closed = self.done = False
        self.results: Sequence[Any] = ()
        self.error: BaseException | None = None


class Batcher:
    """Gathers batches. The thread whose rows come first runs the batch, the others wait for their part.

    Args:
        threads: how many batches may run at a time.
        most: the most rows of a batch.
        wait: how long a batch waits for more rows, in seconds.
        sizes: sizes to which batches are filled up, ascending; none for any.
        enqueued: how many batches may wait for a thread.
    """

    def __init__(self, threads: int, most: int, wait: float, sizes: Sequence[int], enqueued: int) -> None:
        self._most, self._wait, self._sizes, self._enqueued = most, wait, list(sizes), enqueued
        self._changed = threading.Condition()
        self._open: _Batch | None = None
        self._waiting = 0
        self._threads = threading.Semaphore(threads)

    def run(self, values: Sequence[Any], function: Callable[..., Sequence[Any]]) -> tuple[Any, ...]:
        """The results for the rows of `values`."""
        if any(not len(value.shape) for value in values):
            raise invalid("Batching input tensors must have at least one dimension")
        rows = int(values[0].shape[0])
        if any(value.shape[0] != rows for value in values):
            raise invalid("Batching input tensors supplied in a given op invocation must have equal 0th-dimension size")
        if rows > self._most:
            raise invalid(f"Task size {rows} is larger than maximum batch size {self._most}")
        with self._changed:
            batch = self._open
            if batch is not None and batch.rows + rows > self._most:
                self._close(batch)
                batch = None
            first = batch is None
            if batch is None:
                if self._waiting >= self._enqueued:
                    raise errors.UnavailableError(
                        None, None, "The batch scheduling queue to which this task was submitted is full"
                    )
                batch = self._open = _Batch()
                self._waiting += 1
            start = batch.rows
            batch.tasks.append((rows, values))
            batch.rows += rows
            if batch.rows >= self._most:
                self._close(batch)
        if first:
            self._lead(batch, function)
        else:
            with self._changed:
                self._changed.wait_for(lambda: batch.done)
        if batch.error is not None:
            raise batch.error
        return tuple(kept(result[start : start + rows]) for result in batch.results)

    def _close(self, batch: _Batch) -> None:
        batch.closed = True
        self._open = None
        self._changed.notify_all()

    def _lead(self, batch: _Batch, function: Callable[..., Sequence[Any]]) -> None:
        end = time.monotonic() + self._wait
        with self._changed:
            self._changed.wait_for(lambda: batch.closed, timeout=max(0.0, end - time.monotonic()))
            if not batch.closed:
                self._close(batch)
        try:
            with self._threads:
                batch.results = self._results(batch, function)
        except BaseException as error:  # noqa: BLE001 (raised by every run of the batch)
            batch.error = error
        finally:
            with self._changed:
                self._waiting -= 1
                batch.done = True
                self._changed.notify_all()

    def _results(self, batch: _Batch, function: Callable[..., Sequence[Any]]) -> Sequence[Any]:
        columns = [list(column) for column in zip(*[values for _, values in batch.tasks], strict=True)]
        size = next((size for size in self._sizes if size >= batch.rows), batch.rows)
        for column in columns:
            column.extend([column[0][:1]] * (size - batch.rows))
        results = function(*[_joined(column) for column in columns])
        for result in results:
            if not len(result.shape) or result.shape[0] != size:
                raise invalid(
                    "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the "
                    f"input tensors: shape {list(result.shape)}, {size} rows"
                )
        return results


def _joined(parts: list[Any]) -> torch.Tensor:
    if len(parts) == 1:
        return parts[0]
    import numpy as np
    import torch

    return torch.cat(parts) if isinstance(parts[0], torch.Tensor) else np.concatenate(parts)


@batch_function_op.shape
def batch_function_shape(op):
    return [None] * len(op.outputs)


@batch_function_op.kernel
def batch_function_kernel(node):
    attrs = node.attrs
    for name, least in (("num_batch_threads", 1), ("max_batch_size", 1), ("batch_timeout_micros", 0)):
        if attrs[name] < least:
            # Without a thread it would wait for ever.
            raise invalid(f"{name} must be at least {least}, got {attrs[name]}")
    sizes = attrs["allowed_batch_sizes"]
    if sizes and (sorted(set(sizes)) != list(sizes) or sizes[-1] != attrs["max_batch_size"]):
        raise invalid(
            "allowed_batch_sizes entries must be monotonically increasing and the last one must equal max_batch_size, "
            f"got {list(sizes)} and {attrs['max_batch_size']}"
        )
    call = node.runtime.bind(attr_function(node, "f"), node.name)
    count = len(attrs["Tin"])
    key = ("batcher", attrs["container"], attrs["shared_name"] or node.name, attrs["batching_queue"])
    batcher = node.runtime.object(
        key,
        lambda: Batcher(
            attrs["num_batch_threads"],
            attrs["max_batch_size"],
            attrs["batch_timeout_micros"] / 1e6,
            sizes,
            attrs["max_enqueued_batches"],
        ),
    )

    def run(*values):
        captured = values[count:]
        return batcher.run(values[:count], lambda *rows: call(*rows, *captured))

    return run


_ONE_THREAD = {"num_batch_threads": 1, "max_batch_size": 4, "batch_timeout_micros": 0}
_scaled = body(lambda rows, scale: raw.Mul(rows, scale), "float32", "float32")
batch_function_op.accepts([[3, 2]], [[2]], f=_scaled, Tout=["float32"], **_ONE_THREAD)
batch_function_op.accepts([[3, 2]], [[]], f=_scaled, Tout=["float32"], allowed_batch_sizes=[2, 4], **_ONE_THREAD)
batch_function_op.rejects(
    [[5, 2]], [[2]], f=_scaled, Tout=["float32"], error=errors.InvalidArgumentError, **_ONE_THREAD
)
