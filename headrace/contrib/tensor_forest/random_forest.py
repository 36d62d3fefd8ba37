"""Estimators of forests, with the interface of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.model_functions import ModelBuilderOutputType, estimator_spec_to_model_fn_ops
from headrace.contrib.layers.feature_column_inputs import transform_features
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.columns_models import are_for_core
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import regression_head
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.contrib.tensor_forest.forest import RandomForestGraphs
from headrace.contrib.tensor_forest.forest_params import ForestHParams
from headrace.core.defaults import control_dependencies
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.heads.canned_heads import binary_or_multi_class_head as core_classification_head
from headrace.estimator.heads.canned_heads import regression_head as core_regression_head
from headrace.feature_column.base import TransformationCache
from headrace.losses.weighting import Reduction
from headrace.ops.flow.grouping import group
from headrace.saved_model.export_output import PredictOutput
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_global_step
from headrace.summary.operations import scalar as scalar_summary
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.estimator.run_config import RunConfig

KEYS_NAME = "keys"
LOSS_NAME = "rf_training_loss"
TREE_PATHS_PREDICTION_KEY = "tree_paths"
VARIANCE_PREDICTION_KEY = "prediction_variance"
ALL_SERVING_KEY = "tensorforest_all"
EPSILON = 0.000001


class TensorForestRunOpAtEndHook(SessionRunHook):
    """Runs and logs some tensors at the end.

    Args:
        op_dict: the tensors by name.
    """

    def __init__(self, op_dict: Mapping[str, Any]) -> None:
        self._ops = dict(op_dict)

    def end(self, session: SessionLike) -> None:
        for name in sorted(self._ops):
            tf_logging.info("%s: %s", name, session.run(self._ops[name]))


class TensorForestLossHook(SessionRunHook):
    """Stops when the loss has not become less for some steps.

    Args:
        early_stopping_rounds: after how many steps.
        early_stopping_loss_threshold: by which share the loss has to become less to count.
        loss_op: the loss; the graph's tensor `LOSS_NAME` by default.
    """

    def __init__(
        self,
        early_stopping_rounds: int,
        early_stopping_loss_threshold: float | None = None,
        loss_op: TensorLike | None = None,
    ) -> None:
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_loss_threshold = early_stopping_loss_threshold
        self.loss_op = loss_op
        self.min_loss: float | None = None
        self.last_step = -1
        self.steps = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        loss = self.loss_op
        if loss is None:
            loss = run_context.session.graph.get_operation_by_name(LOSS_NAME).outputs[0]
        return SessionRunArgs({"global_step": get_global_step(), "current_loss": loss})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        loss, step = run_values.results["current_loss"], int(run_values.results["global_step"])
        self.steps += 1
        # A session that was made anew may go on from an earlier step.
        if self.last_step == -1 or self.last_step > step:
            tf_logging.info("TensorForestLossHook resetting last_step.")
            self.last_step, self.steps, self.min_loss = step, 0, None
            return
        self.last_step = step
        threshold = self.early_stopping_loss_threshold or 0.0
        if self.min_loss is None or loss < self.min_loss - self.min_loss * threshold:
            self.min_loss, self.steps = loss, 0
        if self.steps > self.early_stopping_rounds:
            tf_logging.info("TensorForestLossHook requesting stop at step %d.", step)
            run_context.request_stop()


def _get_default_head(
    params: ForestHParams, weights_name: str | None, output_type: int, name: str | None = None
) -> Any:
    """The head of a forest: of numbers, or of classes."""
    if output_type == ModelBuilderOutputType.MODEL_FN_OPS:
        if params.regression:
            return regression_head(
                weight_column_name=weights_name,
                label_dimension=params.num_outputs,
                enable_centered_bias=False,
                head_name=name,
            )
        return multi_class_head(
            params.num_classes, weight_column_name=weights_name, enable_centered_bias=False, head_name=name
        )
    if params.regression:
        return core_regression_head(weights_name, params.num_outputs, Reduction.SUM_OVER_BATCH_SIZE)
    return core_classification_head(params.num_classes, weights_name, None, Reduction.SUM_OVER_BATCH_SIZE)


def _of_columns(features: dict[Any, Any], feature_columns: Sequence[Any] | None) -> dict[Any, Any]:
    """What feature columns make of features, by column; the features themselves without columns."""
    if not feature_columns:
        return features
    if are_for_core(feature_columns):
        cache = TransformationCache(features)
        return {column.name: cache.get(column) for column in feature_columns}
    transformed = transform_features(features, feature_columns)
    return {column.name: transformed[column] for column in feature_columns}


def _logits(params: ForestHParams, predictions: Tensor) -> Tensor:
    """The logits that a head turns into the forest's probabilities; numbers as they are."""
    if params.regression:
        return predictions
    if params.num_classes == 2:
        second = predictions[:, 1:2]
        odds = raw.RealDiv(second, raw.Maximum(raw.Sub(1.0, second), EPSILON))
        return raw.Log(raw.Maximum(odds, EPSILON))
    # The head of several classes takes the shares as they are.
    return predictions


