"""What cases of datasets begin with, and how they show the elements of what does not say of what kind they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.cases import Made, MadeFunction, body, made, result
from headrace.core.registry import raw

INT64_SCALARS: dict[str, Any] = {"output_types": ["int64"], "output_shapes": [[]]}
INT64_ROWS: dict[str, Any] = {"output_types": ["int64"], "output_shapes": [[None]]}
NEGATED = body(lambda x: raw.Neg(x), "int64")


def numbers(count: int) -> Made:
    """A dataset of 0, 1, 2, ..."""
    return made("RangeDataset", np.int64(0), np.int64(count), np.int64(1), **INT64_SCALARS)


def from_zero() -> MadeFunction:
    """A function of an int64 scalar that gives the dataset of the numbers below it."""
    return body(lambda x: raw.RangeDataset(0, x, 1, **INT64_SCALARS), "int64")


def initialized(dataset: Made, iterator: Made) -> Made:
    """The step that lets an iterator begin."""
    return made("MakeIterator", dataset, iterator)


def elements(types: Sequence[str], shapes: Sequence[Any], dataset: Made = result, count: int = 3) -> list[Made]:
    """Steps that take the first elements of a dataset, by default of the one that the case gives."""
    kind = {"output_types": list(types), "output_shapes": list(shapes)}
    iterator = made("IteratorV2", shared_name="others", container="", **kind)
    return [initialized(dataset, iterator), *[made("IteratorGetNext", iterator, **kind) for _ in range(count)]]
