"""Evaluation of checkpoints: once, or each new one of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_utils import checkpoints_iterator, wait_for_new_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.contrib.training import evaluation
from headrace.sessions import evaluating
from headrace.sessions.scaffold import Scaffold
from headrace.summary import operations as summary

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import FeedDict, Fetches, TensorLike
    from headrace.messages import protos
    from headrace.sessions.session_run_hook import SessionRunHook
    from headrace.state.variables import Variable


__all__ = ["checkpoints_iterator", "evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"]

# In the place of a summary operation: all summaries of the graph. None is for no summaries, so it cannot say that.
_USE_DEFAULT = 0


def _hooks(
    num_evals: int,
    logdir: str,
    summary_op: Any,
    summary_op_feed_dict: FeedDict | None,
    hooks: Sequence[SessionRunHook] | None,
) -> list[Any]:
    """The hooks that end an evaluation and write its summaries, and those given."""
    if summary_op is _USE_DEFAULT:
        summary_op = summary.merge_all()
    found: list[Any] = [evaluating.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        found.append(evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
    return [*found, *(hooks or ())]


def _saver(variables_to_restore: Sequence[Variable] | None) -> Saver | None:
    return None if variables_to_restore is None else Saver(variables_to_restore)


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Operation | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    eval_op: Fetches | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Fetches | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: TensorLike | int | None = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Sequence[Variable] | None = None,
    session_config: protos.ConfigProto | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates a checkpoint.

    Args:
        master: the session's target.
        checkpoint_path: the checkpoint.
        logdir: the folder for summaries.
        num_evals: how often `eval_op` runs.
        initial_op, initial_op_feed_dict: what runs first where the checkpoint leaves variables out.
        eval_op, eval_op_feed_dict: what runs each time, usually the updates of metrics.
        final_op, final_op_feed_dict: what runs at the end, usually their values.
        summary_op, summary_op_feed_dict: what to summarize at the end; all summaries of the graph by default, None for
            nothing.
        variables_to_restore: those the checkpoint has; all by default.
        session_config: the session's configuration.
        hooks: further hooks.

    Returns:
        the values of `final_op`.
    """
    return evaluating.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=_saver(variables_to_restore)),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Operation | None = None,
    initial_op_feed_dict: FeedDict | None = None,
    init_fn: Callable[..., Any] | None = None,
    eval_op: Fetches | None = None,
    eval_op_feed_dict: FeedDict | None = None,
    final_op: Fetches | None = None,
    final_op_feed_dict: FeedDict | None = None,
    summary_op: TensorLike | int | None = _USE_DEFAULT,
    summary_op_feed_dict: FeedDict | None = None,
    variables_to_restore: Sequence[Variable] | None = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: protos.ConfigProto | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
) -> Any:
    """Evaluates each new checkpoint of a folder.

    Args:
        checkpoint_dir: the folder.
        init_fn: a function of the scaffold and the session that runs after the checkpoint is restored.
        eval_interval_secs: the least time between evaluations.
        max_number_of_evaluations: when to stop; None for never.
        timeout: how long to wait for a checkpoint; None for without end.
        timeout_fn: called when that is over; evaluation ends if it gives True.
        others: as in `evaluate_once`.

    Returns:
        the last values of `final_op`.
    """
    return evaluation.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=Scaffold(
            init_op=initial_op,
            init_feed_dict=initial_op_feed_dict,
            init_fn=init_fn,
            saver=_saver(variables_to_restore),
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
