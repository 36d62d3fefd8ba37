"""The features of boosted trees: what columns give, as vectors of bucket numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headrace.core.dtypes import float32, int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.feature_column.base import CategoricalColumn, DenseColumn, TransformationCache
from headrace.feature_column.indicator import IndicatorColumn
from headrace.feature_column.numeric import BucketizedColumn, NumericColumn
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.array.join import unstack


def sorted_columns(columns: Iterable[Any]) -> list[Any]:
    """The columns by name: the features' numbers follow this order."""
    return sorted(columns, key=lambda column: column.name)


def _refuse_categorical(column: Any) -> None:
    if isinstance(column, CategoricalColumn) and not isinstance(column, (BucketizedColumn, IndicatorColumn)):
        raise ValueError(f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}")


def feature_count(column: Any) -> int:
    """How many features a column makes."""
    _refuse_categorical(column)
    if isinstance(column, BucketizedColumn):
        return 1
    if not isinstance(column, DenseColumn):
        raise ValueError(f"Got unexpected feature column type: {column}")
    dims = column.variable_shape.as_list()
    if len(dims) != 1 and not isinstance(column, IndicatorColumn):
        raise ValueError(
            f"For now, we only support Dense column with rank of 1, but column `{column.name}` got: {tuple(dims)}"
        )
    return int(dims[-1] or 0)


def calculate_num_features(columns: Iterable[Any]) -> int:
    """How many features columns make."""
    return sum(map(feature_count, columns))


def feature_names(columns: Iterable[Any]) -> list[str]:
    """The name of the column of each feature, without what wraps its categories."""
    names: list[str] = []
    for column in columns:
        name = column.categorical_column.name if isinstance(column, IndicatorColumn) else column.name
        names.extend([name] * feature_count(column))
    return names


def is_float_column(column: Any) -> bool:
    """Whether a column's values get buckets by their quantiles.

    Raises:
        AttributeError: for a column that does not tell the type of its numbers, such as an embedding.
        TypeError: for numbers of another type than floating.
    """
    if isinstance(column, (BucketizedColumn, IndicatorColumn)):
        return False
    _refuse_categorical(column)
    if not hasattr(column, "dtype"):
        raise AttributeError(
            f"'{type(column).__name__}' object has no attribute 'dtype': boosted trees take numeric, bucketized and "
            f"indicator columns, not `{column.name}`"
        )
    if isinstance(column, NumericColumn) and not column.dtype.is_floating:
        raise TypeError(
            f"Boosted trees need numbers of floating type, column `{column.name}` has {column.dtype.name}: give "
            "numeric_column a floating dtype, or wrap it by a bucketized_column"
        )
    return True


def float_columns(columns: Iterable[Any]) -> list[Any]:
    """The columns whose values get buckets by their quantiles."""
    return [column for column in columns if is_float_column(column)]


def group_features_by_num_buckets(columns: Sequence[Any], num_quantiles: int) -> tuple[list[int], list[list[int]]]:
    """The features whose statistics are kept together.

    Args:
        columns: the columns in order.
        num_quantiles: how many buckets a feature of numbers gets.

    Returns:
        how many buckets each group has; and the numbers of its features.
    """
    numeric: list[int] = []
    indicators: list[int] = []
    bucketized: list[int] = []
    most = 0
    first = 0
    for column in columns:
        count = feature_count(column)
        group = numeric
        if isinstance(column, IndicatorColumn):
            group = indicators
        elif isinstance(column, BucketizedColumn):
            group = bucketized
            most = max(most, len(column.boundaries) + 1)
        group.extend(range(first, first + count))
        first += count
    groups = (num_quantiles, numeric), (2, indicators), (most, bucketized)
    used = [(buckets, features) for buckets, features in groups if features]
    return [buckets for buckets, _ in used], [features for _, features in used]


def _vectors(dense: Tensor, column: Any) -> list[Tensor]:
    """The columns of a matrix."""
    return unstack(dense, num=feature_count(column), axis=1)


def float_values(cache: TransformationCache, columns: Iterable[Any]) -> list[Tensor]:
    """The values of the features of numbers, a vector each."""
    vectors: list[Tensor] = []
    for column in columns:
        dense = cache.get(column)
        vectors.extend(_vectors(dense if dense.dtype == float32 else raw.Cast(dense, DstT=float32), column))
    return vectors


def bucketized_features(
    cache: TransformationCache, columns: Iterable[Any], boundaries: Mapping[Any, Sequence[Tensor]]
) -> list[Tensor]:
    """The bucket numbers of all features, a vector each.

    Args:
        cache: the features of the batch.
        columns: the columns in order.
        boundaries: the buckets' boundaries for each feature of a column of numbers.
    """
    vectors: list[Tensor] = []
    for column in columns:
        if isinstance(column, BucketizedColumn):
            vectors.append(squeeze(cache.get(column), axis=[1]))
        elif isinstance(column, IndicatorColumn):
            vectors.extend(raw.Cast(vector, DstT=int32) for vector in _vectors(cache.get(column), column))
        else:
            buckets = raw.BoostedTreesBucketize(float_values(cache, [column]), list(boundaries[column]))
            vectors.extend([buckets] if isinstance(buckets, Tensor) else buckets)
    return vectors


def boundaries_by_column(columns: Iterable[Any], boundaries: Sequence[Tensor]) -> dict[Any, list[Tensor]]:
    """The boundaries of the features of numbers, by their columns."""
    found: dict[Any, list[Tensor]] = {}
    first = 0
    for column in columns:
        count = feature_count(column)
        found[column] = list(boundaries[first : first + count])
        first += count
    return found
