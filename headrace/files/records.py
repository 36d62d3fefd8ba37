"""TFRecord files: records of bytes, each with its length and checksums of both.

    length: uint64, checksum of the length: uint32, bytes, checksum of the bytes: uint32

The checksums are CRC32C (Castagnoli, Bräuer and Herrmann 1993; RFC 3720, appendix B.4), turned and shifted as LevelDB
does (github.com/google/leveldb, util/crc32c.h), so that a checksum of data that holds checksums stays meaningful.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import struct
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from google_crc32c import value as crc32c

from headrace.core import errors
from headrace.files.failures import failures_of
from headrace.files.inflating import check_held
from headrace.files.paths import as_path, open_binary

if TYPE_CHECKING:
    from pathlib import Path


_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_HEADERS = np.dtype([("length", "<u8"), ("checksum", "<u4")])
_MASK_DELTA = 0xA282EAD8
_CHUNK_SIZE = 1 << 18
_LARGEST_READ = 1 << 26
_GZIP_MAGIC = b"\x1f\x8b"


def masked_crc32c(data: bytes) -> int:
    """The checksum of `data` as it is stored in files."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


class TFRecordCompressionType:
    """The ways a TFRecord file may be compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a TFRecord file is compressed.

    Args:
        compression_type: "GZIP", "ZLIB", "" or None for none, or a member of `TFRecordCompressionType`, or other options.
        flush_mode: a flush mode of zlib, for `flush`; Z_NO_FLUSH by default.
        input_buffer_size: how many bytes are read at a time.
        output_buffer_size: how many bytes are written at a time.
        window_bits: the size of zlib's window, as a power of two, by zlib's rules; 15 by default.
        compression_level: 0 to 9, or -1 for zlib's default.
        compression_method: 8, the only one of zlib.
        mem_level: 1 to 9: memory that zlib takes.
        compression_strategy: one of zlib's strategies.

    Raises:
        ValueError: for an unknown compression type.

    Example:
        >>> options = tf.python_io.TFRecordOptions("GZIP", compression_level=9)
    """

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: int | str | None = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)  # raises where it is unknown
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: int | str | TFRecordOptions | None) -> str:
        """ "GZIP", "ZLIB" or "" for options, a compression type, or None."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if isinstance(options, str) and options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def _compressor(self) -> Any:
        kind = self.get_compression_type_string(self)
        if not kind:
            return None
        return zlib.compressobj(
            -1 if self.compression_level is None else self.compression_level,
            zlib.DEFLATED if self.compression_method is None else self.compression_method,
            _window_bits(kind, self.window_bits),
            9 if self.mem_level is None else self.mem_level,
            zlib.Z_DEFAULT_STRATEGY if self.compression_strategy is None else self.compression_strategy,
        )


def _window_bits(kind: str, bits: int | None) -> int:
    """zlib marks a gzip header by 16 added to the size of its window."""
    bits = zlib.MAX_WBITS if bits is None else bits
    return bits + 16 if kind == "GZIP" and 0 < bits <= 15 else bits


def as_options(options: str | TFRecordOptions | None) -> TFRecordOptions:
    """Options of what a caller may give instead of them.

    Raises:
        ValueError: for an unknown compression type.
    """
    return options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)


class TFRecordWriter:
    """Writes records to a file, which it makes anew.

    Records are kept until there are enough of them: the checksums of many cost less than those of one at a time.

    Args:
        path: the file's path.
        options: `TFRecordOptions`, "GZIP", "ZLIB" or None.

    Raises:
        ValueError: for an unknown compression type.
        NotFoundError, PermissionDeniedError, ...: if the file cannot be written.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["point"].float_list.value.extend([1.0, 2.0])
        >>> with tf.python_io.TFRecordWriter("points.tfrecord") as writer:
        ...     writer.write(example.SerializeToString())
    """

    _file: Any = None

    def __init__(self, path: str | Path, options: str | TFRecordOptions | None = None) -> None:
        self._path = as_path(path)
        self._options = as_options(options)
        self._compressor = self._options._compressor()
        self._pending: list[bytes] = []
        self._room = _CHUNK_SIZE  # how many more bytes are kept
        self._lock = threading.Lock()
        with failures_of(self._path):
            self._file = open_binary(self._path, "wb")
        _open_writers.add(self)

    def write(self, record: bytes) -> None:
        """Writes a record.

        Raises:
            TypeError: if it is not bytes; FailedPreconditionError: if the writer is closed.
        """
        if not isinstance(record, bytes):
            raise TypeError(f"expected bytes, {type(record).__name__} found")
        if self._file is None:
            self._check_open()
        self._pending.append(record)
        self._room -= len(record)
        if self._room < 0:
            self._write_pending()

    def _check_open(self) -> None:
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer not initialized or previously closed")

    def _write_pending(self) -> None:
        with self._lock:
            records = self._pending[:]
            del self._pending[: len(records)]
            self._room = _CHUNK_SIZE
            if not records:
                return
            data = b"".join(_framed(records))
            with failures_of(self._path):
                if self._compressor is not None:
                    data = self._compressor.compress(data)
                self._file.write(data)

    def flush(self) -> None:
        """Hands what was written to the system, as far as compression has it ready."""
        self._check_open()
        self._write_pending()
        with failures_of(self._path):
            if self._compressor is not None and self._options.flush_mode:
                self._file.write(self._compressor.flush(self._options.flush_mode))
            self._file.flush()

    def close(self) -> None:
        """Writes what is left and closes the file; closing twice is nothing."""
        if self._file is None:
            return
        try:
            self._write_pending()
        finally:
            file, self._file = self._file, None
            with failures_of(self._path):
                try:
                    if self._compressor is not None:
                        file.write(self._compressor.flush(zlib.Z_FINISH))
                finally:
                    file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        # A program that forgets to close its writer finds its records in the file all the same.
        self.close()


# What the interpreter still holds at its end, such as a writer in a cache, it may never finalize.
_open_writers: weakref.WeakSet[TFRecordWriter] = weakref.WeakSet()


@atexit.register
def _write_what_is_left() -> None:
    for writer in list(_open_writers):
        with contextlib.suppress(errors.OpError):
            if writer._compressor is not None:
                writer.close()
            elif writer._file is not None:
                writer.flush()


def _framed(records: list[bytes]) -> list[bytes]:
    """The records as they stand in a file, each with its length and checksums around it."""
    headers = np.empty(len(records), _HEADERS)
    headers["length"] = _lengths(records)
    headers["checksum"] = _checksums_of_lengths(headers["length"])
    framed: list[bytes] = [b""] * (3 * len(records))
    framed[0::3] = headers.view("V12").tolist()
    framed[1::3] = records
    framed[2::3] = _checksums(records).astype("<u4").view("V4").tolist()
    return framed


def _lengths(records: list[bytes]) -> np.ndarray:
    return np.fromiter(map(len, records), np.int64, len(records))


def _checksums(records: list[bytes]) -> np.ndarray:
    """The checksums of many records, as they are stored."""
    return _masked(np.fromiter(map(crc32c, records), np.uint32, len(records)))


def _masked(crcs: np.ndarray) -> np.ndarray:
    return (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(_MASK_DELTA)


@functools.cache
def _crcs_of_bytes() -> list[np.ndarray]:
    """For each byte of a length, what each of its values changes in the CRC of a length of zero."""
    zero = crc32c(_LENGTH.pack(0))
    return [
        np.array([crc32c(_LENGTH.pack(value << 8 * place)) ^ zero for value in range(256)], np.uint32)
        for place in range(8)
    ]


def _checksums_of_lengths(lengths: np.ndarray) -> np.ndarray:
    """The checksums of many lengths, as they are stored: CRCs are linear, so that those of a length's bytes add up."""
    crcs = np.full(lengths.shape, crc32c(_LENGTH.pack(0)), np.uint32)
    longest = int(lengths.max(initial=0))
    for place, table in enumerate(_crcs_of_bytes()):
        if longest >> 8 * place:
            crcs ^= table[lengths >> lengths.dtype.type(8 * place) & lengths.dtype.type(255)]
    return _masked(crcs)


