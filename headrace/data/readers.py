"""Datasets of lines and records in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data.arguments import int64
from headrace.data.dataset import Dataset, DatasetV2
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_BUFFER = 256 * 1024


def _text(value: str | None, name: str) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtype="string", name=name)


def _line() -> TensorSpec:
    return TensorSpec([], "string")


def _names(filenames: TensorLike | Dataset) -> Dataset:
    """A dataset of file names, made of names or already one.

    Raises:
        TypeError: if it holds anything but single strings.
    """
    if isinstance(filenames, DatasetV2):
        if filenames.output_types != _line().dtype:
            raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
        if not filenames.output_shapes.is_compatible_with([]):
            raise TypeError("`filenames` must be a `tf.data.Dataset` of scalar `tf.string` elements.")
        return filenames
    return Dataset.from_tensor_slices(
        reshape(convert_to_tensor(filenames, dtype="string"), [-1], name="flat_filenames")
    )


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Args:
        filenames: names, a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: how many bytes are read at a time.
        num_parallel_reads: from how many files lines come in turns.

    Example:
        >>> lines = tf.data.TextLineDataset(["a.txt", "b.txt"]).skip(1)
    """

    _shown_name = "TextLineDatasetV1"

    def __init__(
        self,
        filenames: TensorLike | Dataset,
        compression_type: str | None = None,
        buffer_size: Any = None,
        num_parallel_reads: int | None = None,
    ) -> None:
        def of(names: Tensor) -> Dataset:
            # Constants of the body, as in TensorFlow: those of the graph would shift the seeds of what is made later.
            compression = _text(compression_type, "compression_type")
            size = int64(_BUFFER if buffer_size is None else buffer_size, "buffer_size")
            return Dataset(raw.TextLineDataset(names, compression, size), _line())

        made = _read(filenames, of, num_parallel_reads)
        super().__init__(made._variant_tensor, made.element_spec, made._inputs())


class TFRecordDataset(Dataset):
    """The records of TFRecord files.

    Args:
        filenames: names, a string tensor, or a dataset of names.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: how many bytes are read at a time.
        num_parallel_reads: from how many files records come in turns.

    Example:
        >>> with tf.io.TFRecordWriter("words.tfrecord") as writer:
        ...     writer.write(b"hello")
        >>> words = tf.data.TFRecordDataset("words.tfrecord").map(tf.strings.length)
        >>> sess.run(words.make_one_shot_iterator().get_next())
        5
    """

    _shown_name = "TFRecordDatasetV1"

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: Any = None,
    ) -> None:
        def of(names: Tensor) -> Dataset:
            # Constants of the body, as in TensorFlow: those of the graph would shift the seeds of what is made later.
            compression = _text(compression_type, "compression_type")
            size = int64(_BUFFER if buffer_size is None else buffer_size, "buffer_size")
            return Dataset(raw.TFRecordDataset(names, compression, size), _line())

        made = _read(filenames, of, num_parallel_reads)
        super().__init__(made._variant_tensor, made.element_spec, made._inputs())


class FixedLengthRecordDataset(Dataset):
    """The records of files in which all have one length.

    Args:
        filenames: names, a string tensor, or a dataset of names.
        record_bytes: the length of a record.
        header_bytes, footer_bytes: how many bytes of each file come before and after the records.
        buffer_size: how many bytes are read at a time.
        compression_type: "", "ZLIB" or "GZIP".
        num_parallel_reads: from how many files records come in turns.
    """

    _shown_name = "FixedLengthRecordDatasetV1"

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: TensorLike,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: int | None = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
    ) -> None:
        def of(names: Tensor) -> Dataset:
            record = int64(record_bytes, "record_bytes")
            header = int64(0 if header_bytes is None else header_bytes, "header_bytes")
            footer = int64(0 if footer_bytes is None else footer_bytes, "footer_bytes")
            size = int64(_BUFFER if buffer_size is None else buffer_size, "buffer_size")
            compression = _text(compression_type, "compression_type")
            variant = raw.FixedLengthRecordDatasetV2(names, header, record, footer, size, compression)
            return Dataset(variant, _line())

        made = _read(filenames, of, num_parallel_reads)
        super().__init__(made._variant_tensor, made.element_spec, made._inputs())


def _read(filenames: TensorLike | Dataset, of: Callable[..., Any], parallel: int | None) -> Dataset:
    names = _names(filenames)
    if parallel is None:
        return names.flat_map(of)
    return names.interleave(of, parallel, block_length=1, num_parallel_calls=parallel)
