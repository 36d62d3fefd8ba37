"""Rows and columns of a matrix in a checkpoint, put in the order of another vocabulary."""

from __future__ import annotations

import itertools

import numpy as np

from headrace.core.cases import made
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.files.checkpoint.bundle import BundleReader
from headrace.files.checkpoint.reader import CheckpointReader, local_prefix
from headrace.files.failures import failures_of
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.ranks import ranked

generate_vocab_remapping = op(
    "GenerateVocabRemapping",
    "new_vocab_file: string, old_vocab_file: string, *, new_vocab_offset: int >= 0, num_new_vocab: int >= 0, "
    "old_vocab_size: int >= -1 = -1 -> remapping: int64, num_present: int32",
).on_host("new_vocab_file", "old_vocab_file", outputs=True)
generate_vocab_remapping.not_differentiable()


@generate_vocab_remapping.shape
@ranked(0, 0)
def generate_vocab_remapping_shape(op):
    return [(op.attrs["num_new_vocab"],), ()]


def _words(path: np.ndarray, what: str) -> list[bytes]:
    name = local_prefix(boxed(path).item())
    if not name:
        raise InvalidArgumentError(None, None, f"{what} is empty")
    with failures_of(name), open(name, "rb") as file:
        return file.read().splitlines()


@generate_vocab_remapping.kernel
def generate_vocab_remapping_kernel(node):
    first, count = node.attrs["new_vocab_offset"], node.attrs["num_new_vocab"]
    most = node.attrs["old_vocab_size"]

    def remap(new_file, old_file):
        old = _words(old_file, "old_vocab_file")
        places = {word: i for i, word in enumerate(old if most < 0 else old[:most])}
        new_words = list(itertools.islice(_words(new_file, "new_vocab_file"), first, first + count))
        if len(new_words) < count:
            raise InvalidArgumentError(
                None,
                None,
                "lookup table size must be larger than last new vocab entry's line: the new vocabulary has "
                f"{len(new_words)} words from word {first} on, expected {count}.",
            )
        remapping = np.array([places.get(word, -1) for word in new_words], np.int64)
        return to_tensor(remapping), to_tensor(np.array((remapping >= 0).sum(), np.int32))

    return remap


load_and_remap_matrix = op(
    "LoadAndRemapMatrix",
    "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, initializing_values: float, "
    "*, num_rows: int >= 0, num_cols: int >= 1, max_rows_in_memory=-1 -> output_matrix: float",
    stateful=True,
).on_host("ckpt_path", "old_tensor_name", "row_remapping", "col_remapping", "initializing_values")
load_and_remap_matrix.not_differentiable()


@load_and_remap_matrix.shape
@ranked(None, 0)
def load_and_remap_matrix_shape(op):
    return [(op.attrs["num_rows"], op.attrs["num_cols"])]


def _loaded(path: str, name: str) -> np.ndarray:
    # The file's own pages: only rows that are asked for are read into memory, whatever `max_rows_in_memory` says.
    reader = CheckpointReader(path)
    source = reader._source
    entry = source.entry(name)
    if entry is None:
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
    matrix = source.tensor(name, entry, shared=True) if isinstance(source, BundleReader) else source.tensor(name, entry)
    if matrix.ndim != 2 or matrix.dtype != np.float32:
        raise InvalidArgumentError(
            None, None, f"Old tensor must have rank 2 and type float, got {list(matrix.shape)} of {matrix.dtype}."
        )
    return matrix


@load_and_remap_matrix.kernel
def load_and_remap_matrix_kernel(node):
    rows, columns = node.attrs["num_rows"], node.attrs["num_cols"]

    def load(path, name, row_remapping, column_remapping, initial):
        row_places, column_places = to_array(row_remapping), to_array(column_remapping)
        initial = to_array(initial).reshape(-1)
        if row_places.shape != (rows,):
            raise InvalidArgumentError(
                None, None, f"Size of row_remapping is {row_places.size} instead of being equal to num_rows={rows}"
            )
        if column_places.size not in (0, columns):
            raise InvalidArgumentError(
                None,
                None,
                f"Provided col_remapping, but its size is {column_places.size} instead of being equal to num_cols={columns}",
            )
        old = _loaded(local_prefix(boxed(path).item()), boxed(name).item().decode())
        if not column_places.size:
            if old.shape[1] != columns:
                raise InvalidArgumentError(
                    None, None, f"The old matrix has {old.shape[1]} columns, expected num_cols={columns}."
                )
            column_places = np.arange(columns)
        for places, size, what in ((row_places, old.shape[0], "row"), (column_places, old.shape[1], "column")):
            found = places[places >= 0]
            if found.size and int(found.max()) >= size:
                raise InvalidArgumentError(None, None, f"{what} {int(found.max())} of {size} is asked for.")
            if np.unique(found).size != found.size:
                raise InvalidArgumentError(None, None, f"A {what} of the old matrix is asked for twice.")
        there = np.outer(row_places >= 0, column_places >= 0)
        missing = int((~there).sum())
        if initial.size != missing:
            raise InvalidArgumentError(
                None,
                None,
                f"{initial.size} initializing values for {missing} missing elements of a matrix of shape [{rows},{columns}].",
            )
        matrix = np.empty((rows, columns), np.float32)
        matrix[there] = old[np.ix_(row_places[row_places >= 0], column_places[column_places >= 0])].reshape(-1)
        matrix[~there] = initial
        return to_tensor(matrix, node.device)

    return load


_WORDS_OF = {"new.txt": b"x\ny\nz\nw\n", "old.txt": b"z\nx\nv\n"}
_FILES = (b"new.txt", b"old.txt")
generate_vocab_remapping.accepts(*_FILES, new_vocab_offset=0, num_new_vocab=3, files=_WORDS_OF)
generate_vocab_remapping.accepts(*_FILES, new_vocab_offset=2, num_new_vocab=2, old_vocab_size=1, files=_WORDS_OF)
generate_vocab_remapping.rejects(*_FILES, new_vocab_offset=0, num_new_vocab=1, error=NotFoundError)
_MATRIX = made(
    "SaveV2",
    b"model",
    np.array([b"w"], object),
    np.array([b""], object),
    [np.arange(6, dtype=np.float32).reshape(3, 2)],
)
_NEW = np.array([9.0, 8.0, 7.0], np.float32)
load_and_remap_matrix.accepts(
    b"model", b"w", np.array([2, -1, 0]), np.array([1]), _NEW[:1], num_rows=3, num_cols=1, before=[_MATRIX]
)
load_and_remap_matrix.accepts(
    b"model", b"w", np.array([1, 0]), np.zeros([0], np.int64), _NEW[:0], num_rows=2, num_cols=2, before=[_MATRIX]
)
load_and_remap_matrix.rejects(
    b"model",
    b"w",
    np.array([2, -1]),
    np.array([1]),
    _NEW,
    num_rows=2,
    num_cols=1,
    before=[_MATRIX],
    error=InvalidArgumentError,
)
