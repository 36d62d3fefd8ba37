"""Linear estimators of 2.x's interface: they train by optimizers of Keras, and losses are means over batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.estimator.canned.checks_v2 import check_columns_v2, head_of_classes_v2
from headrace.estimator.canned.linear import LEARNING_RATE, default_learning_rate
from headrace.estimator.canned.linear_logits import linear_layer_logits
from headrace.estimator.canned.optimizers import get_optimizer_instance_v2
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.canned.sdca import LinearSDCA, check_sdca_classifier, check_sdca_regressor, sdca_model_fn
from headrace.estimator.estimator import EstimatorV2
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.keras.optimizers.ftrl import Ftrl
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.state.global_step import get_or_create_global_step

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.heads.base_head import Head
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

Columns = Iterable[Any]

_LAYER = "linear/linear_model"


def linear_logit_fn_builder_v2(
    units: int, feature_columns: Columns, sparse_combiner: str = "sum"
) -> Callable[..., Tensor]:
    """A function of features that makes the logits of a linear model.

    Args:
        units: how many logits.
        feature_columns: the columns.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".
    """
    columns = list(feature_columns)

    def linear_logit_fn(features: Mapping[str, Any]) -> Tensor:
        """The logits of a linear model."""
        check_columns_v2(columns)
        return linear_layer_logits(features, columns, units, sparse_combiner, "linear_model")[0]

    return linear_logit_fn


def linear_model_fn_v2(
    features: Any,
    labels: Any,
    mode: str,
    head: Head,
    feature_columns: Columns,
    optimizer: Any,
    config: RunConfig | None,
    sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model function of a linear model.

    Args:
        config: of no use here; model functions get it.
        features, labels, mode, head, feature_columns, optimizer, sparse_combiner: as of `LinearEstimatorV2`.

    Raises:
        ValueError: if the features are no dictionary.
    """
    del config
    check_features(features)
    columns = tuple(feature_columns)
    if isinstance(optimizer, LinearSDCA):
        if sparse_combiner != "sum":
            raise ValueError(f"sparse_combiner must be 'sum' with LinearSDCA. Given: {sparse_combiner}")
        return sdca_model_fn(features, labels, mode, head, columns, optimizer, _LAYER)
    check_columns_v2(columns)
    logits, model = linear_layer_logits(features, columns, head.logits_dimension, sparse_combiner, _LAYER)
    if mode == ModeKeys.TRAIN:
        optimizer = get_optimizer_instance_v2(
            optimizer if optimizer is not None else Ftrl, learning_rate=default_learning_rate(columns, LEARNING_RATE)
        )
        optimizer.iterations = get_or_create_global_step()
    return head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        optimizer=optimizer,
        trainable_variables=model.trainable_variables,
        logits=logits,
    )


def _model_fn(
    head: Head, feature_columns: Columns, optimizer: Any, sparse_combiner: str
) -> Callable[..., EstimatorSpec]:
    columns = tuple(feature_columns or [])

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        return linear_model_fn_v2(features, labels, mode, head, columns, optimizer, config, sparse_combiner)

    return model_fn


class LinearClassifierV2(EstimatorV2):
    """A classifier by a weighted sum of columns.

    Args:
        feature_columns: the columns.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance of Keras, a `LinearSDCA`, or a function of no arguments.
        config: a `RunConfig`.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".

    Raises:
        ValueError: for another reduction, or less than 2 classes; or if `LinearSDCA` cannot train the model.

    Example:
        >>> estimator = tf.compat.v2.estimator.LinearClassifier([tf.feature_column.numeric_column("x")])
    """

    def __init__(
        self,
        feature_columns: Columns,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        sparse_combiner: str = "sum",
    ) -> None:
        check_sdca_classifier(feature_columns, n_classes, optimizer, sparse_combiner)
        head = head_of_classes_v2(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(head, feature_columns, optimizer, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class LinearRegressorV2(EstimatorV2):
    """A regression by a weighted sum of columns.

    Args:
        label_dimension: how many numbers an example has.
        feature_columns, model_dir, weight_column, optimizer, config, warm_start_from, loss_reduction,
            sparse_combiner: as of `LinearClassifierV2`.

    Example:
        >>> estimator = tf.compat.v2.estimator.LinearRegressor([tf.feature_column.numeric_column("x")])
    """

    def __init__(
        self,
        feature_columns: Columns,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        sparse_combiner: str = "sum",
    ) -> None:
        check_sdca_regressor(feature_columns, label_dimension, optimizer, sparse_combiner)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = _model_fn(head, feature_columns, optimizer, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class LinearEstimatorV2(EstimatorV2):
    """A linear model whose head is given.

    Args:
        head: what the logits mean: a `tf.estimator.Head`.
        feature_columns, model_dir, optimizer, config, sparse_combiner: as of `LinearClassifierV2`.
    """

    def __init__(
        self,
        head: Head,
        feature_columns: Columns,
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        sparse_combiner: str = "sum",
    ) -> None:
        model_fn = _model_fn(head, feature_columns, optimizer, sparse_combiner)
        super().__init__(model_fn, model_dir=model_dir, config=config)
