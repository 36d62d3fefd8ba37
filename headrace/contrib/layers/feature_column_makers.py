"""Making the feature columns of contrib, with their arguments checked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.feature_columns import (
    _BucketizedColumn,
    _CrossedColumn,
    _EmbeddingColumn,
    _OneHotColumn,
    _RealValuedColumn,
    _RealValuedVarLenColumn,
    _ScatteredEmbeddingColumn,
)
from headrace.contrib.layers.sparse_columns import (
    _SparseColumn,
    _SparseColumnHashed,
    _SparseColumnIntegerized,
    _SparseColumnKeys,
    _SparseColumnVocabulary,
    _SparseIdLookupConfig,
    _WeightedSparseColumn,
)
from headrace.core.attributes import check_attribute
from headrace.core.dtypes import DType, as_dtype, float32, int64, string
from headrace.state.initializers import truncated_normal_initializer

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, InitializerLike


_COMBINERS = ("mean", "sqrtn", "sum")


def _type_of(dtype: Any, column_name: str) -> DType:
    """The type given for a column, which names of types are not.

    Raises:
        AttributeError: for what has not the attributes of a type.
    """
    check_attribute(f"column {column_name}: dtype", dtype, "is_integer", "a DType")
    return as_dtype(dtype)


def _sparse(kind: type, column_name: str, dtype: DTypeLike, **settings: Any) -> Any:
    dtype = _type_of(dtype, column_name)
    if dtype != string and not dtype.is_integer:
        raise ValueError(f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}")
    size = settings.get("bucket_size")
    if size is not None and size < 1:
        raise ValueError(f"bucket_size must be at least 1. bucket_size: {size}, column_name: {column_name}")
    return kind(column_name, dtype=dtype, **settings)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: DTypeLike = int64
) -> _SparseColumn:
    """A column of ints that are class numbers.

    Args:
        column_name: the name of the feature.
        bucket_size: how many classes there are.
        combiner: how the weights of an example's classes are combined: "sum", "mean" or "sqrtn".
        dtype: an integer type.

    Raises:
        ValueError: for another type, or a size below 1.
    """
    if not _type_of(dtype, column_name).is_integer:
        raise ValueError(
            f"dtype must be an integer if is_integerized is True. dtype: {dtype}, column_name: {column_name}."
        )
    return _sparse(
        _SparseColumnIntegerized, column_name, dtype, is_integerized=True, bucket_size=bucket_size, combiner=combiner
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = string,
    hash_keys: Sequence[int | Sequence[int | str]] | None = None,
) -> _SparseColumn:
    """A column of strings or ints that are hashed to class numbers.

    Args:
        column_name: the name of the feature.
        hash_bucket_size: how many classes there are.
        combiner: how the weights of an example's classes are combined.
        dtype: string or an integer type.
        hash_keys: pairs of ints, lists in a list: a class number is made with each as the key of a strong hash.

    Raises:
        ValueError: for other keys, another type, or a size below 1.
    """
    if hash_keys is not None:
        if not isinstance(hash_keys, list) or not hash_keys:
            raise ValueError("hash_keys must be a non-empty list.")
        if not all(isinstance(p, list) and len(p) == 2 and all(isinstance(k, int) for k in p) for p in hash_keys):
            raise ValueError("Each element of hash_keys must be a pair of integers.")
    column = _sparse(_SparseColumnHashed, column_name, dtype, bucket_size=hash_bucket_size, combiner=combiner)
    column.hash_keys = hash_keys
    return column


def sparse_column_with_keys(
    column_name: str, keys: Sequence[Any], default_value: int = -1, combiner: str = "sum", dtype: DTypeLike = string
) -> _SparseColumn:
    """A column of words, numbered by their place in `keys`.

    Args:
        column_name: the name of the feature.
        keys: the words (or ints).
        default_value: the number of others; they do not count if it is -1.
        combiner: how the weights of an example's classes are combined.
        dtype: the type of the words.
    """
    keys = tuple(keys)
    config = _SparseIdLookupConfig(keys=keys, vocab_size=len(keys), default_value=default_value)
    return _sparse(_SparseColumnKeys, column_name, dtype, lookup_config=config, combiner=combiner)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = string,
) -> _SparseColumn:
    """A column of words, numbered by their line in a file.

    Args:
        column_name: the name of the feature.
        vocabulary_file: the file's name.
        num_oov_buckets: into how many more classes other words are hashed.
        vocab_size: how many of the words count.
        default_value: the number of other words without such classes.
        combiner: how the weights of an example's classes are combined.
        dtype: string or an integer type.

    Raises:
        ValueError: without `vocab_size`.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    config = _SparseIdLookupConfig(vocabulary_file, None, num_oov_buckets, vocab_size, default_value)
    return _sparse(_SparseColumnVocabulary, column_name, dtype, lookup_config=config, combiner=combiner)


