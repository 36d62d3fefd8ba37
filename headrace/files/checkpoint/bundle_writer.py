"""Tensor bundles written and merged.

The index is what makes a checkpoint exist: data files get their names first, and an index only ever refers to complete
data. Where a checkpoint replaces one of the same prefix, the new data takes names that the old index does not use.
"""

from __future__ import annotations

import contextlib
import glob
import os
import queue
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import IO, Any

import numpy as np

from headrace.core.dtypes import DType
from headrace.core.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from headrace.files.checkpoint import shard_folders, slices, wire
from headrace.files.checkpoint.atomic import (
    open_temporary,
    remove_abandoned,
    replacing,
    sync_file,
    sync_folder,
    temporary_name,
)
from headrace.files.checkpoint.bundle import (
    CHUNK_SIZE,
    HEADER_KEY,
    LARGE_SIZE,
    BundleReader,
    Entry,
    data_name,
    index_name,
    length_bytes,
    read_entry,
)
from headrace.files.checkpoint.checksums import crc32c, mask
from headrace.files.checkpoint.slices import Dims, Slice
from headrace.files.checkpoint.table import TableWriter
from headrace.files.failures import failures_of


class BundleWriter:
    """Writes a checkpoint of one data file; it exists when `finish` returns.

    Args:
        prefix: its path without the suffixes of the files.

    Raises:
        OpError: if the files cannot be written.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._entries: dict[bytes, Entry] = {}
        self._temporary = temporary_name(data_name(prefix, 0, 1))
        folder = os.path.dirname(prefix)
        # One level, as TensorFlow does; opening the file tells what is wrong where that is not it.
        shard_folders.claim(folder)
        remove_abandoned(folder)
        with failures_of(prefix):
            self._file = open_temporary(self._temporary, buffering=0)
        self._offset = 0

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(self, kind: type | None, *_: Any) -> None:
        if not self._file.closed:
            self._file.close()
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)

    def add(self, name: str, dtype: DType, array: np.ndarray) -> None:
        """Adds a tensor.

        Raises:
            InvalidArgumentError: if there is one of that name already.
        """
        self._add(name.encode(), name, dtype, array)

    def add_slice(self, name: str, dims: Dims, part: Slice, dtype: DType, array: np.ndarray) -> None:
        """Adds a slice of a tensor whose shape is `dims`."""
        if slices.is_full(part, dims):
            self.add(name, dtype, array)
            return
        whole = self._entries.setdefault(name.encode(), Entry(dtype, dims))
        if whole.dims != dims or whole.dtype is not dtype or (whole.size and not whole.slices):
            raise InvalidArgumentError(None, None, f"Slices of {name} do not agree about its shape and type.")
        self._add(slices.slice_key(name, part), name, dtype, array)
        whole.slices.append(part)

    def _add(self, key: bytes, name: str, dtype: DType, array: np.ndarray) -> None:
        if key in self._entries:
            raise InvalidArgumentError(None, None, f"Adding duplicate key: {name}")
        entry = Entry(dtype, tuple(array.shape), offset=self._offset)
        with failures_of(self._temporary):
            if array.dtype == object:
                entry.size, entry.crc = _write_strings(self._file, array)
            else:
                data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
                entry.size, entry.crc = data.size, _write_array(self._file, data)
        entry.crc = mask(entry.crc)
        self._offset += entry.size
        self._entries[key] = entry

    def finish(self) -> None:
        """Gives the files their names."""
        with failures_of(self._temporary):
            sync_file(self._file)
        _install(self.prefix, [self._temporary], self._entries)
        self._file.close()


def _write_all(file: IO[bytes], data: Any) -> None:
    view = memoryview(data)
    while len(view):
        view = view[file.write(view) :]


def _write_strings(file: IO[bytes], array: np.ndarray) -> tuple[int, int]:
    head, text, crc = packed_strings(array)
    _write_all(file, head)
    _write_all(file, text)
    return len(head) + len(text), crc


def packed_strings(array: np.ndarray) -> tuple[bytes, bytes, int]:
    """Strings as they are stored: their lengths and the checksum of those, the text, and the checksum of all."""
    items = array.reshape(-1).tolist()
    try:
        text = b"".join(items)
    except TypeError:
        items = [item.encode() if isinstance(item, str) else bytes(item) for item in items]
        text = b"".join(items)
    lengths = list(map(len, items))
    crc = crc32c(length_bytes(lengths))
    check = mask(crc).to_bytes(4, "little")
    short = max(lengths, default=0) < 0x80
    head = bytes(lengths) if short else b"".join(map(wire.varint, lengths))
    return head + check, text, crc32c(text, crc32c(check, crc))


def _write_array(file: IO[bytes], data: np.ndarray) -> int:
    """Writes bytes and returns their checksum.

    Both are of a copy made chunk by chunk: another thread may be training the variable, and a checksum must be that of
    the bytes written. One thread copies and sums while another writes.
    """
    if data.size < LARGE_SIZE:
        content = data.tobytes()
        _write_all(file, content)
        return crc32c(content)
    full: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()
    free: queue.SimpleQueue[np.ndarray] = queue.SimpleQueue()
    failures: list[BaseException] = []

    def write() -> None:
        while (chunk := full.get()) is not None:
            try:
                if not failures:
                    _write_all(file, chunk)
            except OSError as error:
                failures.append(error)
            free.put(chunk)

    for _ in range(3):
        free.put(np.empty(min(CHUNK_SIZE, data.size), np.uint8))
    writer = threading.Thread(target=write, name="checkpoint-writer", daemon=True)
    writer.start()
    crc = 0
    try:
        for at in range(0, data.size, CHUNK_SIZE):
            source = data[at : at + CHUNK_SIZE]
            chunk = free.get()
            chunk = chunk if chunk.size == source.size else np.empty(source.size, np.uint8)
            np.copyto(chunk, source)
            crc = crc32c(chunk, crc)
            full.put(chunk)
    finally:
        full.put(None)
        writer.join()
    if failures:
        raise failures[0]
    return crc


def header_message(shards: int) -> bytes:
    """What the index of a bundle begins with, a `BundleHeaderProto`."""
    version = wire.number_field(1, 1)
    return wire.number_field(1, shards) + wire.bytes_field(3, version)


def _write_index(path: str, shards: int, entries: dict[bytes, Entry]) -> None:
    with replacing(path) as file:
        writer = TableWriter(file)
        writer.add(HEADER_KEY, header_message(shards))
        for key in sorted(entries):
            writer.add(key, entries[key].message())
        writer.finish()


def _install(prefix: str, data: Sequence[str], entries: dict[bytes, Entry]) -> None:
    """Makes complete data files and the entries that refer to them the checkpoint `prefix`."""
    shards = len(data)
    names = [data_name(prefix, i, shards) for i in range(shards)]
    path = index_name(prefix)
    with failures_of(prefix):
        detour = os.path.exists(path) and any(os.path.exists(name) for name in names)
        if detour:
            # The index there may refer to data files of just these names. The new data is given names of a bundle with one
            # more shard, the index moves over to those, and then back to the usual ones.
            aside = [data_name(prefix, i, shards + 1) for i in range(shards)]
            stale = [name for name in aside if os.path.exists(name)]
            if stale and _shards_of(path) == shards + 1:
                # Left by a process that ended half-way: the index is on the detour, and the usual names are free.
                detour = False
        if not detour:
            _rename(data, names)
            _write_index(path, shards, entries)
        else:
            _rename(data, aside)
            _write_index(path, shards + 1, entries)
            if _link(aside, names):
                _write_index(path, shards, entries)
            else:
                names = aside
    keep = {os.path.basename(name) for name in names}
    for name in data_files(prefix):
        if os.path.basename(name) not in keep:
            with contextlib.suppress(OSError):
                os.unlink(name)


def _rename(sources: Iterable[str], targets: Iterable[str]) -> None:
    for source, target in zip(sources, targets):
        os.replace(source, target)
        last = target
    sync_folder(last)


def _link(sources: Iterable[str], targets: Iterable[str]) -> bool:
    """Gives files a second name, replacing what has it; False where the file system cannot."""
    for source, target in zip(sources, targets):
        temporary = temporary_name(target)
        try:
            os.link(source, temporary)
        except OSError:
            return False
        os.replace(temporary, target)
    sync_folder(target)
    return True


def _shards_of(path: str) -> int:
    try:
        return BundleReader(path.removesuffix(".index")).shards
    except (DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError):
        return 0


def data_files(prefix: str) -> list[str]:
    """The data files of a checkpoint, of whatever number of shards."""
    pattern = re.compile(re.escape(os.path.basename(prefix)) + r"\.data-\d{5}-of-\d{5}")
    found = glob.glob(glob.escape(prefix) + ".data-?????-of-?????")
    return sorted(name for name in found if pattern.fullmatch(os.path.basename(name)))


def merge(prefixes: Sequence[str], destination: str, delete_old_dirs: bool = True) -> None:
    """Makes one checkpoint of several that hold parts of it.

    Args:
        prefixes: of the parts, whose files are taken away.
        destination: the prefix of the whole.
        delete_old_dirs: whether to delete the folders the parts were in, where they are empty then.

    Raises:
        InvalidArgumentError: if the parts do not go together.
    """
    entries: dict[bytes, Entry] = {}
    data: list[str] = []
    readers = [BundleReader(prefix) for prefix in dict.fromkeys(prefixes)]
    for reader in readers:
        first = len(data)
        data += [data_name(reader.prefix, i, reader.shards) for i in range(reader.shards)]
        for key, (value, where) in reader.entries.items():
            entry = read_entry(value, reader.path, where)
            if not entry.slices:
                entry = replace(entry, shard=entry.shard + first)
            there = entries.setdefault(key, entry)
            if there is entry:
                continue
            if not there.slices or not entry.slices:
                name = key.decode("utf-8", "replace")
                raise InvalidArgumentError(None, None, f"Duplicate tensor keyed by {name} encountered, when merging "
                                           f"prefix: {reader.prefix}")  # fmt: skip
            if (there.dims, there.dtype) != (entry.dims, entry.dtype):
                raise InvalidArgumentError(None, None, f"Slices in {reader.prefix} do not go with those before.")
            there.slices.extend(part for part in entry.slices if part not in there.slices)
    _install(destination, data, entries)
    for reader in readers:
        with contextlib.suppress(OSError):
            os.unlink(reader.path)
    folders = list(dict.fromkeys(os.path.dirname(prefix) for prefix in prefixes))
    for folder in folders:
        shard_folders.release(folder)
    shard_folders.remove_stale(destination)
    if delete_old_dirs:
        for folder in folders:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
