"""Evaluating a checkpoint of an estimator, and writing what came out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.message import DecodeError

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.core.collections import GraphKeys
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.estimator import coordinated, distributed
from headrace.estimator.eval_metrics import metrics_of, update_and_values
from headrace.estimator.mode_keys import ModeKeys
from headrace.messages.protos import Summary
from headrace.messages.tensor_proto import make_tensor_proto
from headrace.ops.flow.grouping import group
from headrace.sessions.evaluating import StopAfterNEvalsHook, evaluate_once, get_or_create_eval_step
from headrace.sessions.scaffold import Scaffold
from headrace.state.global_step import get_global_step
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.estimator.estimator import Estimator
    from headrace.sessions.session_run_hook import SessionRunHook


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder of the summaries of evaluations called `name`."""
    return os.path.join(model_dir, "eval_" + name if name else "eval")


def evaluate(
    estimator: Estimator,
    input_fn: Callable[..., Any],
    steps: int | None,
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
    name: str | None,
) -> dict[str, Any] | None:
    """`Estimator.evaluate`; arguments as there. None where each worker of a client has results of its own."""
    if estimator.eval_strategy is not None and coordinated.should_run_distribute_coordinator(estimator._config):

        def of_worker(worker: Estimator, strategy: Any, worker_hooks: list[SessionRunHook]) -> dict[str, Any]:
            return _evaluated(worker, strategy, input_fn, steps, worker_hooks, checkpoint_path, name)

        return coordinated.estimator_evaluate(estimator, of_worker, hooks)
    return _evaluated(estimator, estimator.eval_strategy, input_fn, steps, hooks, checkpoint_path, name)


def _evaluated(
    estimator: Estimator,
    strategy: Any,
    input_fn: Callable[..., Any],
    steps: int | None,
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
    name: str | None,
) -> dict[str, Any]:
    """`evaluate` in this thread."""
    hooks = [*hooks, *stopping_after(steps)]
    path = checkpoint_path or latest_checkpoint(estimator.model_dir)
    if not path:
        tf_logging.info(
            "Could not find trained model in model_dir: %s, running initialization to evaluate.", estimator.model_dir
        )
    # The device function is for training alone: an evaluation has a session of its own process.
    with Graph().as_default() as graph, nullcontext() if strategy is None else strategy.scope():
        scaffold, update, values, all_hooks = build(estimator, graph, input_fn, hooks, path)
        return run(estimator, path, scaffold, update, values, all_hooks, eval_dir(estimator.model_dir, name))


def stopping_after(steps: int | None) -> list[SessionRunHook]:
    """What ends an evaluation after so many batches.

    Raises:
        ValueError: if the number is not positive.
    """
    if steps is None:
        return []
    if steps <= 0:
        raise ValueError(f"Must specify steps > 0, given: {steps}")
    return [StopAfterNEvalsHook(num_evals=steps)]


def build(
    estimator: Estimator,
    graph: Graph,
    input_fn: Callable[..., Any],
    hooks: list[SessionRunHook],
    checkpoint_path: str | None,
) -> tuple[Scaffold, Operation, dict[str, Any], list[SessionRunHook]]:
    """Builds the graph of an evaluation in the default graph.

    Returns:
        what restores, the operation to run for each batch, the values to read at the end, and all hooks.

    Raises:
        ValueError: if the model function names a metric as the estimator does its own.
    """
    if estimator.eval_strategy is not None:
        return distributed.build_evaluation(estimator, estimator.eval_strategy, graph, input_fn, hooks, checkpoint_path)
    set_random_seed(estimator._config.tf_random_seed)
    estimator._create_and_assert_global_step(graph)
    features, labels, input_hooks = estimator._get_features_and_labels_from_input_fn(input_fn, ModeKeys.EVAL)
    spec = estimator._call_model_fn(features, labels, ModeKeys.EVAL, estimator.config)
    estimator._maybe_warm_start(checkpoint_path)
    # Kinds of estimators whose model brings a step of its own make none before.
    update, values = update_and_values(metrics_of(spec), get_global_step(graph))
    scaffold = spec.scaffold
    if scaffold.local_init_op:
        # The metrics' variables came after it was made, and that which counts batches is still to come.
        get_or_create_eval_step()
        both = group(scaffold.local_init_op, Scaffold.default_local_init_op())
        scaffold = Scaffold(local_init_op=both, copy_from_scaffold=scaffold)
    return scaffold, update, values, [*input_hooks, *hooks, *spec.evaluation_hooks]


def run(
    estimator: Estimator,
    checkpoint_path: str | None,
    scaffold: Scaffold,
    update: Operation,
    values: Mapping[str, Any],
    hooks: list[SessionRunHook],
    output_dir: str,
) -> dict[str, Any]:
    """Runs an evaluation, and writes its results as summaries into `output_dir`."""
    results = evaluate_once(
        checkpoint_path=checkpoint_path,
        master=estimator._config.evaluation_master,
        scaffold=scaffold,
        eval_ops=update,
        final_ops=values,
        hooks=hooks,
        config=estimator._session_config,
    )
    step = int(results[GraphKeys.GLOBAL_STEP])
    write_results(output_dir, results, step)
    if checkpoint_path:
        write_checkpoint_path(output_dir, checkpoint_path, step)
    return results


def write_results(output_dir: str, results: Mapping[str, Any], step: int) -> None:
    """Writes the values of metrics as one summary: numbers, arrays as tensors, summaries that are written already.

    Others are passed over with a warning.
    """
    told = ", ".join(f"{key} = {value!s}" for key, value in sorted(results.items()) if not isinstance(value, bytes))
    tf_logging.info("Saving dict for global step %d: %s", step, told)
    summary = Summary()
    for key, value in results.items():
        if value is None or key == GraphKeys.GLOBAL_STEP:
            continue
        if isinstance(value, (int, float, np.integer, np.floating)):
            summary.value.add(tag=key, simple_value=float(value))
        elif isinstance(value, bytes):
            _add_written(summary, key, value)
        elif isinstance(value, np.ndarray):
            summary.value.add(tag=key, node_name=key).tensor.CopyFrom(make_tensor_proto(value))
            tf_logging.info("The summary of %s is an array, which TensorBoard shows by a plugin only.", key)
        else:
            tf_logging.warn(
                "Skipping summary for %s: %s is no number, no array and no written summary.", key, type(value)
            )
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, step)
    writer.flush()


def _add_written(summary: Summary, key: str, value: bytes) -> None:
    """A metric that is a summary already, such as images, which are numbered below the metric's name."""
    try:
        made = Summary.FromString(value)
    except DecodeError:
        tf_logging.warn("Skipping summary for %s: its bytes are no written summary.", key)
        return
    for i, each in enumerate(made.value):
        each.tag = f"{key}/{i}"
    summary.value.extend(made.value)


def write_checkpoint_path(output_dir: str, path: str, step: int) -> None:
    """Writes which checkpoint was evaluated, as a tensor of its path."""
    tf_logging.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
    summary = Summary()
    value = summary.value.add(tag="checkpoint_path")
    value.tensor.CopyFrom(make_tensor_proto(path, dtype="string"))
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, step)
    writer.flush()
