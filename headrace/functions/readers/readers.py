"""The reader classes of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.files.records import TFRecordOptions
from headrace.ops.readers import reader_ops

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.queues.queues import QueueBase


assert reader_ops  # declares the ops


class ReaderBase:
    """What all readers offer: they take work, such as a file's name, from a queue and give records one after another.

    Args:
        reader_ref: the tensor with the reader's handle.
        supports_serialize: whether its state can be saved.
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        if executing_eagerly():
            raise RuntimeError(
                f"{type(self).__name__}: readers are not supported while executing eagerly; read files with tf.data."
            )
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The tensor with the reader's handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether `serialize_state` works."""
        return self._supports_serialize

    def _apply(self, op_type: str, *inputs: Any, name: str | None) -> Any:
        form = f"{op_type}V2" if self._reader_ref.dtype.name == "resource" else op_type
        return getattr(raw, form)(self._reader_ref, *inputs, name=name)

    def _queue_ref(self, queue: QueueBase | Tensor) -> Tensor:
        ref = queue if isinstance(queue, Tensor) else queue.queue_ref
        # A reader of the first form takes a reference.
        return ref if self._reader_ref.dtype.name == "resource" else raw.FakeQueue(ref)

    def read(self, queue: QueueBase | Tensor, name: str | None = None) -> Any:
        """The next record; takes work from the queue when that at hand is at its end.

        Args:
            queue: a queue of string scalars, or its handle.
            name: a name for the operation.

        Returns:
            (key, value): string scalars.

        Raises:
            tf.errors.OutOfRangeError: when it runs, if the queue is closed and empty.

        Example:
            >>> filenames = tf.train.string_input_producer(["a.csv", "b.csv"])
            >>> key, line = tf.TextLineReader().read(filenames)
        """
        return self._apply("ReaderRead", self._queue_ref(queue), name=name)

    def read_up_to(self, queue: QueueBase | Tensor, num_records: int, name: str | None = None) -> Any:
        """The next records of the work at hand, at least one.

        Args:
            queue: a queue of string scalars, or its handle.
            num_records: how many at most, an integer scalar.
            name: a name for the operation.

        Returns:
            (keys, values): string vectors.
        """
        return self._apply("ReaderReadUpTo", self._queue_ref(queue), num_records, name=name)

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records it has given: an int64 scalar."""
        return self._apply("ReaderNumRecordsProduced", name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many pieces of work it has finished: an int64 scalar."""
        return self._apply("ReaderNumWorkUnitsCompleted", name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """The reader's state as a string; not all readers have it."""
        return self._apply("ReaderSerializeState", name=name)

    def restore_state(self, state: TensorLike, name: str | None = None) -> Operation:
        """Goes back to a state that `serialize_state` gave."""
        return self._apply("ReaderRestoreState", state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """Forgets the work at hand."""
        return self._apply("ReaderReset", name=name)


class WholeFileReader(ReaderBase):
    """Gives each file's contents, with its name as the key.

    Args:
        name: a name for the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw.WholeFileReaderV2(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Gives the lines of text files, with `file:line` as the key.

    Args:
        skip_header_lines: how many lines to leave out at each file's beginning.
        name: a name for the operation.
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(raw.TextLineReaderV2(skip_header_lines=skip_header_lines, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Gives records of a fixed number of bytes, with `file:number` as the key.

    Args:
        record_bytes: a record's size.
        header_bytes, footer_bytes: what to leave out at each file's beginning and end.
        hop_bytes: from one record's beginning to the next; a record's size by default.
        name: a name for the operation.
        encoding: "ZLIB" or "GZIP" for compressed files.
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        ref = raw.FixedLengthRecordReaderV2(
            record_bytes=record_bytes,
            header_bytes=header_bytes,
            footer_bytes=footer_bytes,
            hop_bytes=hop_bytes,
            encoding=encoding,
            name=name,
        )
        super().__init__(ref)


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files, with `file:offset` as the key.

    Args:
        name: a name for the operation.
        options: a `TFRecordOptions` for compressed files.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(raw.TFRecordReaderV2(name=name, compression_type=compression))


class LMDBReader(ReaderBase):
    """Gives the pairs of LMDB databases, in the order of their keys.

    Args:
        name: a name for the operation.
        options: not used, as in TensorFlow.
    """

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(raw.LMDBReader(name=name))


class IdentityReader(ReaderBase):
    """Gives the work itself, as key and value.

    Args:
        name: a name for the operation.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(raw.IdentityReaderV2(name=name), supports_serialize=True)
