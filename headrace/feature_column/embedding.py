"""Columns of embeddings, of one column's classes or shared by several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.checkpoints.checkpoint_utils import init_from_checkpoint
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, name_scope
from headrace.core.dtypes import float32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    Read,
    SequenceDenseColumn,
    StateManager,
    TensorSequenceLengthPair,
)
from headrace.feature_column.categorical import WeightedCategoricalColumn
from headrace.feature_column.sequences import (
    refuse_sequence,
    require_sequence,
    sequence_lengths,
)
from headrace.functions.nn.embedding import safe_embedding_lookup_sparse
from headrace.state.initializers import TruncatedNormal
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, InitializerLike
    from headrace.state.variables import Variable


class _EmbeddingFields(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool


class Embedded(DenseColumn, SequenceDenseColumn):
    """What embeddings of one column and shared ones have in common."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool

    @property
    def parents(self) -> list[Any]:
        """The column of the classes."""
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the classes."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of an embedding."""
        return TensorShape([self.dimension])

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Any:
        return read(self.categorical_column)

    def _looked_up(self, pair: IdWeightPair, weights: Any) -> Tensor:
        self._begin_from_checkpoint(weights)
        return safe_embedding_lookup_sparse(
            embedding_weights=weights,
            sparse_ids=pair.id_tensor,
            sparse_weights=pair.weight_tensor,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )

    def _begin_from_checkpoint(self, weights: Any) -> None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return
        whole = list(weights) if isinstance(weights, PartitionedVariable) else weights
        init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: whole})

    def _variable(self, weight_collections: CollectionNames | None, trainable: bool | None) -> Any:
        """The table of 1.x's columns, made in the variable scope in force."""
        collections = None
        if weight_collections is not None:
            collections = list(dict.fromkeys([*weight_collections, GraphKeys.GLOBAL_VARIABLES]))
        return get_variable(
            name="embedding_weights",
            shape=(self.categorical_column._num_buckets, self.dimension),
            dtype=float32,
            initializer=self.initializer,
            trainable=self.trainable and trainable,
            collections=collections,
        )

    def _kept(self, state_manager: StateManager | None) -> Variable:
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager | None) -> Tensor:
        """The embeddings of a batch, [batch, dimension].

        Raises:
            ValueError: for classes in sequence.
        """
        refuse_sequence(self, self.categorical_column, "embedding_column")
        pair = self.categorical_column._pair(lambda key: transformation_cache.get(key, state_manager))
        return self._looked_up(pair, self._kept(state_manager))

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> Tensor:
        refuse_sequence(self, self.categorical_column, "embedding_column", "_SequenceCategoricalColumn")
        return self._looked_up(self.categorical_column._pair(inputs.get), self._variable(weight_collections, trainable))

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: StateManager | None
    ) -> TensorSequenceLengthPair:
        """The embeddings of each step, [batch, steps, dimension], and how long the sequences are."""
        self._check_sequence()
        pair = self.categorical_column._pair(lambda key: transformation_cache.get(key, state_manager))
        return self._in_sequence(pair, self._kept(state_manager))

    def _get_sequence_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> TensorSequenceLengthPair:
        self._check_sequence("_SequenceCategoricalColumn", "sequence_input_layer")
        pair = self.categorical_column._pair(inputs.get)
        return self._in_sequence(pair, self._variable(weight_collections, trainable))

    def _in_sequence(self, pair: IdWeightPair, weights: Any) -> TensorSequenceLengthPair:
        return TensorSequenceLengthPair(self._looked_up(pair, weights), sequence_lengths(pair.id_tensor))

    def _check_sequence(self, kind: str = "SequenceCategoricalColumn", user: str = "SequenceFeatures") -> None:
        require_sequence(self, self.categorical_column, "embedding_column", kind, user)


class EmbeddingColumn(Embedded, _EmbeddingFields):  # type: ignore[misc]  # fields of the one are declared in the other
    """The embeddings of classes; made by `embedding_column`."""

    @property
    def name(self) -> str:
        """That of the classes, and what is made of them."""
        return f"{self.categorical_column.name}_embedding"

    def create_state(self, state_manager: StateManager) -> None:
        """Makes the table."""
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=float32,
            trainable=self.trainable,
            use_resource=True,
            initializer=self.initializer,
        )

    def _kept(self, state_manager: StateManager | None) -> Variable:
        assert state_manager is not None  # columns without one make their variables
        return state_manager.get_variable(self, name="embedding_weights")

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return self._asdict()