def tf_record_iterator(path: str | Path, options: str | TFRecordOptions | None = None) -> Iterator[bytes]:
    """The records of a TFRecord file.

    Args:
        path: the file's path.
        options: `TFRecordOptions`, "GZIP", "ZLIB" or None.

    Raises:
        ValueError: for an unknown compression type.
        NotFoundError, ...: if the file cannot be read.
        DataLossError: at a record that is cut short or whose checksum is wrong, naming where it stands.

    Example:
        >>> with tf.python_io.TFRecordWriter("words.tfrecord") as writer:
        ...     for record in (b"first", b"second"):
        ...         writer.write(record)
        >>> list(tf.python_io.tf_record_iterator("words.tfrecord"))
        [b'first', b'second']
    """
    name, chosen = as_path(path), as_options(options)
    with failures_of(name):
        file = open_binary(name, "rb")
    with file:
        for records in batches_of(chunk_reader(file, name, chosen), name):
            yield from records


def chunk_reader(file: Any, path: str, options: str | TFRecordOptions) -> Callable[[int], bytes]:
    """What hands out the file's (decompressed) bytes: some while there are any, no more than asked for.

    Args:
        file: a binary file.
        path: its path, for errors, which are DataLossError where decompressing fails.
        options: `TFRecordOptions`, "GZIP", "ZLIB" or "".
    """
    options = as_options(options)
    kind = TFRecordOptions.get_compression_type_string(options)

    def read(size: int) -> bytes:
        with failures_of(path):
            return file.read(size)

    if not kind:
        return read
    bits = _window_bits(kind, options.window_bits)
    stream, left = zlib.decompressobj(bits), b""

    def inflated(size: int) -> bytes:
        nonlocal stream, left
        while True:
            if stream.eof:
                # Files of several gzip members are read to their end; what else may follow is no part of the data.
                left = stream.unused_data or read(_CHUNK_SIZE)
                if kind != "GZIP" or not left.startswith(_GZIP_MAGIC):
                    return b""
                stream = zlib.decompressobj(bits)
            packed = left or read(options.input_buffer_size or _CHUNK_SIZE)
            if not packed:
                return b""
            try:
                # Bounded, so that a small hostile file cannot fill the memory at one go.
                data = stream.decompress(packed, size)
            except zlib.error as error:
                said = str(error).removeprefix("Error ").replace(" while decompressing data", "")
                raise errors.DataLossError(None, None, f"inflate() failed with error {said} (file: {path})") from None
            left = stream.unconsumed_tail
            if data:
                return data

    return inflated


