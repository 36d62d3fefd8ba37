"""How the features of columns lie in `tf.Example`s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.feature_column.legacy import LegacyFeatureColumn


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """How to parse the features that columns read.

    Args:
        feature_columns: the columns.

    Returns:
        from key to `tf.FixedLenFeature` or its kin, as `tf.parse_example` takes it.

    Raises:
        ValueError: if one is no column, or two read a key in different ways.

    Example:
        >>> spec = tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("price")])
        >>> tf.parse_example(serialized, spec)
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, LegacyFeatureColumn):
            raise ValueError(f"All feature_columns must be _FeatureColumn instances. Given: {column}")
        for key, value in column._parse_example_spec.items():
            if key in found and value != found[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and {found[key]}"
                )
            found[key] = value
    return found
