"""What a model function returns: `EstimatorSpec`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_dense_tensor_like
from headrace.estimator.mode_keys import ModeKeys
from headrace.ops.array.shape import reshape
from headrace.saved_model import names
from headrace.saved_model.export_output import ExportOutput, PredictOutput
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.variable_class import Variable

if TYPE_CHECKING:
    from headrace.core.typing import Nested

LOSS_METRIC_KEY = "loss"
AVERAGE_LOSS_METRIC_KEY = "average_loss"


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Tensor | None
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: dict[str, Any] | None
    training_chief_hooks: tuple[SessionRunHook, ...]
    training_hooks: tuple[SessionRunHook, ...]
    scaffold: Scaffold
    evaluation_hooks: tuple[SessionRunHook, ...]
    prediction_hooks: tuple[SessionRunHook, ...]


class EstimatorSpec(_Fields):
    """What a model function returns for the mode it was called in.

    Args:
        mode: a `ModeKeys`; it says which of the others are needed.
        predictions: a tensor, or a dict of them; needed to predict.
        loss: a scalar, or of shape [1]; needed to train and to evaluate.
        train_op: the operation of a training step; needed to train.
        eval_metric_ops: from name to (value, update operation), or to a metric object of Keras.
        export_outputs: from signature to `ExportOutput`; by default the predictions as they are.
        training_chief_hooks, training_hooks: hooks for training: of the chief, and of all workers.
        scaffold: what initializes and restores the model.
        evaluation_hooks, prediction_hooks: hooks for the other modes.

    Raises:
        ValueError: if something needed is missing, of another graph, or of a wrong shape.
        TypeError: if something is of a wrong type.

    Example:
        >>> def model_fn(features, labels, mode):
        ...     y = tf.layers.dense(features["x"], 1)
        ...     if mode == tf.estimator.ModeKeys.PREDICT:
        ...         return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
        ...     loss = tf.losses.mean_squared_error(labels, y)
        ...     train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
        ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        export_outputs: Mapping[str, ExportOutput] | None = None,
        training_chief_hooks: Iterable[SessionRunHook] | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> EstimatorSpec:
        train_op = _checked_train_op(train_op, mode)
        loss = _checked_loss(loss, mode)
        predictions = _checked_predictions(predictions, mode)
        # Models that only train or evaluate export nothing; 1.15 does not look at what they give.
        outputs: Any = export_outputs
        if mode == ModeKeys.PREDICT:
            outputs = export_outputs_for_mode(mode, export_outputs, predictions)
        hooks = [
            tuple(given or ()) for given in (training_hooks, training_chief_hooks, evaluation_hooks, prediction_hooks)
        ]
        for hook in (hook for given in hooks for hook in given):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        metrics = _checked_metrics(eval_metric_ops)
        if scaffold is not None and not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs=outputs,
            training_chief_hooks=hooks[1],
            training_hooks=hooks[0],
            scaffold=scaffold or Scaffold(),
            evaluation_hooks=hooks[2],
            prediction_hooks=hooks[3],
        )

    def _replace(self, /, **kwargs: Any) -> EstimatorSpec:
        """A copy with other fields, checked as the first was.

        Raises:
            ValueError: for another mode; else as the constructor.
        """
        if "mode" in kwargs and kwargs["mode"] != self.mode:
            raise ValueError(f"mode of EstimatorSpec cannot be changed. Old mode: {self.mode}. New: {kwargs['mode']}.")
        return EstimatorSpec(**{**self._asdict(), **kwargs})


def _check_graph(value: Tensor | Operation, label: str, what: str) -> None:
    if value.graph is not get_default_graph():
        raise ValueError(
            f'{what} with "{label}" must be from the default graph. It may have been made outside of the graph that the '
            'model function is called in, or by an earlier call of "model_fn".'
        )


