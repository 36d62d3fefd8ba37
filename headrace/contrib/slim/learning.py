"""Training: the training step, and a loop that recovers, saves, summarizes and stops."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from headrace.contrib.training import train_ops
from headrace.contrib.training.train_ops import (
    USE_GLOBAL_STEP,
    Gradients,
    clip_gradient_norms,
    multiply_gradients,
    summarize_gradients_as,
)
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.errors import AbortedError, OutOfRangeError
from headrace.interop import protos
from headrace.lookup.tables import tables_initializer
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group
from headrace.ops.math.comparison import equal, greater_equal
from headrace.ops.math.division import mod
from headrace.platform import tf_logging
from headrace.platform.timeline import Timeline
from headrace.state.collecting import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headrace.summary import functions as summary
from headrace.train.optimizer import Optimizer
from headrace.train.saver import Saver
from headrace.train.steps import get_or_create_global_step
from headrace.train.steps import global_step as value_of_step
from headrace.train.supervisor import Supervisor
from headrace.train.sync_replicas import SyncReplicasOptimizer

__all__ = [
    "add_gradients_summaries", "clip_gradient_norms", "create_train_op", "multiply_gradients", "train", "train_step",
]  # fmt: skip

_USE_DEFAULT = 0


def add_gradients_summaries(grads_and_vars: Gradients) -> list[Any]:
    """A histogram of each gradient and a summary of its norm.

    Args:
        grads_and_vars: (gradient, variable) pairs.
    """
    return summarize_gradients_as(grads_and_vars, "/")


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """`tf.contrib.training.create_train_op` with its usual transformations of gradients.

    Args:
        clip_gradient_norm: the largest norm of a gradient; 0 for no bound.
        gradient_multipliers: a dict of factors by variable or name.
        others: as there.

    Example:
        >>> train_op = slim.learning.create_train_op(total_loss, optimizer, clip_gradient_norm=4.0)
    """

    def transformed(gradients: Gradients) -> Gradients:
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return train_ops.create_train_op(
        total_loss=total_loss,
        optimizer=optimizer,
        global_step=global_step,
        update_ops=update_ops,
        variables_to_train=variables_to_train,
        transform_grads_fn=transformed,
        summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
        check_numerics=check_numerics,
    )


def train_step(sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Does one training step.

    Args:
        sess: a session.
        train_op: the training step.
        global_step: the step counter.
        train_step_kwargs: tensors "should_log", "should_stop" and "should_trace", and "logdir", "summary_writer".

    Returns:
        the loss, and whether to stop.

    Raises:
        ValueError: if there is "should_trace" without "logdir".
    """
    start = time.time()
    options = metadata = None
    if "should_trace" in train_step_kwargs:
        if "logdir" not in train_step_kwargs:
            raise ValueError("logdir must be present in train_step_kwargs when should_trace is present")
        if sess.run(train_step_kwargs["should_trace"]):
            options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
            metadata = protos.RunMetadata()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - start
    if metadata is not None:
        path = os.path.join(train_step_kwargs["logdir"], f"tf_trace-{step}.json")
        tf_logging.info("Writing trace to %s", path)
        with open(path, "w") as file:
            file.write(Timeline(metadata.step_stats).generate_chrome_trace_format())
        if "summary_writer" in train_step_kwargs:
            train_step_kwargs["summary_writer"].add_run_metadata(metadata, f"run_metadata-{step}")
    if "should_log" in train_step_kwargs and sess.run(train_step_kwargs["should_log"]):
        tf_logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, elapsed)
    should_stop = sess.run(train_step_kwargs["should_stop"]) if "should_stop" in train_step_kwargs else False
    return loss, should_stop


