"""Bundles of many tensors, written and read one by one in the order of their keys, as caches of datasets are.

Neither end keeps more than the tensor at hand, however many there are. The index makes such a bundle exist, as it does every
other: it gets its name when the data has got its own.

Where the values of variants stand in a data file, each is its length as a varint, the bytes of its message, and a checksum
of all up to there, in which lengths count as 64 bits.
"""

from __future__ import annotations

import contextlib
import functools
import os
from typing import IO, Any, NamedTuple

import numpy as np

from headrace.core.dtypes import DType
from headrace.core.errors import UnimplementedError
from headrace.files.checkpoint import wire
from headrace.files.checkpoint.atomic import (
    open_temporary,
    remove_abandoned,
    temporary_name,
)
from headrace.files.checkpoint.bundle import (
    HEADER_KEY,
    BundleReader,
    Entry,
    check_crc,
    data_name,
    index_name,
    kind_fields,
    read_entry,
    unpacked_strings,
)
from headrace.files.checkpoint.bundle_writer import data_files, header_message, packed_strings
from headrace.files.checkpoint.checksums import crc32c, mask
from headrace.files.checkpoint.slices import Dims
from headrace.files.checkpoint.table import TableWriter, damaged
from headrace.files.checkpoint.wire import Damaged
from headrace.files.failures import failures_of, file_error
from headrace.files.tensor_messages import (
    Kind,
    as_bytes,
    check_bools,
    head_size,
    kind_of,
    objects,
    read_kind,
    read_variant,
    variant_message,
)

_CHUNK_SIZE = 1 << 18
# The tags of an entry's fields after the type and the shape.
_SHARD, _OFFSET, _SIZE, _CRC = 0x18, 0x20, 0x28, 0x35


