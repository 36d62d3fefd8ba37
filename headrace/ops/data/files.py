"""Datasets of what is in files: lines, records, rows of tables and databases."""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import made
from headrace.core.registry import op
from headrace.files.failures import failures_of
from headrace.files.file_io import get_matching_files
from headrace.files.inflating import check_held
from headrace.files.records import TFRecordWriter, tf_record_iterator
from headrace.kernels.data.base import (
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
from headrace.kernels.data.case_inputs import elements
from headrace.kernels.data.places import iterate
from headrace.kernels.data.reading import COMPRESSIONS, Read, checked_buffer_size, checked_compression, names_of, opened
from headrace.kernels.readers.case_inputs import LMDB
from headrace.kernels.readers.state import lmdb_records
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


_CHUNK_SIZE = 1 << 18
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def _lines(compression: str, buffer: int) -> Callable[[str], Iterator[Element]]:
    def read(path: str) -> Iterator[Element]:
        stream, read_chunk = opened(path, compression)
        with stream:
            held: list[bytes] = []  # parts of a line
            size = 0
            while chunk := read_chunk(buffer or _CHUNK_SIZE):
                held.append(chunk)
                if b"\n" not in chunk:
                    size += len(chunk)
                    check_held(size, f"a line (file: {path})")
                    continue
                *lines, rest = b"".join(held).split(b"\n")
                held, size = [rest], len(rest)
                for line in lines:
                    yield (strings(line.replace(b"\r", b"") if b"\r" in line else line),)
            if last := b"".join(held):
                yield (strings(last.replace(b"\r", b"")),)

    return read


text_line_dataset = dataset_op(
    "TextLineDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@text_line_dataset.kernel
def text_line_dataset_kernel(node):
    return lambda names, compression, size: Read(
        names, _lines(checked_compression(compression), checked_buffer_size(size))
    )


_NAMES, _STRINGS = np.array([b"a.txt", b"b.txt"]), elements(["string"], [[]], count=4)
_TEXTS = {"a.txt": b"one\r\ntwo", "b.txt": b"three\n"}
text_line_dataset.accepts(_NAMES, b"", np.int64(0), files=_TEXTS, after=_STRINGS)
text_line_dataset.rejects(_NAMES, b"BZIP", np.int64(0), error=errors.InvalidArgumentError)


tf_record_dataset = dataset_op(
    "TFRecordDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@tf_record_dataset.kernel
def tf_record_dataset_kernel(node):
    def make(names, compression, size):
        kind = text(compression)
        if kind not in COMPRESSIONS:
            # As in TensorFlow, whose records say nothing of it.
            tf_logging.error(f"Unsupported compression_type: {kind}. No compression will be used.")
            kind = ""
        checked_buffer_size(size)

        def read(path):
            for record in tf_record_iterator(path, kind):
                yield (strings(record),)

        return Read(names, read)

    return make


_RECORDS = made("TensorSliceDataset", [np.array([b"a", b"bc"])], output_shapes=[[]])
_ALL = elements(["string"], [[]])
_WRITTEN = made("DatasetToTFRecord", _RECORDS, b"out", b"GZIP")
tf_record_dataset.accepts(b"out", b"GZIP", np.int64(0), before=[_WRITTEN], after=_ALL)
tf_record_dataset.accepts(np.array([b"in"]), b"", np.int64(0), files={"in": b"no record"}, after=_ALL)


def _fixed(header: int, record: int, footer: int, compression: str) -> Callable[[str], Iterator[Element]]:
    def excess(path: str, size: int) -> str:
        return (
            f'Excluding the header ({header} bytes) and footer ({footer} bytes), input file "{path}" has body length '
            f"{size - header - footer} bytes, which is not an exact multiple of the record length ({record} bytes)."
        )

    def read(path: str) -> Iterator[Element]:
        stream, read_chunk = opened(path, compression)
        with stream:
            if not compression:
                with failures_of(path):
                    size = stream.seek(0, io.SEEK_END)
                    stream.seek(0)
                if size < header + footer or (size - header - footer) % record:
                    raise invalid(excess(path, size))
            held, place, size = b"", header, 0
            while chunk := read_chunk(max(_CHUNK_SIZE, record)):
                size += len(chunk)
                held += chunk
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


_FRAME = np.int64(2), np.int64(3), np.int64(1), np.int64(0)
for _decl, _more in ((fixed_length_record_dataset, []), (fixed_length_record_dataset_v2, [b""])):
    _decl.accepts(np.array([b"in"]), *_FRAME, *_more, files={"in": b"__abcdef_"}, after=_ALL)
    _decl.rejects(b"in", np.int64(0), np.int64(0), *_FRAME[2:], *_more, error=errors.InvalidArgumentError)


class Matching(Dataset):
    """The names of the files that match patterns."""

    def __init__(self, patterns: list[str]) -> None:
        super().__init__()
        self.patterns = patterns

    def start(self, iteration: Iteration) -> Next:
        def each() -> Iterator[Element]:
            found = False
            for pattern in self.patterns:
                for name in sorted(get_matching_files(pattern)):
                    found = True
                    yield (strings(os.fsencode(name)),)
            if not found:
                raise errors.NotFoundError(None, None, f"No file matches any of the patterns {self.patterns}.")

        return itertools.chain(each(), itertools.repeat(None)).__next__


for _name in ("MatchingFilesDataset", "ExperimentalMatchingFilesDataset"):
    _decl = dataset_op(_name, "patterns: string -> handle: variant", stateful=True)
    _decl.kernel(lambda node: lambda patterns: Matching(names_of(patterns)))
    _decl.accepts(np.array([b"*.txt"]), files={**_TEXTS, "c.csv": b""}, after=_ALL)


# ---- tables ----


def _pairs(path: str) -> Iterator[Element]:
    for key, value in lmdb_records(os.fsencode(path)):
        yield strings(key), strings(value)


for _name in ("LMDBDataset", "ExperimentalLMDBDataset"):
    _decl = dataset_op(_name, "filenames: string, *, {} -> handle: variant", stateful=True)
    # Of these two 1.15 does not ask how many names they are given.
    _decl.shape(lambda op: [()])
    _decl.kernel(lambda node: lambda names: Read(names, _pairs))
    _decl.accepts(
        np.array([b"in.mdb"]), files={"in.mdb": LMDB}, output_types=["string", "string"], output_shapes=[[], []]
    )


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


def _cell(value: float | str | None, dtype: DType) -> np.ndarray | torch.Tensor:
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
    _decl = dataset_op(
        _name,
        "driver_name: string, data_source_name: string, query: string, *, {} -> handle: variant",
        stateful=True,
    )
    _decl.writes_files().kernel(
        lambda node: (
            lambda driver, source, query: Queried(text(driver), text(source), text(query), node.attrs["output_types"])
        )
    )
    # 1.15 begins anew after the end, which comes later here.
    _query = b"VALUES (1, 'a', 2.5), (2, 'b', NULL), (3, NULL, 0.5), (4, 4, 4)"
    _kind = {"output_types": ["int32", "string", "float64"], "output_shapes": [[], [], []]}
    _decl.accepts(b"sqlite", b"empty.db", _query, files={"empty.db": b""}, **_kind)
    _decl.rejects(b"oracle", b"empty.db", _query, error=errors.InvalidArgumentError, **_kind)


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
        upstream = iterate(dataset, iteration)
        try:
            with TFRecordWriter(text(filename), text(compression)) as writer:
                while (element := upstream()) is not None:
                    writer.write(element[0][()])
        finally:
            iteration.close()

    return write


for _decl in (to_record_op, experimental_to_record_op):
    _read = made("TFRecordDataset", b"out", b"", np.int64(0))
    _decl.accepts(_RECORDS, b"out", b"", after=elements(["string"], [[]], dataset=_read))
    _decl.accepts(_RECORDS, b"out", b"ZLIB", after=[made("MatchingFiles", b"*")])
