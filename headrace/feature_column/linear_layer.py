"""`LinearModel`: a weighted sum of columns as a layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.feature_column.base import CategoricalColumn, DenseColumn, FeatureColumn, TransformationCache
from headrace.feature_column.features_layer import LayerState
from headrace.feature_column.input_layer import check_batch_sizes, normalized, weighted_sum
from headrace.feature_column.serialization import deserialize_feature_columns, serialize_feature_columns
from headrace.layers.engine import Layer
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable, pure_variable_scope


def is_feature_column_v2(feature_columns: Iterable[Any]) -> bool:
    """Whether all columns keep their variables in layers, as those of 1.13 and later do."""
    return all(isinstance(column, FeatureColumn) and column._is_v2_column for column in feature_columns)


class LinearModel(Layer):
    """A weighted sum of columns, dense ones and classes, plus a bias.

    Args:
        feature_columns: the columns.
        units: how many sums.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".
        trainable, name: as of any layer.

    Raises:
        ValueError: if something is neither a dense column nor one of classes.

    Example:
        >>> model = LinearModel([tf.feature_column.numeric_column("price")])
        >>> logits = model({"price": tf.constant([[1.0], [2.0]])})
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        units: int = 1,
        sparse_combiner: str = "sum",
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name or "linear_model", trainable=trainable, **kwargs)
        self._feature_columns = normalized(feature_columns)
        for column in self._feature_columns:
            if not isinstance(column, (DenseColumn, CategoricalColumn)):
                raise ValueError(
                    f"Items of feature_columns must be either a DenseColumn or CategoricalColumn. Given: {column}"
                )
        self._units, self._sparse_combiner = units, sparse_combiner
        self._state_manager = LayerState(self, self.trainable)
        self._bias: Any = None

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        columns = serialize_feature_columns(self._feature_columns)
        own = {"feature_columns": columns, "units": self._units, "sparse_combiner": self._sparse_combiner}
        return {**super().get_config(), **own}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> LinearModel:
        """The layer that `get_config` describes.

        Args:
            config: what it gave.
            custom_objects: by name classes and functions that are the program's.
        """
        columns = deserialize_feature_columns(config["feature_columns"], custom_objects)
        return cls(**{**config, "feature_columns": columns})

    @property
    def bias(self) -> Any:
        """The variable of the bias, once the layer was called."""
        return self._bias

    @property
    def state(self) -> LayerState:
        """Who holds the variables of the columns."""
        return self._state_manager

    def build(self, _: Any) -> None:
        """Makes the variables of the columns, and the bias."""
        for column in self._feature_columns:
            with pure_variable_scope(self.name), pure_variable_scope(column.name):
                if isinstance(column, CategoricalColumn):
                    size = column.num_buckets
                else:
                    size = column.variable_shape.num_elements()
                    column.create_state(self._state_manager)
                self._state_manager.create_variable(
                    column, "weights", shape=(size, self._units), dtype=float32, initializer=Zeros()
                )
        with pure_variable_scope(self.name):
            self._bias = self.add_weight(
                name="bias_weights",
                shape=[self._units],
                dtype=float32,
                initializer=Zeros(),
                trainable=self.trainable,
                use_resource=True,
                getter=get_variable,
            )
        self.built = True

    def call(self, features: Mapping[str, Any]) -> Tensor:
        """The sums, [batch, units].

        Args:
            features: from key to tensor.

        Raises:
            ValueError: if the features are no dictionary.
        """
        if not isinstance(features, Mapping):
            raise ValueError(f"We expected a dictionary here. Instead we got: {features}")
        # 1.15's model calls a layer of its own in a scope, each of this name.
        with name_scope(self.name), name_scope(self.name):
            cache = TransformationCache(features)
            sums = []
            for column in self._feature_columns:
                with name_scope(column.name):
                    weights = self._state_manager.get_variable(column, "weights")
                    sums.append(self._sum(column, cache, weights))
            check_batch_sizes(sums, self._feature_columns)
            return bias_add(add_n(sums, name="weighted_sum_no_bias"), self._bias, name="weighted_sum")

    def _sum(self, column: Any, cache: TransformationCache, weights: Any) -> Tensor:
        if isinstance(column, CategoricalColumn):
            made: Any = column.get_sparse_tensors(cache, self._state_manager)
        else:
            made = column.get_dense_tensor(cache, self._state_manager)
        return weighted_sum(column, made, weights, self._sparse_combiner)
