"""Data of the program put into queues: arrays, data frames and generators, a batch at a time."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32, int64, string
from headrace.core.errors import OutOfRangeError
from headrace.functions.queues.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from headrace.input_queues.feeding import FeedingQueueRunner
from headrace.ops.array.constant import placeholder
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.sessions.queue_runner import add_queue_runner
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FeedDict


def next_rows(
    batch_indices_start: int,
    batch_size: int,
    epoch_end: int,
    array_length: int,
    current_epoch: int,
    total_epochs: int | None,
) -> tuple[list[int], int]:
    """The numbers of the rows of one batch, and how many epochs have ended with it.

    Args:
        batch_indices_start: the number of the first row; rows are numbered around and around.
        batch_size: how many there are; the last epoch may end before.
        epoch_end: the number of the row that is the last of an epoch.
        array_length: how many rows there are in all.
        current_epoch: how many epochs have ended before.
        total_epochs: after how many it is over, None for never.

    Raises:
        OutOfRangeError: if it was over before.
    """
    rows, epoch = _next_rows(batch_indices_start, batch_size, epoch_end, array_length, current_epoch, total_epochs)
    return rows.tolist(), epoch


def _next_rows(
    start: int, batch_size: int, last: int, length: int, epoch: int, num_epochs: int | None
) -> tuple[np.ndarray[Any, Any], int]:
    """As `next_rows`; as an array, which takes rows out of others at once."""
    if num_epochs is not None and epoch >= num_epochs:
        raise OutOfRangeError(None, None, f"Already emitted {epoch} epochs.")
    rows = np.arange(start, start + batch_size) % length
    ends = np.flatnonzero(rows == last)
    if num_epochs is not None and epoch + len(ends) >= num_epochs:
        ends = ends[: num_epochs - epoch]
        rows = rows[: ends[-1] + 1]
    return rows, epoch + len(ends)


def batches_of_rows(
    length: int, batch_size: int, random_start: bool, seed: int | None, num_epochs: int | None
) -> Iterator[np.ndarray[Any, Any]]:
    """The numbers of the rows of one batch after the other, around and around.

    Args:
        length: how many rows there are.
        batch_size: how many a batch has; the last may have fewer.
        random_start: whether to begin anywhere rather than at the first.
        seed: of that choice.
        num_epochs: how often all rows come, None for ever.

    Raises:
        OutOfRangeError: at the end.
    """
    at = random.Random(seed).randrange(length) if random_start else 0
    last, epoch = (at - 1) % length, 0
    while True:
        rows, epoch = _next_rows(at, batch_size, last, length, epoch, num_epochs)
        yield rows
        at = int(rows[-1]) + 1


class _FeedFn:
    """A function without arguments that gives the feeds of the next batch.

    Args:
        placeholders: for the number of the row and each column.
        data: what the rows are taken from.
        batch_size, random_start, seed, num_epochs: as in `batches_of_rows`.

    Raises:
        ValueError: if there are not as many placeholders as columns.
    """

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        data: Any,
        batch_size: int,
        random_start: bool = False,
        seed: int | None = None,
        num_epochs: int | None = None,
    ) -> None:
        columns = self._columns(data)
        if len(placeholders) != columns + 1:
            raise ValueError(f"Expected {columns + 1} placeholders; got {len(placeholders)}.")
        self._placeholders = placeholders
        self._data = data
        self._rows = batches_of_rows(self._length(data), batch_size, random_start, seed, num_epochs)

    def __call__(self) -> FeedDict:
        rows = next(self._rows)
        return dict(zip(self._placeholders, [rows, *self._taken(rows)], strict=True))

    def _columns(self, data: Any) -> int:
        return 1

    def _length(self, data: Any) -> int:
        return len(data)

    def _taken(self, rows: np.ndarray[Any, Any]) -> list[Any]:
        raise NotImplementedError


class ArrayFeedFn(_FeedFn):
    """Feeds rows of one array; arguments as in `_FeedFn`."""

    def _taken(self, rows: np.ndarray[Any, Any]) -> list[Any]:
        return [self._data[rows]]


class DictFeedFn(_FeedFn):
    """Feeds rows of several arrays of one length, by name; arguments as in `_FeedFn`."""

    def _columns(self, data: Any) -> int:
        return len(data)

    def _length(self, data: Any) -> int:
        lengths = {key: len(column) for key, column in data.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"All columns must have the same length; got {lengths}.")
        return next(iter(lengths.values()))

    def _taken(self, rows: np.ndarray[Any, Any]) -> list[Any]:
        return [column[rows] for column in self._data.values()]


class PandasFeedFn(_FeedFn):
    """Feeds rows of a data frame, and its index; arguments as in `_FeedFn`."""

    def _columns(self, data: Any) -> int:
        return len(data.columns)

    def __call__(self) -> FeedDict:
        chosen = self._data.iloc[next(self._rows)]
        values = [chosen.index.values, *(chosen[column].values for column in chosen.columns)]
        return dict(zip(self._placeholders, values, strict=True))


class GeneratorFeedFn:
    """Feeds what a generator gives, row after row.

    Args:
        placeholders: for the columns, in the order of their names.
        generator: a function that returns an iterator over dicts of one row each.
        batch_size: how many values of rows are fed at a time, those of all columns counted; at least one row is.
        random_start, seed: not for generators: they have an order of their own, so ValueError unless False and None.
        num_epochs: how often it is begun, None for ever. A batch that has begun is filled up with rows after the end.
        pad_value: what shorter rows are filled with.

    Raises:
        KeyError: if a row has other names than the first; ValueError: if rows to be filled differ in other axes than the
            last; StopIteration: if there is none.
    """

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        generator: Callable[[], Iterator[Mapping[str, Any]]],
        batch_size: int,
        random_start: bool = False,
        seed: int | None = None,
        num_epochs: int | None = None,
        pad_value: Any = None,
    ) -> None:
        if random_start:
            raise ValueError("random_start is not available for generators: they are read in their own order.")
        if seed is not None:
            raise ValueError("seed is not available for generators: they are read in their own order.")
        self._names = sorted(next(generator()))
        if len(placeholders) != len(self._names):
            raise ValueError(f"Expected {len(self._names)} placeholders; got {len(placeholders)}.")
        self._placeholders = placeholders
        self._generator = generator
        self._batch_size = batch_size
        self._num_epochs = num_epochs
        self._pad_value = pad_value
        self._epoch = 0
        self._rows = generator()

    def _next_row(self) -> Mapping[str, Any]:
        row = next(self._rows, None)
        if row is None:
            self._epoch += 1
            self._rows = self._generator()
            row = next(self._rows)
        if sorted(row) != self._names:
            raise KeyError(f"key mismatch between dicts emitted by GenFun: expected {self._names} keys; got {[*row]}")
        return row

    def __call__(self) -> FeedDict:
        if self._num_epochs and self._epoch >= self._num_epochs:
            raise OutOfRangeError(None, None, f"Already emitted {self._epoch} epochs.")
        batch: list[Mapping[str, Any]] = []
        while len(batch) * len(self._names) < self._batch_size:
            batch.append(self._next_row())
        columns: list[Any] = []
        for name in self._names:
            columns.append([np.asarray(row[name]) for row in batch])
            if self._pad_value is not None:
                columns[-1] = pad_if_needed(columns[-1], self._pad_value)
        return dict(zip(self._placeholders, columns, strict=True))


def fill_array(arr: np.ndarray[Any, Any], seq: Sequence[Any], fillvalue: Any = 0) -> None:
    """Writes nested sequences into an array that is as large as the largest of them, and `fillvalue` behind shorter ones."""
    if arr.ndim > 1:
        for part, item in zip(arr, itertools.chain(seq, itertools.repeat(())), strict=False):
            fill_array(part, item, fillvalue)
        return
    arr[: len(seq)] = seq
    arr[len(seq) :] = fillvalue


def pad_if_needed(batch_key_item: Sequence[np.ndarray[Any, Any]], fillvalue: Any = 0) -> Any:
    """Arrays with last axes of one size, the shorter ones filled up: in one array, or as they are if they had one size.

    Raises:
        ValueError: if they differ in other axes.
    """
    if len({(row.ndim, row.shape[:-1]) for row in batch_key_item}) > 1:
        raise ValueError("Array shapes must match.")
    sizes = {row.shape[-1:] for row in batch_key_item}
    if len(sizes) <= 1:
        return batch_key_item
    first = batch_key_item[0]
    padded = np.empty([len(batch_key_item), *first.shape[:-1], *max(sizes)], dtype=first.dtype)
    fill_array(padded, batch_key_item, fillvalue)
    return padded


def enqueue_data(
    data: Any,
    capacity: int,
    shuffle: bool = False,
    min_after_dequeue: int | None = None,
    num_threads: int = 1,
    seed: int | None = None,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
    pad_value: Any = None,
) -> QueueBase:
    """A queue of rows, each with its number (those of generators have none), that queue runners fill.

    Args:
        data: an array, a dict of arrays, a data frame, or a function that returns an iterator over dicts of one row each.
        capacity: how many rows the queue holds.
        shuffle: whether rows come in random order.
        min_after_dequeue: how many stay in the queue then; a quarter of the capacity by default.
        num_threads: how many threads fill it. More than one mix up the order and, of the last epoch, the ends.
        seed: of the order.
        name: the name scope.
        enqueue_size: how many rows a thread puts in at a time.
        num_epochs: how often each thread goes over the data, None for ever.
        pad_value: what shorter rows of a generator are filled with.

    Raises:
        TypeError: for other data; NotImplementedError: for padded rows in random order.
    """
    with name_scope(name):
        feed_fn, types, shapes = _kind_of(data)
        pads = pad_value is not None
        if pads and shuffle:
            raise NotImplementedError("padding and shuffling can not be used together.")
        queue = _queue(capacity, shuffle, min_after_dequeue, seed, types, shapes, pads)
        # Where order or ends matter, threads may not mix them up.
        threads = 1 if num_threads > 1 and num_epochs else num_threads
        enqueue_ops, feed_fns = [], []
        for i in range(threads):
            placeholders = [placeholder(kind) for kind in types]
            enqueue_ops.append(queue.enqueue_many(placeholders))
            settings: dict[str, Any] = {"num_epochs": num_epochs}
            if feed_fn is GeneratorFeedFn:
                settings["pad_value"] = pad_value
            else:
                settings["random_start"] = shuffle
                settings["seed"] = None if seed is None else (seed + i if num_epochs is None else seed)
            feed_fns.append(feed_fn(placeholders, data, enqueue_size, **settings))
        add_queue_runner(FeedingQueueRunner(queue=queue, enqueue_ops=enqueue_ops, feed_fns=feed_fns))
        at_least = 0 if not shuffle else _left_after(capacity, min_after_dequeue)
        full = cast(maximum(0, queue.size() - at_least), float32) * (1.0 / (capacity - at_least))
        scalar(f"queue/{queue.name}fraction_over_{at_least}_of_{capacity - at_least}_full", full)
        return queue


def _left_after(capacity: int, min_after_dequeue: int | None) -> int:
    return capacity // 4 if min_after_dequeue is None else min_after_dequeue


def _kind_of(data: Any) -> tuple[Callable[..., Any], list[Any], list[Any]]:
    """What feeds data of this kind, and the types and shapes of a row; with its number, but for generators."""
    if isinstance(data, np.ndarray):
        return ArrayFeedFn, [int64, as_dtype(data.dtype)], [(), data.shape[1:]]
    if isinstance(data, Mapping):
        columns = list(data.values())
        return DictFeedFn, [int64, *map(_type_of, columns)], [(), *(column.shape[1:] for column in columns)]
    if hasattr(data, "iloc"):
        types = [_type_of(data.index), *(_type_of(data[column]) for column in data.columns)]
        return PandasFeedFn, types, [()] * len(types)
    if callable(data):
        first = next(data())
        rows = [first[name] for name in sorted(first)]
        return GeneratorFeedFn, [*map(_type_of, rows)], [row.shape for row in rows]
    raise TypeError(f"data must be an array, a dict of arrays, a data frame or a generator function, got {type(data)}.")


def _type_of(column: Any) -> Any:
    return string if column.dtype == object or column.dtype.kind in "US" else as_dtype(np.dtype(str(column.dtype)))


def _queue(
    capacity: int, shuffle: bool, min_after_dequeue: int | None, seed: int | None, types: Any, shapes: Any, pads: bool
) -> QueueBase:
    if shuffle:
        least = _left_after(capacity, min_after_dequeue)
        return RandomShuffleQueue(capacity, least, dtypes=types, shapes=shapes, seed=seed)
    if pads:
        return PaddingFIFOQueue(capacity, dtypes=types, shapes=[(None,) * len(shape) for shape in shapes])
    return FIFOQueue(capacity, dtypes=types, shapes=shapes)
