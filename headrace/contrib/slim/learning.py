"""Training: the training step, and a loop that recovers, saves, summarizes and stops."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saver import Saver
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
from headrace.lookup.tables import tables_initializer
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group
from headrace.ops.math.comparison import equal, greater_equal
from headrace.ops.math.division import mod
from headrace.optimizers.optimizer import Optimizer
from headrace.optimizers.sync_replicas import SyncReplicasOptimizer
from headrace.profiler.timeline import Timeline
from headrace.sessions.supervisor import Supervisor
from headrace.state.collecting import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headrace.state.global_step import get_or_create_global_step
from headrace.state.global_step import global_step as value_of_step
from headrace.summary import operations as summary
from headrace.util import tf_logging

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.runtime.session import Session
    from headrace.state.variables import Variable


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
    total_loss: Tensor,
    optimizer: Optimizer,
    global_step: TensorLike | None = USE_GLOBAL_STEP,
    update_ops: Sequence[Any] | None = None,
    variables_to_train: Sequence[Any] | None = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Mapping[str, float] | None = None,
    check_numerics: bool = True,
) -> Tensor:
    """`tf.contrib.training.create_train_op` with its usual transformations of gradients.

    Args:
        clip_gradient_norm: the largest norm of a gradient; 0 for no bound.
        gradient_multipliers: a dict of factors by variable or name.
        others: as there.

    Example:
        >>> train_op = slim.learning.create_train_op(loss, optimizer, clip_gradient_norm=4.0)
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


