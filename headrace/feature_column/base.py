"""What feature columns are: functions of features, of two generations with one implementation.

A column reads raw features and other columns from a cache, so that what several columns read is transformed once. The
columns of 1.x call it `inputs` and make variables with `get_variable`; those of `DenseFeatures` make them by a state
manager, which keeps them in a layer.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import DType, as_dtype, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.flow.checks import assert_positive
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arithmetic import cast
from headrace.kernels.composing.shapes import expand_dims, rank, shape
from headrace.ops.array.where import where
from headrace.ops.sparse.reshape import sparse_reshape

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import InitializerLike
    from headrace.state.variables import Variable

Read = Callable[[Any], Any]


class IdWeightPair(NamedTuple):
    """Class numbers of examples, and their weights.

    Attributes:
        id_tensor: SparseTensor of int64 [batch, …].
        weight_tensor: SparseTensor of floats of the same places, or None.
    """

    id_tensor: SparseTensor
    weight_tensor: SparseTensor | None


class TensorSequenceLengthPair(NamedTuple):
    """A sequence for each example, and how long they are.

    Attributes:
        dense_tensor: [batch, steps, …].
        sequence_length: int64 [batch].
    """

    dense_tensor: Tensor
    sequence_length: Tensor


class StateManager(abc.ABC):
    """What keeps the variables and tables of columns."""

    @abc.abstractmethod
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
        """Makes a variable of a column."""

    @abc.abstractmethod
    def get_variable(self, feature_column: FeatureColumn, name: str) -> Variable:
        """The variable of a column."""

    def add_resource(self, feature_column: FeatureColumn, name: str, resource: object) -> None:
        """Keeps a table of a column."""
        raise NotImplementedError(f"{type(self).__name__} keeps no tables.")

    def has_resource(self, feature_column: FeatureColumn, name: str) -> bool:
        """Whether a table of a column is kept."""
        return False

    def get_resource(self, feature_column: FeatureColumn, name: str) -> Any:
        """The table of a column."""
        raise NotImplementedError(f"{type(self).__name__} keeps no tables.")


class FeatureColumn(abc.ABC):
    """A function of features: raw ones by name, and other columns."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name, in those of its variables."""

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Any:
        """What it makes of what it reads; columns that programs write have `transform_feature` instead."""
        return self.transform_feature(Reading(read), state_manager)

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """How the raw features lie in a `tf.Example`: from key to `tf.FixedLenFeature` or its kin."""

    @property
    @abc.abstractmethod
    def parents(self) -> list[Any]:
        """The keys and columns that it reads."""

    def transform_feature(self, transformation_cache: TransformationCache, state_manager: StateManager | None) -> Any:
        """What it makes of the features in a cache."""
        return self._transformed(lambda key: transformation_cache.get(key, state_manager), state_manager)

    def create_state(self, state_manager: StateManager) -> None:
        """Makes its variables; most have none."""
        return None

    # The names of the columns before these.

    def _transform_feature(self, inputs: TransformationCache) -> Any:
        return self._transformed(inputs.get, None)

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.parse_example_spec

    @property
    def _var_scope_name(self) -> str:
        return self.name

    @property
    def _is_v2_column(self) -> bool:
        return all(parent._is_v2_column for parent in self.parents if isinstance(parent, FeatureColumn))

    def __lt__(self, other: object) -> bool:
        """By text, so that structures of columns and names have an order."""
        return str(self) < str(other)

    def __gt__(self, other: object) -> bool:
        return str(self) > str(other)

    # ---- as settings ----

    def get_config(self) -> dict[str, Any]:
        """Its fields; `_get_config` makes settings of the columns and functions among them."""
        raise NotImplementedError(f"{type(self).__name__} has no settings.")

    def _get_config(self) -> dict[str, Any]:
        from headrace.feature_column.serialization import fields_as_settings  # that file knows all columns

        return fields_as_settings(self)

    @classmethod
    def _from_config(
        cls,
        config: dict[str, Any],
        custom_objects: Mapping[str, Any] | None = None,
        columns_by_name: dict[str, Any] | None = None,
    ) -> Any:
        from headrace.feature_column.serialization import column_of_settings  # that file knows all columns

        return column_of_settings(cls, config, custom_objects, columns_by_name)


