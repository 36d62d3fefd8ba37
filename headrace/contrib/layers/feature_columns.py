"""The feature columns of contrib: what a feature of an example is, and what models make of it.

A column says how its feature is read from examples (`config`), what tensor it becomes (`transform`), and one or both of
how deep models see it (`dense` or an embedding) and how linear ones do (`ids` with weights, or `dense`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headrace.contrib.layers.feature_cross import bucketize, sparse_feature_cross
from headrace.contrib.layers.shaping import inner_flatten
from headrace.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, float32, int32, int64, string
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.lookup.functions import index_table_from_file, index_table_from_tensor
from headrace.ops import composing
from headrace.ops.array.fill import zeros
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.ops.math.reduction import reduce_sum
from headrace.ops.parsing.features import FixedLenFeature, VarLenFeature
from headrace.ops.sparse.building import sparse_merge, sparse_tensor_to_dense


class Lookup(NamedTuple):
    """Ids into a table of weights, [batch, any], and how those of a row are combined."""

    ids: SparseTensor
    weights: SparseTensor | None
    size: int
    combiner: str


class _FeatureColumn:
    """The base of columns."""

    @property
    def name(self) -> str:
        """The column's name, that of its variables' scope."""
        raise NotImplementedError(f"{type(self).__name__} has no name")

    @property
    def key(self) -> str:
        """What tells columns apart, and the order in which they are used."""
        return str(self)

    @property
    def config(self) -> dict[str, Any]:
        """How the feature is parsed from examples, by its name."""
        raise NotImplementedError(f"{type(self).__name__} has no config")

    def transform(self, tensors: dict[Any, Any]) -> Any:
        """The column's tensor, kept in `tensors` beside the features it is made from.

        Raises:
            KeyError: if a feature is missing.
        """
        if self not in tensors:
            tensors[self] = self._made(tensors)
        return tensors[self]

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """`transform` without the result."""
        self.transform(columns_to_tensors)

    def _made(self, tensors: dict[Any, Any]) -> Any:
        raise NotImplementedError(f"Transform is not implemented for {self}.")

    def dense(self, tensor: Any, rank: int) -> Tensor:
        """The input of a deep model, [batch, size] (rank 2) or [batch, time, size] (rank 3)."""
        raise ValueError(f"{type(self).__name__} is not supported in DNN. Please use embedding_column. column: {self}")

    def linear(self, tensor: Any) -> Lookup | None:
        """What a linear model looks up; None where it multiplies `dense_values`."""
        raise NotImplementedError(f"No wide embedding lookup arguments for column {self}.")

    def checkpoint(self) -> tuple[str, str] | None:
        """The checkpoint and tensor with which its weights begin."""
        return None


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


class _Categories(_FeatureColumn):
    """The base of columns of class numbers, as a SparseTensor (with weights: as a pair of them)."""

    combiner: str

    @property
    def length(self) -> int:
        """How many classes there are."""
        raise NotImplementedError(f"{type(self).__name__} has no length")

    def split(self, tensor: Any) -> tuple[SparseTensor, SparseTensor | None]:
        """Ids and weights of what `transform` gave."""
        return tensor, None

    def linear(self, tensor: Any) -> Lookup:
        ids, weights = self.split(tensor)
        return Lookup(ids, weights, self.length, self.combiner)


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

    def _made(self, tensors: dict[Any, Any]) -> SparseTensor:
        found = tensors[self.column_name]
        if not isinstance(found, SparseTensor):
            found = dense_to_sparse_tensor(found)
        return SparseTensor(found.indices, self._numbered(found.values), found.dense_shape)

    def _numbered(self, values: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} gives no numbers")


class _SparseColumnIntegerized(_SparseColumn):
    """Ints that are class numbers."""

    __slots__ = ()

    def _numbered(self, values: Tensor) -> Tensor:
        return raw.FloorMod(cast(values, int64), self.bucket_size, name="mod")


class _SparseColumnHashed(_SparseColumn):
    """Strings or ints, hashed."""

    __slots__ = ()

    def _numbered(self, values: Tensor) -> Tensor:
        if values.dtype != string:
            values = raw.AsString(values)
        return raw.StringToHashBucketFast(values, num_buckets=self.bucket_size, name="lookup")


class _SparseColumnKeys(_SparseColumn):
    """Words of a list."""

    __slots__ = ()

    def _numbered(self, values: Tensor) -> Tensor:
        config: Any = self.lookup_config
        table = index_table_from_tensor(
            list(config.keys), default_value=config.default_value, dtype=self.dtype, name="lookup"
        )
        return table.lookup(values)


class _SparseColumnVocabulary(_SparseColumn):
    """Words of a file."""

    __slots__ = ()

    def _numbered(self, values: Tensor) -> Tensor:
        config: Any = self.lookup_config
        if values.dtype != string:
            values = raw.AsString(values)
        table = index_table_from_file(
            config.vocabulary_file,
            num_oov_buckets=config.num_oov_buckets,
            vocab_size=config.vocab_size,
            default_value=config.default_value,
            name=f"{self.column_name}_lookup",
        )
        return table.lookup(values)


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
    def combiner(self) -> str:  # type: ignore[override]
        return self.sparse_id_column.combiner

    @property
    def lookup_config(self) -> Any:
        """That of the column of classes."""
        return self.sparse_id_column.lookup_config

    @property
    def config(self) -> dict[str, Any]:
        return {**self.sparse_id_column.config, self.weight_column_name: VarLenFeature(self.dtype)}

    def _made(self, tensors: dict[Any, Any]) -> tuple[SparseTensor, SparseTensor]:
        ids, weights = self.sparse_id_column.transform(tensors), tensors[self.weight_column_name]
        if not isinstance(weights, SparseTensor):
            # Zeros are weights too where there is an id.
            values = raw.GatherNd(weights, ids.indices)
            weights = SparseTensor(ids.indices, values, ids.dense_shape)
        if not self.dtype.is_floating:
            weights = SparseTensor(weights.indices, cast(weights.values, float32), weights.dense_shape)
        return ids, weights

    def split(self, tensor: Any) -> tuple[SparseTensor, SparseTensor | None]:
        return tensor


class _OneHotFields(NamedTuple):
    sparse_id_column: Any


class _OneHotColumn(_FeatureColumn, _OneHotFields):
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
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    def _made(self, tensors: dict[Any, Any]) -> Any:
        return self.sparse_id_column.transform(tensors)

    def dense(self, tensor: Any, rank: int) -> Tensor:
        ids, weights = self.sparse_id_column.split(tensor)
        ids = inner_flatten(ids, rank)
        if weights is not None:
            merged = sparse_merge(ids, weights, self.length)
            size = composing.stack([merged.dense_shape[0], cast(self.length, int64)])
            # Ids below 0 stand for words not in the vocabulary.
            start = composing.zeros([2], dtype=int64)
            kept = raw.SparseSlice(merged.indices, merged.values, merged.dense_shape, start, size)
            flat = raw.SparseTensorDenseAdd(
                kept[0], kept[1], kept[2], composing.zeros(size, dtype=weights.values.dtype)
            )
            flat.set_shape([None, self.length])
            return flat
        numbers = sparse_tensor_to_dense(ids, default_value=-1)
        hot = one_hot(numbers, depth=self.length, on_value=1.0, off_value=0.0)
        return reduce_sum(hot, axis=[rank - 1])

    def linear(self, tensor: Any) -> Lookup | None:
        raise ValueError(f"Column {self} is not supported in linear models. Please use sparse_column.")


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


class _EmbeddingColumn(_FeatureColumn, _EmbeddingFields):
    """Classes as vectors that are learned."""

    __slots__ = ()

    @property
    def name(self) -> str:
        shared = "shared_embedding" if self.shared_embedding_name else "embedding"
        return f"{self.sparse_id_column.name}_{shared}"

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.shared_vocab_size or self.sparse_id_column.length

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def key(self) -> str:
        fields = ", ".join(f"{k}={v}" for k, v in self._asdict().items() if k != "initializer")
        return f"_EmbeddingColumn({fields})"

    def _made(self, tensors: dict[Any, Any]) -> Any:
        return self.sparse_id_column.transform(tensors)

    def linear(self, tensor: Any) -> Lookup | None:
        raise ValueError(f"Column {self} is not supported in linear models. Please use sparse_column.")

    def checkpoint(self) -> tuple[str, str] | None:
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


class _ScatteredEmbeddingColumn(_FeatureColumn, _ScatteredFields):
    """Strings as vectors whose elements are taken from one learned vector by a hash."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: VarLenFeature(string)}

    @property
    def key(self) -> str:
        fields = ", ".join(f"{k}={v}" for k, v in self._asdict().items() if k != "initializer")
        return f"_ScatteredEmbeddingColumn({fields})"

    def _made(self, tensors: dict[Any, Any]) -> Any:
        return tensors[self.column_name]


