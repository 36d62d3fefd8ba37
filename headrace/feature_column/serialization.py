"""Feature columns as settings: dictionaries of class names and fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headrace.core.dtypes import as_dtype
from headrace.feature_column.base import FeatureColumn
from headrace.feature_column.categorical import (
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
)
from headrace.feature_column.crossed import CrossedColumn
from headrace.feature_column.embedding import EmbeddingColumn
from headrace.feature_column.indicator import IndicatorColumn
from headrace.feature_column.numeric import BucketizedColumn, NumericColumn
from headrace.feature_column.sequences import SequenceCategoricalColumn, SequenceNumericColumn
from headrace.layers import named

_KINDS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (
        BucketizedColumn,
        CrossedColumn,
        EmbeddingColumn,
        HashedCategoricalColumn,
        IdentityCategoricalColumn,
        IndicatorColumn,
        NumericColumn,
        SequenceCategoricalColumn,
        SequenceNumericColumn,
        VocabularyFileCategoricalColumn,
        VocabularyListCategoricalColumn,
        WeightedCategoricalColumn,
    )
}
_FUNCTIONS = ("normalizer_fn",)


def serialize_feature_column(column: FeatureColumn | str) -> Any:
    """A column, or the key of a feature, as settings.

    Raises:
        ValueError: for something else.

    Example:
        >>> serialize_feature_column(tf.feature_column.numeric_column("price"))["class_name"]
        'NumericColumn'
    """
    if isinstance(column, str):
        return column
    if not isinstance(column, FeatureColumn):
        raise ValueError(f"Instance: {column} is not a FeatureColumn")
    return {"class_name": type(column).__name__, "config": column._get_config()}


def fields_as_settings(column: FeatureColumn) -> dict[str, Any]:
    """The fields of a column; columns, functions and initializers among them are settings too."""
    return {key: _as_setting(value) for key, value in column.get_config().items()}


def _as_setting(value: Any) -> Any:
    if isinstance(value, FeatureColumn):
        return serialize_feature_column(value)
    if isinstance(value, tuple) and any(isinstance(item, FeatureColumn) for item in value):
        return tuple(serialize_feature_column(item) for item in value)
    if callable(value) or hasattr(value, "get_config"):
        return named.setting(value)
    return value


def deserialize_feature_column(
    config: Any, custom_objects: Mapping[str, Any] | None = None, columns_by_name: dict[str, Any] | None = None
) -> Any:
    """The column that settings describe; a key is itself.

    Args:
        config: what `serialize_feature_column` gave.
        custom_objects: by name classes and functions that are the program's.
        columns_by_name: columns made so far, of which those of the same name are used again.

    Raises:
        ValueError: for settings of no column that is known.
    """
    if isinstance(config, str):
        return config
    kinds = {**_KINDS, **(custom_objects or {})}
    if not isinstance(config, Mapping) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"Improper config format: {config}")
    if config["class_name"] not in kinds:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    known = {} if columns_by_name is None else columns_by_name
    made = kinds[config["class_name"]]._from_config(config["config"], custom_objects, known)
    return known.setdefault(column_name_with_class_name(made), made)


def column_name_with_class_name(fc: Any) -> str:
    """What tells a column from others of its model: the names of its class and its own.

    Example:
        >>> column_name_with_class_name(tf.feature_column.numeric_column("price"))
        'NumericColumn:price'
    """
    return f"{type(fc).__name__}:{fc.name}"


def check_config_keys(config: Mapping[str, Any], expected_keys: Iterable[str]) -> None:
    """Raises ValueError where settings have other keys than a column's fields."""
    if set(config) != set(expected_keys):
        raise ValueError(f"Invalid config: {config}, expected keys: {expected_keys}")


def standardize_and_copy_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of settings, with tuples for the lists that JSON makes of them."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in config.items()}


def column_of_settings(
    kind: Callable[..., Any],
    config: Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """The column of a class whose fields settings give, as `fields_as_settings` makes them.

    Raises:
        ValueError: for other fields than the class has.
    """
    expected = getattr(kind, "_fields", None)
    if expected is not None:
        check_config_keys(config, expected)
    known = {} if columns_by_name is None else columns_by_name
    return kind(**{key: _from_setting(key, value, custom_objects, known) for key, value in config.items()})


def _from_setting(
    key: str, value: Any, custom_objects: Mapping[str, Any] | None, columns_by_name: dict[str, Any]
) -> Any:
    if key in ("source_column", "categorical_column"):
        return deserialize_feature_column(value, custom_objects, columns_by_name)
    if key == "keys":
        return tuple(deserialize_feature_column(item, custom_objects, columns_by_name) for item in value)
    if key == "dtype":
        return as_dtype(value)
    if key == "initializer":
        return named.get_initializer(value)
    if key in _FUNCTIONS and isinstance(value, str):
        if value not in (custom_objects or {}):
            raise ValueError(f"Unknown function {value!r}: give it in custom_objects.")
        return (custom_objects or {})[value]
    return tuple(value) if isinstance(value, list) else value


def serialize_feature_columns(feature_columns: Iterable[FeatureColumn]) -> list[Any]:
    """Several columns as settings."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_columns(configs: Iterable[Any], custom_objects: Mapping[str, Any] | None = None) -> list[Any]:
    """The columns that settings describe; those that several read are made once."""
    known: dict[str, Any] = {}
    return [deserialize_feature_column(config, custom_objects, known) for config in configs]