def _checked_train_op(train_op: Operation | Tensor | None, mode: str) -> Operation | Tensor | None:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        return None
    if not isinstance(train_op, Operation) and not is_dense_tensor_like(train_op):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
    if isinstance(train_op, Variable):
        train_op = train_op.op
    _check_graph(train_op, train_op.name, "train_op")
    return train_op


def _checked_loss(loss: Tensor | None, mode: str) -> Tensor | None:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    _check_tensor(loss, "loss")
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    _check_graph(loss, loss.name, "loss")
    return loss if loss.shape.is_compatible_with([]) else reshape(loss, [])


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    if not isinstance(predictions, dict):
        _check_tensor(predictions, "predictions")
        _check_graph(predictions, predictions.name, "prediction values")
        return predictions
    for key, value in predictions.items():
        _check_tensor(value, f"predictions[{key}]")
        _check_graph(value, f"{key}: {value.name}", "prediction values")
    return predictions


def _check_tensor(value: object, label: str) -> None:
    if not is_dense_tensor_like(value):
        raise TypeError(f"{label} must be Tensor, given: {value}")


def _outputs(export_outputs: Any) -> Mapping[str, Any]:
    if not isinstance(export_outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {export_outputs}")
    if not all(isinstance(output, ExportOutput) for output in export_outputs.values()):
        raise TypeError(f"Values in export_outputs must be ExportOutput objects. Given: {export_outputs}")
    return export_outputs


def export_outputs_for_mode(mode: str, export_outputs: Any = None, predictions: Any = None) -> dict[str, Any]:
    """The outputs of a model that is served, one of them the default.

    Args:
        mode: `ModeKeys.PREDICT`.
        export_outputs: from signature to `ExportOutput`; None for the predictions as they are.
        predictions: a tensor, or a dict of them.

    Raises:
        TypeError: if `export_outputs` is of another type; ValueError: if there are several and none is the default.
    """
    default = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if export_outputs is None:
        return {default: PredictOutput(predictions)}
    outputs = dict(_outputs(export_outputs))
    if len(outputs) == 1:
        outputs.setdefault(default, next(iter(outputs.values())))
    elif default not in outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default.  Do this by naming one "
            "of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    return outputs


def _checked_metrics(eval_metric_ops: Any) -> dict[str, Any]:
    if eval_metric_ops is None:
        return {}
    if not isinstance(eval_metric_ops, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {eval_metric_ops}")
    for key, metric in eval_metric_ops.items():
        if not is_metric_object(metric) and not (isinstance(metric, tuple) and len(metric) == 2):
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {metric} for key: {key}"
            )
        for part in _flat(value_and_update(metric)):
            _check_graph(part, f"{key}: {getattr(part, 'name', part)}", "eval_metric_ops")
    checked = {}
    for key, metric in eval_metric_ops.items():
        checked[key] = metric
        if is_metric_object(metric):
            _initialize_with_local_variables(metric)
            # 1.15.5 makes the value once more than it checked, and names follow from that.
            checked[key] = value_and_update(metric)
    return checked


def _initialize_with_local_variables(metric: Any) -> None:
    """Adds the variables of a metric object, which are in no collection, to those that evaluations initialize."""
    for key in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
        known = {id(variable) for variable in get_collection(key)}
        for variable in metric.variables:
            if id(variable) not in known:
                add_to_collection(key, variable)


def is_metric_object(metric: object) -> bool:
    """Whether a metric is an object with state, as those of Keras, rather than a pair."""
    return hasattr(metric, "update_state") and hasattr(metric, "result")


def value_and_update(metric: Any) -> tuple[Any, Any]:
    """The value and the update operation of a metric.

    Raises:
        ValueError: for a metric object that was not updated.
    """
    if not is_metric_object(metric):
        value, update = metric
        return value, update
    if not metric.updates:
        raise ValueError("Please call update_state(...) on the metric " + metric.name)
    return metric.result(), metric.updates[0]


def _flat(values: Nested[Tensor]) -> list[Any]:
    return nest.flatten(values)
