"""What makes columns of contrib usable where those of `tf.feature_column` are: the methods that 1.x calls on these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.column_base import _DeepEmbeddingLookupArguments
from headrace.contrib.layers.column_embeddings import _embeddings_from_arguments
from headrace.core.shapes import TensorShape
from headrace.feature_column.base import IdWeightPair
from headrace.feature_column.legacy import LegacyCategoricalColumn, LegacyDenseColumn

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.tensor import Tensor
    from headrace.feature_column.base import TransformationCache


class _CachedFeatures(dict[Any, Any]):
    """The features of a `TransformationCache` as columns of contrib read them; what these make is kept beside them."""

    def __init__(self, cache: TransformationCache) -> None:
        super().__init__()
        self._cache = cache

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) or super().__contains__(key)

    def __missing__(self, key: str) -> Any:
        return self._cache.get(key)


class _CoreColumn:
    """The methods that all columns of `tf.feature_column` have."""

    __slots__ = ()

    name: Any
    config: Any
    insert_transformed_feature: Callable[[dict[Any, Any]], None]
    _is_v2_column = False

    @property
    def _var_scope_name(self) -> str:
        scope: str = self.name
        return scope

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.config
        return spec

    def _transform_feature(self, inputs: TransformationCache) -> Any:
        features = _CachedFeatures(inputs)
        self.insert_transformed_feature(features)
        return features[self]


@LegacyDenseColumn.register
class _CoreDenseColumn(_CoreColumn):
    """The methods of dense columns."""

    __slots__ = ()

    _to_dnn_input_layer: Callable[..., Tensor]

    @property
    def _row_size(self) -> int:
        """How many numbers an example has."""
        raise NotImplementedError(f"{type(self).__name__} has no size")

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self._row_size])

    def _get_dense_tensor(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return self._to_dnn_input_layer(inputs.get(self), weight_collections, bool(trainable))


class _CoreEmbeddingColumn(_CoreDenseColumn):
    """The methods of dense columns whose numbers are looked up."""

    __slots__ = ()

    dimension: int
    _deep_embedding_lookup_arguments: Callable[[Any], _DeepEmbeddingLookupArguments]

    @property
    def _row_size(self) -> int:
        return self.dimension

    def _get_dense_tensor(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return _embeddings_from_arguments(self, arguments, weight_collections, bool(trainable))


@LegacyCategoricalColumn.register
class _CoreCategoricalColumn(_CoreColumn):
    """The methods of columns of classes."""

    __slots__ = ()

    id_tensor: Callable[[Any], SparseTensor]
    weight_tensor: Callable[[Any], SparseTensor | None]

    @property
    def length(self) -> int:
        """How many classes there are."""
        raise NotImplementedError(f"{type(self).__name__} has no length")

    @property
    def _num_buckets(self) -> int:
        return self.length

    def _get_sparse_tensors(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        found = inputs.get(self)
        return IdWeightPair(self.id_tensor(found), self.weight_tensor(found))
