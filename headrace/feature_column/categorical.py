"""Columns of classes: hashed, by a vocabulary, by their numbers, with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import DType, as_dtype, float32, int64, string
from headrace.core.registry import raw
from headrace.feature_column.base import (
    CategoricalColumn,
    IdWeightPair,
    Read,
    StateManager,
    check_key,
    check_string_or_integer,
    column_dtype,
    to_sparse_and_drop,
)
from headrace.feature_column.legacy import LegacyFeatureColumn
from headrace.files import file_io
from headrace.functions.flow.checks import assert_greater_equal, assert_less
from headrace.functions.parsing.features import VarLenFeature
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape
from headrace.lookup.vocabularies import index_table_from_file, index_table_from_tensor
from headrace.ops.array.fill import fill
from headrace.ops.array.where import where_v2
from headrace.ops.math.cast import cast
from headrace.ops.string.conversion import as_string
from headrace.ops.string.hashing import string_to_hash_bucket_fast
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class _OfKey(CategoricalColumn):
    """A column of the classes that one feature names."""

    key: str
    _dtype_in_files: DType

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def parents(self) -> list[Any]:
        """The key."""
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of any number of values."""
        return {self.key: VarLenFeature(self._file_dtype())}

    def _file_dtype(self) -> DType:
        return self.dtype  # type: ignore[attr-defined]  # a field of those that have one

    def _transformed(self, read: Read, state_manager: StateManager | None) -> SparseTensor:
        return self._classes(to_sparse_and_drop(read(self.key)), state_manager)

    def _classes(self, values: SparseTensor, state_manager: StateManager | None) -> SparseTensor:
        raise NotImplementedError

    def _check_dtype(self, values: SparseTensor) -> None:
        check_string_or_integer(values.dtype, prefix=f"column_name: {self.key} input_tensor")
        if self._file_dtype().is_integer != values.dtype.is_integer:
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: "
                f"{self._file_dtype()}, tensor dtype: {values.dtype}"
            )


class _HashedFields(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: DType


class HashedCategoricalColumn(_OfKey, _HashedFields):
    """Classes by the hash of their name; made by `categorical_column_with_hash_bucket`."""

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def _classes(self, values: SparseTensor, state_manager: StateManager | None) -> SparseTensor:
        self._check_dtype(values)
        names = values.values if self.dtype == string else as_string(values.values)
        ids = string_to_hash_bucket_fast(names, self.hash_bucket_size, name="lookup")
        return SparseTensor(values.indices, ids, values.dense_shape)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = string
) -> HashedCategoricalColumn:
    """A column of classes by the hash of their names, for when there are many and no list of them.

    Args:
        key: the key of the feature.
        hash_bucket_size: how many buckets there are; classes in one bucket are one.
        dtype: string or an integer type.

    Raises:
        ValueError: for less than 1 bucket, or another type.

    Example:
        >>> words = tf.feature_column.categorical_column_with_hash_bucket("words", 1000)
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    dtype = column_dtype(dtype, f"column_name: {key}")
    check_string_or_integer(dtype, prefix=f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class _VocabularyFileFields(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int


class _ByTable(_OfKey):
    """Classes that a table knows."""

    def _table(self, key_dtype: DType) -> Any:
        raise NotImplementedError

    def _classes(self, values: SparseTensor, state_manager: StateManager | None) -> SparseTensor:
        self._check_dtype(values)
        key_dtype = self._file_dtype()
        if values.dtype.is_integer:
            # Tables have keys of int64 only.
            key_dtype = int64
            values = SparseTensor(values.indices, cast(values.values, int64), values.dense_shape)
        if state_manager is None:
            return self._table(key_dtype).lookup(values)
        name = f"{self.key}_lookup"
        if not state_manager.has_resource(self, name):
            state_manager.add_resource(self, name, self._table(key_dtype))
        return state_manager.get_resource(self, name).lookup(values)


class VocabularyFileCategoricalColumn(_ByTable, _VocabularyFileFields):
    """Classes by their line in a file; made by `categorical_column_with_vocabulary_file`."""

    @property
    def num_buckets(self) -> int:
        """The number of words, and of buckets for others."""
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, key_dtype: DType) -> Any:
        return index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = string,
) -> VocabularyFileCategoricalColumn:
    """A column of classes by their line in a file.

    Args:
        key: the key of the feature.
        vocabulary_file: the file, a word a line.
        vocabulary_size: how many of its words count; all by default.
        num_oov_buckets: for how many hashes of other words there are classes.
        default_value: the class of other words: -1 by default, which is none. Not together with buckets.
        dtype: string or an integer type.

    Raises:
        ValueError: if the file is missing, a number is out of range, or both ways for other words are asked for.

    Example:
        >>> with open("states.txt", "w") as file:
        ...     file.write("Ohio\\nTexas\\n")
        >>> tf.feature_column.categorical_column_with_vocabulary_file("state", "states.txt", num_oov_buckets=5)
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not file_io.file_exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist: {vocabulary_file}.")
        vocabulary_size = len(file_io.read_file_to_string(vocabulary_file, binary_mode=True).splitlines())
        tf_logging.info(
            "vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.",
            vocabulary_size,
            key,
            vocabulary_file,
        )
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_others(key, num_oov_buckets, default_value)
    dtype = column_dtype(dtype, f"column_name: {key}")
    check_string_or_integer(dtype, prefix=f"column_name: {key}")
    check_key(key)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
    )


