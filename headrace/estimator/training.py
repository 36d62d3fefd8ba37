"""`train_and_evaluate`: training with an evaluation after each checkpoint, and exports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.estimator import coordinated
from headrace.estimator.arguments import checked_hooks
from headrace.estimator.checkpoint_evaluation import (
    CheckpointEvaluator,
    ContinuousEvaluationListener,
    EvaluatingListener,
)
from headrace.estimator.estimator import Estimator
from headrace.estimator.exporter import Exporter
from headrace.estimator.run_config import TaskType
from headrace.estimator.standard_server import start_standard_server
from headrace.sessions.saving_hooks import CheckpointSaverListener
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.util import tf_logging

# How many seconds later each worker begins than the one before, and the most that any of them waits.
_DELAY_SECS_PER_WORKER, _MAX_DELAY_SECS = 5, 60


class _TrainFields(NamedTuple):
    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[SessionRunHook, ...]


class TrainSpec(_TrainFields):
    """What `train_and_evaluate` trains on.

    Args:
        input_fn: as for `Estimator.train`.
        max_steps: up to which global step; None until the input ends.
        hooks: SessionRunHooks.

    Raises:
        TypeError: if `input_fn` or a hook is of another type; ValueError: if `max_steps` is not positive.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
    ) -> TrainSpec:
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(cls, input_fn, max_steps, tuple(_checked(hooks)))


class _EvalFields(NamedTuple):
    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[SessionRunHook, ...]
    exporters: tuple[Exporter, ...]
    start_delay_secs: int
    throttle_secs: int


class EvalSpec(_EvalFields):
    """What `train_and_evaluate` evaluates on.

    Args:
        input_fn: as for `Estimator.evaluate`.
        steps: over how many batches; None until the input ends.
        name: of the evaluation, where there are several.
        hooks: SessionRunHooks.
        exporters: `Exporter`s, called after each evaluation.
        start_delay_secs: how long an evaluator that is a process of its own waits first.
        throttle_secs: how long after an evaluation the next one begins at the earliest.

    Raises:
        TypeError: if something is of another type; ValueError: for negative numbers, or exporters of the same name.
    """

    __slots__ = ()

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        exporters: Exporter | Iterable[Exporter] | None = None,
        start_delay_secs: int = 120,
        throttle_secs: int = 600,
    ) -> EvalSpec:
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            tuple(_checked(hooks)),
            _exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def _check_input_fn(input_fn: object) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked(hooks: Iterable[SessionRunHook] | None) -> list[SessionRunHook]:
    found = list(hooks or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return found


def _exporters(given: Any) -> tuple[Exporter, ...]:
    if not given:
        return ()
    if isinstance(given, Exporter):
        given = [given]
    names: set[str] = set()
    for exporter in given:
        if not isinstance(exporter, Exporter):
            raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporter}.")
        if not exporter.name:
            raise ValueError(f"An Exporter cannot have a name that is `None` or empty. All exporter names: {names}")
        if not isinstance(exporter.name, str):
            raise ValueError(f"An Exporter must have a string name, given: {exporter.name}.")
        if exporter.name in names:
            raise ValueError(f"`exporters` must have unique names. Such a name cannot be repeated: {exporter.name}")
        names.add(exporter.name)
    return tuple(given)


