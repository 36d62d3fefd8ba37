"""The feature columns of contrib that are numbers, and those made of other columns: one-hot vectors, embeddings, buckets
and crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.layers.column_base import (
    _DeepEmbeddingLookupArguments,
    _FeatureColumn,
    _LinearEmbeddingLookupArguments,
    _needed,
    _reshape_real_valued_tensor,
)
from headrace.contrib.layers.core_columns import _CoreCategoricalColumn, _CoreDenseColumn, _CoreEmbeddingColumn
from headrace.contrib.layers.feature_cross import bucketize, sparse_feature_cross
from headrace.contrib.layers.shaping import _inner_flatten
from headrace.contrib.layers.sparse_columns import _Categories, _SparseColumn
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, float32, int32, int64, string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from headrace.functions.sparse.building import sparse_merge, sparse_tensor_to_dense
from headrace.kernels import composing
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.ops.sparse.slice import sparse_slice
from headrace.state.initializers import zeros_initializer

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


class _OneHotFields(NamedTuple):
    sparse_id_column: Any


class _OneHotColumn(_CoreDenseColumn, _FeatureColumn, _OneHotFields):
    """Classes as a vector with an element for each: how often it comes, or its weight."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.sparse_id_column.length

    @property
    def _row_size(self) -> int:
        return self.length

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        columns_to_tensors[self] = _needed(columns_to_tensors, self.sparse_id_column)

    def _to_dnn_input_layer(
        self,
        input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
        weight_collections: CollectionNames | None = None,
        trainable: bool = False,
        output_rank: int = 2,
    ) -> Tensor:
        ids = _inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is not None:
            merged = sparse_merge(ids, weights, self.length)
            # Ids below 0 stand for words not in the vocabulary.
            merged = sparse_slice(merged, composing.zeros_like(merged.dense_shape), merged.dense_shape)
            flat = sparse_tensor_to_dense(merged)
            outer = composing.shape(flat)[:-1]
            return raw.Reshape(flat, composing.concat([outer, [self.length]], 0))
        numbers = sparse_tensor_to_dense(ids, default_value=-1)
        hot = one_hot(numbers, depth=self.length, on_value=1.0, off_value=0.0)
        return reduce_sum(hot, axis=[output_rank - 1])


class _EmbeddingFields(NamedTuple):
    sparse_id_column: Any
    dimension: int
    combiner: str = "mean"
    initializer: Any = None
    ckpt_to_load_from: str | None = None
    tensor_name_in_ckpt: str | None = None
    shared_embedding_name: str | None = None
    shared_vocab_size: int | None = None
    max_norm: float | None = None
    trainable: bool = True


class _EmbeddingColumn(_CoreEmbeddingColumn, _FeatureColumn, _EmbeddingFields):
    """Classes as vectors that are learned."""

    __slots__ = ()

    @property
    def name(self) -> str:
        shared = "embedding" if self.shared_embedding_name is None else "shared_embedding"
        return f"{self.sparse_id_column.name}_{shared}"

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.sparse_id_column.length if self.shared_vocab_size is None else self.shared_vocab_size

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def key(self) -> str:
        return self._key_without_properties(["initializer"])

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        columns_to_tensors[self] = _needed(columns_to_tensors, self.sparse_id_column)

    def _deep_embedding_lookup_arguments(
        self, input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor]
    ) -> _DeepEmbeddingLookupArguments:
        return _DeepEmbeddingLookupArguments(
            input_tensor=self.sparse_id_column.id_tensor(input_tensor),
            weight_tensor=self.sparse_id_column.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=self.shared_embedding_name,
            hash_key=None,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor]) -> Any:
        raise ValueError(f"Column {self} is not supported in linear models. Please use sparse_column.")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt


class _ScatteredFields(NamedTuple):
    column_name: str
    size: int
    dimension: int
    hash_key: int | None
    combiner: str = "sqrtn"
    initializer: Any = None


class _ScatteredEmbeddingColumn(_CoreEmbeddingColumn, _FeatureColumn, _ScatteredFields):
    """Strings as vectors whose elements are taken from one learned vector by a hash."""

    __slots__ = ()

    _is_scattered = True

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: VarLenFeature(string)}

    @property
    def key(self) -> str:
        return self._key_without_properties(["initializer"])

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        columns_to_tensors[self] = columns_to_tensors[self.column_name]

    def _deep_embedding_lookup_arguments(
        self, input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor]
    ) -> _DeepEmbeddingLookupArguments:
        return _DeepEmbeddingLookupArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=None,
            hash_key=self.hash_key,
            max_norm=None,
            trainable=True,
        )


class _VarLenFields(NamedTuple):
    column_name: str
    default_value: Any
    dtype: DType
    normalizer: Callable[[Tensor], Tensor] | None
    is_sparse: bool


