"""Tables: sorted keys with values, in the block format of LevelDB that TensorFlow's checkpoints use.

A file is blocks of entries, an index block with the place of each, and a footer with the place of the index. An entry
leaves out what its key shares with the one before; every sixteenth is written in full. Each block has a CRC32C.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from typing import IO, Any

from headrace.core.errors import DataLossError, OutOfRangeError
from headrace.files.checkpoint.checksums import crc32c, mask
from headrace.files.checkpoint.snappy import decompress
from headrace.files.checkpoint.wire import Damaged, read_varint, varint
from headrace.files.failures import failures_of

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5
_RAW, _SNAPPY = 0, 1
_RESTART_INTERVAL = 16
_BLOCK_SIZE = 256 << 10


def damaged(path: str, offset: int, problem: str) -> DataLossError:
    """The error of a file that is not what it should be."""
    return DataLossError(None, None, f"{path}: damaged at byte {offset}: {problem}")


def cut_short(path: str, offset: int, problem: str) -> OutOfRangeError:
    """The error of a data file that ends before what the index says of it."""
    return OutOfRangeError(None, None, f"{path}: damaged at byte {offset}: {problem}")


def mapped(path: str) -> Any:
    """The bytes of a file, read when they are used; writing to them would not reach the file.

    Raises:
        OpError: if it cannot be read.
    """
    with failures_of(path), open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


class Table:
    """A table opened for reading.

    Args:
        path: the file.

    Raises:
        DataLossError: naming file and byte, here or when a part is read, if the file is damaged.
        OpError: if it cannot be read.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._data = mapped(path)
        size = len(self._data)
        if size < _FOOTER:
            raise damaged(path, size, f"{size} bytes are too few for a table")
        footer = self._data[size - _FOOTER :]
        if int.from_bytes(footer[40:], "little") != _MAGIC:
            raise damaged(path, size - 8, "it does not end as a table does (bad magic number)")
        try:
            unused, position = read_varint(footer, 0)
            extent, position = read_varint(footer, position)
            offset, position = read_varint(footer, position)
            length, position = read_varint(footer, position)
        except Damaged as error:
            raise damaged(path, size - _FOOTER, str(error)) from None
        # The block about the blocks says nothing, but a whole file has it.
        for _ in self._entries(unused, extent):
            pass
        self._index: list[tuple[bytes, int, int]] = []
        for key, handle, where in self._entries(offset, length):
            try:
                block, at = read_varint(handle, 0)
                extent, _ = read_varint(handle, at)
            except Damaged as error:
                raise damaged(path, where, str(error)) from None
            self._index.append((key, block, extent))

    def __iter__(self) -> Iterator[tuple[bytes, Any]]:
        """The keys and values in order; a value may be a view of the file."""
        for key, value, _ in self.placed():
            yield key, value

    def placed(self) -> Iterator[tuple[bytes, Any, int]]:
        """The keys and values in order, with the byte of the file near which each is."""
        last: bytes | None = None
        for _, offset, size in self._index:
            for key, value, where in self._entries(offset, size):
                if last is not None and key <= last:
                    raise damaged(self.path, where, "keys are not in order")
                last = key
                yield key, value, where

    def find(self, key: bytes) -> tuple[Any, int] | None:
        """The value of a key and where it is, None if it is not there."""
        low, high = 0, len(self._index)
        while low < high:
            middle = (low + high) // 2
            if self._index[middle][0] < key:
                low = middle + 1
            else:
                high = middle
        if low == len(self._index):
            return None
        for found, value, where in self._entries(*self._index[low][1:]):
            if found == key:
                return value, where
        return None

    def _block(self, offset: int, size: int) -> Any:
        data, path = self._data, self.path
        end = offset + size
        if end + _TRAILER > len(data) - _FOOTER:
            raise damaged(path, offset, f"a block of {size} bytes reaches beyond the end")
        stored = int.from_bytes(data[end + 1 : end + _TRAILER], "little")
        view = memoryview(data)
        if mask(crc32c(view[offset : end + 1].tobytes())) != stored:
            raise damaged(path, offset, "the checksum of a block is wrong")
        kind = data[end]
        if kind == _RAW:
            return view[offset:end]
        if kind == _SNAPPY:
            try:
                return decompress(view[offset:end])
            except Damaged as error:
                raise damaged(path, offset + error.position, f"a compressed block has {error}") from None
        raise damaged(path, end, f"a block of the unknown kind {kind}")

    def _entries(self, offset: int, size: int) -> Iterator[tuple[bytes, Any, int]]:
        block = self._block(offset, size)
        restarts = int.from_bytes(block[-4:], "little") if len(block) >= 4 else -1
        end = len(block) - 4 * (restarts + 1)
        if restarts < 0 or end < 0:
            raise damaged(self.path, offset, "a block is too short for its restart points")
        position, key = 0, b""
        while position < end:
            start = position
            # Most are numbers of one byte; what follows the last entry is longer than three.
            shared, added, length = block[position], block[position + 1], block[position + 2]
            position += 3
            if (shared | added | length) >= 0x80:
                try:
                    shared, position = read_varint(block, start)
                    added, position = read_varint(block, position)
                    length, position = read_varint(block, position)
                except Damaged as error:
                    raise damaged(self.path, offset + start, str(error)) from None
            if shared > len(key) or added + length > end - position:
                raise damaged(self.path, offset + start, "an entry does not fit its block")
            key = key[:shared] + bytes(block[position : position + added])
            position += added
            yield key, block[position : position + length], offset + start
            position += length