class _RealFields(NamedTuple):
    column_name: str
    dimension: int
    default_value: Any
    dtype: DType
    normalizer: Callable[[Tensor], Tensor] | None


class _RealValuedColumn(_FeatureColumn, _RealFields):
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
    def key(self) -> str:
        fields = ", ".join(f"{k}={v}" for k, v in self._asdict().items() if k != "normalizer")
        return f"_RealValuedColumn({fields})"

    @property
    def normalizer_fn(self) -> Callable[[Tensor], Tensor] | None:
        """What the numbers go through first."""
        return self.normalizer

    def _made(self, tensors: dict[Any, Any]) -> Tensor:
        found = tensors[self.column_name]
        return found if self.normalizer is None else self.normalizer(found)

    def dense(self, tensor: Any, rank: int) -> Tensor:
        tensor = cast(tensor, float32)
        static = tensor.get_shape()
        if static.ndims is None:
            raise ValueError(f"{self.column_name}: the rank of the feature must be known")
        if static.ndims > rank:
            outer = composing.shape(tensor)[: rank - 1]
            flat = raw.Reshape(tensor, composing.concat([outer, [self.dimension]], 0))
            flat.set_shape([*static.as_list()[: rank - 1], self.dimension])
            return flat
        if static.ndims == rank - 1 and self.dimension == 1:
            return composing.expand_dims(tensor, -1)
        if static.ndims != rank:
            raise ValueError(
                f"Rank of input Tensor ({static.ndims}) should be the same as output_rank ({rank}). For example, sequence "
                f"data should typically be 3 dimensional (rank 3) while non-sequence data is typically 2 dimensional "
                f"(rank 2)."
            )
        return tensor

    def linear(self, tensor: Any) -> Lookup | None:
        return None


