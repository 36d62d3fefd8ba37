"""Tensor bundles, the V2 format: PREFIX.index, a table of names, and PREFIX.data-00000-of-00001, …, the tensors' bytes."""

from __future__ import annotations

import functools
import io
import math
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import DataLossError, InvalidArgumentError, UnimplementedError
from headrace.files.checkpoint import slices, wire
from headrace.files.checkpoint.checksums import crc32c, mask
from headrace.files.checkpoint.slices import Dims, Slice
from headrace.files.checkpoint.table import Table, cut_short, damaged, mapped
from headrace.files.checkpoint.wire import Damaged
from headrace.files.failures import failures_of

HEADER_KEY = b""
# The bytes read, summed or written at a time.
CHUNK_SIZE = 1 << 22
# Below this much a second thread costs more than it saves.
LARGE_SIZE = 1 << 20


@dataclass
class Entry:
    """What the index says of a tensor, or of one slice.

    Attributes:
        slices: the parts it is stored in, each under a key of its own; empty where it is stored in one piece.
        where: the byte of the index near which this stands.
    """

    dtype: DType
    dims: Dims
    shard: int = 0
    offset: int = 0
    size: int = 0
    crc: int = 0
    slices: list[Slice] = field(default_factory=list)
    where: int = 0

    def message(self) -> bytes:
        """It as a `BundleEntryProto`."""
        return b"".join(
            [
                kind_fields(self.dtype, self.dims),
                wire.number_field(3, self.shard),
                wire.number_field(4, self.offset),
                wire.number_field(5, self.size),
                wire.fixed32_field(6, self.crc),
                *(wire.bytes_field(7, slices.slice_message(part)) for part in self.slices),
            ]
        )


@functools.lru_cache(maxsize=1024)
def kind_fields(dtype: DType, dims: Dims) -> bytes:
    """The fields with the type and the shape: many entries have the same."""
    return wire.number_field(1, dtype.as_datatype_enum) + wire.bytes_field(2, slices.shape_message(dims))


@functools.lru_cache(maxsize=1024)
def _read_dims(data: bytes) -> Dims:
    return slices.read_shape(data)


def read_entry(data: bytes | memoryview, path: str, where: int) -> Entry:
    """What an index says of a tensor; DataLossError if that is damaged."""
    numbers = {1: 0, 3: 0, 4: 0, 5: 0, 6: 0}
    dims: Dims = ()
    parts: list[Slice] = []
    try:
        for number, kind, value in wire.fields(data):
            if number in numbers and kind in (wire.VARINT, wire.FIXED32):
                numbers[number] = wire.signed(value)
            elif number == 2 and kind == wire.BYTES:
                dims = _read_dims(bytes(value))
            elif number == 7 and kind == wire.BYTES:
                parts.append(slices.read_slice(value))
        if min(numbers.values()) < 0:
            raise Damaged("an entry with a negative number")
        dtype = as_dtype(numbers[1])
    except Damaged as error:
        raise damaged(path, where, str(error)) from None
    except TypeError:
        raise damaged(path, where, f"an entry of the unknown type {numbers[1]}") from None
    return Entry(dtype, dims, numbers[3], numbers[4], numbers[5], numbers[6], parts, where)


def index_name(prefix: str) -> str:
    """The path of the index of a checkpoint."""
    return prefix + ".index"


