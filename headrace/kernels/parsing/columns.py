"""One feature of all examples of a batch, as the tensors that the parsing ops give for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError
from headrace.kernels.array.arguments import shape_text
from headrace.kernels.parsing.wire import MalformedList, decode_floats, decode_ints, decode_strings

# What a column finds: all values, record by record; how many each record has; which records miss the feature.
Read = tuple[np.ndarray, np.ndarray, list[int]]

# The member of a Feature that holds values of a type, how it is read, what C calls the type, and its number in the runner.
_READERS: dict[str, tuple[str, Any, str, int]] = {
    "float32": ("float_list", decode_floats, "float", 1),
    "int64": ("int64_list", decode_ints, "int64", 2),
    "string": ("bytes_list", decode_strings, "string", 0),
}
C_NAMES = {member: c_name for member, _, c_name, _ in _READERS.values()}


class BadExample(Exception):
    """What is wrong with one example of a batch: `index`, and `text` with `{where}` for the words that name it."""

    def __init__(self, index: int, text: str, single: str | None = None) -> None:
        super().__init__(text)
        self.index = index
        self.text = text
        self.single = text if single is None else single


class Column:
    """How one feature is read.

    Args:
        key: the feature's key.
        dtype: the type of its values.
    """

    def __init__(self, key: str, dtype: DType) -> None:
        self.key = key
        self.key_bytes = key.encode("utf-8", "surrogateescape")
        self.dtype = dtype
        self.member, self.decode, self.c_name, self.kind = _READERS[dtype.base_dtype.name]
        self.list_name = self.member.removesuffix("_list")

    def lists(self, features: Sequence[Any], first: int = 0) -> tuple[list[bytes], list[int]]:
        """The list of values of each Feature as it is written, and which of them are empty messages.

        Args:
            features: the messages.
            first: the number of the first of them.

        Raises:
            BadExample: for a feature of another type.
        """
        member = self.member
        lists = [getattr(feature, member) for feature in features]
        missing: list[int] = []
        if b"" in lists:
            for i, (feature, item) in enumerate(zip(features, lists), first):
                if item:
                    continue
                kind = feature.WhichOneof("kind")
                if kind is None:
                    missing.append(i)
                elif kind != member:
                    raise self.mismatch(i, C_NAMES[kind])
        return lists, missing

    def decoded(self, lists: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
        """All values one after the other, and how many each list has.

        Raises:
            BadExample: for bytes that are no such list.
        """
        try:
            values, counts = self.decode(lists)
        except MalformedList as error:
            raise self.malformed(error.index) from None
        return values, counts

    def read_features(self, features: Sequence[Any]) -> Read:
        """What Features hold: all values one after the other, how many each has, and which of them are empty messages.

        Raises:
            BadExample: for a feature of another type.
        """
        lists, missing = self.lists(features)
        return (*self.decoded(lists), missing)

    def malformed(self, index: int) -> BadExample:
        """The complaint about bytes that are no list of values."""
        return BadExample(index, f"{{where}}Key: {self.key}{{index}}.  Can't parse serialized Example.")

    def mismatch(self, index: int, found: str) -> BadExample:
        """The complaint about a feature of another type, which C calls `found`."""
        raise NotImplementedError

    def tensors(
        self, values: np.ndarray, counts: np.ndarray, missing: list[int], default: np.ndarray | None
    ) -> tuple[Any, ...]:
        """The outputs of a batch: of what was read, and the feature's default."""
        raise NotImplementedError

    def single(self, read: Read, default: np.ndarray | None) -> tuple[Any, ...]:
        """The outputs of one example: of what was read, and the feature's default."""
        raise NotImplementedError

    def unparsed(self, index: int, text: str) -> BadExample:
        """The complaint about a wrong number of values."""
        start = f"{{where}}Key: {self.key}{{index}}.  "
        return BadExample(index, start + text, start + "Can't parse serialized Example.")


def value_of(values: np.ndarray) -> Any:
    """Parsed values as a kernel's value."""
    return values if values.dtype == object else torch.from_numpy(values)


class SparseColumn(Column):
    """A feature with any number of values."""

    def mismatch(self, index: int, found: str) -> BadExample:
        return BadExample(
            index,
            f"{{where}}Key: {self.key}{{index}}.  Data types don't match. Expected type: {self.c_name}, "
            f"Actual type: {found}",
        )

    def tensors(
        self, values: np.ndarray, counts: np.ndarray, missing: list[int], default: np.ndarray | None
    ) -> tuple[Any, ...]:
        return sparse_indices(counts), value_of(values), torch.tensor([len(counts), int(counts.max(initial=0))])

    def single(self, read: Read, default: np.ndarray | None = None) -> tuple[Any, Any, Any]:
        values, _, _ = read
        count = len(values)
        return torch.arange(count).reshape(-1, 1), value_of(values), torch.tensor([count])


def sparse_indices(counts: np.ndarray) -> torch.Tensor:
    """The places [row, position] of so many values a row."""
    total = int(counts.sum())
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(counts)), counts)
    indices[:, 1] = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return torch.from_numpy(indices)


