"""Ragged tensors as the values of variants."""

from __future__ import annotations

import itertools
from typing import Any


class Encoded:
    """A ragged tensor in a variant.

    Attributes:
        splits: of each level, the outermost first; none for a row of a tensor with one level.
        values: the innermost values.
    """

    __slots__ = ("splits", "values")

    def __init__(self, splits: tuple[Any, ...], values: Any) -> None:
        self.splits, self.values = splits, values

    def __len__(self) -> int:
        return len(self.splits[0]) - 1 if self.splits else len(self.values)

    def rows(self) -> list[Encoded]:
        """The rows, each encoded."""
        outer, *inner = self.splits
        made = []
        bounds = outer.tolist()
        for first, last in itertools.pairwise(bounds):
            parts = []
            for splits in inner:
                level = splits[first : last + 1]
                parts.append(level - level[0])
                first, last = int(splits[first]), int(splits[last])
            made.append(Encoded(tuple(parts), self.values[first:last]))
        return made
