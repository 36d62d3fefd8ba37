"""Evaluating checkpoints: how many batches have been evaluated, stopping after enough, one evaluation."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.registry import raw
from headrace.ops.math.cast import cast
from headrace.sessions.hooks import FinalOpsHook, get_or_create_steps_per_run_variable
from headrace.sessions.monitored_session import MonitoredSession
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.initializers import zeros_initializer
from headrace.state.updates import assign_add
from headrace.state.variable_scope import get_variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Fetches, SessionLike, TensorLike
    from headrace.messages import protos
    from headrace.sessions.coordinator import Coordinator
    from headrace.sessions.scaffold import Scaffold
    from headrace.state.variables import Variable


def get_or_create_eval_step() -> Variable:
    """The local int64 variable that counts the batches of an evaluation.

    Raises:
        ValueError: if the collection EVAL_STEP has several.
    """
    found = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype="int64",
        initializer=zeros_initializer(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Asks for the end after so many batches.

    Args:
        num_evals: how many; None for no end.
        log_progress: whether to log how many there have been.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else math.floor(num_evals / 10.0)

    def _set_evals_completed_tensor(self, updated_eval_step: TensorLike) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the number."""
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Logs it, and asks for the end."""
        done, num_evals = run_values.results["evals_completed"], self._num_evals
        if self._log_progress:
            if num_evals is None:
                tf_logging.info("Evaluation [%d]", done)
            elif done % self._log_frequency == 0 or done == num_evals:
                tf_logging.info("Evaluation [%d/%d]", done, num_evals)
        if num_evals is not None and done >= num_evals:
            run_context.request_stop()


class MultiStepStopAfterNEvalsHook(StopAfterNEvalsHook):
    """As `StopAfterNEvalsHook` where one run may evaluate several batches, but none too many.

    Args:
        num_evals: how many; None for no end.
        steps_per_run: how many batches a run evaluates; the variable of hooks says so in the graph.
    """

    def __init__(self, num_evals: int | None, steps_per_run: int = 1) -> None:
        super().__init__(num_evals)
        self._log_frequency = 1
        self._steps_per_run_initial_value = steps_per_run

    def _load(self, done: int, session: SessionLike) -> None:
        steps = self._steps_per_run_initial_value
        if self._num_evals is not None:
            steps = min(self._num_evals - done, steps)
        self._steps_per_run_variable.load(steps, session=session)

    def begin(self) -> None:
        """Finds or makes the variable."""
        self._steps_per_run_variable = get_or_create_steps_per_run_variable()

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Sets it for the first run."""
        self._load(0, session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Sets it for the next run, logs the number and asks for the end."""
        self._load(run_values.results["evals_completed"], run_context.session)
        super().after_run(run_context, run_values)


def with_eval_step(eval_ops: Any, update: Any) -> Any:
    """`eval_ops`, a tensor, list or dict, with the counter's update."""
    if isinstance(eval_ops, dict):
        eval_ops["update_eval_step"] = update
        return eval_ops
    return [*eval_ops, update] if isinstance(eval_ops, (tuple, list)) else [eval_ops, update]


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: Mapping[Any, Any] | None = None,
    final_ops: Fetches | None = None,
    final_ops_feed_dict: Mapping[Any, Any] | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: protos.ConfigProto | None = None,
) -> Any:
    """Evaluates a checkpoint: runs `eval_ops` until a hook or the end of the input stops it, then `final_ops`.

    Args:
        checkpoint_path: the checkpoint; None to initialize the model.
        master: the session's target.
        scaffold: what restores.
        eval_ops: run for each batch: a tensor, or a list or dict of them.
        feed_dict: fed to them.
        final_ops: run at the end, in any structure.
        final_ops_feed_dict: fed to them.
        hooks: SessionRunHooks; one that stops, such as StopAfterNEvalsHook, should be among them.
        config: the session's ConfigProto.

    Returns:
        the values of `final_ops`.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> mean, update = tf.metrics.mean(loss)
        >>> values = tf.contrib.training.evaluate_once(path, eval_ops=update, final_ops={"mean": mean},
        ...     hooks=[tf.contrib.training.StopAfterNEvalsHook(100)])
    """
    step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        batches: int | Tensor = 1
        if any(isinstance(hook, MultiStepStopAfterNEvalsHook) for hook in hooks):
            batches = cast(get_or_create_steps_per_run_variable(), step.dtype)
        eval_ops = with_eval_step(eval_ops, assign_add(step, batches, use_locking=True))
        updates = list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops
        with control_dependencies(updates):
            done = raw.Identity(step.read_value())
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(done)
    tf_logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime()))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=checkpoint_path)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final)
    with MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    tf_logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.localtime()))
    return final.final_ops_values


_evaluate_once = evaluate_once
_StopAfterNEvalsHook = StopAfterNEvalsHook
_MultiStepStopAfterNEvalsHook = MultiStepStopAfterNEvalsHook
_get_or_create_eval_step = get_or_create_eval_step
