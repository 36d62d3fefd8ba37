"""Layers of feature columns: `DenseFeatures` and `SequenceFeatures`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.feature_column.base import (
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    StateManager,
    TransformationCache,
)
from headrace.feature_column.input_layer import check_batch_sizes, normalized
from headrace.feature_column.sequences import same_lengths
from headrace.feature_column.serialization import deserialize_feature_columns, serialize_feature_columns
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.layers.engine import Layer
from headrace.ops.array.shape import reshape
from headrace.state.variable_scope import get_variable, pure_variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import InitializerLike, Partitioner
    from headrace.state.variables import Variable


class LayerState(StateManager):
    """Keeps the variables and tables of columns in a layer.

    The variables are those of the variable scope in force, which may share and part them.

    Args:
        layer: the layer.
        trainable: whether its variables are trained.
    """

    def __init__(self, layer: Layer, trainable: bool) -> None:
        self._layer, self._trainable = layer, trainable
        self._getter: dict[str, Any] = {"getter": get_variable}
        self._variables: dict[Any, dict[str, Any]] = defaultdict(dict)
        self._resources: dict[Any, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: FeatureColumn,
        name: str,
        shape: Sequence[int],
        dtype: DType | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: InitializerLike | None = None,
    ) -> Variable:
        """Makes a variable of a column.

        Raises:
            ValueError: if it has one of that name.
        """
        if name in self._variables[feature_column]:
            raise ValueError("Variable already exists.")
        variable = self._layer.add_weight(
            name=name,
            shape=shape,
            dtype=dtype or float32,
            initializer=initializer,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
            **self._getter,
        )
        self._variables[feature_column][name] = variable
        return variable

    def get_variable(self, feature_column: FeatureColumn, name: str) -> Variable:
        """The variable of a column.

        Raises:
            ValueError: if there is none of that name.
        """
        if name not in self._variables[feature_column]:
            raise ValueError("Variable does not exist.")
        return self._variables[feature_column][name]

    def add_resource(self, feature_column: FeatureColumn, name: str, resource: object) -> None:
        """Keeps a table of a column."""
        self._resources[feature_column][name] = resource

    def has_resource(self, feature_column: FeatureColumn, name: str) -> bool:
        """Whether a table of a column is kept."""
        return name in self._resources[feature_column]

    def get_resource(self, feature_column: FeatureColumn, name: str) -> Any:
        """The table of a column; it is forgotten, so that the next call makes one in its own graph.

        Raises:
            ValueError: if none is kept.
        """
        if not self.has_resource(feature_column, name):
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column].pop(name)


class KerasLayerState(LayerState):
    """Keeps variables in a layer as Keras does: the layer's own, named by name scopes.

    Args:
        layer: the layer.
        trainable: whether its variables are trained.
    """

    def __init__(self, layer: Layer, trainable: bool) -> None:
        super().__init__(layer, trainable)
        self._getter = {}


class _FeaturesLayer(Layer):
    """What layers of columns share.

    Args:
        feature_columns: the columns.
        expected_column_type: what they have to be.
        trainable, name: as of any layer.
        partitioner: how tables are parted.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        expected_column_type: type,
        trainable: bool,
        name: str | None,
        partitioner: Partitioner | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._feature_columns = normalized(feature_columns)
        self._state_manager = LayerState(self, self.trainable)
        self._partitioner = partitioner
        for column in self._feature_columns:
            if not isinstance(column, expected_column_type):
                raise ValueError(
                    f"Items of feature_columns must be a {expected_column_type.__name__}. You can wrap a categorical column "
                    f"with an embedding_column or indicator_column. Given: {column}"
                )

    def build(self, _: Any) -> None:
        """Makes the variables of the columns."""
        for column in self._feature_columns:
            with (
                pure_variable_scope(self.name, partitioner=self._partitioner),
                pure_variable_scope(column.name),
            ):
                column.create_state(self._state_manager)
        self.built = True

    def _size(self) -> int:
        return sum(column.variable_shape.num_elements() for column in self._feature_columns)

    def _joined(self, tensors: list[Tensor]) -> Tensor:
        check_batch_sizes(tensors, self._feature_columns)
        return concat(tensors, -1)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        partitioner = getattr(self._partitioner, "__name__", None)
        config = {**super().get_config(), "feature_columns": serialize_feature_columns(self._feature_columns)}
        return {**config, "partitioner": partitioner} if partitioner else config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The layer that `get_config` describes.

        Args:
            config: what it gave.
            custom_objects: by name classes and functions that are the program's.
        """
        columns = deserialize_feature_columns(config["feature_columns"], custom_objects)
        return cls(**{**config, "feature_columns": columns})


class DenseFeatures(_FeaturesLayer):
    """A layer of the tensors of dense columns side by side.

    Args:
        feature_columns: dense columns; embeddings and indicators make such of classes.
        trainable, name: as of any layer.

    Raises:
        ValueError: if one is no dense column.

    Example:
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.numeric_column("price")])
        >>> layer({"price": tf.constant([[1.0], [2.0]])})
    """

    def __init__(
        self, feature_columns: Iterable[Any], trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, DenseColumn, trainable, name, **kwargs)

    @property
    def _is_feature_layer(self) -> bool:
        return True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[batch, sum of the sizes of the columns]."""
        return (input_shape[0], self._size())

    def call(self, features: Mapping[str, Any], cols_to_output_tensors: dict[Any, Any] | None = None) -> Any:
        """The tensors side by side, [batch, sum of their sizes].

        Args:
            features: from key to tensor.
            cols_to_output_tensors: a dict that receives the tensor of each column.

        Raises:
            ValueError: if the features are no dictionary.
        """
        _check_features(features)
        cache = TransformationCache(features)
        tensors = []
        for column in self._feature_columns:
            with name_scope(column.name):
                tensor = column.get_dense_tensor(cache, self._state_manager)
                output = reshape(tensor, shape=(shape(tensor)[0], column.variable_shape.num_elements()))
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = output
                tensors.append(output)
        return self._joined(tensors)


