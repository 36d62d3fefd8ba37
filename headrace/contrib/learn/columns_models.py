"""The models over feature columns: a linear one, a network, and both together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import gradients
from headrace.contrib.layers.column_base import _FeatureColumn
from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.feature_column_inputs import (
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from headrace.contrib.layers.optimizers import optimize_loss
from headrace.contrib.layers.shaping import dropout as dropout_layer
from headrace.contrib.learn.linear_optimizers import (
    clipped,
    default_linear_rate,
    embedding_multipliers,
    get_optimizer,
    linear_optimizer,
)
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.defaults import colocate_with, control_dependencies, get_collection
from headrace.feature_column.input_layer import input_layer, linear_model
from headrace.functions.nn.moments import zero_fraction
from headrace.ops.flow.grouping import group
from headrace.ops.nn.activations import relu
from headrace.optimizers.sync_replicas import SyncReplicasOptimizer
from headrace.state.global_step import get_global_step
from headrace.state.partitioned import min_max_variable_partitioner
from headrace.state.variable_scope import variable_scope
from headrace.summary.operations import histogram, scalar

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig

_INPUT_SCOPE = "input_from_feature_columns"
_RATE = 0.05
# Of the parts of an input layer's variables, in bytes.
MIN_SLICE = 64 << 20


def features_by_name(features: Any) -> dict[Any, Any]:
    """Features as a dict; a single tensor is called ""."""
    return features if isinstance(features, dict) else {"": features}


def parameter_servers(config: RunConfig | None) -> int:
    """How many parameter servers there are."""
    return config.num_ps_replicas if config else 0


def are_for_core(columns: Iterable[Any]) -> bool:
    """Whether `tf.feature_column` makes the inputs: where not all columns are contrib's, which do as its own too."""
    return not all(isinstance(column, _FeatureColumn) for column in columns)


def network_logits(
    features: dict[Any, Any],
    columns: Sequence[Any],
    hidden_units: Sequence[int],
    dimension: int,
    mode: str,
    activation_fn: Any,
    dropout: float | None,
    separator: str,
    input_scope: str = _INPUT_SCOPE,
    input_partitioner: Any = None,
    servers: int = 0,
    collection: str = "dnn",
    trainable: bool = True,
) -> Tensor:
    """The logits of a network, in the current variable scope.

    Args:
        features: tensors by name.
        columns: feature columns, of either kind.
        hidden_units: how many units each layer has.
        dimension: how many logits there are.
        mode: a `ModeKeys`.
        activation_fn: of the layers.
        dropout: the part of units left out in training.
        separator: what stands between a layer and the names of its summaries.
        input_scope: the scope of the input layer.
        input_partitioner: how the input layer's variables are partitioned.
        servers: how many parameter servers there are.
        collection: which collection the variables are added to.
        trainable: whether they are trained.
    """
    values = tuple(features.values())
    with variable_scope(input_scope, values=values, partitioner=input_partitioner) as scope:
        if are_for_core(columns):
            net = input_layer(features, columns, weight_collections=[collection], trainable=trainable)
        else:
            current: Any = scope
            net = input_from_feature_columns(
                features, columns, weight_collections=[collection], trainable=trainable, scope=current
            )
    partitioner = min_max_variable_partitioner(max_partitions=servers)
    for i, units in enumerate(hidden_units):
        with variable_scope(f"hiddenlayer_{i}", partitioner=partitioner, values=(net,)) as scope:
            net = fully_connected(
                net,
                units,
                activation_fn=activation_fn,
                variables_collections=[collection],
                trainable=trainable,
                scope=scope,
            )
            if dropout is not None and mode == ModeKeys.TRAIN:
                net = dropout_layer(net, keep_prob=1.0 - dropout)
        _summarize(net, f"{scope.name}{separator}")
    with variable_scope("logits", partitioner=partitioner, values=(net,)) as scope:
        logits = fully_connected(
            net, dimension, activation_fn=None, variables_collections=[collection], trainable=trainable, scope=scope
        )
    _summarize(logits, f"{scope.name}{separator}")
    return logits


def _summarize(value: Tensor, prefix: str) -> None:
    scalar(f"{prefix}fraction_of_zero_values", zero_fraction(value))
    histogram(f"{prefix}activation", value)


def linear_logits(
    features: dict[Any, Any],
    columns: Sequence[Any],
    dimension: int,
    scope: Any,
    joint_weights: bool,
    collection: str = "linear",
    trainable: bool = True,
) -> Tensor:
    """The logits of a linear model, in the current variable scope.

    Args:
        features: tensors by name.
        columns: feature columns, of either kind.
        dimension: how many logits there are.
        scope: the current scope.
        joint_weights: whether all weights lie in one variable.
        collection: which collection the variables are added to.
        trainable: whether they are trained.
    """
    if are_for_core(columns):
        return linear_model(features, columns, units=dimension, weight_collections=[collection], trainable=trainable)
    build = joint_weighted_sum_from_feature_columns if joint_weights else weighted_sum_from_feature_columns
    logits, _, _ = build(
        features, columns, dimension, weight_collections=[collection], trainable=trainable, scope=scope
    )
    return logits