def _check_eval_spec(eval_spec: object) -> None:
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(f"`eval_spec` must have type `tf.estimator.EvalSpec`. Got: {type(eval_spec)}")


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[Any] | None] | None:
    """Trains a model, and evaluates and exports its checkpoints on the way.

    Args:
        estimator: the model.
        train_spec: what to train on, and for how long.
        eval_spec: what to evaluate on, and what to export.

    Returns:
        on one machine the last evaluation and what the exporters gave, each None where there was nothing left to train;
        else None. Where `RunConfig` names a strategy of training and the environment a cluster, a distribute coordinator
        runs what this process has to.

    Raises:
        TypeError: if something is of another type.
        ValueError: if TF_CONFIG names a task of another kind.

    Example:
        >>> train = tf.estimator.TrainSpec(train_input_fn, max_steps=1000)
        >>> metrics, exports = tf.estimator.train_and_evaluate(estimator, train, tf.estimator.EvalSpec(eval_input_fn))
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`, given {type(estimator)}")
    executor = TrainingExecutor(estimator, train_spec, eval_spec)
    if coordinated.should_run_distribute_coordinator(estimator.config):
        tf_logging.info("Running `train_and_evaluate` with Distribute Coordinator.")
        coordinated.train_and_evaluate(estimator, train_spec, eval_spec, TrainingExecutor)
        return None
    tf_logging.info("Not using Distribute Coordinator.")
    return executor.run()


class TrainingExecutor:
    """What `train_and_evaluate` does, by the task of this process.

    Args:
        estimator, train_spec, eval_spec: as there.
        train_hooks: hooks for training besides those of `train_spec`.
        continuous_eval_listener: what is told of evaluations, and may end them.

    Raises:
        TypeError: if something is of another type.
    """

    def __init__(
        self,
        estimator: Estimator,
        train_spec: TrainSpec,
        eval_spec: EvalSpec,
        train_hooks: Sequence[SessionRunHook] | None = None,
        continuous_eval_listener: ContinuousEvaluationListener | None = None,
    ) -> None:
        for value, kind, what in ((estimator, Estimator, "estimator"), (train_spec, TrainSpec, "train_spec")):
            if not isinstance(value, kind):
                raise TypeError(f"`{what}` must have type `tf.estimator.{kind.__name__}`. Got: {type(value)}")
        _check_eval_spec(eval_spec)
        if continuous_eval_listener and not isinstance(continuous_eval_listener, ContinuousEvaluationListener):
            raise TypeError(
                "`continuous_eval_listener` must have type `_ContinuousEvalListener`. "
                f"Got: {type(continuous_eval_listener)}"
            )
        self._listener = continuous_eval_listener or ContinuousEvaluationListener()
        self._estimator, self._train_spec, self._eval_spec = estimator, train_spec, eval_spec
        self._train_hooks = tuple(checked_hooks(train_hooks))

    @property
    def estimator(self) -> Estimator:
        """The model."""
        return self._estimator

    def run(self) -> tuple[dict[str, Any] | None, list[Any] | None] | None:
        """Trains and evaluates as the task of this process says."""
        config = self._estimator.config
        if not config.cluster_spec.jobs and config.task_type != TaskType.EVALUATOR:
            tf_logging.info("Running training and evaluation locally (non-distributed).")
            return self.run_local()
        if config.task_type == TaskType.EVALUATOR:
            self.run_evaluator()
            return None
        roles: dict[str, Callable[[], None]] = {
            TaskType.CHIEF: self.run_chief,
            TaskType.MASTER: self.run_master,
            TaskType.PS: self.run_ps,
            TaskType.WORKER: self.run_worker,
        }
        role = roles.get(config.task_type)
        if role is None:
            raise ValueError(f"Task type {config.task_type} is not supported. Supported task types are {[*roles]}")
        role()
        return None

    def run_chief(self) -> None:
        """Trains, saves checkpoints and starts the model, for the other tasks to go on with."""
        self._train_in_cluster()

    def run_worker(self) -> None:
        """Trains on what the chief has started."""
        self._train_in_cluster()

    def run_master(self) -> None:
        """Trains as the chief does, and evaluates its checkpoints on the way."""
        self._train_in_cluster([self._evaluating()])

    def run_ps(self) -> None:
        """Holds variables, for as long as the process lives."""
        start_standard_server(self._estimator.config).join()

    def _train_in_cluster(self, listeners: Sequence[CheckpointSaverListener] = ()) -> None:
        config = self._estimator.config
        if config.cluster_spec and config.master:
            start_standard_server(config)
        if config.task_type == TaskType.WORKER:
            # Workers begin one after the other.
            longest = config.experimental_max_worker_delay_secs
            longest = _MAX_DELAY_SECS if longest is None else int(longest)
            delay = min(longest, (config.task_id + 1) * _DELAY_SECS_PER_WORKER)
            if delay > 0:
                tf_logging.info("Waiting %d secs before starting training.", delay)
                time.sleep(delay)
        self._estimator.train(
            input_fn=self._train_spec.input_fn,
            max_steps=self._train_spec.max_steps,
            hooks=[*self._train_spec.hooks, *self._train_hooks],
            saving_listeners=list(listeners),
        )

    def run_local(self) -> tuple[dict[str, Any] | None, list[Any] | None]:
        """Trains and evaluates in this process: an evaluation after each checkpoint, and one at the end.

        Raises:
            ValueError: if `throttle_secs` is not positive, or there is no end.
        """
        _log_local(self._eval_spec, self._estimator.config)
        listener = self._evaluating()
        self._estimator.train(
            input_fn=self._train_spec.input_fn,
            max_steps=self._train_spec.max_steps,
            hooks=[*self._train_spec.hooks, *self._train_hooks],
            saving_listeners=[listener],
        )
        # Where a run had nothing to train any more, nothing was evaluated either.
        metrics = listener.eval_result.metrics if listener.eval_result else None
        return metrics, listener.export_results

    def _evaluating(self) -> EvaluatingListener:
        evaluator = CheckpointEvaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        return EvaluatingListener(evaluator, self._eval_spec.throttle_secs, self._listener)

    def run_evaluator(self) -> None:
        """Evaluates checkpoints as they come, until the last of training."""
        delay = self._eval_spec.start_delay_secs
        if delay:
            tf_logging.info("Waiting %f secs before starting eval.", delay)
            time.sleep(delay)
        evaluator = CheckpointEvaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        while not evaluator.is_final:
            begun = time.time()
            if not self._listener.before_eval():
                tf_logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.before_eval.")
                return
            result, _ = evaluator.evaluate_and_export()
            if not self._listener.after_eval(result):
                tf_logging.info("Exiting evaluation, as requested by _ContinuousEvalListener.after_eval.")
                return
            if evaluator.is_final and result.metrics:
                step, last = result.metrics[GraphKeys.GLOBAL_STEP], self._train_spec.max_steps
                tf_logging.info("Exiting evaluation, global_step=%s >= train max_steps=%s", step, last)
            left = self._eval_spec.throttle_secs - (time.time() - begun)
            if not evaluator.is_final and left > 0:
                tf_logging.info("Waiting %f secs before starting next eval run.", left)
                time.sleep(left)


def _log_local(eval_spec: EvalSpec, config: Any) -> None:
    tf_logging.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency is determined "
        "based on RunConfig arguments: save_checkpoints_steps %s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
