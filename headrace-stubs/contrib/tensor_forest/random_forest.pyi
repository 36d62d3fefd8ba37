# Made by tools/make_stubs.py.

from _typeshed import Incomplete
from collections.abc import Callable, Mapping, Sequence
from headrace.contrib.boosted_trees.model_functions import ModelBuilderOutputType as ModelBuilderOutputType, estimator_spec_to_model_fn_ops as estimator_spec_to_model_fn_ops
from headrace.contrib.layers.feature_column_inputs import transform_features as transform_features
from headrace.contrib.learn.classification_heads import multi_class_head as multi_class_head
from headrace.contrib.learn.columns_models import are_for_core as are_for_core
from headrace.contrib.learn.estimator import Estimator as Estimator
from headrace.contrib.learn.heads import regression_head as regression_head
from headrace.contrib.learn.model_outputs import ModelFnOps as ModelFnOps
from headrace.contrib.tensor_forest.forest import RandomForestGraphs as RandomForestGraphs
from headrace.contrib.tensor_forest.forest_params import ForestHParams as ForestHParams
from headrace.core.defaults import control_dependencies as control_dependencies
from headrace.core.operation import Operation as Operation
from headrace.core.registry import raw as raw
from headrace.core.tensor import Tensor as Tensor
from headrace.core.typing import SessionLike as SessionLike, TensorLike as TensorLike
from headrace.estimator.run_config import RunConfig as RunConfig
from headrace.feature_column.base import TransformationCache as TransformationCache
from headrace.losses.weighting import Reduction as Reduction
from headrace.ops.flow.grouping import group as group
from headrace.saved_model.export_output import PredictOutput as PredictOutput
from headrace.sessions.session_run_hook import SessionRunArgs as SessionRunArgs, SessionRunContext as SessionRunContext, SessionRunHook as SessionRunHook, SessionRunValues as SessionRunValues
from headrace.state.global_step import get_global_step as get_global_step
from headrace.util import tf_logging as tf_logging
from typing import Any

KEYS_NAME: str
LOSS_NAME: str
TREE_PATHS_PREDICTION_KEY: str
VARIANCE_PREDICTION_KEY: str
ALL_SERVING_KEY: str
EPSILON: float

class TensorForestRunOpAtEndHook(SessionRunHook):
    """Runs and logs some tensors at the end.

    Args:
        op_dict: the tensors by name.
    """
    def __init__(self, op_dict: Mapping[str, Any]) -> None: ...
    def end(self, session: SessionLike) -> None: ...

class TensorForestLossHook(SessionRunHook):
    """Stops when the loss has not become less for some steps.

    Args:
        early_stopping_rounds: after how many steps.
        early_stopping_loss_threshold: by which share the loss has to become less to count.
        loss_op: the loss; the graph's tensor `LOSS_NAME` by default.
    """
    early_stopping_rounds: Incomplete
    early_stopping_loss_threshold: Incomplete
    loss_op: Incomplete
    min_loss: float | None
    last_step: int
    steps: int
    def __init__(self, early_stopping_rounds: int, early_stopping_loss_threshold: float | None = None, loss_op: TensorLike | None = None) -> None: ...
    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs: ...
    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None: ...

def get_model_fn(params: ForestHParams, graph_builder_class: Callable[..., RandomForestGraphs], device_assigner: Any, feature_columns: Sequence[Any] | None = None, weights_name: str | None = None, model_head: Any = None, keys_name: str | None = None, early_stopping_rounds: int | None = 100, early_stopping_loss_threshold: float = 0.001, num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False, local_eval: bool = False, head_scope: str | None = None, include_all_in_serving: bool = False, output_type: int = ...) -> Callable[..., Any]:
    """The model function of a forest.

    Args:
        params: filled parameters.
        graph_builder_class: makes the forest's graphs.
        device_assigner: a device, or a function from operations to devices.
        feature_columns: columns, or None to take features as they are.
        weights_name: the key of the examples' weights among the features.
        model_head: the head, or None for that which the parameters ask for.
        keys_name: the key of the examples' names among the features, which predictions then tell.
        early_stopping_rounds: after how many steps without a better loss training stops; None for never.
        early_stopping_loss_threshold: by which share the loss has to become less to count.
        num_trainers: among how many workers the trees are shared.
        trainer_id: which of them this is.
        report_feature_importances: whether the features' importances are logged at the end.
        local_eval: whether evaluation is done on this machine, which it always is here.
        head_scope: the scope of the head.
        include_all_in_serving: whether all predictions are outputs of exports.
        output_type: one of `ModelBuilderOutputType`.

    Returns:
        a function of features, labels and mode.
    """