def categorical_column_with_vocabulary_file_v2(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
) -> VocabularyFileCategoricalColumn:
    """A column of classes by their line in a file, with the order of arguments of TensorFlow 2.

    Args:
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets: as of
            `tf.feature_column.categorical_column_with_vocabulary_file`.
    """
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )


def _check_others(key: str, num_oov_buckets: int, default_value: int | None) -> None:
    if not num_oov_buckets:
        return
    if default_value is not None:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


class _VocabularyListFields(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_ByTable, _VocabularyListFields):
    """Classes by their place in a list; made by `categorical_column_with_vocabulary_list`."""

    @property
    def num_buckets(self) -> int:
        """The number of words, and of buckets for others."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, key_dtype: DType) -> Any:
        return index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list),
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=key_dtype,
            name=f"{self.key}_lookup",
        )

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A column of classes by their place in a list.

    Args:
        key: the key of the feature.
        vocabulary_list: the words, or numbers.
        dtype: string or an integer type; that of the list by default.
        default_value: the class of others; -1 is none. Not together with buckets.
        num_oov_buckets: for how many hashes of others there are classes.

    Raises:
        ValueError: if the list is empty, has a word twice or is of another type, or both ways for others are asked for.

    Example:
        >>> tf.feature_column.categorical_column_with_vocabulary_list("color", ["red", "green", "blue"])
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = as_dtype(np.array(vocabulary_list).dtype)
    if num_oov_buckets:
        _check_others(key, num_oov_buckets, None if default_value == -1 else default_value)
    check_string_or_integer(found, prefix=f"column_name: {key} vocabulary")
    wanted = found if dtype is None else column_dtype(dtype, f"column_name: {key}")
    if wanted.is_integer != found.is_integer:
        raise ValueError(f"dtype {wanted} and vocabulary dtype {found} do not match, column_name: {key}")
    check_string_or_integer(wanted, prefix=f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), wanted, default_value, num_oov_buckets)


class _IdentityFields(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_OfKey, _IdentityFields):
    """Classes that are numbers already; made by `categorical_column_with_identity`."""

    @property
    def num_buckets(self) -> int:
        """The number of classes."""
        return self.number_buckets

    def _file_dtype(self) -> DType:
        return int64

    def _classes(self, values: SparseTensor, state_manager: StateManager | None) -> SparseTensor:
        if not values.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {values.dtype}")
        ids: TensorLike = cast(values.values, int64, name="values")
        limit = cast(self.number_buckets, int64, name="num_buckets")
        zero = cast(0, int64, name="zero")
        if self.default_value is None:
            checks = [
                assert_less(
                    ids,
                    limit,
                    data=(f"A class of column {self.key!r} is not below the number of its buckets:", ids, limit),
                    name="assert_less_than_num_buckets",
                ),
                assert_greater_equal(
                    ids,
                    zero,
                    data=(f"A class of column {self.key!r} is negative:", ids),
                    name="assert_greater_or_equal_0",
                ),
            ]
            with control_dependencies(checks):
                ids = identity(ids)
        else:
            outside = raw.LogicalOr(raw.Less(ids, zero), raw.GreaterEqual(ids, limit), name="out_of_range")
            default = fill(shape(ids), cast(self.default_value, int64), name="default_values")
            ids = where_v2(outside, default, ids)
        return SparseTensor(values.indices, ids, values.dense_shape)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return self._asdict()


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """A column of classes that are numbers already.

    Args:
        key: the key of the feature.
        num_buckets: how many classes there are.
        default_value: the class of numbers beyond; None refuses them when the graph runs.

    Raises:
        ValueError: if `num_buckets` is not positive, or the default is no class.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class _WeightedFields(NamedTuple):
    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType


class WeightedCategoricalColumn(CategoricalColumn, _WeightedFields):
    """Classes with weights; made by `weighted_categorical_column`."""

    @property
    def name(self) -> str:
        """That of the classes and the key of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        """The column of the classes, and the key of the weights."""
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self) -> int:
        """That of the classes."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the classes, and of the weights."""
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(f"Parse config {self.weight_feature_key} already exists.")
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Any:
        weights = read(self.weight_feature_key)
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        if not isinstance(weights, SparseTensor):
            weights = to_sparse_and_drop(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = SparseTensor(weights.indices, cast(weights.values, float32), weights.dense_shape)
        return read(self.categorical_column), weights

    def _pair(self, read: Read) -> IdWeightPair:
        return IdWeightPair(*read(self))

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: DTypeLike = float32
) -> WeightedCategoricalColumn:
    """A column of classes with weights.

    Args:
        categorical_column: the classes.
        weight_feature_key: the key of the weights, one for each class of an example.
        dtype: the type of the weights.

    Raises:
        ValueError: if that is no type of numbers.

    Example:
        >>> terms = tf.feature_column.categorical_column_with_hash_bucket("terms", 100)
        >>> tf.feature_column.weighted_categorical_column(terms, "frequencies")
    """
    dtype = column_dtype(dtype, f"key: {weight_feature_key}")
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


def is_column(value: object) -> bool:
    """Whether a value is a feature column."""
    return isinstance(value, LegacyFeatureColumn)
