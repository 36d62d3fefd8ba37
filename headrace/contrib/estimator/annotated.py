"""Networks whose layers tools can tell by the names of their operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.estimator.canned.dnn import DNNClassifier, DNNRegressor
from headrace.losses.weighting import Reduction
from headrace.ops.nn.activations import relu

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator
    from headrace.estimator.run_config import RunConfig


def DNNClassifierWithLayerAnnotations(
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    n_classes: int = 2,
    weight_column: Any = None,
    label_vocabulary: Sequence[str] | None = None,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[..., Any] | None = relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: RunConfig | None = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> Estimator:
    """A classifier by a feed-forward network.

    Args:
        hidden_units, feature_columns, model_dir, n_classes, weight_column, label_vocabulary, optimizer: as of
            `tf.estimator.DNNClassifier`.
        activation_fn, dropout, input_layer_partitioner, config, warm_start_from, loss_reduction: likewise.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> estimator = tf.contrib.estimator.DNNClassifierWithLayerAnnotations([16], columns)
    """
    return DNNClassifier(
        hidden_units,
        feature_columns,
        model_dir,
        n_classes,
        weight_column,
        label_vocabulary,
        optimizer,
        activation_fn,
        dropout,
        input_layer_partitioner,
        config,
        warm_start_from,
        loss_reduction,
    )


def DNNRegressorWithLayerAnnotations(
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    label_dimension: int = 1,
    weight_column: Any = None,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[..., Any] | None = relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: RunConfig | None = None,
    warm_start_from: Any = None,
    loss_reduction: str = Reduction.SUM,
) -> Estimator:
    """A regression by a feed-forward network.

    Args:
        hidden_units, feature_columns, model_dir, label_dimension, weight_column, optimizer, activation_fn: as of
            `tf.estimator.DNNRegressor`.
        dropout, input_layer_partitioner, config, warm_start_from, loss_reduction: likewise.
    """
    return DNNRegressor(
        hidden_units,
        feature_columns,
        model_dir,
        label_dimension,
        weight_column,
        optimizer,
        activation_fn,
        dropout,
        input_layer_partitioner,
        config,
        warm_start_from,
        loss_reduction,
    )