class TensorForestEstimator(Estimator):
    '''A forest of trees for classes or numbers.

    Args:
        params: a `ForestHParams`.
        device_assigner: a device, or a function from operations to devices.
        model_dir: the folder of checkpoints and summaries.
        feature_columns: columns, or None to take features as they are.
        graph_builder_class: makes the forest\'s graphs.
        config: a RunConfig.
        weight_column: the key of the examples\' weights among the features.
        keys_column: the key of the examples\' names among the features, which predictions then tell.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        early_stopping_rounds: after how many steps without a better loss training stops.
        early_stopping_loss_threshold: by which share the loss has to become less to count.
        num_trainers: among how many workers the trees are shared.
        trainer_id: which of them this is.
        report_feature_importances: whether the features\' importances are logged at the end.
        local_eval: whether evaluation is done on this machine, which it always is here.
        version: has no effect, as in 1.15.
        head: the head, or None for that which the parameters ask for.
        include_all_in_serving: whether all predictions are outputs of exports.

    Example:
        >>> params = tf.contrib.tensor_forest.tensor_forest.ForestHParams(num_classes=3, num_features=4, num_trees=10)
        >>> forest = tf.contrib.tensor_forest.random_forest.TensorForestEstimator(params, model_dir="forest")
    '''
    def __init__(self, params: ForestHParams, device_assigner: Any = None, model_dir: str | None = None, feature_columns: Sequence[Any] | None = None, graph_builder_class: Callable[..., RandomForestGraphs] = ..., config: RunConfig | None = None, weight_column: str | None = None, keys_column: str | None = None, feature_engineering_fn: Callable[..., Any] | None = None, early_stopping_rounds: int | None = 100, early_stopping_loss_threshold: float = 0.001, num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False, local_eval: bool = False, version: Any = None, head: Any = None, include_all_in_serving: bool = False) -> None: ...

def get_combined_model_fn(model_fns: Mapping[str, Callable[..., ModelFnOps]]) -> Callable[..., ModelFnOps]:
    """A model function of several models on the same features, whose losses are added.

    Args:
        model_fns: the model functions by name.
    """

class MultiForestMultiHeadEstimator(Estimator):
    """Several forests on the same features, each with a head of its own.

    Args:
        params_list: a `ForestHParams` for each forest.
        device_assigner, model_dir, feature_columns, graph_builder_class, config, weight_column, keys_column,
            feature_engineering_fn, early_stopping_rounds, num_trainers, trainer_id, report_feature_importances, local_eval:
            as of `TensorForestEstimator`.

    Raises:
        ValueError: for no parameters.
    """
    def __init__(self, params_list: Sequence[ForestHParams], device_assigner: Any = None, model_dir: str | None = None, feature_columns: Sequence[Any] | None = None, graph_builder_class: Callable[..., RandomForestGraphs] = ..., config: RunConfig | None = None, weight_column: str | None = None, keys_column: str | None = None, feature_engineering_fn: Callable[..., Any] | None = None, early_stopping_rounds: int | None = 100, num_trainers: int = 1, trainer_id: int = 0, report_feature_importances: bool = False, local_eval: bool = False) -> None: ...
__all__ = ['ALL_SERVING_KEY', 'CoreTensorForestEstimator', 'EPSILON', 'KEYS_NAME', 'LOSS_NAME', 'ModelBuilderOutputType', 'MultiForestMultiHeadEstimator', 'TREE_PATHS_PREDICTION_KEY', 'TensorForestEstimator', 'TensorForestLossHook', 'TensorForestRunOpAtEndHook', 'VARIANCE_PREDICTION_KEY', 'get_combined_model_fn', 'get_model_fn']
from headrace.contrib.tensor_forest.core_random_forest import CoreTensorForestEstimator as CoreTensorForestEstimator
