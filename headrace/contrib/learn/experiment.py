"""`Experiment`: an estimator with its data, trained and evaluated in one of several ways."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.learn.export_strategy import ExportStrategy
from headrace.contrib.learn.monitor_hooks import replace_monitors_with_hooks
from headrace.contrib.learn.run_config import Environment, RunConfig
from headrace.contrib.learn.trainable import Evaluable, Trainable
from headrace.contrib.learn.validation_monitor import ValidationMonitor
from headrace.estimator.estimator import Estimator as CoreEstimator
from headrace.estimator.standard_server import start_standard_server
from headrace.sessions.hooks import GlobalStepWaiterHook
from headrace.sessions.saving_hooks import CheckpointSaverListener
from headrace.sessions.server import Server
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.sessions.session_run_hook import SessionRunHook

_WARN_EVERY_SECONDS = 600


class Experiment:
    """An estimator with its data.

    Args:
        estimator: of `tf.contrib.learn` or `tf.estimator`.
        train_input_fn: returns features and labels to train on.
        eval_input_fn: the same to evaluate on.
        eval_metrics: from name to `MetricSpec`; not for estimators of `tf.estimator`.
        train_steps: up to which global step to train; by default until the input ends.
        eval_steps: over how many batches to evaluate; None for until the input ends.
        train_monitors: monitors, or SessionRunHooks, of training.
        eval_hooks: SessionRunHooks of evaluation.
        local_eval_frequency: the older name of `min_eval_frequency`.
        eval_delay_secs: how long to wait before the first evaluation.
        continuous_eval_throttle_secs: how long to wait between evaluations at least.
        min_eval_frequency: after how many steps of training to evaluate; 0 for not while training. 1 by default, which is
            for each new checkpoint.
        delay_workers_by_global_step: whether workers wait for steps of others rather than for a time.
        export_strategies: an `ExportStrategy`, or several.
        train_steps_per_iteration: how many steps to train between evaluations in `continuous_train_and_eval`.
        checkpoint_and_export: whether to evaluate and export each checkpoint as it is saved.
        saving_listeners: CheckpointSaverListeners; for estimators of `tf.estimator`.
        check_interval_secs: how often to look for a new checkpoint while training, at most.

    Raises:
        ValueError: for other estimators, strategies or listeners.

    Example:
        >>> experiment = tf.contrib.learn.Experiment(
        ...     estimator, train_input_fn=train_input_fn, eval_input_fn=eval_input_fn, train_steps=1000)
        >>> metrics, exports = experiment.train_and_evaluate()
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[[], Any],
        eval_input_fn: Callable[[], Any],
        eval_metrics: Mapping[Any, Any] | None = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Sequence[Any] | None = None,
        eval_hooks: Sequence[SessionRunHook] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float | None = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Sequence[CheckpointSaverListener] | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        self._core_estimator_used = isinstance(estimator, CoreEstimator)
        _check_estimator(estimator, eval_metrics, saving_listeners)
        self._estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._eval_metrics, self._train_steps, self._eval_steps = eval_metrics, train_steps, eval_steps
        self._train_monitors: list[Any] = list(train_monitors or ())
        self._eval_hooks = list(eval_hooks or ())
        self._eval_delay_secs = eval_delay_secs
        self._continuous_eval_throttle_secs = continuous_eval_throttle_secs
        frequency = local_eval_frequency if min_eval_frequency is None else min_eval_frequency
        self._min_eval_frequency = 1 if frequency is None else frequency
        self._check_interval_secs = check_interval_secs
        self._delay_workers_by_global_step = delay_workers_by_global_step
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError("`train_steps_per_iteration` must be an integer.")
        self._train_steps_per_iteration = train_steps_per_iteration
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = list(saving_listeners or ())
        self._export_strategies: tuple[ExportStrategy, ...] = ()
        self._set_export_strategies(export_strategies)

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Mapping[Any, Any] | None:
        """The metrics that it asks for."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """Up to which global step it trains."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """Over how many batches it evaluates."""
        return self._eval_steps

    def _set_export_strategies(self, strategies: Any) -> None:
        if strategies is None:
            found: tuple[Any, ...] = ()
        elif isinstance(strategies, ExportStrategy):
            found = (strategies,)
        else:
            found = tuple(strategies)
        for strategy in found:
            if not isinstance(strategy, ExportStrategy):
                raise ValueError(
                    "`export_strategies` must be an ExportStrategy, an iterable of ExportStrategy, or `None`, found "
                    f"{type(strategy).__name__}."
                )
        self._export_strategies = found

    def extend_train_hooks(self, additional_hooks: Sequence[Any]) -> None:
        """Adds monitors or hooks of training.

        Args:
            additional_hooks: them.
        """
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> list[ExportStrategy]:
        """Takes other strategies, or none.

        Args:
            new_export_strategies: an `ExportStrategy`, several, or None.

        Returns:
            those before.
        """
        before = list(self._export_strategies)
        self._set_export_strategies(new_export_strategies)
        return before

    # ---- the ways to run it ----

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains.

        Args:
            delay_secs: how long to wait before; by default so long that workers begin one after the other.

        Returns:
            the estimator.
        """
        config = self._estimator.config
        task = config.task_id or 0
        self._serve()
        hooks: list[Any] = []
        if delay_secs is None:
            if self._delay_workers_by_global_step:
                tf_logging.info("Waiting for the steps of other workers before training.")
                hooks.append(GlobalStepWaiterHook(int(task * 8000.0 * math.log(task + 1))))
                delay_secs = 0
            else:
                delay_secs = min(60, task * 5)
        _wait(delay_secs, "training")
        return self._call_train(max_steps=self._train_steps, more_hooks=hooks)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """Evaluates the newest checkpoint.

        Args:
            delay_secs: how long to wait before; `eval_delay_secs` by default.
            name: of the evaluation.

        Returns:
            the metrics by name.
        """
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs, "eval")
        return self._call_evaluate(self._eval_input_fn, self._eval_steps, name or "one_pass")

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates each new checkpoint, until a function says not to go on.

        Args:
            delay_secs: how long to wait before; `eval_delay_secs` by default.
            throttle_delay_secs: how long between evaluations at least.
            evaluate_checkpoint_only_once: whether to wait for a new checkpoint.
            continuous_eval_predicate_fn: of the last metrics and, as it likes, `checkpoint_path`: whether to go on.
            name: of the evaluation.
        """
        self._continuous_eval(
            self._eval_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn,
            export=True,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """The same as `continuous_eval`, on the data of training."""
        self._continuous_eval(
            self._train_input_fn,
            name,
            delay_secs,
            throttle_delay_secs,
            True,
            continuous_eval_predicate_fn,
            export=False,
        )

    def train_and_evaluate(self) -> tuple[Any, list[Any]]:
        """Trains, evaluates while and after, and exports.

        Returns:
            (the metrics by name, what the export strategies returned).
        """
        listeners = None
        if self._min_eval_frequency:
            if self._checkpoint_and_export:
                listeners = [*self._saving_listeners, _CheckpointEvaluator(self)]
            else:
                self._train_monitors.append(
                    ValidationMonitor(
                        input_fn=self._eval_input_fn,
                        eval_steps=self._eval_steps,
                        metrics=self._eval_metrics,
                        every_n_steps=self._min_eval_frequency,
                        hooks=self._eval_hooks,
                        check_interval_secs=self._check_interval_secs,
                    )
                )
        self._serve()
        self._call_train(max_steps=self._train_steps, listeners=listeners)
        result = self._call_evaluate(self._eval_input_fn, self._eval_steps, None)
        return result, self._export(result)

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., bool] | None = None
    ) -> tuple[Any, list[Any]]:
        """Trains some steps and evaluates, in turns.

        Args:
            continuous_eval_predicate_fn: of the last metrics, None at first: whether to go on.

        Returns:
            (the metrics by name, what the export strategies returned).

        Raises:
            ValueError: if the function takes no or more arguments than these.
        """
        _check_predicate(continuous_eval_predicate_fn)
        steps = self._train_steps_per_iteration
        if steps is None:
            steps = max(1, self._train_steps // 10) if self._train_steps is not None else 1000
        result: Any = None
        while continuous_eval_predicate_fn is None or continuous_eval_predicate_fn(result):
            if result is not None and self._train_steps is not None and result["global_step"] >= self._train_steps:
                tf_logging.info("Stop training model as max steps reached")
                break
            tf_logging.info("Training model for %s steps", steps)
            self._call_train(steps=steps)
            tf_logging.info("Evaluating model now.")
            result = self._call_evaluate(self._eval_input_fn, self._eval_steps, "one_pass")
        return result, self._export(result)

    def local_run(self) -> tuple[Any, list[Any]]:
        """The older name of `train_and_evaluate`."""
        return self.train_and_evaluate()

    def test(self) -> dict[str, Any]:
        """Trains and evaluates one step, and exports, to see whether it goes.

        Returns:
            the metrics by name.
        """
        self._call_train(steps=1)
        result = self._call_evaluate(self._eval_input_fn, 1, "one_pass")
        self._export(result)
        return result

    def run_std_server(self) -> None:
        """Serves as the task of a cluster that TF_CONFIG says, for as long as the process lives.

        Raises:
            RuntimeError: if it says none.
        """
        self._start_server().join()

    def _serve(self) -> None:
        """Starts the server of this process's task, unless TF_CONFIG names no environment: programs then start their own."""
        config = self._estimator.config
        if not (config.cluster_spec and config.cluster_spec.jobs and config.master):
            return
        if not isinstance(config, RunConfig):
            raise ValueError(
                "For distributed runtime, Experiment class only works with tf.contrib.learn.RunConfig, "
                f"but provided {type(config)}"
            )
        if config.environment not in (Environment.LOCAL, Environment.GOOGLE):
            self._start_server()

    def _start_server(self) -> Server:
        """The running server of this process's task."""
        return start_standard_server(self._estimator.config)

    # ---- what they share ----

    def _call_train(
        self,
        steps: int | None = None,
        max_steps: int | None = None,
        more_hooks: Sequence[Any] = (),
        listeners: Sequence[CheckpointSaverListener] | None = None,
    ) -> Any:
        monitors = [*self._train_monitors, *more_hooks]
        if self._core_estimator_used:
            return self._estimator.train(
                input_fn=self._train_input_fn,
                steps=steps,
                max_steps=max_steps,
                hooks=replace_monitors_with_hooks(monitors, self._estimator),
                saving_listeners=self._saving_listeners if listeners is None else listeners,
            )
        return self._estimator.fit(input_fn=self._train_input_fn, steps=steps, max_steps=max_steps, monitors=monitors)

    def _call_evaluate(
        self,
        input_fn: Callable[[], Any],
        steps: int | None,
        name: str | None,
        checkpoint_path: str | None = None,
    ) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "input_fn": input_fn, "steps": steps, "name": name, "hooks": self._eval_hooks,
            "checkpoint_path": checkpoint_path,
        }  # fmt: skip
        if not self._core_estimator_used:
            settings["metrics"] = self._eval_metrics
        return self._estimator.evaluate(**settings)

    def _export(self, result: Any, checkpoint_path: str | None = None) -> list[Any]:
        folder = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(self._estimator, os.fsencode(os.path.join(folder, strategy.name)), checkpoint_path, result)
            for strategy in self._export_strategies
        ]

    def _continuous_eval(
        self,
        input_fn: Callable[[], Any],
        name: str,
        delay_secs: float | None,
        throttle_delay_secs: float | None,
        only_once: bool,
        predicate: Callable[..., bool] | None,
        export: bool,
    ) -> None:
        with_path = _check_predicate(predicate)
        throttle = self._continuous_eval_throttle_secs if throttle_delay_secs is None else throttle_delay_secs
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs, "eval")
        previous, warned, result = None, 0.0, None
        while True:
            if predicate is not None:
                path = {"checkpoint_path": previous} if with_path else {}
                if not predicate(result, **path):
                    break
            start = time.time()
            newest = latest_checkpoint(self._estimator.model_dir)
            problem = None
            if not newest:
                problem = "Estimator is not fitted yet. Will start an evaluation when a checkpoint is ready."
            elif only_once and newest == previous:
                problem = "No new checkpoint ready for evaluation."
            if problem:
                # A predicate sees that there was nothing to evaluate.
                result = {}
                if start - warned > _WARN_EVERY_SECONDS:
                    tf_logging.warning(problem)
                    warned = start
            else:
                result = self._call_evaluate(input_fn, self._eval_steps, name, newest) or {}
                if export:
                    self._export(result, newest)
                previous, warned = newest, 0.0
            spent = time.time() - start
            if spent < throttle:
                _wait(throttle - spent, "next eval run")


def _check_estimator(estimator: Any, eval_metrics: Any, listeners: Any) -> None:
    if isinstance(estimator, CoreEstimator):
        if eval_metrics is not None:
            raise ValueError(
                "`eval_metrics` must be `None` with `tf.estimator.Estimator`. Use `eval_metric_ops` in "
                "`tf.estimator.EstimatorSpec` instead."
            )
        return
    if not isinstance(estimator, Evaluable):
        raise ValueError("`estimator` must implement `tf.contrib.learn.Evaluable` or `tf.estimator.Estimator`.")
    if not isinstance(estimator, Trainable):
        raise ValueError("`estimator` must implement `tf.contrib.learn.Trainable` or `tf.estimator.Estimator`.")
    if listeners is not None:
        raise ValueError("`saving_listeners` must be `None` with `tf.contrib.learn.Estimator`.")


def _check_predicate(predicate: Callable[..., bool] | None) -> bool:
    """Whether a predicate takes the path of the checkpoint too."""
    if predicate is None:
        return False
    taken = fn_args(predicate)
    with_path = "checkpoint_path" in taken
    if len(taken) - with_path != 1:
        raise ValueError(
            "`continuous_eval_predicate_fn` takes the metrics of the last evaluation and, as it likes, checkpoint_path; its "
            f"arguments are {taken}."
        )
    return with_path


def _wait(seconds: float | None, what: str) -> None:
    if seconds:
        tf_logging.info("Waiting %g secs before starting %s.", seconds, what)
        time.sleep(seconds)


class _CheckpointEvaluator(CheckpointSaverListener):
    """Evaluates and exports each checkpoint after it was saved."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates and exports."""
        experiment = self._experiment
        result = experiment._call_evaluate(experiment._eval_input_fn, experiment._eval_steps, None)
        experiment._export(result)