def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Any = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: str = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Any = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Trains until `number_of_steps` is reached or the data ends.

    Begins where the last checkpoint of `logdir` ended, and leaves checkpoints and summaries there.

    Args:
        train_op: the training step, whose value is the loss.
        logdir: the folder for checkpoints and summaries; None for none.
        train_step_fn, train_step_kwargs: what does a step, and what it is given.
        log_every_n_steps: how often the loss is logged.
        graph: the graph; the default one by default.
        master: the session's target.
        is_chief: whether this process saves; another waits for the step `startup_delay_steps`.
        global_step: the step counter; the graph's by default.
        number_of_steps: when to stop; None for never.
        init_op, init_feed_dict, local_init_op, init_fn, ready_op: as in `tf.train.Supervisor`.
        summary_op, save_summaries_secs, summary_writer: what to summarize, how often, and where.
        saver, save_interval_secs: what saves, and how often.
        sync_optimizer: the SyncReplicasOptimizer that made the step, or a list of them.
        session_config: the session's configuration.
        session_wrapper: a function of the session that gives the one to use.
        trace_every_n_steps: how often to write a timeline.
        ignore_live_threads: whether threads may outlive the call.

    Returns:
        the last loss.

    Raises:
        ValueError: for arguments that do not go together.

    Example:
        >>> final_loss = slim.learning.train(train_op, "/tmp/run", number_of_steps=1000, save_summaries_secs=60)
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    if logdir is None:
        for name, given in (
            ("summary_op", summary_op is not _USE_DEFAULT),
            ("saver", saver is not None),
            ("trace_every_n_steps", trace_every_n_steps is not None),
        ):
            if given:
                raise ValueError(f"Cannot provide {name} because logdir=None")
    synchronous = [sync_optimizer] if isinstance(sync_optimizer, SyncReplicasOptimizer) else sync_optimizer
    if synchronous is not None and startup_delay_steps > 0:
        raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError("`number_of_steps` must be either None or a positive number.")
    graph = graph or get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = get_or_create_global_step()
        saver = saver or Saver()
        if not all(isinstance(optimizer, SyncReplicasOptimizer) for optimizer in synchronous or ()):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
        with name_scope("init_ops"):
            if init_op is _USE_DEFAULT:
                init_op = global_variables_initializer()
            if ready_op is _USE_DEFAULT:
                ready_op = report_uninitialized_variables()
            if local_init_op is _USE_DEFAULT:
                local_init_op = group(local_variables_initializer(), tables_initializer())
            ready_for_local_init_op = None
            if isinstance(synchronous, list):
                with control_dependencies([] if local_init_op is None else [local_init_op]):
                    local_init_op = group(
                        *(each.chief_init_op if is_chief else each.local_step_init_op for each in synchronous)
                    )
                ready_for_local_init_op = group(*(each.ready_for_local_init_op for each in synchronous))
        if summary_op is _USE_DEFAULT:
            summary_op = summary.merge_all()
        # Before the supervisor closes the graph.
        tokens = [each.get_init_tokens_op() for each in synchronous or ()] if is_chief else []
        runners = [each.get_chief_queue_runner() for each in synchronous or ()] if is_chief else []
        if train_step_kwargs is _USE_DEFAULT:
            train_step_kwargs = _default_kwargs(
                global_step, number_of_steps, log_every_n_steps, trace_every_n_steps if is_chief else None, logdir
            )
    sv = Supervisor(
        graph=graph,
        is_chief=is_chief,
        logdir=logdir,
        init_op=init_op,
        init_feed_dict=init_feed_dict,
        local_init_op=local_init_op,
        ready_op=ready_op,
        ready_for_local_init_op=ready_for_local_init_op,
        summary_op=summary_op,
        summary_writer=Supervisor.USE_DEFAULT if summary_writer is _USE_DEFAULT else summary_writer,
        global_step=global_step,
        saver=saver,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
    )
    if summary_writer is not None:
        train_step_kwargs["summary_writer"] = sv.summary_writer
    loss = None
    while True:
        try:
            with sv.managed_session(master, start_standard_services=False, config=session_config) as sess:
                tf_logging.info("Starting Session.")
                if session_wrapper is not None:
                    tf_logging.info("Wrapping session with wrapper function: %s", session_wrapper)
                    sess = session_wrapper(sess)
                if is_chief:
                    if logdir:
                        sv.start_standard_services(sess)
                elif startup_delay_steps > 0:
                    wanted = min(startup_delay_steps, number_of_steps or sys.maxsize)
                    while value_of_step(sess, global_step) < wanted:
                        time.sleep(1.0)
                threads = sv.start_queue_runners(sess)
                tf_logging.info("Starting Queues.")
                if runners:
                    sv.start_queue_runners(sess, runners)
                    sess.run(tokens)
                try:
                    while not sv.should_stop():
                        loss, should_stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
                        if should_stop:
                            tf_logging.info("Stopping Training.")
                            sv.request_stop()
                            break
                except OutOfRangeError as e:
                    tf_logging.info("Caught OutOfRangeError. Stopping Training. %s", e)
                if logdir and sv.is_chief:
                    tf_logging.info("Finished training! Saving model to disk.")
                    sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
                    sv.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
            return loss
        except AbortedError:
            tf_logging.info("Retrying training!")


def _default_kwargs(
    global_step: Any, number_of_steps: int | None, log_every: int, trace_every: int | None, logdir: str | None
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with name_scope("train_step"):
        found["should_stop"] = greater_equal(global_step, number_of_steps) if number_of_steps else constant(False)
        if log_every > 0:
            found["should_log"] = equal(mod(global_step, log_every), 0)
        if trace_every is not None:
            found["should_trace"] = equal(mod(global_step, trace_every), 0)
            found["logdir"] = logdir
    return found
