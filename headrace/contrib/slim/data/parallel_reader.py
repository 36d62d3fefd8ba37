"""Readers side by side that fill one queue of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, string
from headrace.files.file_io import get_matching_files
from headrace.functions.queues.queues import FIFOQueue, RandomShuffleQueue
from headrace.functions.readers.readers import ReaderBase
from headrace.input_queues.producers import string_input_producer
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary import operations as summary

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.functions.queues.queues import QueueBase


class ParallelReader(ReaderBase):
    """Several readers as one.

    Args:
        reader_class: the class of the readers.
        common_queue: the queue of (key, record) pairs that they fill.
        num_readers: how many there are.
        reader_kwargs: their arguments.

    Raises:
        TypeError: if the elements of the queue are not pairs of strings.
    """

    def __init__(
        self,
        reader_class: type,
        common_queue: QueueBase,
        num_readers: int = 4,
        reader_kwargs: dict[str, Any] | None = None,
    ) -> None:
        if len(common_queue.dtypes) != 2 or not all(dtype.is_compatible_with(string) for dtype in common_queue.dtypes):
            raise TypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue that they fill."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next (key, record), of the files whose names `queue` holds."""
        self._configure_readers_by(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: int, name: str | None = None) -> Any:
        """The next (keys, records), `num_records` of them or what is left."""
        self._configure_readers_by(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _configure_readers_by(self, queue: Any) -> None:
        filling = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, filling))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records the readers have read."""
        return add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files the readers have read."""
        return add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
    data_sources: Sequence[str],
    reader_class: type,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: dict[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> list[Tensor]:
    """Reads records with several readers.

    Args:
        data_sources: files, or patterns of their names.
        reader_class: the class of the readers.
        num_epochs: how often to read all; None for without end.
        num_readers: how many readers there are.
        reader_kwargs: their arguments.
        shuffle: whether to shuffle files and records.
        dtypes: the types of keys and records; strings by default.
        capacity, min_after_dequeue: the capacity of the queue of records, and how many it keeps to shuffle.
        seed: a seed of the shuffling.
        scope: a name scope.

    Returns:
        the key and the record, scalar strings.

    Raises:
        ValueError: if there are no files.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        filenames = string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        dtypes = dtypes or [string, string]
        queue: QueueBase
        if shuffle:
            queue = RandomShuffleQueue(
                capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed, name="common_queue"
            )
        else:
            queue = FIFOQueue(capacity=capacity, dtypes=dtypes, name="common_queue")
        summary.scalar(f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))
        reader = ParallelReader(reader_class, queue, num_readers=num_readers, reader_kwargs=reader_kwargs)
        return reader.read(filenames)


def single_pass_read(
    data_sources: Any, reader_class: Any, reader_kwargs: dict[str, Any] | None = None, scope: str | None = None
) -> Any:
    """Reads all records once, in order; arguments as in `parallel_read`."""
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        filenames = string_input_producer(files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
        return reader_class(**(reader_kwargs or {})).read(filenames)


def get_data_files(data_sources: Any) -> list[str]:
    """The files that patterns name.

    Args:
        data_sources: a name, a pattern, or a list of such.

    Raises:
        ValueError: if there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    elif any(sign in data_sources for sign in "*?["):
        files = get_matching_files(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files