def get_model_fn(
    params: ForestHParams,
    graph_builder_class: Callable[..., RandomForestGraphs],
    device_assigner: Any,
    feature_columns: Sequence[Any] | None = None,
    weights_name: str | None = None,
    model_head: Any = None,
    keys_name: str | None = None,
    early_stopping_rounds: int | None = 100,
    early_stopping_loss_threshold: float = 0.001,
    num_trainers: int = 1,
    trainer_id: int = 0,
    report_feature_importances: bool = False,
    local_eval: bool = False,
    head_scope: str | None = None,
    include_all_in_serving: bool = False,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Callable[..., Any]:
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
    del local_eval
    head = model_head or _get_default_head(params, weights_name, output_type)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        named = dict(features) if isinstance(features, Mapping) else {None: features}
        weights = named.get(weights_name) if weights_name else None
        keys = named.pop(keys_name) if keys_name else None
        taken: dict[Any, Any] = {
            name: tensor for name, tensor in named.items() if weights_name is None or name != weights_name
        }
        taken = _of_columns(taken, feature_columns)
        data = taken[None] if list(taken) == [None] else taken
        graph = graph_builder_class(params, device_assigner=device_assigner)
        predictions, paths, variances = graph.inference_graph(data)
        scalar_summary("average_tree_size", graph.average_size())
        hooks: list[SessionRunHook] = []
        if report_feature_importances:
            hooks.append(TensorForestRunOpAtEndHook({"1: feature_importances": graph.feature_importances()}))
        training = _step(graph, data, labels, weights, num_trainers, trainer_id) if mode == "train" else None
        arguments = {
            "features": named, "labels": labels, "mode": mode, "train_op_fn": lambda loss: training,
            "logits": _logits(params, predictions),
        }  # fmt: skip
        extras = {VARIANCE_PREDICTION_KEY: variances}
        if params.inference_tree_paths:
            extras[TREE_PATHS_PREDICTION_KEY] = paths
        if keys is not None:
            extras[keys_name or KEYS_NAME] = keys
        made = _finished(head, arguments, extras, head_scope, include_all_in_serving, output_type)
        if mode == "train" and early_stopping_rounds:
            hooks.append(TensorForestLossHook(early_stopping_rounds, early_stopping_loss_threshold, made.loss))
        return made._replace(training_hooks=[*(made.training_hooks or ()), *hooks])

    return model_fn


def _step(graph: Any, data: Any, labels: Any, weights: Any, num_trainers: int, trainer_id: int) -> Operation:
    """What a step of training runs: the forest grows, and the global step goes on."""
    graph.training_loss(data, labels, name=LOSS_NAME)
    extra = {} if weights is None else {"input_weights": weights}
    grow = graph.training_graph(data, labels, num_trainers=num_trainers, trainer_id=trainer_id, **extra)
    with control_dependencies([grow]):
        training: Operation = group(get_global_step().assign_add(1))
    return training


def _finished(
    head: Any,
    arguments: dict[str, Any],
    extras: dict[str, Tensor],
    head_scope: str | None,
    include_all: bool,
    output_type: int,
) -> Any:
    """What the head makes of a forest's logits, with further predictions."""
    if output_type == ModelBuilderOutputType.MODEL_FN_OPS:
        if hasattr(head, "create_model_fn_ops"):
            made: Any = head.create_model_fn_ops(scope=head_scope, **arguments)
        else:
            made = estimator_spec_to_model_fn_ops(head.create_estimator_spec(**arguments), True)
        made.predictions.update(extras)
        if include_all:
            made.output_alternatives[ALL_SERVING_KEY] = (None, made.predictions)
        return made
    made = head.create_estimator_spec(**arguments)
    outputs = dict(made.export_outputs or {})
    if include_all and outputs:
        outputs[ALL_SERVING_KEY] = PredictOutput({**made.predictions, **extras})
    return made._replace(
        predictions={**made.predictions, **extras},
        export_outputs=outputs or None,
    )


class TensorForestEstimator(Estimator):
    """A forest of trees for classes or numbers.

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
        >>> forest = tf.contrib.tensor_forest.random_forest.TensorForestEstimator(params, model_dir="forest")
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
        super().__init__(
            model_fn=get_model_fn(
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
            ),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )


def get_combined_model_fn(model_fns: Mapping[str, Callable[..., ModelFnOps]]) -> Callable[..., ModelFnOps]:
    """A model function of several models on the same features, whose losses are added.

    Args:
        model_fns: the model functions by name.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        parts = {
            name: function(features, labels[name] if labels is not None else None, mode)
            for name, function in model_fns.items()
        }
        predictions = {
            f"{name}/{key}": tensor for name, part in parts.items() for key, tensor in part.predictions.items()
        }
        losses = [part.loss for part in parts.values() if part.loss is not None]
        loss = raw.AddN(losses) if losses else None
        train_op = group(*(part.train_op for part in parts.values())) if mode == "train" else None
        metrics = {
            f"{name}/{key}": metric for name, part in parts.items() for key, metric in part.eval_metric_ops.items()
        }
        hooks = [hook for part in parts.values() for hook in part.training_hooks or ()]
        return ModelFnOps(mode, predictions, loss, train_op, metrics, training_hooks=hooks)

    return model_fn


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

    def __init__(
        self,
        params_list: Sequence[ForestHParams],
        device_assigner: Any = None,
        model_dir: str | None = None,
        feature_columns: Sequence[Any] | None = None,
        graph_builder_class: Callable[..., RandomForestGraphs] = RandomForestGraphs,
        config: RunConfig | None = None,
        weight_column: str | None = None,
        keys_column: str | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        early_stopping_rounds: int | None = 100,
        num_trainers: int = 1,
        trainer_id: int = 0,
        report_feature_importances: bool = False,
        local_eval: bool = False,
    ) -> None:
        if not params_list:
            raise ValueError("params_list must name the parameters of at least one forest.")
        model_fns = {}
        for number, params in enumerate(params_list):
            name = params.values().get("name", f"forest_{number}")
            filled = params.fill()
            model_fns[name] = get_model_fn(
                filled,
                graph_builder_class,
                device_assigner,
                model_head=_get_default_head(filled, weight_column, ModelBuilderOutputType.MODEL_FN_OPS, name=name),
                weights_name=weight_column,
                keys_name=keys_column,
                feature_columns=feature_columns,
                early_stopping_rounds=early_stopping_rounds,
                num_trainers=num_trainers,
                trainer_id=trainer_id,
                report_feature_importances=report_feature_importances,
                local_eval=local_eval,
                head_scope=f"output{number}",
            )
        super().__init__(
            model_fn=get_combined_model_fn(model_fns),
            model_dir=model_dir,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )
