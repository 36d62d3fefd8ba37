"""Feature columns of classes: words, hashed words and numbers, with or without weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.layers.column_base import (
    _FeatureColumn,
    _LinearEmbeddingLookupArguments,
    _reshape_real_valued_tensor,
)
from headrace.contrib.layers.core_columns import _CoreCategoricalColumn
from headrace.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, float32, string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.parsing.features import VarLenFeature
from headrace.functions.sparse.join import sparse_concat
from headrace.lookup.vocabularies import index_table_from_file, index_table_from_tensor
from headrace.ops.math.cast import cast
from headrace.ops.string.conversion import as_string
from headrace.ops.string.hashing import string_to_hash_bucket_fast, string_to_hash_bucket_strong
from headrace.state.initializers import zeros_initializer
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, Nested, TensorLike


class _SparseIdLookupConfig(NamedTuple):
    """The words of a column, given as such or in a file."""

    vocabulary_file: str | None = None
    keys: tuple[Any, ...] | None = None
    num_oov_buckets: int = 0
    vocab_size: int | None = None
    default_value: int = -1


class _SparseFields(NamedTuple):
    column_name: str
    is_integerized: bool = False
    bucket_size: int | None = None
    lookup_config: _SparseIdLookupConfig | None = None
    combiner: str = "sum"
    dtype: DType = string


class _Categories(_CoreCategoricalColumn, _FeatureColumn):
    """The base of columns of class numbers, as a SparseTensor (with weights: as a pair of them)."""

    combiner: str

    def id_tensor(self, input_tensor: Any) -> SparseTensor:
        """The class numbers in the column's tensor."""
        return input_tensor

    def weight_tensor(self, input_tensor: TensorLike) -> SparseTensor | None:
        """The weights in the column's tensor."""
        return None

    def _to_dnn_input_layer(
        self,
        input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        kind = "SparseColumn" if isinstance(self, _SparseColumn) else type(self).__name__.lstrip("_")
        raise ValueError(
            f"{kind} is not supported in DNN. Please use embedding_column or one_hot_column. column: {self}"
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> _LinearEmbeddingLookupArguments:
        ids, weights = self.id_tensor(input_tensor), self.weight_tensor(input_tensor)
        return _LinearEmbeddingLookupArguments(ids, weights, self.length, zeros_initializer(), self.combiner)


class _SparseColumn(_Categories, _SparseFields):
    """Classes given by a feature of any number of strings or ints."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def length(self) -> int:
        size = self.bucket_size
        if size is None and self.lookup_config is not None:
            size = (self.lookup_config.vocab_size or 0) + self.lookup_config.num_oov_buckets
        return size or 0

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: VarLenFeature(self.dtype)}

    def is_compatible(self, other_column: Any) -> bool:
        """Whether the columns can share vectors."""
        if self.lookup_config and other_column.lookup_config:
            return self.lookup_config == other_column.lookup_config
        same = self.length == other_column.length and (
            self.dtype == other_column.dtype or (self.dtype.is_integer and other_column.dtype.is_integer)
        )
        if same:
            tf_logging.warn("Column %s and %s may not have the same vocabulary.", self.name, other_column.name)
        return same

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        found = columns_to_tensors[self.column_name]
        if not isinstance(found, SparseTensor):
            nothing = "" if found.dtype == string else -1
            found = dense_to_sparse_tensor(_reshape_real_valued_tensor(found, 2, self.name), ignore_value=nothing)
        columns_to_tensors[self] = self._numbered(found)

    def _numbered(self, found: SparseTensor) -> SparseTensor:
        raise NotImplementedError(f"{type(self).__name__} gives no numbers")


class _SparseColumnIntegerized(_SparseColumn):
    """Ints that are class numbers."""

    __slots__ = ()

    def _numbered(self, found: SparseTensor) -> SparseTensor:
        return SparseTensor(found.indices, raw.FloorMod(found.values, self.bucket_size, name="mod"), found.dense_shape)


class _SparseColumnHashed(_SparseColumn):
    """Strings or ints, hashed: once, or once with each of several keys."""

    hash_keys: list[list[int]] | None = None

    def _numbered(self, found: SparseTensor) -> SparseTensor:
        words = as_string(found.values) if self.dtype.is_integer else found.values
        if not self.hash_keys:
            numbers = string_to_hash_bucket_fast(words, self.bucket_size or 0, name="lookup")
            return SparseTensor(found.indices, numbers, found.dense_shape)
        hashed = [string_to_hash_bucket_strong(words, self.bucket_size or 0, key) for key in self.hash_keys]
        parts = [SparseTensor(found.indices, numbers, found.dense_shape) for numbers in hashed]
        return sparse_concat(axis=1, sp_inputs=parts, name="lookup")


class _SparseColumnKeys(_SparseColumn):
    """Words of a list."""

    __slots__ = ()

    def _numbered(self, found: SparseTensor) -> SparseTensor:
        config: Any = self.lookup_config
        table = index_table_from_tensor(
            list(config.keys), default_value=config.default_value, dtype=self.dtype, name="lookup"
        )
        return table.lookup(found)


class _SparseColumnVocabulary(_SparseColumn):
    """Words of a file."""

    __slots__ = ()

    def _numbered(self, found: SparseTensor) -> SparseTensor:
        config: Any = self.lookup_config
        if self.dtype.is_integer:
            found = SparseTensor(found.indices, as_string(found.values), found.dense_shape)
        table = index_table_from_file(
            config.vocabulary_file,
            num_oov_buckets=config.num_oov_buckets,
            vocab_size=config.vocab_size,
            default_value=config.default_value,
            name=f"{self.column_name}_lookup",
        )
        return table.lookup(found)


class _WeightedFields(NamedTuple):
    sparse_id_column: Any
    weight_column_name: str
    dtype: DType


class _WeightedSparseColumn(_Categories, _WeightedFields):
    """Classes with weights that another feature gives."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    @property
    def combiner(self) -> str:  # type: ignore[override]  # a field of other columns
        return self.sparse_id_column.combiner

    @property
    def lookup_config(self) -> Any:
        """That of the column of classes."""
        return self.sparse_id_column.lookup_config

    @property
    def config(self) -> dict[str, Any]:
        return {**self.sparse_id_column.config, self.weight_column_name: VarLenFeature(self.dtype)}

    def id_tensor(self, input_tensor: Any) -> SparseTensor:
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> SparseTensor | None:
        return input_tensor[1]

    def is_compatible(self, other_column: Nested[Tensor]) -> bool:
        """Whether the columns can share vectors."""
        if isinstance(other_column, _WeightedSparseColumn):
            other_column = other_column.sparse_id_column
        return self.sparse_id_column.is_compatible(other_column)

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        if self.sparse_id_column not in columns_to_tensors:
            self.sparse_id_column.insert_transformed_feature(columns_to_tensors)
        weights = columns_to_tensors[self.weight_column_name]
        if not isinstance(weights, SparseTensor):
            weights = dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = cast(weights, float32)
        columns_to_tensors[self] = (columns_to_tensors[self.sparse_id_column], weights)
