"""Lines of comma-separated values to columns: DecodeCSV, after RFC 4180."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.parsing.csv_columns import BadField, column_reader
from headrace.kernels.string.numbers import plain_numbers_of

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


decode_csv_op = op(
    "DecodeCSV",
    "records: string, record_defaults: *OUT_TYPE, *, OUT_TYPE: list({float, double, int32, int64, string}) >= 1, "
    "field_delim=',', use_quote_delim=True, na_value='', select_cols: list(int) = [] -> output: *OUT_TYPE",
)
decode_csv_op.on_host("record_defaults", outputs=True)


@decode_csv_op.shape
def decode_csv_shape(op):
    for default in op.inputs[1:]:
        if default.dims is not None and len(default.dims) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(default.dims)}")
        if default.dims and default.dims[0] is not None and default.dims[0] > 1:
            raise ValueError("Shape of a default must be a length-0 or length-1 vector, or a scalar.")
    return [op.inputs[0].dims] * len(op.outputs)


@decode_csv_op.kernel
def decode_csv_kernel(node):
    attrs = node.attrs
    split, split_all = _splitters(attrs["field_delim"], attrs["use_quote_delim"], attrs["select_cols"])
    na_value = attrs["na_value"].encode()
    columns = [column_reader(dtype.base_dtype, i, na_value) for i, dtype in enumerate(attrs["OUT_TYPE"])]
    read_line = _line_reader([dtype.base_dtype for dtype in attrs["OUT_TYPE"]], na_value)
    lone_defaults = all(value.dims in ((), (0,), (1,)) for value in node.inputs[1:])

    def decode(records, *defaults):
        if lone_defaults and (type(records) is bytes or not records.ndim):
            values = read_line(split(records if type(records) is bytes else records[()]))
            if values is not None:
                return values
        given = [to_array(default) for default in defaults]
        for i, default in enumerate(given):
            if default.size > 1:
                raise _invalid(f"There should only be 1 default per field but field {i} has {default.size}")
        array = boxed(records)
        lines = array.reshape(-1).tolist()
        if not lines:
            return tuple(value_like(default.dtype, array.shape) for default in given)
        try:
            rows = split_all(lines)
            if set(map(len, rows)) != {len(columns)}:
                raise BadField("")
            return tuple(
                _shaped(read(texts, default), array.shape)
                for read, texts, default in zip(columns, zip(*rows, strict=True), given)
            )
        except BadField:
            for i, line in enumerate(lines):
                _check_record(i, split(line), given)
            raise

    def _check_record(number: int, fields: list[bytes], given: list[np.ndarray]) -> None:
        """Complains about the first bad field of a record: TensorFlow goes record by record."""
        if len(fields) != len(columns):
            raise _invalid(f"Expect {len(columns)} fields but have {len(fields)} in record {number}")
        for read, text, default in zip(columns, fields, given):
            try:
                read((text,), default)
            except BadField as error:
                raise _invalid(error.text.format(record=f" {number}")) from None

    return decode


def _line_reader(dtypes: Sequence[Any], na_value: bytes) -> Callable[[Sequence[bytes]], tuple[Any, ...] | None]:
    """What reads the fields of one line, or returns None where one is missing or odd: a call for a line must be short."""
    places: dict[Any, list[int]] = {}
    for i, dtype in enumerate(dtypes):
        places.setdefault(dtype, []).append(i)
    texts = next((indices for dtype, indices in places.items() if dtype.name == "string"), [])
    numbers = [
        (plain_numbers_of(np.dtype(dtype.as_numpy_dtype)), indices)
        for dtype, indices in places.items()
        if dtype.name != "string"
    ]
    count = len(dtypes)

    def read(fields: Sequence[bytes]) -> tuple[Any, ...] | None:
        if len(fields) != count or b"" in fields or na_value in fields:
            return None
        values: list[Any] = [None] * count
        for i in texts:
            values[i] = boxed(fields[i])
        for parse, indices in numbers:
            parsed = parse([fields[i] for i in indices])
            if parsed is None:
                return None
            # One tensor and parts of it take less time than many.
            for i, value in zip(indices, torch.from_numpy(parsed).unbind(), strict=True):
                values[i] = value
        return tuple(values)

    return read


def _shaped(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | torch.Tensor:
    if values.dtype == object:
        return values.reshape(shape)
    return to_tensor(values.reshape(shape))


def value_like(dtype: np.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    """An empty value of a kernel."""
    array = np.empty(shape, dtype)
    return array if array.dtype == object else to_tensor(array)


def _splitters(
    delimiter: str, quoted: bool, columns: Sequence[int]
) -> tuple[Callable[[bytes], list[bytes]], Callable[[list[bytes]], list[list[bytes]]]]:
    """What cuts a record, and what cuts many, into fields, or into those of `columns`."""
    delim = delimiter.encode()
    if len(delim) != 1:
        raise _invalid("field_delim should be only 1 char")
    selected = list(columns)

    def odd(record: bytes) -> bool:
        return (quoted and b'"' in record) or b"\n" in record or b"\r" in record

    def split(record: bytes) -> list[bytes]:
        if not record:
            return []
        if odd(record):
            return _split_carefully(record, delim[0], quoted, selected)
        fields = record.split(delim)
        if selected:
            return [fields[i] for i in selected if i < len(fields)]
        return fields

    def split_all(records: list[bytes]) -> list[list[bytes]]:
        if selected or b"" in records or odd(b"".join(records)):
            return [split(record) for record in records]
        return [record.split(delim) for record in records]

    return split, split_all


_QUOTE, _LINE_ENDS = ord('"'), frozenset(b"\r\n")


def _split_carefully(record: bytes, delim: int, quoted: bool, selected: Sequence[int]) -> list[bytes]:
    """The fields of a record with quotes or line ends.

    Raises:
        InvalidArgumentError: if they stand where RFC 4180 allows none.
    """
    fields: list[bytes] = []
    selection = set(selected)
    at = number = 0
    end = len(record)
    while True:
        if quoted and at < end and record[at] == _QUOTE:
            field, at = _quoted_field(record, at, delim)
        else:
            stop = record.find(delim, at)
            stop = end if stop < 0 else stop
            field, at = record[at:stop], stop
            if (quoted and b'"' in field) or not _LINE_ENDS.isdisjoint(field):
                raise _invalid("Unquoted fields cannot have quotes/CRLFs inside")
        if not selection or number in selection:
            fields.append(field)
            if len(fields) == len(selection):
                return fields
        number += 1
        # After the delimiter another field follows, be it empty.
        if at >= end:
            return fields
        at += 1


def _quoted_field(record: bytes, start: int, delim: int) -> tuple[bytes, int]:
    """The contents of the quoted field at `start`, and where it ends."""
    at = start + 1
    end = len(record)
    while True:
        at = record.find(b'"', at)
        if at < 0:
            raise _invalid("Quoted field has to end with quote followed by delim or end")
        if at + 1 == end or record[at + 1] == delim:
            return record[start + 1 : at].replace(b'""', b'"'), at + 1
        if record[at + 1] != _QUOTE:
            raise _invalid("Quote inside a string has to be escaped by another quote")
        at += 2


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


decode_csv_op.accepts(np.array([b"1,a", b'2,"b"'], object), [np.array([0], np.int32), np.array([b""], object)])


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Any]:
    """The columns of lines of comma-separated values.

    Args:
        records: string tensor, a line an element.
        record_defaults: a list with a tensor for each column: of the column's type (float32, float64, int32, int64 or
            string), with the value for an empty field, or empty if the field must be there.
        field_delim: what stands between fields, one character.
        use_quote_delim: whether a field may be enclosed in double quotes.
        name: a name for the operation.
        na_value: another text that stands for a missing field.
        select_cols: the numbers of the columns to give, increasing; all by default.

    Returns:
        a list of tensors of the shape of `records`, one a column.

    Raises:
        ValueError: if the columns do not increase or are not as many as the defaults.
        InvalidArgumentError: at run time, for a record with another number of fields, a missing field or one that is no
            number of its type.

    Example:
        >>> a, b = tf.decode_csv(["1,x", "2,"], [[0], ["none"]])
    """
    if select_cols is not None:
        if any(first >= second for first, second in itertools.pairwise(select_cols)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return raw.DecodeCSV(
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        name=name,
        select_cols=select_cols,
    )
