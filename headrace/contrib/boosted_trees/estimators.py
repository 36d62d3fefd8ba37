"""Estimators of boosted trees, with the interface of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.custom_loss_head import CustomLossHead
from headrace.contrib.boosted_trees.losses import (
    per_example_maxent_loss,
    per_example_quantile_regression_loss,
)
from headrace.contrib.boosted_trees.model_functions import (
    ModelBuilderOutputType,
    model_builder,
    ranking_model_builder,
)
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import Head, regression_head
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.arranging import identity

if TYPE_CHECKING:
    from headrace.contrib.learn.run_config import RunConfig
    from headrace.messages.boosted_tree_protos import LearnerConfig

ExamplesPerLayer = int | Callable[[Tensor], Tensor]


class GradientBoostedDecisionTreeClassifier(Estimator):
    """Boosted trees that tell one class of several.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        n_classes: how many classes there are.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.contrib.layers`, or of `tf.feature_column` with `use_core_libs`; features are taken
            as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        label_keys: the words that class numbers stand for.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        use_core_libs: whether columns and the head are those of `tf.estimator`.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        override_global_step_value: what the global step is set to at the end, if it is not None.
        num_quantiles: how many buckets features of numbers get.

    Example:
        >>> from headrace.contrib.boosted_trees.estimator_batch.estimator import GradientBoostedDecisionTreeClassifier
        >>> from headrace.contrib.boosted_trees.proto import learner_pb2
        >>> config = learner_pb2.LearnerConfig()
        >>> config.learning_rate_tuner.fixed.learning_rate = 0.1
        >>> config.constraints.max_tree_depth = 4
        >>> trees = GradientBoostedDecisionTreeClassifier(config, examples_per_layer=1000, num_trees=10, model_dir="trees")
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        n_classes: int = 2,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if n_classes > 2:
            # Trees need second derivatives, which the fused cross entropy does not have.
            def loss_fn(labels: Any, logits: Tensor, weights: Any = None) -> Any:
                loss, _ = per_example_maxent_loss(labels, weights, logits, n_classes)
                mean = reduce_mean(loss)
                return mean
        else:
            loss_fn = None  # type: ignore[assignment]  # the head's own
        learner_config.num_classes = n_classes
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
            loss_fn=loss_fn,
            label_keys=label_keys,
        )
        super().__init__(
            model_fn=model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeRegressor(Estimator):
    """Boosted trees that tell numbers.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        label_dimension: how many numbers an example has.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.contrib.layers`, or of `tf.feature_column` with `use_core_libs`; features are taken
            as they are if None.
        label_name: the key of the labels, if they are given by name.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        use_core_libs: whether columns and the head are those of `tf.estimator`.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        override_global_step_value: what the global step is set to at the end, if it is not None.
        num_quantiles: how many buckets features of numbers get.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        head = regression_head(
            label_name=label_name,
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=False,
        )
        learner_config.num_classes = 2 if label_dimension == 1 else label_dimension
        super().__init__(
            model_fn=model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeEstimator(Estimator):
    """Boosted trees with a head of one's own.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        head: what logits mean: a head of contrib.learn, or of tf.estimator with `use_core_libs`.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.contrib.layers`, or of `tf.feature_column` with `use_core_libs`; features are taken
            as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        use_core_libs: whether columns and the head are those of `tf.estimator`.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        override_global_step_value: what the global step is set to at the end, if it is not None.
        num_quantiles: how many buckets features of numbers get.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        head: Head,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        super().__init__(
            model_fn=model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeRanker(Estimator):
    """Boosted trees that tell which item of a pair is better; features are named "key.feature" by the pair's keys.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        head: what the difference of both items' logits means.
        ranking_model_pair_keys: the keys of the better and of the worse item.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.contrib.layers`, or of `tf.feature_column` with `use_core_libs`; features are taken
            as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        label_keys: the words that class numbers stand for.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        use_core_libs: whether columns and the head are those of `tf.estimator`.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        override_global_step_value: what the global step is set to at the end, if it is not None.
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: for `label_keys`: a head that knows them is to be given.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        head: Head,
        ranking_model_pair_keys: tuple[str, str],
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        label_keys: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = False,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if label_keys is not None:
            raise ValueError("label_keys belong to the head: give it a head that knows them.")
        super().__init__(
            model_fn=_ranking_model_fn,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
                "ranking_model_pair_keys": ranking_model_pair_keys,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


class GradientBoostedDecisionTreeQuantileRegressor(Estimator):
    """Boosted trees that tell a quantile of numbers.

    Args:
        learner_config: a `LearnerConfig`.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        quantiles: which quantile, between 0 and 1: a number, or a list of one.
        label_dimension: how many numbers an example has.
        num_trees: how many trees there may be; None for no end.
        feature_columns: columns of `tf.contrib.layers`, or of `tf.feature_column` with `use_core_libs`; features are taken
            as they are if None.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        config: a RunConfig.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        logits_modifier_function: of logits, features and mode; returns other logits.
        center_bias: whether the first tree is a bias for all examples.
        use_core_libs: whether columns and the head are those of `tf.estimator`.
        output_leaf_index: whether predictions tell the leaves that examples come to, as "leaf_index".
        override_global_step_value: what the global step is set to at the end, if it is not None.
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: for several quantiles: each needs a model of its own.
    """

    def __init__(
        self,
        learner_config: LearnerConfig,
        examples_per_layer: ExamplesPerLayer,
        quantiles: float | Sequence[float],
        label_dimension: int = 1,
        num_trees: int | None = None,
        feature_columns: Sequence[Any] | None = None,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        logits_modifier_function: Callable[..., Tensor] | None = None,
        center_bias: bool = True,
        use_core_libs: bool = False,
        output_leaf_index: bool = False,
        override_global_step_value: int | None = None,
        num_quantiles: int = 100,
    ) -> None:
        quantile = _only_quantile(quantiles)
        head: Head = CustomLossHead(
            loss_fn=lambda labels, weights, logits: per_example_quantile_regression_loss(
                labels, weights, logits, quantile
            ),
            link_fn=identity,
            logit_dimension=label_dimension,
            weight_column_name=weight_column_name,
        )
        learner_config.num_classes = 2 if label_dimension == 1 else label_dimension
        super().__init__(
            model_fn=model_builder,
            params={
                "head": head,
                "feature_columns": feature_columns,
                "learner_config": learner_config,
                "num_trees": num_trees,
                "weight_column_name": weight_column_name,
                "examples_per_layer": examples_per_layer,
                "center_bias": center_bias,
                "logits_modifier_function": logits_modifier_function,
                "use_core_libs": use_core_libs,
                "output_leaf_index": output_leaf_index,
                "override_global_step_value": override_global_step_value,
                "num_quantiles": num_quantiles,
            },
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


def _ranking_model_fn(features: Any, labels: Any, mode: str, params: Any, config: RunConfig) -> Any:
    """The model function of pairs, for estimators of contrib.learn."""
    return ranking_model_builder(features, labels, mode, params, config, ModelBuilderOutputType.MODEL_FN_OPS)


def _only_quantile(quantiles: float | Sequence[float]) -> float:
    found = [quantiles] if isinstance(quantiles, (int, float)) else list(quantiles)
    if len(found) != 1:
        raise ValueError(f"For now, just single quantile is supported, got {found}")
    return float(found[0])