def data_name(prefix: str, shard: int, shards: int) -> str:
    """The path of one of a checkpoint's data files."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


class BundleReader:
    """A checkpoint of the V2 format.

    Args:
        prefix: its path without the suffixes of the files.

    Raises:
        NotFoundError: if there is no such checkpoint.
        DataLossError: naming file and byte, here or when a part is read, if a file is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.path = index_name(prefix)
        self._table = Table(self.path)
        self._data: dict[int, Any] = {}
        header = self._table.find(HEADER_KEY)
        if header is None:
            raise damaged(self.path, 0, "there is no header")
        self.shards, endianness = 0, 0
        try:
            for number, kind, value in wire.fields(header[0]):
                if kind == wire.VARINT and number == 1:
                    self.shards = wire.signed(value)
                elif kind == wire.VARINT and number == 2:
                    endianness = value
                elif kind == wire.BYTES and number == 3:
                    _check_version(value, self.path)
        except Damaged as error:
            raise damaged(self.path, header[1], str(error)) from None
        if not 0 < self.shards <= 99999:
            raise damaged(self.path, header[1], f"it claims to have {self.shards} data files")
        if endianness:
            raise UnimplementedError(
                None, None, f"Unable to read the tensor bundle {prefix}: it was written on a big-endian machine."
            )

    def placed(self) -> Iterator[tuple[bytes, Any, int]]:
        """All entries as they are stored, one after the other: key, message and byte of the index."""
        found = self._table.placed()
        # The header comes first: no key is shorter.
        next(found)
        return found

    @cached_property
    def entries(self) -> dict[bytes, tuple[Any, int]]:
        """All entries as they are stored, by key."""
        return {key: (value, where) for key, value, where in self._table.placed() if key != HEADER_KEY}

    def find(self, key: bytes) -> Entry | None:
        """The entry under a key, None if there is none."""
        found = self.entries.get(key) if "entries" in self.__dict__ else self._table.find(key)
        return None if found is None else read_entry(found[0], self.path, found[1])

    def prepare(self, count: int) -> None:
        """Says that about `count` tensors will be asked for."""
        if count > 4:
            _ = self.entries

    def entry(self, name: str) -> Entry | None:
        """What is said of the tensor `name`, None if it is not there."""
        return self.find(name.encode("utf-8", "surrogateescape")) if name else None

    def names(self) -> list[str]:
        """The names of the tensors, sorted."""
        # Keys that begin with a zero byte are those of slices.
        keys = [key for key in self.entries if not key.startswith(b"\0")]
        return [key.decode("utf-8", "surrogateescape") for key in keys]

    def tensor(self, name: str, entry: Entry, part: Slice | None = None, shared: bool = False) -> np.ndarray:
        """The value of a tensor or of a slice of it.

        Args:
            name: its name.
            entry: what `entry(name)` gave.
            part: a slice that lies within it; all by default.
            shared: whether the array may be the file's own pages, for one who copies it at once.
        """
        spec = None if part is None or slices.is_full(part, entry.dims) else part
        if not entry.slices:
            whole = self._stored(name, entry, shared or spec is not None)
            if spec is None:
                return whole
            view = whole[slices.index(spec)]
            return view if shared else view.copy()
        return self._assembled(name, entry, slices.everything(len(entry.dims)) if spec is None else spec)

    def _assembled(self, name: str, entry: Entry, part: Slice) -> np.ndarray:
        part = slices.resolved(part, entry.dims)
        dims = slices.extent(part, entry.dims)
        overlapping = []
        for stored in entry.slices:
            if not slices.fits(stored, entry.dims):
                raise damaged(self.path, entry.where, f"a slice of {name} lies outside of it")
            within = slices.resolved(stored, entry.dims)
            shared = slices.overlap(part, within)
            if shared is not None:
                overlapping.append((stored, shared))
        covered = sum(math.prod(place.stop - place.start for place in into) for _, (into, _) in overlapping)
        # Checked before memory is taken for what a damaged index may claim.
        if covered < math.prod(dims):
            # Nothing is damaged: the optimizer slots of divided variables may be saved under a name each.
            raise InvalidArgumentError(
                None, None, f"{self.path}: the slices of {name} do not cover what is asked of it"
            )
        found = []
        for stored, shared in overlapping:
            slice_entry = self.find(slices.slice_key(name, stored))
            if slice_entry is None or slice_entry.slices or slice_entry.dims != slices.extent(stored, entry.dims):
                raise damaged(self.path, entry.where, f"a slice of {name} is missing or has another shape")
            if slice_entry.dtype is not entry.dtype:
                raise damaged(self.path, slice_entry.where, f"a slice of {name} has another type")
            found.append((self._stored(name, slice_entry, True), shared))
        array = slices.empty_array(dims, _array_type(entry.dtype))
        for value, (into, out_of) in found:
            array[into] = value[out_of]
        return array

    def _stored(self, name: str, entry: Entry, shared: bool) -> np.ndarray:
        raw, path = self._bytes(name, entry)
        if entry.dtype.name == "string":
            return read_strings(raw, entry, name, path)
        if not entry.dtype.is_numpy_compatible:
            raise UnimplementedError(
                None, None, f"{path}: {name} is of the type {entry.dtype.name}, which is not read."
            )
        kind = np.dtype(_array_type(entry.dtype))
        if math.prod(entry.dims) * kind.itemsize != entry.size:
            problem = f"{name} has {entry.size} bytes, which do not fit its shape {slices.bracketed(entry.dims)}"
            raise damaged(self.path, entry.where, problem)
        if entry.size < LARGE_SIZE:
            data = np.frombuffer(raw, np.uint8)
            crc = crc32c(data)
            data = data if shared else data.copy()
        else:
            data, crc = _read_large(path, entry, shared)
        check_crc(crc, entry, name, path)
        return data.view(kind).reshape(entry.dims)

    def _bytes(self, name: str, entry: Entry) -> tuple[Any, str]:
        path = data_name(self.prefix, entry.shard, self.shards)
        if entry.shard >= self.shards:
            raise damaged(self.path, entry.where, f"{name} is in data file {entry.shard} of {self.shards}")
        if entry.shard not in self._data:
            self._data[entry.shard] = mapped(path)
        data = self._data[entry.shard]
        if entry.offset + entry.size > len(data):
            problem = f"it ends before byte {entry.offset + entry.size}, where {name} ends"
            raise cut_short(path, len(data), problem)
        return memoryview(data)[entry.offset : entry.offset + entry.size], path


