"""What a model function of `tf.contrib.learn` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import graph_of_inputs
from headrace.core.operation import Operation
from headrace.ops.array.shape import reshape
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

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "ModelFnOps.estimator_spec makes a tf.estimator.EstimatorSpec, and tf.estimator is not here yet: use the "
            "fields of the ModelFnOps."
        )


def _scalar(loss: TensorLike) -> Tensor:
    loss = convert_to_tensor(loss)
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {loss}.")
    return loss if shape.is_compatible_with([]) else reshape(loss, [])
