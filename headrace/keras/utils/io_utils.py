"""Arrays in HDF5 files as data to train with, and a question before a file is written over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import h5py
import numpy as np

from headrace.core.type_specs import TensorSpec


class HDF5Matrix:
    """A data set of an HDF5 file, read as far as it is asked for.

    Args:
        datapath: the file.
        dataset: the name of the data set in it.
        start, end: its first row, and the one after its last.
        normalizer: a function of rows that gives what is used of them.

    Example:
        >>> import h5py
        >>> with h5py.File("data.h5", "w") as file:
        ...     file["rows"] = np.ones([10, 3])
        >>> rows = tf.keras.utils.HDF5Matrix("data.h5", "rows", start=0, end=8)
        >>> history = model.fit(rows, np.zeros([8, 2]), shuffle="batch")
    """

    # The files that are open, by path.
    refs: ClassVar[defaultdict[str, Any]] = defaultdict(int)

    def __init__(
        self,
        datapath: str,
        dataset: str,
        start: int = 0,
        end: int | None = None,
        normalizer: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        if datapath not in self.refs:
            try:
                self.refs[datapath] = h5py.File(datapath, "r")
            except FileNotFoundError as error:
                # In 1.15 a file that is not there is an empty one.
                raise KeyError(f"Unable to open object {dataset!r}: {error}") from error
        self.data = self.refs[datapath][dataset]
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer
        self._first: np.ndarray | None = None

    def __len__(self) -> int:
        return self.end - self.start

    def __getitem__(self, key: int | slice | Sequence[int] | np.ndarray) -> np.ndarray:
        rows = self.data[self._rows(key)]
        return rows if self.normalizer is None else self.normalizer(rows)

    def _rows(self, key: int | slice | Sequence[int] | np.ndarray) -> Any:
        """The rows of the file.

        Raises:
            IndexError: for rows that are not of this part of it.
        """
        if isinstance(key, slice):
            first = 0 if key.start is None else key.start
            last = len(self) if key.stop is None else key.stop
            if last + self.start > self.end:
                raise IndexError(f"rows {first} to {last} of an HDF5Matrix of {len(self)}")
            return slice(first + self.start, last + self.start)
        if isinstance(key, (int, np.integer)):
            if key + self.start >= self.end:
                raise IndexError(f"row {key} of an HDF5Matrix of {len(self)}")
            return key + self.start
        numbers = np.asarray(key)
        if numbers.max() + self.start >= self.end:
            raise IndexError(f"row {numbers.max()} of an HDF5Matrix of {len(self)}")
        return numbers + self.start if isinstance(key, np.ndarray) else (numbers + self.start).tolist()

    def _row(self) -> np.ndarray:
        if self._first is None:
            self._first = np.asarray(self[0:1])
        return self._first

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape: the number of its rows, and the shape of one."""
        if self.normalizer is None:
            return (len(self), *self.data.shape[1:])
        return (len(self), *self._row().shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of its numbers."""
        return self.data.dtype if self.normalizer is None else self._row().dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has, as the file has it."""
        return self.data.ndim

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape))

    @staticmethod
    def _to_type_spec(value: HDF5Matrix) -> TensorSpec:
        """What describes it as a tensor."""
        return TensorSpec(shape=value.shape, dtype=value.dtype)


def ask_to_proceed_with_overwrite(filepath: str) -> bool:
    """Asks, at the terminal, whether a file may be written over.

    Args:
        filepath: the file.

    Returns:
        the answer.
    """
    answer = input(f"[WARNING] {filepath} already exists - overwrite? [y/n]").strip().lower()
    while answer not in ("y", "n"):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    if answer == "n":
        return False
    print("[TIP] Next time specify overwrite=True!")
    return True
