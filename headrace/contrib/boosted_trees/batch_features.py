"""The features of a batch by kind: dense numbers, sparse numbers, and categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from headrace.contrib.layers.feature_column_inputs import transform_features
from headrace.contrib.layers.feature_columns import (
    _OneHotColumn,
    _RealValuedColumn,
    _RealValuedVarLenColumn,
)
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import float32, int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.feature_column.base import CategoricalColumn, TransformationCache
from headrace.feature_column.indicator import IndicatorColumn
from headrace.feature_column.numeric import BucketizedColumn, NumericColumn
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape


class BatchFeatures(NamedTuple):
    """The names of features, and their tensors: dense ones first, then sparse numbers, then categories."""

    names: list[str]
    dense_floats: list[Tensor]
    sparse_float_indices: list[Tensor]
    sparse_float_values: list[Tensor]
    sparse_float_shapes: list[Tensor]
    sparse_int_indices: list[Tensor]
    sparse_int_values: list[Tensor]
    sparse_int_shapes: list[Tensor]


def extract_features(
    features: Mapping[str, Tensor | SparseTensor] | Tensor,
    feature_columns: Iterable[Any] | None,
    use_core_columns: bool,
) -> BatchFeatures:
    """Sorts features by kind.

    Args:
        features: tensors by name, or one.
        feature_columns: what makes features of them, or None to take them as they are.
        use_core_columns: whether the columns are those of `tf.feature_column`, rather than of `tf.contrib.layers`.

    Returns:
        a BatchFeatures, which is a tuple of names and seven lists of tensors.

    Raises:
        ValueError: if there are no features, or a feature of several columns has no columns.
        TypeError: for features of types that trees do not take.
    """
    if features is None or (isinstance(features, Mapping) and not features):
        raise ValueError("Features dictionary must be specified.")
    named: dict[str, Any] = dict(features) if isinstance(features, Mapping) else {"": features}
    if feature_columns is not None:
        columns = sorted(feature_columns, key=lambda column: column.name)
        named = _of_core_columns(named, columns) if use_core_columns else _of_contrib_columns(named, columns)
    dense: list[tuple[str, Tensor]] = []
    sparse: list[tuple[str, SparseTensor]] = []
    categorical: list[tuple[str, SparseTensor]] = []
    for name in sorted(named):
        tensor = named[name]
        if isinstance(tensor, SparseTensor):
            if tensor.values.dtype.is_floating:
                sparse.append((name, tensor))
            elif tensor.values.dtype in (int32, int64):
                categorical.append((name, tensor))
            else:
                raise TypeError(
                    f"Feature {name!r} is sparse, of type {tensor.values.dtype.name}: expected floats or ids"
                )
        elif tensor.dtype.is_floating or tensor.dtype in (int32, int64):
            dense.extend(_columns_of(name, tensor))
        else:
            raise TypeError(f"Feature {name!r} is of type {tensor.dtype.name}: expected numbers, or a column for it")
    sparse_values = [_cast(tensor.values, float32) for _, tensor in sparse]
    return BatchFeatures(
        [name for name, _ in (*dense, *sparse, *categorical)],
        [_cast(tensor, float32) for _, tensor in dense],
        [tensor.indices for _, tensor in sparse],
        sparse_values,
        [tensor.dense_shape for _, tensor in sparse],
        [tensor.indices for _, tensor in categorical],
        [_cast(tensor.values, int64) for _, tensor in categorical],
        [tensor.dense_shape for _, tensor in categorical],
    )


def _cast(tensor: Tensor, dtype: Any) -> Tensor:
    return tensor if tensor.dtype == dtype else raw.Cast(tensor, DstT=dtype)


def _columns_of(name: str, tensor: Tensor) -> list[tuple[str, Tensor]]:
    """A dense feature as matrices of one column each."""
    if tensor.shape.ndims == 1:
        return [(name, reshape(tensor, [-1, 1]))]
    if tensor.shape.ndims != 2:
        raise ValueError(f"Feature {name!r} must be a vector or a matrix, got shape {tensor.shape}")
    width = tensor.shape[1].value
    if width == 1:
        return [(name, tensor)]
    if width is None:
        raise ValueError(f"The number of columns of feature {name!r} is not known: reshape it to [examples, columns]")
    return [(f"{name}_{place}", reshape(part, [-1, 1])) for place, part in enumerate(unstack(tensor, axis=1))]


def _of_contrib_columns(features: dict[str, Any], columns: list[Any]) -> dict[str, Any]:
    for column in columns:
        if isinstance(column, _OneHotColumn) or not hasattr(column, "config"):
            raise ValueError(f"Trees take no column of kind {type(column).__name__}: {column.name}")
    transformed = transform_features(features, columns)
    found: dict[str, Any] = {}
    for column in columns:
        tensor = transformed[column]
        if isinstance(column, (_RealValuedColumn, _RealValuedVarLenColumn)):
            found[column.name] = tensor
        else:
            found[column.name] = tensor.id_tensor if hasattr(tensor, "id_tensor") else tensor
    return found


def _of_core_columns(features: dict[str, Any], columns: list[Any]) -> dict[str, Any]:
    cache = TransformationCache(features)
    found: dict[str, Any] = {}
    for column in columns:
        if isinstance(column, (IndicatorColumn, NumericColumn)):
            found[column.name] = column.get_dense_tensor(cache, None)
        elif isinstance(column, (CategoricalColumn, BucketizedColumn)):
            found[column.name] = column.get_sparse_tensors(cache, None).id_tensor
        else:
            raise ValueError(f"Trees take no column of kind {type(column).__name__}: {column.name}")
    return found
