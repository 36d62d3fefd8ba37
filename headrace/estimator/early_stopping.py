"""Ending a training early: by a function, or by what evaluations gave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.dtypes import bool as bool_type
from headrace.estimator.estimator import Estimator
from headrace.files import file_io
from headrace.files.events import summary_iterator
from headrace.sessions.hook_timers import SecondOrStepTimer
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_global_step
from headrace.state.initializers import Constant
from headrace.state.modes import AUTO_REUSE
from headrace.state.updates import assign
from headrace.state.variable_scope import get_variable, variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.state.variables import Variable

_SCOPE = "signal_early_stopping"


def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends a training when a function says so.

    Args:
        estimator: the model.
        should_stop_fn: without arguments; whether to end.
        run_every_secs: how often it is asked, in seconds.
        run_every_steps: or in steps; not both.

    Raises:
        TypeError: if `estimator` is none; ValueError: if both are given.

    Example:
        >>> estimator = tf.estimator.Estimator(model_fn, "model")
        >>> hook = tf.estimator.experimental.make_early_stopping_hook(estimator, lambda: os.path.exists("stop"))
        >>> estimator.train(input_fn, hooks=[hook])
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)
    return _CheckForStoppingHook()


def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends a training when a metric of its evaluations is above a threshold.

    Args:
        estimator: the model.
        metric_name: the name of the metric.
        threshold: what it has to exceed.
        eval_dir: the folder of the evaluations; the estimator's own by default.
        min_steps: before which step training goes on.
        run_every_secs, run_every_steps: how often to look; one of them.
    """
    return _stop_at_threshold(
        estimator, metric_name, threshold, True, eval_dir, min_steps, run_every_secs, run_every_steps
    )


def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends a training when a metric of its evaluations is below a threshold; arguments as above."""
    return _stop_at_threshold(
        estimator, metric_name, threshold, False, eval_dir, min_steps, run_every_secs, run_every_steps
    )


def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends a training when a metric of its evaluations has not grown for so many steps.

    Args:
        estimator, metric_name, eval_dir, min_steps, run_every_secs, run_every_steps: as in `stop_if_higher_hook`.
        max_steps_without_increase: how many steps are too many.
    """
    return _stop_without_change(
        estimator, metric_name, max_steps_without_increase, True, eval_dir, min_steps, run_every_secs, run_every_steps
    )


def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """A hook that ends a training when a metric of its evaluations has not fallen for so many steps.

    Args:
        estimator, metric_name, eval_dir, min_steps, run_every_secs, run_every_steps: as in `stop_if_higher_hook`.
        max_steps_without_decrease: how many steps are too many.
    """
    return _stop_without_change(
        estimator, metric_name, max_steps_without_decrease, False, eval_dir, min_steps, run_every_secs, run_every_steps
    )


def _stop_at_threshold(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    higher: bool,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps or metric_name not in metrics:
                continue
            value = metrics[metric_name]
            if value > threshold if higher else value < threshold:
                tf_logging.info(
                    'At step %s, metric "%s" has value %s which is %s than the configured threshold (%s) for early '
                    "stopping.",
                    step,
                    metric_name,
                    value,
                    "greater" if higher else "less",
                    threshold,
                )
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def _stop_without_change(
    estimator: Estimator,
    metric_name: str,
    max_steps: int,
    higher: bool,
    eval_dir: str | None,
    min_steps: int,
    run_every_secs: float | None,
    run_every_steps: int | None,
) -> SessionRunHook:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best: float | None = None
        best_step = 0
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps or metric_name not in metrics:
                continue
            value = metrics[metric_name]
            if best is None or (value > best if higher else value < best):
                best, best_step = value, step
            elif step - best_step >= max_steps:
                tf_logging.info(
                    'No %s in metric "%s" for %s steps, which is greater than or equal to max steps (%s) configured for '
                    "early stopping.",
                    "increase" if higher else "decrease",
                    metric_name,
                    step - best_step,
                    max_steps,
                )
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, Any]]:
    """What the event files of a folder say of evaluations: from step, ascending, to metrics by name."""
    found: dict[int, dict[str, Any]] = {}
    for event in _events(eval_dir):
        metrics = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
        if metrics:
            found.setdefault(event.step, {}).update(metrics)
    return dict(sorted(found.items()))


def _events(eval_dir: str) -> Iterator[Any]:
    if not file_io.file_exists(eval_dir):
        return
    for path in file_io.get_matching_files(os.path.join(eval_dir, "*.tfevents.*")):
        for event in summary_iterator(path):
            if event.HasField("summary"):
                yield event


def _stop_variable() -> Variable:
    """The variable that tells all workers to end."""
    with variable_scope(_SCOPE, reuse=AUTO_REUSE):
        return get_variable(
            "STOP",
            shape=[],
            dtype=bool_type,
            initializer=Constant(False),
            collections=[GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class _StopOnPredicateHook(SessionRunHook):
    """Asks a function now and then, and tells all workers when training should end."""

    def __init__(
        self, should_stop_fn: Callable[[], bool], run_every_secs: float | None, run_every_steps: int | None
    ) -> None:
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self) -> None:
        """Makes the operation that tells the others."""
        # The variable, and not what reads it before a step, as in 1.15.
        step = get_global_step()
        if step is None:
            raise RuntimeError(f"Global step should be created to use {type(self).__name__}.")
        self._step = step
        self._stop = _stop_variable()
        self._stop_op = assign(self._stop, True)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks the function."""
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            tf_logging.info("Requesting early stopping at global step %d", step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


class _CheckForStoppingHook(SessionRunHook):
    """Ends a worker when the chief has said so."""

    def begin(self) -> None:
        """Finds the variable."""
        self._stop = _stop_variable()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for it."""
        return SessionRunArgs(self._stop)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends the worker."""
        if run_values.results:
            tf_logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
