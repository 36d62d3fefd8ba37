"""How a feature of an Example is to be read: the four kinds, and the arguments of the parsing ops."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.dtypes import as_dtype, int64, string
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.functions.sparse.building import sparse_merge

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values, read as a sparse tensor.

    Args:
        dtype: float32, int64 or string.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["words"].bytes_list.value.extend([b"hello", b"world"])
        >>> parsed = tf.parse_single_example(example.SerializeToString(), {"words": tf.VarLenFeature(tf.string)})
        >>> sess.run(parsed["words"]).values
        array([b'hello', b'world'], dtype=object)
    """

    __slots__ = ()


class SparseFeature(namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
    """A sparse tensor stored as two or more features: its indices and its values.

    Args:
        index_key: the feature with the indices (int64), or a list of features, one a dimension.
        value_key: the feature with the values.
        dtype: the type of the values.
        size: the size of the dimension, or a list of sizes.
        already_sorted: whether the values of each example stand in the order of their indices.

    Example:
        >>> tf.SparseFeature(index_key="ix", value_key="val", dtype=tf.float32, size=100)
    """

    __slots__ = ()

    def __new__(
        cls,
        index_key: str | Sequence[str],
        value_key: str,
        dtype: DTypeLike,
        size: ShapeLike,
        already_sorted: bool = False,
    ) -> SparseFeature:
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A feature with the same number of values in each example, read as a dense tensor.

    Args:
        shape: its shape, fully known.
        dtype: float32, int64 or string.
        default_value: what stands for a missing feature; without it a missing feature is an error.

    Example:
        >>> tf.FixedLenFeature([], tf.int64, default_value=0)
    """

    __slots__ = ()

    def __new__(
        cls, shape: ShapeLike, dtype: DTypeLike, default_value: float | str | Sequence[float] | None = None
    ) -> FixedLenFeature:
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(
    namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])
):
    """A feature that is a sequence of items of one shape, read as a dense tensor, padded within a batch.

    Args:
        shape: the shape of an item.
        dtype: float32, int64 or string.
        allow_missing: whether the feature may be missing, which makes an empty sequence.
        default_value: a scalar to pad with.

    Example:
        >>> tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True)
    """

    __slots__ = ()

    def __new__(
        cls, shape: ShapeLike, dtype: DTypeLike, allow_missing: bool = False, default_value: float | str | None = None
    ) -> FixedLenSequenceFeature:
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


@dataclass
class FeatureSpecs:
    """A mapping of features as the parsing ops take it: sparse and dense ones, each in the order of their keys."""

    sparse_keys: list[str] = field(default_factory=list)
    sparse_types: list[Any] = field(default_factory=list)
    dense_keys: list[str] = field(default_factory=list)
    dense_types: list[Any] = field(default_factory=list)
    dense_shapes: list[Any] = field(default_factory=list)
    dense_defaults: dict[str, Any] = field(default_factory=dict)

    def add_sparse(self, key: str, dtype: DTypeLike, what: str) -> None:
        """Asks for a sparse feature, unless it is asked for already.

        Raises:
            ValueError: if it is, with another type.
        """
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
            return
        before = self.sparse_types[self.sparse_keys.index(key)]
        if before != dtype:
            raise ValueError(f"Conflicting type {before} vs {what} for feature {key}.")


def feature_specs(features: Mapping[str, Any] | None, allowed: Sequence[type]) -> FeatureSpecs:
    """The specs of a mapping from key to feature.

    Raises:
        ValueError: for a value that is no feature, a kind that is not allowed, a missing or unknown type or shape, or a key of
            both a dense and a sparse feature.
    """
    specs = FeatureSpecs()
    for key in sorted(features or {}):
        assert features is not None
        feature = features[key]
        kind = next((kind for kind in ALL_KINDS if isinstance(feature, kind)), None)
        if kind is None:
            raise ValueError(f"Invalid feature {key}:{feature}.")
        if kind not in allowed:
            raise ValueError(f"Unsupported {kind.__name__} {feature}.")
        if kind is SparseFeature:
            for part in ("index_key", "value_key"):
                if not getattr(feature, part):
                    raise ValueError(f"Missing {part} for SparseFeature {feature}.")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        if kind is VarLenFeature:
            specs.sparse_keys.append(key)
            specs.sparse_types.append(feature.dtype)
        elif kind is SparseFeature:
            for index_key in sorted(_listed(feature.index_key)):
                specs.add_sparse(index_key, int64, "int64")
            specs.add_sparse(feature.value_key, feature.dtype, str(feature.dtype))
        else:
            _add_dense(specs, key, feature)
    shared = sorted(set(specs.sparse_keys) & set(specs.dense_keys))
    if shared:
        raise ValueError(f"Dense and sparse keys must not intersect; intersection: {shared}")
    return specs


ALL_KINDS: tuple[type, ...] = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def _listed(keys: str | Sequence[str]) -> list[str]:
    return [keys] if isinstance(keys, str) else list(keys)


def _add_dense(specs: FeatureSpecs, key: str, feature: FixedLenFeature | FixedLenSequenceFeature) -> None:
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}.")
    if isinstance(feature, FixedLenFeature):
        dims = as_dims(feature.shape)
        if dims is not None and dims and dims[0] is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature."
            )
        if dims is None or None in dims:
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but received {feature.shape}."
            )
    elif feature.allow_missing:
        specs.dense_defaults[key] = None
    specs.dense_keys.append(key)
    specs.dense_types.append(feature.dtype)
    specs.dense_shapes.append(feature.shape)
    if feature.default_value is not None:
        specs.dense_defaults[key] = feature.default_value


def with_unknown_length(features: Mapping[str, Any]) -> dict[str, Any]:
    """The features with the length of each sequence as a first dimension of its shape.

    Raises:
        ValueError: for a sequence that must not be missing, which only sequence examples can promise.
    """
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            changed[key] = feature._replace(shape=[None, *feature.shape])
    return changed


def dense_defaults(specs: FeatureSpecs, padding: bool = True, reshaped: bool = True) -> list[Tensor]:
    """The default of each dense feature as a tensor: empty where there is none.

    Args:
        specs: the features.
        padding: whether a feature of unknown length has a scalar default to pad with.
        reshaped: whether other defaults take the feature's shape.
    """
    return [
        _default(key, as_dtype(dtype), as_dims(shape), specs.dense_defaults.get(key), padding, reshaped)
        for key, dtype, shape in zip(specs.dense_keys, specs.dense_types, specs.dense_shapes)
    ]


_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\-/]")


def name_part(key: str) -> str:
    """A feature's key as part of an operation's name."""
    return _NOT_IN_NAMES.sub("_", key)


def _default(key: str, dtype: DType, dims: Dims, value: TensorLike | None, padding: bool, reshaped: bool) -> Tensor:
    if padding and dims and dims[0] is None:
        if value is None:
            return convert_to_tensor("" if dtype is string else 0, dtype)
        value = convert_to_tensor(value, dtype, name=f"padding_{name_part(key)}")
        return raw.Reshape(value, convert_to_tensor([], "int32", name="Reshape/shape"), name="Reshape")
    if value is None:
        return convert_to_tensor([], dtype)
    if isinstance(value, Tensor):
        return value
    value = convert_to_tensor(value, dtype, name=f"key_{name_part(key)}")
    return raw.Reshape(value, list(dims or ()), name="Reshape") if reshaped else value


def merged_sparse_features(features: Mapping[str, Any], parsed: dict[str, Any]) -> dict[str, Any]:
    """What was parsed, with index and value features of each SparseFeature merged to one sparse tensor."""
    merged = dict(parsed)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            ids = feature.index_key
            places = merged[ids] if isinstance(ids, str) else [merged[index_key] for index_key in ids]
            merged[key] = sparse_merge(
                places, merged[feature.value_key], vocab_size=feature.size, already_sorted=feature.already_sorted
            )
    return {key: merged[key] for key in merged if key in features}
