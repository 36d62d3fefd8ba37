"""A monitor that evaluates checkpoints while they are made, and stops when they get no better."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.contrib.learn.monitors import EveryN
from headrace.estimator.estimator import Estimator as CoreEstimator
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.sessions.session_run_hook import SessionRunHook


class ValidationMonitor(EveryN):
    """Evaluates the newest checkpoint every so many steps, and may stop the training early.

    Args:
        x, y: features and labels as arrays.
        input_fn: or a function that returns them.
        batch_size: how many examples of `x` a batch has.
        eval_steps: over how many batches to evaluate.
        every_n_steps: after how many steps.
        metrics: from name to `MetricSpec`.
        hooks: SessionRunHooks of the evaluation.
        early_stopping_rounds: after how many steps without a better value to stop.
        early_stopping_metric: the name of that value.
        early_stopping_metric_minimize: whether less is better.
        name: of the evaluation.
        check_interval_secs: how often to look for a new checkpoint at most; None for each time.

    Raises:
        ValueError: if neither `x` nor `input_fn` is given.

    Example:
        >>> config = tf.contrib.learn.RunConfig(save_checkpoints_steps=50)
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")], config=config)
        >>> monitor = tf.contrib.learn.monitors.ValidationMonitor(
        ...     input_fn=eval_input_fn, every_n_steps=50, early_stopping_rounds=200)
        >>> classifier.fit(input_fn=input_fn, steps=2000, monitors=[monitor])
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Mapping[Any, Any] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        super().__init__(every_n_steps=every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.x, self.y, self.input_fn, self.batch_size = x, y, input_fn, batch_size
        self.eval_steps, self.metrics, self.hooks = eval_steps, metrics, hooks
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.name, self.check_interval_secs = name, check_interval_secs
        self._best_value_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._early_stopped = False
        self._latest_path: str | None = None
        self._latest_path_step: int | None = None
        self._last_checkpoint_check_time: float | None = None

    @property
    def early_stopped(self) -> bool:
        """Whether it has stopped the training."""
        return self._early_stopped

    @property
    def best_step(self) -> int | None:
        """The step with the best value."""
        return self._best_value_step

    @property
    def best_value(self) -> Any:
        """The best value."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of that step."""
        return self._best_metrics

    def _evaluate_estimator(self) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "input_fn": self.input_fn, "steps": self.eval_steps, "hooks": self.hooks, "name": self.name,
        }  # fmt: skip
        # A proxy says of which class the estimator is.
        if isinstance(self._estimator, CoreEstimator):
            if any(given is not None for given in (self.x, self.y, self.batch_size, self.metrics)):
                raise ValueError(
                    "tf.estimator.Estimator does not support following arguments: x, y, batch_size, metrics. Should set as "
                    "`None` in ValidationMonitor"
                )
            return self._estimator.evaluate(**settings)
        return self._estimator.evaluate(
            x=self.x, y=self.y, batch_size=self.batch_size, metrics=self.metrics, **settings
        )

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """Evaluates; see `EveryN`.

        Raises:
            ValueError: without an estimator, or if there is no value of the name to stop by.
        """
        super().every_n_step_end(step, outputs)
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        now = time.time()
        last, interval = self._last_checkpoint_check_time, self.check_interval_secs
        if interval is not None and last is not None and now - last < interval:
            tf_logging.debug("Skipping evaluation since less than %d seconds have passed since last check.", interval)
            return False
        self._last_checkpoint_check_time = now
        path = latest_checkpoint(self._estimator.model_dir)
        if path is None:
            tf_logging.debug("Skipping evaluation since model has not been saved yet at step %d.", step)
            return False
        if path == self._latest_path:
            tf_logging.debug("Skipping evaluation due to same checkpoint %s for step %d.", path, step)
            return False
        self._latest_path, self._latest_path_step = path, step
        values = self._evaluate_estimator()
        tf_logging.info("Validation (step %d): %s", step, ", ".join(f"{k} = {v}" for k, v in values.items()))
        return self.early_stopping_rounds is not None and self._should_stop(step, values)

    def _should_stop(self, step: int, values: dict[str, Any]) -> bool:
        if self.early_stopping_metric not in values:
            raise ValueError(f"Metric {self.early_stopping_metric} missing from outputs {set(values)}.")
        value = values[self.early_stopping_metric]
        better = self._best_value is None or (
            value < self._best_value if self.early_stopping_metric_minimize else value > self._best_value
        )
        if better:
            self._best_value, self._best_value_step = value, step
            self._best_metrics = copy.deepcopy(values)
        assert self._best_value_step is not None  # set with the first value
        assert self.early_stopping_rounds is not None  # else it is not asked
        if step - self._best_value_step < self.early_stopping_rounds:
            return False
        tf_logging.info(
            "Stopping. Best step: %s with %s = %s.", self._best_value_step, self.early_stopping_metric, self._best_value
        )
        self._early_stopped = True
        return True
