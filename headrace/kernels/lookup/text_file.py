"""Keys and values out of the lines of a text file."""

from __future__ import annotations

import os
import stat
from typing import Any

import numpy as np

from headrace.core.dtypes import DType, int64, string
from headrace.core.errors import OutOfRangeError
from headrace.files.failures import failures_of
from headrace.kernels.lookup.tables import invalid, shown
from headrace.kernels.string.numbers import NoNumber, numbers_of

WHOLE_LINE, LINE_NUMBER = -2, -1


def read_lines(name: str) -> list[bytes]:
    """The lines of a file, without their ends.

    Raises:
        NotFoundError: if there is none.
        FailedPreconditionError: if it is a folder, or lies below a file.
        OutOfRangeError: if it is empty.
        InvalidArgumentError: if it is a device, such as /dev/zero, whose lines may have no end.
    """
    with failures_of(name), open(name, "rb") as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise invalid(f"{name} is a device, not a file of lines")
        text = file.read()
    lines = text.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        raise OutOfRangeError(None, None, "Read less bytes than requested")
    return [line.removesuffix(b"\r") for line in lines]


def keys_and_values(
    name: str, delimiter: str, vocab_size: int, columns: tuple[tuple[int, DType], tuple[int, DType]]
) -> tuple[list[Any], list[Any]]:
    """The keys and the values that a file writes.

    Args:
        name: the file.
        delimiter: what stands between the columns of a line.
        vocab_size: how many lines to read, -1 for all.
        columns: of keys and of values, which column (or the line, or its number) they are, and their type.

    Raises:
        InvalidArgumentError: if the file has fewer lines, or lines without such columns.
    """
    lines = read_lines(name)
    if vocab_size != -1:
        if len(lines) < vocab_size:
            raise invalid(f"Invalid vocab_size in {name}: expected {vocab_size} but got {len(lines)}")
        del lines[vocab_size:]
    (key_at, key_dtype), (value_at, value_dtype) = columns
    cells: list[list[bytes]] = []
    if key_at >= 0 or value_at >= 0:
        mark = delimiter.encode()
        cells = [line.split(mark) for line in lines]
        most = max(key_at, value_at)
        for i, cell in enumerate(cells):
            if len(cell) <= most:
                raise invalid(
                    f"Invalid number of columns in {name} line {i} ({shown(lines[i])}) : expected at least {most + 1} got "
                    f"{len(cell)}"
                )
    return tuple(  # type: ignore[return-value]  # two columns make a pair
        _column(name, lines, cells, at, dtype) for at, dtype in ((key_at, key_dtype), (value_at, value_dtype))
    )


def _column(name: str, lines: list[bytes], cells: list[list[bytes]], at: int, dtype: DType) -> list[Any]:
    if at == LINE_NUMBER:
        return list(range(len(lines)))
    texts = lines if at == WHOLE_LINE else [cell[at] for cell in cells]
    if dtype is string:
        return texts
    try:
        return numbers_of(np.dtype(dtype.as_numpy_dtype))(texts).tolist()
    except NoNumber as error:
        raise invalid(f"Field {shown(error.text)} in line {error.index} is not a valid {dtype.name}.") from None


def check_column(at: int, dtype: DType, what: str) -> None:
    """Complains about a column that cannot have a type.

    Raises:
        InvalidArgumentError: for line numbers that are no int64, or whole lines that are no strings.
    """
    if at == LINE_NUMBER and dtype is not int64:
        raise invalid(f"{what} index for line number requires {what.lower()} dtype of int64, got {dtype.name}")
    if at == WHOLE_LINE and dtype.is_floating:
        raise invalid(f"{what} index for whole line requires string or integer type, got {dtype.name}")
