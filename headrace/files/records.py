"""TFRecord files: records of bytes, each with its length and checksums of both.

    length: uint64, checksum of the length: uint32, bytes, checksum of the bytes: uint32

The checksums are CRC32C, turned and shifted so that a checksum of data that holds checksums stays meaningful.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from google_crc32c import value as crc32c

from headrace.core import errors
from headrace.files.failures import failures_of, file_error
from headrace.files.paths import as_path, open_binary

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_MASK_DELTA = 0xA282EAD8
_PIECE = 1 << 18
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
        compression_type: Any = None,
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
    def get_compression_type_string(cls, options: Any) -> str:
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


def as_options(options: Any) -> TFRecordOptions:
    """Options of what a caller may give instead of them.

    Raises:
        ValueError: for an unknown compression type.
    """
    return options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)


class TFRecordWriter:
    """Writes records to a file, which it makes anew.

    Args:
        path: the file's path.
        options: `TFRecordOptions`, "GZIP", "ZLIB" or None.

    Raises:
        ValueError: for an unknown compression type.
        NotFoundError, PermissionDeniedError, ...: if the file cannot be written.

    Example:
        >>> with tf.python_io.TFRecordWriter("points.tfrecord") as writer:
        ...     writer.write(example.SerializeToString())
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._path = as_path(path)
        self._options = as_options(options)
        self._compressor = self._options._compressor()
        with failures_of(self._path):
            file = open_binary(self._path, "wb")
        self._file: Any = file
        self._headers: dict[int, bytes] = {}  # by length: lengths come again
        self._write: Callable[[bytes], Any] = file.write
        if self._compressor is not None:
            self._write = self._write_compressed

    def _write_compressed(self, data: bytes) -> None:
        packed = self._compressor.compress(data)
        if packed:
            self._file.write(packed)

    def _check_open(self) -> None:
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer not initialized or previously closed")

    def write(self, record: bytes) -> None:
        """Writes a record.

        Raises:
            TypeError: if it is not bytes; FailedPreconditionError: if the writer is closed.
        """
        if not isinstance(record, bytes):
            raise TypeError(f"expected bytes, {type(record).__name__} found")
        if self._file is None:
            self._check_open()
        header = self._headers.get(len(record))
        if header is None:
            if len(self._headers) > 4096:
                self._headers.clear()
            length = _LENGTH.pack(len(record))
            header = self._headers[len(record)] = length + _CHECKSUM.pack(masked_crc32c(length))
        try:
            self._write(b"".join((header, record, _CHECKSUM.pack(masked_crc32c(record)))))
        except OSError as error:
            raise file_error(error, self._path) from None

    def flush(self) -> None:
        """Hands what was written to the system, as far as compression has it ready."""
        self._check_open()
        with failures_of(self._path):
            if self._compressor is not None and self._options.flush_mode:
                self._file.write(self._compressor.flush(self._options.flush_mode))
            self._file.flush()

    def close(self) -> None:
        """Writes what is left and closes the file; closing twice is nothing."""
        file, self._file = self._file, None
        if file is None:
            return
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


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a TFRecord file.

    Args:
        path: the file's path.
        options: `TFRecordOptions`, "GZIP", "ZLIB" or None.

    Raises:
        ValueError: for an unknown compression type.
        NotFoundError, ...: if the file cannot be read.
        DataLossError: at a record that is cut short or whose checksum is wrong, naming where it stands.

    Example:
        >>> for record in tf.python_io.tf_record_iterator("points.tfrecord"):
        ...     example = tf.train.Example.FromString(record)
    """
    name, chosen = as_path(path), as_options(options)
    with failures_of(name):
        file = open_binary(name, "rb")
    with file:
        yield from records_of(pieces_of(file, name, chosen), name)


def pieces_of(file: Any, path: str, options: Any) -> Callable[[int], bytes]:
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
                left = stream.unused_data or read(_PIECE)
                if kind != "GZIP" or not left.startswith(_GZIP_MAGIC):
                    return b""
                stream = zlib.decompressobj(bits)
            packed = left or read(options.input_buffer_size or _PIECE)
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


def records_of(read: Callable[[int], bytes], path: str) -> Iterator[bytes]:
    """The records in a sequence of bytes, checked.

    Args:
        read: hands out the next bytes, some while there are any and no more than asked for.
        path: the file's name for messages.
    """
    buffer = b""
    start = 0  # of the buffer, in the file
    known: dict[bytes, int] = {}  # lengths by headers that were found right: lengths come again
    ahead = _PIECE
    while True:
        # All records that are in the buffer, their checksums in one go.
        records: list[bytes] = []
        ends: list[int] = []
        at, size, length = 0, len(buffer), None
        fault = ""
        while True:
            header = buffer[at : at + 12]
            length = known.get(header)
            if length is None:
                if len(header) < 12:
                    break
                length = _length(header)
                if length is None:
                    fault = f"corrupted record at {start + at} (file: {path})"
                    break
                if len(known) > 4096:
                    known.clear()
                known[header] = length
            stop = at + 12 + length
            if stop + 4 > size:
                break
            records.append(buffer[at + 12 : stop])
            ends.append(stop)
            at = stop + 4
        if records:
            wrong = _first_wrong(buffer, records, ends)
            if wrong is not None:
                yield from records[:wrong]
                place = start + ends[wrong] - len(records[wrong])
                raise errors.DataLossError(None, None, f"corrupted record at {place} (file: {path})")
            yield from records
        if fault:
            raise errors.DataLossError(None, None, fault)
        buffer, start = buffer[at:], start + at
        if length is None:
            buffer = _extended(buffer, 12, ahead, read)
            if len(buffer) < 12:
                # TensorFlow takes fewer bytes than a length and its checksum for the end of the file.
                return
        elif length <= _PIECE or len(buffer) > 12 + length:
            buffer = _extended(buffer, 12 + length + 4, _PIECE, read)
            ahead = _PIECE
            if len(buffer) < 12 + length + 4:
                raise errors.DataLossError(None, None, f"truncated record at {start} (file: {path})")
        else:
            # A long record comes whole from the file, and what follows it is likely as long: nothing is read ahead.
            record = _extended(buffer[12:], length, 0, read)
            checksum = _extended(b"", 4, 0, read)
            if len(record) < length or len(checksum) < 4:
                raise errors.DataLossError(None, None, f"truncated record at {start} (file: {path})")
            if masked_crc32c(record) != _CHECKSUM.unpack(checksum)[0]:
                raise errors.DataLossError(None, None, f"corrupted record at {start + 12} (file: {path})")
            buffer, start, ahead = b"", start + 12 + length + 4, 12
            yield record


def _length(header: bytes) -> int | None:
    """The length that a header tells, None if its checksum is wrong."""
    length, checksum = _HEADER.unpack(header)
    return length if masked_crc32c(header[:8]) == checksum else None


def _first_wrong(buffer: bytes, records: list[bytes], ends: list[int]) -> int | None:
    """The first of the records whose checksum, which stands right behind it, is wrong."""
    crcs = np.fromiter(map(crc32c, records), np.uint32, len(records))
    masked = (crcs >> np.uint32(15) | crcs << np.uint32(17)) + np.uint32(_MASK_DELTA)
    stored = np.frombuffer(buffer, np.uint8)[np.array(ends)[:, None] + np.arange(4)].view("<u4")[:, 0]
    wrong = np.flatnonzero(masked != stored)
    return int(wrong[0]) if len(wrong) else None


def _extended(buffer: bytes, wanted: int, ahead: int, read: Callable[[int], bytes]) -> bytes:
    """The buffer with at least `wanted` bytes, and up to `ahead` if that is more; fewer only at the end of the file."""
    have = len(buffer)
    if have >= wanted:
        return buffer
    pieces = [buffer] if buffer else []
    while have < wanted:
        # However long a record claims to be, no more is asked for at once than a file may well hold.
        piece = read(min(max(wanted, ahead) - have, _LARGEST_READ))
        if not piece:
            break
        pieces.append(piece)
        have += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
