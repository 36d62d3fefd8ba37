"""Linear estimators: `LinearClassifier`, `LinearRegressor`, `LinearEstimator`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.tensor import Tensor
from headrace.estimator.canned.linear_logits import linear_layer_logits, parts_of, summarize_linear
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.canned.partitioning import check_features, input_partitioner
from headrace.estimator.canned.sdca import LinearSDCA, check_sdca_classifier, check_sdca_regressor, sdca_model_fn
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import binary_or_multi_class_head, regression_head
from headrace.estimator.model_fn import EstimatorSpec
from headrace.feature_column.input_layer import linear_model
from headrace.feature_column.linear_layer import is_feature_column_v2
from headrace.losses.weighting import Reduction
from headrace.optimizers.adagrad import FtrlOptimizer
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import Partitioner
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

LEARNING_RATE = 0.2


def default_learning_rate(columns: Iterable[Any], at_most: float) -> float:
    """The learning rate of a linear model: 1 / sqrt(number of columns), up to a bound."""
    return min(at_most, 1.0 / math.sqrt(len(list(columns))))


def linear_logit_fn_builder(
    units: int, feature_columns: Iterable[Any], sparse_combiner: str = "sum"
) -> Callable[..., Tensor]:
    """A function of features that makes the logits of a linear model.

    Args:
        units: how many logits.
        feature_columns: the columns.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".

    Returns:
        a function of `features`.

    Example:
        >>> columns = [tf.feature_column.numeric_column("price")]
        >>> logit_fn = tf.estimator.experimental.linear_logit_fn_builder(units=1, feature_columns=columns)
        >>> logits = logit_fn({"price": tf.constant([[1.0], [2.0]])})
    """
    columns = list(feature_columns) if not isinstance(feature_columns, Mapping) else feature_columns

    def linear_logit_fn(features: Mapping[str, Any]) -> Tensor:
        """The logits of a linear model."""
        if is_feature_column_v2(columns):
            return linear_layer_logits(features, columns, units, sparse_combiner, "linear_model", bias_in_parts=True)[0]
        found: dict[Any, Any] = {}
        logits = linear_model(features, columns, units, sparse_combiner, cols_to_vars=found)
        bias = found.pop("bias")
        weights = [part for each in found.values() for variable in each for part in parts_of(variable)]
        summarize_linear(bias, weights, units)
        return logits

    return linear_logit_fn


def linear_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Iterable[Any],
    optimizer: Any,
    partitioner: Partitioner | None,
    config: RunConfig | None,
    sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model function of a linear model.

    Raises:
        ValueError: if the features are no dictionary.
    """
    check_features(features)
    columns = tuple(feature_columns)
    partitioner = partitioner or input_partitioner(config)
    with variable_scope("linear", values=tuple(features.values()), partitioner=partitioner):
        if isinstance(optimizer, LinearSDCA):
            return sdca_model_fn(features, labels, mode, head, columns, optimizer)
        logits = linear_logit_fn_builder(head.logits_dimension, columns, sparse_combiner)(features=features)
        if optimizer is None:
            optimizer = FtrlOptimizer(learning_rate=default_learning_rate(columns, LEARNING_RATE))
        rate = default_learning_rate(columns, LEARNING_RATE)
        return head.create_estimator_spec(
            features=features,
            mode=mode,
            labels=labels,
            optimizer=get_optimizer_instance(optimizer, learning_rate=rate),
            logits=logits,
        )


class LinearClassifier(Estimator):
    """A classifier by a weighted sum of columns.

    Args:
        feature_columns: the columns.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance, a `LinearSDCA`, or a function of no arguments.
        config: a `RunConfig`.
        partitioner: how variables are parted.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".

    Raises:
        ValueError: for another reduction, or less than 2 classes; or if `LinearSDCA` cannot train the model.

    Example:
        >>> estimator = tf.estimator.LinearClassifier([tf.feature_column.numeric_column("x")])
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        check_sdca_classifier(feature_columns, n_classes, optimizer, sparse_combiner)
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class LinearRegressor(Estimator):
    """A regression by a weighted sum of columns.

    Args:
        label_dimension: how many numbers an example has.
        feature_columns, model_dir, weight_column, optimizer, config, partitioner, warm_start_from, loss_reduction,
            sparse_combiner: as of `LinearClassifier`.

    Example:
        >>> estimator = tf.estimator.LinearRegressor([tf.feature_column.numeric_column("x")])
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        check_sdca_regressor(feature_columns, label_dimension, optimizer, sparse_combiner)
        head = regression_head(weight_column, label_dimension, loss_reduction)
        model_fn = _model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class LinearEstimator(Estimator):
    """A linear model whose head is given.

    Args:
        head: what the logits mean.
        feature_columns, model_dir, optimizer, config, partitioner, sparse_combiner: as of `LinearClassifier`.
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        sparse_combiner: str = "sum",
    ) -> None:
        model_fn = _model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config)


def _model_fn(
    head: Any, feature_columns: Iterable[Any], optimizer: Any, partitioner: Partitioner | None, sparse_combiner: str
) -> Callable[..., EstimatorSpec]:
    columns = tuple(feature_columns or [])

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        return linear_model_fn(features, labels, mode, head, columns, optimizer, partitioner, config, sparse_combiner)

    return model_fn
