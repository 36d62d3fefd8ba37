"""A forest with the interface of `tf.estimator`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.model_functions import ModelBuilderOutputType
from headrace.contrib.tensor_forest.forest import RandomForestGraphs
from headrace.contrib.tensor_forest.forest_params import ForestHParams
from headrace.contrib.tensor_forest.random_forest import get_model_fn
from headrace.estimator.estimator import Estimator

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class CoreTensorForestEstimator(Estimator):
    """A forest of trees for classes or numbers, as an estimator of `tf.estimator`.

    Args:
        params: a `ForestHParams`.
        device_assigner: a device, or a function from operations to devices.
        model_dir: the folder of checkpoints and summaries.
        feature_columns: columns, or None to take features as they are.
        graph_builder_class: makes the forest's graphs.
        config: a RunConfig.
        weight_column: the key of the examples' weights among the features.
        keys_column: the key of the examples' names among the features, which predictions then tell.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        early_stopping_rounds: after how many steps without a better loss training stops.
        early_stopping_loss_threshold: by which share the loss has to become less to count.
        num_trainers: among how many workers the trees are shared.
        trainer_id: which of them this is.
        report_feature_importances: whether the features' importances are logged at the end.
        local_eval: whether evaluation is done on this machine, which it always is here.
        version: has no effect, as in 1.15.
        head: the head, or None for that which the parameters ask for.
        include_all_in_serving: whether all predictions are outputs of exports.

    Example:
        >>> params = tf.contrib.tensor_forest.tensor_forest.ForestHParams(num_classes=3, num_features=4, num_trees=10)
        >>> forest = tf.contrib.tensor_forest.random_forest.CoreTensorForestEstimator(params, model_dir="forest")
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any = None,
        model_dir: str | None = None,
        feature_columns: Sequence[Any] | None = None,
        graph_builder_class: Callable[..., RandomForestGraphs] = RandomForestGraphs,
        config: RunConfig | None = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        early_stopping_rounds: int | None = 100,
        early_stopping_loss_threshold: float = 0.001,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
        version: Any = None,
        head: Any = None,
        include_all_in_serving: bool = False,
    ) -> None:
        build = get_model_fn(
            params.fill(),
            graph_builder_class,
            device_assigner,
            feature_columns=feature_columns,
            model_head=head,
            weights_name=weight_column,
            keys_name=keys_column,
            early_stopping_rounds=early_stopping_rounds,
            early_stopping_loss_threshold=early_stopping_loss_threshold,
            num_trainers=num_trainers,
            trainer_id=trainer_id,
            report_feature_importances=report_feature_importances,
            local_eval=local_eval,
            include_all_in_serving=include_all_in_serving,
            output_type=ModelBuilderOutputType.ESTIMATOR_SPEC,
        )

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            if feature_engineering_fn is not None:
                features, labels = feature_engineering_fn(features, labels)
            return build(features, labels, mode)

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
