"""Initializers that load a matrix of a checkpoint for another vocabulary."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype, float32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.state.initializers import truncated_normal_initializer, zeros_initializer

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import InitializerLike
    from headrace.state.partitioned import PartitionInfo


def load_and_remap_matrix_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: InitializerLike | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer that takes rows and columns of a matrix in a checkpoint to where their words are now.

    Args:
        ckpt_path: the checkpoint.
        old_tensor_name: the matrix in it, of float32.
        new_row_vocab_size, new_col_vocab_size: the numbers of words; of rows or columns where those stay as they are.
        old_row_vocab_size: how many words of the old vocabulary of rows count; -1 for all.
        old_row_vocab_file, new_row_vocab_file: the vocabularies of the rows, a word a line; neither leaves them.
        old_col_vocab_file, new_col_vocab_file: those of the columns.
        num_row_oov_buckets, num_col_oov_buckets: rows and columns for unknown words, after the others.
        initializer: what gives new words their values; zeros by default.
        max_rows_in_memory: how many rows to read at once; -1 for all.

    Raises:
        TypeError: if `initializer` is not callable.
    """
    initializer = zeros_initializer() if initializer is None else initializer
    if not callable(initializer):
        raise TypeError(f"initializer must be callable, instead of being {initializer} of type {type(initializer)}.")
    width = new_col_vocab_size + num_col_oov_buckets

    def initialize(shape: Sequence[int], dtype: DType = float32, partition_info: PartitionInfo | None = None) -> Tensor:
        if as_dtype(dtype) != float32:
            raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {shape}")
        if shape[0] <= 0:
            raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {shape}")
        if shape[1] != width:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({new_col_vocab_size}) + num_col_oov_buckets "
                f"({num_col_oov_buckets}) = {width}, but received shape: {shape}"
            )
        offset = 0 if partition_info is None else partition_info.single_offset(shape)
        height = new_row_vocab_size + num_row_oov_buckets
        if offset + shape[0] > height:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {offset} rows have already been initialized, "
                f"which would exceed expected total row count of new_row_vocab_size ({new_row_vocab_size}) + "
                f"num_row_oov_buckets ({num_row_oov_buckets}) = {height}."
            )
        unknown = min(shape[0], max(0, offset + shape[0] - new_row_vocab_size))
        if unknown == shape[0]:
            return initializer(shape)
        return _load_and_remap_matrix(
            ckpt_path,
            old_tensor_name,
            offset,
            shape[0] - unknown,
            new_col_vocab_size,
            initializer,
            old_row_vocab_size,
            old_row_vocab_file,
            new_row_vocab_file,
            old_col_vocab_file,
            new_col_vocab_file,
            unknown,
            num_col_oov_buckets,
            max_rows_in_memory,
        )

    return initialize