class TableWriter:
    """Writes a table to a file open for writing.

    Args:
        file: where to; it is not closed.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._offset = 0
        self._block = _Block()
        self._index = _Block(1)
        self._last: bytes | None = None
        self._pending: bytes | None = None

    def add(self, key: bytes, *value: Any) -> None:
        """Adds an entry; the keys must come in order. The value is the parts given, one after the other."""
        if self._last is not None and key <= self._last:
            raise ValueError(f"keys of a table must be in order: {key!r} after {self._last!r}")
        if self._pending is not None:
            self._index.add(_between(self._last or b"", key), (self._pending,))
            self._pending = None
        self._last = key
        self._block.add(key, value)
        if self._block.size >= _BLOCK_SIZE:
            self._pending = self._write(self._block)
            self._block = _Block()

    def finish(self) -> None:
        """Writes what is left and the footer."""
        if self._block.count:
            self._pending = self._write(self._block)
        if self._pending is not None:
            self._index.add(_after(self._last or b""), (self._pending,))
        handles = self._write(_Block()) + self._write(self._index)
        self._file.write(handles.ljust(40, b"\0") + _MAGIC.to_bytes(8, "little"))

    def _write(self, block: _Block) -> bytes:
        crc = 0
        parts = [*block.parts, block.tail(), bytes([_RAW])]
        for part in parts:
            crc = crc32c(part, crc)
            self._file.write(part)
        self._file.write(mask(crc).to_bytes(4, "little"))
        size = sum(len(part) for part in parts) - 1
        handle = varint(self._offset) + varint(size)
        self._offset += size + _TRAILER
        return handle


class _Block:
    """The entries of one block to be written."""

    def __init__(self, interval: int = _RESTART_INTERVAL) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.count = 0
        self._interval = interval
        self._restarts = [0]
        self._last = b""

    def add(self, key: bytes, value: tuple[Any, ...]) -> None:
        shared = 0
        if self.count and self.count % self._interval == 0:
            self._restarts.append(self.size)
        elif self.count:
            for mine, last in zip(key, self._last):
                if mine != last:
                    break
                shared += 1
        length = sum(len(part) for part in value)
        self._put(varint(shared) + varint(len(key) - shared) + varint(length) + key[shared:])
        for part in value:
            self._put(part)
        self._last = key
        self.count += 1

    def _put(self, part: bytes) -> None:
        self.parts.append(part)
        self.size += len(part)

    def tail(self) -> bytes:
        """What ends the block: where keys are in full, and how many such places there are."""
        return struct.pack(f"<{len(self._restarts) + 1}I", *self._restarts, len(self._restarts))


def _between(low: bytes, high: bytes) -> bytes:
    """A short key that is at least `low` and below `high`."""
    at = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), min(len(low), len(high)))
    if at < min(len(low), len(high)) and low[at] + 1 < high[at]:
        return low[:at] + bytes([low[at] + 1])
    return low


def _after(key: bytes) -> bytes:
    """A short key that is at least `key`."""
    for at, byte in enumerate(key):
        if byte != 0xFF:
            return key[:at] + bytes([byte + 1])
    return key
