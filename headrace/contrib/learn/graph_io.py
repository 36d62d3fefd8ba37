"""Files of Examples as batches in the graph: names queued, records read and batched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.contrib.learn.input_pipeline import seek_next
from headrace.core import errors
from headrace.core.defaults import name_scope
from headrace.core.dtypes import string
from headrace.core.tensor import Tensor
from headrace.files.io_gfile import glob
from headrace.functions.flow.case import smart_cond
from headrace.functions.queues.queues import FIFOQueue
from headrace.input_queues.batching import batch_join, shuffle_batch_join
from headrace.input_queues.producers import string_input_producer
from headrace.ops.array.constant import constant
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner

KEY_FEATURE_NAME = "__key__"

END_ERRORS = (errors.OutOfRangeError, errors.CancelledError)


def read_batch_examples(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int | Tensor = 1,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """Batches of the records of files, by queue runners.

    Args:
        file_pattern: a pattern of file names, or a list of them.
        batch_size: how many records a batch has.
        reader: makes a reader, such as `tf.TFRecordReader`.
        randomize_input: whether files and records come in random order.
        num_epochs: how often the files are read, None for ever. It needs `tf.local_variables_initializer()`.
        queue_capacity: how many records are kept at most.
        num_threads: how many threads read; with one the order is that of the files.
        read_batch_size: how many records are read at a time.
        parse_fn: makes something of a record, or of the records read at a time, before they are batched.
        name: the name scope.
        seed: where the random order starts.

    Returns:
        a string tensor [batch_size], or batches of what `parse_fn` returns.

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> examples = tf.contrib.learn.read_batch_examples("train-*", 32, tf.TFRecordReader, num_epochs=1)
    """
    return read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )[1]


def read_keyed_batch_examples(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int | Tensor = 1,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Batches of the records of files with their keys, by queue runners.

    Args:
        file_pattern: and all others: as in `read_batch_examples`.

    Returns:
        (keys, records), tensors [batch_size]; what `parse_fn` returns in the place of the records.

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> keys, examples = tf.contrib.learn.read_keyed_batch_examples("train-*", 32, tf.TFRecordReader)
    """
    return _read_keyed(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
        shared_queue=False,
    )


def read_keyed_batch_examples_shared_queue(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int | Tensor = 1,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """As `read_keyed_batch_examples`; which file comes next is kept in variables, so that each is read once.

    Args:
        file_pattern: and all others: as in `read_batch_examples`.

    Returns:
        (keys, records), tensors [batch_size].

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> keys, examples = tf.contrib.learn.read_keyed_batch_examples_shared_queue("train-*", 32, tf.TFRecordReader)
    """
    return _read_keyed(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
        shared_queue=True,
    )


def _read_keyed(
    file_pattern: str | list[str],
    batch_size: Any,
    reader: Callable[[], Any],
    randomize_input: bool,
    num_epochs: int | None,
    queue_capacity: int,
    num_threads: int,
    read_batch_size: int | Tensor,
    parse_fn: Callable[[Tensor], Any] | None,
    name: str | None,
    seed: int | None,
    shared_queue: bool,
) -> list[Tensor] | tuple[Tensor, dict[str, Tensor]]:
    names = _file_names(file_pattern, randomize_input)
    if not queue_capacity or queue_capacity <= 0:
        raise ValueError(f"Invalid queue_capacity {queue_capacity}.")
    if batch_size is None or (not isinstance(batch_size, Tensor) and not 0 < batch_size < queue_capacity):
        raise ValueError(f"Invalid batch_size {batch_size}, with queue_capacity {queue_capacity}.")
    if read_batch_size is None or (not isinstance(read_batch_size, Tensor) and read_batch_size <= 0):
        raise ValueError(f"Invalid read_batch_size {read_batch_size}.")
    if not num_threads or num_threads <= 0:
        raise ValueError(f"Invalid num_threads {num_threads}.")
    if num_epochs is not None and num_epochs <= 0:
        raise ValueError(f"Invalid num_epochs {num_epochs}.")
    with name_scope(name, "read_batch_examples", [file_pattern]) as scope:
        with name_scope("file_name_queue") as queue_scope:
            if shared_queue:
                queue: Any = FIFOQueue(1, [string], [[]])
                following = seek_next(names, shuffle=randomize_input, num_epochs=num_epochs, seed=seed)
                add_queue_runner(QueueRunner(queue, [queue.enqueue(following)]))
            else:
                queue = string_input_producer(
                    constant(names, name="input"),
                    shuffle=randomize_input,
                    num_epochs=num_epochs,
                    name=queue_scope,
                    seed=seed,
                )
        examples = _examples(queue, reader, num_threads, read_batch_size, parse_fn)
        options: dict[str, Any] = {
            "capacity": queue_capacity,
            "enqueue_many": read_batch_size > 1,
            "allow_smaller_final_batch": num_epochs is not None,
            "name": scope,
        }
        if randomize_input:
            if isinstance(batch_size, Tensor):
                least = int(queue_capacity * 0.4)
            else:
                least = max(queue_capacity - 3 * batch_size, batch_size)
            batched = shuffle_batch_join(examples, batch_size, min_after_dequeue=least, seed=seed, **options)
        else:
            batched = batch_join(examples, batch_size, **options)
    if parse_fn and isinstance(batched, dict):
        return batched.pop(KEY_FEATURE_NAME), batched
    return batched


def _file_names(file_pattern: str | list[str], randomize_input: bool) -> list[str]:
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    if not patterns:
        raise ValueError("No files given to dequeue_examples.")
    names = [name for pattern in patterns for name in glob(pattern)]
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names if randomize_input else sorted(names)


def _examples(
    queue: FIFOQueue,
    reader: Callable[[], Any],
    num_threads: int,
    read_batch_size: int | Tensor,
    parse_fn: Callable[..., Any] | None,
) -> list[Any]:
    """What each thread reads: its keys and records, or what is made of them."""
    read: list[Any] = []
    with name_scope("read"):
        for _ in range(num_threads):
            keys, records = smart_cond(
                read_batch_size > 1,
                lambda: reader().read_up_to(queue, read_batch_size),
                lambda: reader().read(queue),
            )
            parsed = parse_fn(records) if parse_fn else records
            if parse_fn and isinstance(parsed, dict):
                parsed[KEY_FEATURE_NAME] = keys
                read.append(parsed)
            else:
                read.append((keys, parsed))
    return read
