"""Elements that are rows of a table: they are cut off one by one only where somebody looks at them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from headrace.kernels.data.base import Element, strings


class Table:
    """Columns of numbers or texts of one length; their rows are elements of scalars."""

    def __init__(self, columns: Sequence[np.ndarray]) -> None:
        self.columns = list(columns)
        self._elements: list[Element] | None = None

    def rows(self) -> Iterator[Row]:
        """All rows."""
        return map(Row, itertools.repeat(self), range(len(self.columns[0])))

    def element(self, number: int) -> Element:
        """A row as a tuple."""
        if self._elements is None:
            # One tensor cut into its parts takes less time than many.
            parts = [
                map(strings, column.tolist()) if column.dtype == object else torch.from_numpy(column).unbind()
                for column in self.columns
            ]
            self._elements = list(zip(*parts, strict=True))
        return self._elements[number]


class Row:
    """An element: a row of a table. It stands wherever elements are passed on, unpacked or asked for a component."""

    __slots__ = ("number", "table")

    def __init__(self, table: Table, number: int) -> None:
        self.table, self.number = table, number

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table.element(self.number))

    def __len__(self) -> int:
        return len(self.table.columns)

    def __getitem__(self, component: int) -> Any:
        return self.table.element(self.number)[component]


def together(rows: Sequence[Row]) -> Element | None:
    """The rows of tables of the same columns as the rows of one element; None if any of `rows` is another element."""
    places: dict[Table, tuple[list[int], list[int]]] = {}
    for i, row in enumerate(rows):
        if type(row) is not Row:
            return None
        found = places.get(row.table)
        if found is None:
            found = places[row.table] = [], []
        found[0].append(i)
        found[1].append(row.number)
    if len(places) == 1:
        table, (_, numbers) = places.popitem()
        first = numbers[0]
        in_order = numbers == list(range(first, first + len(numbers)))
        chosen: Any = slice(first, first + len(numbers)) if in_order else numbers
        return tuple([_value(column[chosen]) for column in table.columns])
    parts = [np.empty(len(rows), column.dtype) for column in rows[0].table.columns]
    for table, (to, numbers) in places.items():
        for part, column in zip(parts, table.columns, strict=True):
            part[to] = column[numbers]
    return tuple([_value(part) for part in parts])


def _value(column: np.ndarray) -> np.ndarray | torch.Tensor:
    return column if column.dtype == object else torch.from_numpy(column)
