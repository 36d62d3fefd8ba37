"""The features of forests: as one matrix, with what is known of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.host_values import to_array
from headrace.kernels.trees.forest_draws import Present
from headrace.util.compat import as_text

_SIZE = re.compile(r"dense_features_size:\s*(\d+)")
_COLUMN = re.compile(r"original_type:\s*(\d+)\s+size:\s*(-?\d+)\s*\}")
# More columns than this of sparse features would take too much memory as a matrix.
_MOST_SPARSE = 1 << 16


class DataKinds(NamedTuple):
    """What columns hold.

    Args:
        dense: how many dense columns there are.
        matching: for each of them, whether its values only are the same or not: words, or whole numbers.
        sparse_matches: whether that is so of the sparse columns.
    """

    dense: int
    matching: np.ndarray
    sparse_matches: bool


def data_kinds(spec: bytes | str) -> DataKinds:
    """What an `input_spec` says of columns.

    Args:
        spec: the text of a `TensorForestDataSpec`.
    """
    text = as_text(spec)
    size = _SIZE.search(text)
    dense_text, _, sparse_text = text.partition("sparse:")
    kinds = [(int(kind), int(count)) for kind, count in _COLUMN.findall(dense_text)]
    matching = np.repeat(
        np.array([kind == 1 for kind, _ in kinds], bool), np.array([count for _, count in kinds], np.int64)
    )
    dense = int(size[1]) if size else 0
    found = np.zeros(dense, bool)
    found[: len(matching)] = matching[:dense]
    sparse = _COLUMN.search(sparse_text)
    return DataKinds(dense, found, sparse is not None and int(sparse[1]) == 1)


def feature_matrix(inputs: Sequence[torch.Tensor], kinds: DataKinds) -> np.ndarray:
    """The features as one matrix: dense columns first, then those of sparse features, which are 0 where they are missing.

    Args:
        inputs: the dense matrix; the indices, values and shape of the sparse one.
        kinds: what the columns hold.
    """
    data, width = to_array(inputs[0]), kinds.dense
    columns = _sparse_columns(inputs)
    if not columns:
        return _wide(data, width) if data.ndim == 2 and data.shape[1] < width else data
    indices, values, shape = (to_array(value) for value in inputs[1:])
    rows = int(shape[0])
    if columns > _MOST_SPARSE:
        raise InvalidArgumentError(
            None, None, f"Sparse features of {columns} columns are too wide for a forest: at most {_MOST_SPARSE}"
        )
    matrix = np.zeros((rows, width + columns), np.float32)
    if width:
        matrix[:, :width] = data
    # Behind dense columns, 1.15 takes the number of a column for that among the sparse ones.
    some = indices[:, 1] >= width
    matrix[indices[some, 0], indices[some, 1]] = values[some]
    return matrix


def _sparse_columns(inputs: Sequence[torch.Tensor]) -> int:
    """How many there are; 0 where all features are dense, as in most forests, and nothing else has to be looked at."""
    shape = inputs[3]
    return int(shape[-1]) if shape.numel() else 0


def _wide(data: np.ndarray, width: int) -> np.ndarray:
    """Fewer columns than there are features, as where each tree sees some of them: 1.15 reads on in the next example."""
    rows, columns = data.shape
    flat = np.zeros(rows * columns + width, np.float32)
    flat[: rows * columns] = data.reshape(-1)
    places = np.arange(rows)[:, None] * columns + np.arange(width)
    return np.asarray(flat[places])


def present_columns(inputs: Sequence[torch.Tensor]) -> Present | None:
    """The sparse columns that the examples have something in; None where there are no sparse features.

    Args:
        inputs: the dense matrix; the indices, values and shape of the sparse one.
    """
    if not _sparse_columns(inputs):
        return None
    indices, shape = to_array(inputs[1]), to_array(inputs[3])
    return Present(np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1)), indices[:, 1])