class _BucketizedFields(NamedTuple):
    source_column: _RealValuedColumn
    boundaries: tuple[float, ...]


class _BucketizedColumn(_Categories, _BucketizedFields):
    """Numbers as the class of the bucket in which they fall."""

    __slots__ = ()
    combiner = "sum"

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def buckets(self) -> int:
        """How many buckets a number has."""
        return len(self.boundaries) + 1

    @property
    def length(self) -> int:
        return self.buckets * self.source_column.dimension

    @property
    def config(self) -> dict[str, Any]:
        return self.source_column.config

    def _made(self, tensors: dict[Any, Any]) -> Tensor:
        return bucketize(self.source_column.transform(tensors), list(self.boundaries), name="bucketize")

    def dense(self, tensor: Any, rank: int) -> Tensor:
        if rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        hot = one_hot(cast(tensor, int64), self.buckets, 1.0, 0.0)
        return raw.Reshape(hot, [-1, self.length], name="reshape")

    def sparse(self, tensor: Tensor) -> SparseTensor:
        """The buckets as class numbers: those of each further number of an example after those of the one before."""
        dimension, batch = self.source_column.dimension, composing.shape(tensor, name="shape")[0]
        if dimension > 1:
            each = composing.expand_dims(composing.range_(0, batch), 1, name="expand_dims")
            rows = raw.Reshape(raw.Tile(each, [1, dimension], name="tile"), [-1], name="reshape")
            columns = raw.Tile(composing.range_(0, dimension), composing.stack([batch]), name="tile")
            numbers = raw.Reshape(tensor, [-1], name="reshape") + self.buckets * columns
        else:
            rows = composing.range_(0, batch)
            columns = zeros([batch], int32, name="zeros")
            numbers = raw.Reshape(tensor, [-1], name="reshape")
        indices = cast(composing.transpose(composing.stack([rows, columns])), int64)
        shape = cast(composing.stack([batch, dimension]), int64)
        return SparseTensor(indices, numbers, shape)

    def split(self, tensor: Any) -> tuple[SparseTensor, SparseTensor | None]:
        return self.sparse(tensor), None


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

    def _made(self, tensors: dict[Any, Any]) -> SparseTensor:
        parts = []
        for leaf in self.leaves():
            if isinstance(leaf, _BucketizedColumn):
                parts.append(leaf.sparse(leaf.transform(tensors)))
            else:
                found = tensors[leaf.column_name]
                parts.append(found if isinstance(found, SparseTensor) else dense_to_sparse_tensor(found))
        return sparse_feature_cross(
            parts, hashed_output=True, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
        )

    def checkpoint(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt
