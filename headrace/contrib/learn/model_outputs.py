"""What a model function of `tf.contrib.learn` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.metric_spec import ModeKeys, PredictionKey
from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import graph_of_inputs
from headrace.core.operation import Operation
from headrace.estimator.model_fn import EstimatorSpec
from headrace.ops.array.shape import reshape
from headrace.saved_model import names
from headrace.saved_model.export_output import ClassificationOutput, PredictOutput, RegressionOutput
from headrace.sessions.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class _Fields(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    output_alternatives: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    mode: str


class ModelFnOps(_Fields):
    """The operations of a model, checked.

    Args:
        mode: one of `ModeKeys`.
        predictions: a tensor, or a dict of tensors.
        loss: the scalar that training makes less.
        train_op: the operation of a training step.
        eval_metric_ops: a dict of metrics by name.
        output_alternatives: a dict of (problem type, dict of output tensors) by the name of a part of the model.
        training_chief_hooks, training_hooks: lists of hooks for training.
        scaffold: a `tf.train.Scaffold`.

    Raises:
        ValueError: for an unknown mode, what it requires is missing, a loss of more than one number, or tensors of
            several graphs.
        TypeError: for hooks that are none.
    """

    def __new__(
        cls,
        mode: str,
        predictions: object = None,
        loss: TensorLike | None = None,
        train_op: Operation | None = None,
        eval_metric_ops: Sequence[int] | Mapping[str, Sequence[Tensor]] | None = None,
        output_alternatives: Mapping[str | None, Sequence[int | Mapping[str, Tensor]]] | None = None,
        training_chief_hooks: Sequence[Any] | None = None,
        training_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
            raise ValueError(f"Invalid mode {mode}.")
        graph_of_inputs((predictions, loss, train_op))
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if train_op is not None and not isinstance(train_op, Operation):
            train_op = convert_to_tensor(train_op).op
        if loss is None and mode != ModeKeys.INFER:
            raise ValueError("Missing loss.")
        if loss is not None:
            loss = _scalar(loss)
        if predictions is None and mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        if isinstance(predictions, dict):
            predictions = {key: convert_to_tensor_or_sparse_tensor(value) for key, value in predictions.items()}
        elif predictions is not None:
            predictions = convert_to_tensor_or_sparse_tensor(predictions)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError(f"eval_metric_ops must be a dict, got {eval_metric_ops!r}.")
        hooks, chief_hooks = list(training_hooks or ()), list(training_chief_hooks or ())
        for hook in hooks + chief_hooks:
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks of a model must be SessionRunHook instances, got {hook!r}.")
        return super().__new__(
            cls,
            predictions,
            loss,
            train_op,
            {} if eval_metric_ops is None else eval_metric_ops,
            output_alternatives,
            chief_hooks,
            hooks,
            scaffold,
            mode,
        )

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> Any:
        """The same as an `EstimatorSpec`.

        Args:
            default_serving_output_alternative_key: the name of the head that serves where a request names none.

        Raises:
            ValueError: if there are several heads and none is named, or a head's outputs are not of its kind.
        """
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=_core_metrics(self.eval_metric_ops),
            export_outputs=_export_outputs(self.output_alternatives, default_serving_output_alternative_key),
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def _core_metrics(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics without the loss, which estimators of `tf.estimator` measure themselves."""
    return {name: metric for name, metric in metrics.items() if name != "loss"}


def _export_outputs(alternatives: Mapping[Any, Any] | None, default_key: str | None) -> dict[str, Any] | None:
    if not alternatives:
        return None
    if default_key is not None and default_key not in alternatives:
        raise ValueError(
            f"default_serving_output_alternative_key {default_key!r} is none of {sorted(map(str, alternatives))}."
        )
    if len(alternatives) == 1 and default_key is None:
        (default_key,) = alternatives
    outputs = {
        str(key) if key is not None else "None": _export_output(problem_type, tensors)
        for key, (problem_type, tensors) in alternatives.items()
    }
    if default_key is not None or None in alternatives:
        outputs[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = _export_output(*alternatives[default_key])
    elif len(alternatives) > 1:
        raise ValueError(
            "Please specify a default_serving_output_alternative_key. Available output_alternatives are: "
            f"{sorted(map(str, alternatives))}"
        )
    return outputs


def _export_output(problem_type: int, tensors: Mapping[str, Any]) -> Any:
    """Outputs of the kind that a problem has."""
    if problem_type == ProblemType.LINEAR_REGRESSION:
        scores = tensors.get(PredictionKey.SCORES, tensors.get(PredictionKey.PROBABILITIES))
        if scores is None and len(tensors) == 1:
            (scores,) = tensors.values()
        if scores is not None:
            return RegressionOutput(scores)
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        classes = tensors.get(PredictionKey.CLASSES)
        scores = tensors.get(PredictionKey.SCORES, tensors.get(PredictionKey.PROBABILITIES))
        # Who serves classes wants their words; numbers stay in the predictions.
        if classes is not None and classes.dtype != "string":
            classes = None
        if classes is not None or scores is not None:
            return ClassificationOutput(scores, classes)
    return PredictOutput(tensors)


def _scalar(loss: TensorLike) -> Tensor:
    loss = convert_to_tensor(loss)
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
    return loss if shape.is_compatible_with([]) else reshape(loss, [])
