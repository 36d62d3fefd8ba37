"""Crosses of features, of sparse and dense batches: SparseCross."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import int64, string
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.ops import composing
from headrace.ops.array.common import invalid
from headrace.ops.sparse.common import check_parts, wholly_on_host
from headrace.ops.string.many_hashes import fingerprints

sparse_cross_op = wholly_on_host(
    op(
        "SparseCross",
        "indices: N * int64, values: *sparse_types, shapes: N * int64, dense_inputs: *dense_types, *, N: int >= 0, "
        "hashed_output: bool, num_buckets: int >= 0, hash_key: int, sparse_types: list({int64, string}), dense_types: "
        "list({int64, string}), out_type: {int64, string}, internal_type: {int64, string} -> output_indices: int64, "
        "output_values: out_type, output_shape: int64",
    )
)

# From the fingerprints so far and those of the next features.
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]

_MASK = 2**64 - 1
_FACTOR = np.uint64(0xC6A4A7935BD1E995)
_DEFAULT_HASH_KEY = 0xDECAFCAFFE
_JOINT = b"_X_"


@sparse_cross_op.shape
def sparse_cross_shape(op):
    return [(None, 2), (None,), (2,)]


def _mixed(numbers: np.ndarray) -> np.ndarray:
    return numbers ^ numbers >> np.uint64(47)


def _chained(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """64-bit fingerprints of pairs, by a step of MurmurHash64A."""
    numbers = first ^ _FACTOR ^ _mixed(second * _FACTOR) * _FACTOR
    return _mixed(_mixed(numbers * _FACTOR) * _FACTOR)


def _rows(indices: Any, values: list[Any], batch: int) -> list[list[Any]]:
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


def _text(feature: Any) -> bytes:
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


def _numbers(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return fingerprints(values.reshape(-1).tolist())
    return values.reshape(-1).numpy().view(np.uint64)


def _sparse_column(indices: Any, values: Any, batch: int) -> _Column:
    rows = indices[:, 0].numpy()
    outside = (rows < 0) | (rows >= batch)
    if outside.any():
        raise _row_out_of_bounds(rows[outside][0], batch)
    numbers = _numbers(values)
    if (rows[1:] < rows[:-1]).any():
        numbers = numbers[np.argsort(rows, kind="stable")]
    counts = np.bincount(rows, minlength=batch)
    return _Column(numbers, counts.cumsum() - counts, counts)


def _dense_column(values: Any, batch: int) -> _Column:
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


@sparse_cross_op.kernel
def sparse_cross_kernel(node):
    return crossing(node, node.attrs["hash_key"], _chained)


def crossing(node: Any, hash_key: int, combine: Combine) -> Any:
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


_COLUMN = ([np.array([[0, 0]])], [np.array([3])], [np.array([1, 1])])
_HASHED: dict[str, Any] = {
    "hashed_output": True,
    "num_buckets": 9,
    "hash_key": 1,
    "out_type": int64,
    "internal_type": int64,
}
sparse_cross_op.accepts(*_COLUMN, [np.array([[1, 2]])], **_HASHED).rejects(
    *_COLUMN, [np.array([[1], [2]])], **_HASHED, error=InvalidArgumentError
)


def sparse_cross(inputs: list[Any], name: str | None = None) -> SparseTensor:
    """All combinations of the features of each example, as strings joined by "_X_".

    Args:
        inputs: a list of SparseTensors and dense matrices [batch, n] of ints or strings.
        name: a name for the operation.

    Returns:
        a SparseTensor of strings [batch, most combinations of an example].

    Raises:
        TypeError: if `inputs` is no list of such.

    Example:
        >>> x = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
        >>> tf.Session().run(tf.sparse.cross([x, tf.constant([["b", "c"]])])).values
        array([b'a_X_b', b'a_X_c'], dtype=object)
    """
    return _cross(inputs, False, 0, None, name)


def sparse_cross_hashed(
    inputs: list[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """All combinations of the features of each example, as hashes.

    Args:
        inputs: a list of SparseTensors and dense matrices [batch, n] of ints or strings.
        num_buckets: the hashes are less than this; 0 for all 63 bits.
        hash_key: where hashing starts.
        name: a name for the operation.

    Returns:
        a SparseTensor of int64 [batch, most combinations of an example].

    Raises:
        TypeError: if `inputs` is no list of such.

    Example:
        >>> x = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
        >>> tf.sparse.cross_hashed([x, tf.constant([["b", "c"]])], num_buckets=100).dtype
        tf.int64
    """
    return _cross(inputs, True, num_buckets, hash_key, name)


def _cross(inputs: Any, hashed: bool, num_buckets: int, hash_key: int | None, name: str | None) -> SparseTensor:
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(item, (SparseTensor, Tensor)) for item in inputs):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [item for item in inputs if isinstance(item, SparseTensor)]
    values: list[Any] = [item.values for item in sparse]
    dense: list[Any] = [item for item in inputs if not isinstance(item, SparseTensor)]
    internal = string
    for group in (values, dense):
        for i, item in enumerate(group):
            if item.dtype != string:
                group[i], internal = composing.cast(item, int64), int64
    crossed = raw.SparseCross(
        [item.indices for item in sparse],
        values,
        [item.dense_shape for item in sparse],
        dense,
        hashed_output=hashed,
        num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type=int64 if hashed else string,
        internal_type=internal,
        name=name,
    )
    return SparseTensor(*crossed)