class DenseColumn(FeatureColumn):
    """A column of dense tensors, [batch, …]."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> TensorShape:
        """The shape of an example's tensor."""

    @property
    def _variable_shape(self) -> TensorShape:
        return self.variable_shape

    def get_dense_tensor(self, transformation_cache: TransformationCache, state_manager: StateManager | None) -> Tensor:
        """The tensor of a batch."""
        return transformation_cache.get(self, state_manager)

    def _get_dense_tensor(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        return inputs.get(self)


class CategoricalColumn(FeatureColumn):
    """A column of classes, any number of them for an example."""

    @property
    @abc.abstractmethod
    def num_buckets(self) -> int:
        """How many classes there are."""

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets

    def _pair(self, read: Read) -> IdWeightPair:
        """The classes of a batch, with their weights if it has any."""
        if type(self).get_sparse_tensors is not CategoricalColumn.get_sparse_tensors:
            # One that a program wrote.
            return self.get_sparse_tensors(Reading(read), None)
        return IdWeightPair(read(self), None)

    def get_sparse_tensors(
        self, transformation_cache: TransformationCache, state_manager: StateManager | None
    ) -> IdWeightPair:
        """The classes of a batch, with their weights if it has any."""
        return self._pair(lambda key: transformation_cache.get(key, state_manager))

    def _get_sparse_tensors(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        return self._pair(inputs.get)


class SequenceDenseColumn(FeatureColumn):
    """A column of sequences of dense tensors."""

    @abc.abstractmethod
    def get_sequence_dense_tensor(
        self, transformation_cache: TransformationCache, state_manager: StateManager | None
    ) -> TensorSequenceLengthPair:
        """The sequences of a batch, and how long they are."""


class TransformationCache:
    """The features of a batch, and what columns have made of them.

    Args:
        features: from key to tensor or SparseTensor; tensors of rank 1 become columns.
    """

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = features.copy() if hasattr(features, "copy") else dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: StateManager | None = None) -> Any:
        """What a key or a column stands for.

        Raises:
            ValueError: if a feature is missing or a scalar, or a column gives nothing.
            TypeError: if `key` is neither a string nor a column.
        """
        if key in self._made:
            return self._made[key]
        if key in self._features:
            made = self._raw(key)
        elif isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        elif not isinstance(key, FeatureColumn) and not hasattr(key, "_transform_feature"):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        else:
            made = self._of_column(key, state_manager)
            if made is None:
                raise ValueError(f"Column {key.name} is not supported.")
        self._made[key] = made
        return made

    def _of_column(self, column: Any, state_manager: StateManager | None) -> Any:
        if state_manager is not None or not hasattr(column, "_transform_feature"):
            return column.transform_feature(self, state_manager)
        return column._transform_feature(self)

    def _raw(self, key: Any) -> Any:
        feature = convert_to_tensor_or_sparse_tensor(self._features[key])
        known = feature.shape.ndims
        if known is not None:
            if known == 0:
                raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
            return feature if known != 1 else _as_column(feature)
        found = rank(feature) if isinstance(feature, Tensor) else raw.Size(feature.dense_shape)
        with control_dependencies([assert_positive(found, message=f"Feature (key: {key}) cannot have rank 0.")]):
            return cond(raw.Equal(1, found), lambda: _as_column(feature), lambda: feature)


class Reading(TransformationCache):
    """A cache that is read by a function, for columns that programs write."""

    def __init__(self, read: Read) -> None:
        super().__init__({})
        self._read = read

    def get(self, key: Any, state_manager: StateManager | None = None) -> Any:
        return self._read(key)


# 1.x's name of it.
FeatureTransformationCache = TransformationCache


def _as_column(feature: Tensor | SparseTensor) -> Any:
    if isinstance(feature, SparseTensor):
        return sparse_reshape(feature, [shape(feature)[0], 1])
    return expand_dims(feature, -1)


def to_sparse_and_drop(tensor: Any, ignore_value: Any = None) -> SparseTensor:
    """A tensor's elements as a SparseTensor, without those that mean "nothing".

    Args:
        tensor: a tensor, or a SparseTensor, which stays as it is.
        ignore_value: what means nothing: "" of strings, -1 of integers, 0 of other types by default.
    """
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", (tensor, ignore_value)):
        if ignore_value is None:
            if tensor.dtype.is_integer:
                ignore_value = -1
            else:
                ignore_value = "" if tensor.dtype.name == "string" else 0.0
        ignored = cast(ignore_value, tensor.dtype, name="ignore_value")
        indices = where(raw.NotEqual(tensor, ignored), name="indices")
        return SparseTensor(
            indices, gather_nd(tensor, indices, name="values"), shape(tensor, out_type=int64, name="dense_shape")
        )


def check_string_or_integer(dtype: DType, prefix: str) -> None:
    """Raises ValueError unless classes of this type can be told apart."""
    if dtype.name != "string" and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def column_dtype(dtype: Any, what: str) -> DType:
    """The type of a column.

    Raises:
        AttributeError: for names and numbers of types and those of NumPy: TensorFlow asks whether it `is_integer`.

    Example:
        >>> column_dtype(tf.float32, "key: price")
        tf.float32
    """
    # Python's floats can be asked, too.
    if not (isinstance(dtype, DType) or dtype is float):
        raise AttributeError(f"dtype must be a DType, got {dtype!r}, which has no is_integer. {what}")
    return as_dtype(dtype)


def check_key(key: object) -> None:
    """Raises ValueError unless a key is one of a feature."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
