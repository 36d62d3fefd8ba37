"""`TPUEstimatorSpec`: what a model function written for TPUs returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.nest import flatten
from headrace.estimator.model_fn import EstimatorSpec
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook
from headrace.summary.resource_writers import flush, summary_writer_initializer_op
from headrace.util.inspection import fn_args, getargspec

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike
    from headrace.saved_model.export_output import ExportOutput
    from headrace.sessions.coordinator import Coordinator
    from headrace.sessions.scaffold import Scaffold

HostCall = tuple[Callable[..., Any], Any]


class HostCallHook(SessionRunHook):
    """Runs what a host call made in each step, and opens and empties the summary writers that it made.

    Args:
        tensors: what it made.
    """

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors
        self._opening: list[Operation] = []
        self._emptying: list[Operation] = []

    def begin(self) -> None:
        """Finds the writers of the graph."""
        self._opening = summary_writer_initializer_op()
        self._emptying = [flush(writer=each.inputs[0]) for each in self._opening]

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Opens their files."""
        session.run(self._opening)

    def end(self, session: SessionLike) -> None:
        """Lets them write what they hold."""
        session.run(self._emptying)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for it."""
        return SessionRunArgs(self._tensors)


def _checked_host_call(name: str, host_call: Any) -> Any:
    """Raises ValueError, TypeError or RuntimeError for what is no pair of a function and the tensors it takes."""
    if host_call is None:
        return None
    if not isinstance(host_call, (tuple, list)):
        raise ValueError(f"{name} should be tuple or list")
    if len(host_call) != 2:
        raise ValueError(f"{name} should have two elements.")
    function, tensors = host_call
    if not callable(function):
        raise TypeError(f"{name}[0] should be callable.")
    if not isinstance(tensors, (tuple, list, Mapping)):
        raise ValueError(f"{name}[1] should be tuple or list, or dict.")
    if isinstance(tensors, (tuple, list)) and getargspec(function).varargs is None:
        taken = len(fn_args(function))
        if taken != len(tensors):
            raise RuntimeError(
                f"In TPUEstimatorSpec.{name}, length of tensors {len(tensors)} does not match method args of the function, "
                f"which takes {taken}."
            )
    return host_call


def _called(host_call: HostCall | None) -> Any:
    if host_call is None:
        return None
    function, tensors = host_call
    return function(**tensors) if isinstance(tensors, Mapping) else function(*tensors)


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Tensor | None
    train_op: Operation | Tensor | None
    eval_metrics: HostCall | None
    export_outputs: Mapping[str, ExportOutput] | None
    scaffold_fn: Callable[[], Scaffold] | None
    host_call: HostCall | None
    training_hooks: Sequence[SessionRunHook]
    evaluation_hooks: Sequence[SessionRunHook]
    prediction_hooks: Sequence[SessionRunHook]


class TPUEstimatorSpec(_Fields):
    """What a model function for `TPUEstimator` returns: as `EstimatorSpec`, with functions for what a host does.

    Args:
        mode: one of `tf.estimator.ModeKeys`.
        predictions: a tensor, or a dict of them; needed for PREDICT.
        loss: a scalar; needed for TRAIN and EVAL.
        train_op: the operation of a step; needed for TRAIN.
        eval_metrics: (a function, the tensors it takes as a list or dict); it returns metrics as `eval_metric_ops`.
        export_outputs: from signature to `ExportOutput`.
        scaffold_fn: returns a `Scaffold`.
        host_call: (a function, the tensors it takes as a list or dict); what it makes is run in each step.
        training_hooks, evaluation_hooks, prediction_hooks: SessionRunHooks.

    Raises:
        ValueError, TypeError: as `EstimatorSpec`, and where a function with tensors is no such pair.
        RuntimeError: if a function takes another number of tensors.

    Example:
        >>> def metric_fn(labels, logits):
        ...     return {"accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))}
        >>> spec = tf.contrib.tpu.TPUEstimatorSpec("eval", loss=loss, eval_metrics=(metric_fn, [labels, logits]))
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Tensor | None = None,
        train_op: Operation | Tensor | None = None,
        eval_metrics: HostCall | None = None,
        export_outputs: Mapping[str, ExportOutput] | None = None,
        scaffold_fn: Callable[[], Scaffold] | None = None,
        host_call: HostCall | None = None,
        training_hooks: Iterable[SessionRunHook] | None = None,
        evaluation_hooks: Iterable[SessionRunHook] | None = None,
        prediction_hooks: Iterable[SessionRunHook] | None = None,
    ) -> TPUEstimatorSpec:
        host_call = _checked_host_call("host_call", host_call)
        eval_metrics = _checked_host_call("eval_metrics", eval_metrics)
        checked = EstimatorSpec(
            mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            export_outputs=export_outputs,
            training_hooks=training_hooks,
            evaluation_hooks=evaluation_hooks,
            prediction_hooks=prediction_hooks,
        )
        return super().__new__(
            cls,
            mode,
            checked.predictions,
            checked.loss,
            checked.train_op,
            eval_metrics,
            checked.export_outputs,
            scaffold_fn,
            host_call,
            checked.training_hooks,
            checked.evaluation_hooks,
            checked.prediction_hooks,
        )

    def as_estimator_spec(self) -> EstimatorSpec:
        """The same as an `EstimatorSpec`: metrics, scaffold and host call are made here and now."""
        metrics = _called(self.eval_metrics)
        made = _called(self.host_call)
        hooks = (HostCallHook(made),) if made is not None and flatten(made) else ()
        return EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*self.training_hooks, *hooks),
            evaluation_hooks=(*self.evaluation_hooks, *hooks),
            prediction_hooks=(*self.prediction_hooks, *hooks),
        )
