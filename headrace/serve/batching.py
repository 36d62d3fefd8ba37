"""Requests put together: rows of several callers run as one batch, and each gets its own back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.serve.failures import FAILURES
from headrace.serve.metrics import BATCH_SIZE, Metrics
from headrace.serve.servable import Call, Values, run_call


@dataclass(frozen=True)
class BatchingOptions:
    """How requests are put together.

    Args:
        max_batch_size: the most rows of a batch.
        timeout: how long a batch that is not full waits for more, in seconds.
        max_enqueued_batches: so many batches of one kind may wait; a request beyond them is refused.
        threads: how many batches run at the same time.
        allowed_sizes: the sizes to which batches are filled up, ascending, the last one the largest; any by default.
    """

    max_batch_size: int = 1000
    timeout: float = 0.0
    max_enqueued_batches: int = 10
    threads: int = 0
    allowed_sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sizes = self.allowed_sizes
        if self.max_batch_size < 1 or self.max_enqueued_batches < 1 or self.timeout < 0:
            raise errors.InvalidArgumentError(
                None, None, f"Batching needs sizes of at least 1 and a timeout of at least 0, got {self}"
            )
        if sizes and (list(sizes) != sorted(set(sizes)) or sizes[0] < 1 or sizes[-1] != self.max_batch_size):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"allowed_batch_sizes must ascend and end with max_batch_size {self.max_batch_size}, got {list(sizes)}",
            )


def batching_options(message: Any) -> BatchingOptions:
    """The options of a `BatchingParameters`.

    Raises:
        InvalidArgumentError: for sizes that do not fit each other.
        UnimplementedError: for padding of inputs of different lengths.
    """
    if message.pad_variable_length_inputs:
        raise errors.UnimplementedError(
            None, None, "pad_variable_length_inputs: pad in the client; requests of different shapes run apart here."
        )
    given: dict[str, Any] = {}
    if message.HasField("max_batch_size"):
        given["max_batch_size"] = message.max_batch_size.value
    if message.HasField("batch_timeout_micros"):
        given["timeout"] = message.batch_timeout_micros.value / 1e6
    if message.HasField("max_enqueued_batches"):
        given["max_enqueued_batches"] = message.max_enqueued_batches.value
    if message.HasField("num_batch_threads"):
        given["threads"] = message.num_batch_threads.value
    return BatchingOptions(allowed_sizes=tuple(message.allowed_batch_sizes), **given)


@dataclass(eq=False)
class _Task:
    arrays: Values
    rows: int
    done: Callable[[Values | BaseException], None]


@dataclass(eq=False)
class _Batch:
    call: Call
    since: float
    tasks: list[_Task] = field(default_factory=list)
    rows: int = 0


# Requests of one call and of the same shapes beyond the first dimension.
_Key = tuple[Call, tuple[tuple[int, ...], ...]]


class BatchScheduler:
    """Runs calls together with others of the same kind.

    Args:
        options: how.
        metrics: where the sizes of batches are counted.
    """

    def __init__(self, options: BatchingOptions, metrics: Metrics) -> None:
        self.options = options
        self._metrics = metrics
        self._waiting = threading.Condition()
        self._queues: dict[_Key, list[_Batch]] = {}
        self._closed = False
        count = options.threads or os.cpu_count() or 1
        self._threads = [
            threading.Thread(target=self._work, name=f"batching-{index}", daemon=True) for index in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, call: Call, arrays: Values) -> Values:
        """The values of a call, run with those of others.

        Raises:
            InvalidArgumentError: for more rows than a batch may have, or inputs of different numbers of rows.
            UnavailableError: if too many wait already.
            OpError: what the call itself raises.
        """
        result: Future[Values | BaseException] = Future()
        if not self.submit(call, arrays, result.set_result):
            return run_call(call, arrays)
        found = result.result()
        if isinstance(found, BaseException):
            raise found
        return found

    def submit(self, call: Call, arrays: Values, done: Callable[[Values | BaseException], None]) -> bool:
        """Has `done` called with the values of a call, or the error, by the thread that ran it; errors otherwise as of `run`.

        Returns:
            whether it will be; False for a call that is to be run alone.
        """
        if not call.batchable or any(array.ndim == 0 for array in arrays):
            return False
        rows = len(arrays[0])
        if any(len(array) != rows for array in arrays):
            sizes = [len(array) for array in arrays]
            raise errors.InvalidArgumentError(
                None, None, f"Batching session Run() input tensors must have equal 0th-dimension size, got {sizes}"
            )
        if rows == 0:
            return False
        if rows > self.options.max_batch_size:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Task size {rows} is larger than maximum input batch size {self.options.max_batch_size}",
            )
        self._enqueue((call, tuple(array.shape[1:] for array in arrays)), _Task(arrays, rows, done))
        return True

    def _enqueue(self, key: _Key, task: _Task) -> None:
        with self._waiting:
            if self._closed:
                raise errors.UnavailableError(None, None, "The server is going down.")
            queue = self._queues.setdefault(key, [])
            if not queue or queue[-1].rows + task.rows > self.options.max_batch_size:
                if len(queue) >= self.options.max_enqueued_batches:
                    raise errors.UnavailableError(
                        None, None, "The batch scheduling queue to which this task was submitted is full"
                    )
                queue.append(_Batch(key[0], time.monotonic()))
            queue[-1].tasks.append(task)
            queue[-1].rows += task.rows
            self._waiting.notify()

    def _work(self) -> None:
        while True:
            with self._waiting:
                batch = self._next()
            if batch is None:
                return
            self._run(batch)

    def _next(self) -> _Batch | None:
        """The next batch to run, once there is one; None when the scheduler is closed and nothing waits."""
        while True:
            now = time.monotonic()
            soonest: float | None = None
            for key, queue in self._queues.items():
                due = queue[0].since + self.options.timeout
                full = len(queue) > 1 or queue[0].rows >= self.options.max_batch_size
                if full or due <= now or self._closed:
                    batch = queue.pop(0)
                    # Behind the others, so that no kind of requests keeps the threads to itself.
                    del self._queues[key]
                    if queue:
                        self._queues[key] = queue
                    return batch
                soonest = due if soonest is None else min(soonest, due)
            if self._closed:
                return None
            self._waiting.wait(None if soonest is None else soonest - now)

    def _run(self, batch: _Batch) -> None:
        self._metrics.observe(BATCH_SIZE, batch.rows, model_name=batch.call.servable.name)
        if len(batch.tasks) == 1 and not self.options.allowed_sizes:
            _finish(batch.tasks[0], batch.call)
            return
        try:
            parts = self._run_together(batch)
        except FAILURES:
            # Whose fault it was shows when each is run for itself.
            for task in batch.tasks:
                _finish(task, batch.call)
            return
        for task, part in zip(batch.tasks, parts, strict=True):
            task.done(part)

    def _run_together(self, batch: _Batch) -> list[Values]:
        size = next((size for size in self.options.allowed_sizes if size >= batch.rows), batch.rows)
        joined = []
        for column in zip(*(task.arrays for task in batch.tasks), strict=True):
            pieces = list(column)
            if size > batch.rows:
                pieces.append(np.repeat(pieces[0][:1], size - batch.rows, axis=0))
            joined.append(np.concatenate(pieces))
        values = run_call(batch.call, joined)
        for value in values:
            if np.ndim(value) == 0 or len(value) != size:
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    f"Batched output tensor's 0th dimension does not equal the sum of those of the inputs: got shape "
                    f"{list(np.shape(value))} for {size} rows",
                )
        parts: list[Values] = []
        start = 0
        for task in batch.tasks:
            parts.append([value[start : start + task.rows] for value in values])
            start += task.rows
        return parts

    def close(self) -> None:
        """Runs what waits and ends the threads."""
        with self._waiting:
            self._closed = True
            self._waiting.notify_all()
        for thread in self._threads:
            thread.join()


def _finish(task: _Task, call: Call) -> None:
    try:
        found: Values | BaseException = run_call(call, task.arrays)
    except FAILURES as error:
        found = error
    task.done(found)