def dnn_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: RunConfig | None = None
) -> ModelFnOps:
    """The model function of networks.

    Args:
        features, labels: tensors, or dicts of them.
        mode: a `ModeKeys`.
        params: the arguments of `DNNEstimator` by name.
        config: a `RunConfig`.
    """
    head, servers = params["head"], parameter_servers(config)
    features = features_by_name(features)
    partitioner = min_max_variable_partitioner(max_partitions=servers)
    by_input = min_max_variable_partitioner(
        max_partitions=servers, min_slice_size=params.get("input_layer_min_slice_size") or MIN_SLICE
    )
    with variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner):
        logits = network_logits(
            features,
            params["feature_columns"],
            params["hidden_units"],
            head.logits_dimension,
            mode,
            params.get("activation_fn") or relu,
            params.get("dropout"),
            "_",
            input_partitioner=by_input,
            servers=servers,
        )

        def train_op_fn(loss: Tensor) -> Any:
            return optimize_loss(
                loss=loss,
                global_step=get_global_step(),
                learning_rate=_RATE,
                optimizer=get_optimizer(params.get("optimizer") or "Adagrad"),
                gradient_multipliers=embedding_multipliers(params.get("embedding_lr_multipliers"), "dnn", _INPUT_SCOPE),
                clip_gradients=params.get("gradient_clip_norm"),
                name="dnn",
                # Each layer has summaries of its own.
                summaries=[],
            )

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


def linear_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: RunConfig | None = None
) -> ModelFnOps:
    """The model function of linear models; arguments as in `dnn_model_fn`."""
    head, columns = params["head"], params["feature_columns"]
    optimizer = linear_optimizer(params.get("optimizer"), columns)
    features = features_by_name(features)
    partitioner = min_max_variable_partitioner(max_partitions=parameter_servers(config), min_slice_size=MIN_SLICE)
    with variable_scope("linear", values=tuple(features.values()), partitioner=partitioner) as scope:
        logits = linear_logits(features, columns, head.logits_dimension, scope, params.get("joint_weights", False))

        def train_op_fn(loss: Tensor) -> Operation:
            variables = get_collection("linear")
            found = gradients(loss, variables)
            pairs = clipped(list(zip(found, variables, strict=True)), params.get("gradient_clip_norm"))
            return optimizer.apply_gradients(pairs, global_step=get_global_step())

        return head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )


def combined_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: RunConfig | None = None
) -> ModelFnOps:
    """The model function of a linear model and a network, whose logits are added; arguments as in `dnn_model_fn`.

    Raises:
        ValueError: if there are no columns, or a network without layers; for a `SyncReplicasOptimizer`.
    """
    head, servers = params["head"], parameter_servers(config)
    linear_columns, dnn_columns = params.get("linear_feature_columns"), params.get("dnn_feature_columns")
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    for optimizer in (params.get("linear_optimizer"), params.get("dnn_optimizer")):
        if isinstance(optimizer, SyncReplicasOptimizer):
            raise ValueError(
                "SyncReplicasOptimizer is not supported in DNNLinearCombined model: each part has an optimizer of its own."
            )
    features = features_by_name(features)
    values = tuple(features.values())
    by_input = params.get("input_layer_partitioner") or min_max_variable_partitioner(
        max_partitions=servers, min_slice_size=MIN_SLICE
    )
    parts: list[Tensor] = []
    if dnn_columns:
        if not params.get("dnn_hidden_units"):
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        partitioner = min_max_variable_partitioner(max_partitions=servers)
        with variable_scope("dnn", values=values, partitioner=partitioner):
            parts.append(
                network_logits(
                    features,
                    dnn_columns,
                    params["dnn_hidden_units"],
                    head.logits_dimension,
                    mode,
                    params.get("dnn_activation_fn") or relu,
                    params.get("dnn_dropout"),
                    "/",
                    input_partitioner=by_input,
                    servers=servers,
                )
            )
    if linear_columns:
        with variable_scope("linear", values=values, partitioner=by_input) as scope:
            joint = params.get("joint_linear_weights", False)
            linear = linear_logits(features, linear_columns, head.logits_dimension, scope, joint)
            _summarize(linear, f"{scope.name}/")
            parts.append(linear)
    logits = parts[0] + parts[1] if len(parts) > 1 else parts[0]

    def train_op_fn(loss: Tensor) -> Any:
        return _combined_step(loss, params, linear_columns, dnn_columns)

    return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits)


def _combined_step(loss: Tensor, params: Mapping[str, Any], linear_columns: Any, dnn_columns: Any) -> Any:
    """A step of each part by its own optimizer."""
    step, once = get_global_step(), bool(params.get("fix_global_step_increment_bug"))
    # Each part counts the step, as it always was, unless the program wants it counted once.
    shared: dict[str, Any] = {
        "loss": loss,
        "global_step": step,
        "clip_gradients": params.get("gradient_clip_norm"),
        "summaries": [],
        "increment_global_step": not once,
    }
    steps = []
    if dnn_columns:
        steps.append(
            optimize_loss(
                learning_rate=_RATE,
                optimizer=get_optimizer(params.get("dnn_optimizer") or "Adagrad"),
                gradient_multipliers=embedding_multipliers(params.get("embedding_lr_multipliers"), "dnn", _INPUT_SCOPE),
                variables=get_collection("dnn"),
                name="dnn",
                **shared,
            )
        )
    if linear_columns:
        steps.append(
            optimize_loss(
                learning_rate=default_linear_rate(linear_columns),
                optimizer=get_optimizer(params.get("linear_optimizer") or "Ftrl"),
                variables=get_collection("linear"),
                name="linear",
                **shared,
            )
        )
    train = group(*steps)
    if not once:
        return train
    with control_dependencies([train]), colocate_with(step):
        return step.assign_add(1).op
