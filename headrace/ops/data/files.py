"""Datasets of what is in files: lines, records, rows of tables and databases."""

from __future__ import annotations

import gzip
import io
import itertools
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.registry import op
from headrace.files.failures import failures_of
from headrace.files.file_io import get_matching_files
from headrace.files.paths import open_binary
from headrace.files.records import TFRecordWriter, tf_record_iterator
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


def _opened(path: str, compression: str, buffer: int) -> Any:
    """A file that reads what was compressed, if it was.

    Raises:
        InvalidArgumentError: for an unknown compression.
    """
    with failures_of(path):
        stream = open_binary(path, "rb")
    if compression == "":
        return io.BufferedReader(stream, buffer or _PIECE) if isinstance(stream, io.RawIOBase) else stream
    if compression == "GZIP":
        return gzip.GzipFile(fileobj=stream)
    if compression == "ZLIB":
        return _Inflated(stream, path)
    raise invalid(f"Unsupported compression_type: {compression}.")


class _Inflated(io.RawIOBase):
    """What a zlib stream holds."""

    def __init__(self, stream: Any, path: str) -> None:
        self._stream, self._path = stream, path
        self._inflate = zlib.decompressobj()
        self._held = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        while wanted < 0 or len(self._held) < wanted:
            piece = self._stream.read(_PIECE)
            if not piece:
                break
            try:
                self._held += self._inflate.decompress(piece)
            except zlib.error as error:
                raise errors.DataLossError(None, None, f"inflate() failed in {self._path}: {error}") from None
        end = len(self._held) if wanted < 0 else wanted
        out, self._held = self._held[:end], self._held[end:]
        return out

    def close(self) -> None:
        self._stream.close()
        super().close()


class Read(Dataset):
    """What a function reads from each of several files in turn.

    Args:
        read: takes a path, gives elements.
    """

    def __init__(self, filenames: Any, read: Callable[[str], Iterator[Element]]) -> None:
        super().__init__()
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
                    if not begun and path is not None:
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


def _checked_compression(value: Any) -> str:
    kind = text(value)
    if kind not in ("", "GZIP", "ZLIB"):
        raise invalid("Unsupported compression_type.")
    return kind


def _lines(compression: str, buffer: int) -> Callable[[str], Iterator[Element]]:
    def read(path: str) -> Iterator[Element]:
        stream = _opened(path, compression, buffer)
        with failures_of(path):
            held = b""
            while True:
                piece = stream.read(buffer or _PIECE)
                if not piece:
                    break
                *lines, held = (held + piece).split(b"\n")
                for line in lines:
                    yield (strings(line.replace(b"\r", b"") if b"\r" in line else line),)
            if held:
                yield (strings(held.replace(b"\r", b"")),)
        stream.close()

    return read


