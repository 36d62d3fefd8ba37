"""How the features, labels and weights of canned models lie in `tf.Example`s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import float32, int64
from headrace.feature_column.numeric import NumericColumn, numeric_column
from headrace.feature_column.parsing import make_parse_example_spec
from headrace.functions.parsing.features import FixedLenFeature

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


def classifier_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """How to parse the examples of a classifier.

    Args:
        feature_columns: the columns.
        label_key: the key of the label.
        label_dtype: its type.
        label_default: the label of an example that has none.
        weight_column: the key or numeric column of the weights.

    Returns:
        from key to `tf.FixedLenFeature` or its kin, as `tf.parse_example` takes it.

    Raises:
        ValueError: if the label or the weight is a feature too.

    Example:
        >>> spec = tf.estimator.classifier_parse_example_spec([tf.feature_column.numeric_column("x")], "y")
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label_and_weight(make_parse_example_spec(feature_columns), label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """How to parse the examples of a regression.

    Args:
        label_dimension: how many numbers an example has.
        feature_columns, label_key, label_dtype, label_default, weight_column: as of `classifier_parse_example_spec`.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label_and_weight(make_parse_example_spec(feature_columns), label_key, label, weight_column)


def _with_label_and_weight(spec: dict[str, Any], label_key: str, label: Any, weight_column: Any) -> dict[str, Any]:
    if label_key in spec:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {spec.keys()}")
    spec = {**spec, label_key: label}
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = numeric_column(weight_column)
    if not isinstance(weight_column, NumericColumn):
        raise ValueError(
            f"weight_column should be an instance of tf.feature_column.numeric_column. Given: {weight_column}"
        )
    if weight_column.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weight_column.key}, features: {spec.keys()}"
        )
    return {**spec, **weight_column._parse_example_spec}