class _SharedFields(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool


class _SharedEmbeddingColumn(Embedded, _SharedFields):  # type: ignore[misc]  # as above
    """The embeddings of classes by a table that several columns share; made by `shared_embedding_columns`."""

    @property
    def name(self) -> str:
        """That of the classes, and what is made of them."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        return self.shared_embedding_collection_name

    @property
    def _is_v2_column(self) -> bool:
        return False

    def _variable(self, weight_collections: CollectionNames | None, trainable: bool | None) -> Any:
        """The table, which the first of the columns makes and the others find in a collection."""
        found = get_collection(self.shared_embedding_collection_name)
        wanted = TensorShape((self.categorical_column._num_buckets, self.dimension))
        if not found:
            weights = super()._variable(weight_collections, trainable)
            add_to_collection(self.shared_embedding_collection_name, weights)
            return weights
        if len(found) > 1:
            raise ValueError(
                f"Collection {found} can only contain one variable. Suggested fix A: Choose a unique name for this "
                "collection. Suggested fix B: Do not add any variables to this collection. The feature_column library "
                "already adds a variable under the hood."
            )
        if found[0].shape != wanted:
            raise ValueError(
                f"Shared embedding collection {self.shared_embedding_collection_name} contains variable {found[0].name} of "
                f"unexpected shape {found[0].shape}. Expected shape is {wanted}. Suggested fix A: Choose a unique name for "
                "this collection. Suggested fix B: Do not add any variables to this collection. The feature_column library "
                "already adds a variable under the hood."
            )
        return found[0]

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> Tensor:
        # The name scope is the column's, the variable scope that of the table.
        with name_scope(None, default_name=self.name):
            return super()._get_dense_tensor(inputs, weight_collections, trainable)

    def _get_sequence_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> TensorSequenceLengthPair:
        self._check_sequence("_SequenceCategoricalColumn", "sequence_input_layer")
        with name_scope(None, default_name=self.name):
            pair = self.categorical_column._pair(inputs.get)
            found = self._looked_up(pair, self._variable(weight_collections, trainable))
        return TensorSequenceLengthPair(found, sequence_lengths(pair.id_tensor))

    def _kept(self, state_manager: StateManager | None) -> Variable:
        raise ValueError(
            "SharedEmbeddingColumns are not supported in `linear_model` or `input_layer` of layers: use "
            "`tf.feature_column.input_layer`."
        )


def checked_initializer(
    dimension: int | None, initializer: Any, ckpt_to_load_from: str | None, tensor_name_in_ckpt: str | None, of: str
) -> Any:
    """The initializer of a table.

    Raises:
        ValueError: for a size that is none, half of a checkpoint, or an initializer that cannot be called.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. {of}")
    return initializer or TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | Callable[..., Any] | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """A dense column of the embeddings of classes.

    Args:
        categorical_column: the classes.
        dimension: the length of an embedding.
        combiner: how those of an example become one: "mean", "sqrtn" or "sum".
        initializer: of the table; by default truncated normal with standard deviation 1 / sqrt(dimension).
        ckpt_to_load_from, tensor_name_in_ckpt: the checkpoint and its tensor that the table begins with; both or none.
        max_norm: up to which L2 norm embeddings are used as they are.
        trainable: whether the table is trained.

    Raises:
        ValueError: as said above.

    Example:
        >>> words = tf.feature_column.categorical_column_with_hash_bucket("words", 1000)
        >>> tf.feature_column.embedding_column(words, dimension=16)
    """
    initializer = checked_initializer(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        f"Embedding of column_name: {getattr(categorical_column, 'name', categorical_column)}",
    )
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def shared_name(in_order: Sequence[CategoricalColumn]) -> str:
    """The name of a table that columns share, made of theirs."""
    return "_".join(column.name for column in in_order) + "_shared_embedding"


def in_order_of_names(categorical_columns: Sequence[CategoricalColumn]) -> list[CategoricalColumn]:
    """Columns in the order of their names.

    Raises:
        ValueError: if they have different numbers of classes.
    """
    in_order = sorted(categorical_columns, key=lambda column: column.name)
    first = in_order[0]
    buckets = first._num_buckets
    for column in in_order[1:]:
        if column._num_buckets != buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given column: "
                f"{first} with buckets: {buckets} does not match column: {column} with buckets: {column._num_buckets}"
            )
    return in_order


def checked_for_sharing(categorical_columns: Sequence[CategoricalColumn]) -> list[CategoricalColumn]:
    """Columns in the order of their names.

    Raises:
        ValueError: if they are of different kinds or have different numbers of classes.
    """
    in_order = in_order_of_names(categorical_columns)
    kinds = {type(unweighted(column)) for column in in_order}
    if len(kinds) > 1:
        raise ValueError(
            "To use shared_embedding_column, all categorical_columns must have the same type, or be "
            f"weighted_categorical_column of the same type. Given: {[type(column) for column in in_order]}"
        )
    return in_order


def shared_embedding_columns(
    categorical_columns: Sequence[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[_SharedEmbeddingColumn]:
    """Dense columns of embeddings by one table.

    Args:
        categorical_columns: columns of the same classes.
        shared_embedding_collection_name: the name of the table and of the collection that holds it; made of those of the
            columns by default.
        dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable: as of
            `embedding_column`.

    Returns:
        a column for each of `categorical_columns`.

    Raises:
        ValueError: if they are of different kinds or have different numbers of classes; else as of `embedding_column`.
    """
    initializer = checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, "")
    in_order = checked_for_sharing(categorical_columns)
    name = shared_embedding_collection_name or shared_name(in_order)
    return [
        _SharedEmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer,
            name,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
        )
        for column in categorical_columns
    ]


def unweighted(column: CategoricalColumn) -> CategoricalColumn:
    """The classes without their weights."""
    return column.categorical_column if isinstance(column, WeightedCategoricalColumn) else column