text_line_dataset = dataset_op(
    "TextLineDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@text_line_dataset.kernel
def text_line_dataset_kernel(node):
    return lambda names, compression, size: Read(names, _lines(_checked_compression(compression), integer(size)))


tf_record_dataset = dataset_op(
    "TFRecordDataset",
    "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
    stateful=True,
)


@tf_record_dataset.kernel
def tf_record_dataset_kernel(node):
    def make(names, compression, size):
        kind = _checked_compression(compression)

        def read(path):
            for record in tf_record_iterator(path, kind):
                yield (strings(record),)

        return Read(names, read)

    return make


def _fixed(header: int, record: int, footer: int, compression: str) -> Callable[[str], Iterator[Element]]:
    def read(path: str) -> Iterator[Element]:
        stream = _opened(path, compression, 0)
        with failures_of(path):
            content = stream.read()
        stream.close()
        body = len(content) - header - footer
        if body % record:
            raise invalid(
                f'Excess bytes in input file "{path}": The header, footer and record sizes do not fit its size: '
                f"header {header} bytes, record size {record} bytes, footer {footer} bytes, file {len(content)} bytes."
                if compression == ""
                else f'Excess bytes in input file "{path}".'
            )
        for first in range(header, header + body, record):
            yield (strings(content[first : first + record]),)

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
        kind = "" if compression is None else _checked_compression(compression)
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
    dataset_op(_name, "filenames: string, *, {} -> handle: variant", stateful=True).kernel(
        lambda node: lambda names: Read(names, _pairs)
    )


class Queried(Dataset):
    """The rows that a database answers a query with."""

    def __init__(self, driver: str, source: str, query: str, types: list[Any]) -> None:
        super().__init__()
        if driver != "sqlite":
            raise invalid(
                f"tensorflow/core/kernels/data/sql_dataset_op.cc: driver_name must be 'sqlite', got {driver!r}"
            )
        self.source, self.query, self.types = source, query, types

    def start(self, iteration: Iteration) -> Next:
        types = self.types

        def each() -> Iterator[Element]:
            import sqlite3
            from contextlib import closing

            try:
                with closing(
                    sqlite3.connect(f"file:{self.source}?mode=ro", uri=True, check_same_thread=False)
                ) as database:
                    cursor = database.execute(self.query)
                    if len(cursor.description or ()) != len(types):
                        raise invalid(
                            "The number of columns in query does not match the number of elements in output_types."
                        )
                    for found in cursor:
                        yield tuple(_cell(value, dtype) for value, dtype in zip(found, types, strict=True))
            except sqlite3.Error as error:
                raise invalid(f"Failed to execute query {self.query!r} on {self.source}: {error}") from None

        return itertools.chain(each(), itertools.repeat(None)).__next__


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
    dataset_op(
        _name,
        "driver_name: string, data_source_name: string, query: string, *, {} -> handle: variant",
        stateful=True,
    ).kernel(
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
    _decl.not_differentiable().shape(lambda op: [])


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


# ---- comma-separated values ----

_CSV = (
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, use_quote_delim: "
    "bool, na_value: string, select_cols: int64, record_defaults: *output_types, *, output_types: "
    "list({{float, double, int32, int64, string}}) >= 1, output_shapes: list(shape) >= 1 -> handle: variant"
)
csv_dataset = dataset_op("CSVDataset", _CSV, stateful=True)
experimental_csv_dataset = dataset_op("ExperimentalCSVDataset", _CSV, stateful=True)


def _records(stream: Any, delimiter: bytes, quoted: bool) -> Iterator[list[tuple[bytes, bool]]]:
    """The records of a file: for each field its text and whether it was quoted; quotes may hold line ends."""
    data = stream.read()
    place, end = 0, len(data)
    quote = b'"'[0]
    while place < end:
        fields: list[tuple[bytes, bool]] = []
        while True:
            if quoted and place < end and data[place] == quote:
                parts = []
                place += 1
                while True:
                    close = data.find(b'"', place)
                    if close < 0:
                        raise invalid("Reached end of file without closing quoted field in record")
                    parts.append(data[place:close])
                    place = close + 1
                    if place < end and data[place] == quote:
                        parts.append(b'"')
                        place += 1
                        continue
                    break
                fields.append((b"".join(parts), True))
                if place < end and data[place : place + 1] not in (delimiter, b"\n", b"\r"):
                    raise invalid("Quote inside a string has to be escaped by another quote")
            else:
                stop = place
                while stop < end and data[stop : stop + 1] not in (delimiter, b"\n", b"\r"):
                    if quoted and data[stop] == quote:
                        raise invalid("Unquoted fields cannot have quotes inside")
                    stop += 1
                fields.append((data[place:stop], False))
                place = stop
            if place < end and data[place : place + 1] == delimiter:
                place += 1
                continue
            if data[place : place + 2] == b"\r\n":
                place += 2
            elif place < end:
                place += 1
            break
        yield fields


def _csv_value(field: bytes, was_quoted: bool, column: int, dtype: Any, default: Any, na_value: bytes) -> Any:
    name = dtype.name
    missing = (not field and not was_quoted) or field == na_value if not was_quoted else False
    if missing:
        if default is None:
            raise invalid(f"Field {column} is required but missing in record!")
        return default
    if name == "string":
        return strings(field)
    try:
        value = int(field) if name.startswith("int") else float(field)
        if name == "int32" and not -(2**31) <= value < 2**31:
            raise ValueError
    except ValueError:
        raise invalid(
            f"Field {column} in record is not a valid {_plain_name(name)}: {field.decode(errors='replace')}"
        ) from None
    return torch.tensor(value, dtype=dtype.torch)


def _plain_name(name: str) -> str:
    return {"float32": "float", "float64": "double"}.get(name, name)


@made_by(csv_dataset, experimental_csv_dataset)
def csv_dataset_kernel(node):
    types = node.attrs["output_types"]

    def make(names, compression, buffer, header, delimiter, quoted, na_value, columns, *defaults):
        kind = _checked_compression(compression)
        chosen = columns.tolist()
        if len(text(delimiter)) != 1:
            raise invalid("field_delim should be only 1 char")
        if any(a >= b for a, b in itertools.pairwise(chosen)):
            raise invalid("select_cols should be strictly increasing indices")
        if chosen and len(chosen) != len(types):
            raise invalid("select_cols should match output size")
        presets = [
            None
            if not (len(value) if value.ndim else 1)
            else (value.reshape(-1)[0] if isinstance(value, torch.Tensor) else strings(value.reshape(-1)[0]))
            for value in defaults
        ]
        split, quotes, na = text(delimiter).encode(), bool(quoted), text(na_value).encode()

        def read(path):
            stream = _opened(path, kind, 0)
            rows = _records(stream, split, quotes)
            if header:
                next(rows, None)
            return _Rows(rows, types, chosen, presets, na)

        return Read(names, read)

    return make


class _Rows:
    """The elements of a file of comma-separated values; a record that is wrong leaves the next ones readable."""

    def __init__(
        self,
        rows: Iterator[list[tuple[bytes, bool]]],
        types: list[Any],
        chosen: list[int],
        defaults: list[Any],
        na: bytes,
    ) -> None:
        self._rows, self._types, self._chosen, self._defaults, self._na = rows, types, chosen, defaults, na

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        fields = next(self._rows)
        if self._chosen:
            if len(fields) <= self._chosen[-1]:
                raise invalid(f"Expect at least {self._chosen[-1] + 1} fields but have {len(fields)} in record")
            fields = [fields[i] for i in self._chosen]
        elif len(fields) != len(self._types):
            raise invalid(
                f"Expect {len(self._types)} fields but have {'more' if len(fields) > len(self._types) else 'fewer'} in record"
            )
        return tuple(
            _csv_value(field, quoted, i, dtype, default, self._na)
            for i, ((field, quoted), dtype, default) in enumerate(zip(fields, self._types, self._defaults, strict=True))
        )
