"""Columns of numbers, and of the buckets that they fall into."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, float32, int64
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    Read,
    StateManager,
    check_key,
    column_dtype,
)
from headrace.functions.parsing.features import FixedLenFeature
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import expand_dims
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


class _NumericFields(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Callable[[Tensor], Tensor] | None


class NumericColumn(DenseColumn, _NumericFields):
    """Numbers as they are; made by `numeric_column`."""

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
        """A feature of a fixed number of values."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of an example's numbers."""
        return TensorShape(self.shape)

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Tensor:
        values: Tensor = read(self.key)
        if isinstance(values, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. "
                f"key: {self.key}"
            )
        if self.normalizer_fn is not None:
            values = self.normalizer_fn(values)
        return cast(values, float32)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {**self._asdict(), "dtype": self.dtype.name}


def numeric_column(
    key: str,
    shape: int | Sequence[int] = (1,),
    default_value: Any = None,
    dtype: DTypeLike = float32,
    normalizer_fn: Callable[[Tensor], Tensor] | None = None,
) -> NumericColumn:
    """A column of numbers.

    Args:
        key: the key of the feature.
        shape: the shape of an example's numbers.
        default_value: what stands for a missing one, or for each of them; None demands them.
        dtype: their type in files, an integer or floating one.
        normalizer_fn: a function of the tensor.

    Raises:
        TypeError: if the default does not fit the shape, or `normalizer_fn` cannot be called.
        ValueError: for other types and shapes.

    Example:
        >>> price = tf.feature_column.numeric_column("price", normalizer_fn=lambda x: tf.log(x))
        >>> tf.feature_column.input_layer({"price": [[1.0], [2.0]]}, [price])
    """
    sizes = checked_shape(shape, key)
    dtype = column_dtype(dtype, f"key: {key}")
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default = checked_default(sizes, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    check_key(key)
    return NumericColumn(key, sizes, default, dtype, normalizer_fn)


def checked_shape(shape: int | Sequence[int], key: str) -> tuple[int, ...]:
    """A shape as a tuple.

    Raises:
        TypeError: if it holds other things than integers; ValueError: if one is not positive.
    """
    sizes: tuple[Any, ...] = (shape,)
    if isinstance(shape, TensorShape) or nest.is_sequence(shape):
        sizes = tuple(shape)  # type: ignore[arg-type]  # a sequence, as was asked
    found = []
    for size in sizes:
        size = getattr(size, "value", size)
        if not isinstance(size, (int, np.integer)):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
        found.append(int(size))
    return tuple(found)


def checked_default(sizes: tuple[int, ...], default_value: Any, dtype: DType, key: str) -> Any:
    """A default value, one for each element or None.

    Raises:
        TypeError: if it is of another type; ValueError: if its shape is another.
    """
    if default_value is None:
        return None
    if isinstance(default_value, (int, np.integer)):
        return _repeated(sizes, int(default_value))
    if isinstance(default_value, (float, np.floating)) and dtype.is_floating:
        return _repeated(sizes, float(default_value))
    values = np.asarray(default_value)
    if nest.is_sequence(default_value) or isinstance(default_value, np.ndarray):
        if values.shape != sizes:
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {default_value}, shape: {sizes}, "
                f"key: {key}"
            )
        if np.issubdtype(values.dtype, np.integer) or (
            np.issubdtype(values.dtype, np.floating) and not dtype.is_integer
        ):
            return _as_tuples(values.tolist())
    raise TypeError(
        f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, key: {key}"
    )


def _repeated(sizes: tuple[int, ...], value: float) -> Any:
    return _as_tuples(np.full(sizes, value).tolist())


def _as_tuples(values: Any) -> Any:
    return tuple(_as_tuples(value) for value in values) if isinstance(values, list) else values


class _BucketizedFields(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(DenseColumn, CategoricalColumn, _BucketizedFields):
    """The buckets that numbers fall into; made by `bucketized_column`."""

    @property
    def name(self) -> str:
        """That of the numbers, and what is made of them."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        """The column of the numbers."""
        return [self.source_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the numbers."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """A bucket has a place of its own for each number."""
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])

    @property
    def num_buckets(self) -> int:
        """Each number has buckets of its own."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Tensor:
        return raw.Bucketize(read(self.source_column), boundaries=list(self.boundaries))

    def _one_hot(self, buckets: Tensor) -> Tensor:
        return one_hot(cast(buckets, int64), depth=len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager | None) -> Tensor:
        """Ones at the buckets, zeros elsewhere."""
        return self._one_hot(transformation_cache.get(self, state_manager))

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> Tensor:
        return self._one_hot(inputs.get(self))

    def _pair(self, read: Read) -> IdWeightPair:
        buckets = read(self)
        batch = shape_of(buckets)[0]
        numbers = self.source_column.shape[0]
        rows = reshape(tile(expand_dims(range_of(0, batch), 1), [1, numbers]), (-1,))
        places = tile(range_of(0, numbers), [batch])
        # Buckets of different numbers are different classes.
        classes = reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * places
        indices = cast(transpose(stack((rows, places))), int64)
        return IdWeightPair(SparseTensor(indices, classes, cast(stack([batch, numbers]), int64)), None)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return {"source_column": self.source_column, "boundaries": self.boundaries}


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> BucketizedColumn:
    """A column of the buckets that numbers fall into; a bucket holds its left boundary.

    Args:
        source_column: the numbers, of rank 1.
        boundaries: ascending.

    Raises:
        ValueError: if `source_column` is no numeric column of rank 1, or `boundaries` do not ascend.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> tf.feature_column.bucketized_column(price, boundaries=[0.0, 10.0, 100.0])
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError("source_column must be a column generated with numeric_column(). Given: " + str(source_column))
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries or not isinstance(boundaries, (list, tuple)):
        raise ValueError("boundaries must be a sorted list.")
    if any(one >= other for one, other in itertools.pairwise(boundaries)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