def batches_of(read: Callable[[int], bytes], path: str) -> Iterator[list[bytes]]:
    """The records in a sequence of bytes, checked, as many at a time as are read at once.

    Args:
        read: hands out the next bytes, some while there are any and no more than asked for.
        path: the file's name for messages.
    """
    buffer = b""
    start = 0  # of the buffer, in the file
    ahead = _CHUNK_SIZE
    while True:
        records, at = _sliced(buffer)
        if records:
            right, fault = _checked(buffer, records)
            if right:
                yield records[:right]
            if fault is not None:
                raise errors.DataLossError(None, None, f"corrupted record at {start + fault} (file: {path})")
        buffer, start = buffer[at:], start + at
        if len(buffer) < 12:
            buffer = _extended(buffer, 12, ahead, read, path)
            if len(buffer) < 12:
                # TensorFlow takes fewer bytes than a length and its checksum for the end of the file.
                return
            continue
        length = _length(buffer[:12])
        if length is None:
            raise errors.DataLossError(None, None, f"corrupted record at {start} (file: {path})")
        if length <= _CHUNK_SIZE or len(buffer) > 12 + length:
            buffer = _extended(buffer, 12 + length + 4, _CHUNK_SIZE, read, path)
            ahead = _CHUNK_SIZE
            if len(buffer) < 12 + length + 4:
                raise errors.DataLossError(None, None, f"truncated record at {start} (file: {path})")
        else:
            # A long record comes whole from the file, and what follows it is likely as long: nothing is read ahead.
            record = _extended(buffer[12:], length, 0, read, path)
            checksum = _extended(b"", 4, 0, read, path)
            if len(record) < length or len(checksum) < 4:
                raise errors.DataLossError(None, None, f"truncated record at {start} (file: {path})")
            if masked_crc32c(record) != _CHECKSUM.unpack(checksum)[0]:
                raise errors.DataLossError(None, None, f"corrupted record at {start + 12} (file: {path})")
            buffer, start, ahead = b"", start + 12 + length + 4, 12
            yield [record]


def _sliced(buffer: bytes) -> tuple[list[bytes], int]:
    """The whole records of a buffer, by the lengths that stand there, unchecked; and where what is left of it begins."""
    records: list[bytes] = []
    append, length_at = records.append, _LENGTH.unpack_from
    at, last = 0, len(buffer) - 12
    length = 0
    while at <= last:
        (length,) = length_at(buffer, at)
        at += 12
        append(buffer[at : (at := at + length)])
        at += 4
    if at > len(buffer):
        records.pop()
        at -= 12 + length + 4
    return records, at


def _checked(buffer: bytes, records: list[bytes]) -> tuple[int, int | None]:
    """How many of a buffer's records are right, and where the first wrong checksum's data stand, if any is wrong."""
    lengths = _lengths(records)
    ends = np.cumsum(lengths + 16) - 4
    stored = np.ndarray(len(buffer) - 3, "<u4", buffer, strides=(1,))  # at any place
    wrong_lengths = np.flatnonzero(stored[ends - lengths - 4] != _checksums_of_lengths(lengths))
    right = int(wrong_lengths[0]) if len(wrong_lengths) else len(records)
    wrong_records = np.flatnonzero(stored[ends[:right]] != _checksums(records[:right]))
    if len(wrong_records):
        right = int(wrong_records[0])
        return right, int(ends[right] - lengths[right])
    return right, int(ends[right] - lengths[right] - 12) if len(wrong_lengths) else None


def _length(header: bytes) -> int | None:
    """The length that a header tells, None if its checksum is wrong."""
    length, checksum = _HEADER.unpack(header)
    return length if masked_crc32c(header[:8]) == checksum else None


def _extended(buffer: bytes, least: int, ahead: int, read: Callable[[int], bytes], path: str) -> bytes:
    """The buffer with at least `least` bytes, and up to `ahead` if that is more; fewer only at the end of the file.

    A compressed file may go on for as long as a record claims to: ResourceExhaustedError for more than may be held.
    """
    have = len(buffer)
    if have >= least:
        return buffer
    chunks = [buffer] if buffer else []
    while have < least:
        # However long a record claims to be, no more is asked for at once than a file may well hold.
        chunk = read(min(max(least, ahead) - have, _LARGEST_READ))
        if not chunk:
            break
        chunks.append(chunk)
        have += len(chunk)
        if have > _LARGEST_READ:
            check_held(have, f"a record (file: {path})")
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)
