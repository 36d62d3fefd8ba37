"""Columns of embeddings whose tables a TPU would hold; elsewhere the tables are variables, as of other columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.feature_column.base import CategoricalColumn
from headrace.feature_column.categorical import (
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
)
from headrace.feature_column.embedding import (
    Embedded,
    EmbeddingColumn,
    checked_initializer,
    in_order_of_names,
    shared_name,
    unweighted,
)
from headrace.feature_column.sequences import SequenceCategoricalColumn
from headrace.feature_column.shared_embedding import SharedEmbeddingColumn, SharedEmbeddingColumnCreator

if TYPE_CHECKING:
    from headrace.core.typing import InitializerLike

_KINDS = (
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
    SequenceCategoricalColumn,
)


class _ForTPU(Embedded):
    """What the columns tell of themselves to what would lay out their tables."""

    # Neither is a field: columns that differ only in them are equal.
    _max_sequence_length = 0
    _learning_rate_fn: Callable[..., Any] | None = None

    def get_combiner(self) -> str:
        """How the embeddings of an example become one."""
        return self.combiner

    def get_embedding_table_size(self) -> tuple[int, int]:
        """The number of classes and the length of an embedding."""
        return self.categorical_column.num_buckets, self.dimension

    def get_feature_key_name(self) -> str:
        """The name of the classes, without that of their weights."""
        return unweighted(self.categorical_column).name

    def get_embedding_var_name(self) -> str:
        """The name of the table."""
        return self.categorical_column.name

    def get_initializer(self) -> Any:
        """The initializer of the table."""
        return self.initializer

    def get_weight_key_name(self) -> str | None:
        """The key of the weights, if there are any."""
        column = self.categorical_column
        return column.weight_feature_key if isinstance(column, WeightedCategoricalColumn) else None

    def is_categorical_column_weighted(self) -> bool:
        """Whether the classes have weights."""
        return isinstance(self.categorical_column, WeightedCategoricalColumn)

    def is_sequence_column(self) -> bool:
        """Whether the classes are in sequence."""
        return isinstance(self.categorical_column, SequenceCategoricalColumn)

    def get_max_sequence_length(self) -> int:
        """How many steps of a sequence a TPU would keep; 0 for other columns."""
        return self._max_sequence_length

    def get_sequence_length_feature_key_name(self) -> str:
        """The key by which a TPU would be told how long sequences are."""
        return f"{self.get_feature_key_name()}_seq_length_"

    def get_learning_rate_fn(self) -> Callable[..., Any] | None:
        """The learning rate of the table on a TPU, of the global step."""
        return self._learning_rate_fn

    def _told(self, max_sequence_length: int, learning_rate_fn: Callable[..., Any] | None) -> None:
        """Keeps what is for TPUs.

        Raises:
            ValueError: for sequences of no steps, or steps of what is no sequence.
        """
        name = self.categorical_column.name
        if self.is_sequence_column():
            if max_sequence_length < 1:
                raise ValueError(
                    f"max_sequence_length must be greater than 0 for sequence columns. Got "
                    f"max_sequence_length={max_sequence_length} for sequence column {name}."
                )
        elif max_sequence_length != 0:
            raise ValueError(
                f"max_sequence_length must be 0 for columns that are no sequences. Got "
                f"max_sequence_length={max_sequence_length} for column {name}."
            )
        self._max_sequence_length, self._learning_rate_fn = max_sequence_length, learning_rate_fn


class TPUEmbeddingColumn(_ForTPU, EmbeddingColumn):
    """The embeddings of classes; made by `tf.tpu.experimental.embedding_column`."""


class TPUSharedEmbeddingColumn(_ForTPU, SharedEmbeddingColumn):
    """The embeddings of classes by a shared table; made by `tf.tpu.experimental.shared_embedding_columns`."""

    @property
    def initializer(self) -> Any:  # type: ignore[override]  # read from the creator
        """The initializer of the table."""
        return self.shared_embedding_column_creator.initializer

    def get_embedding_var_name(self) -> str:
        """The name of the table."""
        return self.shared_embedding_column_creator.name


def _check_kind(column: Any, maker: str) -> None:
    if not isinstance(column, _KINDS):
        raise TypeError(
            f"categorical_column for tpu {maker} must be type {' or '.join(kind.__name__ for kind in _KINDS)}, "
            f"got {type(column)}."
        )


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | Callable[..., Any] | None = None,
    max_sequence_length: int = 0,
    learning_rate_fn: Callable[..., Any] | None = None,
) -> TPUEmbeddingColumn:
    """A dense column of embeddings whose table a TPU would hold; here it is that of `tf.feature_column.embedding_column`.

    Args:
        categorical_column: the classes: an identity or a vocabulary, which may be weighted or in sequence.
        dimension, combiner, initializer: as of `tf.feature_column.embedding_column`.
        max_sequence_length: how many steps of a sequence a TPU keeps, at least 1; 0 for other columns. Elsewhere
            sequences are kept whole.
        learning_rate_fn: the learning rate of the table on a TPU, of the global step; of no effect elsewhere.

    Raises:
        TypeError: for other classes; ValueError: for a size, an initializer or a length that cannot be.

    Example:
        >>> ids = tf.feature_column.categorical_column_with_identity("ids", 1000)
        >>> tf.tpu.experimental.embedding_column(ids, dimension=16)
    """
    _check_kind(categorical_column, "embedding_column")
    of = f"Embedding of column_name: {categorical_column.name}"
    initializer = checked_initializer(dimension, initializer, None, None, of)
    column = TPUEmbeddingColumn(categorical_column, dimension, combiner, initializer, None, None, None, True)
    column._told(max_sequence_length, learning_rate_fn)
    return column


def shared_embedding_columns(
    categorical_columns: Sequence[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    max_sequence_lengths: Sequence[int] | None = None,
    learning_rate_fn: Callable[..., Any] | None = None,
) -> list[TPUSharedEmbeddingColumn]:
    """Dense columns of embeddings by one table that a TPU would hold; here layers make it, as `DenseFeatures`.

    Args:
        categorical_columns: columns of equally many classes, of the kinds of `embedding_column`.
        dimension, combiner, initializer, learning_rate_fn: as of `embedding_column`.
        shared_embedding_collection_name: the name of the table; made of those of the columns by default.
        max_sequence_lengths: the `max_sequence_length` of each column; 0 by default.

    Returns:
        a column for each of `categorical_columns`.

    Raises:
        TypeError, ValueError: as of `embedding_column`; also for different numbers of classes or lengths.

    Example:
        >>> seen, bought = (tf.feature_column.categorical_column_with_identity(key, 100) for key in ("seen", "bought"))
        >>> tf.tpu.experimental.shared_embedding_columns([seen, bought], dimension=16)
    """
    for column in categorical_columns:
        _check_kind(column, "shared_embedding_columns")
    lengths = [0] * len(categorical_columns) if max_sequence_lengths is None else max_sequence_lengths
    if len(lengths) != len(categorical_columns):
        raise ValueError(
            "max_sequence_lengths and categorical_columns must be of the same length. "
            f"len(max_sequence_lengths)={len(lengths)} len(categorical_columns)={len(categorical_columns)}."
        )
    initializer = checked_initializer(dimension, initializer, None, None, "")
    in_order = in_order_of_names(categorical_columns)
    name = shared_embedding_collection_name or shared_name(in_order)
    creator = SharedEmbeddingColumnCreator(
        dimension, initializer, None, None, in_order[0].num_buckets, trainable=True, name=name
    )
    made = []
    for column, length in zip(categorical_columns, lengths, strict=True):
        made.append(TPUSharedEmbeddingColumn(column, creator, combiner, None))
        made[-1]._told(length, learning_rate_fn)
    return made
