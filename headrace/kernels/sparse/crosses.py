"""The kernels of crosses of features: all combinations of the features of each example, as hashes or joined texts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from headrace.kernels.array.arguments import invalid
from headrace.kernels.sparse.indices import check_parts
from headrace.kernels.string.batched_hashes import fingerprints
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


# From the fingerprints so far and those of the next features.
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]

_MASK = 2**64 - 1
_FACTOR = np.uint64(0xC6A4A7935BD1E995)


_JOINT = b"_X_"


def _mixed(numbers: np.ndarray) -> np.ndarray:
    return numbers ^ numbers >> np.uint64(47)


def _chained(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """64-bit fingerprints of pairs, by a step of MurmurHash64A (see `kernels.string.fingerprint`)."""
    numbers = first ^ _FACTOR ^ _mixed(second * _FACTOR) * _FACTOR
    return _mixed(_mixed(numbers * _FACTOR) * _FACTOR)


def _rows(indices: torch.Tensor, values: list[Any], batch: int) -> list[list[Any]]:
    """The features of each example of a sparse column."""
    rows: list[list[Any]] = [[] for _ in range(batch)]
    for row, value in zip(indices[:, 0].tolist(), values):
        if not 0 <= row < batch:
            raise _row_out_of_bounds(row, batch)
        rows[row].append(value)
    return rows


def _row_out_of_bounds(row: int, batch: int) -> Exception:
    return invalid(f"Row {row} of a sparse feature is out of bounds: the batch has {batch}.")


def _batch_size(sparse: Sequence[tuple[Any, Any, Any]], dense: Sequence[Any]) -> int:
    """How many examples all columns have, the sparse ones first."""
    for i, parts in enumerate(sparse):
        check_parts(*parts)
        if parts[2].shape[0] != 2:
            raise invalid(f"Expected D2 of index to be 2 got {parts[2].shape[0]} at position {i}")
    for i, values in enumerate(dense):
        if values.ndim != 2:
            raise invalid(f"Dense inputs should be a matrix but received rank {values.ndim} at position {i}")
    sizes = [int(shape[0]) for _, _, shape in sparse] + [values.shape[0] for values in dense]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            raise invalid(
                f"Expected batch size {sizes[0]} got {size} at position {i if i < len(sparse) else i - len(sparse)}"
            )
    return sizes[0] if sizes else 0


def _text(feature: bytes | int) -> bytes:
    return feature if isinstance(feature, bytes) else str(feature).encode()


class _Column(NamedTuple):
    """The features of a batch as numbers, row by row.

    Attributes:
        numbers: the fingerprints of strings, integers as they are; uint64.
        starts: where the numbers of each example begin.
        counts: how many each example has.
    """

    numbers: np.ndarray
    starts: np.ndarray
    counts: np.ndarray


def _numbers(values: np.ndarray | torch.Tensor) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return fingerprints(values.reshape(-1).tolist())
    return values.reshape(-1).numpy().view(np.uint64)


def _sparse_column(indices: torch.Tensor, values: np.ndarray | torch.Tensor, batch: int) -> _Column:
    rows = indices[:, 0].numpy()
    outside = (rows < 0) | (rows >= batch)
    if outside.any():
        raise _row_out_of_bounds(rows[outside][0], batch)
    numbers = _numbers(values)
    if (rows[1:] < rows[:-1]).any():
        numbers = numbers[np.argsort(rows, kind="stable")]
    counts = np.bincount(rows, minlength=batch)
    return _Column(numbers, counts.cumsum() - counts, counts)


def _dense_column(values: np.ndarray | torch.Tensor, batch: int) -> _Column:
    width = values.shape[1]
    return _Column(_numbers(values), np.arange(batch) * width, np.full(batch, width))


def _crossed(columns: list[_Column], first: int, combine: Combine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The fingerprints of all combinations, the last column's features changing fastest, and their rows and places."""
    counts = np.prod([column.counts for column in columns], axis=0)
    rows = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
    chosen, left = [], places
    for column in reversed(columns):
        left, which = np.divmod(left, column.counts[rows])
        chosen.append(column.numbers[column.starts[rows] + which])
    made = np.full(len(rows), first, np.uint64)
    for numbers in reversed(chosen):
        made = combine(made, numbers)
    return made, rows, places


def cross_shape(op):
    """The shape rule of a cross."""
    return [(None, 2), (None,), (2,)]


def cross_kernel(node):
    """The kernel rule of a cross whose fingerprints begin with the key that its attributes tell."""
    attrs = node.attrs
    cross = crossing(node, attrs["hash_key"], _chained)
    hashed = direct_call("hashed_cross")
    if hashed is None or not attrs["hashed_output"]:
        return cross
    settings = attrs["hash_key"] & _MASK, attrs["num_buckets"] or 2**63 - 1, attrs["N"]

    def cross_directly(*parts):
        made = hashed(*settings, *parts)
        return cross(*parts) if made is None else made

    return cross_directly


def crossing(node: NodeView, hash_key: int, combine: Combine) -> Callable[..., Any]:
    """The kernel of a cross whose fingerprints begin with `hash_key` and go on by `combine`."""
    attrs = node.attrs
    count, hashed = attrs["N"], attrs["hashed_output"]
    first, buckets = hash_key & _MASK, np.uint64(attrs["num_buckets"] or 2**63 - 1)

    def cross(*parts):
        sparse = list(zip(parts[:count], parts[count : 2 * count], parts[2 * count : 3 * count]))
        dense = parts[3 * count :]
        batch = _batch_size(sparse, dense)
        if not sparse and not dense:
            rows = np.zeros(0, np.int64)
            places, out = rows, torch.from_numpy(rows) if hashed else np.empty(0, object)
        elif hashed:
            columns = [_sparse_column(*part[:2], batch) for part in sparse]
            made, rows, places = _crossed(
                [*columns, *(_dense_column(values, batch) for values in dense)], first, combine
            )
            out = torch.from_numpy((made % buckets).view(np.int64))
        else:
            texts = [_rows(indices, values.tolist(), batch) for indices, values, _ in sparse]
            out, rows, places = _joined([*texts, *(values.tolist() for values in dense)])
        widest = int(places.max()) + 1 if len(places) else 0
        return torch.from_numpy(np.stack([rows, places], 1)), out, torch.tensor([batch, widest])

    return cross


def _joined(columns: list[list[list[Any]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts of all combinations, and their rows and places."""
    crossed = [
        [_JOINT.join(map(_text, features)) for features in itertools.product(*(column[row] for column in columns))]
        for row in range(len(columns[0]))
    ]
    counts = np.fromiter(map(len, crossed), np.int64, len(crossed))
    rows = np.repeat(np.arange(len(counts)), counts)
    out = np.empty(len(rows), object)
    out[:] = list(itertools.chain.from_iterable(crossed))
    return out, rows, np.arange(len(rows)) - (counts.cumsum() - counts)[rows]
