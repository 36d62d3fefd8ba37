"""Datasets of the records of files of comma-separated values.

A file is read a chunk at a time. The records of a chunk are cut and their columns turned into numbers together; a chunk in
which something is wrong is gone through record by record, so that the error is that record's alone.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dims import Dims
from headrace.files.inflating import check_held
from headrace.kernels.data.base import Element, dataset_op, integer, invalid, made_by, strings, text
from headrace.kernels.data.reading import Read, checked_compression, opened
from headrace.kernels.data.tables import Table
from headrace.kernels.host_values import to_array
from headrace.kernels.parsing.csv_columns import BadField, column_reader
from headrace.kernels.ranks import check_rank

if TYPE_CHECKING:
    from headrace.core.typing import OpView

# So little is read before the first element can be given.
_CHUNK_SIZE = 1 << 16

_CSV = (
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, use_quote_delim: "
    "bool, na_value: string, select_cols: int64, record_defaults: *output_types, *, output_types: "
    "list({{float, double, int32, int64, string}}) >= 1, output_shapes: list(shape) >= 1 -> handle: variant"
)
csv_dataset = dataset_op("CSVDataset", _CSV, stateful=True)
experimental_csv_dataset = dataset_op("ExperimentalCSVDataset", _CSV, stateful=True)
for _decl in (csv_dataset, experimental_csv_dataset):
    _of_file = np.array([b"in.csv"]), b"", np.int64(100), np.bool_(True), b",", np.bool_(True), b"NA"
    _defaults = [np.array([7], np.int32), np.array([b"none"])]
    _kind = {"output_types": ["int32", "string"], "output_shapes": [[], []]}
    _files = {"in.csv": b'n,x,s\n1,2.5,a\nNA,3,"b ""c"", d"\n3,4,\n'}
    _decl.accepts(*_of_file, np.array([0, 2]), _defaults, files=_files, **_kind)
    _decl.rejects(*_of_file, np.array([2, 0]), _defaults, error=errors.InvalidArgumentError, **_kind)


def _csv_shape(op: OpView) -> list[Dims]:
    check_rank(op.inputs[7].dims, 1)
    for default in op.inputs[8:]:
        check_rank(default.dims, (0, 1))
        if default.dims and default.dims[0] not in (None, 0, 1):
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [()]


csv_dataset.shape(_csv_shape)
experimental_csv_dataset.shape(_csv_shape)


@made_by(csv_dataset, experimental_csv_dataset)
def csv_dataset_kernel(node):
    types = [dtype.base_dtype for dtype in node.attrs["output_types"]]

    def make(names, compression, buffer, header, delimiter, quoted, na_value, columns, *defaults):
        for i, default in enumerate(map(to_array, defaults)):
            if default.ndim > 1:
                raise invalid("Each record default should be at most rank 1")
            if default.size > 1:
                raise invalid(f"There should only be 1 default per field but field {i} has {default.size}")
        kind = checked_compression(compression)
        chosen = columns.tolist()
        if len(text(delimiter)) != 1:
            raise invalid("field_delim should be only 1 char")
        if any(a >= b for a, b in itertools.pairwise(chosen)):
            raise invalid("select_cols should be strictly increasing indices")
        if chosen and len(chosen) != len(types):
            raise invalid("select_cols should match output size")
        form = Format(os.fsencode(text(delimiter)), bool(quoted), chosen, len(types))
        columns_of = _Columns(
            types, [to_array(default).reshape(-1) for default in defaults], os.fsencode(text(na_value))
        )
        size = integer(buffer)
        if size <= 0:
            raise invalid("buffer_size should be positive")
        size = min(size, _CHUNK_SIZE)

        return Read(names, lambda path: Elements(path, kind, size, form, columns_of, bool(header)), resumes=True)

    return make


class Format:
    """How records are written.

    Args:
        delimiter: what separates fields, one byte.
        quoted: whether quotation marks group what they enclose.
        chosen: the increasing numbers of the fields that are wanted; none for all.
        count: how many fields are wanted.
    """

    def __init__(self, delimiter: bytes, quoted: bool, chosen: Sequence[int], count: int) -> None:
        self.delimiter, self.quoted, self.chosen, self.count = delimiter, quoted, list(chosen), count
        split = re.escape(delimiter)
        # A field with what ends it, or all the rest where there is none: looked for at each byte, that would take a time
        # that grows with the square of the rest.
        self._fields = re.compile(
            rb'"((?:[^"]|"")*)"(' + split + rb'|\r?\n)|([^"\r\n' + split + rb"]*)(" + split + rb"|\r?\n)|(.+)",
            re.DOTALL,
        )
        ends = b"\r\n" + split + (b'"' if quoted else b"")
        self._field_end = re.compile(b"[" + ends + b"]")

    def cut(self, data: bytes) -> tuple[list[Sequence[bytes]], int] | None:
        """The columns of whole records, None if they are not all alike.

        Args:
            data: records, each with its end.

        Returns:
            the columns that are wanted, and the number of records.
        """
        if self.quoted and b'"' in data:
            return self._cut_quoted(data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        rows = [line.split(self.delimiter) for line in data[:-1].split(b"\n")]
        return self._regular(list(zip(*rows, strict=True)), len(rows)) if len(set(map(len, rows))) == 1 else None

    def _cut_quoted(self, data: bytes) -> tuple[list[Sequence[bytes]], int] | None:
        inside, ends_inside, plain, ends_plain, odd = zip(*self._fields.findall(data), strict=True)
        if any(odd):
            return None
        ends = [a or b for a, b in zip(ends_inside, ends_plain, strict=True)]
        count = len(ends) - ends.count(self.delimiter)
        width, left = divmod(len(ends), count)
        if left or self.delimiter in ends[width - 1 :: width]:
            return None
        fields = [a.replace(b'""', b'"') or b for a, b in zip(inside, plain, strict=True)]
        return self._regular([fields[i::width] for i in range(width)], count)

    def _regular(self, columns: list[Sequence[bytes]], count: int) -> tuple[list[Sequence[bytes]], int] | None:
        if self.chosen:
            return ([columns[i] for i in self.chosen], count) if self.chosen[-1] < len(columns) else None
        return (columns, count) if len(columns) == self.count else None

    def record(self, data: bytes, place: int) -> tuple[list[bytes], str | None, int, bool]:
        """The record at `place`.

        Returns:
            its fields, what is wrong after the last of them if anything is, where the next record begins, and whether
            more data might change any of this.
        """
        fields: list[bytes] = []
        wrong: str | None = None
        end, number, selected = len(data), 0, self.chosen
        while True:
            text, problem, place = self._field(data, place)
            wrong = wrong or problem
            if wrong is None and (not selected or number in selected):
                fields.append(text)
            number += 1
            if place >= end:
                return fields, wrong, end, True
            last = data[place : place + 1]
            place += 1
            if last == self.delimiter:
                continue
            if last == b"\r":
                if place >= end:
                    return fields, wrong, end, True
                place += data[place : place + 1] == b"\n"
            return fields, wrong, place, False

    def _field(self, data: bytes, place: int) -> tuple[bytes, str | None, int]:
        """The field at `place`, what is wrong with it, and where what ends it stands."""
        quoted = self.quoted
        problem: str | None = None
        if not (quoted and data.startswith(b'"', place)):
            at = place
            while (found := self._field_end.search(data, at)) is not None and found[0] == b'"' != self.delimiter:
                problem = "Unquoted fields cannot have quotes inside"
                at = found.end()
            stop = len(data) if found is None else found.start()
            return data[place:stop], problem, stop
        at, end = place + 1, len(data)
        while True:
            close = data.find(b'"', at)
            if close < 0:
                return b"", "Reached end of file without closing quoted field in record", end
            at = close + 1
            if at >= end or data[at : at + 1] in (self.delimiter, b"\n", b"\r"):
                return data[place + 1 : close].replace(b'""', b'"'), problem, at
            if data[at : at + 1] == b'"':
                at += 1
            else:
                problem = "Quote inside a string has to be escaped by another quote"


class _Columns:
    """Turns columns of texts into the components of elements."""

    def __init__(self, types: Sequence[Any], defaults: Sequence[np.ndarray], na_value: bytes) -> None:
        self._defaults = list(defaults)
        self._readers = [column_reader(dtype, i, na_value) for i, dtype in enumerate(types)]

    def table(self, columns: Sequence[Sequence[bytes]]) -> Table:
        """The table of which the records are rows.

        Raises:
            BadField: if a field is missing or no number.
        """
        parts = zip(self._readers, columns, self._defaults, strict=True)
        return Table([read(texts, default) for read, texts, default in parts])

    def element(self, fields: Sequence[bytes]) -> Element:
        """The element of as many of the fields of a record as there are.

        Raises:
            BadField: as above.
        """
        readers = zip(self._readers, fields, self._defaults, strict=False)
        values = [read((field,), default) for read, field, default in readers]
        return tuple([strings(v[0]) if v.dtype == object else torch.from_numpy(v)[0] for v in values])


class Elements:
    """The elements of one file; a record that is wrong leaves the next ones readable.

    Args:
        path: of the file.
        compression: of the file.
        size: how many bytes to read at a time.
        form: how records are written.
        columns: makes elements of them.
        header: whether to leave out the first record.
    """

    def __init__(self, path: str, compression: str, size: int, form: Format, columns: _Columns, header: bool) -> None:
        self._path, self._compression, self._size = path, compression, size
        self._form, self._columns, self._header = form, columns, header
        self._opened: tuple[Any, Callable[[int], bytes]] | None = None
        self._data = b""
        self._place = 0
        # Up to here the data is gone through record by record.
        self._careful = 0
        self._over = False
        self._number = 0
        self._ready: Iterator[Any] = iter(())

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        while True:
            element: Element | None = next(self._ready, None)
            if element is not None:
                return element
            if self._header:
                self._header = False
                if not self._more() or self._record()[1] is not None:
                    raise invalid(f"Can't read header of file ({self._path})")
            elif not self._more():
                raise StopIteration
            elif self._place < self._careful or not self._together():
                return self._one()

    def _more(self) -> bool:
        """Whether anything follows."""
        return self._place < len(self._data) or self._read()

    def _read(self) -> bool:
        """Reads some more; as much again as is held, so that a long record is not looked at too often."""
        if self._over:
            return False
        if self._opened is None:
            self._opened = opened(self._path, self._compression)
        stream, read_chunk = self._opened
        held = self._data[self._place :]
        remaining = max(self._size, len(held))
        parts = [held]
        try:
            check_held(len(held), f"a record (file: {self._path})")
            while remaining > 0 and (chunk := read_chunk(remaining)):
                parts.append(chunk)
                remaining -= len(chunk)
        except errors.OpError:
            # Nothing of it can be told from what follows.
            stream.close()
            self._over, self._data, self._place = True, b"", 0
            raise
        if remaining > 0:
            self._over = True
            stream.close()
        self._data, self._careful, self._place = b"".join(parts), max(self._careful - self._place, 0), 0
        return len(parts) > 1

    def _together(self) -> bool:
        """Makes elements of all whole records at hand at once; False if that cannot be."""
        stop = self._whole()
        while not stop:
            if self._data.find(b"\n", self._place) >= 0:
                # Quotation marks that do not match, or a record of many lines.
                self._careful = self._place + 1
                return False
            stop = self._whole() if self._read() else len(self._data)
        block = self._data[self._place : stop]
        found = self._form.cut(block if block.endswith(b"\n") else block + b"\n")
        if found is not None:
            try:
                table = self._columns.table(found[0])
            except BadField:
                found = None
        if found is None:
            self._careful = stop
            return False
        self._ready = table.rows()
        self._number += found[1]
        self._place = stop
        return True

    def _whole(self) -> int:
        """Where the last record that is whole ends, 0 if none does."""
        data, first = self._data, self._place
        stop = data.rfind(b"\n", first) + 1
        if self._form.quoted:
            while stop and data.count(b'"', first, stop) % 2:
                # The end of the line stands between quotation marks.
                stop = data.rfind(b"\n", first, data.rfind(b'"', first, stop)) + 1
        return stop

    def _record(self) -> tuple[list[bytes], str | None]:
        """The next record, and what is wrong with it."""
        while True:
            fields, wrong, place, open_ended = self._form.record(self._data, self._place)
            if not open_ended or not self._read():
                self._place = place
                self._number += 1
                return fields, wrong

    def _one(self) -> Element:
        fields, wrong = self._record()
        count = self._form.count
        try:
            element = self._columns.element(fields)
        except BadField as error:
            raise self._error(error.text.format(record="")) from None
        if len(fields) > count:
            raise self._error(f"Expect {count} fields but have more in record")
        if wrong is not None:
            raise self._error(wrong)
        if len(fields) < count:
            raise self._error(f"Expect {count} fields but have {len(fields)} in record")
        return element

    def _error(self, message: str) -> errors.InvalidArgumentError:
        return invalid(f"{message} (record {self._number} of {self._path})")
