"""Embeddings that columns of `DenseFeatures` share: the table is the creator's, one a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.feature_column.base import CategoricalColumn, IdWeightPair, StateManager
from headrace.feature_column.embedding import Embedded, checked_for_sharing, checked_initializer, shared_name
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import CollectionNames, InitializerLike


class SharedEmbeddingColumnCreator:
    """The table that some columns share, and what makes them.

    Args:
        dimension: the length of an embedding.
        initializer: of the table.
        ckpt_to_load_from, tensor_name_in_ckpt: the checkpoint and its tensor that the table begins with; both or none.
        num_buckets: how many classes there are.
        trainable: whether the table is trained.
        name: of the table.
    """

    def __init__(
        self,
        dimension: int,
        initializer: Any,
        ckpt_to_load_from: str | None,
        tensor_name_in_ckpt: str | None,
        num_buckets: int,
        trainable: bool,
        name: str = "shared_embedding_column_creator",
    ) -> None:
        self._dimension, self._initializer, self._num_buckets = dimension, initializer, num_buckets
        self.ckpt_to_load_from, self.tensor_name_in_ckpt = ckpt_to_load_from, tensor_name_in_ckpt
        self._trainable, self._name = trainable, name
        self._tables: dict[Graph, Any] = {}

    def __call__(
        self, categorical_column: CategoricalColumn, combiner: str, max_norm: float | None
    ) -> SharedEmbeddingColumn:
        """A column with this table."""
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def dimension(self) -> int:
        """The length of an embedding."""
        return self._dimension

    @property
    def initializer(self) -> Any:
        """The initializer of the table."""
        return self._initializer

    @property
    def trainable(self) -> bool:
        """Whether the table is trained."""
        return self._trainable

    @property
    def embedding_weights(self) -> Any:
        """The table in the default graph; the first call there makes it."""
        graph = get_default_graph()
        if graph not in self._tables:
            self._tables[graph] = get_variable(
                name=self._name,
                shape=(self._num_buckets, self._dimension),
                dtype=float32,
                initializer=self._initializer,
                trainable=self._trainable,
            )
        return self._tables[graph]


class _Fields(NamedTuple):
    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedEmbeddingColumnCreator
    combiner: str
    max_norm: float | None


class SharedEmbeddingColumn(Embedded, _Fields):  # type: ignore[misc]  # fields of the one are declared in the other
    """The embeddings of classes by a table that several columns share; made by `shared_embedding_columns_v2`."""

    @property
    def name(self) -> str:
        """That of the classes, and what is made of them."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def dimension(self) -> int:  # type: ignore[override]  # read from the creator
        """The length of an embedding."""
        return self.shared_embedding_column_creator.dimension

    @property
    def ckpt_to_load_from(self) -> str | None:  # type: ignore[override]  # as above
        """The checkpoint that the table begins with."""
        return self.shared_embedding_column_creator.ckpt_to_load_from

    @property
    def tensor_name_in_ckpt(self) -> str | None:  # type: ignore[override]  # as above
        """The tensor of it."""
        return self.shared_embedding_column_creator.tensor_name_in_ckpt

    @property
    def _variable_shape(self) -> NoReturn:
        raise self._refused()

    def _variable(self, weight_collections: CollectionNames | None, trainable: bool | None) -> NoReturn:
        raise self._refused()

    def _refused(self) -> ValueError:
        return ValueError(
            f"SharedEmbeddingColumns are not supported in `linear_model` or `input_layer`: {self.name}. Use "
            "`tf.keras.layers.DenseFeatures`."
        )

    def _looked_up(self, pair: IdWeightPair, weights: Any) -> Tensor:
        with name_scope(None, default_name=self.name):
            return super()._looked_up(pair, weights)

    def _kept(self, state_manager: StateManager | None) -> Any:
        return self.shared_embedding_column_creator.embedding_weights


def shared_embedding_columns_v2(
    categorical_columns: Sequence[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Dense columns of embeddings by one table, for layers.

    Args:
        categorical_columns, dimension, combiner, initializer, shared_embedding_collection_name, ckpt_to_load_from,
            tensor_name_in_ckpt, max_norm, trainable: as of `tf.feature_column.shared_embedding_columns`.

    Returns:
        a column for each of `categorical_columns`.
    """
    initializer = checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, "")
    in_order = checked_for_sharing(categorical_columns)
    creator = SharedEmbeddingColumnCreator(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        in_order[0].num_buckets,
        trainable,
        shared_embedding_collection_name or shared_name(in_order),
    )
    return [creator(column, combiner, max_norm) for column in categorical_columns]