class BundleStreamWriter:
    """Writes a bundle of one data file, tensor by tensor; it exists when `finish` returns.

    Args:
        prefix: its path without the suffixes of the files.

    Raises:
        OpError: if the files cannot be written.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._offset = 0
        self._any = False
        self._pending: list[Any] = []
        self._room = _CHUNK_SIZE  # how many more bytes are kept
        self._temporary: list[str] = []
        remove_abandoned(os.path.dirname(prefix))
        with failures_of(prefix):
            self._data = self._open(data_name(prefix, 0, 1))
            try:
                self._index = self._open(index_name(prefix))
            except OSError:
                self.abandon()
                raise
        self._table = TableWriter(self._index)
        self._table.add(HEADER_KEY, header_message(1))

    def _open(self, path: str) -> IO[bytes]:
        temporary = temporary_name(path)
        file = open_temporary(temporary)
        self._temporary.append(temporary)
        return file

    def add(self, key: bytes, dtype: DType, array: np.ndarray) -> None:
        """Adds a tensor in the stored form of `tensor_messages`; the keys come in order."""
        if array.dtype != object:
            content = array.tobytes() if array.nbytes < _CHUNK_SIZE else as_bytes(array)
            self._add(key, dtype, array.shape, content, crc32c(content))
        elif dtype.name == "string":
            self._add(key, dtype, array.shape, *_packed_strings(array))
        elif dtype.name == "variant":
            self._add(key, dtype, array.shape, *_packed_variants(array))
        else:
            raise UnimplementedError(None, None, f"{self.prefix}: values of the type {dtype.name} are not written.")

    def _add(self, key: bytes, dtype: DType, dims: Dims, content: Any, crc: int) -> None:
        size = len(content)
        place = wire.number_field(4, self._offset) + wire.number_field(5, size) + wire.fixed32_field(6, mask(crc))
        try:
            self._table.add(key, kind_fields(dtype, dims) + place)
            if size >= _CHUNK_SIZE:
                self._write_pending()
                self._data.write(content)
            else:
                self._pending.append(content)
                self._room -= size
                if self._room < 0:
                    self._write_pending()
        except OSError as error:
            raise file_error(error, self.prefix) from None
        self._offset += size
        self._any = True

    def _write_pending(self) -> None:
        self._data.write(b"".join(self._pending))
        self._pending.clear()
        self._room = _CHUNK_SIZE

    def finish(self) -> None:
        """Gives the files their names."""
        names = [data_name(self.prefix, 0, 1), index_name(self.prefix)]
        with failures_of(self.prefix):
            self._write_pending()
            self._table.finish()
            # Nobody waits for the disk, as TensorFlow does not: what a failure of power leaves has wrong checksums.
            self._data.close()
            self._index.close()
            for temporary, name in zip(self._temporary, names):
                if name == names[0] and not self._any:
                    # As TensorFlow has it: no tensors, no data file.
                    os.unlink(temporary)
                    continue
                os.replace(temporary, name)
        for name in data_files(self.prefix):
            if name != names[0] or not self._any:
                with contextlib.suppress(OSError):
                    os.unlink(name)

    def abandon(self) -> None:
        """Takes away what was written, unless it is finished."""
        for file in (getattr(self, "_data", None), getattr(self, "_index", None)):
            if file is not None:
                with contextlib.suppress(OSError):
                    file.close()
        for temporary in self._temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


@functools.lru_cache(maxsize=4096)
def _head_of_one(length: int) -> tuple[bytes, int]:
    """What stands before a single string of a length, and the checksum of it."""
    number = length.to_bytes(4, "little")
    crc = crc32c(number)
    check = mask(crc).to_bytes(4, "little")
    return wire.varint(length) + check, crc32c(check, crc)


def _packed_strings(array: np.ndarray) -> tuple[bytes, int]:
    if array.size == 1:
        item = array.item()
        if type(item) is bytes and len(item) < _CHUNK_SIZE:
            head, crc = _head_of_one(len(item))
            return head + item, crc32c(item, crc)
    head, text, crc = packed_strings(array)
    return head + text, crc


def _packed_variants(array: np.ndarray) -> tuple[bytes, int]:
    parts, crc = [], 0
    for item in array.reshape(-1).tolist():
        message = variant_message(item)
        crc = crc32c(message, crc32c(len(message).to_bytes(8, "little"), crc))
        check = mask(crc).to_bytes(4, "little")
        crc = crc32c(check, crc)
        parts += [wire.varint(len(message)), message, check]
    return b"".join(parts), crc


# ---- reading ----


class Place(NamedTuple):
    """A tensor of a bundle: what it is, where it stands, and the byte of the index that says so."""

    key: bytes
    kind: Kind
    shard: int
    offset: int
    size: int
    crc: int
    where: int


class BundleStreamReader:
    """The tensors of a bundle, of however many data files, in the order of their keys.

    Args:
        prefix: its path without the suffixes of the files.

    Raises:
        NotFoundError: if there is no such bundle.
        DataLossError: naming file and byte, here or when a part is read, if a file is damaged.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> reader = BundleStreamReader(path)
        >>> while (place := reader.next()) is not None:
        ...     print(place.key, reader.value(place).shape)
        b'global_step' ()
        b'w' (3, 2)
    """

    _file: IO[bytes] | None = None

    def __init__(self, prefix: str) -> None:
        self._bundle = BundleReader(prefix)
        self._entries = self._bundle.placed()
        self._path = ""
        self._following = (0, 0)  # the data file and the byte where the next tensor begins
        self._shard = -1
        self._size = 0
        self._position = 0

    def next(self) -> Place | None:
        """The next tensor, None at the end."""
        found = next(self._entries, None)
        if found is None:
            self.close()
            return None
        key, message, where = found
        data = bytes(message)
        place = _place(key, data, where) or self._unusual(key, data, where)
        expected, self._following = self._following, (place.shard, place.offset + place.size)
        if (place.shard, place.offset) != expected and (place.offset or place.shard <= expected[0]):
            # Else a small file could hold much: many tensors of the same bytes.
            raise damaged(self._bundle.path, where, f"the data of {_shown(key)} do not follow those before")
        return place

    def _unusual(self, key: bytes, data: bytes, where: int) -> Place:
        path = self._bundle.path
        entry = read_entry(data, path, where)
        if entry.slices:
            raise damaged(path, where, f"{_shown(key)} is in slices")
        try:
            kind = kind_of(entry.dtype.as_datatype_enum, entry.dims)
        except Damaged as error:
            raise damaged(path, where, str(error)) from None
        return Place(key, kind, entry.shard, entry.offset, entry.size, entry.crc, where)

    def value(self, place: Place) -> np.ndarray:
        """A tensor in the stored form of `tensor_messages`, in memory of its own."""
        kind = place.kind
        try:
            if kind.stored is not None:
                return self._numbers(place, kind.stored)
            raw = self._opened(place).read(place.size)
        except OSError as error:
            raise file_error(error, self._path) from None
        self._check_got(place, len(raw))
        return self._strings(place, raw) if kind.dtype.name == "string" else self._variants(place, raw)

    def _numbers(self, place: Place, stored: np.dtype) -> np.ndarray:
        kind, size = place.kind, place.size
        if kind.elements * stored.itemsize != size:
            problem = f"{_shown(place.key)} has {size} bytes, which do not fit its shape {list(kind.dims)}"
            raise damaged(self._bundle.path, place.where, problem)
        file = self._opened(place)
        raw = np.empty(size, np.uint8)
        self._check_got(place, file.readinto(raw) if size else 0)
        crc = crc32c(raw)
        if mask(crc) != place.crc:
            self._fail(place, crc)
        array = raw.view(stored).reshape(kind.dims)
        if stored.kind == "b":
            try:
                check_bools(array)
            except Damaged as error:
                raise damaged(self._path, place.offset, f"{_shown(place.key)} has {error}") from None
        return array

    def _strings(self, place: Place, raw: bytes) -> np.ndarray:
        if place.kind.elements == 1 and len(raw) > 4 and (raw[0] < 0x80 or raw[1] < 0x80):
            # Most are a single short one.
            length = raw[0] if raw[0] < 0x80 else raw[0] & 0x7F | raw[1] << 7
            head, crc = _head_of_one(length)
            text = raw[len(head) :]
            if len(text) == length and raw.startswith(head) and mask(crc32c(text, crc)) == place.crc:
                array = np.empty(1, object)
                array[0] = text
                return array.reshape(place.kind.dims)
        try:
            array, crc = unpacked_strings(raw, place.kind.dims)
        except Damaged as error:
            raise damaged(self._path, place.offset, f"{_shown(place.key)} has {error}") from None
        if mask(crc) != place.crc:
            self._fail(place, crc)
        return array

    def _variants(self, place: Place, raw: bytes) -> np.ndarray:
        items, crc, at = [], 0, 0
        try:
            while at < len(raw):
                start = at
                size, at = wire.read_varint(raw, at)
                if size + 4 > len(raw) - at:
                    raise Damaged(f"a variant of {size} bytes where {len(raw) - at} are left", start)
                message, check = raw[at : at + size], raw[at + size : at + size + 4]
                crc = crc32c(message, crc32c(size.to_bytes(8, "little"), crc))
                if mask(crc) != int.from_bytes(check, "little"):
                    raise Damaged("a variant whose checksum is wrong", start)
                crc = crc32c(check, crc)
                at += size + 4
                items.append(read_variant(message))
            if mask(crc) != place.crc:
                self._fail(place, crc)
            return objects(items, place.kind)
        except Damaged as error:
            raise damaged(self._path, place.offset + error.position, f"{_shown(place.key)} has {error}") from None

    def _fail(self, place: Place, crc: int) -> None:
        check_crc(crc, _entry(place), _shown(place.key), self._path)

    def _opened(self, place: Place) -> Any:
        """The data file of a tensor, at where that begins; it reaches as far as the tensor does."""
        if place.shard != self._shard:
            shards = self._bundle.shards
            if place.shard >= shards:
                raise damaged(self._bundle.path, place.where, f"it refers to data file {place.shard} of {shards}")
            self.close()
            self._path = data_name(self._bundle.prefix, place.shard, shards)
            self._file = open(self._path, "rb", buffering=_CHUNK_SIZE)  # noqa: SIM115  closed at the end, or when given up
            self._size = os.fstat(self._file.fileno()).st_size
            self._shard, self._position = place.shard, 0
        end = place.offset + place.size
        # Before memory is taken for what an index may claim.
        if end > self._size:
            raise damaged(self._path, self._size, f"it ends before byte {end}, where {_shown(place.key)} ends")
        file: Any = self._file
        if place.offset != self._position:
            file.seek(place.offset)
        # Not known until the tensor is read.
        self._position = -1
        return file

    def _check_got(self, place: Place, got: int) -> None:
        if got != place.size:
            raise damaged(self._path, place.offset + got, f"it ends within {_shown(place.key)}")
        self._position = place.offset + got

    def close(self) -> None:
        """Closes the data file that is open."""
        if self._file is not None:
            self._file.close()
        self._file, self._shard = None, -1

    def __del__(self) -> None:
        self.close()


def _place(key: bytes, data: bytes, where: int) -> Place | None:
    """The place that an entry tells if it is written as all writers write it, None if not."""
    end = len(data) - 5
    at = head_size(data)
    if not 0 < at <= end or data[end] != _CRC:
        return None
    try:
        kind = read_kind(data[:at])
        shard = offset = size = 0
        # What is not 0, in order.
        if at < end and data[at] == _SHARD:
            shard, at = wire.read_varint(data, at + 1)
        if at < end and data[at] == _OFFSET:
            offset, at = wire.read_varint(data, at + 1)
        if at < end and data[at] == _SIZE:
            size, at = wire.read_varint(data, at + 1)
    except Damaged:
        return None
    if at != end or (shard | offset | size) >> 62:
        return None
    return Place(key, kind, shard, offset, size, int.from_bytes(data[end + 1 :], "little"), where)


def _entry(place: Place) -> Entry:
    return Entry(place.kind.dtype, place.kind.dims, place.shard, place.offset, place.size, place.crc, [], place.where)


def _shown(key: bytes) -> str:
    return key.decode("utf-8", "replace").strip()
