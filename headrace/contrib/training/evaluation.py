"""Evaluating a training's checkpoints as they come."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_utils import checkpoints_iterator
from headrace.sessions.evaluating import StopAfterNEvalsHook, get_or_create_eval_step, with_eval_step
from headrace.sessions.hooks import FinalOpsHook
from headrace.sessions.monitored_session import MonitoredSession, MonitoredTrainingSession
from headrace.sessions.session_creators import ChiefSessionCreator
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.global_step import get_or_create_global_step
from headrace.state.global_step import global_step as value_of_step
from headrace.state.updates import assign_add
from headrace.summary.operations import merge_all
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Fetches, SessionLike
    from headrace.messages import protos
    from headrace.sessions.coordinator import Coordinator
    from headrace.sessions.hooks import StopAtStepHook
    from headrace.sessions.scaffold import Scaffold


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries at the end of the session.

    Args:
        log_dir: the folder.
        summary_writer: or a writer.
        summary_op: the summaries; all of the graph by default.
        feed_dict: fed to them.

    Raises:
        ValueError: without a folder and a writer.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Tensor | None = None,
        feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")

    def begin(self) -> None:
        """Finds the summaries and the global step."""
        if self._replace_summary_op:
            self._summary_op = merge_all()
        self._global_step = get_or_create_global_step()

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Finds the writer."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = FileWriterCache.get(self._log_dir)

    def end(self, session: SessionLike) -> None:
        """Writes."""
        if self._summary_op is not None:
            step = value_of_step(session, self._global_step)
            summary = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(summary, step)
        if self._summary_writer:
            self._summary_writer.flush()


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Fetches | None = None,
    feed_dict: Mapping[Any, Any] | None = None,
    final_ops: Fetches | None = None,
    final_ops_feed_dict: Mapping[Any, Any] | None = None,
    eval_interval_secs: float = 60,
    hooks: list[SessionRunHook] | None = None,
    config: protos.ConfigProto | None = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluates each new checkpoint of a folder.

    Args:
        checkpoint_dir: the folder.
        master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, config: as for `evaluate_once`.
        eval_interval_secs: the least time between two evaluations.
        hooks: SessionRunHooks; one that stops should be among them.
        max_number_of_evaluations: how many evaluations; None for no end.
        timeout: how long to wait for a new checkpoint.
        timeout_fn: called when that is over; true ends the evaluations.

    Returns:
        the values of `final_ops` for the last checkpoint.
    """
    step = get_or_create_eval_step()
    hooks = hooks or []
    if eval_ops is not None:
        update = assign_add(step, 1)
        for hook in hooks:
            if isinstance(hook, StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(update)
        eval_ops = with_eval_step(eval_ops, update)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final)
    checkpoints = checkpoints_iterator(
        checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn
    )
    for number, path in enumerate(checkpoints, 1):
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=path)
        with MonitoredSession(session_creator=creator, hooks=hooks) as session:
            tf_logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
            if eval_ops is not None:
                while not session.should_stop():
                    session.run(eval_ops, feed_dict)
            tf_logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S", time.gmtime()))
        if max_number_of_evaluations is not None and number >= max_number_of_evaluations:
            break
    return final.final_ops_values


def train(
    train_op: Tensor | None,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Sequence[StopAtStepHook] | None = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    config: protos.ConfigProto | None = None,
    max_wait_secs: float = 7200,
    run_metadata: protos.RunMetadata | None = None,
) -> Any:
    """Runs a training operation until a hook or the end of the input stops it.

    Args:
        train_op: as `create_train_op` makes it: its value is the loss.
        logdir: the folder of checkpoints and summaries.
        master, is_chief, scaffold, hooks, chief_only_hooks, save_checkpoint_secs, save_summaries_steps, config,
            max_wait_secs: as for `tf.train.MonitoredTrainingSession`.
        run_metadata: a RunMetadata that is filled.

    Returns:
        the last value of `train_op`; None if it never ran.

    Raises:
        ValueError: without a folder, where something is to be written to it.

    Example:
        >>> train_op = tf.contrib.training.create_train_op(loss, optimizer)
        >>> tf.contrib.training.train(train_op, "/tmp/model", hooks=[tf.train.StopAtStepHook(1000)])
    """
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError("logdir cannot be None when save_summaries_steps is not None")
        if save_checkpoint_secs:
            raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
        max_wait_secs=max_wait_secs,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
