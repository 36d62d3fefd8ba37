"""Estimators of boosted trees, with the interface of `tf.estimator`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.losses import per_example_maxent_loss, per_example_quantile_regression_loss
from headrace.contrib.boosted_trees.model_functions import (
    ModelBuilderOutputType,
    model_builder,
    ranking_model_builder,
)
from headrace.core.tensor import Tensor
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import CannedHead, multi_class_head, regression_head
from headrace.losses.weighting import Reduction

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig
    from headrace.messages.boosted_tree_protos import LearnerConfig

ExamplesPerLayer = int | Callable[[Tensor], Tensor]


def core_multiclass_head(
    n_classes: int,
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
) -> CannedHead:
    """A head of several classes, whose loss has the second derivatives that trees need.

    Args:
        n_classes: how many classes there are.
        weight_column: the key or the column of the examples' weights.
        loss_reduction: how the losses of a batch become one.
    """

    def loss_fn(labels: Any, logits: Tensor) -> Tensor:
        return per_example_maxent_loss(labels, None, logits, n_classes)[0]

    return multi_class_head(n_classes, weight_column=weight_column, loss_reduction=loss_reduction, loss_fn=loss_fn)


def core_quantile_regression_head(
    quantiles: float,
    label_dimension: int = 1,
    weight_column: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
) -> CannedHead:
    """A head of numbers, of which a quantile is told.

    Args:
        quantiles: which quantile, between 0 and 1.
        label_dimension: how many numbers an example has.
        weight_column: the key or the column of the examples' weights.
        loss_reduction: how the losses of a batch become one.
    """

    def loss_fn(labels: Any, logits: Tensor) -> Tensor:
        return per_example_quantile_regression_loss(labels, None, logits, quantiles)[0]

    return regression_head(
        label_dimension=label_dimension, weight_column=weight_column, loss_reduction=loss_reduction, loss_fn=loss_fn
    )


class CoreGradientBoostedDecisionTreeEstimator(Estimator):
    """Boosted trees with a head of `tf.estimator`.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        head: what logits mean.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.feature_column`; features are taken as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        label_keys: is to be None: words of classes belong to the head.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: for `label_keys`.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        head: CannedHead,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        if label_keys is not None:
            raise ValueError("label_keys belong to the head: give it a head that knows them.")
        params = {
            "head": head,
            "feature_columns": feature_columns,
            "learner_config": learner_config,
            "num_trees": num_trees,
            "weight_column_name": weight_column_name,
            "examples_per_layer": examples_per_layer,
            "center_bias": center_bias,
            "logits_modifier_function": logits_modifier_function,
            "use_core_libs": True,
            "output_leaf_index": output_leaf_index,
            "num_quantiles": num_quantiles,
        }

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            features, labels = (
                feature_engineering_fn(features, labels) if feature_engineering_fn else (features, labels)
            )
            return model_builder(features, labels, mode, params, config, ModelBuilderOutputType.ESTIMATOR_SPEC)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class CoreGradientBoostedDecisionTreeRanker(Estimator):
    """Boosted trees that tell which item of a pair is better; features are named "key.feature" by the pair's keys.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        head: what the difference of both items' logits means.
        ranking_model_pair_keys: the keys of the better and of the worse item.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.feature_column`; features are taken as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        label_keys: is to be None: words of classes belong to the head.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: for `label_keys`.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        head: CannedHead,
        ranking_model_pair_keys: tuple[str, str],
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        label_keys: Any = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = False,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        if label_keys is not None:
            raise ValueError("label_keys belong to the head: give it a head that knows them.")
        params = {
            "head": head,
            "feature_columns": feature_columns,
            "learner_config": learner_config,
            "num_trees": num_trees,
            "weight_column_name": weight_column_name,
            "examples_per_layer": examples_per_layer,
            "center_bias": center_bias,
            "logits_modifier_function": logits_modifier_function,
            "use_core_libs": True,
            "output_leaf_index": output_leaf_index,
            "num_quantiles": num_quantiles,
            "ranking_model_pair_keys": ranking_model_pair_keys,
        }

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            return ranking_model_builder(features, labels, mode, params, config, ModelBuilderOutputType.ESTIMATOR_SPEC)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class CoreGradientBoostedDecisionTreeQuantileRegressor(Estimator):
    """Boosted trees that tell a quantile of numbers.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        quantiles: which quantile, between 0 and 1.
        label_dimension: how many numbers an example has.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.feature_column`; features are taken as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        label_keys: is to be None: words of classes belong to the head.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: for `label_keys`.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        quantiles: float,
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        output_leaf_index: bool = False,
        num_quantiles: int = 100,
    ) -> None:
        if label_keys is not None:
            raise ValueError("label_keys belong to the head: give it a head that knows them.")
        head = core_quantile_regression_head(quantiles, label_dimension, weight_column_name)
        params = {
            "head": head,
            "feature_columns": feature_columns,
            "learner_config": learner_config,
            "num_trees": num_trees,
            "weight_column_name": weight_column_name,
            "examples_per_layer": examples_per_layer,
            "center_bias": center_bias,
            "logits_modifier_function": logits_modifier_function,
            "use_core_libs": True,
            "output_leaf_index": output_leaf_index,
            "num_quantiles": num_quantiles,
        }

        def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> Any:
            features, labels = (
                feature_engineering_fn(features, labels) if feature_engineering_fn else (features, labels)
            )
            return model_builder(features, labels, mode, params, config, ModelBuilderOutputType.ESTIMATOR_SPEC)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
