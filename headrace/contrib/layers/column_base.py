"""What all feature columns of contrib have in common, and features made by columns, each once.

A column says how its feature is read from examples (`config`), what tensor it becomes (`insert_transformed_feature`),
and one or both of how deep models see it (`_to_dnn_input_layer`, or vectors to look up) and how linear ones do (weights to
look up, or `_to_dense_tensor` to multiply).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.layers.shaping import _inner_flatten
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import CollectionNames, TensorLike


class _LinearEmbeddingLookupArguments(NamedTuple):
    """What a linear model looks up: class numbers [batch, any] with or without weights, in a table of so many rows."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str


class _DeepEmbeddingLookupArguments(NamedTuple):
    """What a deep model looks up: the same, in a table of vectors."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str
    dimension: int
    shared_embedding_name: str | None
    hash_key: int | None
    max_norm: float | None
    trainable: bool


class _FeatureColumn:
    """The base of columns."""

    # Whether its vectors are put together of elements of one vector.
    _is_scattered = False

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

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Puts the column's tensor beside the features, and the columns' tensors, that it is made from.

        Raises:
            KeyError: if a feature is missing. ValueError: if it is one that a column made of others needs.
        """
        raise NotImplementedError(f"Transform is not implemented for {self}.")

    def _to_dnn_input_layer(
        self,
        input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        """The input of a deep model, [batch, size] (rank 2) or [batch, time, size] (rank 3)."""
        raise ValueError("Calling an abstract method.")

    def _deep_embedding_lookup_arguments(
        self, input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor]
    ) -> _DeepEmbeddingLookupArguments:
        """What a deep model looks up."""
        raise NotImplementedError(f"No deep embedding lookup arguments for column {self}.")

    def _wide_embedding_lookup_arguments(
        self, input_tensor: TensorLike | SparseTensor | Sequence[SparseTensor]
    ) -> _LinearEmbeddingLookupArguments:
        """What a linear model looks up."""
        raise NotImplementedError(f"No wide embedding lookup arguments for column {self}.")

    def _to_dense_tensor(self, input_tensor: Tensor) -> Tensor:
        """What a linear model multiplies with weights."""
        raise NotImplementedError(f"No dense tensor representation for column {self}.")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        """The checkpoint and tensor with which its weights begin."""
        return None

    def _key_without_properties(self, properties: list[str]) -> str:
        """`key` without fields whose text differs from run to run."""
        fields = ", ".join(f"{k}={v}" for k, v in self._asdict().items() if k not in properties)  # type: ignore[attr-defined]  # columns are named tuples
        return f"{type(self).__name__}({fields})"


class _Transformer:
    """Gives the tensors of columns, made once each and kept beside the features.

    Args:
        columns_to_tensors: from the names of features, and from columns, to tensors; what is made is put into it.
    """

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def transform(self, feature_column: _FeatureColumn) -> Any:
        """The tensor of a column.

        Raises:
            ValueError: if the column made none.
        """
        tf_logging.debug("Transforming feature_column %s", feature_column)
        if feature_column not in self._columns_to_tensors:
            feature_column.insert_transformed_feature(self._columns_to_tensors)
        if feature_column not in self._columns_to_tensors:
            raise ValueError(f"Column {feature_column.name} is not supported.")
        return self._columns_to_tensors[feature_column]


def _needed(
    columns_to_tensors: dict[Any, Any], key: str | _FeatureColumn
) -> SparseTensor | Tensor | tuple[SparseTensor, SparseTensor]:
    """The tensor of a feature or column that another column is made of."""
    if key in columns_to_tensors:
        return columns_to_tensors[key]
    if isinstance(key, str):
        raise ValueError(f"features dictionary doesn't contain key ({key})")
    key.insert_transformed_feature(columns_to_tensors)
    return columns_to_tensors[key]


def _reshape_real_valued_tensor(input_tensor: Tensor, output_rank: int, column_name: str | None = None) -> Tensor:
    """Numbers with `output_rank` axes: the last ones made one, or one more of size 1.

    Raises:
        ValueError: if more than one axis is missing.
    """
    rank = input_tensor.get_shape().ndims
    if rank is not None and output_rank > rank + 1:
        where = "" if column_name is None else f"Error while processing column {column_name}."
        raise ValueError(
            f"{where}Rank of input Tensor ({rank}) should be the same as output_rank ({output_rank}). For example, sequence "
            "data should typically be 3 dimensional (rank 3) while non-sequence data is typically 2 dimensional (rank 2)."
        )
    if rank is not None and output_rank == rank + 1:
        tf_logging.warning(
            "Rank of input Tensor (%s) should be the same as output_rank (%s) for column. A dimension is added; better "
            "reshape the input.",
            rank,
            output_rank,
        )
        return composing.expand_dims(input_tensor, -1, name="expand_dims")
    return input_tensor if output_rank == rank else _inner_flatten(input_tensor, output_rank)
