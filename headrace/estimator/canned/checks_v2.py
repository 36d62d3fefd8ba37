"""What the estimators of 2.x's interface share: their heads, and what they ask of columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.estimator.heads.binary_class_head import BinaryClassHead
from headrace.estimator.heads.multi_class_head import MultiClassHead
from headrace.feature_column.linear_layer import is_feature_column_v2

if TYPE_CHECKING:
    from headrace.estimator.heads.base_head import Head


def head_of_classes_v2(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> Head:
    """The head of a classifier of so many classes."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def check_columns_v2(columns: Iterable[Any]) -> None:
    """Raises ValueError if a column keeps its variables in variable scopes, as those of before 1.13."""
    if not is_feature_column_v2(columns):
        raise ValueError(
            "Received a feature column from TensorFlow v1, but this is a TensorFlow v2 Estimator. Please either use columns "
            "that keep their variables in layers, as tf.compat.v2.feature_column has them, or the estimator of "
            "tf.compat.v1.estimator."
        )
