"""Datasets of what is in files: lines, records, rows of tables and databases."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import numpy as np
import torch

from headrace.core import errors
from headrace.core.registry import op
from headrace.files.failures import failures_of
from headrace.files.file_io import get_matching_files
from headrace.files.paths import open_binary
from headrace.files.records import TFRecordWriter, pieces_of, tf_record_iterator
from headrace.ops.data.base import (
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    integer,
    invalid,
    made_by,
    strings,
    text,
)
from headrace.ops.readers.state import lmdb_records

_PIECE = 1 << 18
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def _names(filenames: Any) -> list[str]:
    return [name.decode() for name in np.asarray(filenames, dtype=object).reshape(-1)]


def opened(path: str, compression: str) -> tuple[Any, Callable[[int], bytes]]:
    """A file, and what hands out its (decompressed) bytes: some while there are any, no more than asked for."""
    with failures_of(path):
        stream = open_binary(path, "rb")
    return stream, pieces_of(stream, path, compression)


class Read(Dataset):
    """What a function reads from each of several files in turn.

    Args:
        read: takes a path, gives elements.
        resumes: whether what it gives goes on by itself after an error.
    """

    def __init__(self, filenames: Any, read: Callable[[str], Iterator[Element]], resumes: bool = False) -> None:
        super().__init__()
        self.resumes = resumes
        self.paths = _names(filenames)
        self.read = read

    def start(self, iteration: Iteration) -> Next:
        paths = iter(self.paths)
        current: Iterator[Element] = iter(())
        path: str | None = None
        begun = True

        def next_element() -> Element | None:
            nonlocal current, path, begun
            while True:
                try:
                    element = next(current, None)
                except errors.DataLossError:
                    # What follows in a broken file is lost: the next call goes on with the file after it.
                    begun = True
                    raise
                except errors.OpError:
                    if not begun and not self.resumes and path is not None:
                        # A file that cannot be opened is tried again.
                        current = self.read(path)
                    raise
                if element is not None:
                    begun = True
                    return element
                path = next(paths, None)
                if path is None:
                    return None
                current = self.read(path)
                begun = False

        return next_element


def checked_compression(value: Any) -> str:
    kind = text(value)
    if kind not in ("", "GZIP", "ZLIB"):
        raise invalid("Unsupported compression_type.")
    return kind


def _lines(compression: str, buffer: int) -> Callable[[str], Iterator[Element]]:
    def read(path: str) -> Iterator[Element]:
        stream, pieces = opened(path, compression)
        with stream:
            held = b""
            while piece := pieces(buffer or _PIECE):
                *lines, held = (held + piece).split(b"\n")
                for line in lines:
                    yield (strings(line.replace(b"\r", b"") if b"\r" in line else line),)
            if held:
                yield (strings(held.replace(b"\r", b"")),)

    return read


text_line_dataset = dataset_op(
    "TextLineDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@text_line_dataset.kernel
def text_line_dataset_kernel(node):
    return lambda names, compression, size: Read(names, _lines(checked_compression(compression), integer(size)))


tf_record_dataset = dataset_op(
    "TFRecordDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@tf_record_dataset.kernel
def tf_record_dataset_kernel(node):
    def make(names, compression, size):
        kind = checked_compression(compression)

        def read(path):
            for record in tf_record_iterator(path, kind):
                yield (strings(record),)

        return Read(names, read)

    return make


def _fixed(header: int, record: int, footer: int, compression: str) -> Callable[[str], Iterator[Element]]:
    def excess(path: str, size: int) -> str:
        return (
            f'Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{path}" has body length '
            f"{size - header - footer} bytes, which is not an exact multiple of the record length ({record} bytes)."
        )

    def read(path: str) -> Iterator[Element]:
        stream, pieces = opened(path, compression)
        with stream:
            if not compression:
                with failures_of(path):
                    size = stream.seek(0, io.SEEK_END)
                    stream.seek(0)
                if size < header + footer or (size - header - footer) % record:
                    raise invalid(excess(path, size))
            held, place, size = b"", header, 0
            while piece := pieces(max(_PIECE, record)):
                size += len(piece)
                held += piece
                # The footer is known by the end of the file only.
                last = len(held) - footer - record
                while place <= last:
                    yield (strings(held[place : place + record]),)
                    place += record
                if place < len(held):
                    held, place = held[place:], 0
                else:
                    held, place = b"", place - len(held)
            if (size - header - footer) % record:
                raise errors.DataLossError(None, None, excess(path, size))

    return read


_FIXED = "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64"
fixed_length_record_dataset = dataset_op("FixedLengthRecordDataset", _FIXED + " -> handle: variant", stateful=True)
fixed_length_record_dataset_v2 = dataset_op(
    "FixedLengthRecordDatasetV2", _FIXED + ", compression_type: string -> handle: variant", stateful=True
)


@made_by(fixed_length_record_dataset, fixed_length_record_dataset_v2)
def fixed_length_record_dataset_kernel(node):
    def make(names, header, record, footer, size, compression=None):
        if integer(header) < 0:
            raise invalid("`header_bytes` must be >= 0")
        if integer(record) <= 0:
            raise invalid("`record_bytes` must be > 0")
        if integer(footer) < 0:
            raise invalid("`footer_bytes` must be >= 0")
        if integer(size) < 0:
            raise invalid("`buffer_size` must be >= 0")
        kind = "" if compression is None else checked_compression(compression)
        return Read(names, _fixed(integer(header), integer(record), integer(footer), kind))

    return make


class Matching(Dataset):
    """The names of the files that match patterns."""

    def __init__(self, patterns: list[str]) -> None:
        super().__init__()
        self.patterns = patterns

    def start(self, iteration: Iteration) -> Next:
        def each() -> Iterator[Element]:
            for pattern in self.patterns:
                for name in sorted(get_matching_files(pattern)):
                    yield (strings(name.encode()),)

        return itertools.chain(each(), itertools.repeat(None)).__next__


for _name in ("MatchingFilesDataset", "ExperimentalMatchingFilesDataset"):
    dataset_op(_name, "patterns: string -> handle: variant", stateful=True).kernel(
        lambda node: lambda patterns: Matching(_names(patterns))
    )


# ---- tables ----


def _pairs(path: str) -> Iterator[Element]:
    for key, value in lmdb_records(path.encode()):
        yield strings(key), strings(value)


for _name in ("LMDBDataset", "ExperimentalLMDBDataset"):
    _decl = dataset_op(_name, "filenames: string, *, {} -> handle: variant", stateful=True)
    # Of these two 1.15 does not ask how many names they are given.
    _decl.shape(lambda op: [()])
    _decl.kernel(lambda node: lambda names: Read(names, _pairs))


_COLUMN_TYPES = frozenset(["string", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "float64"])


class Queried(Dataset):
    """The rows that a database answers a query with."""

    def __init__(self, driver: str, source: str, query: str, types: list[Any]) -> None:
        super().__init__()
        if driver != "sqlite":
            raise invalid(
                f"The database type, {driver}, is not supported by SqlDataset. The set of supported databases is: "
                "{'sqlite'}."
            )
        if any(dtype.name not in _COLUMN_TYPES for dtype in types):
            raise invalid(
                "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, DT_INT32, DT_INT64, "
                "DT_UINT8, DT_UINT16, DT_BOOL, DT_DOUBLE"
            )
        self.source, self.query, self.types = source, query, types

    def start(self, iteration: Iteration) -> Next:
        types = self.types

        def each() -> Iterator[Element]:
            import sqlite3
            from contextlib import closing

            try:
                with closing(
                    sqlite3.connect(f"file:{quote(self.source)}?mode=ro", uri=True, check_same_thread=False)
                ) as database:
                    database.set_authorizer(_only_reading)
                    cursor = database.execute(self.query)
                    columns = len(cursor.description or ())
                    if columns != len(types):
                        raise invalid(
                            f"The number of columns in query ({columns}) must match the number of elements in "
                            f"output_types ({len(types)})."
                        )
                    for found in cursor:
                        yield tuple(_cell(value, dtype) for value, dtype in zip(found, types, strict=True))
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 1)
                message = f"Prepare() failed: [{code}] {error}: {self.query} (database: {self.source})"
                raise errors.UnknownError(None, None, message) from None

        return itertools.chain(each(), itertools.repeat(None)).__next__


def _only_reading(action: int, *about: str | None) -> int:
    """Lets a query read: it may come from a file, and SQL can also write databases and attach others."""
    import sqlite3

    reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY


def _cell(value: Any, dtype: Any) -> Any:
    name = dtype.name
    if name == "string":
        plain = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
        return strings(plain)
    number = _number(value)
    if name == "bool":
        return torch.tensor(int(number) != 0)
    return torch.tensor(number if dtype.is_floating else int(number)).to(dtype.torch)


def _number(value: Any) -> int | float:
    """A cell as SQLite reads it where a number is asked for: of a text what it begins with."""
    if isinstance(value, (int, float)):
        return value
    plain = value.decode(errors="replace") if isinstance(value, bytes) else value or ""
    found = _NUMBER.match(plain)
    return 0 if found is None else float(found[0]) if set(found[0]) & set(".eE") else int(found[0])


for _name in ("SqlDataset", "ExperimentalSqlDataset"):
    # Beside a database with a log for writing ahead, reading leaves files.
    dataset_op(
        _name,
        "driver_name: string, data_source_name: string, query: string, *, {} -> handle: variant",
        stateful=True,
    ).writes_files().kernel(
        lambda node: (
            lambda driver, source, query: Queried(text(driver), text(source), text(query), node.attrs["output_types"])
        )
    )


to_record_op = op(
    "DatasetToTFRecord", "input_dataset: variant, filename: string, compression_type: string ->", stateful=True
)
experimental_to_record_op = op(
    "ExperimentalDatasetToTFRecord",
    "input_dataset: variant, filename: string, compression_type: string ->",
    stateful=True,
)
for _decl in (to_record_op, experimental_to_record_op):
    _decl.writes_files().shape(lambda op: [])


@made_by(to_record_op, experimental_to_record_op)
def to_record_kernel(node):
    def write(dataset, filename, compression):
        iteration = Iteration()
        upstream = dataset.start(iteration)
        try:
            with TFRecordWriter(text(filename), text(compression)) as writer:
                while (element := upstream()) is not None:
                    writer.write(element[0][()])
        finally:
            iteration.close()

    return write