def _read_large(path: str, entry: Entry, shared: bool) -> tuple[np.ndarray, int]:
    """The bytes of a large tensor, as pages of the file or as a copy, and their checksum.

    The pages are of a mapping of their own, which goes with the array. Those that have been seen are given back at once:
    they would count as memory of the process until somebody else needs them.
    """
    first = entry.offset - entry.offset % mmap.ALLOCATIONGRANULARITY
    before = entry.offset - first
    with failures_of(path), open(path, "rb") as file:
        pages = mmap.mmap(file.fileno(), before + entry.size, access=mmap.ACCESS_COPY, offset=first)
    source = np.frombuffer(pages, np.uint8)[before:]
    target = source if shared else np.empty(entry.size, np.uint8)
    give_back = getattr(mmap, "MADV_DONTNEED", None)
    crc = 0
    for at in range(0, entry.size, CHUNK_SIZE):
        chunk = source[at : at + CHUNK_SIZE]
        if not shared:
            # Chunk by chunk, so that the checksum is of bytes still in the processor's cache.
            target[at : at + CHUNK_SIZE] = chunk
            chunk = target[at : at + CHUNK_SIZE]
        crc = crc32c(chunk, crc)
        if give_back is not None:
            start = (before + at) // mmap.PAGESIZE * mmap.PAGESIZE
            pages.madvise(give_back, start, min(CHUNK_SIZE, len(pages) - start))
    return target, crc


def _check_version(data: memoryview, path: str) -> None:
    producer = consumer = 0
    for number, kind, value in wire.fields(data):
        if kind == wire.VARINT and number == 1:
            producer = value
        elif kind == wire.VARINT and number == 2:
            consumer = value
    if consumer > 1:
        raise InvalidArgumentError(
            None,
            None,
            f"{path}: written by version {producer} for readers of version {consumer}; this one is of version 1.",
        )


def check_crc(crc: int, entry: Entry, name: str, path: str) -> None:
    """Raises DataLossError if `crc` is not the checksum that the index has of a tensor."""
    if mask(crc) != entry.crc:
        message = (
            f"Checksum does not match: stored {entry.crc} vs. calculated on the restored bytes {mask(crc)} "
            f"({path}: damaged between byte {entry.offset} and {entry.offset + entry.size}: {name})"
        )
        raise DataLossError(None, None, message)


def _array_type(dtype: DType) -> type:
    return dtype.as_numpy_dtype


def read_strings(raw: memoryview, entry: Entry, name: str, path: str) -> np.ndarray:
    """The strings in the bytes of a tensor; DataLossError if they are damaged."""
    try:
        array, crc = unpacked_strings(raw, entry.dims)
    except Damaged as error:
        raise damaged(path, entry.offset, f"{name} has {error}") from None
    check_crc(crc, entry, name, path)
    return array


def unpacked_strings(raw: bytes | memoryview, dims: Dims) -> tuple[np.ndarray, int]:
    """Strings as `packed_strings` gives them, and the checksum of all.

    Raises:
        Damaged: if they are none of that shape.
    """
    count = math.prod(dims)
    # A length takes a byte at least.
    if count + (4 if count else 0) > len(raw):
        raise Damaged(f"{len(raw)} bytes, too short for {count} strings")
    lengths, position = wire.read_lengths(raw, count)
    crc = crc32c(length_bytes(lengths))
    stored = bytes(raw[position : position + 4])
    if count and mask(crc) != int.from_bytes(stored, "little"):
        raise Damaged("a wrong checksum of the lengths of its strings")
    position += len(stored)
    if position + sum(lengths) != len(raw):
        raise Damaged("strings that do not fill their place")
    text = bytes(raw[position:])
    array = np.empty(count, object)
    array[:] = list(map(io.BytesIO(text).read, lengths))
    return array.reshape(dims), crc32c(text, crc32c(stored, crc))


def length_bytes(lengths: Sequence[int]) -> bytes:
    """What the checksum of strings' lengths is of: 32 bits each, 64 only where it takes them."""
    if max(lengths, default=0) < 1 << 32:
        return np.array(lengths, "<u4").tobytes()
    return b"".join(length.to_bytes(4 if length < 1 << 32 else 8, "little") for length in lengths)