def weighted_sparse_column(
    sparse_id_column: _SparseColumn, weight_column_name: str, dtype: DTypeLike = float32
) -> _WeightedSparseColumn:
    """A column of classes with weights.

    Args:
        sparse_id_column: the column of classes.
        weight_column_name: the name of the feature with their weights.
        dtype: a type of numbers.

    Raises:
        ValueError: for another type.
    """
    dtype = _type_of(dtype, weight_column_name)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column: _SparseColumn | _WeightedSparseColumn | _CrossedColumn) -> _OneHotColumn:
    """A column of classes as a vector for deep models."""
    return _OneHotColumn(sparse_id_column)


def _embedding(
    column: Any,
    dimension: int,
    combiner: str,
    initializer: InitializerLike | None,
    checkpoint: str | None,
    tensor: str | None,
    **settings: Any,
) -> _EmbeddingColumn:
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. Embedding of column_name: {column.name}")
    if (checkpoint is None) != (tensor is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is None:
        initializer = truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(column.length))
    return _EmbeddingColumn(column, dimension, combiner, initializer, checkpoint, tensor, **settings)


def embedding_column(
    sparse_id_column: _SparseColumn | _WeightedSparseColumn | _CrossedColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> _EmbeddingColumn:
    """A column of classes as learned vectors for deep models.

    Args:
        sparse_id_column: the column of classes.
        dimension: the size of the vectors.
        combiner: how those of an example are combined.
        initializer: of the vectors; truncated normal by default.
        ckpt_to_load_from, tensor_name_in_ckpt: a checkpoint and a tensor with which to begin instead.
        max_norm: the largest norm of a vector.
        trainable: whether they are learned.

    Raises:
        ValueError: for an initializer that cannot be called, or one of the two of a checkpoint.
    """
    return _embedding(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm=max_norm,
        trainable=trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Sequence[_EmbeddingColumn]:
    """Columns of the same classes that share their vectors. Arguments as of `embedding_column`.

    Raises:
        TypeError: if the columns are no list of columns of classes. ValueError: if there are none, or of other classes.
    """
    if isinstance(sparse_id_columns, str) or not isinstance(sparse_id_columns, Sequence):
        kind = type(sparse_id_columns)
        raise TypeError(f"sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type {kind}.")
    if not sparse_id_columns:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in sparse_id_columns:
        if not isinstance(column, (_SparseColumn, _WeightedSparseColumn)):
            raise TypeError(
                f"Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, but {column} is not."
            )
    first = sparse_id_columns[0]
    alone = len(sparse_id_columns) == 1
    if not all(first.is_compatible(column) for column in sparse_id_columns[1:]):
        raise ValueError("The input sparse id columns are not compatible.")
    if not alone and not shared_embedding_name:
        ordered = sorted(sparse_id_columns, key=lambda c: (isinstance(c, _WeightedSparseColumn), c.name))
        names = [column.name for column in ordered]
        more = [f"plus_{len(names) - 3}_others"] if len(names) > 3 else []
        shared_embedding_name = "_".join([*names[:3], *more, "shared_embedding"])
    columns = [
        _embedding(
            column,
            dimension,
            combiner,
            initializer,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm=max_norm,
            trainable=trainable,
            shared_embedding_name=shared_embedding_name,
            shared_vocab_size=None if alone else first.length,
        )
        for column in sparse_id_columns
    ]
    return columns if alone else tuple(columns)


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int | None,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
) -> _ScatteredEmbeddingColumn:
    """A column of strings as vectors without a vocabulary: see `scattered_embedding_lookup_sparse`.

    Args:
        column_name: the name of the feature.
        size: how many numbers are learned in all.
        dimension: the size of the vectors.
        hash_key: the key of the hash.
        combiner: how those of an example are combined.
        initializer: of the numbers.

    Raises:
        ValueError: for sizes that are not positive, or another combiner.
    """
    if dimension < 1 or size < 1:
        raise ValueError(
            f"Dimension and size must be greater than 0. dimension: {dimension}, size: {size}, column_name: {column_name}"
        )
    if combiner not in _COMBINERS:
        raise ValueError(
            f"Combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: {combiner}, column_name: {column_name}"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. column_name: {column_name}")
    initializer = initializer or truncated_normal_initializer(mean=0.0, stddev=0.1)
    return _ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: DTypeLike = float32,
    normalizer: Callable[..., Any] | None = None,
) -> _RealValuedColumn:
    """A column of numbers.

    Args:
        column_name: the name of the feature.
        dimension: how many numbers an example has.
        default_value: a number or a list of them for examples without the feature.
        dtype: a type of numbers.
        normalizer: a function the numbers go through first.

    Raises:
        TypeError: if the dimension is no int, or the default of another type. ValueError: for one that is not positive,
            another type, or a default of another length.
    """
    if not isinstance(dimension, int):
        raise TypeError(f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}")
    if dimension < 1:
        raise ValueError(f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}")
    dtype = _type_of(dtype, column_name)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")
    default = default_value
    if default is not None:
        values = list(default) if isinstance(default, (list, tuple)) else [default] * dimension
        if len(values) != dimension:
            raise ValueError(
                f"The length of default_value must be equal to dimension. default_value: {default_value}, dimension: "
                f"{dimension}, column_name: {column_name}"
            )
        accepted = (int, float) if dtype.is_floating else (int,)
        if not all(isinstance(value, accepted) for value in values):
            raise TypeError(
                f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, "
                f"column_name: {column_name}"
            )
        default = tuple(float(v) if dtype.is_floating else int(v) for v in values)
    return _RealValuedColumn(column_name, dimension, default, dtype, normalizer)


def _real_valued_var_len_column(
    column_name: str,
    default_value: Any = None,
    dtype: DType = float32,
    normalizer: Callable[..., Any] | None = None,
    is_sparse: bool = False,
) -> _RealValuedVarLenColumn:
    """A column of any number of numbers.

    Args:
        column_name: the name of the feature.
        default_value: the number with which examples are padded; needed unless `is_sparse`.
        dtype: a type of numbers.
        normalizer: a function the numbers go through first.
        is_sparse: whether the feature is a SparseTensor rather than padded.

    Raises:
        TypeError: for another type. ValueError: without a default value where it is needed, or for a list of them.
    """
    dtype = _type_of(dtype, column_name)
    if not (dtype.is_integer or dtype.is_floating):
        raise TypeError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")
    if default_value is None and not is_sparse:
        raise ValueError(
            f"default_value must be provided when is_sparse=False to parse a padded Tensor. column_name: {column_name}"
        )
    if isinstance(default_value, list):
        raise ValueError(f"Only scalar default value. default_value: {default_value}, column_name: {column_name}")
    if default_value is not None:
        default_value = int(default_value) if dtype.is_integer else float(default_value)
    return _RealValuedVarLenColumn(column_name, default_value, dtype, normalizer, is_sparse)


def bucketized_column(source_column: _RealValuedColumn, boundaries: Sequence[float]) -> _BucketizedColumn:
    """A column of numbers as classes: below the first boundary, up to the second, and so on.

    Raises:
        TypeError: if the source is no column of numbers. ValueError: if the boundaries are none or not in order.
    """
    if not isinstance(source_column, _RealValuedColumn):
        raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")
    ordered = [b for i, b in enumerate(boundaries) if i == len(boundaries) - 1 or b != boundaries[i + 1]]
    if any(a > b for a, b in itertools.pairwise(ordered)):
        raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
    return _BucketizedColumn(source_column, tuple(ordered))


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> _CrossedColumn:
    """A column of the combinations of others.

    Args:
        columns: columns of classes, buckets or other crosses, at least two.
        hash_bucket_size: how many classes the combinations are hashed to.
        combiner: how the weights of an example's classes are combined.
        ckpt_to_load_from, tensor_name_in_ckpt: a checkpoint and a tensor with which the weights begin.
        hash_key: the key of the hash; the older one without.

    Raises:
        TypeError: for another column. ValueError: for fewer than two columns or classes.
    """
    for column in columns:
        if not isinstance(column, (_SparseColumn, _CrossedColumn, _BucketizedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn instances. (column "
                f"{column} is a {type(column).__name__})"
            )
    if len(columns) < 2:
        raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
    if hash_bucket_size < 2:
        raise ValueError(f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    ordered = tuple(sorted(columns, key=lambda column: column.name))
    return _CrossedColumn(ordered, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt)
