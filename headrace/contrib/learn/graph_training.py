"""Training and evaluating a graph that a program has built."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.contrib.learn.monitor_hooks import RunHookAdapterForMonitors
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.core.errors import OutOfRangeError
from headrace.core.graph import Graph
from headrace.estimator.evaluating import write_results
from headrace.files import file_io
from headrace.runtime.session import Session
from headrace.sessions.coordinator import Coordinator
from headrace.sessions.hooks import FeedFnHook, LoggingTensorHook, NanTensorHook, StopAtStepHook
from headrace.sessions.monitored_session import MonitoredTrainingSession
from headrace.sessions.queue_runner import start_queue_runners
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_global_step
from headrace.state.global_step import global_step as value_of_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class _LastLoss(SessionRunHook):
    """Keeps the loss of the newest step."""

    def __init__(self, loss: Tensor) -> None:
        self._loss = loss
        self.value: Any = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self.value = run_values.results


def train(
    graph: Graph,
    output_dir: str,
    train_op: Any,
    loss_op: Any,
    global_step_tensor: Any = None,
    init_op: Any = None,
    init_feed_dict: Mapping[Any, Any] | None = None,
    init_fn: Callable[[Any], None] | None = None,
    log_every_steps: int = 10,
    supervisor_is_chief: bool = True,
    supervisor_master: str = "",
    supervisor_save_model_secs: int = 600,
    keep_checkpoint_max: int | None = 5,
    supervisor_save_summaries_steps: int | None = 100,
    feed_fn: Callable[[], Any] | None = None,
    steps: int | None = None,
    fail_on_nan_loss: bool = True,
    monitors: Sequence[Any] | None = None,
    max_steps: int | None = None,
) -> Any:
    """Trains a model.

    Args:
        graph: the graph.
        output_dir: the folder of checkpoints and summaries; training goes on from the newest checkpoint in it.
        train_op: what a step runs; it counts the global step.
        loss_op: the loss.
        global_step_tensor: the step, where the graph does not know it.
        init_op, init_feed_dict: initializes variables in the place of their initializers, and what is fed to it.
        init_fn: called with the session after that.
        log_every_steps: after how many steps the loss is logged.
        supervisor_is_chief: whether this process initializes, saves and writes.
        supervisor_master: the session's target.
        supervisor_save_model_secs: after how many seconds a checkpoint is written.
        keep_checkpoint_max: how many checkpoints are kept.
        supervisor_save_summaries_steps: after how many steps summaries are written.
        feed_fn: returns what is fed in a step.
        steps, max_steps: how many steps to run, without limit by default; or the global step to end at.
        fail_on_nan_loss: whether a loss that is no number ends training by an error; else only by a warning.
        monitors: monitors, or hooks.

    Returns:
        the last loss; None where no step was run.

    Raises:
        ValueError: for both `steps` and `max_steps`, numbers that are not positive, or what is missing.
        NanLossDuringTrainingError: for such a loss.

    Example:
        >>> with tf.Graph().as_default() as graph:
        ...     loss = tf.square(tf.get_variable("w", []))
        ...     step = tf.train.get_or_create_global_step()
        ...     train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        >>> last = tf.contrib.learn.train(graph, "model", train_op, loss, steps=2)
    """
    _check(output_dir, train_op, loss_op, steps, max_steps)
    with graph.as_default():
        step = _step_of(graph, global_step_tensor)
        last = _LastLoss(loss_op)
        hooks: list[SessionRunHook] = [
            last,
            NanTensorHook(loss_op, fail_on_nan_loss=fail_on_nan_loss),
            LoggingTensorHook({"loss": loss_op, "step": step}, every_n_iter=log_every_steps),
            *_hooks_of(monitors or (), steps, max_steps),
        ]
        if feed_fn is not None:
            hooks.append(FeedFnHook(feed_fn))
        with MonitoredTrainingSession(
            master=supervisor_master,
            is_chief=supervisor_is_chief,
            checkpoint_dir=output_dir,
            scaffold=_scaffold(init_op, init_feed_dict, init_fn, keep_checkpoint_max),
            hooks=hooks,
            save_checkpoint_secs=supervisor_save_model_secs,
            save_summaries_steps=supervisor_save_summaries_steps,
        ) as session:
            while not session.should_stop():
                session.run(train_op)
    return last.value


def _hooks_of(monitors: Sequence[Any], steps: int | None, max_steps: int | None) -> list[SessionRunHook]:
    """Hooks as they are, one for all monitors of before, and one that ends the training."""
    hooks: list[SessionRunHook] = [item for item in monitors if isinstance(item, SessionRunHook)]
    own = [item for item in monitors if not isinstance(item, SessionRunHook)]
    if own:
        hooks.append(RunHookAdapterForMonitors(own))
    if steps is not None or max_steps is not None:
        hooks.append(StopAtStepHook(num_steps=steps, last_step=max_steps))
    return hooks


def _check(output_dir: str, train_op: Any, loss_op: Any, steps: int | None, max_steps: int | None) -> None:
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, number in (("steps", steps), ("max_steps", max_steps)):
        if number is not None and number <= 0:
            raise ValueError(f"{name} should be > 0, got {number}.")
    if not output_dir:
        raise ValueError(f"Output directory should be non-empty {output_dir}.")
    if train_op is None:
        raise ValueError("Missing train_op.")
    if loss_op is None:
        raise ValueError("Missing loss_op.")


def _step_of(graph: Graph, global_step_tensor: Any) -> Any:
    step = get_global_step(graph) if global_step_tensor is None else global_step_tensor
    if step is None:
        raise ValueError('No "global_step" was provided or created.')
    return step


def _scaffold(
    init_op: Any, init_feed_dict: Mapping[Any, Any] | None, init_fn: Callable[[Any], None] | None, kept: int | None
) -> Scaffold:
    def started(scaffold: Scaffold, session: Session) -> None:
        if init_fn is not None:
            init_fn(session)

    savers = get_collection(GraphKeys.SAVERS)
    saver = savers[0] if savers else Saver(sharded=True, max_to_keep=kept, defer_build=True)
    return Scaffold(init_op=init_op, init_feed_dict=init_feed_dict, init_fn=started, saver=saver)


def evaluate(
    graph: Graph,
    output_dir: str,
    checkpoint_path: str | None,
    eval_dict: Mapping[str, Any],
    update_op: Any = None,
    global_step_tensor: Any = None,
    supervisor_master: str = "",
    log_every_steps: int = 10,
    feed_fn: Callable[[], Any] | None = None,
    max_steps: int | None = None,
) -> tuple[dict[str, Any], int]:
    """Evaluates a model.

    Args:
        graph: the graph.
        output_dir: the folder of the summary that is written.
        checkpoint_path: the checkpoint, or a folder of them; variables are initialized where there is none.
        eval_dict: the tensors to read, by name.
        update_op: what is run for each batch, before they are read.
        global_step_tensor: the step, where the graph does not know it.
        supervisor_master: the session's target.
        log_every_steps: after how many batches progress is logged.
        feed_fn: returns what is fed for a batch, or raises StopIteration.
        max_steps: how many batches; by default until the input ends.

    Returns:
        (values by name, the global step).

    Raises:
        ValueError: if there is no global step.
    """
    with graph.as_default():
        step = _step_of(graph, global_step_tensor)
        path = checkpoint_path
        if checkpoint_path and file_io.is_directory(checkpoint_path):
            path = latest_checkpoint(checkpoint_path)
        scaffold = Scaffold().finalize()
        with Session(supervisor_master, graph=graph) as session:
            if path:
                scaffold.saver.restore(session, path)
            else:
                session.run(scaffold.init_op)
            session.run(scaffold.local_init_op)
            results = _measured(session, eval_dict, update_op, log_every_steps, feed_fn, max_steps)
            number = int(value_of_step(session, step))
    write_results(output_dir, results, number)
    return results, number


def _measured(
    session: Session,
    eval_dict: Mapping[str, Any],
    update_op: Any,
    log_every_steps: int,
    feed_fn: Callable[[], Any] | None,
    max_steps: int | None,
) -> dict[str, Any]:
    coordinator = Coordinator()
    threads = start_queue_runners(session, coord=coordinator)
    # The values in force after the last batch; without updates, those of the last batch itself.
    feed: Any = None
    results: dict[str, Any] | None = None
    began = time.time()
    try:
        for i in itertools.count(1) if max_steps is None else range(1, max_steps + 1):
            feed = feed_fn() if feed_fn is not None else None
            if update_op is None:
                results = session.run(dict(eval_dict), feed)
            else:
                session.run(update_op, feed)
            if i % log_every_steps == 0:
                tf_logging.info("Results after %d steps (%.3f sec/batch).", i, (time.time() - began) / i)
    except (OutOfRangeError, StopIteration):
        tf_logging.info("Input is exhausted.")
    finally:
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)
    return session.run(dict(eval_dict), feed) if results is None else results
