"""What a ragged tensor is in a session: NumPy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.composite_types import Dispatching

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class RaggedTensorValue(Dispatching):
    """The value of a `RaggedTensor`.

    Args:
        values: an array of the values of all rows, or the `RaggedTensorValue` of the rows' rows.
        row_splits: an int32 or int64 vector: row i is `values[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        TypeError: if an argument is something else. ValueError: if the splits of the rows' rows have another type.
    """

    def __init__(self, values: RaggedTensorValue | np.ndarray, row_splits: TensorLike) -> None:
        if not (
            isinstance(row_splits, (np.ndarray, np.generic))
            and row_splits.dtype in (np.int64, np.int32)
            and row_splits.ndim == 1
        ):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits

    @property
    def values(self) -> Any:
        """The values of all rows."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where the rows begin and end."""
        return self._row_splits

    @property
    def dtype(self) -> Any:
        """The type of the innermost values."""
        return self._values.dtype

    @property
    def flat_values(self) -> np.ndarray:
        """The innermost values."""
        return self._values.flat_values if isinstance(self._values, RaggedTensorValue) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all levels, the outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensorValue) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """How many levels of splits there are."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape: None where rows differ."""
        return (self._row_splits.size - 1, None, *tuple(self._values.shape)[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        rows = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        bounds = self._row_splits.tolist()
        return [rows[begin:end] for begin, end in itertools.pairwise(bounds)]

    def _dispatch(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return slots.dispatch_ragged(function, args, kwargs)

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