def _load_and_remap_matrix(
    ckpt_path: str | Sequence[str],
    old_tensor_name: str,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Callable[..., Any],
    old_row_vocab_size: int = -1,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Tensor:
    """Some rows of the matrix that `load_and_remap_matrix_initializer` gives; arguments as there.

    Args:
        new_row_vocab_offset: the first of the rows, in the new vocabulary.
        num_rows_to_load: how many.

    Raises:
        ValueError: for numbers of buckets below 0, one vocabulary without the other, or none at all.
    """
    for name, buckets in (("num_row_oov_buckets", num_row_oov_buckets), ("num_col_oov_buckets", num_col_oov_buckets)):
        if buckets < 0:
            raise ValueError(f"{name} must be >= 0, but received {buckets}")
    _both("row", old_row_vocab_file, new_row_vocab_file)
    _both("col", old_col_vocab_file, new_col_vocab_file)
    if not (new_row_vocab_file or new_col_vocab_file):
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, consider using "
            "`tf.contrib.framework.init_from_checkpoint` instead."
        )
    rows: int = num_rows_to_load
    columns: int = new_col_vocab_size
    column_places: list[Any] = []
    if new_row_vocab_file:
        row_places, rows = raw.GenerateVocabRemapping(
            new_row_vocab_file,
            old_row_vocab_file,
            new_vocab_offset=new_row_vocab_offset,
            num_new_vocab=num_rows_to_load,
            old_vocab_size=old_row_vocab_size,
        )
    else:
        row_places = range_of(new_row_vocab_offset, new_row_vocab_offset + num_rows_to_load, dtype=int64)
    if new_col_vocab_file:
        column_places, columns = raw.GenerateVocabRemapping(
            new_col_vocab_file, old_col_vocab_file, new_vocab_offset=0, num_new_vocab=new_col_vocab_size
        )
    missing = initializer([num_rows_to_load * new_col_vocab_size - rows * columns, 1])
    matrix = raw.LoadAndRemapMatrix(
        ckpt_path,
        old_tensor_name,
        row_places,
        column_places,
        missing,
        num_rows=num_rows_to_load,
        num_cols=new_col_vocab_size,
        max_rows_in_memory=max_rows_in_memory,
    )
    if num_row_oov_buckets:
        matrix = composing.concat(
            [matrix, convert_to_tensor(initializer([num_row_oov_buckets, new_col_vocab_size]))], 0
        )
    if num_col_oov_buckets:
        more = convert_to_tensor(initializer([num_rows_to_load + num_row_oov_buckets, num_col_oov_buckets]))
        matrix = composing.concat([matrix, more], 1)
    return matrix


def _both(what: str, old: str | None, new: str | None) -> None:
    if bool(old) != bool(new):
        raise ValueError(
            f"old_{what}_vocab_file and new_{what}_vocab_file must both be specified or left unspecified. "
            f"old_{what}_vocab_file='{old}', new_{what}_vocab_file='{new}'"
        )


def load_embedding_initializer(
    ckpt_path: str,
    embedding_tensor_name: str,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: str,
    new_vocab_file: str,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: InitializerLike | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer of an embedding that takes over the rows of the words that a checkpoint knows.

    Args:
        ckpt_path: the checkpoint.
        embedding_tensor_name: the embedding in it.
        new_vocab_size, embedding_dim: the size of the embedding.
        old_vocab_file, new_vocab_file: the vocabularies, a word a line.
        old_vocab_size, num_oov_buckets, max_rows_in_memory: as in `load_and_remap_matrix_initializer`.
        initializer: what gives new words their values; a truncated normal of standard deviation
            1 / sqrt(embedding_dim) by default.
    """
    if initializer is None:
        initializer = truncated_normal_initializer(stddev=1.0 / math.sqrt(embedding_dim))
    return load_and_remap_matrix_initializer(
        ckpt_path,
        embedding_tensor_name,
        new_row_vocab_size=new_vocab_size,
        new_col_vocab_size=embedding_dim,
        old_row_vocab_size=old_vocab_size,
        old_row_vocab_file=old_vocab_file,
        new_row_vocab_file=new_vocab_file,
        num_row_oov_buckets=num_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: str,
    num_class_oov_buckets: int = 0,
    initializer: InitializerLike | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer of the biases of classes, one a row; arguments as in `load_embedding_initializer`."""
    return load_and_remap_matrix_initializer(
        ckpt_path,
        bias_tensor_name,
        new_row_vocab_size=new_class_vocab_size,
        new_col_vocab_size=1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: PartitionInfo,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: InitializerLike | None = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer of the slot of a part of a variable.

    Args:
        primary_partition_info: which part of the whole it belongs to.
        ckpt_path, old_tensor_name, and all others: as in `load_and_remap_matrix_initializer`.
    """
    initialize = load_and_remap_matrix_initializer(
        ckpt_path,
        old_tensor_name,
        new_row_vocab_size,
        new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def slot(shape: Sequence[int], dtype: DType = float32, partition_info: Any = None) -> Tensor:
        # A slot knows nothing of partitions; it lies where its variable does.
        return initialize(shape, dtype, partition_info=primary_partition_info)

    return slot


_load_and_remap_matrix_initializer = load_and_remap_matrix_initializer
_load_embedding_initializer = load_embedding_initializer