def train_step(
    sess: SessionLike, train_op: Any, global_step: Tensor | Variable, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
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
    train_op: TensorLike | None,
    logdir: str | None,
    train_step_fn: Callable[..., Any] = train_step,
    train_step_kwargs: int = _USE_DEFAULT,
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
    summary_writer: int = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> np.floating[Any]:
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
        >>> train_op = slim.learning.create_train_op(loss, optimizer)
        >>> final_loss = slim.learning.train(train_op, "run", number_of_steps=3, save_summaries_secs=60)
    """
    if train_op is None:
        raise ValueError("train_op cannot be None.")
    synchronous = [sync_optimizer] if isinstance(sync_optimizer, SyncReplicasOptimizer) else sync_optimizer
    training = _Training(
        *(train_op, logdir, train_step_fn, train_step_kwargs, log_every_n_steps, graph or get_default_graph(), master),
        *(is_chief, global_step, number_of_steps, init_op, init_feed_dict, local_init_op, init_fn, ready_op),
        *(summary_op, save_summaries_secs, summary_writer, startup_delay_steps, saver, save_interval_secs, synchronous),
        *(session_config, session_wrapper, trace_every_n_steps, ignore_live_threads),
    )
    return training.run()


@dataclass
class _Training:
    """One call of `train`, by its arguments.

    Attributes:
        synchronous: the SyncReplicasOptimizers that made the step, None where it was made by another.
        tokens, runners: what those need of the chief.
        loss: the last one.
    """

    train_op: Any
    logdir: str | None
    train_step_fn: Any
    train_step_kwargs: Any
    log_every_n_steps: int
    graph: Any
    master: str
    is_chief: bool
    global_step: Any
    number_of_steps: int | None
    init_op: Any
    init_feed_dict: Any
    local_init_op: Any
    init_fn: Any
    ready_op: Any
    summary_op: Any
    save_summaries_secs: float
    summary_writer: Any
    startup_delay_steps: int
    saver: Any
    save_interval_secs: float
    synchronous: Any
    session_config: Any
    session_wrapper: Any
    trace_every_n_steps: int | None
    ignore_live_threads: bool
    ready_for_local_init_op: Any = None
    tokens: Any = ()
    runners: Any = ()
    loss: Any = None

    def run(self) -> Any:
        """Trains, again from the last checkpoint where a session is aborted; gives the last loss."""
        self._check()
        with self.graph.as_default():
            self._complete_graph()
        supervisor = self._supervisor()
        if self.summary_writer is not None:
            self.train_step_kwargs["summary_writer"] = supervisor.summary_writer
        while True:
            try:
                with supervisor.managed_session(
                    self.master, start_standard_services=False, config=self.session_config
                ) as session:
                    self._train_in(supervisor, session)
                return self.loss
            except AbortedError:
                tf_logging.info("Retrying training!")

    def _check(self) -> None:
        if self.logdir is None:
            for name, given in (
                ("summary_op", self.summary_op is not _USE_DEFAULT),
                ("saver", self.saver is not None),
                ("trace_every_n_steps", self.trace_every_n_steps is not None),
            ):
                if given:
                    raise ValueError(f"Cannot provide {name} because logdir=None")
        if self.synchronous is not None and self.startup_delay_steps > 0:
            raise ValueError("startup_delay_steps must be zero when sync_optimizer is supplied.")
        if self.number_of_steps is not None and self.number_of_steps <= 0:
            raise ValueError("`number_of_steps` must be either None or a positive number.")

    def _complete_graph(self) -> None:
        """Adds what was not given, before the supervisor closes the graph."""
        if self.global_step is None:
            self.global_step = get_or_create_global_step()
        self.saver = self.saver or Saver()
        if not all(isinstance(optimizer, SyncReplicasOptimizer) for optimizer in self.synchronous or ()):
            raise ValueError("`sync_optimizer` must be a tf.train.SyncReplicasOptimizer.")
        with name_scope("init_ops"):
            self._add_init_ops()
        if self.summary_op is _USE_DEFAULT:
            self.summary_op = summary.merge_all()
        if self.is_chief:
            self.tokens = [each.get_init_tokens_op() for each in self.synchronous or ()]
            self.runners = [each.get_chief_queue_runner() for each in self.synchronous or ()]
        if self.train_step_kwargs is _USE_DEFAULT:
            trace_every = self.trace_every_n_steps if self.is_chief else None
            self.train_step_kwargs = _default_kwargs(
                self.global_step, self.number_of_steps, self.log_every_n_steps, trace_every, self.logdir
            )

    def _add_init_ops(self) -> None:
        if self.init_op is _USE_DEFAULT:
            self.init_op = global_variables_initializer()
        if self.ready_op is _USE_DEFAULT:
            self.ready_op = report_uninitialized_variables()
        if self.local_init_op is _USE_DEFAULT:
            self.local_init_op = group(local_variables_initializer(), tables_initializer())
        if isinstance(self.synchronous, list):
            with control_dependencies([] if self.local_init_op is None else [self.local_init_op]):
                self.local_init_op = group(
                    *(each.chief_init_op if self.is_chief else each.local_step_init_op for each in self.synchronous)
                )
            self.ready_for_local_init_op = group(*(each.ready_for_local_init_op for each in self.synchronous))

    def _supervisor(self) -> Supervisor:
        return Supervisor(
            graph=self.graph,
            is_chief=self.is_chief,
            logdir=self.logdir,
            init_op=self.init_op,
            init_feed_dict=self.init_feed_dict,
            local_init_op=self.local_init_op,
            ready_op=self.ready_op,
            ready_for_local_init_op=self.ready_for_local_init_op,
            summary_op=self.summary_op,
            summary_writer=Supervisor.USE_DEFAULT if self.summary_writer is _USE_DEFAULT else self.summary_writer,
            global_step=self.global_step,
            saver=self.saver,
            save_summaries_secs=self.save_summaries_secs,
            save_model_secs=self.save_interval_secs,
            init_fn=self.init_fn,
        )

    def _train_in(self, supervisor: Supervisor, session: Session) -> None:
        """Starts what runs beside the training, and makes steps until it should stop."""
        tf_logging.info("Starting Session.")
        if self.session_wrapper is not None:
            tf_logging.info("Wrapping session with wrapper function: %s", self.session_wrapper)
            session = self.session_wrapper(session)
        if self.is_chief:
            if self.logdir:
                supervisor.start_standard_services(session)
        elif self.startup_delay_steps > 0:
            first_step = min(self.startup_delay_steps, self.number_of_steps or sys.maxsize)
            while value_of_step(session, self.global_step) < first_step:
                time.sleep(1.0)
        threads = supervisor.start_queue_runners(session)
        tf_logging.info("Starting Queues.")
        if self.runners:
            supervisor.start_queue_runners(session, self.runners)
            session.run(self.tokens)
        try:
            while not supervisor.should_stop():
                self.loss, should_stop = self.train_step_fn(
                    session, self.train_op, self.global_step, self.train_step_kwargs
                )
                if should_stop:
                    tf_logging.info("Stopping Training.")
                    supervisor.request_stop()
                    break
        except OutOfRangeError as e:
            tf_logging.info("Caught OutOfRangeError. Stopping Training. %s", e)
        if self.logdir and supervisor.is_chief:
            tf_logging.info("Finished training! Saving model to disk.")
            supervisor.saver.save(session, supervisor.save_path, global_step=supervisor.global_step)
            supervisor.stop(threads, close_summary_writer=True, ignore_live_threads=self.ignore_live_threads)


def _default_kwargs(
    global_step: Variable, number_of_steps: int | None, log_every: int, trace_every: int | None, logdir: str | None
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