class DenseFeaturesV2(DenseFeatures):
    """`DenseFeatures` whose variables are named and kept as those of other layers of Keras: without variable scopes.

    Args:
        feature_columns, trainable, name: as of `DenseFeatures`.
    """

    def __init__(
        self, feature_columns: Iterable[Any], trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, trainable, name, **kwargs)
        self._state_manager = KerasLayerState(self, self.trainable)

    def build(self, _: Any) -> None:
        """Makes the variables of the columns."""
        for column in self._feature_columns:
            with name_scope(column.name):
                column.create_state(self._state_manager)
        self.built = True


class SequenceFeatures(_FeaturesLayer):
    """A layer of sequences of dense columns side by side.

    Args:
        feature_columns: columns of sequences.
        trainable, name: as of any layer.

    Raises:
        ValueError: if one is of another kind.

    Example:
        >>> rating = tf.feature_column.sequence_numeric_column("rating")
        >>> sequences, lengths = tf.keras.experimental.SequenceFeatures([rating])({"rating": sparse})
    """

    def __init__(
        self, feature_columns: Iterable[Any], trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, SequenceDenseColumn, trainable, name, **kwargs)

    @property
    def _is_feature_layer(self) -> bool:
        return True

    def compute_output_shape(self, input_shape: Any) -> Any:
        """[batch, steps, sum of the sizes of the columns]."""
        return (input_shape[0], input_shape[1], self._size())

    def call(self, features: Mapping[str, Any]) -> Any:
        """The sequences side by side, [batch, steps, sum of their sizes], and their lengths, int64 [batch].

        Args:
            features: from key to tensor.

        Raises:
            ValueError: if the features are no dictionary.
        """
        _check_features(features)
        cache = TransformationCache(features)
        tensors, lengths = [], []
        for column in self._feature_columns:
            with name_scope(column.name):
                dense, length = column.get_sequence_dense_tensor(cache, self._state_manager)
                tensors.append(flat_steps(dense, column.variable_shape))
                lengths.append(length)
        check_batch_sizes(lengths, self._feature_columns)
        length = same_lengths(lengths)
        return self._joined(tensors), length


def flat_steps(dense: Tensor, step: TensorShape) -> Tensor:
    """Sequences as [batch, steps, size of a step]."""
    sizes = shape(dense)
    return reshape(dense, shape=(sizes[0], sizes[1], step.num_elements()))


def _check_features(features: object) -> None:
    if not isinstance(features, Mapping):
        raise ValueError(f"We expected a dictionary here. Instead we got: {features}")
