"""Linear models trained by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.feature_column_inputs import transform_features, weighted_sum_from_feature_columns
from headrace.contrib.layers.feature_column_makers import real_valued_column
from headrace.contrib.learn.classification_heads import BinaryLogisticHead, BinarySvmHead
from headrace.contrib.learn.columns_models import features_by_name
from headrace.contrib.learn.heads import RegressionHead
from headrace.core.composite import SparseTensor
from headrace.core.tensor_util import constant_value
from headrace.kernels import composing
from headrace.kernels.composing.filling import ones
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from headrace.state.global_step import get_global_step
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.contrib.learn.model_outputs import ModelFnOps
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig
    from headrace.sessions.session_run_hook import SessionRunContext

_BIAS = "tf_virtual_bias_column"
_LOSSES: dict[type, str] = {
    BinaryLogisticHead: "logistic_loss",
    BinarySvmHead: "hinge_loss",
    RegressionHead: "squared_loss",
}


class SdcaUpdateWeightsHook(SessionRunHook):
    """Brings the weights up to date with the dual variables after each step of the chief."""

    def set_parameters(self, sdca_model: Any, train_op: Operation) -> None:
        """Says of which model.

        Args:
            sdca_model: the model.
            train_op: what trains it.
        """
        self._sdca_model, self._train_op = sdca_model, train_op

    def begin(self) -> None:
        """Makes the operation."""
        self._update_op = self._sdca_model.update_weights(self._train_op)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Runs it with the step."""
        return SessionRunArgs(self._update_op)


def sdca_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: RunConfig | None = None
) -> ModelFnOps:
    """The model function of linear models with an `SDCAOptimizer`.

    Args:
        features, labels: tensors, or dicts of them.
        mode: a `ModeKeys`.
        params: `head`, `feature_columns`, `optimizer`, `weight_column_name` and `update_weights_hook`.
        config: a `RunConfig`.

    Raises:
        ValueError: for heads whose losses the optimizer does not know.
    """
    head, columns, optimizer = params["head"], params["feature_columns"], params["optimizer"]
    loss_type = _LOSSES.get(type(head))
    if loss_type is None:
        raise ValueError(f"Unsupported head type: {type(head).__name__}.")
    tensors = dict(features_by_name(features))
    with variable_scope("linear", values=tuple(tensors.values()), partitioner=optimizer.partitioner) as scope:
        tensors.update(transform_features(tensors, columns))
        current: Any = scope
        logits, variables, bias = weighted_sum_from_feature_columns(tensors, columns, 1, scope=current)
        _add_bias_column(columns, tensors, bias, variables)

    hook = params.get("update_weights_hook")

    def train_op_fn(unused_loss: Tensor) -> Operation:
        model, step = optimizer.get_train_step(
            variables, params.get("weight_column_name"), loss_type, tensors, labels, get_global_step()
        )
        if hook is not None:
            hook.set_parameters(model, step)
        return step

    ops: ModelFnOps = head.create_model_fn_ops(
        features=features_by_name(features), mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
    )
    if hook is not None and mode == "train":
        return ops._replace(training_chief_hooks=[*ops.training_chief_hooks, hook])
    return ops


def _batch_size(tensors: Mapping[Any, Any]) -> Any:
    """How many examples there are: by the first dense feature, or sparse one of a known shape."""
    # A weighted column is the pair of its classes and their weights.
    first = [given[0] if isinstance(given, tuple) else given for given in tensors.values()]
    for given in first:
        if not isinstance(given, SparseTensor):
            return composing.shape(given)[0]
        known = constant_value(given.dense_shape)
        if known is not None:
            return known[0]
    return composing.shape(first[0])[0]


def _add_bias_column(columns: Any, tensors: dict[Any, Any], bias: Any, variables: dict[Any, Any]) -> None:
    """Gives the optimizer the bias as the weight of a feature that is always 1."""
    if not columns:
        raise ValueError("feature_columns can't be empty.")
    if _BIAS in tensors:
        raise ValueError(f"{_BIAS} is the name of the bias, and of a feature too.")
    column = real_valued_column(_BIAS)
    tensors[column] = ones([_batch_size(tensors), 1])
    variables[column] = [bias]
