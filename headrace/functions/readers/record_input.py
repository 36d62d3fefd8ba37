"""`RecordInput`: records of many files in a random order."""

from __future__ import annotations

from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.files.records import TFRecordCompressionType, TFRecordOptions
from headrace.ops.array.shape import reshape
from headrace.ops.array.split import split


class RecordInput:
    """Batches of records of TFRecord files, drawn at random from a buffer; each record comes once an epoch, without end.

    Args:
        file_pattern: which files, with wildcards.
        batch_size: how many records a batch has.
        buffer_size: from how many records one is drawn.
        parallelism: from how many files records are taken in turns.
        shift_ratio: by which part of the files the first one moves on each epoch.
        seed: the seed of the order.
        name: a name for the operation.
        batches: how many batches a step gives; None for one batch as a tensor.
        compression_type: a member of `TFRecordCompressionType`.

    Raises:
        ValueError: for an unknown compression type, when the operation is made.

    Example:
        >>> with tf.io.TFRecordWriter("train-0.tfrecord") as writer:
        ...     for record in (b"a", b"b", b"c"):
        ...         writer.write(record)
        >>> records = RecordInput("train-*.tfrecord", batch_size=2, buffer_size=10).get_yield_op()
        >>> sess.run(records).shape
        (2,)
    """

    def __init__(
        self,
        file_pattern: str,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: str | None = None,
        batches: int | None = None,
        compression_type: Any = None,
    ) -> None:
        self._batch_size = batch_size if batches is None else batch_size * batches
        self._batches = batches
        self._file_pattern = file_pattern
        self._buffer_size = buffer_size
        self._parallelism = parallelism
        self._shift_ratio = shift_ratio
        self._seed = seed
        self._name = name
        self._compression_type = TFRecordCompressionType.NONE if compression_type is None else compression_type

    def get_yield_op(self) -> Any:
        """The operation that gives the next records.

        Returns:
            a string tensor of shape (batch_size,); with `batches`, a list of so many lists of scalar tensors.
        """
        records: Tensor = raw.RecordInput(
            file_pattern=self._file_pattern,
            file_buffer_size=self._buffer_size,
            file_parallelism=self._parallelism,
            file_shuffle_shift_ratio=self._shift_ratio,
            batch_size=self._batch_size,
            file_random_seed=self._seed,
            compression_type=TFRecordOptions.get_compression_type_string(TFRecordOptions(self._compression_type)),
            name=self._name,
        )
        if self._batches is None:
            return records
        with name_scope(self._name):
            batches: list[list[Tensor]] = [[] for _ in range(self._batches)]
            for i, record in enumerate(split(convert_to_tensor(records), self._batch_size, 0)):
                batches[i % self._batches].append(reshape(record, []))
            return batches