def _dims_text(dims: Dims) -> str:
    return "<unknown>" if dims is None else shape_text(dims)


class DenseColumn(Column):
    """A feature of one shape in all examples, with or without a default.

    Args:
        key: the feature's key.
        dtype: the type of its values.
        dims: its shape, fully known.
    """

    def __init__(self, key: str, dtype: DType, dims: Dims) -> None:
        super().__init__(key, dtype)
        if dims is None or any(size is None for size in dims):
            raise InvalidArgumentError(
                None,
                None,
                f"dense_shapes: that of '{key}' has unknown rank or unknown inner dimensions: {_dims_text(dims)}",
            )
        self.dims = tuple(int(size) for size in dims if size is not None)
        self.elements = math.prod(self.dims)

    def mismatch(self, index: int, found: str) -> BadExample:
        return BadExample(
            index,
            f"{{where}}Key: {self.key}{{index}}.  Data types don't match. Data type: {found} but expected type: "
            f"{self.c_name}",
        )

    def absent(self, index: int) -> BadExample:
        """The complaint about a missing feature."""
        return BadExample(
            index,
            f"{{comma}}Feature: {self.key} (data type: {self.c_name}) is required but could not be found.",
        )

    def filled(self, values: np.ndarray, counts: np.ndarray, missing: list[int], default: Any) -> np.ndarray:
        """The values of all examples, one after the other, defaults among them.

        Raises:
            BadExample: for a feature that is missing or has another number of values.
        """
        if (
            len(values) == self.elements * len(counts)
            and not missing
            and (len(counts) == 1 or (counts == self.elements).all())
        ):
            return values
        has_default = default.size > 0
        absent = set(missing)
        for i in np.flatnonzero(counts != self.elements).tolist() + missing:
            if i not in absent:
                raise self.unparsed(
                    i,
                    f"Number of {self.list_name} values != expected.  Values size: {counts[i]} but output shape: "
                    f"{shape_text(self.dims)}",
                )
            if not has_default:
                raise self.absent(i)
        rows = np.empty((len(counts), self.elements), values.dtype)
        there = np.ones(len(counts), bool)
        there[missing] = False
        rows[there] = values.reshape(-1, self.elements)
        rows[missing] = default.reshape(-1)
        return rows.reshape(-1)

    def tensors(
        self, values: np.ndarray, counts: np.ndarray, missing: list[int], default: np.ndarray | None
    ) -> tuple[Any, ...]:
        return (value_of(self.filled(values, counts, missing, default).reshape(len(counts), *self.dims)),)

    def single(self, read: Read, default: Any) -> tuple[Any, ...]:
        values = self.filled(*read, default)
        return (value_of(values.reshape(self.dims)),)


class RaggedColumn(DenseColumn):
    """A feature that is a sequence of items of one shape, padded to the longest of the batch."""

    def __init__(self, key: str, dtype: DType, dims: Dims) -> None:
        assert dims is not None
        super().__init__(key, dtype, dims[1:])

    def lengths(self, counts: np.ndarray) -> np.ndarray:
        """How many items each sequence has.

        Raises:
            BadExample: for one that ends within an item.
        """
        if (counts % max(self.elements, 1)).any():
            i = int(np.flatnonzero(counts % self.elements)[0])
            raise self.unparsed(
                i,
                f"Number of {self.list_name} values is not a multiple of stride length. Saw {counts[i]} values but output "
                f"shape is: {shape_text((None, *self.dims))}",
            )
        return counts // max(self.elements, 1)

    def tensors(
        self, values: np.ndarray, counts: np.ndarray, missing: list[int], default: np.ndarray | None
    ) -> tuple[Any, ...]:
        return (value_of(padded(values, self.lengths(counts), self.dims, default)),)

    def single(self, read: Read, default: np.ndarray | None) -> tuple[Any, ...]:
        values, counts, _ = read
        return (value_of(values.reshape(int(self.lengths(counts)[0]), *self.dims)),)


def padded(values: np.ndarray, lengths: np.ndarray, dims: tuple[int, ...], default: Any) -> np.ndarray:
    """Sequences of items of shape `dims`, stored one after the other, as rows padded to the longest."""
    longest = int(lengths.max(initial=0))
    if (lengths == longest).all():
        return values.reshape(len(lengths), longest, *dims)
    out = np.empty((len(lengths), longest, *dims), values.dtype)
    out[...] = default.reshape(-1)[0] if default.size else _ZEROS[values.dtype.kind]
    out[np.arange(longest) < lengths[:, None]] = values.reshape(int(lengths.sum()), *dims)
    return out


_ZEROS: dict[str, Any] = {"f": 0.0, "i": 0, "O": b""}


def dense_column(key: str, dtype: DType, dims: Dims) -> Column:
    """The column of a dense feature: a sequence where the first dimension is unknown."""
    if dims and dims[0] is None:
        return RaggedColumn(key, dtype, dims)
    return DenseColumn(key, dtype, dims)