class _RealValuedVarLenColumn(_FeatureColumn, _VarLenFields):
    """A feature of any number of numbers, sparse or padded."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def config(self) -> dict[str, Any]:
        if self.is_sparse:
            return {self.column_name: VarLenFeature(self.dtype)}
        return {self.column_name: FixedLenSequenceFeature([], self.dtype, True, self.default_value)}

    @property
    def key(self) -> str:
        return self._key_without_properties(["normalizer"])

    @property
    def normalizer_fn(self) -> Callable[[Tensor], Tensor] | None:
        """What the numbers go through first."""
        return self.normalizer

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        found = columns_to_tensors[self.column_name]
        if self.normalizer is not None and self.is_sparse:
            found = SparseTensor(found.indices, self.normalizer(found.values), found.dense_shape)
        elif self.normalizer is not None:
            found = self.normalizer(found)
        columns_to_tensors[self] = cast(found, float32)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        return _reshape_real_valued_tensor(self._to_dense_tensor(input_tensor), output_rank, self.name)

    def _to_dense_tensor(self, input_tensor: Tensor) -> Tensor:
        if self.is_sparse:
            raise ValueError(f"Set is_sparse to False if you want a dense Tensor for column_name: {self.name}")
        return input_tensor


class _RealFields(NamedTuple):
    column_name: str
    dimension: int
    default_value: Any
    dtype: DType
    normalizer: Callable[[Tensor], Tensor] | None


class _RealValuedColumn(_CoreDenseColumn, _FeatureColumn, _RealFields):
    """A feature of `dimension` numbers."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def config(self) -> dict[str, Any]:
        default = self.default_value
        default = None if default is None else list(default)
        return {self.column_name: FixedLenFeature([self.dimension], self.dtype, default)}

    @property
    def _row_size(self) -> int:
        return self.dimension

    @property
    def key(self) -> str:
        return self._key_without_properties(["normalizer"])

    @property
    def normalizer_fn(self) -> Callable[[Tensor], Tensor] | None:
        """What the numbers go through first."""
        return self.normalizer

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        found = columns_to_tensors[self.column_name]
        columns_to_tensors[self] = cast(found if self.normalizer is None else self.normalizer(found), float32)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        return _reshape_real_valued_tensor(cast(input_tensor, float32), output_rank, self.name)

    def _to_dense_tensor(self, input_tensor: Tensor) -> Tensor:
        return input_tensor


class _BucketizedFields(NamedTuple):
    source_column: _RealValuedColumn
    boundaries: tuple[float, ...]


class _BucketizedColumn(_CoreDenseColumn, _CoreCategoricalColumn, _FeatureColumn, _BucketizedFields):
    """Numbers as the class of the bucket in which they fall."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """How many buckets a number has."""
        return len(self.boundaries) + 1

    @property
    def _row_size(self) -> int:
        return self.length * self.source_column.dimension

    @property
    def _num_buckets(self) -> int:
        return self._row_size

    def id_tensor(self, input_tensor: Any) -> SparseTensor:
        """The buckets as class numbers."""
        return self.to_sparse_tensor(input_tensor)

    def weight_tensor(self, input_tensor: Any) -> None:
        """None: buckets have no weights."""

    @property
    def config(self) -> dict[str, Any]:
        return self.source_column.config

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        numbers = _needed(columns_to_tensors, self.source_column)
        columns_to_tensors[self] = bucketize(numbers, list(self.boundaries), name="bucketize")

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        if output_rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        hot = one_hot(cast(input_tensor, int64), self.length, 1.0, 0.0, name="one_hot")
        return raw.Reshape(hot, [-1, self.length * self.source_column.dimension], name="reshape")

    def to_sparse_tensor(self, input_tensor: Tensor) -> SparseTensor:
        """The buckets as class numbers: those of each further number of an example after those of the one before."""
        dimension, batch = self.source_column.dimension, composing.shape(input_tensor, name="shape")[0]
        if dimension > 1:
            each = composing.expand_dims(composing.range_(0, batch), 1, name="expand_dims")
            rows = raw.Reshape(raw.Tile(each, [1, dimension], name="tile"), [-1], name="reshape")
            columns = raw.Tile(composing.range_(0, dimension), composing.stack([batch]), name="tile")
            numbers = raw.Reshape(input_tensor, [-1], name="reshape") + self.length * columns
        else:
            rows = composing.range_(0, batch)
            columns = zeros([batch], int32, name="zeros")
            numbers = raw.Reshape(input_tensor, [-1], name="reshape")
        indices = cast(composing.transpose(composing.stack([rows, columns])), int64)
        shape = cast(composing.stack([batch, dimension]), int64)
        return SparseTensor(indices, numbers, shape)

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> _LinearEmbeddingLookupArguments:
        ids = self.to_sparse_tensor(input_tensor)
        size = self.length * self.source_column.dimension
        return _LinearEmbeddingLookupArguments(ids, None, size, zeros_initializer(), "sum")


class _CrossedFields(NamedTuple):
    columns: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str = "sum"
    ckpt_to_load_from: str | None = None
    tensor_name_in_ckpt: str | None = None


class _CrossedColumn(_Categories, _CrossedFields):
    """Combinations of the classes of several columns, hashed."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        return self.hash_bucket_size

    @property
    def config(self) -> dict[str, Any]:
        return {key: value for column in self.columns for key, value in column.config.items()}

    def leaves(self) -> list[Any]:
        """The columns that are crossed, those of crosses among them in their places."""
        return [leaf for c in self.columns for leaf in (c.leaves() if isinstance(c, _CrossedColumn) else [c])]

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        parts = []
        for leaf in self.leaves():
            if isinstance(leaf, _SparseColumn):
                parts.append(_needed(columns_to_tensors, leaf.name))
            else:
                parts.append(leaf.to_sparse_tensor(_needed(columns_to_tensors, leaf)))
        columns_to_tensors[self] = sparse_feature_cross(
            parts, hashed_output=True, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
        )

    def _to_dnn_input_layer(
        self,
        input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        raise ValueError(f"CrossedColumn is not supported in DNN. Please use embedding_column. column: {self}")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt
