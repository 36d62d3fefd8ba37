"""Features of Examples in files as batches in the graph: read, batched, parsed and queued once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.contrib.learn.graph_io import (
    END_ERRORS,
    read_keyed_batch_examples,
    read_keyed_batch_examples_shared_queue,
)
from headrace.core.composite import SparseTensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.functions.parsing.example import parse_example
from headrace.functions.queues.queues import FIFOQueue
from headrace.functions.readers.readers import TFRecordReader
from headrace.ops.math.cast import cast
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary.operations import scalar


def read_batch_features(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> dict[str, Any]:
    """Batches of the features of files of Examples, by queue runners.

    Args:
        file_pattern: a pattern of file names, or a list of them.
        batch_size: how many Examples a batch has.
        features: from key to `tf.FixedLenFeature` or `tf.VarLenFeature`.
        reader: makes a reader, such as `tf.TFRecordReader`.
        randomize_input: whether files and Examples come in random order.
        num_epochs: how often the files are read, None for ever. It needs `tf.local_variables_initializer()`.
        queue_capacity: how many Examples are kept at most.
        feature_queue_capacity: how many parsed batches are kept at most.
        reader_num_threads: how many threads read.
        num_enqueue_threads: how many threads parse.
        parse_fn: makes other Examples of those read at a time, before they are batched.
        name: the name scope.
        read_batch_size: how many Examples are read at a time, `batch_size` by default.

    Returns:
        a dict from key to tensor or SparseTensor.

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
        >>> batch = tf.contrib.learn.read_batch_features("train-*", 32, features, tf.TFRecordReader)
    """
    return read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        feature_queue_capacity=feature_queue_capacity,
        num_enqueue_threads=num_enqueue_threads,
        parse_fn=parse_fn,
        name=name,
        read_batch_size=read_batch_size,
    )[1]


def read_keyed_batch_features(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Tensor, dict[str, Any]]:
    """Batches of the features of files of Examples with the keys of the Examples, by queue runners.

    Args:
        file_pattern: and all others: as in `read_batch_features`.

    Returns:
        (keys, a dict from key of a feature to tensor or SparseTensor).

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
        >>> keys, batch = tf.contrib.learn.read_keyed_batch_features("train-*", 32, features, tf.TFRecordReader)
    """
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size if read_batch_size is None else read_batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = parse_example(examples, features)
        return queue_parsed_features(  # type: ignore[return-value]  # there are keys
            parsed,
            keys=keys,
            feature_queue_capacity=feature_queue_capacity,
            num_enqueue_threads=num_enqueue_threads,
            name=scope,
        )


def read_keyed_batch_features_shared_queue(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    features: Mapping[str, Any],
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_queue_runners: int = 2,
    parse_fn: Callable[[Tensor], Any] | None = None,
    name: str | None = None,
) -> tuple[Tensor, dict[str, Any]]:
    """As `read_keyed_batch_features`; which file comes next is kept in variables, so that each is read once.

    Args:
        num_queue_runners: how many threads parse.
        file_pattern: and all others: as in `read_batch_features`.

    Returns:
        (keys, a dict from key of a feature to tensor or SparseTensor).

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
        >>> read = tf.contrib.learn.read_keyed_batch_features_shared_queue
        >>> keys, batch = read("train-*", 32, features, tf.TFRecordReader)
    """
    with name_scope(name, "read_batch_features", [file_pattern]) as scope:
        keys, examples = read_keyed_batch_examples_shared_queue(
            file_pattern,
            batch_size,
            reader,
            randomize_input=randomize_input,
            num_epochs=num_epochs,
            queue_capacity=queue_capacity,
            num_threads=reader_num_threads,
            read_batch_size=batch_size,
            parse_fn=parse_fn,
            name=scope,
        )
        parsed = parse_example(examples, features)
        return queue_parsed_features(  # type: ignore[return-value]  # there are keys
            parsed,
            keys=keys,
            feature_queue_capacity=feature_queue_capacity,
            num_enqueue_threads=num_queue_runners,
            name=scope,
        )


def queue_parsed_features(
    parsed_features: Mapping[str, Any],
    keys: Tensor | None = None,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    name: str | None = None,
) -> tuple[Tensor | None, dict[str, Any]]:
    """Puts a queue behind parsed batches, so that they are parsed by threads before a step wants them.

    Args:
        parsed_features: from key to tensor or SparseTensor.
        keys: the keys of the Examples, if they are wanted.
        feature_queue_capacity: how many batches are kept at most.
        num_enqueue_threads: how many threads parse.
        name: the name scope.

    Returns:
        (the keys or None, the features), as they come out of the queue.

    Example:
        >>> examples = tf.constant([tf.train.Example().SerializeToString()])
        >>> features = {"age": tf.FixedLenFeature([], tf.float32, default_value=0.0)}
        >>> _, batch = tf.contrib.learn.queue_parsed_features(tf.parse_example(examples, features))
    """
    given = list(parsed_features.values()) + ([] if keys is None else [keys])
    with name_scope(name, "queue_parsed_features", given):
        tensors: list[Tensor] = []
        for key in sorted(parsed_features):
            tensors += _components(parsed_features[key])
        if keys is not None:
            tensors.append(keys)
        queue = FIFOQueue(feature_queue_capacity, [tensor.dtype for tensor in tensors])
        scalar(
            f"queue/parsed_features/{queue.name}/fraction_of_{feature_queue_capacity}_full",
            cast(queue.size(), float32) * (1.0 / feature_queue_capacity),
        )
        enqueue_ops = [queue.enqueue(tensors) for _ in range(num_enqueue_threads)]
        add_queue_runner(QueueRunner(queue, enqueue_ops, queue_closed_exception_types=END_ERRORS))
        dequeued: list[Tensor] = queue.dequeue()
        left: list[Tensor] = dequeued if isinstance(dequeued, list) else [dequeued]
        for tensor, before in zip(left, tensors, strict=True):
            tensor.set_shape(before.shape)
        coming = iter(left)
        found: dict[str, Any] = {}
        for key in sorted(parsed_features):
            parts = [next(coming) for _ in _components(parsed_features[key])]
            found[key] = SparseTensor(*parts) if len(parts) > 1 else parts[0]
        return next(coming, None), found


def _components(value: SparseTensor | Tensor) -> list[Tensor]:
    return [value.indices, value.values, value.dense_shape] if isinstance(value, SparseTensor) else [value]


def read_batch_record_features(
    file_pattern: str | list[str],
    batch_size: int | Tensor,
    features: Mapping[str, Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> dict[str, Any]:
    """`read_batch_features` of TFRecord files.

    Args:
        file_pattern: and all others: as in `read_batch_features`.

    Returns:
        a dict from key to tensor or SparseTensor.

    Raises:
        ValueError: if there are no such files, or an argument is out of range.

    Example:
        >>> tf.python_io.TFRecordWriter("train-0").close()  # a file of serialized Examples
        >>> features = {"label": tf.FixedLenFeature([], tf.int64)}
        >>> batch = tf.contrib.learn.read_batch_record_features("train-*", 32, features)
    """
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        TFRecordReader,
        randomize_input=randomize_input,
        num_epochs=num_epochs,
        queue_capacity=queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
