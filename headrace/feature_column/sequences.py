"""Columns of sequences: of classes, and of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.composite import SparseTensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import DType, float32, int64, string
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.feature_column.base import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    Read,
    SequenceDenseColumn,
    StateManager,
    TensorSequenceLengthPair,
    column_dtype,
)
from headrace.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from headrace.feature_column.numeric import checked_shape
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_prod
from headrace.functions.parsing.features import VarLenFeature
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.filling import ones_like, zeros
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.sparse.reshape import sparse_reshape

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


def sequence_lengths(sp_tensor: SparseTensor, num_elements: int = 1) -> Tensor:
    """How many steps each example has, int64 [batch].

    Args:
        sp_tensor: [batch, steps, …] or [batch, steps * elements].
        num_elements: how many of the second axis make a step.
    """
    with name_scope(None, "sequence_length") as scope:
        rows, columns = sp_tensor.indices[:, 0], sp_tensor.indices[:, 1]
        ends = raw.SegmentMax(columns + ones_like(columns), rows)
        steps = cast(raw.Ceil(ends / num_elements), int64)
        # Rows without elements have no step; the last ones are not among the segments.
        missing = shape_of(sp_tensor)[:1] - shape_of(steps)[:1]
        return concat([steps, zeros(missing, dtype=int64)], axis=0, name=scope)


class _SequenceCategoricalFields(NamedTuple):
    categorical_column: CategoricalColumn


class SequenceCategoricalColumn(CategoricalColumn, _SequenceCategoricalFields):
    """Classes in sequence; made by `sequence_categorical_column_with_*`."""

    @property
    def name(self) -> str:
        """That of the classes."""
        return self.categorical_column.name

    @property
    def parents(self) -> list[Any]:
        """The column of the classes."""
        return [self.categorical_column]

    @property
    def num_buckets(self) -> int:
        """That of the classes."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the classes."""
        return self.categorical_column.parse_example_spec

    def _transformed(self, read: Read, state_manager: StateManager | None) -> SparseTensor:
        return self.categorical_column._transformed(read, state_manager)

    def _pair(self, read: Read) -> IdWeightPair:
        """The classes as [batch, steps, 1], so that what combines them does so within a step."""
        ids, weights = self.categorical_column._pair(read)
        sizes = shape_of(ids)
        target = [sizes[0], sizes[1], reduce_prod(sizes[2:])]
        ids = sparse_reshape(ids, target)
        return IdWeightPair(ids, None if weights is None else sparse_reshape(weights, target))

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return self._asdict()


def refuse_sequence(
    column: FeatureColumn, categorical_column: CategoricalColumn, maker: str, kind: str = "SequenceCategoricalColumn"
) -> None:
    """Raises ValueError where a column of sequences is asked for one tensor an example; `kind` is its name there."""
    if isinstance(categorical_column, SequenceCategoricalColumn):
        raise ValueError(
            f"In {maker}: {column.name}. categorical_column must not be of type {kind}. Suggested fix A: "
            "If you wish to use DenseFeatures, use a non-sequence categorical_column_with_*. Suggested fix B: If you wish to "
            f"create sequence input, use SequenceFeatures instead of DenseFeatures. Given (type {type(categorical_column)}): "
            f"{categorical_column}"
        )


def require_sequence(
    column: FeatureColumn, categorical_column: CategoricalColumn, maker: str, kind: str, user: str
) -> None:
    """Raises ValueError where a column of no sequences is asked for one by `user`; `kind` is their name there."""
    if not isinstance(categorical_column, SequenceCategoricalColumn):
        raise ValueError(
            f"In {maker}: {column.name}. categorical_column must be of type {kind} to use {user}. Suggested fix: Use one of "
            f"sequence_categorical_column_with_*. Given (type {type(categorical_column)}): {categorical_column}"
        )


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Sequences of classes that are numbers; arguments as of `categorical_column_with_identity`."""
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = string
) -> SequenceCategoricalColumn:
    """Sequences of hashed classes; arguments as of `categorical_column_with_hash_bucket`."""
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = string,
) -> SequenceCategoricalColumn:
    """Sequences of classes in a file; arguments as of `categorical_column_with_vocabulary_file`."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Sequences of classes in a list; arguments as of `categorical_column_with_vocabulary_list`."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    )


class _SequenceNumericFields(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: DType
    normalizer_fn: Callable[[Any], Any] | None


class SequenceNumericColumn(SequenceDenseColumn, _SequenceNumericFields):
    """Numbers in sequence; made by `sequence_numeric_column`."""

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
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of a step's numbers."""
        return TensorShape(self.shape)

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Any:
        values = read(self.key)
        return values if self.normalizer_fn is None else self.normalizer_fn(values)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: StateManager | None
    ) -> TensorSequenceLengthPair:
        """The numbers as [batch, steps, …], and how long the sequences are."""
        return self._sequence(lambda key: transformation_cache.get(key, state_manager))

    def _get_sequence_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> TensorSequenceLengthPair:
        return self._sequence(inputs.get)

    def _sequence(self, read: Read) -> TensorSequenceLengthPair:
        sparse = read(self)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        target = concat([shape_of(dense)[:1], [-1], self.variable_shape.as_list()], axis=0)
        elements = self.variable_shape.num_elements() if sparse.shape.ndims == 2 else 1
        assert elements is not None  # all sizes are known
        return TensorSequenceLengthPair(reshape(dense, target), sequence_lengths(sparse, elements))

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def sequence_numeric_column(
    key: str,
    shape: int | Sequence[int] = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """A column of sequences of numbers.

    Args:
        key: the key of the feature, a SparseTensor.
        shape: the shape of a step's numbers.
        default_value: what stands behind the end of shorter sequences.
        dtype: their type in files, an integer or floating one.
        normalizer_fn: a function of the SparseTensor.

    Raises:
        TypeError: if `normalizer_fn` cannot be called; ValueError: for other types and shapes.

    Example:
        >>> temperature = tf.feature_column.sequence_numeric_column("temperature")
    """
    sizes = checked_shape(shape, key)
    dtype = column_dtype(dtype, f"key: {key}")
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, sizes, default_value, dtype, normalizer_fn)


def same_lengths(lengths: Sequence[Tensor]) -> Tensor:
    """The lengths that all columns agree on; the graph fails where they do not."""
    if len(lengths) == 1:
        return lengths[0]
    with name_scope(None, "assert_all_equal", values=lengths):
        checked = [assert_equal(lengths[0], other) for other in lengths[1:]]
        with control_dependencies(checked):
            return identity(lengths[0])
