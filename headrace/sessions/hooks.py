"""The hooks that log, count, check and stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.messages.protos import Summary
from headrace.sessions.hook_timers import NeverTriggerTimer, SecondOrStepTimer
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import _get_or_create_global_step_read, get_global_step
from headrace.state.initializers import ones_initializer
from headrace.state.variable_scope import AUTO_REUSE, get_variable, variable_scope
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FeedDict, Fetches, SessionLike
    from headrace.sessions.coordinator import Coordinator
    from headrace.state.variables import Variable


def step_to_read(hook: str) -> Tensor:
    """A tensor with the global step.

    Args:
        hook: the name of the hook that needs it, for the error.

    Raises:
        RuntimeError: if the graph has no global step.
    """
    step = _get_or_create_global_step_read()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step


def _in_graph(item: str | Tensor | Operation) -> Tensor | Operation:
    """A tensor or operation of the default graph; a name without an output's number must be of one output."""
    graph = get_default_graph()
    if not isinstance(item, str):
        if getattr(item, "graph", None) is not graph:
            raise ValueError(f"Passed {item} should have graph attribute that is equal to current graph {graph}.")
        return item
    if ":" in item:
        return graph.as_graph_element(item)
    element = graph.as_graph_element(f"{item}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(f"Name {item} is ambiguous, as this `Operation` has multiple outputs (at least 2).")
    return element


class LoggingTensorHook(SessionRunHook):
    """Logs tensors.

    Args:
        tensors: a list of tensors or names, or a dict from the tags to log.
        every_n_iter, every_n_secs: how often; one of the two.
        at_end: log at the end, then the other two may be missing.
        formatter: makes the text from a dict of values.

    Raises:
        ValueError: for another choice of the three.

    Example:
        >>> hook = tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=100)
    """

    def __init__(
        self,
        tensors: Sequence[str | Tensor | Operation] | Mapping[str, str | Tensor | Operation],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[Mapping[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tag_order = sorted(tensors) if isinstance(tensors, dict) else tensors
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in tensors}
        self._formatter = formatter
        self._timer: Any = NeverTriggerTimer()
        if not only_at_end:
            self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        self._log_at_end = at_end

    def begin(self) -> None:
        """Finds the tensors."""
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _in_graph(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Asks for the tensors when it is time."""
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs them."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: SessionLike) -> None:
        """Logs them if that was asked for."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values: dict[Any, Any]) -> None:
        elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                tf_logging.info(self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tag_order)
            if elapsed is None:
                tf_logging.info("%s", text)
            else:
                tf_logging.info("%s (%.3f sec)", text, elapsed)


_STEPS_PER_RUN = "hooks_steps_per_run"


def get_or_create_steps_per_run_variable() -> Variable:
    """A local int32 variable with the number of steps a run makes.

    Raises:
        RuntimeError: if there are several in its collection.
    """
    found = get_default_graph().get_collection(_STEPS_PER_RUN)
    if len(found) > 1:
        raise RuntimeError("Multiple steps_per_run_var in collection.")
    if found:
        return found[0]
    with variable_scope("hooks", reuse=AUTO_REUSE):
        return get_variable(
            "steps_per_run",
            initializer=ones_initializer(),
            shape=[],
            dtype="int32",
            trainable=False,
            collections=[_STEPS_PER_RUN, GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


class StopAtStepHook(SessionRunHook):
    """Asks for the end when the global step has come so far.

    Args:
        num_steps: how many more steps, counted from the first run.
        last_step: or up to which step.

    Raises:
        ValueError: if both or none are given.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step)
        >>> with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=10)]) as sess:
        ...     while not sess.should_stop():
        ...         sess.run(train_op)
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Finds the global step."""
        self._global_step_tensor = step_to_read("StopAtStepHook")

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Determines the last step."""
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Asks for the end, once the step is really there: it may be read before or after it was counted up."""
        last = self._last_step
        if last is None or run_values.results + 1 < last:
            return
        if run_context.session.run(self._global_step_tensor) >= last:
            run_context.request_stop()


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second are made, and writes it as a summary.

    Args:
        every_n_steps, every_n_secs: how often; one of the two.
        output_dir: the folder of the summaries.
        summary_writer: or a writer for them.

    Raises:
        ValueError: if both or none of the first two are given.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step: np.integer[Any] | None = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run: int) -> None:
        self._steps_per_run = steps_per_run

    def begin(self) -> None:
        """Finds the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._global_step_tensor = step_to_read("StepCounterHook")
        self._summary_tag = f"{get_global_step().op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs and writes when it is time."""
        before = run_values.results
        if self._timer.should_trigger_for_step(before + self._steps_per_run):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if before == self._last_global_step:
            tf_logging.log_first_n(
                tf_logging.WARN,
                "It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be "
                "stable): %s vs previous value: %s. You could increase the global step by passing "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                5,
                before,
                self._last_global_step,
            )
        self._last_global_step = before

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = Summary(value=[Summary.Value(tag=self._summary_tag, simple_value=rate)])
            self._summary_writer.add_summary(summary, global_step)
        tf_logging.info("%s: %g", self._summary_tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends the training when the loss is not a number.

    Args:
        loss_tensor: a scalar tensor.
        fail_on_nan_loss: raise NanLossDuringTrainingError; otherwise ask for the end.
    """

    def __init__(self, loss_tensor: Tensor, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Looks at it."""
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            tf_logging.error(message)
            raise NanLossDuringTrainingError
        tf_logging.warning(message)
        run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until other workers have brought the global step so far.

    Args:
        wait_until_step: the step.
    """

    # Seconds between looks at the global step, and after how many steps more it is logged again: both are 1.15's.
    _PAUSE = 0.5
    _LOGGED_STEPS = 1000

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Finds the global step."""
        self._worker_is_started = False
        self._global_step_tensor = step_to_read("_GlobalStepWaiterHook")

    def before_run(self, run_context: SessionRunContext) -> None:
        """Waits."""
        if self._worker_is_started:
            return
        if self._wait_until_step > 0:
            tf_logging.info("Waiting for global step %d before starting training.", self._wait_until_step)
        logged = 0
        while self._wait_until_step > 0:
            step = run_context.session.run(self._global_step_tensor)
            if step >= self._wait_until_step:
                break
            if step - logged > self._LOGGED_STEPS:
                tf_logging.info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    step,
                )
                logged = step
            time.sleep(self._PAUSE)
        self._worker_is_started = True


class FinalOpsHook(SessionRunHook):
    """Runs something at the end.

    Args:
        final_ops: what to run.
        final_ops_feed_dict: what to feed.
    """

    def __init__(self, final_ops: Fetches | None, final_ops_feed_dict: FeedDict | None = None) -> None:
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values of what was run; None before the end."""
        return self._final_ops_values

    def end(self, session: SessionLike) -> None:
        """Runs it."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration) as error:
            tf_logging.warning(
                "What FinalOpsHook runs has a dependency back to some input source, which has ended (%s). It should "
                "depend on variables alone: of a metric, run the value at the end and the update in each step.",
                error,
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds what a function gives.

    Args:
        feed_fn: called before each run; returns a feed dict.
    """

    def __init__(self, feed_fn: Callable[[], FeedDict]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Adds the feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
